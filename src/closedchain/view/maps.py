"""Pictures over the output's plane: a quantity of each working mode, or its aspects and singular curves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from closedchain.arrays import Doubles
from closedchain.extras import Late
from closedchain.model.model import Model
from closedchain.singularity.aspects import Aspects
from closedchain.singularity.loci import Loci
from closedchain.singularity.maps import Flags, Map
from closedchain.singularity.reach import Slice, Window
from closedchain.singularity.workspace import Workspace
from closedchain.view.style import BLUE, GREEN, INK, ORANGE, PURPLE, SKY, VERMILLION, YELLOW, blank, plain, title
from closedchain.view.words import pretty

ndimage = Late("scipy.ndimage")

NAMED = {
    "det_A": "det A", "det_B": "det B", "condition": "1/κ of A", "slack": "distance to the end of reach [m]",
    "effort": "largest effort per unit force",
}  # fmt: skip
OUTSIDE = "#eceff2"
POSITIVE = (SKY, GREEN, BLUE, PURPLE)  # aspects with det A > 0, largest first
NEGATIVE = (ORANGE, YELLOW, VERMILLION, "#8c6d31")  # and with det A < 0: told apart by hatching too
PIXELS = 500
SMALL = 0.03  # of the reach: a smaller aspect has no room for its number


def figure_map(model: Model, grid: Map, quantity: str) -> Figure:
    """One quantity over the window, a panel for each working mode, with contour lines; black where det A is zero."""
    planes = [grid.slack] if quantity == "slack" else [grid.plane(quantity, mode) for mode in grid.working]
    modes = grid.working if quantity != "slack" else ("",)
    window = (grid.x[0], grid.x[-1], grid.y[0], grid.y[-1])
    heading = f"{model.name}: {NAMED[quantity]}{_third(model, grid.third)}{_held(grid.slice)}"
    figure, panels = _panels(window, len(planes), heading, beside=0.9, plane=grid.slice)
    shown = [np.where(grid.reachable & np.isfinite(p), p, np.nan).astype(float) for p in planes]
    norm, colours, levels = _scale(quantity, shown)
    for axes, values, mode in zip(panels, shown, modes, strict=True):
        axes.pcolormesh(grid.x, grid.y, values, norm=norm, cmap=colours, shading="gouraud", rasterized=True)
        _contours(axes, grid, values, levels, mode)
        axes.contour(grid.x, grid.y, grid.slack, levels=[0.0], colors=INK, linewidths=0.9, linestyles="dashed")
        if mode:
            _headline(axes, mode)
    bar = figure.colorbar(ScalarMappable(norm, colours), ax=panels, shrink=0.85, aspect=28, pad=0.02)
    bar.set_label(NAMED[quantity], fontsize=9, color=INK)
    bar.ax.tick_params(labelsize=8)
    return figure


def figure_reach(model: Model, found: Workspace, parts: Aspects, curves: Loci | None) -> Figure:
    """The reach of each working mode, its aspects in colours, and the Type 2 curves between them."""
    heading = f"{model.name}: {len(parts)} aspects, {found.area.value:.4g} {found.area.unit} within reach"
    heading += f"{_third(model, found.third)}{_held(found.slice)}"
    figure, panels = _panels(parts.window, len(parts.working), heading, plane=parts.slice)
    for axes, mode in zip(panels, parts.working, strict=True):
        _aspects(axes, parts, mode)
        for line in found.boundary:
            axes.plot(*line.T, color=INK, lw=1.0, ls=(0, (4, 2)))
        for piece in curves.of(mode) if curves else ():
            axes.plot(*piece.x[:, :2].T, color="black", lw=1.6, solid_capstyle="round")
        _headline(axes, mode)
    handles: list[Line2D | Patch] = [Line2D([], [], color="black", lw=1.6, label="Type 2")] if curves else []
    if found.boundary:
        handles += [Line2D([], [], color=INK, lw=1.0, ls=(0, (4, 2)), label="Type 1: end of reach")]
    handles += [
        Patch(facecolor=SKY, label="det A > 0"),
        Patch(facecolor=ORANGE, hatch="//", edgecolor="white", label="det A < 0"),
    ]
    figure.legend(handles=handles, loc="outside lower left", ncols=4, frameon=False, fontsize=8, labelcolor=INK)
    return figure


def _panels(
    window: Window | Sequence[float], count: int, words: str, beside: float = 0.0, *, plane: Slice
) -> tuple[Figure, list[Axes]]:
    """Equal axes side by side over one window, labelled at the outer edges only."""
    x0, x1, y0, y1 = window
    columns = 1 if count == 1 else 2 if count <= 4 else 4
    rows = math.ceil(count / columns)
    wide = 5.2 if columns == 1 else 3.4 if columns == 2 else 2.3
    ratio = float(np.clip((y1 - y0) / (x1 - x0), 0.4, 1.8))
    figure = blank(wide * columns + 0.6 + beside, (wide * ratio + 0.35) * rows + 0.7)
    title(figure, words)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[count:]:
        axes.set_axis_off()
    panels: list[Axes] = list(grid.flat[:count])
    for axes in panels:
        shape = "equal" if plane.units[0] == plane.units[1] else "auto"
        axes.set(xlim=(x0, x1), ylim=(y0, y1), aspect=shape, facecolor=OUTSIDE)
        axes.tick_params(labelsize=8)
        axes.xaxis.set_major_locator(MaxNLocator(5))
    for axes in grid[-1]:
        axes.set_xlabel(f"{plane.names[0]} [{plane.units[0]}]", fontsize=9)
    for axes in grid[:, 0]:
        axes.set_ylabel(f"{plane.names[1]} [{plane.units[1]}]", fontsize=9)
    return figure, panels


def _headline(axes: Axes, mode: str) -> None:
    axes.set_title(f"working mode {mode.replace('-', '−')}", fontsize=9, color=INK, loc="left")


def _held(plane: Slice) -> str:
    """What the other coordinates of a body in space are held at."""
    return "".join(f", {name} = {value:.4g}" for _, name, value in plane.held if value != 0.0)


def _third(model: Model, value: float | None) -> str:
    """What the third coordinate is held at, in degrees or metres."""
    if value is None:
        return ""
    c = model.equations.x[2]
    return (
        f", {pretty(c.name)} = {math.degrees(value):.4g}°" if c.unit == "rad" else f", {pretty(c.name)} = {value:.4g} m"
    )


def _scale(quantity: str, shown: Sequence[Doubles]) -> tuple[Normalize, str, Doubles]:
    """Colours and contour levels: two-sided about zero for determinants, one-sided else; both safe for all eyes."""
    values = np.concatenate([v[np.isfinite(v)] for v in shown])
    largest = float(np.quantile(np.abs(values), 0.995)) if len(values) else 1.0
    if quantity.startswith("det"):
        return Normalize(-1.4 * largest, 1.4 * largest), "PuOr", largest * np.linspace(-0.8, 0.8, 9)
    if quantity == "effort":
        low = float(np.quantile(values, 0.005)) if len(values) else 0.0
        top = min(largest, 10 * low)
        return Normalize(low, top), "cividis_r", np.linspace(low, top, 8)[1:-1]
    top = 1.0 if quantity == "condition" else largest
    return Normalize(0.0, top), "cividis", np.linspace(0.0, top, 6)[1:-1]


def _contours(axes: Axes, grid: Map, values: Doubles, levels: Doubles, mode: str) -> None:
    """Thin labelled lines, and a thick black one where det A vanishes, if the map has it."""
    thin = axes.contour(grid.x, grid.y, values, levels=levels, colors=INK, linewidths=0.4, linestyles="solid")
    axes.clabel(thin, fontsize=6, fmt="%.2g", inline_spacing=2)
    if mode and "det_A" in grid.quantities:
        det = np.where(grid.reachable, grid.plane("det_A", mode), np.nan)
        axes.contour(grid.x, grid.y, det, levels=[0.0], colors="black", linewidths=1.8)


def _aspects(axes: Axes, parts: Aspects, mode: str) -> None:
    """Each aspect in its own colour, those with det A < 0 hatched; its number at a point inside."""
    x0, x1, y0, y1 = parts.window
    x, y = np.linspace(x0, x1, PIXELS), np.linspace(y0, y1, PIXELS)
    labels = parts.at(np.stack(np.meshgrid(x, y), axis=-1), mode)
    seen = {1: 0, -1: 0}
    for number, aspect in enumerate(parts.every):
        if aspect.working != mode:
            continue
        palette = POSITIVE if aspect.sign > 0 else NEGATIVE
        colour = palette[seen[aspect.sign] % len(palette)]
        seen[aspect.sign] += 1
        inside = np.where(labels == number, 1.0, np.nan)
        tint = ListedColormap([tuple(0.25 + 0.75 * v for v in to_rgb(colour))])
        axes.pcolormesh(x, y, inside, cmap=tint, shading="nearest", rasterized=True)
        if aspect.sign < 0:
            hatched = axes.contourf(x, y, np.nan_to_num(inside), levels=[0.5, 1.5], colors="none", hatches=["////"])
            hatched.set(edgecolor=(1, 1, 1, 0.75), linewidth=0.0)
        if aspect.area > SMALL * sum(a.area for a in parts.of(mode)):
            at = _inmost(x, y, labels == number)
            axes.text(*at, plain(f"{aspect.area:.3g} m²"), ha="center", va="center", fontsize=7, color=INK)


def _inmost(x: Doubles, y: Doubles, inside: Flags) -> tuple[float, float]:
    """The pixel farthest from the edge of a region."""
    depth = ndimage.distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1]
    row, column = np.unravel_index(int(np.argmax(depth)), inside.shape)
    return float(x[column]), float(y[row])
