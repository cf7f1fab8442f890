"""One instant of a scene drawn to scale with Matplotlib: bars, joints, ground, rails, plates, telescopes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from closedchain.arrays import Doubles
from closedchain.model.layout import Part
from closedchain.view.scene import Scene
from closedchain.view.style import BLUE, FAINT, INK, SKY, VERMILLION
from closedchain.view.words import metres, nice_length

TURNS = 7  # of a spring
DASHPOT = ((0, 0), (0.4, 0), (0.4, 1), (0.6, 1), (0.6, -1), (0.4, -1), (0.4, 0), (1, 0))  # share along, side


@dataclass(frozen=True)
class Look:
    """The colours and weight of one drawing."""

    bar: str = BLUE
    drive: str = VERMILLION
    plate: str = SKY
    alpha: float = 1.0
    weight: float = 1.0

    @property
    def order(self) -> float:
        """Faint drawings lie below strong ones."""
        return 2.0 + self.alpha


GHOST = Look(bar="#b4bcc6", drive="#b4bcc6", plate="#d0d7de", alpha=0.55, weight=0.7)


def draw(axes: Axes, scene: Scene, instant: int, look: Look | None = None, *, points: Doubles | None = None) -> None:
    """Draw the robot of a planar scene at one instant; `points` (n, 2) overrides where its points are."""
    look = look or Look()
    at = scene.points[instant] if points is None else points
    for part in scene.parts:
        _PAINTERS[part.kind](axes, scene, part, at, look)
    joints = at[list(scene.joints)]
    size = 5.0 * look.weight
    axes.plot(
        *joints.T,
        "o",
        ms=size,
        mfc="white",
        mec=look.bar,
        mew=1.3 * look.weight,
        alpha=look.alpha,
        zorder=look.order + 0.4,
    )


def frame(axes: Axes, scene: Scene, *, bar: bool = True) -> None:
    """Equal axes over everything the scene ever covers; a scale bar in place of ticks."""
    low, high = scene.bounds
    pad = 0.07 * scene.size
    axes.set(xlim=(low[0] - pad, high[0] + pad), ylim=(low[1] - 1.6 * pad, high[1] + pad), aspect="equal")
    axes.set_axis_off()
    if bar:
        length = nice_length(0.3 * (high[0] - low[0] + 2 * pad))
        x, y = low[0] - pad, low[1] - 1.3 * pad
        axes.plot([x, x + length], [y, y], color=INK, lw=1.6, solid_capstyle="butt", zorder=5)
        axes.text(x + length / 2, y - 0.15 * pad, metres(length), ha="center", va="top", fontsize=7, color=INK)


def grow(axes: Axes, points: Doubles, pad: float) -> None:
    """Make room for points (k, 2) and a margin around them."""
    low, high = points.min(axis=0) - pad, points.max(axis=0) + pad
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    axes.set(xlim=(min(x0, low[0]), max(x1, high[0])), ylim=(min(y0, low[1]), max(y1, high[1])))


def _line(axes: Axes, ends: Doubles, colour: str, width: float, look: Look, lift: float = 0.1) -> None:
    style = {"solid_capstyle": "round", "alpha": look.alpha, "zorder": look.order + lift}
    axes.add_line(Line2D(*ends.T, color=colour, lw=width * look.weight, **style))  # type: ignore[arg-type]


def _bar(axes: Axes, scene: Scene, part: Part, at: Doubles, look: Look) -> None:
    _line(axes, at[list(part.points)], look.bar, 3.0, look)


def _crank(axes: Axes, scene: Scene, part: Part, at: Doubles, look: Look) -> None:
    _line(axes, at[list(part.points)], look.drive, 4.0, look, 0.15)


def _telescope(axes: Axes, scene: Scene, part: Part, at: Doubles, look: Look) -> None:
    base, tip = at[list(part.points)]
    reach = float(np.linalg.norm(tip - base))
    end = base + (tip - base) * min(1.0, scene.cylinder(part) / reach if reach else 1.0)
    _line(axes, np.array([base, tip]), look.drive, 2.0, look)
    _line(axes, np.array([base, end]), look.drive, 6.0, look, 0.15)


def _plate(axes: Axes, scene: Scene, part: Part, at: Doubles, look: Look) -> None:
    shade = {"facecolor": look.plate, "alpha": 0.45 * look.alpha, "lw": 0.0, "zorder": look.order}
    axes.add_patch(Polygon(at[list(part.points)], closed=True, **shade))
    _line(axes, at[[*part.points, part.points[0]]], look.bar, 2.0, look, 0.05)


def _base(axes: Axes, scene: Scene, part: Part, at: Doubles, look: Look) -> None:
    axes.add_patch(Polygon(at[list(part.points)], closed=True, facecolor=FAINT, alpha=0.2 * look.alpha, lw=0.0))


def _spring(axes: Axes, scene: Scene, part: Part, at: Doubles, look: Look) -> None:
    a, b = (at[i] for i in part.points)
    _line(axes, zigzag(a, b, 0.012 * scene.size), INK, 1.0, look)


def _damper(axes: Axes, scene: Scene, part: Part, at: Doubles, look: Look) -> None:
    a, b = (at[i] for i in part.points)
    _line(axes, dashpot(a, b, 0.012 * scene.size), INK, 1.0, look)


def _ground(axes: Axes, scene: Scene, part: Part, at: Doubles, look: Look) -> None:
    """A triangle under the joint, standing on hatching."""
    if look.alpha < 1.0:
        return
    h = 0.035 * scene.size
    corner = at[part.points[0]]
    triangle = corner + h * np.array([[0.0, 0.0], [-0.6, -1.0], [0.6, -1.0]])
    axes.add_patch(Polygon(triangle, closed=True, facecolor="white", edgecolor=INK, lw=1.0, zorder=2.2))
    _hatch(axes, corner + h * np.array([-1.0, -1.0]), corner + h * np.array([1.0, -1.0]), 0.35 * h)


def _rail(axes: Axes, scene: Scene, part: Part, at: Doubles, look: Look) -> None:
    """A line with hatching where the ground carries it, and a carriage to scale on it."""
    a, b, foot = (at[i] for i in part.points)
    along = (b - a) / (float(np.linalg.norm(b - a)) or 1.0)
    across = np.array([-along[1], along[0]])
    length, width = 0.035 * scene.size, 0.02 * scene.size
    if look.alpha == 1.0 or not part.fixed:
        _line(axes, np.array([a, b]), INK if look.alpha == 1.0 else look.bar, 1.2, look, -0.5)
    if look.alpha == 1.0 and part.fixed:
        _hatch(axes, a, b, 0.014 * scene.size)
    box = foot + np.array([[s * length, c * width] for s, c in ((-1, -1), (1, -1), (1, 1), (-1, 1))]) @ np.array(
        [along, across]
    )
    style = {"facecolor": look.drive, "edgecolor": "white", "lw": 0.8, "alpha": look.alpha, "zorder": look.order + 0.02}
    axes.add_patch(Polygon(box, closed=True, **style))


def _hatch(axes: Axes, a: Doubles, b: Doubles, depth: float) -> None:
    """A line with short oblique strokes on the right of a → b: the drawing sign of the ground."""
    length = float(np.linalg.norm(b - a))
    along = (b - a) / (length or 1.0)
    across = np.array([along[1], -along[0]])
    axes.add_line(Line2D([a[0], b[0]], [a[1], b[1]], color=INK, lw=1.0, zorder=2.1))
    from_ = a + np.arange(0.5 * depth, length, depth)[:, None] * along  # (k, 2)
    to = from_ - 0.6 * depth * along + depth * across
    strokes = np.stack([from_, to, np.full_like(to, np.nan)], axis=1).reshape(-1, 2)
    axes.add_line(Line2D(*strokes.T, color=INK, lw=0.6, zorder=2.1))


def zigzag(a: Doubles, b: Doubles, width: float) -> Doubles:
    """A spring between two points of the plane, (k, 2)."""
    along = b - a
    across = np.array([-along[1], along[0]]) / (float(np.linalg.norm(along)) or 1.0)
    s = np.array([0.0, 0.2, *np.linspace(0.2, 0.8, 2 * TURNS + 1)[1:-1], 0.8, 1.0])
    side = np.array([0.0, 0.0, *((-1.0) ** np.arange(2 * TURNS - 1)), 0.0, 0.0])
    return np.asarray(a + s[:, None] * along + width * side[:, None] * across)


def dashpot(a: Doubles, b: Doubles, width: float) -> Doubles:
    """A damper between two points of the plane, (k, 2): a line that enters a box at its middle."""
    along = b - a
    across = np.array([-along[1], along[0]]) / (float(np.linalg.norm(along)) or 1.0)
    s, side = np.array(DASHPOT).T
    return np.asarray(a + s[:, None] * along + width * side[:, None] * across)


def trace(axes: Axes, path: Doubles, colour: str, *, dashed: bool = False, label: str | None = None) -> None:
    """The line a point has drawn, (T, 2)."""
    axes.plot(*path.T, color=colour, lw=1.2, ls=(0, (4, 2)) if dashed else "-", label=label, zorder=1.9)


_PAINTERS = {
    "bar": _bar,
    "crank": _crank,
    "telescope": _telescope,
    "plate": _plate,
    "base": _base,
    "spring": _spring,
    "damper": _damper,
    "ground": _ground,
    "rail": _rail,
}
