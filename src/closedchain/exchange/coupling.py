"""Joints that follow others, as linear relations between the coordinates of our drives, plates and free points.

A joint's value is a constant and a sum of coordinates: a drive's own; of a passive hinge the turn of one link less that
of the other; of a slide on the ground how far its carriage is along it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Coupling, Drive, Free, Plate, Telescope
from closedchain.describe.expressions import expr
from closedchain.exchange.naming import clean
from closedchain.exchange.planar import Connection, Link, NotOurs
from closedchain.exchange.sketching import Sketch
from closedchain.exchange.tree import Relation

NOTHING = 1e-12  # of the largest factor: less is none


@dataclass
class Sum:
    """A constant and factors of coordinates."""

    constant: float = 0.0
    factors: dict[str, float] = field(default_factory=dict)

    def add(self, other: Sum, factor: float = 1.0) -> Sum:
        names = dict.fromkeys((*self.factors, *other.factors))
        factors = {n: self.factors.get(n, 0.0) + factor * other.factors.get(n, 0.0) for n in names}
        return Sum(self.constant + factor * other.constant, factors)


def couplings(sketch: Sketch, drives: dict[str, Drive], output: Free | Plate) -> list[Coupling]:
    """One for each relation of the tree; raises NotOurs where a joint's value is no sum of coordinates."""
    return [_Coupled(sketch, drives, output).coupling(relation) for relation in sketch.tree.relations]


@dataclass(eq=False)
class _Coupled:
    sketch: Sketch
    drives: dict[str, Drive]
    output: Free | Plate

    def coupling(self, relation: Relation) -> Coupling:
        if not relation.linear:
            raise NotOurs(f"the coupling {relation.name} is not linear; ours are")
        whole = self.value(relation.joint)
        for other, (ratio, *_) in relation.others:
            whole = whole.add(self.value(other), -ratio)
        largest = max(map(abs, whole.factors.values()), default=0.0)
        terms = tuple((n, expr(k)) for n, k in whole.factors.items() if abs(k) > NOTHING * largest)
        equals = expr(relation.offset - whole.constant)
        return Coupling(terms, equals, name=clean(relation.name, self.sketch.names))

    def value(self, joint: str) -> Sum:
        """A joint's value, from where the tree's is 0."""
        connection = next((c for c in self.sketch.plane.connections if c.joint and c.joint.name == joint), None)
        if connection is None or connection.joint is None or connection.a is connection.b:
            raise NotOurs(f"the joint {joint}, which is coupled, cannot move: both of its sides are one body")
        zero = Sum(connection.coordinate - connection.joint.zero)
        if joint in self.drives:
            return zero.add(self._of_drive(self.drives[joint], connection))
        if connection.kind == "pin":
            turned = self._turn(connection.b).add(self._turn(connection.a), -1.0)
            return zero.add(turned, connection.sign)
        return zero.add(self._shift(connection))

    def _of_drive(self, drive: Drive, connection: Connection) -> Sum:
        """How far a drive is from where the tree was assembled."""
        if not isinstance(drive, Telescope):
            return Sum(-connection.coordinate, {drive.name: 1.0})
        a, b = (self.sketch.roles.places_of(link)[0].at for link in (connection.a, connection.b))
        way = 1.0 if connection.along @ (b - a) > 0 else -1.0
        return Sum(-way * float(np.linalg.norm(b - a)), {drive.name: way})

    def _turn(self, link: Link) -> Sum:
        """By how much a link has turned since the tree was assembled."""
        role, body = self.sketch.role(link), self.sketch.bodies.get(link)
        if isinstance(body, Plate):
            return Sum(-self.sketch.frame_of(link)[1], {self._name("phi", body): 1.0})
        if role == "crank":
            name, drive = next((n, c) for n, c in self.sketch.roles.drives.items() if link in (c.a, c.b))
            sense = drive.sign * (1.0 if drive.b is link else -1.0)
            return Sum(-sense * drive.coordinate, {self.drives[name].name: sense})
        if role in ("ground", "slider", "carrier"):
            return Sum()
        raise NotOurs(f"{link.name}, a {role}, has no angle of its own, but a coupling needs it")

    def _shift(self, slide: Connection) -> Sum:
        """By how much a carriage has moved along a slide on the ground."""
        ground = self.sketch.plane.links[0]
        link = slide.b if slide.a is ground else slide.a
        body = self.sketch.bodies.get(link)
        if ground not in (slide.a, slide.b) or not isinstance(body, Free):
            raise NotOurs(f"the slide {slide.name}, which is coupled, is not between the ground and a carriage")
        along: Doubles = slide.along if slide.b is link else -slide.along
        factors = {self._name(axis, body): float(k) for axis, k in zip("xy", along, strict=True) if k}
        return Sum(-float(along @ self.sketch.origins[link]), factors)

    def _name(self, axis: str, body: Free | Plate) -> str:
        return axis if body is self.output else f"{axis}_{body.name}"
