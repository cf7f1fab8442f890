"""A mechanism: the elements together, checked when it is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
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
    Angle,
    Bar,
    Carried,
    Coupling,
    Damper,
    Drive,
    Element,
    Free,
    Motor,
    Pin,
    Plate,
    Point,
    Rail,
    Spring,
    Telescope,
)
from closedchain.describe.expressions import Expr, symbols
from closedchain.describe.parameters import Parameter, values_of
from closedchain.describe.vectors import Vector, vector

T = TypeVar("T")
TRACER = "output"  # the point that is pinned to a carried point, so that this can be the output


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Drives, bars, plates and what acts on them; `output` is the point or plate the robot moves.

    A point that a plate, a bar or a free point carries may be the output, too: a point of no mass is then pinned to it.
    """

    name: str
    drives: tuple[Drive, ...]
    output: Free | Plate
    bars: tuple[Bar, ...] = ()
    pins: tuple[Pin, ...] = ()
    rails: tuple[Rail, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    springs: tuple[Spring, ...] = ()
    dampers: tuple[Damper, ...] = ()
    motors: tuple[Motor, ...] = ()
    readouts: tuple[Angle, ...] = ()
    gravity: Vector | None = None  # [m/s^2]
    about: str = ""
    parameters: tuple[Parameter, ...] = ()
    linkage: bool = False  # closures may be fewer or more than free bodies need, and there may be no drive
    points: tuple[Point, ...] = field(init=False)
    plates: tuple[Plate, ...] = field(init=False)

    def __post_init__(self) -> None:
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
        if not self.parameters:
            found = symbols(e for e, _ in self.expressions())
            object.__setattr__(self, "parameters", tuple(s for s in found.values() if isinstance(s, Parameter)))
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
            else:
                yield drive
        for bar in self.bars:
            yield from (bar.a, bar.b)
        for pin in self.pins:
            yield from (pin.a, pin.b)
        for rail in self.rails:
            yield from (rail.point, rail.through)
        for between in self._acted():
            if isinstance(between, tuple):
                yield from between
            elif isinstance(between, Angle):
                yield from (between.tail, between.tip)
        for angle in self.readouts:
            yield from (angle.tail, angle.tip)
        if isinstance(self.output, Free):
            yield self.output

    def _acted(self) -> list[tuple[Point, Point] | Drive | Angle]:
        """What springs and dampers act between, or on."""
        return [s.between for s in self.springs] + [d.between for d in self.dampers]

    @property
    def dimension(self) -> int:
        """2 for the plane, 3 for space."""
        return self.output.dimension if isinstance(self.output, Free) else 2

    @property
    def bodies(self) -> tuple[Free | Plate, ...]:
        """What has coordinates in x: the output first, then other free points and plates."""
        carriers = [p.by for p in self.points if isinstance(p, Carried)]
        free = [p for p in self.points if isinstance(p, Free)]
        return tuple(_unique([self.output, *free, *[c for c in carriers if isinstance(c, Free)], *self.plates]))

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The drives, then x, y, z or phi of the output, then those of the other bodies: x_D."""
        x = []
        for body in self.bodies:
            mark = "" if body is self.output else f"_{body.name}"
            axes = "xyz"[: body.dimension] if isinstance(body, Free) else ("x", "y", "phi")
            x += [axis + mark for axis in axes]
        return (*(d.name for d in self.drives), *x)

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
        placed = (*self.drives, *self.points, *self.bodies, *self.bars, *self.pins, *self.rails, *self.couplings)
        angles = (a for a in self._acted() if isinstance(a, Angle))
        yield from _unique((*placed, *self.springs, *self.dampers, *self.motors, *self.readouts, *angles))

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


def _unique(items: Iterable[T]) -> Iterator[T]:
    seen: set[int] = set()
    for item in items:
        if id(item) not in seen:
            seen.add(id(item))
            yield item
