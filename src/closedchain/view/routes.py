"""Pictures of motions: a planned way among obstacles, and a crossing with its efforts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from closedchain.arrays import Doubles
from closedchain.model.crossing import room
from closedchain.model.model import Model
from closedchain.motion.crossing import WINDOW, Crossing
from closedchain.view.drawing import GHOST, grow
from closedchain.view.pictures import canvas, paint
from closedchain.view.scene import instants, stage
from closedchain.view.style import BLACK, CURVES, FAINT, GREEN, INK, blank, dress, legend, plain, title
from closedchain.view.words import prefixed, pretty

POSES = 5
SAMPLES = 1201


class Shape(Protocol):
    """Something that stands still: corners (k, 2) [m], grown by a radius."""

    @property
    def corners(self) -> Doubles: ...

    @property
    def radius(self) -> float: ...


def figure_route(
    model: Model, q: Doubles, x: Doubles, working: Sequence[str], shapes: Iterable[Shape], changes: Iterable[Doubles]
) -> Figure:
    """A way q, x (T, n) with the robot at a few instants; a colour for each working mode, dots where it changes."""
    scene = stage(model, q, x)
    low, high = scene.bounds
    ratio = float(np.clip((high[1] - low[1]) / max(high[0] - low[0], 1e-9), 0.5, 1.5))
    figure = blank(6.0, 0.9 + 5.2 * ratio)
    title(figure, f"{model.name}: from ({_pair(x[0])}) to ({_pair(x[-1])})")
    axes = canvas(figure, scene)
    for shape in shapes:
        _obstacle(axes, shape)
        grow(axes, shape.corners, shape.radius + 0.03 * scene.size)
    for i in instants(len(q), POSES)[:-1]:
        paint(axes, scene, int(i), GHOST)
    paint(axes, scene, len(q) - 1)
    for k, mode in enumerate(dict.fromkeys(working)):
        own = np.array([m == mode for m in working])
        own |= np.concatenate([[False], own[:-1]])  # to the place where it changes
        path = np.where(own[:, None], scene.path, np.nan)
        axes.plot(*path.T, color=(GREEN, *CURVES)[k], lw=2.4, zorder=6, label=f"working mode {mode.replace('-', '−')}")
    for k, at in enumerate(changes):
        axes.plot(
            *at[:2],
            "o",
            ms=7,
            mfc="white",
            mec=BLACK,
            mew=1.6,
            zorder=7,
            label=None if k else "change of mode (Type 1)",
        )
    axes.plot(*scene.path[0], "s", ms=6, color=INK, zorder=7, label="start")
    axes.plot(*scene.path[-1], "*", ms=11, color=INK, zorder=7, label="goal")
    legend(axes)
    return figure


def figure_passing(planned: Crossing) -> Figure:
    """Efforts and det A over the whole motion, and beside them the efforts around each Type 2 instant."""
    t = np.linspace(0.0, planned.duration, SAMPLES)
    count = len(planned.type_2)
    figure = blank(6.4 + 2.2 * count, 4.6)
    crossed = ", across Type 2" * bool(count)
    title(figure, f"{planned.model.name}: from {_modes(planned)}{crossed}, {planned.duration:g} s")
    grid = figure.add_gridspec(2, 1 + count, width_ratios=[2.4, *[1.0] * count], height_ratios=[2, 1])
    above, below = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[1, 0])
    _efforts(above, planned, t)
    below.plot(t, room(planned.model, planned.whole(t)), color=BLACK, lw=1.4)
    below.axhline(0.0, color=INK, lw=0.8)
    dress(below, "det A [1]")
    below.set_xlabel("time [s]", fontsize=9)
    for axes in (above, below):
        _marks(axes, planned)
        axes.set_xlim(0.0, planned.duration)
    legend(above)
    for k, at in enumerate(planned.type_2):
        axes = figure.add_subplot(grid[0, 1 + k])
        half = WINDOW * planned.duration
        near = np.linspace(max(at - half, 0.0), min(at + half, planned.duration), 401)
        _efforts(axes, planned, near)
        axes.set_title(plain(f"around {at:.6g} s"), fontsize=9, color=INK)
        axes.set_xlim(near[0], near[-1])
        _marks(axes, planned, limits=True)
        axes.set_xlabel("time [s]", fontsize=9)
    return figure


def _efforts(axes: Axes, planned: Crossing, t: Doubles) -> None:
    away = np.abs(t[:, None] - np.array([*planned.type_2, np.inf])).min(axis=1) > 1e-9 * planned.duration
    bounded = all(p.bounded for p in planned.passages)
    kept = t if bounded else t[away]
    tau = planned.efforts(kept)
    linear = all(c.unit == "m" for c in planned.model.equations.q)
    largest = float(np.quantile(np.abs(tau), 0.98 if not bounded else 1.0))
    factor, unit = prefixed(largest, "N" if linear else "N m")
    if not bounded:  # the curves end on each side of the instant
        gaps = np.searchsorted(kept, planned.type_2)
        kept, tau = np.insert(kept, gaps, np.nan), np.insert(tau, gaps, np.nan, axis=0)
    for i, c in enumerate(planned.model.equations.q):
        axes.plot(kept, tau[:, i] * factor, color=CURVES[i], lw=1.5, label=f"τ of {pretty(c.name)}")
    if not bounded:
        axes.set_ylim(-1.6 * largest * factor, 1.6 * largest * factor)
    dress(axes, f"{'force' if linear else 'torque'} [{unit}]")
    axes.tick_params(labelsize=8)


def _marks(axes: Axes, planned: Crossing, limits: bool = False) -> None:
    """Vertical lines at the singular instants, dots where the robot rests between two stretches."""
    for k, at in enumerate(planned.type_2):
        axes.axvline(at, color=BLACK, lw=1.0, ls="--", label=None if k or limits else "Type 2", zorder=1)
    for k, (at, _) in enumerate(planned.type_1 if not limits else ()):
        axes.axvline(at, color=FAINT, lw=1.0, ls=":", label=None if k else "Type 1", zorder=1)
    rests = planned.starts[1:-1] if not limits else planned.starts[:0]
    if len(rests):
        place: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False, "zorder": 5}
        axes.plot(rests, 0.0 * rests, "D", ms=5, mfc="white", mec=BLACK, label="at rest", **place)


def _modes(planned: Crossing) -> str:
    *through, last = (mode.replace("-", "−") for mode in planned.working)
    return f"{' through '.join(through)} to {last}"


def _obstacle(axes: Axes, shape: Shape) -> None:
    """A disc, a wall or a polygon, hatched."""
    look = {"facecolor": "#d9d9d9", "edgecolor": INK, "hatch": "///", "lw": 1.0, "zorder": 1.5}
    if len(shape.corners) == 1:
        axes.add_patch(Circle(tuple(shape.corners[0]), shape.radius, **look))
    elif len(shape.corners) == 2:
        a, b = shape.corners
        along = (b - a) / (float(np.linalg.norm(b - a)) or 1.0)
        side = shape.radius * np.array([-along[1], along[0]])
        axes.add_patch(Polygon(np.array([a - side, b - side, b + side, a + side]), closed=True, **look))
    else:
        axes.add_patch(Polygon(shape.corners, closed=True, **look))


def _pair(x: Doubles) -> str:
    return ", ".join(f"{v:.4g}" for v in x)
