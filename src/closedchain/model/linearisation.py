"""The linear model about an equilibrium: ẋ = A x + B u, y = C x + D u with x = (q, q̇)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, NoSolution
from closedchain.model.dynamics import motor_voltages
from closedchain.model.kinematics import check_type2
from closedchain.model.model import Model
from closedchain.model.state import State, standing
from closedchain.model.state import state as make_state

REST = 1e-9  # relative: an undriven effort at an equilibrium


@dataclass(frozen=True, eq=False)
class Linear:
    """A linear model about an equilibrium, with what its rows and columns are."""

    A: Doubles  # (2n, 2n)
    B: Doubles  # (2n, inputs)
    C: Doubles  # (outputs, 2n)
    D: Doubles  # (outputs, inputs)
    q: Doubles  # (n,) the equilibrium
    u: Doubles  # (inputs,) the efforts [N, N m] or voltages [V] that hold it
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def poles(self) -> np.ndarray:
        return np.sort_complex(np.linalg.eigvals(self.A))


def linearise(
    model: Model,
    *,
    q: ArrayLike | None = None,
    x: ArrayLike | None = None,
    assembly: str | None = None,
    working: str | None = None,
    inputs: str = "tau",
    state: State | None = None,
) -> Linear:
    """About the equilibrium at q or x, with efforts ("tau") or motor voltages ("voltage") as inputs.

    A known configuration is given by q and x together or as `state`, at rest.

        M q̈ + C q̇ + K q = S u,   K = Tᵀ ∂(h_z − Φᵀλ)/∂z T,   C = Tᵀ ∂h_z/∂ż T

    The load of gravity and springs in the bars acts through λ: it stiffens or softens K.
    """
    if inputs not in ("tau", "voltage"):
        raise BadInput(f"inputs are 'tau' or 'voltage', not {inputs!r:.30}")
    if model.equations.nonsmooth:
        raise BadInput(
            f"{model.name}: {model.equations.nonsmooth}: at rest there is no slope; give each friction a width and "
            "each stop a stiffness, or leave them out"
        )
    at = standing(model, state, q=q, x=x, assembly=assembly, working=working)
    if at is None:
        at = make_state(model, q=q, x=x, assembly=assembly, working=working)
    if at.z_dot.any():
        raise BadInput(f"{model.name}: an equilibrium is at rest, and state moves at up to {np.abs(at.z_dot).max():g}")
    if at.q.ndim != 1:
        raise BadInput(f"{model.name}: one equilibrium at a time; q has shape {at.q.shape}")
    made = model.call("evaluate", q=at.q, x=at.x, q_dot=at.q_dot, q_ddot=np.zeros(model.nq))
    if model.nx:
        check_type2(model, made["margin"])
    load = _held(model, made["c"])
    lam = made.get("lam", np.zeros(0))
    slopes = model.call("stiffness", q=at.q, x=at.x, q_dot=at.q_dot, x_dot=at.x_dot, lam=lam)
    J = made.get("J", np.zeros((0, model.nq)))
    T = np.vstack([np.eye(model.nq), J])
    K, damping = T.T @ slopes["K_z"] @ T, T.T @ slopes["C_z"] @ T
    S = np.eye(model.nq)[:, list(model.driven)]
    u = load
    if inputs == "voltage":
        u = motor_voltages(model, load, at.q_dot)
        motors = model.call("motors")
        damping = damping + S @ np.diag(motors["back"]) @ S.T
        S = S * motors["gain"]
    n, M = model.nq, made["M"]
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, damping)]])
    B = np.vstack([np.zeros_like(S), np.linalg.solve(M, S)])
    read = J if model.nx else np.eye(n)
    names = tuple(c.name for c in model.equations.q)
    return Linear(
        A=A,
        B=B,
        C=np.hstack([read, np.zeros_like(read)]),
        D=np.zeros((len(read), S.shape[1])),
        q=at.q,
        u=u,
        states=names + tuple(f"{name}_dot" for name in names),
        inputs=tuple(f"{inputs}_{name}" for name in model.equations.driven),
        outputs=tuple(c.name for c in model.equations.x) or names,
    )


def _held(model: Model, c: Doubles) -> Doubles:
    """The efforts that hold the configuration, after checking that the undriven coordinates need none."""
    free = [i for i in range(model.nq) if i not in model.driven]
    worst = float(np.abs(c[free]).max(initial=0.0))
    if worst > REST * max(float(np.abs(c).max(initial=0.0)), 1.0):
        names = ", ".join(model.equations.q[i].name for i in free)
        raise NoSolution(
            f"{model.name}: not an equilibrium: {names} would need an effort of {worst:.3g}, and nothing drives it"
        )
    return c[list(model.driven)]
