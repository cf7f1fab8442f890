"""The teaching lab without ROS and Gazebo: the robot and the scopes of its scripts, over any two-drive planar robot.

from closedchain.lab import Robot, Scope
robot = Robot("biglide")
robot.apply_efforts(0.1, 0.1)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from closedchain.lab.robot import Robot, start_robot
    from closedchain.lab.scope import Scope

_HOMES = {"Robot": "robot", "Scope": "scope", "start_robot": "robot"}  # imported when first used

__all__ = ["Robot", "Scope", "start_robot"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'closedchain.lab' has no attribute {name!r}")
    return getattr(importlib.import_module(f"closedchain.lab.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
