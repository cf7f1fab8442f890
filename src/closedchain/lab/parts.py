"""What a lab robot is made of, as its scripts see it: joints, an end effector, a logger."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.errors import BadInput


@dataclass
class Joint:
    """An active or passive joint; SI units."""

    name: str
    position: float = 0.0  # [m, rad]
    velocity: float = 0.0
    acceleration: float = 0.0  # difference of the velocity over the last step
    effort: float = 0.0  # [N, N m] held during the last step


@dataclass
class EndEffector:
    """The output point, relative to the middle of the base; SI units."""

    position_x: float = 0.0
    position_y: float = 0.0
    velocity_x: float = 0.0
    velocity_y: float = 0.0
    acceleration_x: float = 0.0  # the simulator's own, at the instant
    acceleration_y: float = 0.0

    def show(self, x: Sequence[float], x_dot: Sequence[float], x_ddot: Sequence[float]) -> None:
        """New numbers."""
        self.position_x, self.position_y = x[:2]
        self.velocity_x, self.velocity_y = x_dot[:2]
        self.acceleration_x, self.acceleration_y = x_ddot[:2]


class Logger:
    """A ROS node's logger, on stderr."""

    def __init__(self, name: str) -> None:
        self.name = name

    def _say(self, level: str, message: object) -> None:
        sys.stderr.write(f"[{level}] [{self.name}]: {message}\n")

    def debug(self, message: object, **more: Any) -> None:
        """Not shown, as in ROS."""

    def info(self, message: object, **more: Any) -> None:
        self._say("INFO", message)

    def warning(self, message: object, **more: Any) -> None:
        self._say("WARN", message)

    warn = warning

    def error(self, message: object, **more: Any) -> None:
        self._say("ERROR", message)

    def fatal(self, message: object, **more: Any) -> None:
        self._say("FATAL", message)


def number(value: Any, what: str) -> float:
    """One finite number, also from an array that holds one."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.size != 1:
        raise BadInput(f"{what} must be one number, got {value!r:.60}")
    found = array.item()
    if not np.isfinite(found):
        raise BadInput(f"{what} is {found}; a finite number is needed: look at the model that computed it")
    return found
