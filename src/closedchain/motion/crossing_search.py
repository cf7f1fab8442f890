"""`cross`: a motion between two poses through singularities, in one stretch if that suffices, else in two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.elements import Crank
from closedchain.errors import NoSolution, Singular
from closedchain.model.crossing import FOLDED
from closedchain.model.geometry import inverse
from closedchain.model.model import Model
from closedchain.model.modes import named_modes, working_names
from closedchain.model.state import place
from closedchain.motion.crossing import Crossing
from closedchain.motion.crossing_chain import TRIES, best_of, impossible_changes, pairs, parted
from closedchain.motion.crossing_way import DIRECTIONS, Bend, bends, detours, made, straight_ways
from closedchain.motion.leg_chart import check_two_bars
from closedchain.motion.reference import positive

SPIKE = 1.1  # the largest effort at a crossing over that elsewhere
CHEAP = 2.0  # the largest acceleration of a bend over that of its way, with which the first motion is taken
LEAST = 1e-6  # of 1: det A at the ends
NEAREST = 2  # straight ways that are bent in every direction at once
SEVERAL = 8  # motions, or passing poses, of which the one with the least effort is taken

Tried = Iterator[list[Crossing]]  # motions that meet the criterion, a group at a time


def cross(
    model: Model,
    start: ArrayLike,
    end: ArrayLike,
    duration: float,
    *,
    working: str | None = None,
    end_working: str | None = None,
    push: float = 0.0,
) -> Crossing:
    """Rest to rest from the tip at `start` in one working mode to `end` in the same or another, through singularities.

    In the coordinates u of a leg the motion is a quintic, and a further term, of degree 7 with one Type 2 instant, that
    vanishes there gives the accelerations for which tᵀ(M_z z̈ + h_z)_x = push: 0, so that the efforts stay bounded;
    another value [N] only to see what it does. A leg may change its working mode on the way (Type 1). Where both do, or
    where no such motion goes from end to end, two of them are joined at rest in a passing pose that is looked for.
    A motion whose efforts at the crossing keep below 1.1 of those elsewhere is taken, the shortest ways first.

    Without `working`, modes are chosen between which Type 2 lies: as few legs as can be change, and of these the motion
    with the least effort is taken.
    """
    check_two_bars(model)
    T = positive(duration, "duration")
    a, b = vectors(start, 2, "start"), vectors(end, 2, "end")
    asked = _named(model, working), _named(model, end_working or working)
    for x, mode in zip((a, b), asked, strict=True):
        if mode is not None or not inverse(model, x).mode:
            place(model, None, x, None, mode)  # refuses what is out of reach
    apart = parted(model, a, b)
    if apart is not None:
        raise NoSolution(f"{model.name}: no motion leads from {_shown(a)} to {_shown(b)}: {apart}")
    if asked[0] is not None and asked[1] is not None:
        for x, mode, what in zip((a, b), asked, ("start", "end"), strict=True):
            _check_regular(model, x, str(mode), what)
        return _between(model, a, b, T, (asked[0], asked[1]), push)
    return _in_any_modes(model, a, b, T, asked, push)


def _between(model: Model, a: Doubles, b: Doubles, T: float, modes: tuple[str, str], push: float) -> Crossing:
    """The motion between given working modes."""
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


def _in_any_modes(
    model: Model, a: Doubles, b: Doubles, T: float, asked: tuple[str | None, str | None], push: float
) -> Crossing:
    """Of the pairs of modes between which Type 2 lies, those first in which the fewest legs change."""
    names = working_names(model)
    rooms = [{mode: _room(model, x, mode) for mode in names} for x in (a, b)]
    before, after = ([mode] if mode else names for mode in asked)
    ends = [(m, n, rooms[0][m], rooms[1][n]) for m, n in product(before, after)]
    across = [(m, n) for m, n, a_, b_ in ends if a_ * b_ < 0 and min(abs(a_), abs(b_)) > LEAST]
    for x, what, room in zip((a, b), ("start", "end"), rooms, strict=True):
        if not any(room.values()):
            text = f"a leg is at its end at the {what} {_shown(x)}, where two working modes meet; move it aside"
            raise NoSolution(f"{model.name}: {text}")
    if not across:
        text = "no two of their working modes have Type 2 between them: det A has one sign in all, or is zero"
        raise NoSolution(f"{model.name}: from {_shown(a)} to {_shown(b)} nothing is crossed; {text}")
    told: list[str] = []
    for count in range(3):
        found: list[Crossing] = []
        for modes in across:
            if sum(m != n for m, n in zip(*modes, strict=True)) == count:
                try:
                    found.append(_between(model, a, b, T, modes, push))
                except NoSolution as failed:
                    told.append(str(failed))
        if found:
            return found[0] if push else min(found, key=_order)
    others = f"; nor in the {len(told) - 1} other pairs of working modes with Type 2 between them" if told[1:] else ""
    raise NoSolution(told[0] + others)


def _named(model: Model, mode: str | None) -> str | None:
    return None if mode is None else named_modes(model, [mode])[0]


def _room(model: Model, x: Doubles, mode: str) -> float:
    """det A of 1; 0 where the mode does not exist, its leg being at its end."""
    found = inverse(model, x)
    if mode not in found.mode:
        return 0.0
    A = model.call("closures", q=found[mode].q, x=x)["A"]
    return float(np.linalg.det(A) / np.prod(np.linalg.norm(A, axis=-1)))


def _check_regular(model: Model, x: Doubles, mode: str, what: str) -> None:
    """At rest at Type 2 no effort holds the output, and none moves it off as a polynomial of time."""
    room = abs(_room(model, x, mode))
    if room <= LEAST:
        hint = f"A motion cannot rest there; move the {what} aside, or take another working mode."
        kind = f"Type 2 singularity at the {what} {_shown(x)} in {mode!r}"
        raise Singular(model.name, kind, room, LEAST, hint)


def _shown(x: Doubles) -> str:
    return f"x = ({', '.join(f'{v:.4g}' for v in x)})"


def _spikes(made: Crossing) -> bool:
    """Whether the efforts near Type 2 stand out."""
    return made.peaks[0] > SPIKE * made.peaks[1]


def _folds(made: Crossing) -> bool:
    """Whether a leg folds onto the axis of its own crank, where the tip leaves the crank's angle open."""
    legs = {leg.name: leg for leg in made.model.legs}
    for t, name in made.type_1:
        drive = legs[name].drive
        if isinstance(drive, Crank):
            axis = np.array([made.model.number(e) for e in drive.about])
            if np.linalg.norm(made.whole(np.array([t])).x[0] - axis) < FOLDED * made.model.scale:
                return True
    return False


def _order(made: Crossing) -> tuple[bool, bool, float]:
    """Motions without a spike first, then those on which no leg folds up; of these the one of least effort."""
    return _spikes(made), _folds(made), max(made.peaks)


def _in_one(
    model: Model, start: Doubles, end: Doubles, T: float, modes: tuple[str, str], push: float, told: list[str]
) -> Tried:
    """One leg's coordinates from end to end: straight ways that need little bending, the others, detours."""
    straight, tried = straight_ways(model, start, end, modes), 0
    first: list[Bend] = []  # from the first one on that is dear
    for way in straight:
        for bend in bends(way, DIRECTIONS[:1], [1], T, push):
            tried += 1
            if push or (not first and _price(bend) <= CHEAP):
                yield _made([bend], T, push)
            else:
                first.append(bend)
    every = [bend for way in straight[:NEAREST] for bend in bends(way, DIRECTIONS, [1, 2], T, push)]
    every += [bend for way in straight[NEAREST:] for bend in bends(way, DIRECTIONS[:2], [1, 2], T, push)]
    every.sort(key=_price)
    tried += len(every)
    yield _made(first[: SEVERAL // 2] + every[:SEVERAL], T, push)
    for k in range(SEVERAL, len(every), SEVERAL):
        yield _made(every[k : k + SEVERAL], T, push)
    for way in detours(straight):
        aside = sorted(bends(way, DIRECTIONS, [1, 2], T, push), key=_price)[:SEVERAL]
        tried += len(aside)
        yield _made(aside, T, push)
    if tried:
        told.append(f"none of {tried} motions in one leg's coordinates serves")


def _price(bend: Bend) -> float:
    return bend.price if len(bend.at) else 0.0


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
