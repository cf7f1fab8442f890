"""Legs of space that are hinged in a plane or do not twist: which of their closures the joints at their feet make.

A `Plane` across a leg, from one of its ends through the other, is a single hinge at that other end. A `Coplanar` on a
leg is a universal joint at each end whose inner axes are parallel: along the second axis of the first.
"""

from __future__ import annotations

from dataclasses import dataclass

from closedchain.describe.elements import (
    Bar,
    Body,
    Carried,
    Coplanar,
    Direction,
    Fixed,
    Plane,
    Point,
    Slider,
    Telescope,
)
from closedchain.describe.mechanism import Mechanism

Leg = Bar | Telescope


@dataclass(frozen=True, eq=False)
class Guide:
    """How a leg is hung at its foot: by one hinge about `axis`, or by a universal joint whose first axis that is."""

    leg: Leg
    foot: Point
    axis: Direction  # of what holds the foot
    closure: Plane | Coplanar

    @property
    def single(self) -> bool:
        return isinstance(self.closure, Plane)


def guides_of(mechanism: Mechanism) -> dict[int, Guide]:
    """By the id of the leg, at most one each."""
    legs: list[Leg] = [*mechanism.bars, *(d for d in mechanism.drives if isinstance(d, Telescope))]
    ends = [(leg, *span(leg)) for leg in legs]
    found: dict[int, Guide] = {}
    for plane in mechanism.planes:
        for leg, a, b in ends:
            if {id(plane.point), id(plane.through)} == {id(a), id(b)} and firm(plane.through):
                axis = Direction(plane.normal, body_of(plane.through))
                found.setdefault(id(leg), Guide(leg, plane.through, axis, plane))
    for lines in mechanism.coplanars:
        for leg, a, b in ends:
            for foot, axis in ((lines.a, lines.u), (lines.b, lines.v)):
                if {id(lines.a), id(lines.b)} == {id(a), id(b)} and firm(foot) and body_of(foot) is axis.by:
                    found.setdefault(id(leg), Guide(leg, foot, axis, lines))
    return found


def firm(point: Point) -> bool:
    """Whether what holds a point has directions of its own: the ground, a body, or a carriage that never turns."""
    return isinstance(point, Fixed | Slider) or body_of(point) is not None


def body_of(point: Point) -> Body | None:
    """The body of space that carries a point, if one does."""
    return point.by if isinstance(point, Carried) and isinstance(point.by, Body) else None


def span(leg: Leg) -> tuple[Point, Point]:
    """From where to where a bar or telescope reaches."""
    return (leg.a, leg.b) if isinstance(leg, Bar) else (leg.base, leg.tip)
