"""solve, at, python: every branch, the models at a configuration, and the screen as a script."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from closedchain.studio.messages.parts import MaybeNumbers, Numbers, Place, RobotRef, Rows


@dataclass(frozen=True)
class SolveRequest:
    """Every branch with the output at x, or with the drives at q; `near` is where the robot is now."""

    robot: RobotRef
    x: Numbers | None = None
    q: Numbers | None = None
    near: Place | None = None


@dataclass(frozen=True)
class Branch:
    """One configuration; `nearest` marks the one that continues `near`."""

    q: Numbers
    x: Numbers
    points: Rows
    working: str
    assembly: str
    residual: float
    condition: float | None  # of A; null where infinite
    double: bool
    nearest: bool


@dataclass(frozen=True)
class Why:
    """Why a target is not reached: the leg, by how much, and the last output reached on the way from `near`."""

    leg: str
    short_by: float
    message: str
    boundary: Numbers | None


@dataclass(frozen=True)
class SolveAnswer:
    """Every branch, or the branches at the boundary and why it goes no further."""

    branches: list[Branch]
    why: Why | None


@dataclass(frozen=True)
class AtRequest:
    """Everything about one configuration."""

    robot: RobotRef
    q: Numbers
    x: Numbers


@dataclass(frozen=True)
class Ellipse:
    """Semi-axes and their unit directions, one row each; radii null where infinite."""

    radii: MaybeNumbers
    axes: Rows


@dataclass(frozen=True)
class Distance:
    """[m] along the shortest of several straight searches of the output to a singularity; null: none met, or, where
    `searched` is false, not known."""

    metres: float | None
    searched: bool


@dataclass(frozen=True)
class Distances:
    """How far the output can move before it meets a singularity of each type."""

    type1: Distance
    type2: Distance


@dataclass(frozen=True)
class ReadoutRow:
    """A passive joint's value."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True)
class AtAnswer:
    """The models at a configuration; margins are 1 at best and 0 when singular."""

    A: Rows
    B: Rows
    J: Rows | None
    det_A: float | None
    det_B: float | None
    condition_A: float | None
    condition: float  # 1/κ of A in metres
    serial: float  # margin to Type 1
    legs: dict[str, float]
    kinds: list[str]
    distances: Distances
    velocity_ellipse: Ellipse | None
    force_ellipse: Ellipse | None
    free_motion: Numbers | None
    centre: MaybeNumbers | None
    lost_motion: Numbers | None
    readouts: list[ReadoutRow]
    residual: float
    working: str
    assembly: str
    warnings: list[str]


@dataclass(frozen=True)
class PythonRequest:
    """The screen as a Python script."""

    robot: RobotRef
    screen: str
    state: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PythonAnswer:
    """A script that repeats what is on the screen."""

    code: str
