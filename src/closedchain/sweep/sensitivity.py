"""Which factor matters: Sobol's indices from Saltelli's rows, or shares of a linear regression; it says which.

From A, B and A with column i of B (n base points), f standardised:

    first   S_i = mean(f_B (f_ABi − f_A)) / var f            Saltelli 2010
    total   T_i = mean((f_A − f_ABi)²) / (2 var f)           Jansen 1999

From any other sample, the squares of the standardised regression coefficients: for independent factors, their shares
of the variance as far as the measure is linear, which R² tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.results import Results

FEWEST = 4  # points beyond the factors


@dataclass(frozen=True)
class Sensitivity:
    """Of one measure."""

    measure: str
    method: str  # "sobol" or "regression"
    factors: Sequence[str]
    first: Doubles  # (factors,)
    total: Doubles | None  # (factors,) of "sobol"
    error: Doubles | None  # (factors,) standard error of `first`, of "sobol"
    explained: float  # R² of a regression; the share of points used, of "sobol"

    def sentence(self) -> str:
        """How it was made."""
        if self.method == "sobol":
            return f"Sobol indices from Saltelli's sample, {self.explained:.0%} of its base points complete"
        return f"Squared standardised regression coefficients, R² = {self.explained:.3f}"


def sensitivity(done: Results, name: str) -> Sensitivity:
    """How much each factor matters for a measure."""
    values = done.column(name)
    factors = [f.name for f in done.study.factors]
    if np.nanstd(values) <= 1e-14 * max(float(np.nanmax(np.abs(values), initial=0.0)), 1e-300):
        raise BadStudy(f"{name} is the same at every point, so no factor matters")
    if done.study.method == "saltelli":
        return _sobol(name, factors, values)
    return _regression(name, factors, done.points, values)


def _sobol(name: str, factors: Sequence[str], values: Doubles) -> Sensitivity:
    d = len(factors)
    rows = values.reshape(-1, d + 2)
    whole = rows[~np.isnan(rows).any(axis=1)]
    if len(whole) < FEWEST:
        raise BadStudy(f"{name}: {len(whole)} complete base points are too few for indices; at least {FEWEST}")
    mean, variance = whole[:, [0, -1]].mean(), whole[:, [0, -1]].var()
    A, mixed, B = whole[:, 0] - mean, whole[:, 1:-1] - mean, whole[:, -1] - mean
    terms = B[:, None] * (mixed - A[:, None]) / variance
    total = ((A[:, None] - mixed) ** 2).mean(axis=0) / (2 * variance)
    error = terms.std(axis=0, ddof=1) / np.sqrt(len(whole))
    return Sensitivity(name, "sobol", factors, terms.mean(axis=0), total, error, len(whole) / len(rows))


def _regression(name: str, factors: Sequence[str], points: Doubles, values: Doubles) -> Sensitivity:
    there = ~np.isnan(values)
    x, y = points[there], values[there]
    if len(y) < len(factors) + FEWEST:
        raise BadStudy(
            f"{name}: {len(y)} points are too few for {len(factors)} factors; at least {len(factors) + FEWEST}"
        )
    spread = x.std(axis=0)
    u = (x - x.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    v = (y - y.mean()) / y.std()
    slopes, *_ = np.linalg.lstsq(u, v, rcond=None)
    explained = 1.0 - float(((v - u @ slopes) ** 2).mean())
    return Sensitivity(name, "regression", factors, slopes**2, None, None, explained)
