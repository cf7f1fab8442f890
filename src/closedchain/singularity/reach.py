"""What a leg can reach in the plane of a map: discs, their complements, and half planes."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.structure import Leg
from closedchain.describe.elements import Bar, Carried, Crank, Fixed, Plate, Point, Slider, Telescope, point_name
from closedchain.errors import BadInput, ClosedChainError, NoSolution
from closedchain.model.model import Model, NoClosedForm

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
    """The plane of a map in the space of x: all of it for a point of the plane, else a third coordinate is held."""

    third: float | None  # [rad] a plate's angle, [m] a point's height
    lever: float | None  # [m] a plate's longest lever


def slice_of(
    model: Model, orientation: float | None = None, height: float | None = None, *, sampled: bool = False
) -> Slice:
    """The plane in which a robot is mapped; BadInput unless all it needs is given.

    Where other bodies follow from the output there are no edges to compute with, only samples: who takes those says so.
    """
    if model.linkage or model.mechanism is None or model.nq != model.outputs or model.inverse_blocks is None:
        raise BadInput(
            f"{model.name}: maps need one output body, or a point of one, with as many drives as coordinates"
        )
    if several(model) and not sampled:
        raise BadInput(
            f"{model.name}: other bodies follow from its output, so this is not computed; use map or workspace"
        )
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
    """What bounds the reach of the legs, and whether that is all of it (in space it only encloses the reach)."""
    planar = model.mechanism is not None and model.mechanism.dimension == 2
    found: dict[Edge, None] = {}
    if several(model):
        return tuple(_around(model, plane)), False
    for leg in model.legs:
        for edge in _planar(model, leg, plane) if planar else _enclosing(model, leg, plane):
            found[edge] = None  # each once: two legs may share an edge
    return tuple(found), planar


def _planar(model: Model, leg: Leg, plane: Slice) -> Iterable[Edge]:
    """A crank reaches an annulus, a slider a strip, a telescope everything; moved by the leg's point on the body."""
    sx, sy = _shift(model, leg, plane)
    if isinstance(leg.drive, Telescope):
        return ()
    assert isinstance(leg.link, Bar)
    length = model.number(leg.link.length)
    if isinstance(leg.drive, Slider):
        ax, ay = map(model.number, leg.drive.at)
        ux, uy = map(model.number, leg.drive.along)
        across = -uy * (ax - sx) + ux * (ay - sy)
        return (HalfPlane(leg.name, -uy, ux, across + length), HalfPlane(leg.name, uy, -ux, -across + length))
    ax, ay = map(model.number, leg.drive.about)
    radius = model.number(leg.drive.radius)
    outer, inner = radius + length, abs(radius - length)
    disc = Disc(leg.name, ax - sx, ay - sy, outer)
    return (disc, Disc(leg.name, ax - sx, ay - sy, inner, hole=True)) if inner > 0.0 else (disc,)


def _shift(model: Model, leg: Leg, plane: Slice) -> tuple[float, float]:
    """From the output's origin to the leg's point."""
    if not isinstance(leg.far, Carried):
        return 0.0, 0.0
    u, v = (model.number(e) for e in leg.far.at[:2])
    if not isinstance(leg.far.by, Plate):
        return u, v
    assert plane.third is not None
    c, s = math.cos(plane.third), math.sin(plane.third)
    return c * u - s * v, s * u + c * v


def _enclosing(model: Model, leg: Leg, plane: Slice) -> Iterable[Edge]:
    """The disc cut from the sphere about a crank's pivot that holds all of its reach."""
    if not isinstance(leg.drive, Crank):
        return ()
    assert isinstance(leg.link, Bar)
    assert plane.third is not None
    at = [model.number(e) for e in leg.far.at] if isinstance(leg.far, Carried) else [0.0] * 3
    x, y, z = (model.number(e) - shift for e, shift in zip(leg.drive.about, at, strict=True))
    reach = model.number(leg.drive.radius) + model.number(leg.link.length)
    room = reach**2 - (plane.third - z) ** 2
    if room <= 0.0:
        raise NoSolution(f"{model.name}: leg {leg.name} does not come to height {plane.third:g} m; it ends {reach:g} m "
                         f"from {z:g} m")  # fmt: skip
    return (Disc(leg.name, x, y, math.sqrt(room)),)


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
    """The box that all edges allow; BadInput where the reach has no end, NoSolution where nothing is reached."""
    box = [-math.inf, math.inf, -math.inf, math.inf]
    for edge in edges:
        if isinstance(edge, Disc) and not edge.hole:
            box[0], box[1] = max(box[0], edge.x - edge.radius), min(box[1], edge.x + edge.radius)
            box[2], box[3] = max(box[2], edge.y - edge.radius), min(box[3], edge.y + edge.radius)
        elif isinstance(edge, HalfPlane) and 0.0 in (edge.nx, edge.ny):
            axis, n = (0, edge.nx) if edge.ny == 0.0 else (2, edge.ny)
            side = axis + (n > 0)
            box[side] = (min if n > 0 else max)(box[side], edge.offset / n)
    if not all(map(math.isfinite, box)):
        raise BadInput(
            f"{model.name}: its reach has no end along a rail or a telescope; "
            "give a window: --window x0,x1,y0,y1 or window=(x0, x1, y0, y1)"
        )
    if box[0] >= box[1] or box[2] >= box[3]:
        raise NoSolution(f"{model.name}: no point is within reach of all legs; try another orientation or lengths")
    return box[0], box[1], box[2], box[3]


def check_window(model: Model, window: Window | None, edges: Iterable[Edge]) -> Window:
    """The window asked for, or the box of the reach."""
    if window is None:
        return window_of(model, edges)
    x0, x1, y0, y1 = (float(v) for v in window)
    if not (math.isfinite(x0 + x1 + y0 + y1) and x0 < x1 and y0 < y1):
        raise BadInput(f"{model.name}: window is {tuple(window)}; it must be (x_min, x_max, y_min, y_max), finite")
    return x0, x1, y0, y1
