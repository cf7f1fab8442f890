"""A scene: where every point of a robot is at every instant, and which points make a bar, a plate, a rail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Carried, Crank, Fixed, Free, Plate, Slider, Telescope, point_name
from closedchain.describe.expressions import symbols
from closedchain.describe.mechanism import Mechanism
from closedchain.describe.vectors import Vector
from closedchain.errors import BadInput
from closedchain.model.model import Model

MARGIN = 0.12  # of the scene's size: how far a rail goes on beyond the travel on it


@dataclass(frozen=True)
class Part:
    """Something to draw, by the indices of its points.

    bar, spring, damper (a, b); crank (pivot, tip); telescope (base, tip); plate (corners…); base (fixed corners…);
    rail (one end, other end, carriage), `fixed` where the ground carries it; ground (a fixed joint).
    """

    kind: str
    points: tuple[int, ...]
    fixed: bool = False


@dataclass(frozen=True, eq=False)
class Scene:
    """A robot at T instants, as points and parts."""

    robot: str
    names: tuple[str, ...]  # of the points; "" for helpers such as a rail's ends
    parts: tuple[Part, ...]
    points: Doubles  # (T, n, dim) [m]
    path: Doubles  # (T, dim) of the output
    ghost: Doubles | None = None  # (T, n, dim) where the reference puts the points
    desired: Doubles | None = None  # (T, dim) of the output

    @property
    def dimension(self) -> int:
        return int(self.points.shape[-1])

    @cached_property
    def joints(self) -> tuple[int, ...]:
        """The points where parts meet and turn: drawn as circles."""
        kinds = ("bar", "crank", "telescope", "plate")
        ends = {i for part in self.parts if part.kind in kinds for i in part.points}
        return tuple(sorted(ends))

    @cached_property
    def bounds(self) -> tuple[Doubles, Doubles]:
        """The box of everything that is drawn: its lowest and highest corner, (dim,) each."""
        clouds = [
            c.reshape(-1, self.dimension) for c in (self.points, self.path, self.ghost, self.desired) if c is not None
        ]
        cloud = np.concatenate(clouds)
        return cloud.min(axis=0), cloud.max(axis=0)

    @property
    def size(self) -> float:
        """The diagonal of the box [m]; 1 where everything is one point."""
        low, high = self.bounds
        return float(np.linalg.norm(high - low)) or 1.0

    def cylinder(self, part: Part) -> float:
        """The length of a telescope's outer tube: a little less than the shortest the leg gets."""
        a, b = part.points
        return 0.8 * float(np.linalg.norm(self.points[:, b] - self.points[:, a], axis=-1).min())


def stage(model: Model, q: Doubles, x: Doubles, q_ref: Doubles | None = None, x_ref: Doubles | None = None) -> Scene:
    """The scene of configurations (T, nq), (T, nx), with the reference's ghost where both q_ref and x_ref are known."""
    if not model.equations.points:
        raise BadInput(
            f"{model.name} states no points, so there is nothing to draw; add `points` and `lines` to its equations"
        )
    builder = _Builder(model)
    whole_ref = q_ref is not None and (x_ref is not None or not model.nx)
    points = builder.positions(q, x)
    ghost = None
    if whole_ref and q_ref is not None:
        ghost = builder.positions(q_ref, np.zeros((len(q), 0)) if x_ref is None else x_ref)
    path, desired = points[:, builder.tip], None if ghost is None else ghost[:, builder.tip]
    dim = points.shape[-1]
    if model.mechanism is not None:  # the output stands first in x, its position first in the output
        path, desired = x[:, :dim], None if x_ref is None else x_ref[:, :dim]
    scene = Scene(model.name, builder.names, builder.parts, points, path, ghost, desired)
    return _with_rails(scene, builder, q, x, q_ref, x_ref)


class _Builder:
    """Finds the parts of a robot, adding the constant points that its equations do not name."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.index = {name: i for i, (name, _) in enumerate(model.equations.points)}
        self.extra: list[Doubles] = []  # pivots of cranks
        self.tip = len(self.index) - 1
        mechanism = model.mechanism
        self.parts = tuple(self._stated() if mechanism is None else self._mechanism(mechanism))
        self.names = (*self.index, *("" for _ in self.extra))

    def positions(self, q: Doubles, x: Doubles) -> Doubles:
        """Every point at every instant, (T, n, dim)."""
        named = np.asarray(self.model.call("points", q=q, x=x)["points"])
        if not self.extra:
            return named
        constant = np.broadcast_to(np.array(self.extra), (len(named), len(self.extra), named.shape[-1]))
        return np.concatenate([named, constant], axis=1)

    def _stated(self) -> Iterator[Part]:
        """Lines and points of equations stated directly; a point that no coordinate moves is on the ground."""
        for a, b in self.model.equations.lines:
            yield Part("bar", (self.index[a], self.index[b]))
        moving = {c.name for c in self.model.equations.z}
        for name, at in self.model.equations.points:
            if not moving & set(symbols(at)):
                yield Part("ground", (self.index[name],))

    def _mechanism(self, mechanism: Mechanism) -> Iterator[Part]:
        bars = [(self.index[point_name(b.a)], self.index[point_name(b.b)]) for b in mechanism.bars]
        cranks = [(self._pivot(d.about), self.index[point_name(d)]) for d in mechanism.drives if isinstance(d, Crank)]
        legs = [d for d in mechanism.drives if isinstance(d, Telescope)]
        telescopes = [(self.index[point_name(d.base)], self.index[point_name(d.tip)]) for d in legs]
        fixed = {self.index[p.name] for p in mechanism.points if isinstance(p, Fixed)}
        acting = list(self._acting(mechanism))
        ends = [i for pair in (*bars, *telescopes, *(part.points for part in acting)) for i in pair]
        grounds = dict.fromkeys([pivot for pivot, _ in cranks] + [i for i in ends if i in fixed])
        if mechanism.dimension == 3 and len(grounds) > 2:
            yield Part("base", tuple(grounds))
        yield from (Part("ground", (i,)) for i in grounds)
        yield from (Part("plate", corners) for corners in self._plates(mechanism))
        yield from acting
        for kind, pairs in (("crank", cranks), ("telescope", telescopes), ("bar", bars)):
            yield from (Part(kind, pair) for pair in pairs)

    def _acting(self, mechanism: Mechanism) -> Iterator[Part]:
        """Springs and dampers between two points; those on a drive have no place of their own."""
        links = [("spring", s.between) for s in mechanism.springs] + [("damper", d.between) for d in mechanism.dampers]
        for kind, between in links:
            if isinstance(between, tuple):
                a, b = (self.index[point_name(p)] for p in between)
                yield Part(kind, (a, b))

    def _pivot(self, about: Vector) -> int:
        """The index of a crank's fixed centre; cranks about one centre share it."""
        at = np.array([self.model.number(e) for e in about])
        for k, known in enumerate(self.extra):
            if np.array_equal(known, at):
                return len(self.index) + k
        self.extra.append(at)
        return len(self.index) + len(self.extra) - 1

    def _plates(self, mechanism: Mechanism) -> Iterator[tuple[int, ...]]:
        """The corners of each rigid body, in the order in which its outline does not cross itself."""
        carriers: dict[int, list[Carried]] = {}
        for point in mechanism.points:
            if isinstance(point, Carried):
                carriers.setdefault(id(point.by), []).append(point)
        for carried in carriers.values():
            at = np.array([[self.model.number(e) for e in p.at] for p in carried])
            if len(carried) < 2:
                continue
            spread = at - at.mean(axis=0)
            turn = np.argsort(np.arctan2(spread[:, 1], spread[:, 0]), kind="stable")
            yield tuple(self.index[carried[i].name] for i in turn)


@dataclass(frozen=True, eq=False)
class _Track:
    """A line that a carriage slides on: a point of it and its direction at every instant."""

    carriage: int
    through: Doubles  # (T, dim)
    along: Doubles  # (T, dim)
    fixed: bool


def _tracks(model: Model, scene: Scene, points: Doubles, x: Doubles) -> Iterator[_Track]:
    mechanism = model.mechanism
    if mechanism is None:
        return
    index = {name: i for i, name in enumerate(scene.names) if name}

    def constant(vector: Vector) -> Doubles:
        return np.broadcast_to([model.number(e) for e in vector], (len(points), points.shape[-1]))

    for drive in mechanism.drives:
        if isinstance(drive, Slider):
            yield _Track(index[point_name(drive)], constant(drive.at), constant(drive.along), True)
    for rail in mechanism.rails:
        carrier, along = rail.through, constant(rail.along)
        on_plate = isinstance(carrier, Carried) and isinstance(carrier.by, Plate)
        if isinstance(carrier, Carried) and isinstance(carrier.by, Plate):
            mark = "" if carrier.by is mechanism.output else f"_{carrier.by.name}"
            phi = x[:, [c.name for c in model.equations.x].index(f"phi{mark}")]
            c, s = np.cos(phi), np.sin(phi)
            along = np.stack([c * along[:, 0] - s * along[:, 1], s * along[:, 0] + c * along[:, 1]], axis=-1)
        moves = on_plate or isinstance(carrier, Free | Carried | Slider | Crank)
        yield _Track(index[point_name(rail.point)], points[:, index[point_name(carrier)]], along, not moves)


def _with_rails(
    scene: Scene, builder: _Builder, q: Doubles, x: Doubles, q_ref: Doubles | None, x_ref: Doubles | None
) -> Scene:
    """The scene with both ends of every rail, long enough for all the travel on it."""
    tracks = list(_tracks(builder.model, scene, scene.points, x))
    if not tracks:
        return scene
    ghosts = [] if scene.ghost is None or x_ref is None else list(_tracks(builder.model, scene, scene.ghost, x_ref))
    parts, ends, ghost_ends = list(scene.parts), [], []
    for k, track in enumerate(tracks):
        travel = _travel(track, scene.points)
        if ghosts and scene.ghost is not None:
            travel = np.concatenate([travel, _travel(ghosts[k], scene.ghost)])
        reach = (float(travel.min()) - MARGIN * scene.size, float(travel.max()) + MARGIN * scene.size)
        first = scene.points.shape[1] + 2 * k
        parts.insert(k, Part("rail", (first, first + 1, track.carriage), track.fixed))
        ends += [track.through + s * track.along for s in reach]
        ghost_ends += [g.through + s * g.along for g in ghosts[k : k + 1] for s in reach]
    points = np.concatenate([scene.points, np.stack(ends, axis=1)], axis=1)
    ghost = scene.ghost
    if ghost is not None and ghost_ends:
        ghost = np.concatenate([ghost, np.stack(ghost_ends, axis=1)], axis=1)
    names = (*scene.names, *("" for _ in ends))
    return replace(scene, names=names, parts=tuple(parts), points=points, ghost=ghost)


def _travel(track: _Track, points: Doubles) -> Doubles:
    """How far along its line the carriage is, at every instant."""
    return np.asarray(((points[:, track.carriage] - track.through) * track.along).sum(axis=-1))


def instants(count: int, wanted: int) -> np.ndarray:
    """At most `wanted` of the indices 0 … count − 1, evenly spread, first and last included."""
    return np.unique(np.linspace(0, count - 1, min(count, wanted)).round().astype(np.intp))
