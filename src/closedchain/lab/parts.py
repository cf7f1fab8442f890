"""What a lab robot is made of, as its scripts see it: joints, an end effector, and what moves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from closedchain.errors import BadInput, ClosedChainError


@dataclass
class Joint:
    """An active or passive joint; SI units."""

    name: str
    position: float = 0.0  # [m, rad]
    velocity: float = 0.0
    acceleration: float = 0.0  # difference of the velocity over the last step
    effort: float = 0.0  # [N, N m] held during the last step
    offset: float = 0.0  # [m, rad] of a passive joint at the start

    @property
    def joint_name(self) -> str:
        """Its name, as the lab calls it."""
        return self.name


@dataclass
class EndEffector:
    """The output point, relative to the middle of the base; SI units."""

    position_x: float = 0.0
    position_y: float = 0.0
    velocity_x: float = 0.0
    velocity_y: float = 0.0
    acceleration_x: float = 0.0  # the simulator's own, at the instant
    acceleration_y: float = 0.0

    def show(self, tip: Sequence[float]) -> None:
        """New numbers."""
        self.position_x, self.position_y, self.velocity_x, self.velocity_y = tip[:4]
        self.acceleration_x, self.acceleration_y = tip[4:]


class SimulationEnded(ClosedChainError, RuntimeError):
    """The robot cannot be simulated any further; it can be reset."""


Sensors = tuple[Sequence[float], Sequence[float], Sequence[float]]
"""Four joints' places and rates (active left and right, passive left and right), and the tip's x, ẋ, ẍ."""


class Plant(Protocol):
    """What moves a robot: here, or at the other end of a pipe."""

    joints: Sequence[str]  # their names
    unit: str  # of the drives: "m" or "rad"

    def reset(self) -> Sensors:
        """Back to the start, at rest."""

    def step(self, left: float, right: float) -> Sensors:
        """Hold two efforts for 10 ms; raises SimulationEnded where there is no way on."""


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
