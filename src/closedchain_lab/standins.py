"""The packages that lab scripts import, over our robot and scopes: the same for `lab run` and in the grader's sandbox.

`lab_amoro` is whole; of ROS there are beginning, ending and timers; of Qt the application and its timers. Windows and
plots of pyqtgraph can be made and do nothing; Matplotlib gets a backend of ours. Anything else is named when a script
imports it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy

from closedchain_lab import events
from closedchain_lab.events import Anything, Node, QApplication, QTimer, process_events
from closedchain_lab.lenient import Module, refuses
from closedchain_lab.robot import EndEffector, Joint, Robot, start_robot
from closedchain_lab.scope import Scope

OURS = ("lab_amoro",)  # also where another one is installed: that one waits for Gazebo
OF_ROS = re.compile(r"(tf2|launch|ament|ros2|rosidl|gazebo|moveit)_\w+|\w+_(msgs|srvs|interfaces)")
PACKAGES = ("PyQt5", "lab_amoro", "pyqtgraph", "rclpy")
FIGURES = "lab_figures"  # Matplotlib's backend


def modules() -> dict[str, ModuleType]:
    """Fresh ones, by their names."""
    made: dict[str, dict[str, Any]] = {"rclpy": {n: getattr(events, n) for n in ("init", "ok", "shutdown", "spin")}}
    made["rclpy"]["__getattr__"] = _nothing
    made["rclpy.node"] = {"Node": Node}
    made["PyQt5"] = made["pyqtgraph.Qt"] = {}
    made["PyQt5.QtWidgets"] = made["PyQt5.QtGui"] = {"QApplication": QApplication, "__getattr__": _anything}
    core = type("QCoreApplication", (Anything,), {"processEvents": staticmethod(lambda *args: process_events())})
    made["PyQt5.QtCore"] = {"QTimer": QTimer, "QCoreApplication": core, "__getattr__": _anything}
    made["pyqtgraph"] = {"mkQApp": lambda *args: QApplication.instance() or QApplication([]), "__getattr__": _anything}
    made["lab_amoro"] = made["lab_amoro.parallel_robot"] = made["lab_amoro.plot_tools"] = made[FIGURES] = {}
    found = {name: ModuleType(name, "A stand-in of the lab's.") for name in made}
    for name, values in made.items():
        found[name].__dict__.update(values)
    for name in ("QtCore", "QtGui", "QtWidgets"):
        found["pyqtgraph.Qt"].__dict__[name] = found["pyqtgraph"].__dict__[name] = found[f"PyQt5.{name}"]
    found["rclpy"].__dict__["node"] = found["rclpy.node"]
    robots = {"EndEffector": EndEffector, "Joint": Joint, "Node": Node, "Robot": Robot, "start_robot": start_robot}
    found["lab_amoro.parallel_robot"].__dict__.update(robots, rclpy=found["rclpy"])
    array = Module(numpy) if refuses() else numpy
    scopes = {"QtGui": found["PyQt5.QtGui"], "Scope": Scope, "np": array, "pg": found["pyqtgraph"]}
    found["lab_amoro.plot_tools"].__dict__.update(scopes)
    return found


def _nothing(name: str) -> Any:
    more = "" if name.startswith("__") else ": the lab's stand-in for ROS has init, ok, spin, shutdown and timers"
    raise AttributeError(f"module 'rclpy' has no attribute {name!r}{more}")


def _anything(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything


@lru_cache(maxsize=1)
def figures() -> tuple[CodeType, dict[str, ModuleType]]:
    """The backend's code and the modules that it needs: read before there are fences, run when a script draws."""
    path = Path(__file__).with_name("plotting.py")
    ours = {n: m for n, m in sys.modules.items() if n.partition(".")[0] in ("closedchain", "closedchain_lab")}
    return compile(path.read_bytes(), str(path), "exec", dont_inherit=True), ours


@contextmanager
def put(table: MutableMapping[str, Any], **values: Any) -> Iterator[None]:
    """Some items of a table are others for a while."""
    before = {name: table[name] for name in values if name in table}
    table.update(values)
    try:
        yield
    finally:
        for name in values.keys() - before.keys():
            table.pop(name, None)
        table.update(before)


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
        """It is filled already, but for the backend, for which our own modules are there."""
        if module.__name__ == FIGURES:
            code, ours = figures()
            with put(sys.modules, **ours):
                exec(code, module.__dict__)  # noqa: S102 (our own file)
