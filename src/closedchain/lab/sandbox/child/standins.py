"""The modules that lab scripts import: the robot and the scopes as they are, ROS and Qt as things that agree to all."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from closedchain.lab.sandbox.child.remote import Link, Robot, Scope

AGREEABLE = (
    "rclpy", "rclpy.node", "rclpy.executors", "rclpy.qos", "rclpy.callback_groups", "rclpy.duration", "rclpy.time",
    "rclpy.parameter", "rclpy.logging", "builtin_interfaces", "builtin_interfaces.msg", "std_msgs", "std_msgs.msg",
    "std_srvs", "std_srvs.srv", "sensor_msgs", "sensor_msgs.msg", "geometry_msgs", "geometry_msgs.msg", "pyqtgraph",
    "pyqtgraph.Qt", "PyQt5", "PyQt5.QtCore", "PyQt5.QtGui", "PyQt5.QtWidgets", "PyQt6", "PySide2", "PySide6",
)  # fmt: skip


class Agreeable(ModuleType):
    """A module whose every name is something to call, to read and to make a class of."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Thing


class _Yes(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Thing()


class Thing(metaclass=_Yes):
    """Takes any arguments, has any attribute, does nothing."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        pass

    def __call__(self, *arguments: Any, **more: Any) -> Thing:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Thing()


def start_robot(robot: Any) -> None:
    """The robot answers at once."""


def install(link: Link, numpy: ModuleType) -> None:
    """Put the modules where `import` finds them; plot_tools gives its `np` along."""
    Robot.link = Scope.link = link
    for name in AGREEABLE:
        sys.modules[name] = Agreeable(name)
    for name in AGREEABLE:
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, sys.modules[name])
    sys.modules["rclpy"].__dict__["spin"] = lambda *arguments, **more: link.serve()
    qt, robots = sys.modules["pyqtgraph.Qt"], ModuleType("lab_amoro.parallel_robot")
    robots.__dict__.update(rclpy=sys.modules["rclpy"], Robot=Robot, start_robot=start_robot)
    plots = ModuleType("lab_amoro.plot_tools")
    plots.__dict__.update(Scope=Scope, QtGui=sys.modules["PyQt5.QtWidgets"], pg=sys.modules["pyqtgraph"], np=numpy)
    qt.__dict__["QtGui"] = sys.modules["PyQt5.QtWidgets"]
    package = ModuleType("lab_amoro")
    package.__dict__.update(parallel_robot=robots, plot_tools=plots, __path__=[])
    sys.modules |= {"lab_amoro": package, robots.__name__: robots, plots.__name__: plots}
