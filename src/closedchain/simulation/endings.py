"""What can end a run before its time, and how it is said."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import numbers
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.state import State

NEAR = 1e-5  # |det| over the product of the lengths of A's rows: nearer to a singularity no law that inverts is trusted

CANCELLED = "cancelled at t = {t:.6g} s"

Progress = Callable[[float], None]  # told the time reached [s]; raises KeyboardInterrupt to end the run there


def cancelled(progress: Progress | None, t: float) -> bool:
    """Whether whoever watches wants no more; what was simulated so far is kept."""
    if progress is None:
        return False
    try:
        progress(t)
    except KeyboardInterrupt:
        return True
    return False


def explain(model: Model, inverts: str, t: float, before: State, after: State, limits: tuple[Doubles, Doubles]) -> str:
    """Why a run stopped between two states."""
    low, high = limits
    for i, c in enumerate(model.equations.q):
        if np.isfinite(after.q[i]) and not low[i] <= after.q[i] <= high[i]:
            return (
                f"joint limit at t = {t:.6g} s: {c.name} = {after.q[i]:.6g} {c.unit} leaves [{low[i]:g}, {high[i]:g}]"
            )
    if meets_singularity(model, inverts, before, after):
        there = _room(model, inverts, after)
        kind, modes = ("Type 2", "assembly") if inverts == "A" else ("Type 1", "working")
        how = f"{abs(there):.0e} of 1 is left of {inverts}" if abs(there) <= NEAR else f"det {inverts} changes sign"
        return (
            f"a {kind} singularity (the {modes} modes meet: {how}) at t = {t:.6g} s, x = {numbers(after.x)}: "
            f"this law inverts {inverts}; plan around it, or cross it"
        )
    unstable = "the loop is unstable; take smaller gains or a shorter interval"
    return f"the motion grew without bound at t = {t:.6g} s: {unstable}"


def meets_singularity(model: Model, inverts: str, before: State, after: State) -> bool:
    """Whether the matrix that a law inverts is nearly singular, or changes the sign of its determinant in between."""
    if not (model.nx and inverts and np.isfinite(after.z).all()):
        return False
    here, there = _room(model, inverts, before), _room(model, inverts, after)
    return bool(abs(there) <= NEAR or here * there <= 0.0)


def _room(model: Model, inverts: str, state: State) -> float:
    """The determinant of what a law inverts over the product of the lengths of A's rows."""
    at = Configurations(model, state.q[None], state.x[None])
    rows = list(range(model.nx)) if inverts == "A" else at.leg_rows()
    matrix = (at.A if inverts == "A" else at.B)[0, rows]
    return float(np.linalg.det(matrix) / np.prod(np.linalg.norm(at.A[0, rows], axis=-1)))
