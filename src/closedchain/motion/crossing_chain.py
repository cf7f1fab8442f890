"""Two stretches through a passing pose: for ends between which both legs change, or one stretch does not suffice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Bar, Crank
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs
from closedchain.motion.crossing import Crossing, joined
from closedchain.motion.crossing_way import CLEAR, EARLY, MOST, RISE, Way, bent, steps
from closedchain.motion.leg_chart import LegChart, charts

ACROSS = 25  # passing poses along each side of the box in which they are looked for
ALONG = 49  # instants at which a straight motion of u is looked at first
ROOM = 0.15  # of 1, of det A and of each leg's slope: a pose at which the robot rests keeps this far from singularities
TRIES = 32  # pairs of stretches that are bent, the shortest first


@dataclass(frozen=True, eq=False)
class Pair:
    """A way to a passing pose and a way on from it."""

    first: Way
    second: Way

    @property
    def split(self) -> Doubles:
        """(2,) of the duration: efforts go as length over time squared, so that equal ones take the root of it."""
        roots = np.sqrt([max(way.length, 1e-6) for way in (self.first, self.second)])
        return np.asarray(roots / roots.sum())

    @property
    def cost(self) -> float:
        return float(np.sqrt(self.first.length) + np.sqrt(self.second.length))


@dataclass(frozen=True)
class Tally:
    """What became of the passing poses of one working mode."""

    working: str
    poses: int
    first: int  # that a straight motion of u reaches
    second: int  # from which one reaches the end
    both: int

    def __str__(self) -> str:
        if not self.poses:
            return f"{self.working!r} has no pose away from singularities nearby"
        return (
            f"of {self.poses} poses in {self.working!r} {self.first} are reached from the start, "
            f"the end from {self.second}, {self.both} are both"
        )


def middles(modes: tuple[str, str]) -> list[str]:
    """The working modes in which a passing pose may lie: at most one leg from either end."""
    names = ["".join(signs) for signs in product("+-", repeat=2)]
    return [name for name in names if all(sum(a != b for a, b in zip(name, m, strict=True)) < 2 for m in modes)]


def pairs(model: Model, start: Doubles, end: Doubles, modes: tuple[str, str]) -> tuple[list[Pair], list[Tally]]:
    """Straight motions of u to passing poses and on, the shortest first."""
    found: list[Pair] = []
    told: list[Tally] = []
    for middle in middles(modes):
        poses = _poses(model, start, end, middle)
        first = _straight(model, (start[None], poses), (modes[0], middle))
        second = _straight(model, (poses, end[None]), (middle, modes[1]))
        own = [Pair(first[i], second[i]) for i in sorted(first.keys() & second.keys())]
        told.append(Tally(middle, len(poses), len(first), len(second), len(own)))
        found += own
    return sorted(found, key=lambda pair: pair.cost), told


def best_of(chosen: Sequence[Pair], directions: tuple[float, float], T: float, push: float) -> list[Crossing]:
    """The two pairs that need least effort, bent to meet the criterion, the time divided for equal efforts in both."""
    tried = [(pair, _timed(pair, directions, T * pair.split, push)) for pair in chosen]
    made = [(pair, crossing) for pair, crossing in tried if crossing is not None]
    if push:
        return [crossing for _, crossing in made]
    made.sort(key=lambda one: float(_needs(one[1]).sum()))
    return [_evened(pair, crossing, directions, T) for pair, crossing in made[:2]]


def _needs(made: Crossing) -> Doubles:
    """(2,) the time that each stretch takes with a unit of effort: without weight and friction efforts go as 1/T²."""
    spans = [np.linspace(a, b, 101) for a, b in zip(made.starts[:-1], made.starts[1:], strict=True)]
    return np.array([np.sqrt(np.abs(made.efforts(t)).max()) * (t[-1] - t[0]) for t in spans])


def _evened(pair: Pair, made: Crossing, directions: tuple[float, float], T: float) -> Crossing:
    """The same with the time divided so that both need the same effort, if that lowers the largest."""
    share = _needs(made)
    share = np.maximum(share, 0.05 * share.max())
    even = _timed(pair, directions, T * share / share.sum(), 0.0)
    return even if even is not None and max(even.peaks) < max(made.peaks) else made


def _timed(pair: Pair, directions: tuple[float, float], times: Doubles, push: float) -> Crossing | None:
    first = bent(pair.first, directions[0], float(times[0]), push)
    second = None if first is None else bent(pair.second, directions[1], float(times[1]), push)
    return None if first is None or second is None else joined([*first.parts, *second.parts])


def _poses(model: Model, start: Doubles, end: Doubles, working: str) -> Doubles:
    """(k, 2) poses of a working mode around both ends, away from singularities."""
    low, high = np.minimum(start, end) - model.scale / 2, np.maximum(start, end) + model.scale / 2
    sides = [np.linspace(a, b, ACROSS) for a, b in zip(low, high, strict=True)]
    x = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
    made = model.call("inverse", x=x, sigma=np.broadcast_to(leg_signs(model, working), x.shape))
    x, q = (v[(made["slack"] >= CLEAR * model.scale).all(axis=-1)] for v in (x, made["q"]))
    at = Configurations(model, q, x)
    rows = np.linalg.norm(at.A, axis=-1)
    slopes = np.abs(at.leg_slopes()) / rows[:, at.leg_rows()] / _arms(model)
    room = np.abs(np.linalg.det(at.A)) / np.prod(rows, axis=-1)
    return x[(room >= ROOM) & (slopes >= ROOM).all(axis=-1)]


def _arms(model: Model) -> Doubles:
    """[m] per unit of each drive: a crank's radius, 1 for a slider."""
    drives = [leg.drive for leg in model.legs]
    return np.array([model.number(drive.radius) if isinstance(drive, Crank) else 1.0 for drive in drives])


def _straight(model: Model, ends: tuple[Doubles, Doubles], modes: tuple[str, str]) -> dict[int, Way]:
    """For each passing pose the shortest straight motion of u on which the other leg reaches; many at once."""
    best: dict[int, Way] = {}
    for chart in charts(model, *modes):
        a, b = np.broadcast_arrays(*(_coordinates(chart, x, m) for x, m in zip(ends, modes, strict=True)))
        for step in steps(chart, b - a):
            for i in np.nonzero(_passable(chart, a, step))[0]:
                way = Way(chart, a[i], a[i] + step[i], modes)
                if int(i) not in best or way.length < best[int(i)].length:
                    best[int(i)] = way
    return best


def _coordinates(chart: LegChart, x: Doubles, working: str) -> Doubles:
    """(k, 2) u of poses in a working mode."""
    sigma = np.broadcast_to(leg_signs(chart.model, working), x.shape)
    return chart.coordinates(chart.model.call("inverse", x=x, sigma=sigma)["q"], x)


def _passable(chart: LegChart, start: Doubles, step: Doubles) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(k,) whether the other leg reaches all along, and Type 2 is met a few times at the most and not near the ends."""
    model, r = chart.model, np.linspace(0.0, 1.0, ALONG)
    u = start[:, None] + np.asarray(RISE(r))[:, None] * step[:, None]  # (k, ALONG, 2)
    q, x, slack = chart.place(u)
    least = np.minimum(CLEAR * model.scale, np.minimum(slack[:, 0], slack[:, -1]))
    reached = np.asarray(np.all(slack >= least[:, None], axis=1))
    A = model.call("closures", q=np.where(reached[:, None, None], q, 0.0), x=x)["A"]
    positive = np.linalg.det(A) > 0
    changes = np.diff(positive.astype(np.int8), axis=1) != 0  # (k, ALONG − 1)
    edge = (r[1:] < EARLY) | (r[:-1] > 1 - EARLY)
    return np.asarray(reached & (changes.sum(axis=1) <= MOST) & ~changes[:, edge].any(axis=1))


def impossible_changes(model: Model, modes: tuple[str, str]) -> Iterator[str]:
    """The legs that must change and come to no end of theirs where the other leg reaches, by how much; sampled."""
    before, after = (leg_signs(model, mode) for mode in modes)
    for i in np.nonzero(before != after)[0]:
        chart = LegChart(model, int(i), float(before[1 - i]))
        slack = chart.place(chart.at_its_end(721))[2]
        if slack.max() < 0.0:
            own, other = model.legs[i].name, model.legs[1 - i].name
            least = f"leg {other} misses by {-slack.max():.3g} m or more"
            yield f"leg {own} cannot change its mode: wherever it is at its end {least}"


def parted(model: Model, a: Doubles, b: Doubles) -> str | None:
    """Why no motion can lead from a to b: the line through the cranks' centres, which is out of reach, lies between."""
    drives = [leg.drive for leg in model.legs]
    if not all(isinstance(drive, Crank) for drive in drives):
        return None  # what a slider's bar reaches is a strip along the rail
    centres = [np.array([model.number(e) for e in drive.about]) for drive in drives if isinstance(drive, Crank)]
    away = centres[1] - centres[0]
    d = float(np.hypot(*away))
    sides = [float(away[0] * (x - centres[0])[1] - away[1] * (x - centres[0])[0]) for x in (a, b)]
    if d == 0.0 or sides[0] * sides[1] >= 0.0:
        return None
    gap = min(max(p[0], q[0]) - min(p[1], q[1]) for p, q in product(_pieces(model, 0, 0.0), _pieces(model, 1, d)))
    if gap <= 0.0:
        return None
    line = "they lie on two sides of the line through the cranks' centres"
    return f"{line}, where the legs' reaches are {gap:.3g} m apart or more"


def _pieces(model: Model, leg: int, centre: float) -> tuple[tuple[float, float], ...]:
    """What a leg reaches of a line through its crank's centre: from and to, on both sides of it."""
    drive, link = model.legs[leg].drive, model.legs[leg].link
    assert isinstance(drive, Crank)
    assert isinstance(link, Bar)
    r, l = model.number(drive.radius), model.number(link.length)
    least, most = abs(r - l), r + l
    return (centre - most, centre - least), (centre + least, centre + most)
