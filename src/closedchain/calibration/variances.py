"""Standard deviations of readings that nobody stated, estimated beside the parameters, by unit.

    σ² ← σ² Σ r² / Σ (1 − h),    h the share of a reading in its own prediction

With a robust loss the median takes the place of the mean of squares: weights would make σ smaller, and that them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.calibration.fitting import LOSSES, Fit, Search, spread
from closedchain.calibration.system import Group
from closedchain.policy import RANK

ROUNDS = 30  # of lengths and angles estimated beside each other
SETTLED = 1e-3  # of a standard deviation
LEAST = 1e-14  # of the robot's size: a standard deviation below this is rounding


def unknown_units(groups: Sequence[Group], table: Doubles, measured: Sequence[str]) -> set[str]:
    """The units of readings whose standard deviation nobody gave."""
    columns = {name: i for i, name in enumerate(measured)}
    return {q.unit for g in groups for q in g.compared if np.isnan(table[g.rows[0], columns[q.name]])}


def weighed(search: Search, first: Fit, loss: str, unknown: set[str]) -> tuple[Fit, bool]:
    """The fit with standard deviations that fit it, and whether there were readings enough to tell them."""
    fit = first
    for _ in range(ROUNDS):
        fit = search.least(fit) if loss == "squares" else search.robust(fit, LOSSES[loss], known=not unknown)
        factors = {unit: _factor(search, fit, unit, robust=loss != "squares") for unit in unknown}
        if not all(factors.values()):
            return fit, False
        fit = replace(fit, groups=tuple(_rescaled(g, factors) for g in fit.groups))
        fit = search.at(fit.theta, fit.groups, fit.weights, fit.iterations)
        if all(abs(factor - 1.0) <= SETTLED for factor in factors.values()):
            break
    return fit, True


def _factor(search: Search, fit: Fit, unit: str, *, robust: bool) -> float:
    """By how much the standard deviation of a unit's readings is too small; 0 where nothing is left to tell it."""
    _, sigma, V = np.linalg.svd(fit.J * search.scales, full_matrices=False)
    seen = sigma > RANK * max(float(sigma[0]), 1e-300)
    root = (V[seen].T / sigma[seen]) * search.scales[:, None]  # covariance = root rootᵀ
    left, free = [np.zeros(0)], [np.zeros(0)]
    for b, w in zip(fit.blocks, fit.weights, strict=True):
        own = [i for i, q in enumerate(b.group.compared) if q.unit == unit]
        share = (b.slopes @ root) * np.sqrt(w)[:, None, None]
        freedom = b.N @ (np.eye(share.shape[1]) - share @ share.transpose(0, 2, 1)) @ b.N.transpose(0, 2, 1)
        left.append(np.einsum("nsk,nk->ns", b.N, b.left)[:, own].ravel())
        free.append(np.diagonal(freedom, axis1=1, axis2=2)[:, own].ravel())
    r, redundancy = np.concatenate(left), np.concatenate(free)
    if redundancy.sum() < 0.5:
        return 0.0
    found = spread(r) / np.sqrt(redundancy.mean()) if robust else np.sqrt((r @ r) / redundancy.sum())
    least = LEAST * (search.sensing.model.scale if unit == "m" else 1.0)
    sd = min(float(g.sd[0, i]) for g in fit.groups for i, q in enumerate(g.compared) if q.unit == unit)
    return max(float(found), least / sd)


def _rescaled(group: Group, factors: Mapping[str, float]) -> Group:
    return replace(group, sd=group.sd * np.array([factors.get(q.unit, 1.0) for q in group.compared]))
