"""sweep, design: one question asked of many robots, and which dimensions are the best."""

from __future__ import annotations

from dataclasses import dataclass, field

from closedchain.studio.messages.parts import Numbers, RobotRef


@dataclass(frozen=True)
class AxisRow:
    """A parameter from low to high; `count` values of it where a map is made."""

    name: str
    low: float
    high: float
    count: int = 21


@dataclass(frozen=True)
class SweepRequest:
    """A measure over two parameters, all others as the robot has them.

    A frame with `values` (of the second axis, of the first), NaN where there is none.
    """

    robot: RobotRef
    axes: list[AxisRow]
    compute: str
    working: str | None = None
    orientation: float | None = None


@dataclass(frozen=True)
class SweepMeta:
    """The measure's unit and meaning; why some points have none, each reason with how many."""

    compute: str
    unit: str
    about: str
    low: float | None
    high: float | None
    reasons: dict[str, int]


@dataclass(frozen=True)
class DesignRequest:
    """The designs between which nothing is better in every goal, parameters between two numbers."""

    robot: RobotRef
    vary: list[AxisRow]
    maximise: list[str] = field(default_factory=list)
    minimise: list[str] = field(default_factory=list)
    evaluations: int = 2000
    working: str | None = None
    orientation: float | None = None


@dataclass(frozen=True)
class DesignRow:
    """A design: its parameters, and its goals' values."""

    values: Numbers
    goals: Numbers


@dataclass(frozen=True)
class DesignAnswer:
    """Designs in the order of the first goal."""

    dimensions: list[str]
    goals: list[str]
    units: list[str]
    rows: list[DesignRow]
    evaluations: int
