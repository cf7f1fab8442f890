"""The straight motion from start to goal in every working mode: proven possible, or why not, where, by how much."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import length, numbers
from closedchain.planning.measure import Flags, Measures, Setting
from closedchain.planning.proof import UNPROVEN, Proofs, Prover, segments
from closedchain.policy import EDGE

SAMPLES = 1025  # along the segment, to find every stretch that is wrong; what lies between them, the proof has met
CUTS, SECTIONS = 32, 10  # 32^10 = 2^50: the ends of a stretch are as good as doubles are
ZERO = 1e-13  # |det A| of rows of unit lines, below which it is rounding

Function = Callable[[Doubles], Doubles]


@dataclass(frozen=True, eq=False)
class Obstruction:
    """A stretch of the straight motion on which one constraint is broken."""

    kind: str  # "reach", "type 1", "type 2", "collision", "limit", "unproven"
    what: str  # the leg, the pair of bodies, or the joint with its limits; "" for type 2
    s: float  # where it begins, of 0 … 1
    until: float  # where it ends
    x: Doubles  # (nx,) the output at s
    worst: float  # where it is worst
    value: float  # there: by how much a leg misses [m], a margin, a gap [m], or how far beyond a limit [m, rad]
    least: float  # what it should be
    crossings: tuple[float, ...] = ()  # type 2: where det A changes its sign

    def __str__(self) -> str:
        at = f"s = {self.s:.6f}, x = {numbers(self.x)}"
        span = f"from {at} to s = {self.until:.6f}" if self.until > self.s else f"at {at}"
        match self.kind:
            case "reach":
                return f"leg {self.what} does not reach {span}; it misses by {length(self.value)} at most"
            case "type 1":
                close = f"leg {self.what} is within {self.value:.3g} of its end (Type 1)"
                return f"{close} {span}; the margin is {self.least:g}"
            case "type 2" if self.crossings:
                where = ", ".join(f"{s:.6f}" for s in self.crossings)
                close = f"; too close {span} (margin {self.least:g})" if self.least else ""
                return f"crosses a Type 2 singularity at s = {where}{close}"
            case "type 2" if self.value < ZERO:
                return f"singular (Type 2) {span}"
            case "type 2":
                return f"within {self.value:.3g} of a Type 2 singularity {span}; the margin is {self.least:g}"
            case "limit":
                by = f"{np.degrees(self.value):.3g}°" if self.what.endswith("°") else length(self.value)
                return f"{self.what} {span}; by {by} at most"
            case "collision" if self.value <= 0.0:
                return f"{self.what} meet {span}"
            case "collision":
                return f"{self.what} are {length(self.value)} apart {span}, less than {length(self.least)}"
        return f"not proven at {at}: too close to a limit to tell"


@dataclass(frozen=True, eq=False)
class Straight:
    """The straight motion in one working mode."""

    working: str
    possible: bool  # proven
    obstructions: tuple[Obstruction, ...]  # in the order of s
    clearance: float  # [m] smallest room met
    parallel: float  # smallest σ_min/σ_max of A met
    serial: float  # smallest sine of a leg met

    def __str__(self) -> str:
        if self.possible:
            return f"possible, clearance {length(self.clearance) if np.isfinite(self.clearance) else 'unlimited'}"
        return "; ".join(str(o) for o in self.obstructions)


def straight(setting: Setting, start: Doubles, goal: Doubles, prover: Prover | None = None) -> tuple[Straight, ...]:
    """One verdict per working mode, in the order of the modes."""
    prover = prover or Prover(setting)
    proofs = prover.prove(segments(start, goal, setting.sigma))
    return tuple(_verdict(setting, start, goal, mode, proofs) for mode in range(len(setting.modes)))


def _verdict(setting: Setting, start: Doubles, goal: Doubles, mode: int, proofs: Proofs) -> Straight:
    line = _Line(setting, start, goal, setting.sigma[mode])
    s = np.union1d(np.linspace(0.0, 1.0, SAMPLES), proofs.s[[mode]])
    m, known = line.measure(s), proofs.proven[mode]
    found = [] if known else sorted(_obstructions(line, s, m), key=lambda o: (o.s, o.kind))
    if not known and not found:
        at = float(proofs.s[mode])
        assert proofs.constraint[mode] == UNPROVEN
        found = [Obstruction("unproven", "", at, at, line.x(np.array([at]))[0], at, 0.0, 0.0)]
    return Straight(
        working=setting.modes[mode],
        possible=bool(known),
        obstructions=tuple(found),
        clearance=float(m.clearance[m.reached].min(initial=np.inf)),
        parallel=float(m.parallel[m.reached].min(initial=1.0)),
        serial=float(m.serial[m.reached].min(initial=1.0)),
    )


class _Line:
    """The straight motion in one mode, measured at any s."""

    def __init__(self, setting: Setting, start: Doubles, goal: Doubles, sigma: Doubles) -> None:
        self.setting, self.start, self.goal, self.sigma = setting, start, goal, sigma

    def x(self, s: Doubles) -> Doubles:
        return np.asarray(self.start + s[:, None] * (self.goal - self.start))

    def measure(self, s: Doubles) -> Measures:
        return self.setting.measure(self.x(s), np.broadcast_to(self.sigma, (len(s), len(self.sigma))))

    def left(self, column: int) -> Function:
        """By how much one constraint is kept, as a function of s."""
        return lambda s: self.setting.room_left(self.measure(s))[:, column]

    def det(self, sign: float) -> Function:
        """±det A as a function of s."""
        return lambda s: sign * self.measure(s).det


def _obstructions(line: _Line, s: Doubles, m: Measures) -> Iterator[Obstruction]:
    """Every stretch of samples on which a constraint is broken, its ends refined."""
    setting = line.setting
    left = setting.room_left(m)
    for column in range(left.shape[1]):
        for i, j in _stretches(left[:, column] < 0.0):
            crossed = column == len(setting.legs) and _changes(m.det[max(i - 1, 0) : j + 2])
            yield _obstruction(line, s, m, left[:, column], column, (i, j), bool(crossed))
    yield from _thin_crossings(line, s, m, left)


def _obstruction(
    line: _Line, s: Doubles, m: Measures, left: Doubles, column: int, span: tuple[int, int], crossed: bool
) -> Obstruction:
    i, j = span
    setting, legs = line.setting, len(line.setting.legs)
    worst = i + int(np.argmin(left[i : j + 1]))
    f = line.left(column)
    begins = _boundary(f, s[i - 1], s[i]) if i > 0 else float(s[0])
    ends = _boundary(f, s[j + 1], s[j]) if j + 1 < len(s) else float(s[-1])
    if column < legs:
        missing = bool(m.slack[worst, column] < -EDGE * setting.model.scale)
        kind, what = ("reach" if missing else "type 1"), setting.constraints[column]
        value = -float(m.slack[worst, column]) if missing else float(m.legs[worst, column])
        least = 0.0 if missing else setting.margin
    elif column == legs:
        kind, what, value, least = "type 2", "", float(m.parallel[worst]), setting.margin
    elif column <= legs + m.gaps.shape[1]:
        kind, what, least = "collision", setting.constraints[column], setting.room
        value = float(m.gaps[worst, column - legs - 1])
    else:
        joint = column - legs - 1 - m.gaps.shape[1]
        value, limits = setting.joints.beyond(m.q[worst], line.x(s[[worst]])[0], joint)
        kind, what, least = "limit", f"{setting.constraints[column]} is beyond its limits {limits}", 0.0
    crossings = _crossings(line, s, m, max(i - 1, 0), min(j + 1, len(s) - 1)) if crossed else ()
    x = line.x(np.array([begins]))[0]
    return Obstruction(kind, what, begins, ends, x, float(s[worst]), value, least, crossings)


def _thin_crossings(line: _Line, s: Doubles, m: Measures, left: Doubles) -> Iterator[Obstruction]:
    """Singular points whose stretch lies between two samples; without a margin it has no length."""
    column, margin = len(line.setting.legs), line.setting.margin
    f = line.left(column)
    for at in _crossings(line, s, m, 0, len(s) - 1):
        k = int(np.clip(np.searchsorted(s, at), 1, len(s) - 1))
        if not (left[k - 1 : k + 1, column] < 0.0).any():
            begins, ends = (_boundary(f, float(s[i]), at) if margin else at for i in (k - 1, k))
            x = line.x(np.array([begins]))[0]
            yield Obstruction("type 2", "", begins, ends, x, at, 0.0, margin, (at,))


def _crossings(line: _Line, s: Doubles, m: Measures, i: int, j: int) -> tuple[float, ...]:
    """Where det A changes its sign between samples i and j; a sample on the singularity itself is passed over."""
    sure = i + np.flatnonzero(m.reached[i : j + 1] & (np.abs(m.det[i : j + 1]) > ZERO))
    found = []
    for k, n in pairwise(sure):
        if m.det[k] * m.det[n] < 0.0 and m.reached[k:n].all():
            found.append(_boundary(line.det(float(np.sign(m.det[k]))), float(s[k]), float(s[n])))
    return tuple(found)


def _changes(det: Doubles) -> bool:
    """Whether det A has both signs, beyond what rounding makes of a determinant that is zero."""
    return bool((det > ZERO).any() and (det < -ZERO).any())


def _stretches(broken: Flags) -> Iterator[tuple[int, int]]:
    """First and last index of each run of samples."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], broken, [False]]).astype(int)))
    yield from ((int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True))


def _boundary(f: Function, kept: float, broken: float) -> float:
    """Where f stops to be kept, between a place where it is and one where it is not; what is unknown is not kept."""
    for _ in range(SECTIONS):
        s = kept + np.linspace(0.0, 1.0, CUTS + 1)[1:-1] * (broken - kept)
        bad = ~(f(s) >= 0.0)
        first = int(np.argmax(bad)) if bad.any() else len(s)
        kept, broken = (float(v) for v in np.array([kept, *s, broken])[[first, first + 1]])
    return float(broken)
