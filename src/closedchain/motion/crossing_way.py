"""One stretch of a crossing: a polynomial in a leg's coordinates that meets the criterion where it passes Type 2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.polynomial import Polynomial

from closedchain.arrays import Doubles
from closedchain.model.crossing import passage
from closedchain.model.model import Model
from closedchain.model.state import place
from closedchain.motion.crossing import TURN, Crossing, Stretch, joined
from closedchain.motion.leg_chart import LegChart, charts
from closedchain.motion.polynomials import PiecewisePolynomial
from closedchain.motion.reference import Reference

MOST = 3  # Type 2 instants in one stretch
CLEAR = 1e-3  # of the robot's size: what the other leg must have left
EARLY = 0.04  # of the duration: a singularity this near to an end would be passed at rest
NEWTON = 12
DIRECTIONS = np.pi * np.array([0.5, 0.0, 0.25, 0.75, 0.125, 0.375, 0.625, 0.875])
DETOURS = (0.0, 0.4, -0.4, 0.8, -0.8)
RISE = Polynomial([0, 0, 0, 10, -15, 6])  # rest to rest in r = t / duration
HUMP = Polynomial([0, 0, 0, 1]) * Polynomial([1, -1]) ** 3  # r³ (1 − r)³


@dataclass(frozen=True, eq=False)
class Way:
    """A first motion of u: from end to end, perhaps with a detour."""

    chart: LegChart
    start: Doubles  # (2,)
    end: Doubles  # (2,)
    modes: tuple[str, str]
    detour: Doubles | float = 0.0  # (2,) in the middle

    @property
    def laws(self) -> list[Polynomial]:
        """u(r), 0 ≤ r ≤ 1."""
        detour = np.broadcast_to(self.detour, 2)
        return [a + (b - a) * RISE + 64 * h * HUMP for a, b, h in zip(self.start, self.end, detour, strict=True)]

    @property
    def length(self) -> float:
        return float(np.linalg.norm((self.end - self.start) / self.chart.scales))


@dataclass(frozen=True, eq=False)
class Bend:
    """A way with a term that keeps it in place at every Type 2 instant and gives it the push there that was asked for.

    lean r³(1 − r)³ Π(r − r_s)^power Σ k_j r^j: with power 1 of the lowest degree, but r³(1 − r)³ has no slope at
    r_s = 1/2, near which it must be large; with power 2 also the velocities at r_s are the way's.
    """

    way: Way
    lean: Doubles  # (2,)
    at: Doubles  # (m,) r of the Type 2 instants
    power: int
    k: Doubles  # (m,)

    @property
    def laws(self) -> list[Polynomial]:
        """u(r), 0 ≤ r ≤ 1."""
        bend = HUMP * Polynomial.fromroots(np.repeat(self.at, self.power)) * Polynomial(self.k)
        return [law + e * bend for law, e in zip(self.way.laws, self.lean, strict=True)]

    @cached_property
    def price(self) -> float:
        """The term's largest acceleration over that of the way."""
        r = np.linspace(0.0, 1.0, 101)
        rates = [[law.deriv(2)(r) for law in laws] for laws in (self.way.laws, self.laws)]
        plain, bent = (np.stack(rows, axis=-1) / self.way.chart.scales for rows in rates)
        return float(np.linalg.norm(bent - plain, axis=-1).max() / np.linalg.norm(plain, axis=-1).max())


def straight_ways(model: Model, start: Doubles, end: Doubles, modes: tuple[str, str]) -> list[Way]:
    """First motions straight in u, the shortest first."""
    found: list[Way] = []
    for chart in charts(model, *modes):
        a, b = (chart.coordinates(*place(model, None, x, None, m)) for x, m in zip((start, end), modes, strict=True))
        found += [Way(chart, a, a + step, modes) for step in steps(chart, b - a)]
    return sorted(found, key=lambda way: way.length)


def detours(straight: Iterable[Way]) -> Iterator[Way]:
    """The same led aside in the middle."""
    for way, detour in product(straight, list(product(DETOURS, repeat=2))[1:]):
        yield replace(way, detour=np.array(detour) * way.chart.scales)


def steps(chart: LegChart, away: Doubles) -> Doubles:
    """(k, …, 2) ways round from one u to another: angles the short way and the long way."""
    turning = np.array(chart.turning)
    short = np.where(turning, np.remainder(away + np.pi, TURN) - np.pi, away)
    long = np.where(turning, short - np.copysign(TURN, short), short)
    choices = product(*((False, True) if turns else (False,) for turns in chart.turning))
    return np.array([np.where(choice, long, short) for choice in choices])


def bent(way: Way, direction: float, T: float, push: float) -> Crossing | None:
    """The way bent along a direction of u so that the criterion holds; None where it cannot be."""
    for bend in bends(way, [direction], [1], T, push):
        return made(bend, T, push)
    return None


def bends(way: Way, directions: Iterable[float], powers: Iterable[int], T: float, push: float) -> Iterator[Bend]:
    """The way bent along directions of u so that the criterion holds; as it is where it meets no Type 2."""
    first = _crossing(way, way.laws, T)
    if first is None:
        return
    at = np.array(first.type_2) / T
    if not len(at):
        yield Bend(way, np.zeros(2), at, 1, np.zeros(1))
        return
    if len(at) > MOST or not (at.min() > EARLY and at.max() < 1 - EARLY):
        return
    for direction, power in product(directions, powers):
        lean = np.array([np.cos(direction), np.sin(direction)]) * way.chart.scales
        lean[np.abs(lean) < 1e-15] = 0.0
        k = _solved(Bend(way, lean, at, power, np.zeros(len(at))), T, push)
        if k is not None:
            yield Bend(way, lean, at, power, k)


def made(bend: Bend, T: float, push: float) -> Crossing | None:
    """The motion; None where the other leg does not reach, or Type 2 is met elsewhere too."""
    if not len(bend.at):
        return _crossing(bend.way, bend.way.laws, T)
    found = _crossing(bend.way, bend.laws, T)
    good = found is not None and len(found.type_2) == len(bend.at) and _holds(found, push)
    return found if good else None


def unbent(crossing: Crossing) -> Crossing | None:
    """The same ends and times with every stretch straight in u, as if no criterion were asked; None out of reach."""
    parts: list[Stretch] = []
    for part in crossing.parts:
        T = part.u.duration
        start, end = part.u(np.array([0.0, T])).x
        way = Way(part.chart, start, end, part.working)
        plain = _crossing(way, way.laws, T)
        if plain is None:
            return None
        parts += plain.parts
    return joined(parts)


def _holds(made: Crossing, push: float) -> bool:
    """Every passage as planned: across, not along, and with the push that was asked for."""
    return all(
        p.speed != 0.0 and (p.bounded if push == 0.0 else abs(p.push - push) < 1e-6 * p.size) for p in made.passages
    )


def _crossing(way: Way, laws: list[Polynomial], T: float) -> Crossing | None:
    """The motion of u(r); None where the other leg does not reach, or has next to nothing left."""
    rows = np.zeros((max(len(law.coef) for law in laws), 2))
    for i, law in enumerate(laws):
        rows[: len(law.coef), i] = np.asarray(law.coef, dtype=np.float64) / T ** np.arange(len(law.coef))
    made = Stretch(way.chart, PiecewisePolynomial(np.array([0.0, T]), rows[None]), way.modes)
    slack = way.chart.place(made.u(made.times).x)[2]
    clear = (slack >= min(CLEAR * way.chart.model.scale, slack[0], slack[-1])).all()
    return joined([made]) if clear else None


def _solved(bend: Bend, T: float, push: float) -> Doubles | None:
    """k for which every passage has the push: Newton, each push being a polynomial of second degree in k."""
    size, at, chart, count = 1e2, bend.at, bend.way.chart, len(bend.at)
    plain, terms = _rates(bend.way.laws, at, T), [_rates(replace(bend, k=e).laws, at, T) for e in np.eye(count)]
    each = np.stack([term - plain for term in terms])  # (m, 4, m, 2): u and its rates at the instants are linear in k

    def misfit(k: Doubles) -> Doubles:
        course = chart.course(Reference(*(plain + np.tensordot(k, each, 1))))
        return np.array([passage(chart.model, course[j]).push for j in range(count)]) - push

    k, last = np.zeros(count), np.inf
    for _ in range(NEWTON):
        apart = size * np.eye(count)
        slope = np.stack([(misfit(k + e) - misfit(k - e)) / (2 * size) for e in apart], axis=-1)
        if not np.linalg.cond(slope) < 1e12:
            return None
        step = np.linalg.solve(slope, misfit(k))
        k = k - step
        large, last = last, float(np.abs(step).max() / max(np.abs(k).max(), 1.0))
        if last <= 1e-14 or (last <= 1e-10 and last > 0.1 * large):  # nothing but rounding is left
            break
    return k if np.isfinite(k).all() else None


def _rates(laws: list[Polynomial], at: Doubles, T: float) -> Doubles:
    """(4, m, 2) u and its rates up to the jerk."""
    return np.stack([np.stack([law.deriv(n)(at) / T**n for law in laws], axis=-1) for n in range(4)])
