"""path: where the output can follow a line, a circle or a free hand's stroke."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from closedchain.studio.messages.parts import Numbers, RobotRef, Rows
from closedchain.studio.messages.singularities import SingularPointRow


@dataclass(frozen=True)
class CircleRow:
    """One turn of a circle in the plane of the output's first two coordinates, from `angle` [rad]."""

    centre: Numbers
    radius: float
    angle: float = 0.0


@dataclass(frozen=True)
class PathRequest:
    """Where can the output follow a path in one working mode: corners with s = 0, 1, … at them, or a circle?"""

    robot: RobotRef
    working: str
    corners: Rows | None = None
    circle: CircleRow | None = None


@dataclass(frozen=True)
class MissRow:
    """A leg that does not reach: by how much [m] where it misses most (on samples), and to which side."""

    leg: str
    by: float
    side: Literal["far", "near"]
    x: Numbers


@dataclass(frozen=True)
class PathGapRow:
    """A part of the path that some legs do not reach, and its ends."""

    low: float
    high: float
    start: Numbers
    end: Numbers
    legs: list[MissRow]


@dataclass(frozen=True)
class UnresolvedRow:
    """A part where neither a singular point nor its absence was shown."""

    low: float
    high: float
    x: Numbers
    why: str


@dataclass(frozen=True)
class PathAnswer:
    """What the path meets, in the order of s; `complete`: it is proven that there are no other singular points."""

    working: str
    end: float  # s at the end of the path
    points: list[SingularPointRow]
    out_of_reach: list[PathGapRow]
    unresolved: list[UnresolvedRow]
    complete: bool
