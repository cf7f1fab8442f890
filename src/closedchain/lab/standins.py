"""The packages that lab scripts import, over our robot and scopes: the same for `lab run` and in the grader's sandbox.

`lab_amoro` is whole; of ROS there are beginning, ending and timers; of Qt the application and its timers; of pyqtgraph
plots with curves. Windows can be made and do nothing. Anything else is named when a script imports it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy

from closedchain.lab import graphs, ros
from closedchain.lab.anything import Anything
from closedchain.lab.events import QApplication, QTimer, process_events
from closedchain.lab.lenient import Module, refuses
from closedchain.lab.parts import EndEffector, Joint
from closedchain.lab.robot import Robot, start_robot
from closedchain.lab.scope import Scope

OURS = ("lab_amoro",)  # also where another one is installed: that one waits for Gazebo
OF_ROS = re.compile(r"(tf2|launch|ament|ros2|rosidl|gazebo|moveit)_\w+|\w+_(msgs|srvs|interfaces)")
PACKAGES = ("PyQt5", "lab_amoro", "pyqtgraph", "rclpy")


def modules() -> dict[str, ModuleType]:
    """Fresh ones, by their names."""
    named = {name: getattr(ros, name) for name in ("init", "ok", "shutdown", "spin", "spin_once")}
    made = {"rclpy": named | {"create_node": ros.Node, "try_shutdown": ros.shutdown}}
    made["rclpy.node"] = {"Node": ros.Node}
    made["PyQt5"] = {}
    made["PyQt5.QtWidgets"] = made["PyQt5.QtGui"] = {"QApplication": QApplication, "__getattr__": _anything}
    core = type("QCoreApplication", (Anything,), {"processEvents": staticmethod(lambda *args: process_events())})
    made["PyQt5.QtCore"] = {"QTimer": QTimer, "QCoreApplication": core, "__getattr__": _anything}
    plots = {name: getattr(graphs, name) for name in ("GraphicsLayoutWidget", "PlotItem", "PlotWidget", "plot")}
    plots |= {"GraphicsWindow": graphs.GraphicsLayoutWidget, "GraphicsView": graphs.GraphicsLayoutWidget}
    plots |= {"mkQApp": lambda *args: QApplication.instance() or QApplication([]), "exec": lambda: QApplication.exec_()}
    made["pyqtgraph"] = plots | {"__getattr__": _anything}
    made["pyqtgraph.Qt"] = {}
    made["lab_amoro"] = made["lab_amoro.parallel_robot"] = made["lab_amoro.plot_tools"] = {}
    found = {name: _module(name, values) for name, values in made.items()}
    for name in ("QtCore", "QtGui", "QtWidgets"):
        found["pyqtgraph.Qt"].__dict__[name] = found["pyqtgraph"].__dict__[name] = found[f"PyQt5.{name}"]
    found["rclpy"].__dict__["node"] = found["rclpy.node"]
    robots = {"EndEffector": EndEffector, "Joint": Joint, "Node": ros.Node, "Robot": Robot, "start_robot": start_robot}
    found["lab_amoro.parallel_robot"].__dict__.update(robots, rclpy=found["rclpy"])
    array = Module(numpy) if refuses() else numpy
    scopes = {"QtGui": found["PyQt5.QtGui"], "Scope": Scope, "np": array, "pg": found["pyqtgraph"]}
    found["lab_amoro.plot_tools"].__dict__.update(scopes)
    return found


def _module(name: str, values: Mapping[str, Any]) -> ModuleType:
    module = ModuleType(name, "A stand-in of the lab's.")
    module.__dict__.update(values)
    return module


def _anything(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything


class Finder(Loader):
    """Finds the stand-ins under these packages' names; the last one says what there is none for."""

    def __init__(self, found: Mapping[str, ModuleType], packages: Sequence[str], *, last: bool = False) -> None:
        self.found, self.packages, self.last = found, packages, last

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The stand-in's spec, unless its package is a real one."""
        package, _, rest = name.partition(".")
        ours = package in self.packages and (not rest or sys.modules.get(package) is self.found[package])
        if ours and name in self.found:
            return ModuleSpec(name, self, is_package=not rest)
        if ours and self.last:
            raise ModuleNotFoundError(f"the lab's stand-in for {package} has no {rest!r}", name=name)
        if self.last and OF_ROS.fullmatch(name):
            words = f"{name!r} is of ROS 2, which is not installed, and the lab has no stand-in for it; it has "
            raise ModuleNotFoundError(words + ", ".join(PACKAGES), name=name)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """It is made already."""
        return self.found[spec.name]

    def exec_module(self, module: ModuleType) -> None:
        """It is filled already."""
