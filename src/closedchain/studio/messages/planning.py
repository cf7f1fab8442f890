"""plan, crossing: motions around singularities and through them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from closedchain.studio.messages.parts import Numbers, RobotRef, Rows


@dataclass(frozen=True)
class ObstacleRow:
    """disc: one corner and a radius; wall: two corners and half its thickness; polygon: three corners or more."""

    kind: Literal["disc", "wall", "polygon"]
    corners: Rows
    radius: float = 0.0


@dataclass(frozen=True)
class PlanRequest:
    """A motion between two outputs without singularities and collisions."""

    robot: RobotRef
    start: Numbers
    end: Numbers
    working: str | None = None
    goal_working: str | None = None
    margin: float = 0.0
    width: float = 0.0
    obstacles: list[ObstacleRow] = field(default_factory=list)
    prefer: Literal["shortest", "clearance"] = "shortest"
    changes: bool = True


@dataclass(frozen=True)
class ChangeRow:
    """Where a leg passes its end to another working mode."""

    leg: str
    before: str
    after: str
    x: Numbers


@dataclass(frozen=True)
class PlanAnswer:
    """The motion, or why there is none in each mode."""

    found: bool
    message: str
    path: Rows
    q: Rows
    working: list[str]
    modes: list[str]
    changes: list[ChangeRow]
    why: dict[str, str]
    length: float | None
    clearance: float | None


@dataclass(frozen=True)
class CrossingRequest:
    """A motion through a Type 2 singularity; a frame with t, q, x, tau, and tau_plain of the same ends unshaped."""

    robot: RobotRef
    start: Numbers
    end: Numbers
    duration: float
    working: str
    end_working: str | None = None
    samples: int = 600


@dataclass(frozen=True)
class CrossingMeta:
    """`margin` is 1 − (largest effort near the crossing) / (elsewhere); null where efforts have no bound.

    `plain_effort` is the largest of the unshaped motion, a thousandth of the duration from the crossing; null without
    one.
    """

    plain_effort: float | None
    bounded: bool
    working: list[str]
    t_singular: Numbers
    x_singular: Rows
    max_effort: float | None
    effort_at_singularity: list[Numbers | None]
    margin: float | None
    units: list[str]
    text: str
