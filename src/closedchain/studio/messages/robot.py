"""robot: what a robot is, what is drawn of it, and where to begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from closedchain.studio.messages.parts import Numbers, RobotRef, Rows


@dataclass(frozen=True)
class RobotRequest:
    """What a robot is."""

    robot: RobotRef


@dataclass(frozen=True)
class ParameterRow:
    """A parameter, and the range of its slider."""

    name: str
    value: float
    unit: str
    about: str
    low: float
    high: float


@dataclass(frozen=True)
class CoordinateRow:
    """A coordinate of q or x, or a readout."""

    name: str
    unit: str
    driven: bool = False


@dataclass(frozen=True)
class PartRow:
    """Something to draw, by the indices of its points.

    bar, spring, damper (a, b); crank (pivot, tip); telescope (base, tip); plate (corners…); base (fixed corners…);
    ground (a fixed joint).
    """

    kind: Literal["bar", "spring", "damper", "crank", "telescope", "plate", "base", "ground"]
    points: list[int]
    fixed: bool


@dataclass(frozen=True)
class RailRow:
    """A line that point `carriage` slides on: through a constant place, or through the point `point`.

    With `angle`, an index in x, it turns with that plate. It is drawn from `reach[0]` to `reach[1]` along `along`.
    """

    carriage: int
    fixed: bool
    through: Numbers | None
    point: int | None
    along: Numbers
    angle: int | None
    reach: Numbers


@dataclass(frozen=True)
class DriveRow:
    """A drive of the mechanism: what moves with its coordinate and how, for dragging it."""

    name: str
    kind: Literal["slider", "crank", "telescope"]
    point: int  # the point it carries; a telescope's tip
    base: int | None  # a crank's pivot, a telescope's base
    at: Numbers | None  # a slider's origin, a crank's centre
    along: Numbers | None  # a slider's direction
    radius: float | None
    axis: Numbers | None  # that a crank in space turns about, of length 1


@dataclass(frozen=True)
class SceneRow:
    """What is drawn: named points (the kernel `points` gives them), then `constants`; parts by their indices."""

    names: list[str]
    constants: Rows
    parts: list[PartRow]
    rails: list[RailRow]
    drives: list[DriveRow]
    tip: int | None  # the point that is the output, or a plate's origin where a point lies there
    plate: bool  # the output is a plate's pose (x, y, phi)


@dataclass(frozen=True)
class StartRow:
    """A well-conditioned configuration to begin with."""

    q: Numbers
    x: Numbers
    working: str
    assembly: str
    points: Rows


@dataclass(frozen=True)
class RobotAnswer:
    """A robot, what is drawn of it, and where to begin; `kernels` is the address of its JavaScript module."""

    name: str
    about: str
    dimension: int
    closed: bool  # it has closures: branches, singularities, maps
    linkage: bool  # its drives need not decide where it is: it has no branches and no singularities of its drives
    planar_map: bool  # maps, loci and aspects of its output's plane exist
    slices: list[list[str]]  # planes of space over which the output can be mapped, by two of its coordinates
    no_crossing: str  # why no motion through a singularity is planned for it; empty: one can be asked for
    parameters: list[ParameterRow]
    presets: list[str]
    q: list[CoordinateRow]
    x: list[CoordinateRow]
    readouts: list[CoordinateRow]
    motors: list[str]
    working: list[str]
    assembly: list[str]
    scene: SceneRow | None
    kernels: str | None
    start: StartRow
    window: Numbers
    size: float  # [m] a length of the robot's own
    toml: str
