"""Every assembly of a linkage that reduces to dyads: point after point, each from two circles or lines already known.

What does not reduce is said: the bodies left over are named, and nothing is claimed about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.derive.mechanics import Mechanics
from closedchain.derive.structure import Link, body_of, ends, links
from closedchain.describe.elements import Bar, Carried, Free, Pin, Plate, Point, Rail, Telescope
from closedchain.describe.expressions import evaluate
from closedchain.errors import BadInput, NoSolution
from closedchain.model.assembling import gaps
from closedchain.model.model import Model

MOST = 4096  # assemblies
TOUCH = 1e-13  # of the linkage's size: circles that miss each other by less touch
CLOSED = 1e-9  # of the linkage's size: closures that the dyads did not use must hold, too


@dataclass(frozen=True, eq=False)
class Assemblies:
    """Every configuration that closes the loops with some points given."""

    linkage: str
    z: Doubles  # (k, nz)
    signs: tuple[str, ...]  # (k,) one letter for each dyad, in `order`; "0" where its two places are one
    order: tuple[str, ...]  # the points in the order in which they were found
    left: tuple[str, ...]  # bodies that do not reduce to dyads; there are no z then
    loose: tuple[str, ...]  # points that somewhere could be anywhere on a circle or a line, so that z are not all
    message: str

    @property
    def complete(self) -> bool:
        """Whether these are all."""
        return not self.left and not self.loose

    def __len__(self) -> int:
        return len(self.z)


class Table:
    """Rows of partly found configurations: where each known point is, and the sign of each dyad."""

    def __init__(self, model: Model, known: Mapping[str, Doubles], q: Doubles) -> None:
        assert model.mechanism is not None
        self.model, self.mechanism, self.q = model, model.mechanism, q
        self.m = Mechanics(self.mechanism)
        self.at: dict[int, Doubles] = {}  # id of a free point → (rows, 2)
        self.signs = [""]
        self.order: list[str] = []
        self.loose: list[str] = []
        for body in self.mechanism.bodies:
            if body.name in known:
                self.at[id(body)] = known[body.name][None]

    @property
    def rows(self) -> int:
        return len(self.signs)

    def position(self, point: Point) -> Doubles | None:
        """(rows, 2) of a point that is known."""
        body = body_of(point)
        if body is None:
            joints = {c.name: float(v) for c, v in zip(self.model.equations.q, self.q, strict=True)}
            place = [float(evaluate(e, self.model.values | joints)) for e in self.m.position(point)]
            return np.tile(place, (self.rows, 1))
        if id(body) not in self.at:
            return None
        offset = [self.model.number(e) for e in point.at] if isinstance(point, Carried) else [0.0, 0.0]
        return self.at[id(body)] + offset

    def step(self) -> bool:
        """Find one more point; False when none can be found so."""
        for body in self.mechanism.bodies:
            if id(body) in self.at or isinstance(body, Plate):
                continue
            found = [locus for link in links(self.mechanism) if (locus := self.locus(link, body)) is not None]
            pinned = [locus for locus in found if locus.kind == "point"]
            if pinned:
                self.keep(body, [pinned[0].centre], np.ones(self.rows, bool), "")
                return True
            if len(found) >= 2:
                self.cross(body, found[0], found[1])
                return True
        return False

    def locus(self, link: Link, body: Free) -> Locus | None:
        """Where a link leaves a body, when its other end is known."""
        a, b = ends(link)
        own, other = (a, b) if body_of(a) is body else (b, a)
        if body_of(own) is not body or (far := self.position(other)) is None:
            return None
        if isinstance(link, Rail) and isinstance(link.through, Carried) and isinstance(link.through.by, Plate):
            return None
        offset = [self.model.number(e) for e in own.at] if isinstance(own, Carried) else [0.0, 0.0]
        centre = far - offset
        match link:
            case Pin():
                return Locus("point", centre)
            case Bar():
                return Locus("circle", centre, radius=self.model.number(link.length))
            case Telescope():
                return Locus("circle", centre, radius=float(self.q[self.mechanism.drives.index(link)]))
            case Rail():
                return Locus("line", centre, along=np.array([self.model.number(e) for e in link.along]))

    def cross(self, body: Free, one: Locus, two: Locus) -> None:
        """Two circles, a circle and a line, or two lines."""
        if one.kind == "line" and two.kind == "circle":
            one, two = two, one
        small = TOUCH * self.model.scale
        if two.kind == "line" and one.kind == "circle":
            places, touch, meet = _circle_and_line(one, two, small)
        elif two.kind == "circle":
            places, touch, meet = _two_circles(one, two, small)
            same = (np.linalg.norm(two.centre - one.centre, axis=-1) <= small) & (abs(one.radius - two.radius) <= small)
            self.loose += [body.name] * bool(same.any())
        else:
            place, meet = _two_lines(one, two)
            self.loose += [body.name] * (not meet.all())
            self.keep(body, [place], meet, "+")
            return
        self.keep(body, places, meet, "+-", touch)

    def keep(
        self, body: Free, places: list[Doubles], meet: np.ndarray, letters: str, touch: np.ndarray | None = None
    ) -> None:
        """Every row once for each place of the new point; rows without one end here."""
        chosen: list[int] = []
        signs: list[str] = []
        found: list[Doubles] = []
        for row in np.flatnonzero(meet):
            double = touch is not None and bool(touch[row])
            for k, place in enumerate(places[:1] if double else places):
                chosen.append(int(row))
                signs.append(self.signs[row] + ("0" if double else letters[k : k + 1]))
                found.append(place[row])
        self.at = {key: value[chosen] for key, value in self.at.items()}
        self.signs = signs
        self.at[id(body)] = np.array(found).reshape(-1, 2)
        self.order.append(body.name)

    def z(self) -> Doubles:
        columns = [np.tile(self.q, (self.rows, 1))]
        for body in self.mechanism.bodies:
            size = 3 if isinstance(body, Plate) else body.dimension
            columns.append(self.at.get(id(body), np.zeros((self.rows, size))))
        return np.concatenate(columns, axis=-1)


@dataclass(frozen=True, eq=False)
class Locus:
    """A point, a circle or a line on each row."""

    kind: str
    centre: Doubles  # (rows, 2)
    radius: float = 0.0
    along: Doubles | None = None


def assemblies(model: Model, known: Mapping[str, ArrayLike] | None = None, q: ArrayLike = ()) -> Assemblies:
    """Every way to close the loops with the drives at q and the `known` points where they are given, by dyads."""
    mechanism = model.mechanism
    if mechanism is None or mechanism.dimension != 2:
        raise BadInput(f"{model.name}: dyads are of points and bars in the plane")
    names = [b.name for b in mechanism.bodies if isinstance(b, Free)]
    unknown = [name for name in known or {} if name not in names]
    if unknown:
        raise BadInput(f"{model.name} has no free point {unknown[0]!r:.40}; there are {', '.join(names)}")
    drives = vectors(q if model.nq else np.zeros(0), model.nq, "q")
    table = Table(model, {name: vectors(at, 2, name) for name, at in (known or {}).items()}, drives)
    while table.rows and table.step():
        if table.rows > MOST:
            raise NoSolution(
                f"{model.name}: more than {MOST} assemblies after {len(table.order)} dyads; give more points"
            )
    return _answer(table)


def _answer(table: Table) -> Assemblies:
    """The rows on which the closures that the dyads did not use hold, too, and what is to be said of them."""
    model, order, loose = table.model, tuple(table.order), tuple(table.loose)
    left = tuple(b.name for b in table.mechanism.bodies if table.rows and id(b) not in table.at)
    z = np.zeros((0, model.nq + model.nx)) if left or not table.rows else table.z()
    closed = np.abs(gaps(model, z)).max(axis=-1, initial=0.0) <= CLOSED * model.scale
    signs = tuple(s for s, ok in zip(table.signs, closed, strict=False) if ok)
    message = f"{len(signs)} assemblies, found in the order {', '.join(order) or 'of the description'}"
    if left:
        message = f"{', '.join(left)} cannot be found by dyads from what is given; give a point, or `assemble` it"
    elif not table.rows:
        message = "nothing found" if loose else f"no assembly: the circles or lines that hold {order[-1]} do not meet"
    if loose:
        message += f"; not all: {', '.join(dict.fromkeys(loose))} could be anywhere on a circle or a line"
    return Assemblies(model.name, z[closed], signs, order, left, loose, message)


def _two_circles(one: Locus, two: Locus, touch: float) -> tuple[list[Doubles], np.ndarray, np.ndarray]:
    d = two.centre - one.centre
    D = np.linalg.norm(d, axis=-1)
    slack = np.minimum(one.radius + two.radius - D, D - abs(one.radius - two.radius))
    safe = np.where(D > 0.0, D, 1.0)
    along = (D**2 + (one.radius - two.radius) * (one.radius + two.radius)) / (2 * safe)
    r1, r2 = one.radius, two.radius
    heron = (r1 + r2 + D) * (r1 + r2 - D) * (D + r1 - r2) * (D - r1 + r2)
    across = np.sqrt(np.maximum(heron, 0.0)) / (2 * safe)
    unit = d / safe[:, None]
    normal = np.stack([-unit[:, 1], unit[:, 0]], axis=-1)
    foot = one.centre + along[:, None] * unit
    places = [foot + s * across[:, None] * normal for s in (1.0, -1.0)]
    return places, np.abs(slack) <= touch, (slack >= -touch) & (D > 0.0)


def _circle_and_line(circle: Locus, line: Locus, touch: float) -> tuple[list[Doubles], np.ndarray, np.ndarray]:
    assert line.along is not None
    away = circle.centre - line.centre
    foot = line.centre + (away @ line.along)[:, None] * line.along
    off = np.linalg.norm(circle.centre - foot, axis=-1)
    slack = circle.radius - off
    reach = np.sqrt(np.maximum((circle.radius - off) * (circle.radius + off), 0.0))
    places = [foot + s * reach[:, None] * line.along for s in (1.0, -1.0)]
    return places, np.abs(slack) <= touch, slack >= -touch


def _two_lines(one: Locus, two: Locus) -> tuple[Doubles, np.ndarray]:
    assert one.along is not None
    assert two.along is not None
    turn = one.along[0] * two.along[1] - one.along[1] * two.along[0]
    away = two.centre - one.centre
    share = (away[:, 0] * two.along[1] - away[:, 1] * two.along[0]) / (turn or 1.0)
    return one.centre + share[:, None] * one.along, np.full(len(away), turn != 0.0)
