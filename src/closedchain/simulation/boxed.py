"""A complementarity problem with bounds, solved by pivoting: the forces of friction and stops that a motion needs."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError

ROUNDING = 1e-12  # of the largest term: what a bound may be missed by
TURNS = 200  # pivots for each row


class Undecided(ClosedChainError, ArithmeticError):
    """Forces of friction and stops that pivoting did not find."""


def boxed(W: Doubles, a: Doubles, low: Doubles, high: Doubles) -> tuple[Doubles, Doubles]:
    """The forces f between their bounds, and the answer w = W f + a: none where f is inside, inwards where f is bound.

        low < f < high:  w = 0        f = low:  w ≥ 0        f = high:  w ≤ 0

    These are the conditions of the least ½ fᵀW f + aᵀf, so that there is one w, and one f where W is regular (the
    smallest free ones are taken where it is not). Murty's rule: of the rows that are wrong the first one changes.
    """
    n = len(a)
    side = np.where(np.isfinite(low) & (low == high), -1, 0)  # −1 at low, 1 at high, 0 inside
    f, w = np.zeros(n), a.copy()
    for _ in range(TURNS * max(n, 1)):
        free = side == 0
        f = np.where(side < 0, low, np.where(side > 0, high, 0.0))
        f[~free & ~np.isfinite(f)] = 0.0
        if free.any():
            rest = -(a[free] + W[np.ix_(free, ~free)] @ f[~free])
            f[free] = np.linalg.lstsq(W[np.ix_(free, free)], rest, rcond=1e-13)[0]
        w = W @ f + a
        w[free] = 0.0
        slack_f = ROUNDING * np.maximum(np.abs(f).max(initial=0.0), 1e-300)
        slack_w = ROUNDING * np.maximum(np.abs(a).max(initial=0.0), 1e-300)
        under, over = free & (f < low - slack_f), free & (f > high + slack_f)
        back = ((side < 0) & (w < -slack_w)) | ((side > 0) & (w > slack_w))
        wrong = np.flatnonzero(under | over | (back & (low < high)))
        if not wrong.size:
            return f, w
        i = wrong[0]
        side[i] = -1 if under[i] else 1 if over[i] else 0
    raise Undecided(f"{n} forces of friction and stops were not found in {TURNS * n} pivots; W may not be symmetric")
