"""PID of the drives: the integral, and where asked a filtered rate, are its memory."""

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
class PID:
    """τ = Kp e + Ki ∫e dt + Kd ė, e = q_ref − q, plus gravity at the measured state, or the reference's own efforts.

    With `filter`, a time T [s], ė goes through a low pass 1/(1 + T s) first, for sensors that show velocities roughly.
    While a limit cuts a drive's command, its integral does not go on in that direction.
    """

    reference: Reference
    kp: float | tuple[float, ...] = 1000.0  # [N/m] or [N m/rad]
    ki: float | tuple[float, ...] = 1000.0  # the same per second
    kd: float | tuple[float, ...] = 60.0  # the same times a second
    filter: float = 0.0  # [s]
    gravity: bool = False
    feedforward: bool = False
    working: str | None = None
    output: str = "tau"

    def __post_init__(self) -> None:
        check_gains(kp=self.kp, ki=self.ki, kd=self.kd)
        if not 0.0 <= self.filter < np.inf:
            raise BadInput(f"filter = {self.filter} s: a time that is not negative is needed")
        if self.gravity and self.feedforward:
            raise BadInput("the feed-forward already holds gravity; choose gravity or feedforward")
        check_output(self, *(("tau",) if self.gravity or self.feedforward else ("tau", "voltage")))

    @property
    def key(self) -> str:
        return f"pid gravity={self.gravity} filter={self.filter > 0.0}"

    @property
    def gains(self) -> Doubles:
        n = max(np.size(k) for k in (self.kp, self.ki, self.kd))
        return np.concatenate([*(per_joint(k, n) for k in (self.kp, self.ki, self.kd)), [self.filter]])

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        check_driven(model)
        if len(self.gains) not in (4, 3 * model.nq + 1):
            raise BadInput(f"{model.name}: kp, ki and kd have {len(self.gains) // 3} numbers for {model.nq} joints")
        return ("q", model.nq), ("q_dot", model.nq), ("tau", model.nq)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        q, q_dot, _ = joint_samples(model, self.reference, self.working, t)
        tau = efforts_along(model, self.reference, self.working, t) if self.feedforward else np.zeros_like(q)
        return np.concatenate([q, q_dot, tau], axis=-1)

    def memory(self, model: Model) -> dict[str, Doubles]:
        names = ("integral", "asked", "rate") if self.filter else ("integral", "asked")
        return {name: np.zeros(model.nq) for name in names}

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        n, kept = gains.shape[0] // 3, measured.memory
        kp, ki, kd = (gains[i * n : (i + 1) * n] if n > 1 else gains[i] for i in range(3))
        error, rate = reference.q - measured.q, reference.q_dot - measured.q_dot
        cut = kept.asked - measured.command  # by its limit, when it was decided on last
        integral = kept.integral + measured.interval * measured.where(cut * error > 0.0, 0.0 * error, ki * error)
        keeps = {"integral": integral}
        if self.filter:
            share = measured.interval / (measured.interval + gains[3 * n])
            rate = keeps["rate"] = kept.rate + share * (rate - kept.rate)
        tau = kp * error + integral + kd * rate + reference.tau
        asked = tau + measured.gravity if self.gravity else tau
        return asked, keeps | {"asked": asked}
