"""The fastest ṡ(s) under bounds that are linear in s̈: controllable speeds backward, then greedily forward.

On each interval of the grid s̈ = u is constant, so that y = ṡ² is linear in s: y₊ = y + 2 Δ u. A speed v is controllable
at a grid point if some u meets every bound there and leads to a controllable speed at the next point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles

NIL = 1e-13  # of the largest: a bound that does not depend on u
SLACK = 1e-9  # of the interval: rounding of the greedy pass


@dataclass(frozen=True, eq=False)
class Bounds:
    """|α u + β v² + φ v + γ| ≤ limit on each interval, (intervals, rows), and v ≤ fastest at each grid point."""

    alpha: Doubles
    beta: Doubles
    phi: Doubles
    gamma: Doubles
    limit: Doubles
    fastest: Doubles  # (points,) may be infinite


@dataclass(frozen=True, eq=False)
class Profile:
    """ṡ at the grid points and s̈ between them, or where no speed is controllable."""

    s_dot: Doubles  # (points,)
    s_ddot: Doubles  # (intervals,)
    blocked: int = -1  # the grid point without a controllable speed; −1 when there is none


def fastest_profile(s: Doubles, bounds: Bounds) -> Profile:
    """Rest to rest over the grid s."""
    n = len(s) - 1
    sets = np.zeros((n + 1, 2))  # [lowest, highest] controllable ṡ²; at the end rest alone
    for i in range(n - 1, -1, -1):
        found = controllable(_Interval(bounds, i, s[i + 1] - s[i], *sets[i + 1]), bounds.fastest[i])
        if found is None or (i > 0 and found[1] == 0.0):
            return Profile(np.zeros(n + 1), np.zeros(n), i)
        sets[i] = found
    if sets[0, 0] > 0.0:
        return Profile(np.zeros(n + 1), np.zeros(n), 0)
    return _forward(s, bounds, sets)


def _forward(s: Doubles, bounds: Bounds, sets: Doubles) -> Profile:
    """From rest, always the largest s̈ that stays controllable."""
    n = len(s) - 1
    y, u = np.zeros(n + 1), np.zeros(n)
    for i in range(n):
        step = s[i + 1] - s[i]
        low, high = _Interval(bounds, i, step, *sets[i + 1]).range_at(np.sqrt(y[i]))
        if low > high + SLACK * max(abs(low), abs(high)) or (y[i] + 2 * step * high <= 0.0 and i < n - 1):
            return Profile(np.zeros(n + 1), np.zeros(n), i)
        y[i + 1] = min(max(y[i] + 2 * step * high, sets[i + 1, 0]), sets[i + 1, 1])
        u[i] = (y[i + 1] - y[i]) / (2 * step)
    return Profile(np.sqrt(y), u)


class _Interval:
    """Upper and lower bounds of u as quadratics of v, rows (1, v, v²), and conditions on v alone."""

    def __init__(self, bounds: Bounds, i: int, step: float, low: float, high: float) -> None:
        alpha = bounds.alpha[i]
        rest = np.stack([bounds.gamma[i], bounds.phi[i], bounds.beta[i]], axis=-1)  # (rows, 3)
        above, below = -rest, -rest  # α u ≤ limit − rest, α u ≥ −limit − rest
        above, below = above + _first(bounds.limit[i]), below - _first(bounds.limit[i])
        moving = np.abs(alpha) > NIL * max(float(np.abs(bounds.alpha).max(initial=0.0)), 1e-300)
        scale = alpha[moving, None]
        upper, lower = above[moving] / scale, below[moving] / scale
        turned = scale < 0
        next_high, next_low = (np.array([[y / (2 * step), 0.0, -1 / (2 * step)]]) for y in (high, low))
        self.upper = np.concatenate([next_high, np.where(turned, lower, upper)])
        self.lower = np.concatenate([next_low, np.where(turned, upper, lower)])
        self.alone = np.concatenate([above[~moving], -below[~moving]])  # ≥ 0

    def range_at(self, v: float) -> tuple[float, float]:
        """The least and the largest u at one speed."""
        powers = np.array([1.0, v, v * v])
        return float((self.lower @ powers).max()), float((self.upper @ powers).min())

    def conditions(self) -> Doubles:
        """(m, 3) quadratics of v that must not be negative: each upper bound of u above each lower one."""
        pairs = (self.upper[:, None, :] - self.lower[None, :, :]).reshape(-1, 3)[1:]  # the first is the next set's own
        return np.concatenate([pairs, self.alone])


def controllable(interval: _Interval, fastest: float) -> tuple[float, float] | None:
    """The highest range of ṡ² from which the interval can be passed; None where there is none.

    Between the roots of all conditions none changes sign, so one point of each gap decides it.
    """
    conditions = interval.conditions()
    roots = _roots(conditions)
    inside = np.unique(roots[(roots > 0.0) & (roots < fastest)])
    last = fastest if np.isfinite(fastest) else 2 * float(inside.max(initial=0.0)) + 1.0
    edges = np.concatenate([[0.0], inside, [last]])
    middle = 0.5 * (edges[:-1] + edges[1:])
    values = conditions @ np.stack([np.ones_like(middle), middle, middle**2])
    good = (values >= 0.0).all(axis=0)
    if not good.any():
        return None
    top = int(np.nonzero(good)[0][-1])
    bottom = top
    while bottom > 0 and good[bottom - 1]:
        bottom -= 1
    return float(edges[bottom] ** 2), float(edges[top + 1] ** 2)


def _roots(quadratics: Doubles) -> Doubles:
    """All real roots of c + b v + a v², without cancellation."""
    c, b, a = quadratics.T
    with np.errstate(divide="ignore", invalid="ignore"):
        half = -0.5 * (b + np.copysign(np.sqrt(b * b - 4 * a * c), b))
        found = np.concatenate([half / a, c / half])
    return found[np.isfinite(found)]


def _first(column: Doubles) -> Doubles:
    return column[:, None] * np.array([1.0, 0.0, 0.0])
