"""define: a mechanism file's text, its mistakes, its robot and its equations."""

from __future__ import annotations

from dataclasses import dataclass

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
class DefineAnswer:
    """The robot, or what is wrong; `valid` is whether there is one."""

    valid: bool
    errors: list[DefineError]
    robot: RobotAnswer | None
    equations: list[EquationRow]
