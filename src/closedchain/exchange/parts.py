"""A mechanism as rigid parts and the clusters of points at which they turn against each other.

A bar is one part, a telescope two, a rail has a block that slides on it. Points joined by pins are one cluster; parts
that share a cluster are hinged there. A free point that carries others is a part that only shifts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from closedchain.describe.elements import (
    Bar,
    Body,
    Carried,
    Crank,
    Element,
    Fixed,
    Free,
    Plate,
    Point,
    Rail,
    Slider,
    Telescope,
    point_name,
)
from closedchain.describe.mechanism import Mechanism
from closedchain.exchange.naming import unique

KINDS = ("ground", "slider", "crank", "bar", "base", "rod", "plate", "block", "carrier", "solid")


@dataclass(frozen=True, eq=False)
class Part:
    """A rigid part: the ground, or what an element of the mechanism is as a body."""

    kind: str  # one of KINDS
    element: Element | None
    name: str


@dataclass(eq=False)
class Cluster:
    """Points that stay together, and the parts that are hinged there, each with the point it holds."""

    points: list[Point] = field(default_factory=list)
    parts: dict[Part, Point] = field(default_factory=dict)


class Parts:
    """The parts of a mechanism, their clusters, and which part each rail's block slides on."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.taken: set[str] = {point_name(p) for p in mechanism.points} | {"world"}
        self.ground = Part("ground", None, "world")
        self.cluster_of: dict[int, Cluster] = {}
        self._join()
        self.of: dict[tuple[str, int], Part] = {}
        self.every = (self.ground, *self._made())
        self.holders = {self.of["block", id(r)]: self.holder(r.through) for r in mechanism.rails}
        for point in self._every_point():
            self._attach(point)

    @property
    def clusters(self) -> list[Cluster]:
        """Each cluster once, in the order of the points."""
        return list({id(c): c for c in self.cluster_of.values()}.values())

    def clusters_with(self, part: Part) -> list[Cluster]:
        return [c for c in self.clusters if part in c.parts]

    def holder(self, point: Point) -> Part:
        """The part whose frame a line through `point` follows: a plate, or one that never turns."""
        if isinstance(point, Fixed):
            return self.ground
        if isinstance(point, Slider):
            return self.of["slider", id(point)]
        if isinstance(point, Carried):
            kinds: dict[type, str] = {Plate: "plate", Bar: "bar", Free: "carrier", Body: "solid"}
            return self.of[kinds[type(point.by)], id(point.by)]
        return self.of["carrier", id(point)]

    def solid(self, body: Body | None) -> Part:
        """The part that a body of space is; the ground for none."""
        return self.ground if body is None else self.of["solid", id(body)]

    def _join(self) -> None:
        for point in self._every_point():
            self.cluster_of[id(point)] = Cluster([point])
        for pin in self.mechanism.pins:
            one, other = self.cluster_of[id(pin.a)], self.cluster_of[id(pin.b)]
            if one is not other:
                one.points += other.points
                for point in other.points:
                    self.cluster_of[id(point)] = one

    def _every_point(self) -> Iterator[Point]:
        yield from self.mechanism.points
        yield from (b for b in self.mechanism.bodies if isinstance(b, Free) and b not in self.mechanism.points)

    def _made(self) -> Iterator[Part]:
        m = self.mechanism
        for drive in m.drives:
            match drive:
                case Slider():
                    yield self._make("slider", drive, f"{drive.name}_carriage")
                case Crank():
                    yield self._make("crank", drive, f"{drive.name}_arm")
                case Telescope():
                    yield self._make("base", drive, f"{drive.name}_cylinder")
                    yield self._make("rod", drive, f"{drive.name}_rod")
        for point in self._carriers():
            yield self._make("carrier", point, f"{point_name(point)}_carrier")
        for rail in m.rails:
            yield self._make("block", rail, f"{rail.name}_block")
        for bar in m.bars:
            yield self._make("bar", bar, bar.name)
        for plate in m.plates:
            yield self._make("plate", plate, plate.name)
        for solid in m.solids:
            yield self._make("solid", solid, solid.name)

    def _carriers(self) -> list[Point]:
        """Points whose part shifts without turning: free ones that carry others or a rail, cranks that carry a rail."""
        carrying: list[Point] = [
            p.by for p in self.mechanism.points if isinstance(p, Carried) and isinstance(p.by, Free)
        ]
        carrying += [r.through for r in self.mechanism.rails if isinstance(r.through, Free | Crank)]
        return list({id(p): p for p in carrying}.values())

    def _make(self, kind: str, element: Element, name: str) -> Part:
        part = Part(kind, element, unique(name, self.taken))
        self.of[kind, id(element)] = part
        return part

    def _attach(self, point: Point) -> None:
        """Put the parts that hold a point into its cluster."""
        cluster = self.cluster_of[id(point)]
        if isinstance(point, Fixed):
            cluster.parts.setdefault(self.ground, point)
        elif isinstance(point, Slider | Crank):
            cluster.parts[self.of["slider" if isinstance(point, Slider) else "crank", id(point)]] = point
        elif isinstance(point, Carried):
            cluster.parts[self.holder(point)] = point
        if ("carrier", id(point)) in self.of:
            cluster.parts[self.of["carrier", id(point)]] = point
        for part in self.every:
            if any(end is point for end in _ends(part)):
                cluster.parts[part] = point


def _ends(part: Part) -> tuple[Point, ...]:
    """The points at which a bar, a telescope's part or a block ends."""
    match part.element:
        case Bar():
            return (part.element.a, part.element.b)
        case Telescope():
            return (part.element.base,) if part.kind == "base" else (part.element.tip,)
        case Rail():
            return (part.element.point,)
    return ()
