"""along, map, loci, cusps, aspects: where the singularities are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from closedchain.studio.messages.parts import Numbers, RobotRef, Rows


@dataclass(frozen=True)
class AlongRequest:
    """det A and det B on the way from x = start to x = end; answered by a frame with s, det_A, det_B (modes, n)."""

    robot: RobotRef
    start: Numbers
    end: Numbers
    working: str | None = None
    samples: int = 400


@dataclass(frozen=True)
class SingularPointRow:
    """A proven singular point on the way."""

    type: int
    s: float
    x: Numbers
    q: Numbers
    working: str
    leg: str
    free_motion: Numbers | None


@dataclass(frozen=True)
class OutOfReachRow:
    """A part of the way that some legs do not reach."""

    low: float
    high: float
    legs: list[str]


@dataclass(frozen=True)
class AlongMeta:
    """`complete`: it is proven that there are no other singular points."""

    working: list[str]
    points: list[SingularPointRow]
    complete: bool
    out_of_reach: list[OutOfReachRow]


@dataclass(frozen=True)
class MapRequest:
    """A quantity over a window of the output's plane; a frame with `values`, NaN out of reach, and `slack`.

    Of a body in space the plane is that of the two coordinates that `hold` leaves.
    """

    robot: RobotRef
    quantity: Literal["det_A", "det_B", "condition", "reach", "effort"]
    working: str
    window: Numbers | None = None
    shape: list[int] = field(default_factory=lambda: [200, 200])
    orientation: float | None = None  # of a plate [rad]; of a point in space its height [m]
    hold: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class MapMeta:
    """What a map spans; the first row is the lowest y."""

    window: Numbers
    quantity: str
    working: str
    low: float | None
    high: float | None
    area: float  # [m²] of the window that is reached, counted by points


@dataclass(frozen=True)
class LociRequest:
    """The singular curves in a window."""

    robot: RobotRef
    working: str | None = None
    window: Numbers | None = None
    orientation: float | None = None
    lines: int = 24


@dataclass(frozen=True)
class CurveRow:
    """A piece of a singular curve."""

    type: int
    leg: str
    working: str
    closed: bool
    points: Rows


@dataclass(frozen=True)
class LociAnswer:
    """`complete`: every curve that meets a grid line is here, proven."""

    curves: list[CurveRow]
    complete: bool


@dataclass(frozen=True)
class CuspsRequest:
    """The singular curves of the slice of joint space where one drive is held, for a plate on three telescopes."""

    robot: RobotRef
    drive: str
    value: float
    lines: int = 24


@dataclass(frozen=True)
class SliceRow:
    """A piece of a singular curve of the slice, in drives and in outputs."""

    closed: bool
    q: Rows
    x: Rows


@dataclass(frozen=True)
class CuspRow:
    """Where three poses meet: once around it changes the assembly mode, and det A is never zero on the way."""

    q: Numbers
    x: Numbers
    certified: bool


@dataclass(frozen=True)
class CuspsAnswer:
    """`complete`: every curve that meets a line of the search is here, proven."""

    curves: list[SliceRow]
    cusps: list[CuspRow]
    complete: bool


@dataclass(frozen=True)
class AspectsRequest:
    """The aspects of a mode; a frame with `labels`, −1 for none, `det_A` and `slack` over the window."""

    robot: RobotRef
    working: str
    window: Numbers | None = None
    shape: list[int] = field(default_factory=lambda: [200, 200])
    orientation: float | None = None


@dataclass(frozen=True)
class AspectRow:
    """One aspect: the sign of det A, its area, a point well inside."""

    sign: int
    area: float | None  # [m²]; null where the reach has no end
    x: Numbers
    decided: bool


@dataclass(frozen=True)
class AspectsMeta:
    """Of the whole reach, whatever the window is, largest first; at the resolution of the search, not a proof."""

    window: Numbers
    count: int
    aspects: list[AspectRow]
