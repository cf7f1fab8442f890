"""Measured and predicted efforts, and the base parameters beside what the description says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from closedchain.identification.result import Identification
from closedchain.view.style import BLUE, FAINT, INK, VERMILLION, blank, dress, legend, plain, save, title

NAMED = 16  # base parameters that are drawn, the best known
UNITS = {"m": "N", "rad": "N m"}


def figure_identification(done: Identification) -> Figure:
    """Efforts by drive on the left; on the right each base parameter's deviation in standard deviations and its sd."""
    drives = done.prediction.drives
    figure = blank(10.5, 1.8 + 1.7 * max(len(drives), 2))
    title(figure, f"{done.model.name}: {len(done.base)} base parameters from {done.source}")
    left, right = np.asarray(figure.subfigures(1, 2, width_ratios=(1.25, 1.0))).tolist()
    units = {c.name: UNITS[c.unit] for c in done.model.equations.q}
    for i, axes in enumerate(np.atleast_1d(left.subplots(len(drives), 1, sharex=True))):
        axes.plot(done.t, done.tau[:, i], color=FAINT, linewidth=1.6, label="measured")
        axes.plot(done.t, done.predicted[:, i], color=BLUE, linewidth=0.9, label="predicted")
        axes.plot(done.t, done.tau[:, i] - done.predicted[:, i], color=VERMILLION, linewidth=0.7, label="left")
        dress(axes, f"{drives[i]} [{units[drives[i]]}]")
        share = 100 * done.prediction.unseen[i]
        axes.set_title(plain(f"{share:.3g} % left where held back"), loc="right", fontsize=8, color=INK)
        if i == 0:
            legend(axes)
        if i == len(drives) - 1:
            axes.set_xlabel("t [s]", fontsize=9, color=INK)
    _shares(right.subplots(), done)
    return figure


def _shares(axes: Axes, done: Identification) -> None:
    """Relative standard deviations, the best known parameters first."""
    size = np.maximum(np.abs(done.estimate.beta), 1e-300)
    share = 100 * done.estimate.sd / size
    order = np.argsort(share)[:NAMED][::-1]
    axes.barh(np.arange(len(order)), np.minimum(share[order], 100.0), color=BLUE, height=0.6)
    axes.set_yticks(np.arange(len(order)), [plain(done.base.labels[i]) for i in order])
    axes.set_xlim(0.0, 100.0 if share[order].max() > 50 else None)
    dress(axes, "")
    axes.set_xlabel("sd of the base parameter [% of it], 100 at most", fontsize=9, color=INK)


def draw(done: Identification, path: Path) -> Path:
    """Write the picture."""
    return save(figure_identification(done), path)
