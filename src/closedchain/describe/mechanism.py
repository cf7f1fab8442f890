"""A mechanism: the elements together, checked when it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import InitVar, dataclass, field
from typing import TypeVar

from closedchain.describe.checks import BadMechanism as BadMechanism
from closedchain.describe.checks import (
    check_count,
    check_couplings,
    check_dimensions,
    check_drives,
    check_links,
    check_names,
    check_units,
    check_values,
    element_place,
    flatten,
)
from closedchain.describe.elements import (
    Acts,
    Angle,
    Ball,
    Bar,
    Body,
    Carried,
    Coplanar,
    Coupling,
    Crank,
    Damper,
    Direction,
    Drive,
    Element,
    Free,
    Friction,
    Incline,
    Joint,
    Motor,
    Pin,
    Plane,
    Plate,
    Point,
    Rail,
    Spring,
    Stop,
    Telescope,
    Turn,
)
from closedchain.describe.expressions import Expr, symbols
from closedchain.describe.joints import Closure
from closedchain.describe.parameters import Parameter, values_of
from closedchain.describe.vectors import Vector, vector

T = TypeVar("T")
TRACER = "output"  # the point that is pinned to a carried point, so that this can be the output


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Drives, bars, plates, bodies and what acts on them; `output` is the point, plate or body the robot moves.

    A point that one of these carries may be the output, too: a point of no mass is then pinned to it. The output of a
    body on joints is what those joints from the ground to it leave open.
    """

    name: str
    drives: tuple[Drive, ...]
    output: Free | Plate | Body
    bars: tuple[Bar, ...] = ()
    pins: tuple[Pin, ...] = ()
    rails: tuple[Rail, ...] = ()
    planes: tuple[Plane, ...] = ()
    inclines: tuple[Incline, ...] = ()
    coplanars: tuple[Coplanar, ...] = ()
    joints: InitVar[tuple[tuple[Closure, ...], ...]] = ()  # of closedchain.describe.joints: pins, planes, inclines
    couplings: tuple[Coupling, ...] = ()
    springs: tuple[Spring, ...] = ()
    dampers: tuple[Damper, ...] = ()
    frictions: tuple[Friction, ...] = ()
    stops: tuple[Stop, ...] = ()
    motors: tuple[Motor, ...] = ()
    readouts: tuple[Angle, ...] = ()
    gravity: Vector | None = None  # [m/s^2]
    about: str = ""
    parameters: tuple[Parameter, ...] = ()
    further: tuple[Body | Carried, ...] = ()  # bodies, and points to be drawn, that nothing else mentions
    linkage: bool = False  # closures may be fewer or more than free bodies need, and there may be no drive
    working: str = ""  # the working mode that it is built in, "-+": taken where none is asked for
    points: tuple[Point, ...] = field(init=False)
    plates: tuple[Plate, ...] = field(init=False)
    solids: tuple[Body, ...] = field(init=False)  # the bodies of space, what carries another before it

    def __post_init__(self, joints: tuple[tuple[Closure, ...], ...]) -> None:
        rows = [row for joint in joints for row in joint]
        for name, kind in (("pins", Pin), ("planes", Plane), ("inclines", Incline)):
            object.__setattr__(self, name, (*getattr(self, name), *(row for row in rows if isinstance(row, kind))))
        if self.gravity is not None:
            object.__setattr__(self, "gravity", vector(self.gravity))
        given: object = self.output
        if isinstance(given, Carried):
            tracer = Free(TRACER, dimension=len(given.at))
            object.__setattr__(self, "pins", (*self.pins, Pin(given, tracer)))
            object.__setattr__(self, "output", tracer)
        points = tuple(_unique(self._mentioned_points()))
        object.__setattr__(self, "points", points)
        bodies = [p.by for p in points if isinstance(p, Carried)] + [self.output]
        object.__setattr__(self, "plates", tuple(b for b in _unique(bodies) if isinstance(b, Plate)))
        bodies += [b for b in self.further if isinstance(b, Body)]
        bodies += [d.by for d in self.directions if d.by is not None]
        solids = [c for b in bodies if isinstance(b, Body) for c in chain(b)]
        first = chain(self.output) if isinstance(self.output, Body) else ()
        object.__setattr__(self, "solids", tuple(_unique([*first, *solids])))
        if not self.parameters:
            found = symbols(e for e, _ in self.expressions())
            object.__setattr__(self, "parameters", tuple(s for s in found.values() if isinstance(s, Parameter)))
        if set(self.working) - set("+-"):
            raise BadMechanism(self.name, "working", f"{self.working!r:.30} is no mode: it is a + or - for each choice")
        check_names(self)
        check_drives(self)
        check_couplings(self)
        check_links(self)
        check_dimensions(self)
        self.check_values(values_of(self.parameters))
        check_units(self)
        check_count(self)

    # What there is ------------------------------------------------------------------------------

    def _mentioned_points(self) -> Iterator[Point]:
        for drive in self.drives:
            if isinstance(drive, Telescope):
                yield from (drive.base, drive.tip)
            elif not isinstance(drive, Joint):
                yield drive
        for bar in self.bars:
            yield from (bar.a, bar.b)
        for pin in self.pins:
            yield from (pin.a, pin.b)
        for rail in self.rails:
            yield from (rail.point, rail.through)
        for plane in self.planes:
            yield from (plane.point, plane.through)
        for lines in self.coplanars:
            yield from (lines.a, lines.b)
        for between in (e.between for e in self.acting):
            if isinstance(between, tuple):
                yield from between
            elif isinstance(between, Angle):
                yield from (between.tail, between.tip)
        for angle in self.readouts:
            yield from (angle.tail, angle.tip)
        if isinstance(self.output, Free):
            yield self.output
        yield from (p for p in self.further if isinstance(p, Carried))

    @property
    def acting(self) -> tuple[Acts, ...]:
        """Springs, dampers, frictions and stops."""
        return (*self.springs, *self.dampers, *self.frictions, *self.stops)

    @property
    def directions(self) -> tuple[Direction, ...]:
        """What inclined and coplanar lines point along."""
        found = [e for i in self.inclines for e in (i.a, i.b)] + [e for c in self.coplanars for e in (c.u, c.v)]
        return tuple(_unique(found))

    @property
    def dimension(self) -> int:
        """2 for the plane, 3 for space."""
        return self.output.dimension if isinstance(self.output, Free) else 2 if isinstance(self.output, Plate) else 3

    @property
    def bodies(self) -> tuple[Free | Plate | Body, ...]:
        """What may have coordinates in x: the output behind what carries it, then other points, plates and bodies."""
        carriers = [p.by for p in self.points if isinstance(p, Carried)]
        free = [p for p in self.points if isinstance(p, Free)]
        first = chain(self.output) if isinstance(self.output, Body) else (self.output,)
        others = (*free, *[c for c in carriers if isinstance(c, Free)], *self.plates, *self.solids)
        return tuple(_unique([*first, *others]))

    def own_coordinates(self, body: Free | Plate | Body) -> tuple[tuple[str, str], ...]:
        """Names and units of a body's coordinates in x; none where a drive moves it. The output's have plain names."""
        mark = "" if body is self.output else f"_{body.name}"
        match body:
            case Free():
                return tuple((axis + mark, "m") for axis in "xyz"[: body.dimension])
            case Plate():
                return (("x" + mark, "m"), ("y" + mark, "m"), ("phi" + mark, "rad"))
        places, turns = [(axis, "m") for axis in "xyz"], [(axis, "rad") for axis in ("roll", "pitch", "yaw")]
        match body.joint:
            case None:
                return tuple((axis + mark, unit) for axis, unit in places + turns)
            case Ball() as ball:
                return tuple((axis + (mark and f"_{ball.name}"), unit) for axis, unit in turns)
        driven = any(drive is body.joint for drive in self.drives)
        return () if driven else ((body.joint.name, "rad" if isinstance(body.joint, Turn) else "m"),)

    @property
    def orientations(self) -> dict[Body, tuple[str, ...]]:
        """Roll, pitch and yaw of each body that turns in every way, by name."""
        turning = [b for b in self.solids if b.joint is None or isinstance(b.joint, Ball)]
        return {b: tuple(name for name, _ in self.own_coordinates(b)[-3:]) for b in turning}

    @property
    def output_names(self) -> tuple[str, ...]:
        """The coordinates that the robot moves: the output's own and, on joints, those of what carries it."""
        behind = chain(self.output) if isinstance(self.output, Body) else (self.output,)
        return tuple(name for body in behind for name, _ in self.own_coordinates(body))

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The drives, then x, y, z or phi of the output, then those of the other bodies: x_D."""
        x = [name for body in self.bodies for name, _ in self.own_coordinates(body)]
        return (*(d.name for d in self.drives), *x)

    @property
    def turning(self) -> set[str]:
        """The drives that turn."""
        return {d.name for d in self.drives if isinstance(d, Crank | Turn)}

    def expressions(self) -> Iterator[tuple[Expr, str]]:
        """Every expression of the description with the place it stands at."""
        for element in self.elements():
            place = element_place(element)
            for name, value in vars(element).items():
                for e in flatten(value):
                    yield e, f"{place}.{name}"
        for e in self.gravity or ():
            yield e, "gravity"

    def elements(self) -> Iterator[Element]:
        """Everything the mechanism is made of, each thing once."""
        joints = [b.joint for b in self.solids if b.joint is not None]
        placed = (*self.drives, *self.points, *self.bodies, *joints, *self.directions, *self.bars, *self.pins)
        held = (*self.rails, *self.planes, *self.inclines, *self.coplanars, *self.couplings)
        angles = (e.between for e in self.acting if isinstance(e.between, Angle))
        yield from _unique((*placed, *held, *self.acting, *self.motors, *self.readouts, *angles))

    def structure(self) -> tuple[list[str], list[Expr]]:
        """How the elements hang together, in words, and the expressions that those words leave open.

        Energies and closures do not tell everything that is derived: forces on joints follow each element's own mass.
        """
        elements = list(self.elements())
        numbers = {id(element): str(i) for i, element in enumerate(elements)}
        words, exprs = [f"gravity {len(self.gravity or ())}"], list(self.gravity or ())

        def word(value: object) -> str:
            if isinstance(value, Element):
                return numbers.get(id(value), type(value).__name__)
            if isinstance(value, tuple):
                return f"({' '.join(map(word, value))})"
            if isinstance(value, Expr):
                exprs.append(value)
                return "e"
            return repr(value)

        for element in elements:
            told = " ".join(f"{name}={word(value)}" for name, value in vars(element).items() if name != "near")
            words.append(f"{type(element).__name__} {told}")
        return [*words, word(self.output)], exprs

    def check_values(self, values: Mapping[str, float]) -> None:
        """Lengths positive, masses not negative, directions of unit length, everything finite."""
        check_values(self, values)


def chain(body: Body) -> tuple[Body, ...]:
    """The bodies from the ground to this one."""
    found = [body]
    while (joint := found[0].joint) is not None and joint.by is not None:
        found.insert(0, joint.by)
    return tuple(found)


def _unique(items: Iterable[T]) -> Iterator[T]:
    seen: set[int] = set()
    for item in items:
        if id(item) not in seen:
            seen.add(id(item))
            yield item
