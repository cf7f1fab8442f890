"""`from lab_amoro.plot_tools import *`: scopes, and the names of the plotting library under them."""

import numpy

from closedchain.lab.lenient import Module, refuses
from closedchain.lab.scope import Scope
from closedchain.lab.stand_ins import pyqtgraph as pg
from closedchain.lab.stand_ins.pyqtgraph.Qt import QtGui

np = Module(numpy) if refuses() else numpy

__all__ = ["QtGui", "Scope", "np", "pg"]
