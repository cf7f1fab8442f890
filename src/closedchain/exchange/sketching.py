"""The mechanism in the making: names, points and bodies that have been found so far."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Carried, Crank, Fixed, Free, Plate, Point, Slider
from closedchain.describe.expressions import expr
from closedchain.describe.vectors import Vector, vector
from closedchain.exchange.clusters import Place, Roles, coupled
from closedchain.exchange.naming import clean
from closedchain.exchange.planar import Link, NotOurs, Plane, turned
from closedchain.exchange.tree import Tree

FIRM = ("plate", "carrier", "ground", "slider", "crank")  # roles whose links own points
CONCENTRATED = 1e-12  # of mass × size²: an inertia that is none


@dataclass(eq=False)
class Sketch:
    """What the links have become; free bodies remember where the file has them."""

    roles: Roles
    output: str
    names: set[str] = field(default_factory=lambda: {"x", "y", "phi"})
    called: dict[Place, str] = field(default_factory=dict)
    owned: dict[tuple[Place, Link], Point] = field(default_factory=dict)
    bodies: dict[Link, Plate | Free] = field(default_factory=dict)
    origins: dict[Link, Doubles] = field(default_factory=dict)  # where a carrier's own point is
    points: dict[Place, Point] = field(default_factory=dict)
    extra: dict[Place, float] = field(default_factory=dict)  # masses that ride on a place
    claimed: set[Place] = field(default_factory=set)  # whose names a point has
    notes: list[str] = field(default_factory=list)

    @property
    def plane(self) -> Plane:
        return self.roles.plane

    @property
    def tree(self) -> Tree:
        return self.roles.plane.tree

    def role(self, link: Link) -> str:
        return self.roles.roles.get(link, "nothing")

    # Names --------------------------------------------------------------------------------------

    def name_places(self) -> None:
        """What the file calls each place, else P and a number."""
        for number, place in enumerate(self.roles.places, start=1):
            given = next((n for n in self._given(place) if clean(n, set()) not in self.names), f"P{number}")
            self.called[place] = clean(given, self.names)

    def claim(self, place: Place) -> str:
        """A name for a point at a place: the place's own for the first, another for each that follows."""
        name = self.called[place] if place not in self.claimed else clean(self.called[place], self.names)
        self.claimed.add(place)
        return name

    def _given(self, place: Place) -> list[str]:
        """The frames, and massless bodies that are but frames, that stand at a place."""
        parents = {body.parent for body in self.tree.bodies}
        found = []
        for name, (link, at, _) in self.plane.places.items():
            body = name in self.tree.index
            idle = body and (self.tree.body(name).mass > 0.0 or name in parents)
            if link in place.links and self.plane.near(at, place.at) and not idle:
                found += [] if re.match(r"closedloop|.*_frame$", name) else [name]
        return found

    # Masses -------------------------------------------------------------------------------------

    def concentrate(self) -> None:
        """Masses at the ends of bars, and those of blocks, ride on the place where they are."""
        for link, role in self.roles.roles.items():
            places = self.roles.places_of(link)
            small = link.inertia <= CONCENTRATED * link.mass * self.plane.size**2
            if role == "bar" and link.mass and small:
                near = [p for p in places if np.linalg.norm(p.at - link.centre) <= 1e-12 * self.plane.size]
                if near and self._is_free(near[0]):
                    self.extra[near[0]] = self.extra.get(near[0], 0.0) + link.mass
                    link.mass = link.inertia = 0.0
            if role == "block" and link.mass:
                self._settle(link, places[0])

    def _settle(self, block: Link, place: Place) -> None:
        """A block's mass sits on its hinge; on a turning holder only where its centre is there too."""
        slide = next(c for c in self.roles.slides if block in (c.a, c.b))
        holder = slide.a if slide.b is block else slide.b
        if self.role(holder) not in ("ground", "slider", "carrier"):
            if not self.plane.near(block.centre, place.at):
                raise NotOurs(f"{block.name} slides on {holder.name}, which turns, and its centre is beside its hinge")
            holder.inertia += block.inertia
        firm = next((link for link in place.links if self.role(link) in FIRM), None)
        if firm is None:
            self.extra[place] = self.extra.get(place, 0.0) + block.mass
        elif self.role(firm) != "ground":
            _load(firm, block.mass, place.at)

    def _is_free(self, place: Place) -> bool:
        return not any(self.role(link) in FIRM for link in place.links)

    # Bodies and points --------------------------------------------------------------------------

    def make_bodies(self) -> None:
        """Plates and carriers, with the points that they own."""
        for link, role in self.roles.roles.items():
            if role == "plate":
                self._plate(link)
            elif role == "carrier":
                self._carrier(link)
        self.points = {place: self._point(place) for place in self.roles.places}

    def frame_of(self, link: Link) -> tuple[Doubles, float]:
        """The origin and angle of a link's own frame: the output's, its `_frame`, or its first body's."""
        named = [self.output, *(f"{body}_frame" for body in link.bodies), *link.bodies]
        found = next(self.plane.places[n] for n in named if n in self.plane.places and self.plane.places[n][0] is link)
        return found[1], found[2]

    def _plate(self, link: Link) -> None:
        origin, angle = self.frame_of(link)
        named = self.output if self.plane.places.get(self.output, (None,))[0] is link else link.name
        plate = Plate(
            clean(named.removesuffix("_frame"), self.names),
            mass=expr(link.mass),
            centre=numbers(turned(link.centre - origin, -angle) if link.mass else np.zeros(2)),
            inertia=expr(link.inertia),
            near=numbers([*origin, angle]),
        )
        self.bodies[link] = plate
        for place in self.roles.places_of(link):
            self.owned[place, link] = plate.point(self.claim(place), numbers(turned(place.at - origin, -angle)))

    def _carrier(self, link: Link) -> None:
        """A free point at the output, where that is on the link, else at its first hinge, else at its origin."""
        places = self.roles.places_of(link)
        mine = [c for c in self.plane.connections if link in (c.a, c.b)]
        if not places and len(mine) < 2 and not any(c.name in coupled(self.plane) for c in mine):
            self.notes.append(f"{link.name} only shifts and nothing is hinged to it; it is left out")
            return
        asked = self.plane.places.get(self.output)
        here = places[0].at if places else self.frame_of(link)[0]
        origin = asked[1] if asked is not None and asked[0] is link else here
        first = next((p for p in places if self.plane.near(p.at, origin)), None)
        mass = expr(link.mass + (self.extra.get(first, 0.0) if first else 0.0))
        named = self.output if asked is not None and asked[0] is link else link.name
        name = self.claim(first) if first else clean(named, self.names)
        free = Free(name, mass=mass, near=numbers(origin))
        self.bodies[link], self.origins[link] = free, origin
        for place in places:
            offset = numbers(place.at - origin)
            self.owned[place, link] = free if place is first else Carried(self.claim(place), free, offset)

    def _free(self, place: Place) -> Free:
        return Free(self.claim(place), mass=expr(self.extra.get(place, 0.0)), near=numbers(place.at))

    def _point(self, place: Place) -> Point:
        """The point that stands for a place: the ground's, else the first that a link owns, else a free one."""
        if self.plane.links[0] in place.links:
            return Fixed(self.claim(place), numbers(place.at))
        owners = [self.owned[place, link] for link in place.links if (place, link) in self.owned]
        return owners[0] if owners else self._free(place)

    def on(self, link: Link, at: Doubles) -> Point:
        """A point of a link at a place in the plane: one that is there, or a new one."""
        role = self.role(link)
        for place in self.roles.places_of(link):
            if self.plane.near(place.at, at) and role != "ground":
                return self.owned.get((place, link), self.points[place])
        if role == "slider":
            return next(p for (_, k), p in self.owned.items() if k is link and isinstance(p, Slider | Crank))
        name = clean(f"{link.name}_at", self.names)
        body = self.bodies.get(link)
        if role == "ground":
            return Fixed(name, numbers(at))
        if isinstance(body, Plate):
            origin, angle = self.frame_of(link)
            return body.point(name, numbers(turned(at - origin, -angle)))
        if isinstance(body, Free):
            return Carried(name, body, numbers(at - self.origins[link]))
        raise NotOurs(f"something acts at a place of {link.name} where it has no hinge; only plates have such points")


def numbers(values: Doubles | list[float]) -> Vector:
    """Plain numbers as the elements hold them."""
    return vector(float(v) + 0.0 for v in values)


def _load(link: Link, mass: float, at: Doubles) -> None:
    """A point mass added to a link of the plane."""
    whole = link.mass + mass
    centre = (link.mass * link.centre + mass * at) / whole
    spread = link.mass * ((link.centre - centre) ** 2).sum() + mass * ((at - centre) ** 2).sum()
    link.mass, link.centre, link.inertia = whole, centre, link.inertia + float(spread)
