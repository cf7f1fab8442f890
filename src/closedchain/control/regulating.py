"""Linear-quadratic regulation about an equilibrium, for pendulums and closed chains alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, NoSolution
from closedchain.extras import Late
from closedchain.model.linearisation import Linear, linearise
from closedchain.model.measured import Measured
from closedchain.model.model import Model

linalg = Late("scipy.linalg")
LEAST, MOST = 1e-12, 1e12  # weights between which Riccati's equation is solved in doubles


@dataclass(frozen=True, eq=False)
class Regulator:
    """u = u_0 − K (s − s_0), s = (q, q̇)."""

    K: Doubles  # (inputs, 2n)
    q_0: Doubles  # (n,)
    u_0: Doubles  # (inputs,)
    output: str = "tau"  # or "voltage"

    @property
    def key(self) -> str:
        return f"regulator {self.output} {self.K.shape}"

    @property
    def gains(self) -> Doubles:
        return np.concatenate([self.K.ravel(), self.q_0, self.u_0])

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        return (("nothing", 1),)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        return np.zeros((len(t), 1))

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        inputs, width = self.K.shape
        n = width // 2
        q_0, u_0 = gains[inputs * width : inputs * width + n], gains[inputs * width + n :]
        commands = []
        for i in range(inputs):
            row = gains[i * width : (i + 1) * width]
            commands.append(
                u_0[i] - sum(row[j] * (measured.q[j] - q_0[j]) + row[n + j] * measured.q_dot[j] for j in range(n))
            )
        return measured.column(*commands)


def regulator(
    model: Model,
    *,
    q: ArrayLike | None = None,
    x: ArrayLike | None = None,
    state_cost: ArrayLike = 1.0,
    input_cost: ArrayLike = 1.0,
    interval: float | None = None,
    inputs: str = "tau",
    assembly: str | None = None,
    working: str | None = None,
) -> Regulator:
    """The LQR gain about the equilibrium at q or x; with an `interval`, for commands held that long."""
    linear = linearise(model, q=q, x=x, assembly=assembly, working=working, inputs=inputs)
    Q = _cost(state_cost, linear.A.shape[0], "state_cost")
    R = _cost(input_cost, linear.B.shape[1], "input_cost")
    A, B = (linear.A, linear.B) if interval is None else held_model(linear, interval)
    try:
        P = linalg.solve_continuous_are(A, B, Q, R) if interval is None else linalg.solve_discrete_are(A, B, Q, R)
    except (np.linalg.LinAlgError, ValueError):
        raise NoSolution(
            f"{model.name}: no LQR gain: the inputs cannot hold every unstable motion about this equilibrium"
        ) from None
    K = np.linalg.solve(R, B.T @ P) if interval is None else np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    return Regulator(K, linear.q, linear.u, inputs)


def _cost(cost: ArrayLike, n: int, what: str) -> Doubles:
    value = np.asarray(cost, dtype=np.float64)
    if value.shape not in ((), (n,), (n, n)):
        raise BadInput(f"{what} is one number, {n} numbers or a {n} × {n} matrix, not of shape {value.shape}")
    given = np.abs(value[value != 0.0])
    if not ((given >= LEAST) & (given <= MOST)).all():
        raise BadInput(
            f"{what} holds {given[(given < LEAST) | (given > MOST)][0]:g}; weights lie between {LEAST:g} and {MOST:g}"
        )
    return value if value.ndim == 2 else np.diag(np.broadcast_to(value, (n,)))


def held_model(linear: Linear, interval: float) -> tuple[Doubles, Doubles]:
    """The exact discrete model for inputs held over the interval: expm of the block matrix."""
    n, m = linear.B.shape
    block = np.zeros((n + m, n + m))
    block[:n, :n], block[:n, n:] = linear.A, linear.B
    values = linalg.expm(block * interval)
    return values[:n, :n], values[:n, n:]
