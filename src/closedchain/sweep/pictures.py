"""A study as pictures: a curve for one factor, a heat map for a grid of two, parallel coordinates for more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from closedchain.arrays import Doubles
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.results import Results
from closedchain.sweep.sensitivity import Sensitivity
from closedchain.view.style import BLUE, INK, SKY, blank, dress, plain, save, title
from closedchain.view.words import pretty

MOST_LINES = 2000  # of parallel coordinates
COLOURS = colormaps["viridis"]


def figure_study(done: Results) -> Figure:
    """Every measure over what varies."""
    if np.isnan(done.values).all():
        raise BadStudy(f"no point has a value, so there is nothing to draw: {next(iter(done.failed.values()), '')}")
    factors = done.study.factors
    if len(factors) == 1:
        return _curves(done)
    if len(factors) == 2 and done.study.method == "grid":
        return _heat(done)
    return figure_parallel(done)


def _name(done: Results, i: int) -> str:
    """A column with its unit, for an axis."""
    factors = done.study.factors
    if i < len(factors):
        words, unit = pretty(factors[i].name), factors[i].unit
    else:
        name = done.study.computes[i - len(factors)]
        words, unit = name.replace("_", " "), done.header[i][len(name) + 1 :]
    return f"{words} [{unit}]" if unit else words


def _curves(done: Results) -> Figure:
    count = len(done.study.computes)
    figure = blank(6.4, 0.9 + 2.0 * count)
    title(figure, f"{done.study.robot.model().name}: {len(done):,} points")
    rows: list[Axes] = list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])
    style = "-" if done.study.method == "grid" and len(done) > 40 else "o-" if done.study.method == "grid" else "o"
    for k, axes in enumerate(rows):
        axes.plot(done.points[:, 0], done.values[:, k], style, color=BLUE, lw=1.3, ms=3)
        dress(axes, _name(done, 1 + k))
    rows[-1].set_xlabel(plain(_name(done, 0)), fontsize=9, color=INK)
    figure.align_ylabels(rows)
    return figure


def _heat(done: Results) -> Figure:
    """Columns are the first factor's levels, rows the second's; a cell without a value stays white."""
    count = len(done.study.computes)
    figure = blank(6.0, 0.6 + 3.6 * count)
    title(figure, f"{done.study.robot.model().name}: {len(done):,} points")
    first, second = (np.array(f.numbers) for f in done.study.factors)
    for k, axes in enumerate(figure.subplots(count, 1, squeeze=False)[:, 0]):
        values = done.values[:, k].reshape(len(first), len(second)).T
        order = np.ix_(np.argsort(second), np.argsort(first))
        drawn = axes.pcolormesh(np.sort(first), np.sort(second), np.ma.masked_invalid(values[order]), cmap=COLOURS)
        dress(axes, _name(done, 1))
        axes.grid(False)
        axes.set_xlabel(plain(_name(done, 0)), fontsize=9, color=INK)
        bar = figure.colorbar(drawn, ax=axes)
        bar.set_label(plain(_name(done, 2 + k)), fontsize=9, color=INK)
        bar.ax.tick_params(labelsize=8)
    return figure


def figure_parallel(done: Results, colour: str | None = None) -> Figure:
    """A line for each point through one axis for each column; coloured by a measure, the last unless named."""
    columns = np.concatenate([done.points, done.values], axis=1)
    there = np.nonzero(~np.isnan(columns).any(axis=1))[0]
    if not len(there):
        raise BadStudy("no point has a value of every measure, so there are no lines to draw")
    chosen = there[:: max(1, len(there) // MOST_LINES)]
    low, high = columns[there].min(axis=0), columns[there].max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    lines = (columns[chosen] - low) / span
    key = done.column(colour or done.study.computes[-1])[chosen]
    figure = blank(max(6.4, 1.5 * columns.shape[1]), 3.8)
    title(figure, f"{done.study.robot.model().name}: {len(chosen):,} of {len(done):,} points")
    axes = figure.subplots()
    norm = Normalize(float(key.min()), float(key.max()) if key.max() > key.min() else float(key.min()) + 1.0)
    _lines(axes, lines, key, norm)
    for i in range(columns.shape[1]):
        axes.text(i, -0.03, f"{low[i]:.4g}", ha="center", va="top", fontsize=8, color=INK)
        axes.text(i, 1.03, f"{high[i]:.4g}", ha="center", va="bottom", fontsize=8, color=INK)
    axes.set_xticks(range(columns.shape[1]), [plain(_name(done, i)) for i in range(columns.shape[1])], fontsize=8)
    figure.colorbar(ScalarMappable(norm, COLOURS), ax=axes).set_label(
        plain((colour or done.study.computes[-1]).replace("_", " ")), fontsize=9, color=INK
    )
    return figure


def _lines(axes: Axes, lines: Doubles, key: Doubles, norm: Normalize) -> None:
    places = np.arange(lines.shape[1], dtype=float)
    paths = np.stack([np.broadcast_to(places, lines.shape), lines], axis=-1)
    alpha = float(np.clip(60.0 / len(lines), 0.08, 0.8))
    axes.add_collection(LineCollection(list(paths), colors=COLOURS(norm(key)), linewidths=0.8, alpha=alpha))
    axes.vlines(places, 0.0, 1.0, color=INK, lw=0.8)
    axes.set_xlim(-0.3, lines.shape[1] - 0.7)
    axes.set_ylim(-0.12, 1.12)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, pad=8)


def figure_sensitivity(found: list[Sensitivity]) -> Figure:
    """Bars for each factor: first-order, and behind it the total where there is one."""
    figure = blank(6.4, 0.8 + 1.0 * len(found) + 0.25 * sum(len(s.factors) for s in found))
    title(figure, "Sensitivity")
    for axes, one in zip(figure.subplots(len(found), 1, squeeze=False)[:, 0], found, strict=True):
        places = np.arange(len(one.factors))
        if one.total is not None:
            axes.barh(places, one.total, height=0.7, color=SKY, label="total")
        axes.barh(places, one.first, height=0.4, color=BLUE, label="first order", xerr=one.error)
        axes.set_yticks(places, [plain(pretty(f)) for f in one.factors], fontsize=8)
        axes.invert_yaxis()
        dress(axes, "")
        axes.set_title(plain(one.measure.replace("_", " ")), fontsize=9, loc="left", color=INK)
        axes.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def draw(done: Results, path: Path) -> Path:
    """Write the picture."""
    return save(figure_study(done), path)
