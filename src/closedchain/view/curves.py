"""Pictures of singular curves, in the plane of two coordinates of the output or of two drives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from closedchain.arrays import Doubles
from closedchain.describe.equations import Coordinate
from closedchain.model.model import Model
from closedchain.singularity.locus import Loci, Locus
from closedchain.view.style import BLACK, CURVES, INK, blank, dress, save, title
from closedchain.view.words import pretty

HALF_TURN = 180.0  # degrees


def save_curves(model: Model, found: Sequence[Loci], path: str) -> Path:
    """The picture in a file."""
    return save(figure_curves(model, found), path)


def figure_curves(model: Model, found: Sequence[Loci]) -> Figure:
    """Type 2 in black, Type 1 dashed in a colour for each leg; angles of drives in degrees, within half a turn."""
    space, fixed = found[0].space, found[0].fixed
    of = model.equations.q if space == "joint" else model.equations.x
    free = [(i, c) for i, c in enumerate(of) if c.name not in fixed][:2]
    figure = blank(6.0, 5.6)
    held = "".join(f", {_value(model, name, value)}" for name, value in fixed.items())
    title(figure, f"{model.name}: singular curves in {space} space{held}")
    axes: Axes = figure.add_subplot()
    named: set[str] = set()
    for piece in (p for curves in found for p in curves.pieces):
        colour, label = _look(model, piece)
        line = _line(piece.q if space == "joint" else piece.x, free)
        axes.plot(*line.T, color=colour, lw=1.6, ls="-" if piece.kind == "A" else (0, (4, 1.6)),
                  label=None if label in named else label, solid_capstyle="round")  # fmt: skip
        named.add(label)
    dress(axes, _axis(free[1][1]))
    axes.set_xlabel(_axis(free[0][1]), fontsize=9, color=INK)
    _frame(axes, [c for _, c in free])
    figure.legend(loc="outside lower left", ncols=3, frameon=False, fontsize=8, labelcolor=INK)
    return figure


def _frame(axes: Axes, free: Sequence[Coordinate]) -> None:
    """Whole turns for angles, a margin else; lengths and angles to one scale each."""
    for c, letter, axis in zip(free, "xy", (axes.xaxis, axes.yaxis), strict=True):
        if c.unit == "rad":
            axes.set(**{f"{letter}lim": (-HALF_TURN, HALF_TURN)})
            axis.set_major_locator(MultipleLocator(60))
    if free[0].unit == free[1].unit:
        axes.set_aspect("equal", adjustable="box")


def _look(model: Model, piece: Locus) -> tuple[str, str]:
    """Colour and words of a piece: det A, or which leg is at its end and in which assembly mode."""
    if piece.kind == "A":
        return BLACK, "Type 2"
    leg = [leg.name for leg in model.legs].index(piece.leg)
    signs = {"+": 0, "-": 1}
    colour = CURVES[(2 * leg + signs.get(piece.assembly, 0)) % len(CURVES)]
    mode = f" in {piece.assembly}".replace("-", "−") if piece.assembly in signs else ""
    return colour, f"Type 1, {piece.leg}{mode}"


def _line(points: Doubles, free: Sequence[tuple[int, Coordinate]]) -> Doubles:
    """(k, 2) the curve in the plane; angles within half a turn, with a gap where they go round."""
    columns = [points[:, i] for i, _ in free]
    shown = [np.degrees(v) if c.unit == "rad" else v for v, (_, c) in zip(columns, free, strict=True)]
    turning = [c.unit == "rad" for _, c in free]
    wrapped = [
        (v + HALF_TURN) % (2 * HALF_TURN) - HALF_TURN if turns else v for v, turns in zip(shown, turning, strict=True)
    ]
    line = np.stack(wrapped, axis=-1)
    jumps = np.nonzero((np.abs(np.diff(line, axis=0)) > HALF_TURN)[:, turning].any(axis=1))[0]
    return np.insert(line, jumps + 1, np.nan, axis=0)


def _axis(c: Coordinate) -> str:
    return f"{pretty(c.name)} [{'°' if c.unit == 'rad' else c.unit}]"


def _value(model: Model, name: str, value: float) -> str:
    unit = {c.name: c.unit for c in model.equations.z}[name]
    return f"{pretty(name)} = {np.degrees(value):.4g}°" if unit == "rad" else f"{pretty(name)} = {value:.4g} {unit}"
