"""A regulator that is told positions alone: a steady Kalman filter estimates the state from them, and is its memory.

    ŝ = ŝ⁻ + L (y − ŝ⁻_q),     u = u_0 − K ŝ,     ŝ⁻ of the next sample = A ŝ + B (u − u_0)

s = (q − q_0, q̇), y = q − q_0 with the sensors' noise; A and B are exact for commands held over an interval. L is that
of the smallest variance, by Riccati's equation, for sensors of a standard deviation and a disturbance of the inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.control.regulating import Regulator, held_model
from closedchain.errors import BadInput, NoSolution
from closedchain.extras import Late
from closedchain.model.linearisation import linearise
from closedchain.model.measured import Measured
from closedchain.model.model import Model

linalg = Late("scipy.linalg")


@dataclass(frozen=True, eq=False)
class Observed:
    """A regulator on estimates; `measured` rates are not looked at."""

    regulator: Regulator
    A: Doubles  # (2n, 2n) over one interval
    B: Doubles  # (2n, inputs)
    L: Doubles  # (2n, n)
    covariance: Doubles  # (2n, 2n) of the estimate before a measurement, as the filter believes
    interval: float  # [s] for which it was made

    @property
    def output(self) -> str:
        return self.regulator.output

    @property
    def key(self) -> str:
        return f"observed {self.regulator.key}"

    @property
    def gains(self) -> Doubles:
        parts = (self.A, self.B, self.L, self.regulator.K, self.regulator.q_0, self.regulator.u_0)
        return np.concatenate([part.ravel() for part in parts])

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        return (("nothing", 1),)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        if abs(interval - self.interval) > 1e-9 * self.interval:
            raise BadInput(f"{model.name}: this filter is for an interval of {self.interval:g} s, not {interval:g} s")
        return np.zeros((len(t), 1))

    def memory(self, model: Model) -> dict[str, Doubles]:
        return {"estimate": np.zeros(2 * model.nq)}

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        n, m = len(self.A) // 2, self.B.shape[1]
        sizes, parts, first = ((2 * n, 2 * n), (2 * n, m), (2 * n, n), (m, 2 * n), (n, 1), (m, 1)), [], 0
        for rows, columns in sizes:
            entries = [[gains[first + i * columns + j] for j in range(columns)] for i in range(rows)]
            parts.append(entries)
            first += rows * columns
        A, B, L, K, q_0, u_0 = parts
        before = [measured.memory.estimate[i] for i in range(2 * n)]
        missed = [measured.q[j] - q_0[j][0] - before[j] for j in range(n)]
        now = [before[i] + _dot(L[i], missed) for i in range(2 * n)]
        change = [-_dot(K[i], now) for i in range(m)]
        after = [_dot(A[i], now) + _dot(B[i], change) for i in range(2 * n)]
        command = measured.column(*(u_0[i][0] + change[i] for i in range(m)))
        return command, {"estimate": measured.column(*after)}


def observe(
    model: Model,
    regulator: Regulator,
    *,
    interval: float,
    noise_q: float,
    disturbance: float,
    assembly: str | None = None,
) -> Observed:
    """A steady Kalman filter in front of a regulator, for commands held over `interval` [s].

    `noise_q` is the standard deviation of the position sensors, as a plant states it (a quantum counts as quantum/√12);
    `disturbance` that of what acts beside the inputs, in their unit, anew in each interval.
    """
    if not (noise_q > 0.0 and disturbance > 0.0):
        raise BadInput(f"noise_q = {noise_q:g} and disturbance = {disturbance:g}: both must be positive")
    linear = linearise(model, q=regulator.q_0, assembly=assembly, inputs=regulator.output)
    A, B = held_model(linear, interval)
    n = model.nq
    C, Q, R = np.eye(n, 2 * n), disturbance**2 * B @ B.T, noise_q**2 * np.eye(n)
    try:
        P = linalg.solve_discrete_are(A.T, C.T, Q, R)
    except (np.linalg.LinAlgError, ValueError):
        raise NoSolution(
            f"{model.name}: no steady filter: positions and this disturbance do not tell every motion"
        ) from None
    L = P @ C.T @ np.linalg.inv(C @ P @ C.T + R)
    return Observed(regulator, A, B, L, P, interval)


def _dot(a: list[Any], b: list[Any]) -> Any:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total
