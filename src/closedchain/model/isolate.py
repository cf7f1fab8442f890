"""Every real root of a trigonometric polynomial, boxed: subdivision with Taylor bounds and a slack for rounding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from closedchain.model.eliminant import Real, TrigPolynomial, far_angle

FIRST_INTERVALS = 64
HALVINGS = 24  # to a half-width of 3e-9 rad, where a double root drowns in rounding
UNBOUNDED = 99  # no derivative up to the sixth is free of zeros: no bound on the number of roots
TOUCH = 1e-9  # [rad] a computed root this close to an interval belongs to it

Index = NDArray[np.intp]
Mask = NDArray[np.bool_]
Excluded = Callable[[Index, Real, Real], Mask]  # (row, middle, half-width) → proven free of what is sought


@dataclass(frozen=True)
class Isolation:
    """Disjoint intervals that hold every root, sorted by polynomial and angle; angles are in [seam, seam + 2π]."""

    row: Index  # (k,) the polynomial
    lo: Real  # (k,) [rad]
    hi: Real  # (k,) [rad]
    most: Index  # (k,) at most so many roots, counted with multiplicity
    sure: Mask  # (k,) exactly one root, and it is simple
    seam: Real  # (nb,) [rad]

    def locate(self, row: Index, phi: Real) -> Index:
        """The interval that holds angle phi[j] of polynomial row[j], −1 for none."""
        if not len(self.row):
            return np.full(len(row), -1)
        turn = self.seam[row] + np.mod(phi - self.seam[row], 2 * np.pi)
        after = np.searchsorted(_key(self.row, self.lo, self.seam), _key(row, turn, self.seam), side="right")
        best, gap = np.full(len(row), -1), np.full(len(row), TOUCH)
        for candidate in (after - 1, after):
            j = np.clip(candidate, 0, len(self.row) - 1)
            distance = np.maximum(np.maximum(self.lo[j] - turn, turn - self.hi[j]), 0.0)
            closer = (self.row[j] == row) & (distance < gap)
            best, gap = np.where(closer, j, best), np.where(closer, distance, gap)
        return best


def isolate(f: TrigPolynomial, excluded: Excluded) -> Isolation:
    """Intervals of all roots of every row of f, save those in places that `excluded` has proven empty.

    An interval of middle m and half-width h is empty when |f| − |f'|h − |f''|h²/2 − max|f'''|h³/6 > 0 at m, and holds
    one simple root when |f'| − |f''|h − max|f'''|h²/2 > 0 and f changes sign over it; others are halved. What is
    left is merged, and f^(k) ≠ 0 over the whole of it bounds its roots by k (Rolle). All tests allow for rounding.
    """
    seam = far_angle(f)  # so that no root sits on the ends of the turn
    row = np.repeat(np.arange(len(f.c)), FIRST_INTERVALS)
    half = np.pi / FIRST_INTERVALS
    place = np.tile((2 * np.arange(FIRST_INTERVALS) + 1) * half, len(f.c))  # middles, measured from the seam
    ones: list[tuple[Index, Real, float]] = []
    rest: list[tuple[Index, Real, float]] = []
    for halving in range(HALVINGS + 1):
        empty, one, stuck = _judge(f, excluded, row, seam[row] + place, half)
        stuck |= ~empty & ~one & (halving == HALVINGS)
        ones.append((row[one], place[one], half))
        rest.append((row[stuck], place[stuck], half))
        on = ~(empty | one | stuck)
        row, half = np.repeat(row[on], 2), half / 2
        place = (place[on][:, None] + np.array([-half, half])).ravel()
        if not len(row):
            break
    return _sorted(_hulls(f, seam, *_edges(rest)), _edges(ones), seam)


def bisect(f: TrigPolynomial, row: Index, lo: Real, hi: Real, steps: int = 60) -> Real:
    """The root of polynomial row[j] in [lo[j], hi[j]], over which f changes sign."""
    rising = f.derivative(0, row, lo) < 0
    for _ in range(steps):
        middle = (lo + hi) / 2
        left = (f.derivative(0, row, middle) < 0) != rising
        lo, hi = np.where(left, lo, middle), np.where(left, middle, hi)
    return (lo + hi) / 2


def _judge(f: TrigPolynomial, excluded: Excluded, row: Index, m: Real, half: float) -> tuple[Mask, Mask, Mask]:
    """Which intervals are (empty, exactly one simple root, flat within rounding and so beyond splitting)."""
    h = half * (1 + 1e-9) + 1e-15  # neighbours overlap by more than the rounding of their middles
    f0, f1, f2 = (np.abs(f.derivative(order, row, m)) for order in range(3))
    third, slack = f.bound(3)[row], f.slack(0)[row]
    spread = (f1 + f.slack(1)[row]) * h + (f2 + f.slack(2)[row]) * h**2 / 2 + third * h**3 / 6
    empty = (f0 - spread > slack) | excluded(row, m, np.full(len(m), h))
    one = np.zeros(len(row), bool)
    j = np.nonzero(~empty & (f1 - (f2 + f.slack(2)[row]) * h - third * h**2 / 2 > f.slack(1)[row]))[0]  # monotone
    left, right = _sign(f, row[j], m[j] - half), _sign(f, row[j], m[j] + half)
    one[j] = left * right < 0
    empty[j] |= left * right > 0
    stuck = ~empty & ~one & (f0 + spread <= 4 * slack)
    return empty, one, stuck


def _sign(f: TrigPolynomial, row: Index, phi: Real) -> NDArray[np.int8]:
    """The proven sign of f, 0 where rounding hides it."""
    value = f.derivative(0, row, phi)
    slack = f.slack(0)[row] + 1e-15 * f.bound(1)[row]
    return np.where(np.abs(value) > slack, np.sign(value), 0).astype(np.int8)


def _edges(parts: list[tuple[Index, Real, float]]) -> tuple[Index, Real, Real]:
    """(row, lo, hi) of listed (row, middle, half-width), sorted, still measured from the seam."""
    row = np.concatenate([part[0] for part in parts])
    lo = np.concatenate([place - half for _, place, half in parts])
    hi = np.concatenate([place + half for _, place, half in parts])
    order = np.lexsort((lo, row))
    return row[order], lo[order], hi[order]


def _hulls(f: TrigPolynomial, seam: Real, row: Index, lo: Real, hi: Real) -> tuple[Index, Real, Real, Index, Mask]:
    """Neighbouring intervals merged, each with a bound on its number of roots; those with bound 0 are dropped."""
    if len(row):
        first = np.concatenate([[True], (row[1:] != row[:-1]) | (lo[1:] > hi[:-1] + 1e-12)])
        last = np.concatenate([first[1:], [True]])
        row, lo, hi = row[first], lo[first], hi[last]
    middle, half = seam[row] + (lo + hi) / 2, (hi - lo) / 2 * (1 + 1e-9) + 1e-15
    most = np.full(len(row), UNBOUNDED)
    for k in range(6, 0, -1):
        value, slope = np.abs(f.derivative(k, row, middle)), np.abs(f.derivative(k + 1, row, middle))
        spread = (slope + f.slack(k + 1)[row]) * half + f.bound(k + 2)[row] * half**2 / 2
        most = np.where(value - spread > f.slack(k)[row], k, most)
    change = _sign(f, row, seam[row] + lo) * _sign(f, row, seam[row] + hi)
    odd_bound = most % 2 == 1
    wrong_parity = ((change < 0) & ~odd_bound) | ((change > 0) & odd_bound)
    most = np.where((most < UNBOUNDED) & wrong_parity, most - 1, most)
    keep = most > 0
    return row[keep], lo[keep], hi[keep], most[keep], ((most == 1) & (change < 0))[keep]


def _sorted(hulls: tuple[Index, Real, Real, Index, Mask], ones: tuple[Index, Real, Real], seam: Real) -> Isolation:
    row, lo, hi = (np.concatenate([a, b]) for a, b in zip(hulls[:3], ones, strict=True))
    most = np.concatenate([hulls[3], np.ones(len(ones[0]), np.intp)])
    sure = np.concatenate([hulls[4], np.ones(len(ones[0]), bool)])
    order = np.lexsort((lo, row))
    row = row[order]
    return Isolation(row, seam[row] + lo[order], seam[row] + hi[order], most[order], sure[order], seam)


def _key(row: Index, phi: Real, seam: Real) -> Real:
    """A number that sorts by row, then by angle from the seam."""
    return row * 8.0 + (phi - seam[row])
