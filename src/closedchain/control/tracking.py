"""Tracking laws: computed torque in joint and output space, PD with gravity and feed-forward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.control.law import (
    Reference,
    check_driven,
    check_gains,
    check_output,
    efforts_along,
    joint_samples,
    per_joint,
)
from closedchain.errors import BadInput
from closedchain.model.measured import Measured
from closedchain.model.model import Model


@dataclass(frozen=True, eq=False)
class ComputedTorque:
    """τ = M (q̈_ref + Kd (q̇_ref − q̇) + Kp (q_ref − q)) + c  (seed 000, eq 53)."""

    reference: Reference
    kp: float = 100.0  # [1/s²]
    kd: float = 100.0  # [1/s]
    working: str | None = None
    acceleration: float = 1.0  # of the reference's that is fed forward: 0 none, 3 by the slip in seed 000's code
    output: str = "tau"
    inverts: str = "A"

    def __post_init__(self) -> None:
        check_gains(kp=self.kp, kd=self.kd)
        check_output(self, "tau")

    @property
    def key(self) -> str:
        return "computed torque"

    @property
    def gains(self) -> Doubles:
        return np.array([self.kp, self.kd], dtype=np.float64)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        check_driven(model)
        return ("q", model.nq), ("q_dot", model.nq), ("q_ddot", model.nq)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        return np.concatenate(joint_samples(model, self.reference, self.working, t, self.acceleration), axis=-1)

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        pull = gains[1] * (reference.q_dot - measured.q_dot) + gains[0] * (reference.q - measured.q)
        return measured.M @ (reference.q_ddot + pull) + measured.c


@dataclass(frozen=True, eq=False)
class OutputComputedTorque:
    """τ = M q̈ + c with J q̈ = ẍ_ref + Kd (ẋ_ref − ẋ) + Kp (x_ref − x) − b: the errors are the output's."""

    reference: Reference
    kp: float = 100.0
    kd: float = 100.0
    output: str = "tau"
    inverts: str = "A"

    def __post_init__(self) -> None:
        check_gains(kp=self.kp, kd=self.kd)
        check_output(self, "tau")

    @property
    def key(self) -> str:
        return "output computed torque"

    @property
    def gains(self) -> Doubles:
        return np.array([self.kp, self.kd], dtype=np.float64)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        if model.nq != model.nx:
            raise BadInput(
                f"{model.name}: {model.nq} drives cannot give {model.nx} output accelerations; control its joints"
            )
        return ("x", model.nx), ("x_dot", model.nx), ("x_ddot", model.nx)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        found = self.reference(t)
        return np.concatenate([found.x, found.x_dot, found.x_ddot], axis=-1)

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        pull = gains[1] * (reference.x_dot - measured.x_dot) + gains[0] * (reference.x - measured.x)
        q_ddot = measured.solve(measured.J, reference.x_ddot + pull - measured.b)
        return measured.M @ q_ddot + measured.c


@dataclass(frozen=True, eq=False)
class PD:
    """τ = Kp (q_ref − q) + Kd (q̇_ref − q̇), plus gravity at the measured state, or the reference's own efforts."""

    reference: Reference
    kp: float | tuple[float, ...] = 1000.0  # [N/m] or [N m/rad]
    kd: float | tuple[float, ...] = 60.0
    gravity: bool = False
    feedforward: bool = False
    working: str | None = None
    output: str = "tau"

    def __post_init__(self) -> None:
        check_gains(kp=self.kp, kd=self.kd)
        if self.gravity and self.feedforward:
            raise BadInput("the feed-forward already holds gravity; choose gravity or feedforward")
        check_output(self, *(("tau",) if self.gravity or self.feedforward else ("tau", "voltage")))

    @property
    def key(self) -> str:
        return f"pd gravity={self.gravity}"

    @property
    def gains(self) -> Doubles:
        n = max(np.size(self.kp), np.size(self.kd))
        return np.concatenate([per_joint(self.kp, n), per_joint(self.kd, n)])

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        check_driven(model)
        if len(self.gains) not in (2, 2 * model.nq):
            raise BadInput(f"{model.name}: kp and kd have {len(self.gains) // 2} numbers for {model.nq} joints")
        return ("q", model.nq), ("q_dot", model.nq), ("tau", model.nq)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        q, q_dot, _ = joint_samples(model, self.reference, self.working, t)
        tau = efforts_along(model, self.reference, self.working, t) if self.feedforward else np.zeros_like(q)
        return np.concatenate([q, q_dot, tau], axis=-1)

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        n = gains.shape[0] // 2
        kp, kd = gains[:n] if n > 1 else gains[0], gains[n:] if n > 1 else gains[1]
        tau = kp * (reference.q - measured.q) + kd * (reference.q_dot - measured.q_dot) + reference.tau
        return tau + measured.gravity if self.gravity else tau
