"""What is drawn of a robot, whatever its parameters are: parts by their points, rails, and what drives move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Bar, Carried, Crank, Fixed, Free, Joint, Plate, Slider, Telescope, point_name
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import Expr, symbols
from closedchain.describe.mechanism import Mechanism
from closedchain.describe.vectors import Vector
from closedchain.model.model import Model


@dataclass(frozen=True)
class Part:
    """Something to draw, by the indices of its points.

    bar, spring, damper (a, b); crank (pivot, tip); telescope (base, tip); plate (corners…); base (fixed corners…);
    rail (one end, other end, carriage), `fixed` where the ground carries it; ground (a fixed joint).
    """

    kind: str
    points: tuple[int, ...]
    fixed: bool = False


@dataclass(frozen=True)
class Rail:
    """A line that a point slides on: through a constant place, or through a point and turning with its plate."""

    carriage: int
    along: Vector
    fixed: bool  # the ground carries it
    through: Vector | None = None
    point: int | None = None
    angle: int | None = None  # of the plate that turns it, among x


@dataclass(frozen=True)
class Drive:
    """What moves with a drive, and how."""

    name: str
    kind: str  # slider, crank, telescope
    point: int  # that it carries; a telescope's tip
    base: int | None = None  # a crank's pivot, a telescope's base
    at: Vector | None = None  # a slider's origin, a crank's centre
    along: Vector | None = None  # of a slider
    radius: Expr | None = None  # of a crank


@dataclass(frozen=True)
class Layout:
    """A robot's points, the named ones first, then its cranks' centres; and what they make."""

    names: tuple[str, ...]
    pivots: tuple[Vector, ...]
    parts: tuple[Part, ...]
    rails: tuple[Rail, ...]
    drives: tuple[Drive, ...]
    tip: int | None  # the output's point; of a plate the one at its origin, if there is one
    plate: bool  # the output is the pose of a plate or body


def layout(model: Model) -> Layout:
    """What a robot is made of; nothing where its equations state no points."""
    e, mechanism = model.equations, model.mechanism
    index = {name: i for i, (name, _) in enumerate(e.points)}
    if mechanism is None:
        tip = len(index) - 1 if index else None
        return Layout(tuple(index), (), tuple(_stated(e, index)), (), (), tip, False)
    centres = [d.about for d in mechanism.drives if isinstance(d, Crank)]
    pivots = {_key(about): about for about in centres}  # cranks about one centre share it
    place = {key: len(index) + k for k, key in enumerate(pivots)}
    parts = tuple(_parts(model, mechanism, index, place))
    drives = tuple(_drive(d, index, place) for d in mechanism.drives if not isinstance(d, Joint))
    rails = tuple(_rails(e, mechanism, index))
    plate = not isinstance(mechanism.output, Free)
    return Layout(tuple(index), tuple(pivots.values()), parts, rails, drives, _tip(model, mechanism, index), plate)


def positions(model: Model, drawn: Layout, q: Doubles, x: Doubles) -> Doubles:
    """Every point of configurations, (m, n, dim) [m]."""
    named = np.asarray(model.call("points", q=q, x=x)["points"])
    if not drawn.pivots:
        return named
    pivots = np.array([[model.number(e) for e in at] for at in drawn.pivots])
    return np.concatenate([named, np.broadcast_to(pivots, (len(named), *pivots.shape))], axis=1)


def _key(at: Vector) -> tuple[str, ...]:
    return tuple(map(repr, at))


def _stated(e: Equations, index: dict[str, int]) -> Iterator[Part]:
    """Lines and points of equations stated directly; a point that no coordinate moves is on the ground."""
    for a, b in e.lines:
        yield Part("bar", (index[a], index[b]))
    moving = {c.name for c in e.z}
    for name, at in e.points:
        if not moving & set(symbols(at)):
            yield Part("ground", (index[name],))


def _parts(
    model: Model, mechanism: Mechanism, index: dict[str, int], place: dict[tuple[str, ...], int]
) -> Iterator[Part]:
    bars = [(index[point_name(b.a)], index[point_name(b.b)]) for b in mechanism.bars]
    cranks = [(place[_key(d.about)], index[point_name(d)]) for d in mechanism.drives if isinstance(d, Crank)]
    legs = [d for d in mechanism.drives if isinstance(d, Telescope)]
    telescopes = [(index[point_name(d.base)], index[point_name(d.tip)]) for d in legs]
    acting = list(_acting(mechanism, index))
    fixed = {index[p.name] for p in mechanism.points if isinstance(p, Fixed)}
    ends = [i for pair in (*bars, *telescopes, *(part.points for part in acting)) for i in pair]
    grounds = dict.fromkeys([pivot for pivot, _ in cranks] + [i for i in ends if i in fixed])
    if mechanism.dimension == 3 and len(grounds) > 2:
        yield Part("base", tuple(grounds))
    yield from (Part("ground", (i,)) for i in grounds)
    yield from (Part("plate", corners) for corners in _plates(model, mechanism, index))
    yield from acting
    for kind, pairs in (("crank", cranks), ("telescope", telescopes), ("bar", bars)):
        yield from (Part(kind, pair) for pair in pairs)


def _acting(mechanism: Mechanism, index: dict[str, int]) -> Iterator[Part]:
    """Springs and dampers between two points; those on a drive have no place of their own."""
    links = [("spring", s.between) for s in mechanism.springs] + [("damper", d.between) for d in mechanism.dampers]
    for kind, between in links:
        if isinstance(between, tuple):
            yield Part(kind, tuple(index[point_name(p)] for p in between))


def _plates(model: Model, mechanism: Mechanism, index: dict[str, int]) -> Iterator[tuple[int, ...]]:
    """The corners of each rigid body, in the order in which its outline does not cross itself."""
    carriers: dict[int, list[Carried]] = {}
    for point in mechanism.points:
        if isinstance(point, Carried):
            carriers.setdefault(id(point.by), []).append(point)
    for carried in carriers.values():
        if isinstance(bar := carried[0].by, Bar):
            yield (index[point_name(bar.a)], *(index[p.name] for p in carried), index[point_name(bar.b)])
        elif len(carried) > 1:
            yield tuple(index[carried[i].name] for i in _round(model, carried))


def _round(model: Model, carried: Sequence[Carried]) -> Sequence[int]:
    at = np.array([[model.number(e) for e in p.at] for p in carried])
    spread = at - at.mean(axis=0)
    return list(np.argsort(np.arctan2(spread[:, 1], spread[:, 0]), kind="stable"))


def _rails(e: Equations, mechanism: Mechanism, index: dict[str, int]) -> Iterator[Rail]:
    """The lines that points slide on: drives' and passive ones."""
    for drive in mechanism.drives:
        if isinstance(drive, Slider):
            yield Rail(index[point_name(drive)], drive.along, True, through=drive.at)
    for rail in mechanism.rails:
        carrier, angle = rail.through, None
        if isinstance(carrier, Carried) and isinstance(carrier.by, Plate):
            mark = "" if carrier.by is mechanism.output else f"_{carrier.by.name}"
            angle = [c.name for c in e.x].index(f"phi{mark}")
        fixed, point = isinstance(carrier, Fixed), index[point_name(carrier)]
        yield Rail(index[point_name(rail.point)], rail.along, fixed, point=point, angle=angle)


def _drive(drive: Slider | Crank | Telescope, index: dict[str, int], place: dict[tuple[str, ...], int]) -> Drive:
    if isinstance(drive, Telescope):
        return Drive(drive.name, "telescope", index[point_name(drive.tip)], base=index[point_name(drive.base)])
    point = index[point_name(drive)]
    if isinstance(drive, Slider):
        return Drive(drive.name, "slider", point, at=drive.at, along=drive.along)
    return Drive(drive.name, "crank", point, base=place[_key(drive.about)], at=drive.about, radius=drive.radius)


def _tip(model: Model, mechanism: Mechanism, index: dict[str, int]) -> int | None:
    """The output's point; a plate's or body's where one lies at its origin."""
    output = mechanism.output
    if isinstance(output, Free):
        return index[point_name(output)]
    own = [p for p in mechanism.points if isinstance(p, Carried) and p.by is output]
    return next((index[p.name] for p in own if not any(model.number(e) for e in p.at)), None)
