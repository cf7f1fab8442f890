"""What a mechanism's parts weigh: their own masses and the shares of the free points' masses that ride on them."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Bar, Body, Carried, Crank, Free, Plate, Point, Slider, Telescope
from closedchain.exchange.parts import Part, Parts
from closedchain.exchange.placing import Configuration

Inertia = tuple[float, Doubles, Doubles]  # mass, centre, inertia about the centre
X = np.array([1.0, 0.0, 0.0])
SHARING = (
    ("carrier",),
    ("block",),
    ("bar", "base", "rod"),
    ("plate", "solid"),
    ("slider", "crank"),
)  # who carries, by preference


class Masses:
    """Masses, centres and inertias of parts, in their own frames."""

    def __init__(self, at: Configuration, parts: Parts) -> None:
        self.at, self.parts, self.number = at, parts, at.number
        self.shares = self._shares()
        self.massless = {p for p in parts.every if not self.inertia(p)[0] and not self.inertia(p)[2].any()}

    def inertia(self, part: Part) -> Inertia:
        """Mass, centre and inertia about the centre, with the shares of free points' masses."""
        total = self.own_inertia(part)
        for mass, place in self.shares.get(part, ()):
            total = combined(total, (mass, place, np.zeros((3, 3))))
        return total

    def own_inertia(self, part: Part) -> Inertia:
        n, e, rod = self.number, part.element, np.diag([0.0, 1.0, 1.0])
        match e, part.kind:
            case Slider(), _:
                return n(e.mass), np.zeros(3), np.zeros((3, 3))
            case Crank(), "crank":
                return n(e.mass), n(e.centre) * X, n(e.inertia) * rod
            case Bar(), _:
                return n(e.mass), n(e.centre) * X, n(e.inertia) * rod
            case Telescope(), "base":
                return n(e.base_mass), n(e.base_centre) * X, n(e.base_inertia) * rod
            case Telescope(), _:
                return n(e.tip_mass), -n(e.tip_centre) * X, n(e.tip_inertia) * rod
            case Plate(), _:
                return n(e.mass), self.at.constant(e.centre), n(e.inertia) * np.diag([0.5, 0.5, 1.0])
            case Body(), _:
                return n(e.mass), self.at.constant(e.centre), _tensor([n(i) for i in e.inertia])
        return 0.0, np.zeros(3), np.zeros((3, 3))

    def _shares(self) -> dict[Part, list[tuple[float, Doubles]]]:
        """Which part carries how much of the free points' masses, and where."""
        found: dict[Part, list[tuple[float, Doubles]]] = {}
        for cluster in self.parts.clusters:
            mass = sum(self.number(p.mass) for p in cluster.points if isinstance(p, Free))
            for kinds in SHARING:
                carriers = [p for p in cluster.parts if p.kind in kinds]
                if carriers and mass:
                    for part in carriers:
                        place = self.local(part, cluster.parts[part])
                        found.setdefault(part, []).append((mass / len(carriers), place))
                    break
        return found

    def local(self, part: Part, point: Point) -> Doubles:
        """Where a part holds a point, in its own frame."""
        match part.element, point:
            case None, _:
                return self.at.position(point)
            case Bar() as bar, Carried() if point.by is bar:
                return self.at.constant(point.at)
            case Bar() as bar, _:
                return self.number(bar.length) * X if point is bar.b else np.zeros(3)
            case Crank() as crank, _ if part.kind == "crank":
                return self.number(crank.radius) * X
            case (Plate() | Free() | Body(), Carried()):
                return self.at.constant(point.at)
        return np.zeros(3)


def _tensor(moments: list[float]) -> Doubles:
    """xx, yy, zz and, where given, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = [*moments, 0.0, 0.0, 0.0][:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def combined(one: Inertia, other: Inertia) -> Inertia:
    """Two bodies as one, by the parallel-axis rule."""
    mass = one[0] + other[0]
    centre = (one[0] * one[1] + other[0] * other[1]) / mass if mass else one[1]
    inertia = one[2] + other[2]
    for m, r, _ in (one, other):
        d = r - centre
        inertia = inertia + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, centre, inertia
