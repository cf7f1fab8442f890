"""What can end a run before its time, and how it is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError, numbers
from closedchain.model.closing import open_by
from closedchain.model.configurations import Configurations
from closedchain.model.geometry import inverse
from closedchain.model.joint_limits import beyond as beyond_limits
from closedchain.model.joint_limits import keeping
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.policy import OPEN

NEAR = 1e-5  # |det| over the product of the lengths of A's rows: nearer to a singularity no law that inverts is trusted

ENORMOUS = 1e30  # squared: rates and commands beyond this are a divergence
FAR = 1e3  # of the robot's size
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
    inside = (after.q >= limits[0]).all() and (after.q <= limits[1]).all() and not passive_beyond(model, after)
    return stands(model, after) and bool(inside) and not meets_singularity(model, inverts, before, after)


def stands(model: Model, state: State) -> bool:
    """Whether it is a state of the robot: finite, near, its loops closed. What is none is left out of a run's rows."""
    values = np.concatenate([state.z, state.z_dot])
    if not (np.isfinite(values).all() and values @ values < ENORMOUS):
        return False
    lengths = [i for i, c in enumerate(model.equations.z) if c.unit != "rad"]
    if np.abs(state.z[lengths]).max(initial=0.0) >= FAR * model.scale:
        return False
    return not model.equations.closures or bool(open_by(model, state.q, state.x).max() < OPEN * model.scale)


def passive_beyond(model: Model, state: State) -> str:
    """Which passive joint is beyond its limits, and by how much, if one is."""
    driven = model.equations.driven
    passive = [i for i, limit in enumerate(model.equations.limits) if limit.name not in driven]
    if not passive or not np.isfinite(state.z).all():
        return ""
    held = keeping(model, state.q[None], state.x[None])
    worst = passive[int(np.argmin(held.room[0, passive]))]
    out = held.room[0, worst] < 0.0
    return beyond_limits(model, model.equations.limits[worst], float(held.joints[0, worst])) if out else ""


@dataclass(frozen=True, eq=False)
class Commanded:
    """When a command was decided on, where the robot was, and how long it was to be held."""

    t: float  # [s]
    state: State
    interval: float  # [s]


def explain(
    model: Model,
    inverts: str,
    t: float,
    before: State,
    after: State,
    limits: tuple[Doubles, Doubles],
    reference: Any = None,
    last: Commanded | None = None,
    steps: str = "",
    feedback: bool = True,
) -> str:
    """Why a run stopped between two states; where it had lost its reference before, how far it was from it.

    `steps` says that they are too long, where they are; without feedback there are no gains that could be to blame.
    """
    low, high = limits
    for i, c in enumerate(model.equations.q):
        if np.isfinite(after.q[i]) and not low[i] <= after.q[i] <= high[i]:
            return (
                f"joint limit at t = {t:.6g} s: {c.name} = {after.q[i]:.6g} {c.unit} leaves [{low[i]:g}, {high[i]:g}]"
            )
    if told := passive_beyond(model, after):
        return f"joint limit at t = {t:.6g} s: {told}"
    thrown = last is not None and _thrown(model, inverts, last, reference)
    met = stands(model, after) and meets_singularity(model, inverts, before, after)
    if met and not (thrown and lost(model, reference, t, after)):
        there = _room(model, inverts, after)
        how = f"{abs(there):.0e} of 1 is left of {inverts}" if abs(there) <= NEAR else f"det {inverts} changes sign"
        return _met(model, inverts, how, t, after, reference)
    if last is not None and thrown:
        left = abs(_room(model, inverts, last.state))
        how = f"{left:.0e} of 1 is left of {inverts}, and nothing before the next command"
        return _met(model, inverts, how, last.t, last.state, reference)
    unstable = "the loop is unstable; take smaller gains or a shorter interval"
    pushed = "no law holds it back; its command, or a spring or damper of negative constant, drives it away"
    why = beyond(model, reference, t) or steps or (unstable if feedback else pushed)
    return f"the motion grew without bound at t = {t:.6g} s: {why}"


def _met(model: Model, inverts: str, how: str, t: float, state: State, reference: Any) -> str:
    """The singularity that a law which inverts cannot pass."""
    kind, modes = ("Type 2", "assembly") if inverts == "A" else ("Type 1", "working")
    met = f"a {kind} singularity (the {modes} modes meet: {how}) at t = {t:.6g} s, x = {numbers(state.x)}"
    astray = lost(model, reference, t, state)
    if astray:
        return f"{met}, {astray}: the loop had lost its reference before; take smaller gains or a shorter interval"
    return f"{met}: this law inverts {inverts}; plan around it, or cross it"


def _thrown(model: Model, inverts: str, last: Commanded, reference: Any) -> bool:
    """Whether a robot that followed its reference until then would meet the singularity before the next command."""
    if not (model.nx and inverts) or lost(model, reference, last.t, last.state):
        return False
    state, short = last.state, 1e-3 * last.interval
    on = State(state.q + short * state.q_dot, state.x + short * state.x_dot, state.q_dot, state.x_dot)
    here, there = _room(model, inverts, state), _room(model, inverts, on)
    return bool(here * (here + (there - here) * last.interval / short) <= 0.0)


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
