"""define: a mechanism file's text, its mistakes, its robot and its equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from closedchain.studio.messages.parts import Numbers
from closedchain.studio.messages.robot import RobotAnswer


@dataclass(frozen=True)
class DefineRequest:
    """Is this text a mechanism file, and which robot?"""

    toml: str
    equations: bool = False


@dataclass(frozen=True)
class DefineError:
    """One mistake, lines and columns from 1."""

    line: int
    column: int
    message: str


@dataclass(frozen=True)
class EquationRow:
    """Formulas under one title: in LaTeX, as MathML elements, and as text."""

    title: str
    latex: list[str]
    mathml: list[str]
    text: list[str]


@dataclass(frozen=True)
class SketchPoint:
    """A point: fixed; free, with where it was drawn; or carried by a body, in its frame."""

    name: str
    kind: Literal["fixed", "free", "carried"]
    at: Numbers | None


@dataclass(frozen=True)
class SketchDrive:
    """A drive with the point that it carries; a telescope has its base and its tip."""

    name: str
    kind: Literal["slider", "crank", "telescope"]
    point: str
    at: Numbers | None  # a slider's origin, a crank's centre
    pivot: str  # the fixed point that is a crank's centre
    along: Numbers | None
    radius: float | None
    base: str
    tip: str


@dataclass(frozen=True)
class SketchBar:
    """A bar between two points."""

    a: str
    b: str
    length: float | None


@dataclass(frozen=True)
class SketchPlate:
    """A plate, where it was drawn (x, y, angle), and its points in its frame."""

    name: str
    near: Numbers | None
    points: list[SketchPoint]


@dataclass(frozen=True)
class SketchRow:
    """What a text draws, finished or not: its mobility by count, and what to do next; empty: nothing is missing."""

    points: list[SketchPoint]
    drives: list[SketchDrive]
    bars: list[SketchBar]
    plates: list[SketchPlate]
    output: str
    mobility: int
    next: str


@dataclass(frozen=True)
class DefineAnswer:
    """The robot, or what is wrong; `valid` is whether there is one. `sketch` is null where the text draws nothing."""

    valid: bool
    errors: list[DefineError]
    robot: RobotAnswer | None
    equations: list[EquationRow]
    sketch: SketchRow | None
