"""Fronts as a picture: two goals against each other, a colour for each robot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from closedchain.design.several import Front
from closedchain.sweep.measures import measure
from closedchain.view.style import CURVES, INK, blank, dress, legend, plain, save, title
from closedchain.view.words import pretty


def figure_fronts(fronts: Sequence[Front], names: Sequence[str] = ()) -> Figure:
    """The first two goals of each front; all fronts have the same goals."""
    first, second = fronts[0].problem.goals[:2]
    figure = blank(6.4, 4.2)
    title(figure, f"{first} against {second}")
    axes = figure.subplots()
    for i, front in enumerate(fronts):
        name = names[i] if names else front.problem.ready.model.name
        x, y = front.column(first.name), front.column(second.name)
        axes.plot(x, y, "o", ms=3.5, color=CURVES[i % len(CURVES)], label=plain(name))
    dress(axes, label_of(second.name))
    axes.set_xlabel(plain(label_of(first.name)), fontsize=9, color=INK)
    if len(fronts) > 1:
        legend(axes)
    return figure


def label_of(name: str) -> str:
    """A measure with its unit."""
    unit = measure(name).unit
    words = pretty(name).replace("_", " ")
    return f"{words} [{unit}]" if unit else words


def draw(fronts: Sequence[Front], path: Path, names: Sequence[str] = ()) -> Path:
    """Write the picture."""
    return save(figure_fronts(fronts, names), path)
