"""verify, grade: a robot against independent engines, a group's file against the lab's models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from closedchain.studio.messages.parts import RobotRef


@dataclass(frozen=True)
class VerifyRequest:
    """A robot against independent engines; motion is a name, or formulas for a duration, in a working mode.

    "q1 = 0.1*sin(t); q2 = 0" moves the drives, "x = 0.1*sin(t); y = 0.3" the output.
    """

    robot: RobotRef
    engine: str = "all"
    states: int | None = None
    motion: str = "all"
    duration: float = 3.0
    working: str | None = None


@dataclass(frozen=True)
class VerifyRow:
    """One quantity; max is null where it is not finite; size is the largest value compared, 0 where all are zero."""

    quantity: str
    engine: str
    way: str
    motion: str
    max: float | None
    rms: float | None
    limit: float
    ok: bool
    unit: str
    why: str
    size: float


@dataclass(frozen=True)
class VerifyAnswer:
    """The rows of `closedchain verify --json`, and what explains a difference."""

    passed: bool
    robot: str
    engines: list[str]
    rows: list[VerifyRow]
    notes: list[str]
    absent: list[str]
    causes: list[str]


@dataclass(frozen=True)
class GradeRequest:
    """Grade a group's file in the lab's sandbox; only when a person has confirmed that its code may run there."""

    name: str
    text: str
    confirmed: bool
    robot: str | None = None
    seed: int = 0


@dataclass(frozen=True)
class GradeAnswer:
    """The document of `closedchain lab grade --json`; `passed` is its `ok`."""

    passed: bool
    submissions: list[dict[str, Any]]
