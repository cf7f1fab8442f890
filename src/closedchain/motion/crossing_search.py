"""`cross`: the polynomial in a leg's coordinates that meets the criterion where it passes Type 2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import NoSolution
from closedchain.model.crossing import passage
from closedchain.model.model import Model
from closedchain.model.state import place
from closedchain.motion.crossing import Crossing
from closedchain.motion.leg_chart import LegChart, charts, check_two_bars
from closedchain.motion.polynomials import PiecewisePolynomial
from closedchain.motion.reference import Reference, positive

SPIKE = 1.1  # the largest effort at a crossing over that elsewhere
MOST = 3  # Type 2 instants in one motion
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
    detour: Doubles  # (2,) in the middle

    @property
    def laws(self) -> list[Polynomial]:
        """u(r), 0 ≤ r ≤ 1."""
        return [a + (b - a) * RISE + 64 * h * HUMP for a, b, h in zip(self.start, self.end, self.detour, strict=True)]

    @property
    def length(self) -> float:
        return float(np.linalg.norm((self.end - self.start) / self.chart.scales))


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
    another value [N] only to see what it does. One leg may change its working mode on the way (Type 1).
    The first motion whose efforts at the crossing keep below 1.1 of those elsewhere is taken, the shortest ways first.
    """
    check_two_bars(model)
    T = positive(duration, "duration")
    modes = (working, end_working or working)
    best: Crossing | None = None
    tried = 0
    for way, directions in _ways(model, vectors(start, 2, "start"), vectors(end, 2, "end"), modes):
        for direction in directions:
            tried += 1
            made = _bent(way, direction, T, push, modes)
            if made is not None and push:
                return made
            if made is not None and (best is None or max(made.peaks) < max(best.peaks)):
                best = made
        if best is not None and best.peaks[0] <= SPIKE * best.peaks[1]:
            return best
    if best is None:
        raise NoSolution(
            f"{model.name}: none of {tried} motions in its legs' coordinates goes from {modes[0]!r} to {modes[1]!r} "
            "between these poses and meets the criterion; move an end pose, or go through a pose between"
        )
    raise NoSolution(
        f"{model.name}: the best of {tried} motions has {best.peaks[0]:.3g} at the crossing and {best.peaks[1]:.3g} "
        f"elsewhere; {SPIKE} times as much is allowed: move an end pose, or go through a pose between"
    )


def _ways(model: Model, start: Doubles, end: Doubles, modes: tuple[str, str]) -> Iterator[tuple[Way, Doubles]]:
    """First motions with the directions to bend them in: straight ones, the shortest first; then detours."""
    straight: list[Way] = []
    for chart in charts(model, *modes):
        a, b = (chart.coordinates(*place(model, None, x, None, m)) for x, m in zip((start, end), modes, strict=True))
        turns = [(0.0, -np.copysign(2 * np.pi, d)) if turning else (0.0,) for d, turning in _nearest(chart, a, b)]
        b = a + [d for d, _ in _nearest(chart, a, b)]
        straight += [Way(chart, a, b + np.array(turn), np.zeros(2)) for turn in product(*turns)]
    straight.sort(key=lambda way: way.length)
    yield from ((way, DIRECTIONS[:1]) for way in straight)
    yield from ((way, DIRECTIONS[1:]) for way in straight)
    for way, detour in product(straight, list(product(DETOURS, repeat=2))[1:]):
        yield Way(way.chart, way.start, way.end, np.array(detour) * way.chart.scales), DIRECTIONS


def _nearest(chart: LegChart, a: Doubles, b: Doubles) -> list[tuple[float, bool]]:
    """From a to b in each coordinate, angles the short way round; and whether it is an angle."""
    steps = zip(b - a, chart.turning, strict=True)
    return [
        (float(np.remainder(d + np.pi, 2 * np.pi) - np.pi) if turning else float(d), turning) for d, turning in steps
    ]


def _bent(way: Way, direction: float, T: float, push: float, modes: tuple[str, str]) -> Crossing | None:
    """The way bent along a direction of u so that the criterion holds; None where it cannot be."""
    first = _crossing(way, way.laws, T, modes)
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
    made = None if k is None else _crossing(way, _with_bend(way, lean, at, k), T, modes)
    if made is None or len(made.type_2) != len(at) or not _holds(made, push):
        return None
    return made


def _holds(made: Crossing, push: float) -> bool:
    """Every passage as planned: across, not along, and with the push that was asked for."""
    return all(
        p.speed != 0.0 and (p.bounded if push == 0.0 else abs(p.push - push) < 1e-6 * p.size) for p in made.passages
    )


def _crossing(way: Way, laws: list[Polynomial], T: float, modes: tuple[str, str]) -> Crossing | None:
    """The motion of u(r); None where the other leg does not reach, or has next to nothing left."""
    rows = np.zeros((max(len(law.coef) for law in laws), 2))
    for i, law in enumerate(laws):
        rows[: len(law.coef), i] = np.asarray(law.coef, dtype=np.float64) / T ** np.arange(len(law.coef))
    made = Crossing(way.chart, PiecewisePolynomial(np.array([0.0, T]), rows[None]), modes)
    slack = way.chart.place(made.u(made.times).x)[2]
    return made if (slack >= min(CLEAR * way.chart.model.scale, slack[0], slack[-1])).all() else None


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
        steps = size * np.eye(len(at))
        slope = np.stack([(misfit(k + e) - misfit(k - e)) / (2 * size) for e in steps], axis=-1)
        if not np.linalg.cond(slope) < 1e12:
            return None
        step = np.linalg.solve(slope, misfit(k))
        k = k - step
        if np.abs(step).max() <= 1e-14 * max(np.abs(k).max(), 1.0):
            break
    return k if np.isfinite(k).all() else None
