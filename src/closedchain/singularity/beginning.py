"""Where to begin with a robot: a configuration far from singularities, and the window that shows it and its reach."""

from __future__ import annotations

import contextlib
import itertools

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.model.configurations import Configurations
from closedchain.model.geometry import inverse
from closedchain.model.layout import layout, positions
from closedchain.model.model import Model, NoClosedForm
from closedchain.model.modes import working_signs
from closedchain.model.sampling import assemble, sample
from closedchain.policy import EDGE, GAP
from closedchain.singularity.pose import margins
from closedchain.singularity.reach import edges_of, slice_of, window_of

SIDE = {2: 25, 3: 11}  # grid points along each axis of the output's place
TURNS = np.deg2rad([0.0, 30.0, -30.0, 60.0, -60.0, 90.0, -90.0, 120.0, -120.0, 180.0])
OFF = 1e-4  # of a step: the grid is not symmetric, where robots are often singular
MIDDLE = 0.4  # of a margin: what a place at the robot's size from the middle is worth less
ABOVE = 0.3  # of a margin: what it is worth less in space to be above the base
ASIDE = 0.2  # [rad] of a coordinate that nothing drives, without closures: let go, it moves
SAMPLES = 64  # configurations of a robot whose output has no grid
POOR = 0.05  # margins of a grid's places below this: configurations at no place in particular are better
ROOM = 0.12  # of the window, around what is drawn


def begin(model: Model) -> tuple[Doubles, Doubles]:
    """q and x of a well-conditioned configuration, in the first working mode where it has one.

    Of a grid of outputs the one with the largest margin, in the middle by preference; rounded to a few digits.
    """
    if not model.nx:
        return np.array([0.0 if i in model.driven else ASIDE for i in range(model.nq)]), np.zeros(0)
    if model.linkage:
        z = assemble(model)
        return z[: model.nq], z[model.nq :]
    found = None
    with contextlib.suppress(NoClosedForm):
        found = _reached(model, _grid(model)) if _single(model) else None
    if found is None or np.minimum(*margins(model, *found)).max() < POOR:
        some = sample(model, SAMPLES)
        found = some.q, some.x
    q, x = found
    best = int(np.argmax(_worth(model, q, x)))
    return _rounded(model, q[best], x[best])


def _reached(model: Model, x: Doubles) -> tuple[Doubles, Doubles] | None:
    """The outputs that the first working mode to reach any reaches, with its drives; None where none does.

    In space all modes count: a mode that hangs below its base stands above it as another.
    """
    chosen, found = model.leg_signs != 0, []
    for mode in working_signs(model):
        sigma = np.ones(len(model.legs))
        sigma[chosen] = mode
        made = model.call("inverse", x=x, sigma=sigma)
        inside = (made["slack"] > np.where(chosen, EDGE, -EDGE) * model.scale).all(axis=-1)
        rows = Configurations(model, made["q"][inside], x[inside])
        closed = rows.residual <= GAP * model.scale
        if closed.any():
            found.append((rows.q[closed], rows.x[closed]))
        if found and _places(model) == 2:
            break
    return (np.concatenate([q for q, _ in found]), np.concatenate([x for _, x in found])) if found else None


def _worth(model: Model, q: Doubles, x: Doubles) -> Doubles:
    """The smaller margin to Type 1 and Type 2, a little less away from the middle and above a base in space."""
    places = x[:, : _places(model)]
    away = np.linalg.norm(places - np.median(places, axis=0), axis=-1) / model.scale
    above = places[:, 2] > 0.0 if places.shape[1] == 3 else np.zeros(len(x))
    return np.asarray(np.minimum(*margins(model, q, x)) - MIDDLE * np.minimum(away, 1.0) - ABOVE * above)


def _rounded(model: Model, q: Doubles, x: Doubles) -> tuple[Doubles, Doubles]:
    """The same branch at an output with few digits, where that has a solution."""
    if not _single(model):
        return q, x
    digit = 10.0 ** np.floor(np.log10(model.scale) - 1.5)
    steps = np.array([digit if c.unit == "m" else np.deg2rad(1.0) for c in model.equations.x])
    with contextlib.suppress(NoClosedForm):
        found = inverse(model, np.round(x / steps) * steps + 0.0)
        if len(found):
            turns = np.array([c.unit == "rad" for c in model.equations.q])
            apart = found.q - q
            apart -= np.where(turns, 2 * np.pi * np.round(apart / (2 * np.pi)), 0.0)  # drives are the same a turn on
            row = int(np.argmin(np.linalg.norm(apart, axis=1)))
            return found.q[row], found.x[row]
    return q, x


def _single(model: Model) -> bool:
    """Whether x is the output alone."""
    return model.mechanism is not None and len(model.mechanism.bodies) == 1


def _places(model: Model) -> int:
    """How many of the output's coordinates are a place in metres."""
    return 2 if model.mechanism is None else model.mechanism.dimension


def _grid(model: Model) -> Doubles:
    """Outputs over a box about the robot, (k, nx)."""
    low, high = _box(model)
    count = SIDE.get(len(low), 5)  # half a step inside: not on an edge of the reach, nor on a base
    steps = (np.arange(count) + 0.5 - OFF) / count
    axes = [a + (b - a) * steps for a, b in zip(low, high, strict=True)]
    turns = model.nx - _places(model)
    if turns == 1:
        axes.append(TURNS)
    elif turns:  # of a body in space: upright, turned about z
        axes += [np.zeros(1)] * (turns - 1) + [TURNS[:3]]
    return np.array(list(itertools.product(*axes)))


def _box(model: Model) -> tuple[Doubles, Doubles]:
    n = _places(model)
    try:
        turned = 0.0 if n < model.nx else None
        x0, x1, y0, y1 = window_of(model, edges_of(model, slice_of(model, turned))[0])
        return np.array([x0, y0]), np.array([x1, y1])
    except ClosedChainError:  # the reach has no end, or is not of a plane
        return np.full(n, -1.5 * model.scale), np.full(n, 1.5 * model.scale)


def window(model: Model, q: Doubles, x: Doubles) -> list[float]:
    """What to look at, [x0, x1, y0, y1] in m: the robot and its reach, or as much of an endless one as it is large."""
    if not model.equations.points:
        return [-1.0, 1.0, -1.0, 1.0]
    shown = positions(model, layout(model), q[None], x[None])[0, :, :2]
    if not model.nx:
        size = 1.3 * (float(np.abs(shown).max()) or 1.0)
        return [-size, size, -size, size]
    if model.mechanism is not None:
        shown = np.concatenate([shown, _reach(model, x)])
    low, high = shown.min(axis=0), shown.max(axis=0)
    more = ROOM * max(float((high - low).max()), 1e-9)
    return [float(low[0] - more), float(high[0] + more), float(low[1] - more), float(high[1] + more)]


def _reach(model: Model, x: Doubles) -> Doubles:
    """Two corners of the reach; of one without an end, a robot's size about x."""
    third = float(x[2]) if len(x) > 2 else None
    space = _places(model) == 3
    try:
        plane = slice_of(model, None if space else third, third if space else None)
        x0, x1, y0, y1 = window_of(model, edges_of(model, plane)[0])
    except ClosedChainError:
        return np.stack([x[:2] - model.scale, x[:2] + model.scale])
    return np.array([[x0, y0], [x1, y1]])
