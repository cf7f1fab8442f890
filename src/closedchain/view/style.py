"""How figures look: the Okabe–Ito colours, thin axes, labels with units; saved whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from closedchain.errors import BadInput
from closedchain.files import atomic_write

# Okabe & Ito, Color Universal Design (2008): told apart with every common colour vision
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, ORANGE, YELLOW, BLACK = "#56B4E9", "#E69F00", "#F0E442", "#000000"
CURVES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)
INK, FAINT = "#24292f", "#8b949e"
FORMATS = (".png", ".svg", ".pdf")
COLUMNS, NAMED = 7, 14  # of a legend: names in a row, and in all before the rest is only counted


def blank(width: float, height: float) -> Figure:
    """An empty figure [inches], laid out by itself, that belongs to no window."""
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def title(figure: Figure, words: str) -> None:
    """A title at the left, in the words given: no mathematics in it is interpreted."""
    figure.suptitle(plain(words), x=0.01, ha="left", fontsize=11, fontweight="bold", color=INK)


def dress(axes: Axes, ylabel: str) -> None:
    """Left and bottom axes only, light grid, small ticks."""
    axes.set_ylabel(plain(ylabel), fontsize=9, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
    axes.tick_params(labelsize=8, color=FAINT, labelcolor=INK)
    axes.grid(True, color="#d0d7de", linewidth=0.5)
    axes.set_axisbelow(True)


def legend(axes: Axes) -> None:
    """The names of the curves in a row or two above the axes, off the data; of very many only the first few."""
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > NAMED:
        rest = f"… {len(labels)} curves"
        handles, labels = [*handles[: COLUMNS - 1], Line2D([], [], linestyle="none")], [*labels[: COLUMNS - 1], rest]
    if labels:
        axes.legend(
            handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=min(len(labels), COLUMNS),
            frameon=False, fontsize=8, labelcolor=INK, borderaxespad=0.2, handlelength=1.6, columnspacing=1.4,
        )  # fmt: skip


def plain(words: str) -> str:
    """Text that Matplotlib shows as it is: a dollar sign starts no formula."""
    return words.replace("$", r"\$")


def picture(figure: Figure, suffix: str, *, dpi: int = 300, transparent: bool = False) -> bytes:
    """The figure as the bytes of a .png, .svg or .pdf file; the same figure made anew gives the same bytes."""
    if suffix not in FORMATS:
        raise BadInput(f"no picture format {suffix!r:.20}; there are {', '.join(FORMATS)}")
    stream = io.BytesIO()
    dates = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}, ".pdf": {"CreationDate": None}}
    with rc_context({"svg.hashsalt": "closedchain", "svg.fonttype": "path", "pdf.fonttype": 42}):
        figure.savefig(stream, format=suffix[1:], dpi=dpi, transparent=transparent, metadata=dates[suffix])
    return stream.getvalue()


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure as .png (300 dpi), .svg or .pdf, by the name's ending."""
    path = Path(path)
    atomic_write(path, picture(figure, path.suffix.lower()))
    return path
