"""A scene: where every point of a robot is at every instant, and which points make a bar, a plate, a rail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.vectors import Vector
from closedchain.errors import BadInput
from closedchain.model.layout import Layout, Part, Rail, layout, positions
from closedchain.model.model import Model
from closedchain.model.poses import output_poses

MARGIN = 0.12  # of the scene's size: how far a rail goes on beyond the travel on it


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
    drawn = layout(model)
    whole_ref = q_ref is not None and (x_ref is not None or not model.nx)
    points = positions(model, drawn, q, x)
    ghost = None
    if whole_ref and q_ref is not None:
        ghost = positions(model, drawn, q_ref, np.zeros((len(q), 0)) if x_ref is None else x_ref)
    tip = len(drawn.names) - 1
    path, desired = points[:, tip], None if ghost is None else ghost[:, tip]
    dim = points.shape[-1]
    if model.mechanism is not None:  # the output stands first in x, its position first in the output
        path, desired = (
            _way(model, q, x, dim),
            None if x_ref is None or q_ref is None else _way(model, q_ref, x_ref, dim),
        )
        if desired is None and x_ref is not None:
            desired = _way(model, q, x_ref, dim)  # the drives do not move the output but through x
    names = (*drawn.names, *("" for _ in drawn.pivots))
    return _with_rails(model, drawn, Scene(model.name, names, drawn.parts, points, path, ghost, desired), x, x_ref)


def _way(model: Model, q: Doubles, x: Doubles, dim: int) -> Doubles:
    """Where the output is: a body of space by its frame's origin, whatever coordinates it has."""
    poses = output_poses(model, q, x)
    return x[:, :dim] if poses is None else poses.position


@dataclass(frozen=True, eq=False)
class _Track:
    """A line that a carriage slides on: a point of it and its direction at every instant."""

    carriage: int
    through: Doubles  # (T, dim)
    along: Doubles  # (T, dim)
    fixed: bool


def _tracks(model: Model, rails: Iterable[Rail], points: Doubles, x: Doubles) -> Iterator[_Track]:
    def constant(vector: Vector) -> Doubles:
        return np.broadcast_to([model.number(e) for e in vector], (len(points), points.shape[-1]))

    for rail in rails:
        along = constant(rail.along)
        through = constant(rail.through) if rail.through is not None else points[:, rail.point]
        if rail.angle is not None:
            c, s = np.cos(x[:, rail.angle]), np.sin(x[:, rail.angle])
            along = np.stack([c * along[:, 0] - s * along[:, 1], s * along[:, 0] + c * along[:, 1]], axis=-1)
        yield _Track(rail.carriage, through, along, rail.fixed)


def _with_rails(model: Model, drawn: Layout, scene: Scene, x: Doubles, x_ref: Doubles | None) -> Scene:
    """The scene with both ends of every rail, long enough for all the travel on it."""
    tracks = list(_tracks(model, drawn.rails, scene.points, x))
    if not tracks:
        return scene
    ghosts = []
    if scene.ghost is not None and x_ref is not None:
        ghosts = list(_tracks(model, drawn.rails, scene.ghost, x_ref))
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
