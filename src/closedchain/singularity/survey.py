"""Lines through the output's space surveyed for reach and for zeros of det A, many lines and working modes at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.kernels.program import Program
from closedchain.model.model import Model
from closedchain.model.modes import working_signs
from closedchain.singularity.interval import Interval, bounds, exact
from closedchain.singularity.roots import Tasks, Zeros, isolate

BEYOND = 1e-12  # of the domain, by which it is widened so that a zero on its end is met


@dataclass(frozen=True)
class Cut:
    """A place on a line where a leg is at its end, between lo and hi; `simple` if it is proven to be one crossing."""

    lo: float
    hi: float
    leg: int
    simple: bool


@dataclass(frozen=True)
class Stretch:
    """A part of a line between cuts; `beyond` names the legs that do not reach there."""

    line: int
    lo: float
    hi: float
    beyond: tuple[int, ...]


@dataclass(frozen=True)
class Hit:
    """A zero of det A (leg −1), or a leg at its end, between lo and hi on a line, in the mode with these signs."""

    line: int
    signs: tuple[int, ...]  # of every leg
    lo: float
    hi: float
    leg: int


@dataclass(frozen=True)
class Survey:
    """What was found on the lines, and what was left open."""

    hits: tuple[Hit, ...]
    unsettled: tuple[Hit, ...]
    stretches: tuple[Stretch, ...]


class Lines:
    """Lines x(s) = chart(start + s step), 0 ≤ s ≤ 1, or one curve that its programs know themselves (no start)."""

    def __init__(
        self, model: Model, programs: tuple[Program, Program], start: Doubles | None = None, step: Doubles | None = None
    ) -> None:
        self.model, (self.reach, self.determinant) = model, programs
        self.places = [] if start is None or step is None else [start, step]  # each (lines, nx)
        self.count = 1 if start is None else len(start)
        self.legs = len(model.legs)
        self.chosen = np.nonzero(model.leg_signs != 0)[0]

    def modes(self) -> Doubles:
        """Every working mode, (modes, legs); legs without a choice have +1."""
        signs = working_signs(self.model)
        modes = np.ones((len(signs), self.legs))
        modes[:, self.chosen] = signs
        return modes

    def _inputs(self, line: Tasks, where: Interval) -> list[Interval]:
        return [where, *(exact(place[line]) for place in self.places), exact(self.model.p)]

    def survey(self, modes: Doubles, kind: str) -> Survey:
        """Zeros of det A in each mode (kind "A"), or legs at their ends (kind "B")."""
        legs = self.chosen if kind == "A" else np.arange(self.legs)
        zeros = self._edges(legs)
        cuts = [self._cuts(zeros, line, legs) for line in range(self.count)]
        stretches = [s for line in range(self.count) for s in self._stretches(line, cuts[line])]
        if kind == "B":
            return self._ends_of_legs(cuts, stretches, modes)
        open_ = [s for s in stretches if not s.beyond]
        hits, left = self._zeros_of_det(open_, modes)
        return Survey(tuple(hits), tuple(left + self._slivers(cuts, modes)), tuple(stretches))

    def _edges(self, legs: Tasks) -> Zeros:
        def f(task: Tasks, where: Interval) -> tuple[Interval, Interval]:
            line, leg = task // len(legs), legs[task % len(legs)]
            value, slope = bounds(self.reach, *self._inputs(line, where))
            rows = np.arange(len(task))
            return value[rows, leg], slope[rows, leg]

        n = self.count * len(legs)
        return isolate(f, np.full(n, -BEYOND), np.full(n, 1 + BEYOND))

    def _cuts(self, zeros: Zeros, line: int, legs: Tasks) -> list[Cut]:
        found = []
        for k, leg in enumerate(legs):
            z = zeros.of(line * len(legs) + k)
            found += [Cut(float(lo), float(hi), int(leg), True) for lo, hi in zip(z.lo, z.hi, strict=True)]
            found += [Cut(float(lo), float(hi), int(leg), False) for lo, hi in zip(z.open_lo, z.open_hi, strict=True)]
        return sorted(found, key=lambda cut: cut.lo)

    def _stretches(self, line: int, cuts: list[Cut]) -> list[Stretch]:
        places = [-BEYOND, *(v for cut in cuts for v in (cut.lo, cut.hi)), 1 + BEYOND]
        reached, found = places[0], []
        for lo, hi in zip(places[::2], places[1::2], strict=True):
            reached = max(reached, lo)
            if hi > reached:
                middle = exact(np.array([0.5 * (reached + hi)]))
                value = bounds(self.reach, *self._inputs(np.array([line]), middle))[0]
                beyond = tuple(int(i) for i in self.chosen if not value.positive[0, i])
                found.append(Stretch(line, reached, hi, beyond))
            reached = max(reached, hi)
        return found

    def _det(self, line: Tasks, signs: Doubles, where: Interval) -> tuple[Interval, Interval]:
        value, slope = bounds(self.determinant, *self._inputs(line, where), exact(signs))
        return value, slope

    def _zeros_of_det(self, stretches: list[Stretch], modes: Doubles) -> tuple[list[Hit], list[Hit]]:
        """Tasks are pairs of a stretch and a mode."""
        line = np.repeat([s.line for s in stretches], len(modes)).astype(np.intp)
        lo, hi = (np.repeat([getattr(s, end) for s in stretches], len(modes)).astype(float) for end in ("lo", "hi"))
        signs = np.tile(modes, (len(stretches), 1))
        found = isolate(lambda task, where: self._det(line[task], signs[task], where), lo, hi)
        names = [tuple(int(v) for v in row) for row in signs]
        hits = [
            Hit(int(line[t]), names[t], float(a), float(b), -1)
            for t, a, b in zip(found.task, found.lo, found.hi, strict=True)
        ]
        left = [
            Hit(int(line[t]), names[t], float(a), float(b), -1)
            for t, a, b in zip(found.open_task, found.open_lo, found.open_hi, strict=True)
        ]
        return hits, left

    def _slivers(self, cuts: list[list[Cut]], modes: Doubles) -> list[Hit]:
        """Cuts on which every leg may reach and det A may vanish."""
        left = []
        for line, own in enumerate(cuts):
            for cut in own:
                if self._reach(line, cut).negative[self.chosen].any():
                    continue
                where = Interval(np.full(len(modes), cut.lo), np.full(len(modes), cut.hi))
                value, _ = self._det(np.full(len(modes), line), modes, where)
                for mode in modes[~value.nonzero]:
                    left.append(Hit(line, tuple(int(v) for v in mode), cut.lo, cut.hi, cut.leg))
        return left

    def _reach(self, line: int, cut: Cut) -> Interval:
        """Bounds of every leg's reach on a cut, (legs,)."""
        where = Interval(np.array([cut.lo]), np.array([cut.hi]))
        return bounds(self.reach, *self._inputs(np.array([line]), where))[0][0]

    def _ends_of_legs(self, cuts: list[list[Cut]], stretches: list[Stretch], modes: Doubles) -> Survey:
        hits: list[Hit] = []
        left: list[Hit] = []
        for line, own in enumerate(cuts):
            for cut in own:
                value = self._reach(line, cut)
                others = [i for i in self.chosen if i != cut.leg]
                if value.negative[others].any():
                    continue  # another leg does not reach there
                sure = cut.simple and bool(value.positive[others].all())
                signs = modes.copy()
                signs[:, cut.leg] = 0
                for row in dict.fromkeys(tuple(int(v) for v in mode) for mode in signs):
                    (hits if sure else left).append(Hit(line, row, cut.lo, cut.hi, cut.leg))
        return Survey(tuple(hits), tuple(left), tuple(stretches))


def unreachable(stretches: tuple[Stretch, ...], line: int) -> list[tuple[float, float, tuple[int, ...]]]:
    """(from, to, legs) of each connected part of a line that some leg does not reach."""
    parts: list[tuple[float, float, tuple[int, ...]]] = []
    own = [s for s in stretches if s.line == line]
    for s in own:
        if s.beyond and parts and parts[-1][1] >= s.lo - 1e-9 and not _between(own, parts[-1][1], s.lo):
            parts[-1] = (parts[-1][0], s.hi, tuple(sorted({*parts[-1][2], *s.beyond})))
        elif s.beyond:
            parts.append((s.lo, s.hi, s.beyond))
    return [(min(max(a, 0.0), 1.0), min(max(b, 0.0), 1.0), legs) for a, b, legs in parts if b > 0.0 and a < 1.0]


def _between(stretches: list[Stretch], lo: float, hi: float) -> bool:
    """Whether a reachable stretch lies between two places."""
    return any(not s.beyond and s.lo >= lo and s.hi <= hi for s in stretches)
