"""A robot as an image: its points and lines, in the plane or seen from above at an angle."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.model.model import Model

SIZE = 480  # pixels
SIDE, UP = np.array([0.87, 0.5, 0.0]), np.array([-0.2, 0.35, 0.92])  # the picture's axes in space
INK, RED = "#1b2733", "#d1495b"


def picture(
    model: Model, q: Doubles, x: Doubles, window: tuple[float, float, float, float], target: Doubles | None = None
) -> NDArray[np.uint8]:
    """One configuration in a window (left, right, bottom, top) [m], (SIZE, SIZE, 3); a target is a red ring."""
    figure = Figure(figsize=(SIZE / 100, SIZE / 100), dpi=100)
    canvas: Any = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=window[:2], ylim=window[2:], aspect="equal")
    axes.set_axis_off()
    points = flat(model.call("points", q=q, x=x)["points"])
    names = [name for name, _ in model.equations.points]
    for a, b in model.equations.lines:
        ends = points[[names.index(a), names.index(b)]]
        axes.plot(ends[:, 0], ends[:, 1], color=INK, linewidth=5, solid_capstyle="round")
    axes.plot(points[:, 0], points[:, 1], "o", color="white", markeredgecolor=INK, markersize=9, markeredgewidth=2)
    if target is not None:
        axes.plot(*target, "o", markerfacecolor="none", markeredgecolor=RED, markersize=16, markeredgewidth=2)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def flat(points: Doubles) -> Doubles:
    """Points of the plane as they are, of space by parallel projection, (n, 2)."""
    return points if points.shape[-1] == 2 else np.column_stack([points @ SIDE, points @ UP])
