"""pyqtgraph as far as lab scripts use it: plots whose curves are kept for the page."""

from __future__ import annotations

from typing import Any

from closedchain.lab.anything import Anything
from closedchain.lab.graphs import GraphicsLayoutWidget, PlotItem, PlotWidget, plot

from . import Qt
from .Qt import QtCore, QtGui, QtWidgets

GraphicsWindow, GraphicsView = GraphicsLayoutWidget, GraphicsLayoutWidget


def mkQApp(*args: Any) -> Any:
    """The application."""
    return QtWidgets.QApplication.instance() or QtWidgets.QApplication([])


def exec(*args: Any) -> int:
    """The application's loop."""
    return int(QtWidgets.QApplication.exec_())


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything


__all__ = [
    "GraphicsLayoutWidget", "GraphicsView", "GraphicsWindow", "PlotItem", "PlotWidget", "Qt", "QtCore", "QtGui",
    "QtWidgets", "exec", "mkQApp", "plot",
]  # fmt: skip
