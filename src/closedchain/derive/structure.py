"""How a mechanism's loops are solved: which leg each drive moves, and in which order the bodies are found.

Inverse: each drive sits on one leg and is found from that leg alone. Direct: a body is found when enough of its
closures end on points already known (an Assur group): a point by two circles or lines (three spheres in space), a plate
by three circles. Most robots are one group; linkages are several, one after another.
"""

from __future__ import annotations

from dataclasses import dataclass

from closedchain.describe.elements import (
    Bar,
    Body,
    Carried,
    Crank,
    Drive,
    Fixed,
    Free,
    Joint,
    LegDrive,
    Pin,
    Plate,
    Point,
    Rail,
    Slider,
    Telescope,
)
from closedchain.describe.mechanism import Mechanism

Link = Bar | Telescope | Pin | Rail


@dataclass(frozen=True, eq=False)
class Leg:
    """A drive, the closure it is solved from, and the point of the output side."""

    drive: LegDrive
    link: Bar | Telescope | Pin
    far: Point
    branches: int  # 2 for a slider or a crank under a bar, 1 for a telescope

    @property
    def name(self) -> str:
        return self.link.name


@dataclass(frozen=True, eq=False)
class Group:
    """A body found from its closures to known points."""

    body: Free | Plate | Body
    links: tuple[Link, ...]
    branches: int  # poses at most

    @property
    def is_triad(self) -> bool:
        """A plate on three circles, whose poses are the roots of a sextic."""
        return isinstance(self.body, Plate) and len(self.links) == 3


def ends(link: Link) -> tuple[Point, Point]:
    """The two points a closure joins."""
    match link:
        case Bar() | Pin():
            return link.a, link.b
        case Telescope():
            return link.base, link.tip
        case Rail():
            return link.through, link.point


def body_of(point: Point) -> Free | Plate | Body | Bar | None:
    """The body that a point moves with, or the bar that carries it; none when a drive's point or the ground do."""
    match point:
        case Free():
            return point
        case Carried():
            return point.by
        case Fixed() | Slider() | Crank():
            return None


def links(mechanism: Mechanism) -> tuple[Link, ...]:
    """Every closure's element, in the order of the closures."""
    telescopes = tuple(d for d in mechanism.drives if isinstance(d, Telescope))
    return (*mechanism.bars, *telescopes, *mechanism.pins, *mechanism.rails)


def legs(mechanism: Mechanism) -> tuple[Leg, ...] | None:
    """One leg per drive, or none where a drive's value does not follow from one closure."""
    found = [_leg(drive, mechanism) for drive in mechanism.drives]
    alone = all(found) and not mechanism.couplings and not any(b.joint for b in mechanism.solids)
    return tuple(leg for leg in found if leg) if alone else None


def _leg(drive: Drive, mechanism: Mechanism) -> Leg | None:
    if isinstance(drive, Telescope):
        known = all(body_of(p) or isinstance(p, Fixed) for p in ends(drive))
        return Leg(drive, drive, drive.tip, 1) if known else None
    if isinstance(drive, Joint):
        return None
    candidates: tuple[Bar | Pin, ...] = (*mechanism.bars, *mechanism.pins)
    for link in candidates:
        a, b = ends(link)
        if drive in (a, b):
            far = b if a is drive else a
            if not isinstance(far, Slider | Crank):
                return Leg(drive, link, far, 2 if isinstance(link, Bar) else 1)
    return None


def groups(mechanism: Mechanism) -> tuple[Group, ...] | None:
    """The bodies in an order in which each is found from known points, or none if no such order exists."""
    if mechanism.couplings or mechanism.solids:
        return None
    known: list[Free | Plate | Body] = []
    order: list[Group] = []
    waiting = list(mechanism.bodies)
    while waiting:
        step = next((g for body in waiting if (g := _group(body, known, mechanism))), None)
        if step is None:
            return None
        order.append(step)
        known.append(step.body)
        waiting.remove(step.body)
    return tuple(order)


def _is_known(body: Free | Plate | Body | Bar | None, known: list[Free | Plate | Body]) -> bool:
    """Whether what holds a point is known; a bar is by its two ends."""
    if isinstance(body, Bar):
        return all(_is_known(body_of(end), known) for end in (body.a, body.b))
    return body is None or body in known


def _group(body: Free | Plate | Body, known: list[Free | Plate | Body], mechanism: Mechanism) -> Group | None:
    held = []
    for link in links(mechanism):
        bodies = [body_of(p) for p in ends(link)]
        others = [b for b in bodies if b is not body]
        if len(others) == 1 and all(_is_known(b, known) for b in others):
            held.append(link)
    kinds = [type(link) for link in held]
    if isinstance(body, Plate):
        circles = all(k in (Bar, Telescope) for k in kinds)
        return Group(body, tuple(held), 6) if circles and len(held) == 3 else None
    if Pin in kinds:
        return Group(body, tuple(held), 1) if len(held) == 1 else None
    if isinstance(body, Body) or len(held) != body.dimension:
        return None
    return Group(body, tuple(held), 1 if kinds == [Rail, Rail] else 2)
