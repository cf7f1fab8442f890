"""One instant of a scene of space drawn with Matplotlib."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D

from closedchain.arrays import Doubles
from closedchain.view.drawing import Look
from closedchain.view.scene import Scene
from closedchain.view.style import FAINT, INK

WIDTHS = {"bar": 2.2, "crank": 3.6, "telescope": 3.0, "spring": 1.0, "damper": 1.0, "rail": 1.2}


def draw_3d(
    axes: Axes3D, scene: Scene, instant: int, look: Look | None = None, *, points: Doubles | None = None
) -> None:
    """Draw the robot at one instant; `points` (n, 3) overrides where its points are."""
    look = look or Look()
    at = scene.points[instant] if points is None else points
    for part in scene.parts:
        corners = at[list(part.points)]
        if part.kind in ("plate", "base"):
            colour = look.plate if part.kind == "plate" else FAINT
            axes.add_collection3d(
                Poly3DCollection([corners], facecolor=colour, edgecolor=INK, lw=0.6, alpha=0.45 * look.alpha)
            )
        elif part.kind == "ground":
            axes.plot(*corners.T, "s", ms=6, color=INK, alpha=look.alpha)
        else:
            colour = look.drive if part.kind in ("crank", "telescope") else INK if part.kind == "rail" else look.bar
            width = WIDTHS[part.kind] * look.weight
            axes.plot(*corners[:2].T, color=colour, lw=width, alpha=look.alpha, solid_capstyle="round")
            if part.kind == "rail":
                axes.plot(*corners[2:].T, "s", ms=8 * look.weight, color=look.drive, alpha=look.alpha)
    joints = at[list(scene.joints)]
    axes.plot(*joints.T, "o", ms=3.5 * look.weight, mfc="white", mec=look.bar, alpha=look.alpha)


def frame_3d(axes: Axes3D, scene: Scene, *, ticks: bool = True) -> None:
    """A box of equal scales around everything the scene ever covers; ticks in metres, or bare in a small panel."""
    low, high = scene.bounds
    middle = (low + high) / 2
    half = 0.53 * np.maximum(high - low, 0.3 * (high - low).max())
    for axis, m, h in zip("xyz", middle, half, strict=True):
        axes.set(**{f"{axis}lim": (m - h, m + h)})
    axes.set_box_aspect(tuple(half), zoom=0.93 if ticks else 1.3)
    axes.view_init(elev=18.0, azim=-60.0)
    if not ticks:
        axes.set_axis_off()
        return
    for axis, name in zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz", strict=True):
        axis.set_label_text(f"{name} [m]", fontsize=8, color=INK)
        axis.set_tick_params(labelsize=7, labelcolor=INK)
        axis.set_major_locator(MaxNLocator(4))
        axis.pane.set_facecolor("white")
        axis.pane.set_edgecolor("#d0d7de")
        axis._axinfo["grid"].update(color="#e5e9ee", linewidth=0.6)


def shadow(axes: Axes3D, path: Doubles, colour: str, *, dashed: bool = False, label: str | None = None) -> None:
    """The line a point has drawn, (T, 3)."""
    axes.plot(*path.T, color=colour, lw=1.2, ls="--" if dashed else "-", label=label)


def name_3d(axes: Axes3D, at: Doubles, words: str) -> None:
    """A point's letter at a place of space."""
    axes.text(*at, words, fontsize=8, color=INK)
