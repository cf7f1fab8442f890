"""What a leg can reach in the plane of a map: discs, their complements, and half planes."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.structure import Leg
from closedchain.describe.elements import Bar, Body, Carried, Crank, Fixed, Plate, Point, Slider, Telescope, point_name
from closedchain.errors import BadInput, ClosedChainError, NoSolution
from closedchain.model.model import Model, NoClosedForm

PARALLEL = 1e-12  # rad: lines that turn by less never meet, to rounding
Window = tuple[float, float, float, float]  # x_min, x_max, y_min, y_max [m]


@dataclass(frozen=True)
class Disc:
    """|p − centre| ≤ radius, or ≥ where the disc is a hole."""

    leg: str
    x: float
    y: float
    radius: float
    hole: bool = False

    def room(self, x: Doubles, y: Doubles) -> Doubles:
        """Distance to the edge, positive on the side that is reached."""
        away = np.hypot(x - self.x, y - self.y)
        return away - self.radius if self.hole else self.radius - away


@dataclass(frozen=True)
class HalfPlane:
    """n · p ≤ offset with |n| = 1."""

    leg: str
    nx: float
    ny: float
    offset: float

    def room(self, x: Doubles, y: Doubles) -> Doubles:
        """Distance to the edge, positive on the side that is reached."""
        return self.offset - self.nx * x - self.ny * y


Edge = Disc | HalfPlane


@dataclass(frozen=True)
class Slice:
    """The plane of a map in the space of x: all of it for a point of the plane, else other coordinates are held."""

    third: float | None  # [rad] a plate's angle, [m] a point's height
    lever: float | None  # [m] a plate's longest lever
    names: tuple[str, str] = ("x", "y")  # of the coordinates that vary
    units: tuple[str, str] = ("m", "m")
    axes: tuple[int, int] = (0, 1)  # where they stand in x
    held: tuple[tuple[int, str, float], ...] = ()  # the others of a body in space: place in x, name, value

    def filled(self, places: Doubles, size: int) -> Doubles:
        """x at places of the plane, (m, 2) → (m, size)."""
        x = np.zeros((len(places), size))
        x[:, self.axes] = places
        if self.third is not None:
            x[:, 2] = self.third
        for i, _, value in self.held:
            x[:, i] = value
        return x

    @property
    def unit(self) -> str:
        """Of an area."""
        a, b = self.units
        return f"{a}²" if a == b else f"{a} {b}"


WHOLE = Slice(None, None)  # of a point of the plane


def slice_of(
    model: Model,
    orientation: float | None = None,
    height: float | None = None,
    *,
    hold: Mapping[str, float] | None = None,
    sampled: bool = False,
) -> Slice:
    """The plane in which a robot is mapped; BadInput unless all it needs is given.

    A body in space is mapped over the two coordinates that `hold` leaves. Where other bodies follow from the output
    there are no edges to compute with, only samples: who takes those says so.
    """
    if model.linkage or model.mechanism is None or model.nq != model.outputs or model.inverse_blocks is None:
        raise BadInput(
            f"{model.name}: maps need one output body, or a point of one, with as many drives as coordinates"
        )
    if several(model) and not sampled:
        raise BadInput(
            f"{model.name}: other bodies follow from its output, so this is not computed; use map or workspace"
        )
    if in_space(model):
        return _held(model, orientation, height, hold or {})
    if hold:
        raise BadInput(f"{model.name}: only a body in space has coordinates to hold; give orientation or height")
    if not several(model) and any(leg.branches == 1 and leg.link is not leg.drive for leg in model.legs):
        raise NoClosedForm(f"{model.name}: a leg is pinned to the output, so it reaches a curve, not a plane")
    plate = _is_plate(model)
    wanted = "orientation" if plate else "height" if model.outputs == 3 else None
    given = {name: v for name, v in (("orientation", orientation), ("height", height)) if v is not None}
    if set(given) != ({wanted} if wanted else set()):
        what = {"orientation": "the plate's angle", "height": "the point's z"}
        need = f"needs {wanted}, {what[wanted]}" if wanted else "takes neither orientation nor height"
        write = f"; write --{wanted} on the command line, {wanted}= in Python" if wanted else ""
        raise BadInput(f"{model.name}: its map {need}, and got {', '.join(given) or 'none'}{write}")
    third = float(given[wanted]) if wanted else None
    if third is not None and not math.isfinite(third):
        raise BadInput(f"{model.name}: {wanted} is {third}; a finite number is needed")
    return Slice(third, _lever(model) if plate else None)


def in_space(model: Model) -> bool:
    """Whether the output is a body of space, which is mapped over two of its coordinates."""
    return model.mechanism is not None and isinstance(model.mechanism.output, Body)


def _held(model: Model, orientation: float | None, height: float | None, hold: Mapping[str, float]) -> Slice:
    own = model.equations.x[: model.outputs]
    names = [c.name for c in own]
    unknown = [name for name in hold if name not in names]
    left = [i for i, name in enumerate(names) if name not in hold]
    if orientation is not None or height is not None or unknown or len(left) != 2:
        got = f"no coordinate {unknown[0]!r:.30}" if unknown else f"{len(left)} are left of {', '.join(names)}"
        raise BadInput(
            f"{model.name}: a map of a body in space is over two coordinates, the others held, and {got}; "
            f"write --hold {names[0]}=0,… on the command line, hold={{…}} in Python"
        )
    if not all(math.isfinite(v) for v in hold.values()):
        raise BadInput(f"{model.name}: what is held is {dict(hold)}; finite numbers are needed")
    a, b = left
    others = tuple((names.index(name), name, float(value)) for name, value in hold.items())
    return Slice(None, None, (names[a], names[b]), (own[a].unit, own[b].unit), (a, b), others)


def several(model: Model) -> bool:
    """Whether other bodies follow from the output, or drives from no leg of their own: maps are then sampled."""
    return model.outputs < model.nx or not model.has_legs


def has_slices(model: Model) -> bool:
    """Whether a robot has a compiled map: a plate at an orientation, a point in space at a height."""
    plate, third = _is_plate(model), 0.0 if model.nx > 2 else None
    try:
        slice_of(model, third if plate else None, None if plate else third)
    except ClosedChainError:
        return False
    return True


def _is_plate(model: Model) -> bool:
    return model.mechanism is not None and isinstance(model.mechanism.output, Plate)


def _lever(model: Model) -> float:
    """The longest distance of a leg's point from the plate's origin [m]."""
    points = model.mechanism.points if model.mechanism else ()
    own = [leg.far for leg in model.legs] if not several(model) else [p for p in points if _of_output(model, p)]
    arms = [math.hypot(*map(model.number, point.at)) for point in own if isinstance(point, Carried)]
    return max(arms, default=0.0) or 1.0


def _of_output(model: Model, point: Point) -> bool:
    return isinstance(point, Carried) and model.mechanism is not None and point.by is model.mechanism.output


def edges_of(model: Model, plane: Slice) -> tuple[tuple[Edge, ...], bool]:
    """What bounds the reach of the legs, and whether that is all of it.

    In space it only encloses the reach; so it does where other joints than telescopes have limits: how far a slider or
    a crank within its limits reaches depends on the working mode.
    """
    planar = model.mechanism is not None and model.mechanism.dimension == 2
    found: dict[Edge, None] = {}
    if in_space(model):
        return (), False
    if several(model):
        return tuple(_around(model, plane)), False
    telescopes = {leg.drive.name for leg in model.legs if isinstance(leg.drive, Telescope)}
    exact = planar and {limit.name for limit in model.equations.limits} <= telescopes
    for leg in model.legs:
        for edge in _planar(model, leg, plane) if planar else _enclosing(model, leg, plane):
            found[edge] = None  # each once: two legs may share an edge
    return tuple(found), exact


def _planar(model: Model, leg: Leg, plane: Slice) -> Iterable[Edge]:
    """A crank reaches an annulus, a slider a strip, a telescope what its limits are; moved by the leg's own point."""
    if isinstance(leg.drive, Telescope):
        return _stroke(model, leg.drive, plane)
    sx, sy = _shift(model, leg.far, plane)
    assert isinstance(leg.link, Bar)
    length = model.number(leg.link.length)
    if isinstance(leg.drive, Slider):
        ax, ay = map(model.number, leg.drive.at)
        ux, uy = map(model.number, leg.drive.along)
        across = _strip(leg, -uy, ux, ax - sx, ay - sy, length)
        if leg.drive.limits is None:
            return across
        low, high = map(model.number, leg.drive.limits)
        middle, half = (low + high) / 2, (high - low) / 2 + length
        return (*across, *_strip(leg, ux, uy, ax + middle * ux - sx, ay + middle * uy - sy, half))
    ax, ay = map(model.number, leg.drive.about)
    radius = model.number(leg.drive.radius)
    outer, inner = radius + length, abs(radius - length)
    disc = Disc(leg.name, ax - sx, ay - sy, outer)
    return (disc, Disc(leg.name, ax - sx, ay - sy, inner, hole=True)) if inner > 0.0 else (disc,)


def _stroke(model: Model, leg: Telescope, plane: Slice) -> Iterable[Edge]:
    """The ring, or in space its level cut, between a telescope's shortest and longest; nothing without limits."""
    if leg.limits is None:
        return ()
    own, other = (leg.tip, leg.base) if isinstance(leg.base, Fixed) else (leg.base, leg.tip)
    if not isinstance(other, Fixed):
        return ()
    low, high = map(model.number, leg.limits)
    if len(other.at) == 3:
        assert plane.third is not None
        at = [model.number(e) for e in own.at] if isinstance(own, Carried) else [0.0] * 3
        x, y, z = (model.number(e) - shift for e, shift in zip(other.at, at, strict=True))
        return (Disc(leg.name, x, y, _cut(model, leg.name, high, plane.third, z)),)
    sx, sy = _shift(model, own, plane)
    x, y = (model.number(e) - s for e, s in zip(other.at, (sx, sy), strict=True))
    disc = Disc(leg.name, x, y, high)
    return (disc, Disc(leg.name, x, y, low, hole=True)) if low > 0.0 else (disc,)


def _shift(model: Model, own: Point, plane: Slice) -> tuple[float, float]:
    """From the output's origin to a point of it."""
    if not isinstance(own, Carried):
        return 0.0, 0.0
    u, v = (model.number(e) for e in own.at[:2])
    if not isinstance(own.by, Plate):
        return u, v
    assert plane.third is not None
    c, s = math.cos(plane.third), math.sin(plane.third)
    return c * u - s * v, s * u + c * v


def _enclosing(model: Model, leg: Leg, plane: Slice) -> Iterable[Edge]:
    """What encloses a leg's reach in the plane: a crank's sphere cut by it, or the cylinder about a slider's rail."""
    if isinstance(leg.drive, Telescope):
        return _stroke(model, leg.drive, plane)
    assert isinstance(leg.link, Bar)
    assert plane.third is not None
    at = [model.number(e) for e in leg.far.at] if isinstance(leg.far, Carried) else [0.0] * 3
    origin = leg.drive.about if isinstance(leg.drive, Crank) else leg.drive.at
    x, y, z = (model.number(e) - shift for e, shift in zip(origin, at, strict=True))
    length = model.number(leg.link.length)
    if isinstance(leg.drive, Slider):
        return _cylinder(model, leg, (x, y, z), plane.third, length)
    return (Disc(leg.name, x, y, _cut(model, leg.name, model.number(leg.drive.radius) + length, plane.third, z)),)


def _cylinder(model: Model, leg: Leg, at: tuple[float, float, float], height: float, radius: float) -> Iterable[Edge]:
    """The cylinder about a rail, cut level: a disc where the rail is upright, a strip where it is level, else an
    ellipse, held by the box of its axes."""
    assert isinstance(leg.drive, Slider)
    ux, uy, uz = map(model.number, leg.drive.along)
    level = math.hypot(ux, uy)
    if level <= PARALLEL:
        return (Disc(leg.name, at[0], at[1], radius),)
    upright = abs(uz) > PARALLEL
    half = radius if upright else _cut(model, leg.name, radius, height, at[2])
    along = (height - at[2]) / uz if upright else 0.0
    x, y = at[0] + ux * along, at[1] + uy * along
    across = _strip(leg, -uy / level, ux / level, x, y, half)
    return (*across, *_strip(leg, ux / level, uy / level, x, y, radius / abs(uz))) if upright else across


def _strip(leg: Leg, nx: float, ny: float, x: float, y: float, half: float) -> tuple[HalfPlane, HalfPlane]:
    """Within `half` of the line through (x, y) whose normal is n."""
    middle = nx * x + ny * y
    return HalfPlane(leg.name, nx, ny, middle + half), HalfPlane(leg.name, -nx, -ny, -middle + half)


def _cut(model: Model, leg: str, reach: float, height: float, z: float) -> float:
    """The radius of a sphere about a point at z, or half the width of a level cylinder, cut at a height [m]."""
    room = (reach - height + z) * (reach + height - z)
    if room <= 0.0:
        raise NoSolution(
            f"{model.name}: leg {leg} does not come to height {height:g} m; it ends {reach:g} m from {z:g} m"
        )
    return math.sqrt(room)


def _around(model: Model, plane: Slice) -> Iterable[Disc]:
    """Discs about points of the ground that hold the reach of the output: the shortest way to it along rigid parts."""
    assert model.mechanism is not None
    ways = _ways(model)
    fixed = [(p.name, [model.number(e) for e in p.at]) for p in model.mechanism.points if isinstance(p, Fixed)]
    cranks = [d for d in model.mechanism.drives if isinstance(d, Crank)]
    fixed += [(f"about {d.name}", [model.number(e) for e in d.about]) for d in cranks]
    goal = model.mechanism.output.name
    for name, at in fixed:
        reach = _shortest(ways, name, goal)
        room = reach**2 - (plane.third - at[2]) ** 2 if len(at) == 3 and plane.third is not None else reach**2
        if math.isfinite(room) and room > 0.0:
            yield Disc(name, at[0], at[1], math.sqrt(room))


def _ways(model: Model) -> dict[str, list[tuple[str, float]]]:
    """How far each point is from those that a rigid part joins it to [m]."""
    m, ways = model.mechanism, dict[str, list[tuple[str, float]]]()
    assert m is not None

    def join(a: str, b: str, length: float) -> None:
        ways.setdefault(a, []).append((b, length))
        ways.setdefault(b, []).append((a, length))

    for bar in m.bars:
        join(point_name(bar.a), point_name(bar.b), model.number(bar.length))
    for pin in m.pins:
        join(point_name(pin.a), point_name(pin.b), 0.0)
    for drive in m.drives:
        if isinstance(drive, Crank):
            join(f"about {drive.name}", point_name(drive), model.number(drive.radius))
    for point in m.points:
        if isinstance(point, Carried):
            ends = [point_name(point.by.a)] if isinstance(point.by, Bar) else [point.by.name]
            join(ends[0], point.name, math.hypot(*(model.number(e) for e in point.at)))
    return ways


def _shortest(ways: Mapping[str, list[tuple[str, float]]], start: str, goal: str) -> float:
    """Dijkstra's; infinite where there is no way."""
    found, heap = dict[str, float](), [(0.0, start)]
    while heap:
        far, here = heapq.heappop(heap)
        if here in found:
            continue
        found[here] = far
        for there, length in ways.get(here, ()):
            heapq.heappush(heap, (far + length, there))
    return found.get(goal, math.inf)


def window_of(model: Model, edges: Iterable[Edge]) -> Window:
    """The box of what all edges allow; BadInput where the reach has no end, NoSolution where nothing is reached.

    Without a disc the reach is what half planes n · p ≤ b leave. It has an end unless there is a direction d ≠ 0 along
    which one can go on for ever, n · d ≤ 0 for all of them: unless two neighbouring normals are half a turn apart.
    """
    every = tuple(edges)
    planes = [edge for edge in every if isinstance(edge, HalfPlane)]
    discs = [edge for edge in every if isinstance(edge, Disc) and not edge.hole]
    if discs:
        corners = _corners(
            max(d.x - d.radius for d in discs),
            min(d.x + d.radius for d in discs),
            max(d.y - d.radius for d in discs),
            min(d.y + d.radius for d in discs),
        )
    elif _goes_on(planes):
        raise BadInput(
            f"{model.name}: its reach has no end along a rail or a telescope; "
            "give a window: --window x0,x1,y0,y1 or window=(x0, x1, y0, y1)"
        )
    else:
        far = 2.0 * max(math.hypot(*p) for p in _crossings(planes))
        corners = _corners(-far, far, -far, far)
    for edge in planes:
        corners = _clipped(corners, edge)
    if not corners:
        raise NoSolution(f"{model.name}: no point is within reach of all legs; try another orientation or lengths")
    x, y = zip(*corners, strict=True)
    return min(x), max(x), min(y), max(y)


Corners = list[tuple[float, float]]


def _corners(x0: float, x1: float, y0: float, y1: float) -> Corners:
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)] if x0 < x1 and y0 < y1 else []


def _goes_on(planes: Sequence[HalfPlane]) -> bool:
    """Whether half planes leave a direction without end."""
    turns = sorted(math.atan2(p.ny, p.nx) for p in planes)
    gaps = [b - a for a, b in pairwise([*turns, turns[0] + 2 * math.pi])] if turns else [2 * math.pi]
    return max(gaps) >= math.pi - PARALLEL


def _crossings(planes: Sequence[HalfPlane]) -> Iterable[tuple[float, float]]:
    """Where the edges of half planes cross."""
    for a, b in combinations(planes, 2):
        turn = a.nx * b.ny - a.ny * b.nx
        if abs(turn) > PARALLEL:
            yield (a.offset * b.ny - b.offset * a.ny) / turn, (a.nx * b.offset - b.nx * a.offset) / turn


def _clipped(corners: Corners, edge: HalfPlane) -> Corners:
    """What a half plane leaves of a convex polygon."""
    kept: Corners = []
    for (x, y), (u, v) in pairwise([*corners, *corners[:1]]):
        here, there = (float(edge.room(np.float64(a), np.float64(b))) for a, b in ((x, y), (u, v)))  # type: ignore[arg-type]
        if here >= 0.0:
            kept.append((x, y))
        if here * there < 0.0:
            share = here / (here - there)
            kept.append((x + share * (u - x), y + share * (v - y)))
    return kept if len(kept) > 2 else []


def check_window(model: Model, window: Window | None, edges: Iterable[Edge]) -> Window:
    """The window asked for, or the box of the reach."""
    if window is None and in_space(model):
        raise BadInput(f"{model.name}: a map of a body in space needs a window of the two coordinates that vary")
    if window is None:
        return window_of(model, edges)
    x0, x1, y0, y1 = (float(v) for v in window)
    if not (math.isfinite(x0 + x1 + y0 + y1) and x0 < x1 and y0 < y1):
        raise BadInput(f"{model.name}: window is {tuple(window)}; it must be (x_min, x_max, y_min, y_max), finite")
    return x0, x1, y0, y1
