"""Curves as a drawing of their own: SVG with axes, ticks and a legend, without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.history import History

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 66, 14, 46, 42  # margins around the axes
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
POINTS = 1500  # drawn of a curve at most
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe & Ito, told apart by everyone
DASHES = ("", "6 4", "2 3", "9 3 2 3")  # and without colours


class Chart:
    """A title, limits of y (None: those of the data) and named curves of points (x, y)."""

    def __init__(self, title: str, limits: tuple[float, float] | None = None, xlabel: str = "time [s]") -> None:
        self.title, self.limits, self.xlabel, self.ylabel = title, limits, xlabel, ""
        self.curves: dict[str, History] = {}

    def curve(self, name: str) -> History:
        """A new curve, to which points are added."""
        self.curves[name] = History(2)
        return self.curves[name]

    @property
    def empty(self) -> bool:
        return not any(curve.count for curve in self.curves.values())

    def svg(self, inline: bool = False) -> str:
        """The drawing as an SVG document, or as a piece of an HTML page."""
        frame = _frame(self)
        label = f"{self.title}: {', '.join(self.curves)}"
        head = (
            f'<svg{"" if inline else NAMESPACE} viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="{escape(label)}" font-family="system-ui, sans-serif" font-size="12" fill="currentColor">'
        )
        return "\n".join([head, *_axes(self, frame), *_curves(self, frame), *_legend(self), "</svg>\n"])


@dataclass(frozen=True)
class Frame:
    """What part of the plane is shown."""

    x0: float
    x1: float
    y0: float
    y1: float

    def across(self, x: Doubles) -> Doubles:
        return LEFT + (x - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)

    def down(self, y: Doubles) -> Doubles:
        return HEIGHT - BOTTOM - (y - self.y0) / (self.y1 - self.y0) * (HEIGHT - TOP - BOTTOM)


def _frame(chart: Chart) -> Frame:
    """The chart's limits, widened where a curve leaves them: nothing that was plotted is out of sight."""
    tables = [curve.table for curve in chart.curves.values() if curve.count]
    data = np.concatenate(tables) if tables else np.zeros((1, 2))
    data = data[np.isfinite(data).all(axis=1)]
    if not len(data):
        data = np.zeros((1, 2))
    (x0, y0), (x1, y1) = data.min(axis=0), data.max(axis=0)
    low, high = (y0 - 0.05 * (y1 - y0), y1 + 0.05 * (y1 - y0)) if y1 > y0 else (y0, y1)
    if chart.limits is not None:
        low, high = min(chart.limits[0], low), max(chart.limits[1], high)
    return Frame(*_apart(float(x0), float(x1)), *_apart(float(low), float(high)))


def _apart(low: float, high: float) -> tuple[float, float]:
    """Two different numbers, so that there is something between them."""
    if high - low > 1e-12 * max(abs(low), abs(high)):
        return low, high
    room = 0.5 * max(abs(low), abs(high)) or 0.5
    return low - room, high + room


def _ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers between two limits."""
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def _axes(chart: Chart, frame: Frame) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    yield f'<text x="{LEFT}" y="18" font-size="14" font-weight="600">{escape(chart.title)}</text>'
    yield '<g stroke="currentColor" stroke-opacity="0.18">'
    places = [(float(frame.across(np.array(v))), v) for v in _ticks(frame.x0, frame.x1, 6)]
    heights = [(float(frame.down(np.array(v))), v) for v in _ticks(frame.y0, frame.y1, 5)]
    yield from (f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>' for x, _ in places)
    yield from (f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>' for y, _ in heights)
    yield "</g>"
    yield '<g text-anchor="middle">'
    yield from (f'<text x="{x:.1f}" y="{bottom + 16}">{_said(v)}</text>' for x, v in places)
    yield f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 8}">{escape(chart.xlabel)}</text>'
    if chart.ylabel:
        middle = (TOP + bottom) / 2
        yield f'<text x="14" y="{middle}" transform="rotate(-90 14 {middle})">{escape(chart.ylabel)}</text>'
    yield "</g>"
    yield '<g text-anchor="end">'
    yield from (f'<text x="{LEFT - 6}" y="{y + 4:.1f}">{_said(v)}</text>' for y, v in heights)
    yield "</g>"


def _said(value: float) -> str:
    return f"{value:.6g}".replace("-", "−")


def _curves(chart: Chart, frame: Frame) -> Iterator[str]:
    for k, curve in enumerate(chart.curves.values()):
        style = f'fill="none" stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="{2.4 if k == 0 else 1.8}"'
        dash = DASHES[k % len(DASHES)]
        style += f' stroke-dasharray="{dash}"' if dash else ""
        table = curve.table
        for piece in _pieces(
            table[np.unique(np.linspace(0, len(table) - 1, POINTS).astype(int))] if len(table) else table
        ):
            x, y = frame.across(piece[:, 0]), frame.down(piece[:, 1])
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
            yield f'<polyline {style} points="{points}"/>'


def _pieces(table: Doubles) -> Iterator[Doubles]:
    """The parts of a curve between points that are not numbers."""
    good = np.isfinite(table).all(axis=1)
    edges = np.flatnonzero(np.diff(good.astype(int), prepend=0, append=0))
    yield from (table[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))


def _legend(chart: Chart) -> Iterator[str]:
    x = float(LEFT)
    for k, name in enumerate(chart.curves):
        dash = DASHES[k % len(DASHES)]
        line = f'stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="2.2"' + (
            f' stroke-dasharray="{dash}"' if dash else ""
        )
        yield f'<line x1="{x:.0f}" x2="{x + 24:.0f}" y1="34" y2="34" {line}/>'
        yield f'<text x="{x + 30:.0f}" y="38">{escape(name)}</text>'
        x += 46 + 7 * len(name)
