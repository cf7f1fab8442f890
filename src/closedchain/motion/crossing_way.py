"""One stretch of a crossing: a polynomial in a leg's coordinates that meets the criterion where it passes Type 2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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


def ways(model: Model, start: Doubles, end: Doubles, modes: tuple[str, str]) -> Iterator[tuple[Way, Doubles]]:
    """First motions with the directions to bend them in: straight ones, the shortest first; then detours."""
    straight: list[Way] = []
    for chart in charts(model, *modes):
        a, b = (chart.coordinates(*place(model, None, x, None, m)) for x, m in zip((start, end), modes, strict=True))
        straight += [Way(chart, a, a + step, modes) for step in steps(chart, b - a)]
    straight.sort(key=lambda way: way.length)
    yield from ((way, DIRECTIONS[:1]) for way in straight)
    yield from ((way, DIRECTIONS[1:]) for way in straight)
    for way, detour in product(straight, list(product(DETOURS, repeat=2))[1:]):
        yield Way(way.chart, way.start, way.end, modes, np.array(detour) * way.chart.scales), DIRECTIONS


def steps(chart: LegChart, away: Doubles) -> Doubles:
    """(k, …, 2) ways round from one u to another: angles the short way and the long way."""
    turning = np.array(chart.turning)
    short = np.where(turning, np.remainder(away + np.pi, TURN) - np.pi, away)
    long = np.where(turning, short - np.copysign(TURN, short), short)
    choices = product(*((False, True) if turns else (False,) for turns in chart.turning))
    return np.array([np.where(choice, long, short) for choice in choices])


def bent(way: Way, direction: float, T: float, push: float) -> Crossing | None:
    """The way bent along a direction of u so that the criterion holds; None where it cannot be."""
    first = _crossing(way, way.laws, T)
    if first is None:
        return None
    at = np.array(first.type_2) / T
    if len(at) > MOST or (len(at) and not (at.min() > EARLY and at.max() < 1 - EARLY)):
        return None
    if not len(at):
        return first
    lean = np.array([np.cos(direction), np.sin(direction)]) * way.chart.scales
    lean[np.abs(lean) < 1e-15] = 0.0
    k = _bend(way, lean, at, T, push)
    made = None if k is None else _crossing(way, _with_bend(way, lean, at, k), T)
    if made is None or len(made.type_2) != len(at) or not _holds(made, push):
        return None
    return made


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


def _with_bend(way: Way, lean: Doubles, at: Doubles, k: Doubles) -> list[Polynomial]:
    """u(r) + lean r³(1 − r)³ Π(r − r_s) Σ k_j r^j: at every r_s the same place, with other rates."""
    bend = HUMP * Polynomial.fromroots(at) * Polynomial(k)
    return [law + e * bend for law, e in zip(way.laws, lean, strict=True)]


def _bend(way: Way, lean: Doubles, at: Doubles, T: float, push: float) -> Doubles | None:
    """k for which every passage has the push: Newton, each push being a polynomial of second degree in k."""
    size = 1e2

    def misfit(k: Doubles) -> Doubles:
        laws = _with_bend(way, lean, at, k)
        rates = [np.stack([law.deriv(n)(at) / T**n if n else law(at) for law in laws], axis=-1) for n in range(4)]
        course = way.chart.course(Reference(*rates))
        return np.array([passage(way.chart.model, course[j]).push for j in range(len(at))]) - push

    k = np.zeros(len(at))
    for _ in range(NEWTON):
        apart = size * np.eye(len(at))
        slope = np.stack([(misfit(k + e) - misfit(k - e)) / (2 * size) for e in apart], axis=-1)
        if not np.linalg.cond(slope) < 1e12:
            return None
        step = np.linalg.solve(slope, misfit(k))
        k = k - step
        if np.abs(step).max() <= 1e-14 * max(np.abs(k).max(), 1.0):
            break
    return k if np.isfinite(k).all() else None
