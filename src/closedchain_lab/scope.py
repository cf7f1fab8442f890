"""The lab's `Scope`: two curves over time, kept for the page and drawn there as SVG, without a plotting library."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain_lab.events import Anything, process_events
from closedchain_lab.session import History, current

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 66, 14, 46, 42  # margins around the axes
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
REFRESH = 100  # updates between two looks at what else is due
SHOWN = 1000  # samples that the lab's own window holds
POINTS = 1500  # drawn of a curve at most
COLOURS = ("#0072B2", "#D55E00")  # Okabe & Ito, told apart by everyone
STYLES = (
    f'stroke="{COLOURS[0]}" stroke-width="2.4"',
    f'stroke="{COLOURS[1]}" stroke-width="1.8" stroke-dasharray="6 4"',
)


class Scope:
    """Two curves over time within [min_y, max_y], one point each with every `update`."""

    def __init__(self, title: str, min_y: float, max_y: float) -> None:
        self.title = str(title)
        self.chart = Chart(self.title, (float(min_y), float(max_y)))
        self.curves = (self.chart.curve("first"), self.chart.curve("second"))
        self.win, self.curve1, self.curve2 = Anything(), Anything(), Anything()
        self.refresh_counter = 0
        if current().keeps:
            current().charts.append(self.chart)

    def update(self, time: Any, y1: Any, y2: Any) -> None:
        """One more point of each curve; what is not a number leaves a gap."""
        t = _plotted(time)
        self.curves[0].add((t, _plotted(y1)))
        self.curves[1].add((t, _plotted(y2)))
        self.refresh_counter = (self.refresh_counter + 1) % REFRESH
        if self.refresh_counter == 0:
            process_events()

    @property
    def time(self) -> Doubles:
        """The last thousand instants [s], zeros before the first."""
        return self._last(0, 0)

    @property
    def Xm(self) -> Doubles:
        """The first curve's last thousand values."""
        return self._last(0, 1)

    @property
    def Xm2(self) -> Doubles:
        """The second curve's."""
        return self._last(1, 1)

    def _last(self, curve: int, column: int) -> Doubles:
        found = self.curves[curve].table[-SHOWN:, column]
        return np.concatenate([np.zeros(SHOWN - len(found)), found])


def _plotted(value: Any) -> float:
    return value if isinstance(value, float) else float(np.asarray(value, dtype=np.float64).reshape(()))


class Chart:
    """A title, limits of y (None: those of the data) and one or two named curves of points (time, y)."""

    def __init__(self, title: str, limits: tuple[float, float] | None = None) -> None:
        self.title, self.limits = title, limits
        self.curves: dict[str, History] = {}

    def curve(self, name: str) -> History:
        """A new curve, to which points are added."""
        self.curves[name] = History(2)
        return self.curves[name]

    @property
    def empty(self) -> bool:
        return not any(curve.count for curve in self.curves.values())

    def difference(self) -> Chart:
        """The first curve less the second, as a chart of its own; its title tells where it is largest."""
        rows = self.table
        off = rows[:, 1] - rows[:, 2]
        made = Chart(f"{self.title}: first − second")
        curve = made.curve("difference")
        for point in zip(rows[:, 0].tolist(), off.tolist(), strict=True):
            curve.add(point)
        if np.isfinite(off).any():
            worst = int(np.nanargmax(np.abs(off)))
            made.title += f", largest {off[worst]:.3g} at {rows[worst, 0]:.4g} s"
        return made

    @property
    def table(self) -> Doubles:
        """time, first, second: a row for each update."""
        first, second = self.curves.values()
        return np.column_stack([first.table, second.table[:, 1]])

    def csv(self) -> str:
        """All that was shown, with the difference."""
        rows = ((*row, row[1] - row[2]) for row in self.table.tolist())
        return "time_s,first,second,difference\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows)

    def svg(self, inline: bool = False) -> str:
        """The drawing as an SVG document, or as a piece of an HTML page."""
        tables = {name: curve.table for name, curve in self.curves.items()}
        times, heights = _spans(np.concatenate([np.empty((0, 2)), *tables.values()]), self.limits)
        label = f"{self.title}: {', '.join(tables)}"
        head = (
            f'<svg{"" if inline else NAMESPACE} viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="{escape(label)}" font-family="system-ui, sans-serif" font-size="12" fill="currentColor">'
        )
        title = f'<text x="{LEFT}" y="18" font-size="14" font-weight="600">{escape(self.title)}</text>'
        drawn = [*_axes(times, heights), *_curves(tables, times, heights), *_legend(tables)]
        return "\n".join([head, title, *drawn, "</svg>\n"])


Span = tuple[float, float]  # the least and the largest value that is shown


def _across(t: Doubles | float, span: Span) -> Doubles:
    return np.asarray(LEFT + (t - span[0]) / (span[1] - span[0]) * (WIDTH - LEFT - RIGHT))


def _down(y: Doubles | float, span: Span) -> Doubles:
    return np.asarray(HEIGHT - BOTTOM - (y - span[0]) / (span[1] - span[0]) * (HEIGHT - TOP - BOTTOM))


def _spans(data: Doubles, limits: Span | None) -> tuple[Span, Span]:
    """Of time, and of y: the limits, widened where a curve leaves them, so that nothing plotted is out of sight."""
    data = data[np.isfinite(data).all(axis=1)]
    (t0, low), (t1, high) = (data.min(axis=0), data.max(axis=0)) if len(data) else np.zeros((2, 2))
    room = 0.05 * (high - low)
    low, high = low - room, high + room
    if limits is not None:
        low, high = min(limits[0], low), max(limits[1], high)
    return _apart(float(t0), float(t1)), _apart(float(low), float(high))


def _apart(low: float, high: float) -> Span:
    """Two different numbers, so that there is something between them."""
    if high - low > 1e-12 * max(abs(low), abs(high)):
        return low, high
    room = 0.5 * max(abs(low), abs(high)) or 0.5
    return low - room, high + room


def _ticks(span: Span, about: int) -> list[float]:
    """Round numbers within a span."""
    low, high = span
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def _axes(times: Span, heights: Span) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    columns = [(float(_across(t, times)), _said(t)) for t in _ticks(times, 6)]
    lines = [(float(_down(y, heights)), _said(y)) for y in _ticks(heights, 5)]
    yield '<g stroke="currentColor" stroke-opacity="0.18">'
    yield from (f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>' for x, _ in columns)
    yield from (f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>' for y, _ in lines)
    yield '</g><g text-anchor="middle">'
    yield from (f'<text x="{x:.1f}" y="{bottom + 16}">{words}</text>' for x, words in columns)
    yield f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 8}">time [s]</text>'
    yield '</g><g text-anchor="end">'
    yield from (f'<text x="{LEFT - 6}" y="{y + 4:.1f}">{words}</text>' for y, words in lines)
    yield "</g>"


def _said(value: float) -> str:
    return f"{value:.6g}".replace("-", "−")


def _curves(tables: dict[str, Doubles], times: Span, heights: Span) -> Iterator[str]:
    """Each in pieces, between the points that are not numbers."""
    for style, table in zip(STYLES, tables.values(), strict=False):
        rows = table[:: max(1, -(-len(table) // POINTS))]
        good = np.isfinite(rows).all(axis=1)
        edges = np.flatnonzero(np.diff(good.astype(int), prepend=0, append=0))
        for begin, end in zip(edges[::2], edges[1::2], strict=True):
            places = zip(_across(rows[begin:end, 0], times), _down(rows[begin:end, 1], heights), strict=True)
            points = " ".join(f"{x:.2f},{y:.2f}" for x, y in places)
            yield f'<polyline fill="none" {style} points="{points}"/>'


def _legend(names: dict[str, Doubles]) -> Iterator[str]:
    x = LEFT
    for style, name in zip(STYLES, names, strict=False):
        yield f'<line x1="{x}" x2="{x + 24}" y1="34" y2="34" {style}/>'
        yield f'<text x="{x + 30}" y="38">{escape(name)}</text>'
        x += 46 + 7 * len(name)
