"""`cross`: a motion between two poses through singularities, in one stretch if that suffices, else in two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import NoSolution
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs
from closedchain.model.solutions import plain_mode
from closedchain.model.state import place
from closedchain.motion.crossing import Crossing
from closedchain.motion.crossing_chain import TRIES, best_of, impossible_changes, pairs
from closedchain.motion.crossing_way import DIRECTIONS, Bend, bends, detours, made, straight_ways
from closedchain.motion.leg_chart import check_two_bars
from closedchain.motion.reference import positive

SPIKE = 1.1  # the largest effort at a crossing over that elsewhere
CHEAP = 2.0  # the largest acceleration of a bend over that of its way, with which the first motion is taken
SEVERAL = 8  # motions, or passing poses, of which the one with the least effort is taken

Tried = Iterator[list[Crossing]]  # motions that meet the criterion, a group at a time


def cross(
    model: Model,
    start: ArrayLike,
    end: ArrayLike,
    duration: float,
    *,
    working: str,
    end_working: str | None = None,
    push: float = 0.0,
) -> Crossing:
    """Rest to rest from the tip at `start` in one working mode to `end` in the same or another, through singularities.

    In the coordinates u of a leg the motion is a quintic, and a further term, of degree 7 with one Type 2 instant, that
    vanishes there gives the accelerations for which tᵀ(M_z z̈ + h_z)_x = push: 0, so that the efforts stay bounded;
    another value [N] only to see what it does. A leg may change its working mode on the way (Type 1). Where both do, or
    where no such motion goes from end to end, two of them are joined at rest in a passing pose that is looked for.
    The first motion whose efforts at the crossing keep below 1.1 of those elsewhere is taken, the shortest ways first.
    """
    check_two_bars(model)
    T = positive(duration, "duration")
    modes = (plain_mode(working), plain_mode(end_working or working))
    a, b = vectors(start, 2, "start"), vectors(end, 2, "end")
    for x, mode in zip((a, b), modes, strict=True):
        leg_signs(model, mode)
        place(model, None, x, None, mode)  # refuses what is out of reach
    best: Crossing | None = None
    told: list[str] = []
    for search in (_in_one(model, a, b, T, modes, push, told), _in_two(model, a, b, T, modes, push, told)):
        for group in search:
            if group and push:
                return group[0]  # its efforts have no bound to choose by
            best = min([*([best] if best else []), *group], key=_order, default=None)
            if best is not None and not _spikes(best):
                return best
    raise NoSolution(_why(model, modes, best, told))


def _spikes(made: Crossing) -> bool:
    """Whether the efforts near Type 2 stand out."""
    return made.peaks[0] > SPIKE * made.peaks[1]


def _order(made: Crossing) -> tuple[bool, float]:
    """Motions without a spike first, of these the one of least effort."""
    return _spikes(made), max(made.peaks)


def _in_one(
    model: Model, start: Doubles, end: Doubles, T: float, modes: tuple[str, str], push: float, told: list[str]
) -> Tried:
    """One leg's coordinates from end to end: straight ways that need little bending, the others, detours."""
    straight, tried = straight_ways(model, start, end, modes), 0
    for way in straight:
        plain = list(bends(way, DIRECTIONS[:1], [1], T, push))
        tried += len(plain)
        yield _made([bend for bend in plain if push or not len(bend.at) or bend.price <= CHEAP], T, push)
    every = [bend for way in straight for bend in bends(way, DIRECTIONS, [1, 2], T, push)]
    every.sort(key=lambda bend: bend.price)
    tried += len(every)
    for k in range(0, len(every), SEVERAL):
        yield _made(every[k : k + SEVERAL], T, push)
    for way in detours(straight):
        aside = sorted(bends(way, DIRECTIONS, [1, 2], T, push), key=lambda bend: bend.price)[:SEVERAL]
        tried += len(aside)
        yield _made(aside, T, push)
    if tried:
        told.append(f"none of {tried} motions in one leg's coordinates serves")


def _made(chosen: list[Bend], T: float, push: float) -> list[Crossing]:
    found = [made(bend, T, push) for bend in chosen]
    return [crossing for crossing in found if crossing is not None]


def _in_two(
    model: Model, start: Doubles, end: Doubles, T: float, modes: tuple[str, str], push: float, told: list[str]
) -> Tried:
    """Through a passing pose: the shortest pairs first, bent as usual and then in other directions."""
    found, counts = pairs(model, start, end, modes)
    told += [str(count) for count in counts]
    chosen = found[:: max(1, len(found) // (4 * TRIES))][:TRIES]  # of poses side by side one is enough
    for directions, k in product(product(DIRECTIONS[:3], repeat=2), range(0, len(chosen), SEVERAL)):
        yield best_of(chosen[k : k + SEVERAL], directions, T, push)


def _why(model: Model, modes: tuple[str, str], best: Crossing | None, told: list[str]) -> str:
    """What was searched, and which change fails."""
    head = f"{model.name}: no motion was found from {modes[0]!r} to {modes[1]!r} between these poses"
    never = list(impossible_changes(model, modes))
    if never:
        return f"{head}: {'; '.join(never)}"
    if best is not None:
        spike = f"the best has {best.peaks[0]:.3g} at the crossing and {best.peaks[1]:.3g} elsewhere"
        told = [*told, f"{spike}, where {SPIKE} times as much is allowed"]
    return f"{head}: {'; '.join(told)}. Move an end pose, or cross in two motions through a pose of your own"
