"""Residuals before and after, and the directions that the data show least."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from closedchain.calibration.result import Calibration
from closedchain.fitting import Combination
from closedchain.view.style import BLUE, FAINT, INK, ORANGE, VERMILLION, blank, dress, legend, plain, save, title

SHOWN = 3  # weakest directions
NAMED = 14  # shares of a direction that are drawn, the largest
WORDS = {"m": ("mm", 1e3), "rad": ("mrad", 1e3)}


def figure_calibration(done: Calibration) -> Figure:
    """Residuals by quantity on the left, what is left after below what was; directions on the right."""
    worst = done.directions[::-1][:SHOWN]
    rows = max(len(done.residuals), len(worst), 1)
    figure = blank(10.5, 2.1 + 1.5 * rows)
    title(figure, f"{done.model.name}: {len(done.names)} unknowns from {done.source}")
    left, right = np.asarray(figure.subfigures(1, 2)).tolist()
    for axes, residual in zip(np.atleast_1d(left.subplots(len(done.residuals), 1)), done.residuals, strict=True):
        word, factor = WORDS.get(residual.unit, (residual.unit, 1.0))
        axes.axhline(0.0, color=FAINT, linewidth=0.8)
        axes.plot(residual.rows + 1, residual.after * factor, "o", ms=3.5, color=BLUE, label="after")
        out = np.isin(residual.rows, done.outliers)
        if out.any():
            axes.plot(
                residual.rows[out] + 1, residual.after[out] * factor, "x", ms=7, color=VERMILLION, label="little weight"
            )
        if residual.sd is not None:
            axes.axhspan(-2 * residual.sd * factor, 2 * residual.sd * factor, color=BLUE, alpha=0.12, linewidth=0)
        before, after = (float(np.sqrt(np.mean(v**2))) * factor for v in (residual.before, residual.after))
        dress(axes, f"{residual.quantity} [{word}]")
        _remark(axes, f"rms before {before:.3g} {word}, after {after:.3g}; band ±2 sd")
        legend(axes)
        axes.set_xlabel("row", fontsize=9, color=INK)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes, direction in zip(np.atleast_1d(right.subplots(len(worst), 1)), worst, strict=True):
        _bars(axes, direction)
    return figure


def _bars(axes: Axes, direction: Combination) -> None:
    order = np.sort(np.argsort(-np.abs(direction.shares), kind="stable")[:NAMED])
    shares = direction.shares[order] * np.sign(direction.shares[int(np.argmax(np.abs(direction.shares)))])
    seen = np.isfinite(direction.sd)
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    axes.bar(np.arange(len(order)), shares, color=ORANGE if seen else VERMILLION, width=0.7)
    axes.set_xticks(np.arange(len(order)), [plain(direction.names[i]) for i in order], rotation=45, ha="right")
    dress(axes, "share")
    told = (
        f"sd along it {direction.sd * 1e3:.3g} mm, singular value {direction.singular:.3g}"
        if seen
        else "not seen at all"
    )
    _remark(axes, told)


def _remark(axes: Axes, words: str) -> None:
    axes.set_title(plain(words), loc="right", fontsize=8, color=INK)


def draw(done: Calibration, path: Path) -> Path:
    """Write the picture."""
    return save(figure_calibration(done), path)
