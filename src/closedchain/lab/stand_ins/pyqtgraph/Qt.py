"""Qt, by the names pyqtgraph gives it."""  # noqa: N999 (its own name)

from closedchain.lab.stand_ins.PyQt5 import QtCore, QtGui, QtWidgets

__all__ = ["QtCore", "QtGui", "QtWidgets"]
