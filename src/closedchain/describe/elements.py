"""The vocabulary: points, drives, bars, plates, and what acts on them.

Numbers may be floats or expressions of parameters. Elements refer to each other directly: `Bar(A1, C, l)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from closedchain.describe.expressions import ONE, ZERO, Expr, Number, Scalar, apply, cos, expr, is_number, sin, sqrt
from closedchain.describe.vectors import Vector, plus, times, vector

_SCALARS = {"mass", "radius", "length", "inertia", "centre", "stiffness", "rest", "damping", "resistance", "kt", "kv"}
_SCALARS |= {
    "rotor",
    "ratio",
    "efficiency",
    "cosine",
    "base_mass",
    "base_centre",
    "base_inertia",
    "tip_mass",
    "tip_centre",
    "tip_inertia",
    "preload",
    "coulomb",
    "static",
    "stribeck",
    "viscous",
    "width",
    "low",
    "high",
    "loss",
    "restitution",
    "inductance",
    "most_current",
    "most_voltage",
    "back_efficiency",
}
_VECTORS = {"at", "along", "about", "near", "axis", "normal"}
STILL = Number(1e-300)  # [m²/s², rad²/s²] the square of a rate that is none
Limits = tuple[Expr, Expr]  # the lowest and the highest value of a joint


class Element:
    """Turns plain numbers into expressions once, when the element is made."""

    def __post_init__(self) -> None:
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if value is None:
                continue
            if f.name in _VECTORS and not isinstance(value, Element) and not isinstance(value, str):
                self._set(f.name, vector(value))
            elif f.name == "limits":
                self._set(f.name, tuple(expr(v) for v in value))
            elif f.name in _SCALARS and isinstance(value, Expr | int | float):
                self._set(f.name, expr(value))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


# Points ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Fixed(Element):
    """A point of the ground."""

    name: str
    at: Vector  # [m]


@dataclass(frozen=True, eq=False)
class Free(Element):
    """A point that only the bars hold; it may have a mass."""

    name: str
    mass: Expr = ZERO  # [kg]
    dimension: int = 2
    near: Vector | None = None  # [m] about where it is, to begin assembling from


@dataclass(frozen=True, eq=False)
class Plate(Element):
    """A rigid body of the plane: its pose is (x, y, phi) of a frame in which its points are given."""

    name: str
    mass: Expr = ZERO  # [kg]
    centre: Vector = (ZERO, ZERO)  # [m], in the plate's frame
    inertia: Expr = ZERO  # [kg m^2], about the centre
    near: Vector | None = None  # x, y [m] and phi [rad], about where it is, to begin assembling from

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("centre", vector(self.centre))

    def point(self, name: str, at: Iterable[Scalar]) -> Carried:
        """A point of this plate, at local coordinates."""
        return Carried(name, self, vector(at))


@dataclass(frozen=True, eq=False)
class Body(Element):
    """A rigid body of space, on a joint or free; its points and directions are given in its frame.

    A free body's pose is x, y, z of its frame's origin and roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll).
    """

    name: str
    mass: Expr = ZERO  # [kg]
    centre: Vector = (ZERO, ZERO, ZERO)  # [m]
    inertia: Vector = (ZERO, ZERO, ZERO)  # [kg m^2] about the centre: xx, yy, zz and, where given, xy, xz, yz
    joint: Joint | None = None
    near: Vector | None = None  # its own coordinates, about where it is, to begin assembling from

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("centre", vector(self.centre))
        self._set("inertia", vector(self.inertia))

    def point(self, name: str, at: Iterable[Scalar]) -> Carried:
        """A point of this body, at local coordinates."""
        return Carried(name, self, vector(at))

    def direction(self, along: Iterable[Scalar]) -> Direction:
        """A direction that turns with this body."""
        return Direction(vector(along), self)


@dataclass(frozen=True, eq=False)
class Joint(Element):
    """Where a body's frame stands on what carries it, while the joint is at zero."""

    name: str  # of its coordinate
    at: Vector = (ZERO, ZERO, ZERO)  # [m], in the frame of what carries it
    by: Body | None = None  # the ground unless given
    axes: tuple[Vector, Vector, Vector] | None = (
        None  # the frame's x, y, z there; those of what carries it unless given
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.axes is not None:
            self._set("axes", tuple(vector(axis) for axis in self.axes))


@dataclass(frozen=True, eq=False)
class Turn(Joint):
    """A hinge: the body turns about an axis through its origin. Among the drives it is one."""

    axis: Vector = (ZERO, ZERO, ONE)  # unit vector, in the frame of what carries it
    limits: Limits | None = None  # [rad]
    rotor: Expr = ZERO  # [kg m^2] an inertia that only the joint's rate moves
    stiffness: Expr = ZERO  # [N m/rad] V = ½ stiffness (angle − rest)²
    rest: Expr = ZERO  # [rad]
    damping: Expr = ZERO  # [N m s/rad]


@dataclass(frozen=True, eq=False)
class Slide(Joint):
    """A guide: the body moves along a line without turning. Among the drives it is one."""

    axis: Vector = (ZERO, ZERO, ONE)  # unit vector, in the frame of what carries it
    limits: Limits | None = None  # [m]
    rotor: Expr = ZERO  # [kg] a mass that only the joint's rate moves
    stiffness: Expr = ZERO  # [N/m] V = ½ stiffness (shift − rest)²
    rest: Expr = ZERO  # [m]
    damping: Expr = ZERO  # [N s/m]


@dataclass(frozen=True, eq=False)
class Ball(Joint):
    """A ball: the body turns about its origin in any way, by roll, pitch and yaw."""


@dataclass(frozen=True, eq=False)
class Direction(Element):
    """A direction of a body or, without one, of the ground."""

    along: Vector  # unit vector
    by: Body | None = None


@dataclass(frozen=True, eq=False)
class Carried(Element):
    """A point that a plate or a body carries (local coordinates), that stands at a fixed offset from a free point, or
    that a bar carries: along it from a towards b, and to the left of that."""

    name: str
    by: Plate | Body | Free | Bar
    at: Vector  # [m]


# Drives ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Slider(Element):
    """A drive that moves its point along a line: A = at + q along, |along| = 1."""

    name: str
    at: Vector  # [m], where q = 0
    along: Vector  # unit vector
    mass: Expr = ZERO  # [kg]
    point: str = ""  # name of the point it carries; the drive's own name unless given
    limits: Limits | None = None  # [m] of q

    def position(self, q: Expr) -> Vector:
        return plus(self.at, times(q, self.along))


@dataclass(frozen=True, eq=False)
class Crank(Element):
    """A drive that turns its point about a fixed one: A = about + radius (cos q e1 + sin q e2)."""

    name: str
    about: Vector  # [m]
    radius: Expr  # [m]
    mass: Expr = ZERO  # [kg]
    centre: Expr | None = None  # [m] from the pivot along the arm; radius / 2 unless given
    inertia: Expr | None = None  # [kg m^2] about its centre; a uniform rod's unless given
    plane: tuple[Vector, Vector] | None = None  # e1, e2: orthonormal; the x and y axes unless given
    point: str = ""
    limits: Limits | None = None  # [rad] of q

    def __post_init__(self) -> None:
        about: Any = self.about
        if isinstance(about, Fixed):
            self._set("about", about.at)
        super().__post_init__()
        if self.plane is None:
            self._set("plane", (vector((1, 0)), vector((0, 1))))
        else:
            self._set("plane", tuple(vector(e) for e in self.plane))
        if self.centre is None:
            self._set("centre", self.radius / 2)
        if self.inertia is None:
            self._set("inertia", self.mass * self.radius**2 / 12)

    def direction(self, q: Expr) -> Vector:
        assert self.plane is not None
        return plus(times(cos(q), self.plane[0]), times(sin(q), self.plane[1]))

    def position(self, q: Expr) -> Vector:
        return plus(self.about, times(self.radius, self.direction(q)))


@dataclass(frozen=True, eq=False)
class Telescope(Element):
    """A drive that is the distance between two points, with a body at each end (a cylinder and its rod)."""

    name: str
    base: Point
    tip: Point
    base_mass: Expr = ZERO  # [kg]
    base_centre: Expr = ZERO  # [m] from the base towards the tip
    base_inertia: Expr = ZERO  # [kg m^2] about its centre
    tip_mass: Expr = ZERO
    tip_centre: Expr = ZERO  # [m] from the tip towards the base
    tip_inertia: Expr = ZERO
    limits: Limits | None = None  # [m] its shortest and its longest length


Point = Fixed | Free | Carried | Slider | Crank
LegDrive = Slider | Crank | Telescope  # what carries a point or spans two of them
Drive = LegDrive | Turn | Slide


# Closures ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bar(Element):
    """Keeps two points at a distance; massless unless told otherwise, then a uniform rod unless told otherwise."""

    a: Point
    b: Point
    length: Expr  # [m]
    mass: Expr = ZERO  # [kg]
    centre: Expr | None = None  # [m] from a towards b
    inertia: Expr | None = None  # [kg m^2] about its centre
    name: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.centre is None:
            self._set("centre", self.length / 2)
        if self.inertia is None:
            self._set("inertia", self.mass * self.length**2 / 12)
        if not self.name:
            self._set("name", f"{point_name(self.a)}-{point_name(self.b)}")

    def point(self, name: str, along: Scalar, across: Scalar = 0.0) -> Carried:
        """A point of this bar or its extension, for the output: `along` [m] from a towards b, `across` to the left."""
        return Carried(name, self, vector((along, across)))


@dataclass(frozen=True, eq=False)
class Pin(Element):
    """Keeps two points together."""

    a: Point
    b: Point
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            self._set("name", f"{point_name(self.a)}={point_name(self.b)}")


@dataclass(frozen=True, eq=False)
class Rail(Element):
    """Keeps a point on a line through another point; the line turns with the plate that carries `through`."""

    point: Point
    through: Point
    along: Vector  # unit vector; in the plate's frame when a plate carries `through`
    name: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name:
            self._set("name", f"{point_name(self.point)}|{point_name(self.through)}")


@dataclass(frozen=True, eq=False)
class Plane(Element):
    """Keeps a point in a plane through another point; the plane turns with the body that carries `through`."""

    point: Point
    through: Point
    normal: Vector  # unit vector; in the body's frame when one carries `through`
    name: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name:
            self._set("name", f"{point_name(self.point)}/{point_name(self.through)}")


@dataclass(frozen=True, eq=False)
class Incline(Element):
    """Keeps two directions at an angle: a · b = cosine. Two of them make a hinge of a pin, three of them a weld."""

    a: Direction
    b: Direction
    cosine: Expr = ZERO
    name: str = ""


@dataclass(frozen=True, eq=False)
class Coplanar(Element):
    """Keeps two lines in one plane, as a leg between two universal joints does: (b − a) · (u × v) = 0."""

    a: Point
    b: Point
    u: Direction  # of the line through a
    v: Direction  # of the line through b
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            self._set("name", f"{point_name(self.a)}#{point_name(self.b)}")


@dataclass(frozen=True, eq=False)
class Coupling(Element):
    """A linear relation between coordinates, as gears, belts and racks make: Σ factor × coordinate = equals.

    A drive's coordinate has its name, a body's are x, y, phi of the output and x_D, y_D, phi_D of another body D. They
    are counted on, not modulo a turn. Where all are angles the sum is an angle, else a length.
    """

    terms: tuple[tuple[str, Expr], ...]  # a coordinate and its factor; [m/rad] for an angle beside a length
    equals: Expr = ZERO  # [rad] or [m]
    name: str = ""

    def __post_init__(self) -> None:
        self._set("terms", tuple((name, expr(factor)) for name, factor in self.terms))
        self._set("equals", expr(self.equals))
        if not self.name:
            self._set("name", "~".join(name for name, _ in self.terms))


# What acts ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OnMeasure(Element):
    """What acts on a measure: the distance of two points, a drive, a joint of a body of space, or an angle."""

    between: tuple[Point, Point] | Drive | Angle

    def __post_init__(self) -> None:
        super().__post_init__()
        if not getattr(self, "name", ""):
            self._set("name", _link_name(self.between))

    @property
    def turns(self) -> bool:
        """Whether its measure is an angle."""
        return isinstance(self.between, Crank | Turn | Angle)


@dataclass(frozen=True, eq=False)
class Spring(OnMeasure):
    """V = ½ stiffness s² + preload s, s = measure − rest; an angle's s is within ±π. Without stiffness it pulls always
    alike."""

    stiffness: Expr = ZERO  # [N/m] or [N m/rad]
    rest: Expr = ZERO  # [m] or [rad]
    preload: Expr = ZERO  # [N] or [N m] with which it pulls at rest
    name: str = ""


@dataclass(frozen=True, eq=False)
class Damper(OnMeasure):
    """Force = −damping × rate of its measure."""

    damping: Expr  # [N s/m] or [N m s/rad]
    name: str = ""


@dataclass(frozen=True, eq=False)
class Friction(OnMeasure):
    """Against the rate v: [coulomb + (static − coulomb) exp(−(v/stribeck)²)] sgn v + viscous v.

    With a `width` sgn v is v / √(v² + width²). Without one it is what it is: at rest anything within ±1, as much as
    holds; `simulate` then takes method = "events".
    """

    coulomb: Expr = ZERO  # [N] or [N m]
    static: Expr | None = None  # [N] or [N m] at rest; coulomb unless given
    stribeck: Expr | None = None  # [m/s] or [rad/s] within which static falls to coulomb
    viscous: Expr = ZERO  # [N s/m] or [N m s/rad]
    width: Expr | None = None  # [m/s] or [rad/s]
    name: str = ""

    @property
    def exact(self) -> bool:
        """Whether it is set-valued at rest."""
        return self.width is None

    @property
    def holding(self) -> Expr:
        """The largest force at rest."""
        return self.coulomb if self.static is None else self.static

    def level(self, v: Expr) -> Expr:
        """The dry force while it slides at v, without its sign."""
        if self.static is None or self.stribeck is None:
            return self.coulomb
        return self.coulomb + (self.static - self.coulomb) * apply("exp", -((v / self.stribeck) ** 2))

    def sense(self, v: Expr) -> Expr:
        """sgn v, with its width; zero at rest where it has none."""
        return v / sqrt(v**2 + (self.width**2 if self.width is not None else STILL))


@dataclass(frozen=True, eq=False)
class Stop(OnMeasure):
    """An end stop below `low` and above `high` of its measure.

    With a `stiffness` it pushes back with stiffness u (1 + loss u̇), u how deep it is pressed in (Hunt and Crossley);
    with a `restitution` it gives way by nothing: what comes at v leaves at −restitution v.
    """

    low: Expr | None = None  # [m] or [rad]
    high: Expr | None = None
    stiffness: Expr | None = None  # [N/m] or [N m/rad]
    loss: Expr = ZERO  # [s/m] or [s/rad]
    restitution: Expr | None = None  # from 0 to 1
    name: str = ""


Acts = Spring | Damper | Friction | Stop


@dataclass(frozen=True, eq=False)
class Motor(Element):
    """A DC motor with a gearbox on a drive: effort = ratio kt i × efficiency, resistance i = u − kv ratio q̇.

    With an inductance the current i has its own time: inductance di/dt = u − kv ratio q̇ − resistance i. The supply
    gives no more than most_voltage, the amplifier lets no more than most_current through. With a back_efficiency the
    gearbox loses both ways: where the load drives the motor, effort = ratio kt i / back_efficiency; the change between
    the two is as wide in q̇ as `width`.
    """

    drive: str
    resistance: Expr  # [ohm]
    kt: Expr  # [N m/A]
    kv: Expr  # [V s/rad]
    ratio: Expr = ONE
    inertia: Expr = ZERO  # [kg m^2] of the rotor, before the gearbox
    efficiency: Expr = ONE
    inductance: Expr = ZERO  # [H]
    most_current: Expr | None = None  # [A]
    most_voltage: Expr | None = None  # [V]
    back_efficiency: Expr | None = None
    width: Expr | None = None  # [m/s] or [rad/s] of the drive

    @property
    def inductive(self) -> bool:
        """Whether its current is a state."""
        return not is_number(self.inductance, 0.0)

    @property
    def linear(self) -> bool:
        """Whether its effort is gain u − back q̇."""
        return not self.inductive and self.most_current is self.most_voltage is self.back_efficiency is None


@dataclass(frozen=True, eq=False)
class Angle(Element):
    """A passive joint's angle: the direction tail → tip, from the x axis or from a crank's arm (`relative_to`)."""

    name: str
    tail: Point
    tip: Point
    relative_to: Crank | None = None
    limits: Limits | None = None  # [rad]


def _link_name(between: tuple[Point, Point] | Drive | Angle) -> str:
    return "-".join(map(point_name, between)) if isinstance(between, tuple) else between.name


def point_name(point: Point) -> str:
    """What a point is called: a drive's point has its own name or the drive's."""
    if isinstance(point, Slider | Crank):
        return point.point or point.name
    return point.name
