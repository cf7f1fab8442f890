"""Commands without feedback: a constant, a table, or the efforts that a reference needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.control.law import Reference, check_output, efforts_along, joint_samples
from closedchain.model.dynamics import motor_voltages
from closedchain.model.measured import Measured
from closedchain.model.model import Model


@dataclass(frozen=True, eq=False)
class Constant:
    """The same command always: a step of voltage, a held torque, nothing."""

    value: float | tuple[float, ...] = 0.0
    output: str | None = None  # "tau", "voltage" or "velocity"; efforts unless said, but with a motor it must be

    @property
    def key(self) -> str:
        return f"constant {self.output or 'tau'}"

    @property
    def gains(self) -> Doubles:
        return np.zeros(0)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        return (("command", len(model.driven)),)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        return np.broadcast_to(np.asarray(self.value, dtype=np.float64), (len(t), len(model.driven))).copy()

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        return reference.command


@dataclass(frozen=True, eq=False)
class FeedForward:
    """The efforts, voltages or velocities that the reference needs, sampled, with no correction."""

    reference: Reference
    working: str | None = None
    output: str = "tau"

    def __post_init__(self) -> None:
        check_output(self, "tau", "voltage", "velocity")

    @property
    def key(self) -> str:
        return f"feedforward {self.output}"

    @property
    def gains(self) -> Doubles:
        return np.zeros(0)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        return (("command", len(model.driven)),)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        if self.output == "velocity":
            return joint_samples(model, self.reference, self.working, t)[1]
        tau = efforts_along(model, self.reference, self.working, t)
        if self.output == "voltage":
            return motor_voltages(model, tau, joint_samples(model, self.reference, self.working, t)[1])
        return tau

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        return reference.command
