"""Exciting motions: finite Fourier series within limits, whose regressor is as well conditioned as a search finds.

    q_i(t) = c_i + Σ_k (a_ik sin k ω t − b_ik cos k ω t) / (k ω)

Each candidate is scaled until it touches the first of its limits (positions, rates, accelerations, reach of the loops),
so that every candidate is feasible; what is searched is the shape. A hill is climbed by random steps whose size follows
their success: the best found, not a proof that none is better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, ClosedChainError
from closedchain.fitting import Readings
from closedchain.identification.base import Base, base_parameters
from closedchain.identification.regressor import Regressor, stacked
from closedchain.model.geometry import direct
from closedchain.model.model import Model
from closedchain.model.state import place

SAMPLES = 120  # instants of a period at which a candidate is judged
REACH = 6  # halvings until a motion that leaves the reach is given up


@dataclass(frozen=True, eq=False)
class Limits:
    """What each drive may do."""

    low: Doubles  # (nq,)
    high: Doubles
    rate: float  # of every drive [m/s, rad/s]
    acceleration: float


@dataclass(frozen=True, eq=False)
class Excitation:
    """A periodic motion of the drives."""

    model: Model
    centre: Doubles  # (nq,)
    a: Doubles  # (nq, harmonics)
    b: Doubles
    period: float
    condition: float  # of the base regressor, columns of length one
    first: float  # the same of the best of the random shapes that the search began with
    tried: int

    def __call__(self, t: ArrayLike) -> tuple[Doubles, Doubles, Doubles]:
        """q, q̇, q̈ at instants, (n, nq) each."""
        return series(self.centre, self.a, self.b, self.period, np.asarray(t, dtype=np.float64))

    def table(self, interval: float) -> Readings:
        """One period as columns t, q1, …, q1_dot, …, q1_ddot, …."""
        t = np.asarray(np.arange(round(self.period / interval) + 1) * interval, dtype=np.float64)
        names = [c.name for c in self.model.equations.q]
        columns = ("t", *(n + s for s in ("", "_dot", "_ddot") for n in names))
        return Readings(columns, np.concatenate([t[:, None], *self(t)], axis=1), "the exciting motion")

    def __str__(self) -> str:
        return (
            f"{self.model.name}: a motion of {self.period:g} s with {self.a.shape[1]} harmonics, condition number "
            f"{self.condition:.3g} ({self.first:.3g} before the search), {self.tried} motions tried"
        )


def series(c: Doubles, a: Doubles, b: Doubles, period: float, t: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """A Fourier series with its derivatives."""
    k = 2 * np.pi / period * np.arange(1, a.shape[1] + 1)
    sin, cos = np.sin(np.outer(t, k)), np.cos(np.outer(t, k))
    q = c + (sin / k) @ a.T - (cos / k) @ b.T
    return q, cos @ a.T + sin @ b.T, -(sin * k) @ a.T + (cos * k) @ b.T


def excite(
    model: Model,
    *,
    limits: Mapping[str, tuple[float, float]] | None = None,
    rate: float | None = None,
    acceleration: float | None = None,
    period: float = 10.0,
    harmonics: int = 5,
    evaluations: int = 1500,
    seed: int = 0,
    regressor: Regressor | None = None,
    assembly: str | None = None,
) -> Excitation:
    """A motion of the drives that shows every base parameter as equally as can be, within limits.

    Limits of positions are the drives' own where the description has them; rates and accelerations are limited to
    half of the range in a tenth of the period unless given.
    """
    if not (np.isfinite(period) and period > 0.0) or harmonics < 1 or evaluations < 1:
        raise BadInput("an exciting motion needs a period above 0, harmonics and evaluations")
    bounds = _limits(model, dict(limits or {}), rate, acceleration, period)
    judge = _Judge(regressor or Regressor(model), bounds, period, assembly)
    rng = np.random.default_rng(seed)
    shapes = [rng.standard_normal((2, model.nq, harmonics)) for _ in range(max(8, evaluations // 20))]
    scores = [judge(shape) for shape in shapes]
    best = int(np.argmin(scores))
    shape, score, first = shapes[best], scores[best], scores[best]
    if not np.isfinite(score):
        raise BadInput(
            f"{model.name}: none of {len(shapes)} motions stays within the limits and the reach; move the limits to "
            f"where the loops close, or say which assembly"
        )
    size, tried = 0.5, len(shapes)
    while tried < evaluations:
        other = shape + size * rng.standard_normal(shape.shape)
        other_score = judge(other)
        tried += 1
        if other_score < score:
            shape, score, size = other, other_score, min(1.2 * size, 1.0)
        else:
            size = max(size / 1.05, 1e-3)  # one success in five steps keeps it
    a, b = judge.scaled(shape) or (shape[0], shape[1])
    return Excitation(model, judge.centre, a, b, period, score, first, tried)


class _Judge:
    """The condition number of a shape, scaled to its limits; infinite where it cannot be driven."""

    def __init__(self, regressor: Regressor, limits: Limits, period: float, assembly: str | None) -> None:
        self.regressor, self.limits, self.period, self.assembly = regressor, limits, period, assembly
        self.base: Base = base_parameters(regressor)
        self.t = np.arange(SAMPLES) * period / SAMPLES
        self.centre = (limits.low + limits.high) / 2

    def scaled(self, shape: Doubles) -> tuple[Doubles, Doubles] | None:
        """a and b that touch a limit of positions, rates or accelerations; smaller where the loops do not reach."""
        q, q_dot, q_ddot = series(np.zeros(len(self.centre)), shape[0], shape[1], self.period, self.t)
        half = (self.limits.high - self.limits.low) / 2
        most = [np.abs(q) / half, np.abs(q_dot) / self.limits.rate, np.abs(q_ddot) / self.limits.acceleration]
        share = 0.98 / np.max([m.max(axis=0) for m in most], axis=0)  # a margin for what is between the samples
        a, b = shape[0] * share[:, None], shape[1] * share[:, None]
        for _ in range(REACH):
            if self._poses(a, b) is not None:
                return a, b
            a, b = 0.7 * a, 0.7 * b
        return None

    def _poses(self, a: Doubles, b: Doubles) -> Doubles | None:
        model = self.regressor.model
        q = series(self.centre, a, b, self.period, self.t)[0]
        if not model.nx:
            return np.zeros((len(q), 0))
        try:
            if model.has_groups:
                return place(model, q, None, self.assembly, None)[1]
            tracker = model.track(q[0], self._first(q[0]))
            return np.array([tracker.to(np.ascontiguousarray(row)) for row in q])
        except ClosedChainError:
            return None

    def _first(self, q: Doubles) -> Doubles:
        found = direct(self.regressor.model, q)
        return found[self.assembly or found.mode[0]].x

    def __call__(self, shape: Doubles) -> float:
        scaled = self.scaled(shape)
        if scaled is None:
            return float("inf")
        x = self._poses(*scaled)
        q, q_dot, q_ddot = series(self.centre, *scaled, self.period, self.t)
        try:
            W = stacked(self.regressor(q, x if x is not None else np.zeros((len(q), 0)), q_dot, q_ddot))
        except ClosedChainError:
            return float("inf")
        W = W[:, list(self.base.kept)]
        sigma = np.linalg.svd(W / np.maximum(np.linalg.norm(W, axis=0), 1e-300), compute_uv=False)
        return float(sigma[0] / sigma[-1]) if sigma[-1] > 0 and np.isfinite(sigma).all() else float("inf")


def _limits(
    model: Model, given: dict[str, tuple[float, float]], rate: float | None, acceleration: float | None, period: float
) -> Limits:
    names = [c.name for c in model.equations.q]
    unknown = [n for n in given if n not in names]
    if unknown:
        raise BadInput(f"{model.name} has no drive {unknown[0]!r:.40}; there are {', '.join(names)}")
    own = {l.name: (model.number(l.low), model.number(l.high)) for l in model.equations.limits if l.name in names}
    missing = [n for n in names if n not in own and n not in given]
    if missing:
        raise BadInput(
            f"{model.name}: between which values may {', '.join(missing)} move? The description has no limits"
        )
    low, high = np.array([(own | given)[n] for n in names]).T
    if not (high > low).all():
        raise BadInput(f"{model.name}: a limit's low value is not below its high one")
    usual = float((high - low).max()) / 2 / (period / 10)
    rate = usual if rate is None else rate
    acceleration = 10 * rate * 10 / period if acceleration is None else acceleration
    if not (rate > 0 and acceleration > 0):
        raise BadInput("limits of rates and accelerations must be above 0")
    return Limits(low, high, rate, acceleration)
