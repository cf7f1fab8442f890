"""What can end a run before its time, and how it is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError, numbers
from closedchain.model.configurations import Configurations
from closedchain.model.geometry import inverse
from closedchain.model.model import Model
from closedchain.model.state import State

NEAR = 1e-5  # |det| over the product of the lengths of A's rows: nearer to a singularity no law that inverts is trusted

ENORMOUS = 1e30  # squared: rates and commands beyond this are a divergence
FAR = 1e3  # of the robot's size
OPEN = 1e-6  # of the robot's size: closures that projection no longer closes
LOST = 0.05  # of the robot's size, or of a turn: further from its reference a loop no longer follows it

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


def goes_on(model: Model, inverts: str, before: State, after: State, limits: tuple[Doubles, Doubles]) -> bool:
    """Whether a run goes on after a step, as the compiled loop decides it: finite, near, closed, within limits."""
    values = np.concatenate([after.z, after.z_dot])
    if not (np.isfinite(values).all() and values @ values < ENORMOUS):
        return False
    lengths = [i for i, c in enumerate(model.equations.z) if c.unit != "rad"]
    if np.abs(after.z[lengths]).max(initial=0.0) >= FAR * model.scale:
        return False
    if model.nx and np.abs(model.call("closures", q=after.q, x=after.x)["gap"]).max() >= OPEN * model.scale:
        return False
    inside = (after.q >= limits[0]).all() and (after.q <= limits[1]).all()
    return bool(inside) and not meets_singularity(model, inverts, before, after)


def explain(
    model: Model,
    inverts: str,
    t: float,
    before: State,
    after: State,
    limits: tuple[Doubles, Doubles],
    reference: Any = None,
) -> str:
    """Why a run stopped between two states; where it had lost its reference before, how far it was from it."""
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
        met = f"a {kind} singularity (the {modes} modes meet: {how}) at t = {t:.6g} s, x = {numbers(after.x)}"
        astray = lost(model, reference, t, after)
        if astray:
            return f"{met}, {astray}: the loop had lost its reference before; take smaller gains or a shorter interval"
        return f"{met}: this law inverts {inverts}; plan around it, or cross it"
    why = beyond(model, reference, t) or "the loop is unstable; take smaller gains or a shorter interval"
    return f"the motion grew without bound at t = {t:.6g} s: {why}"


def beyond(model: Model, reference: Any, t: float) -> str:
    """That no configuration has the output that is wanted at t, where that is so; else nothing."""
    if reference is None or getattr(reference, "space", "joint") != "output" or model.linkage:
        return ""
    try:
        reasons = inverse(model, reference(t).x).reasons
    except ClosedChainError:  # this robot has no closed form, so nothing is known
        return ""
    return f"its reference was out of reach by then, {reasons[0]}" if reasons else ""


def lost(model: Model, reference: Any, t: float, state: State) -> str:
    """How far from its reference a run is, and how fast, where that is no longer following it; else nothing."""
    if reference is None:
        return ""
    drives = getattr(reference, "space", "output") == "joint" or not model.nx
    of, value, rate = (model.equations.q, state.q, state.q_dot) if drives else (model.equations.x, state.x, state.x_dot)
    unit = "m" if any(c.unit == "m" for c in of) else "rad"
    rows, asked = [i for i, c in enumerate(of) if c.unit == unit], reference(t)
    away = float(np.linalg.norm((value - asked.x)[rows]))
    if not away > LOST * (model.scale if unit == "m" else 2 * np.pi):
        return ""
    pace, want = (float(np.linalg.norm(v[rows])) for v in (rate, asked.x_dot))
    return f"{away:.3g} {unit} from its reference and at {pace:.3g} {unit}/s where {want:.3g} is asked"


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
