"""What a scenario is once it has been read: everything that `simulate` needs, in SI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from closedchain.arrays import Doubles
from closedchain.model.forces import Value
from closedchain.model.model import Model
from closedchain.motion.reference import Trajectory
from closedchain.scenarios.expected import Expected
from closedchain.simulation.plant import Plant


@dataclass(frozen=True, eq=False)
class Start:
    """Where the robot is at t = 0; where the trajectory begins unless q, x or both are given."""

    q: Doubles | None = None
    x: Doubles | None = None
    q_dot: Doubles | None = None
    x_dot: Doubles | Mapping[str, float] | None = None  # of a linkage: all, or some by name
    assembly: str | None = None  # with q
    working: str | None = None  # with x


@dataclass(frozen=True)
class Context:
    """What a controller is made from."""

    model: Model
    reference: Trajectory | None
    working: str | None
    interval: float  # [s]


@dataclass(frozen=True, eq=False)
class Scenario:
    """A run that can be repeated: the same file gives the same numbers."""

    name: str
    model: Model  # what the controller believes the robot to be
    kind: str  # of the controller
    make: Callable[[Context], Any]  # the controller itself; some need the compiled model
    interval: float  # [s] between commands
    reference: Trajectory | None = None
    working: str | None = None  # on which the reference is followed; the start's unless given
    start: Start = field(default_factory=Start)
    plant: Plant = field(default_factory=Plant)
    duration: float | None = None  # [s] the trajectory's unless given
    step: float | None = None  # [s] longest integration step
    method: str = "rk4"
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of drives, by name
    tolerance: float | None = None  # [m, rad] by which the end may change when every step is halved
    forces: Mapping[str, Value] = field(default_factory=dict)  # from outside, by the point they act on
    torques: Mapping[str, Value] = field(default_factory=dict)  # by the body
    expected: Expected | None = None
    about: str = ""
    origin: str = ""
