"""Kinematic control: joint velocities that pull the output onto its reference (seed 000, eq 49)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.control.law import Reference, check_gains, check_output
from closedchain.errors import BadInput
from closedchain.model.measured import Measured
from closedchain.model.model import Model


@dataclass(frozen=True, eq=False)
class KinematicControl:
    """q̇ = −B⁻¹A (ẋ_ref − λ e), e = x − x_ref. `lead` samples the feed-forward velocity that many intervals ahead."""

    reference: Reference
    gain: float = 1.0  # λ [1/s]
    lead: float = 0.0  # [intervals]
    output: str = "velocity"
    inverts: str = "B"

    def __post_init__(self) -> None:
        check_gains(gain=self.gain)
        check_output(self, "velocity")

    @property
    def key(self) -> str:
        return "kinematic"

    @property
    def gains(self) -> Doubles:
        return np.array([self.gain], dtype=np.float64)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        if not model.nx or model.nq != model.nx:
            raise BadInput(
                f"{model.name}: {model.nq} drives cannot give {model.nx} output velocities; control its joints"
            )
        return ("x", model.nx), ("x_dot", model.nx)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        ahead = self.reference(t + self.lead * interval)
        return np.concatenate([self.reference(t).x, ahead.x_dot], axis=-1)

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        error = measured.x - reference.x
        return measured.solve(measured.B, -(measured.A @ (reference.x_dot - gains[0] * error)))
