"""Which bodies a robot is made of, where they are, and which of them could meet.

Bars, cranks' arms and telescopes are segments, plates are the polygons of their joints. Bodies that share a joint are
no pair. A crank whose whole mass is at its tip is a foot on a circular track and has no arm.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Bar, Carried, Crank, Fixed, Free, Plate, Telescope, point_name
from closedchain.describe.elements import Body as Solid
from closedchain.describe.mechanism import Mechanism
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.planning.shapes import Obstacle, distance


@dataclass(frozen=True)
class Body:
    """A rigid part, as the corners of its outline."""

    name: str
    corners: tuple[int, ...]  # indices of points
    joints: frozenset[int]  # the places where others may be hinged to it


@dataclass(frozen=True, eq=False)
class Bodies:
    """The parts of a robot that take up room, and the pairs of them, and of them and obstacles, that may not meet."""

    model: Model
    width: float  # [m] of every link; a plate is grown by half of it
    obstacles: tuple[Obstacle, ...] = ()
    ignore: frozenset[str] = frozenset()

    @cached_property
    def mechanism(self) -> Mechanism:
        """The description; planning needs one, in the plane."""
        mechanism = self.model.mechanism
        if mechanism is None or mechanism.dimension != 2:
            raise BadInput(f"{self.model.name}: collisions are tested for mechanisms of points and bars in the plane")
        return mechanism

    @cached_property
    def point_names(self) -> dict[str, int]:
        """The index of each point that the equations name; cranks' pivots come after them."""
        return {name: i for i, (name, _) in enumerate(self.model.equations.points)}

    @cached_property
    def pivots(self) -> Doubles:
        """The fixed centres of cranks, (k, 2); cranks about one centre share it."""
        at = [tuple(self.model.number(e) for e in d.about) for d in self.mechanism.drives if isinstance(d, Crank)]
        return np.array(list(dict.fromkeys(at)), dtype=float).reshape(-1, 2)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Of each point, the first that is always in its place: pinned to it, or fixed there as well."""
        index, fixed = self.point_names, [p for p in self.mechanism.points if isinstance(p, Fixed)]
        first = list(range(len(index) + len(self.pivots)))
        together = [(index[point_name(p.a)], index[point_name(p.b)]) for p in self.mechanism.pins]
        for p in fixed:
            at = [self.model.number(e) for e in p.at]
            together += [
                (index[p.name], len(index) + k) for k in np.flatnonzero((self.pivots == at).all(axis=1)).tolist()
            ]
        for a, b in together:
            one, other = sorted((first[a], first[b]))
            first = [one if place == other else place for place in first]
        return tuple(first)

    @cached_property
    def every(self) -> tuple[Body, ...]:
        """All bodies but those that are to be ignored."""
        found = tuple(self._found())
        names = [b.name for b in found]
        for name in self.ignore:
            unknown = [part for part in name.split("|") if part not in (*names, *(o.name for o in self.obstacles))]
            if unknown:
                raise BadInput(f"{self.model.name}: no body {unknown[0]!r:.40} to ignore; there are {', '.join(names)}")
        return tuple(b for b in found if b.name not in self.ignore)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of bodies without a common joint, by index; then each body with each obstacle, counted on."""
        count = len(self.every)
        inner = [(i, j) for i, j in combinations(range(count), 2) if not self.every[i].joints & self.every[j].joints]
        outer = [(i, count + k) for i in range(count) for k in range(len(self.obstacles))]
        return tuple((i, j) for i, j in inner + outer if not self._ignored(i, j))

    @cached_property
    def pair_names(self) -> tuple[str, ...]:
        """What each pair is called."""
        return tuple(f"{self._name(i)} and {self._name(j)}" for i, j in self.pairs)

    def points(self, q: Doubles, x: Doubles) -> Doubles:
        """Every point, (k, n, 2)."""
        named = np.asarray(self.model.call("points", q=q, x=x)["points"])
        pivots = np.broadcast_to(self.pivots, (*named.shape[:-2], *self.pivots.shape))
        return np.concatenate([named, pivots], axis=-2)

    def gaps(self, points: Doubles) -> Doubles:
        """The room between the two of each pair, less their thickness, (k, pairs) [m]; negative where they meet."""
        gaps = np.empty((*points.shape[:-2], len(self.pairs)))
        for k, (i, j) in enumerate(self.pairs):
            gaps[..., k] = distance(self._corners(i, points), self._corners(j, points)) - self._thickness(i, j)
        return gaps

    def travel(self, moved: Doubles) -> Doubles:
        """How much nearer the two of each pair may come, (k, pairs), when no point moves by more than `moved`, (k, n).

        Every point of a body is a mean of its corners with weights that do not change.
        """
        far = [moved[..., list(b.corners)].max(axis=-1) for b in self.every]
        still = np.zeros(moved.shape[:-1])
        far += [still] * len(self.obstacles)
        return np.stack([far[i] + far[j] for i, j in self.pairs], axis=-1) if self.pairs else still[..., None][..., :0]

    # ------------------------------------------------------------------------------------------------------------------

    def _corners(self, i: int, points: Doubles) -> Doubles:
        if i >= len(self.every):
            return self.obstacles[i - len(self.every)].corners
        return points[..., list(self.every[i].corners), :]

    def _thickness(self, i: int, j: int) -> float:
        return sum(
            self.width / 2 if k < len(self.every) else self.obstacles[k - len(self.every)].radius for k in (i, j)
        )

    def _name(self, i: int) -> str:
        return self.every[i].name if i < len(self.every) else self.obstacles[i - len(self.every)].name

    def _ignored(self, i: int, j: int) -> bool:
        a, b = self._name(i), self._name(j)
        return bool({a, b, f"{a}|{b}", f"{b}|{a}"} & self.ignore)

    def _found(self) -> Iterator[Body]:
        index = self.point_names
        for d in self.mechanism.drives:
            if isinstance(d, Crank) and not _is_foot(self.model, d):
                yield self._segment(f"arm {d.name}", self._pivot(d), index[point_name(d)])
            elif isinstance(d, Telescope):
                yield self._segment(d.name, index[point_name(d.base)], index[point_name(d.tip)])
        extended = {id(p.by) for p in self.mechanism.points if isinstance(p, Carried) and isinstance(p.by, Bar)}
        for bar in (b for b in self.mechanism.bars if id(b) not in extended):  # those are the hulls of their points
            yield self._segment(bar.name, index[point_name(bar.a)], index[point_name(bar.b)])
        carriers: dict[int, list[Carried]] = {}
        for point in self.mechanism.points:
            if isinstance(point, Carried):
                carriers.setdefault(id(point.by), []).append(point)
        for carried in carriers.values():
            yield from self._plate(carried[0].by, carried)

    def _segment(self, name: str, a: int, b: int) -> Body:
        return Body(name, (a, b), frozenset((self.places[a], self.places[b])))

    def _pivot(self, drive: Crank) -> int:
        at = [self.model.number(e) for e in drive.about]
        return len(self.point_names) + int(np.flatnonzero((self.pivots == at).all(axis=1))[0])

    def _plate(self, body: Plate | Solid | Free | Bar, carried: Sequence[Carried]) -> Iterator[Body]:
        """The hull of a body's points, counter-clockwise."""
        names = [p.name for p in carried]
        at = [tuple(self.model.number(e) for e in p.at) for p in carried]
        if isinstance(body, Bar):
            names += [point_name(body.a), point_name(body.b)]
            at += [(0.0, 0.0), (self.model.number(body.length), 0.0)]
        elif body.name in self.point_names:  # a free point with others at fixed offsets
            names, at = [*names, body.name], [*at, (0.0, 0.0)]
        outline = _hull(at)
        if len(outline) > 1:
            joints = frozenset(self.places[self.point_names[n]] for n in names)
            yield Body(body.name, tuple(self.point_names[names[i]] for i in outline), joints)


def bodies(
    model: Model, width: float = 0.0, obstacles: Collection[Obstacle] = (), ignore: Collection[str] = ()
) -> Bodies:
    """The bodies of a robot whose links have a width [m]; `ignore` names bodies, or pairs as "a|b", that never meet."""
    if not (np.isfinite(width) and width >= 0.0):
        raise BadInput(f"{model.name}: width is a length [m], not {width}")
    for o in obstacles:
        if not isinstance(o, Obstacle):
            raise BadInput(f"{model.name}: an obstacle is made with disc(), wall() or polygon(), not {o!r:.40}")
    return Bodies(model, float(width), tuple(obstacles), frozenset(ignore))


def _is_foot(model: Model, drive: Crank) -> bool:
    """Whether a crank is a foot on a circle: its mass at the tip, none on the way there."""
    assert drive.centre is not None
    assert drive.inertia is not None
    at_tip = model.number(drive.centre) == model.number(drive.radius)
    return model.number(drive.mass) > 0.0 and at_tip and model.number(drive.inertia) == 0.0


def _hull(at: Sequence[tuple[float, ...]]) -> list[int]:
    """The convex hull of points, as indices in counter-clockwise order (Andrew's monotone chain)."""
    order = sorted(range(len(at)), key=lambda i: at[i])
    order = [i for k, i in enumerate(order) if k == 0 or at[i] != at[order[k - 1]]]

    def chain(indices: Sequence[int]) -> list[int]:
        kept: list[int] = []
        for i in indices:
            while len(kept) > 1 and _turn(at[kept[-2]], at[kept[-1]], at[i]) <= 0:
                kept.pop()
            kept.append(i)
        return kept[:-1]

    return chain(order) + chain(order[::-1]) if len(order) > 1 else order


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
