"""pyqtgraph's plots as far as lab scripts use them: titles, labels, curves; kept as charts."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.errors import BadInput
from closedchain.lab.anything import Anything
from closedchain.lab.chart import Chart
from closedchain.lab.session import current


class PlotDataItem(Anything):
    """A curve; `setData` replaces its points."""

    def __init__(self, chart: Chart, name: str) -> None:
        self.chart, self.name = chart, name
        chart.curve(name)

    def setData(self, *args: Any, x: Any = None, y: Any = None, **style: Any) -> None:
        """New points: y, or x and y."""
        given = [a for a in (*args, x, y) if a is not None]
        if not given:
            return
        ys = np.asarray(given[-1], dtype=np.float64).ravel()
        xs = np.asarray(given[0], dtype=np.float64).ravel() if len(given) > 1 else np.arange(len(ys), dtype=np.float64)
        if len(xs) != len(ys):
            raise BadInput(f"{self.chart.title}: a curve of {len(xs)} x and {len(ys)} y; they must be as many")
        self.chart.curve(self.name).fill(np.stack([xs, ys], axis=1))


class PlotItem(Anything):
    """Axes with curves."""

    def __init__(self, title: Any = None, **more: Any) -> None:
        self.chart = Chart(str(title or ""), None, "")
        if current().keeps:
            current().charts.append(self.chart)

    def plot(self, *args: Any, name: Any = None, x: Any = None, y: Any = None, **style: Any) -> PlotDataItem:
        """A new curve."""
        curve = PlotDataItem(self.chart, str(name or f"curve {len(self.chart.curves) + 1}"))
        curve.setData(*args, x=x, y=y)
        return curve

    def setTitle(self, title: Any = None, **style: Any) -> None:
        """What is plotted."""
        self.chart.title = str(title or "")

    setWindowTitle = setTitle

    def setLabel(self, axis: str, text: Any = "", units: Any = None, **style: Any) -> None:
        """What an axis shows."""
        words = f"{text} [{units}]" if units else str(text)
        if axis == "bottom":
            self.chart.xlabel = words
        elif axis == "left":
            self.chart.ylabel = words

    def setYRange(self, low: float, high: float, **more: Any) -> None:
        """At least what is shown of y."""
        self.chart.limits = (float(low), float(high))

    def getPlotItem(self) -> PlotItem:
        """A widget's plot is the widget."""
        return self


class PlotWidget(PlotItem):
    """A plot in a window of its own."""


class GraphicsLayoutWidget(Anything):
    """A window for several plots."""

    def __init__(self, *args: Any, title: Any = None, **more: Any) -> None:
        self.title = str(title or "")

    def addPlot(self, *args: Any, title: Any = None, **more: Any) -> PlotItem:
        """One more plot."""
        return PlotItem(title or self.title)


def plot(*args: Any, title: Any = None, **more: Any) -> PlotWidget:
    """A plot with one curve, or none yet."""
    widget = PlotWidget(title)
    if args or "y" in more:
        widget.plot(*args, **more)
    return widget
