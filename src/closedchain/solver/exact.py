"""The certificate in rational arithmetic, for solutions far out or ill-conditioned, whose proof rounding would spoil.

Coefficients are taken as the doubles they are; the bounds are those of `certificate`, without rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from closedchain.arrays import Complex
from closedchain.solver.quadrics import Pattern

STEPS = 12  # of Newton's method, whose inverse is of doubles
GRID = 1 << 180  # centres are rounded to multiples of its reciprocal


@dataclass(frozen=True)
class Rational:
    """A complex number whose parts are fractions."""

    real: Fraction
    imag: Fraction

    def __add__(self, other: Rational) -> Rational:
        return Rational(self.real + other.real, self.imag + other.imag)

    def __sub__(self, other: Rational) -> Rational:
        return Rational(self.real - other.real, self.imag - other.imag)

    def __mul__(self, other: Rational) -> Rational:
        a, b, c, d = self.real, self.imag, other.real, other.imag
        return Rational(a * c - b * d, a * d + b * c)

    @property
    def bound(self) -> Fraction:
        """|real| + |imag|, which is at least the absolute value."""
        return abs(self.real) + abs(self.imag)

    def rounded(self) -> Rational:
        return Rational(Fraction(round(self.real * GRID), GRID), Fraction(round(self.imag * GRID), GRID))


ZERO = Rational(Fraction(0), Fraction(0))


def _rational(value: complex) -> Rational:
    return Rational(Fraction(float(value.real)), Fraction(float(value.imag)))


def certify_exactly(shape: Pattern, C: Complex, z: Complex) -> tuple[bool, float, float, Complex]:
    """Whether one solution lies near z: proven, its radius, the radius in which it is alone, and the centre."""
    n = shape.n
    terms = [(int(e), int(i), int(j), _rational(c)) for (e, i, j), c in zip(shape.terms, C, strict=True) if c != 0]
    at = [_rational(v) for v in z]
    centre, size = z, float(np.abs(z).max())
    for _ in range(STEPS):
        inverse = _inverse(shape, C, centre)
        if inverse is None:
            return False, np.inf, 0.0, z
        step = _times(inverse, _residuals(terms, at, n))
        at = [*((a - s).rounded() for a, s in zip(at, step, strict=False)), at[-1]]
        centre = np.array([complex(float(a.real), float(a.imag)) for a in at])
        length = float(max(s.bound for s in step))
        if length < 1e-25 * size or length > 1e-2 * size:  # there, or gone elsewhere
            break
    inverse = _inverse(shape, C, centre)
    if inverse is None:
        return False, np.inf, 0.0, z
    eta = max(v.bound for v in _times(inverse, _residuals(terms, at, n)))
    slopes = [[ZERO] * n for _ in range(n)]
    curvature = [Fraction(0)] * n
    for e, i, j, c in terms:
        for one, other in ((i, j), (j, i)):
            if one < n:
                slopes[e][one] = slopes[e][one] + c * at[other]
        if i < n and j < n:
            curvature[e] += 2 * c.bound
    delta = max(_defect(row, k, slopes) for k, row in enumerate(inverse))
    kappa = max(sum((a.bound * h for a, h in zip(row, curvature, strict=True)), Fraction(0)) for row in inverse)
    if delta >= Fraction(1, 2):
        return False, np.inf, 0.0, z
    radius = 2 * eta / (1 - delta)
    if kappa * radius > (1 - delta) / 2:
        return False, np.inf, 0.0, z
    alone = float((1 - delta) / kappa) if kappa else np.inf
    rounding = float(np.abs(centre).max()) * 2.0**-52  # from the exact centre to its doubles
    return True, float(radius) * (1 + 1e-9) + rounding, alone * (1 - 1e-9), centre


def _inverse(shape: Pattern, C: Complex, z: Complex) -> list[list[Rational]] | None:
    """An approximate inverse of J, as fractions."""
    J = 2.0 * (shape.dense(C) @ z)[:, : shape.n]
    try:
        A = np.linalg.inv(J)
    except np.linalg.LinAlgError:
        return None
    return [[_rational(v) for v in row] for row in A] if np.isfinite(A).all() else None


def _residuals(terms: list[tuple[int, int, int, Rational]], z: list[Rational], n: int) -> list[Rational]:
    F = [ZERO] * n
    for e, i, j, c in terms:
        F[e] = F[e] + c * (z[i] * z[j])
    return F


def _times(A: list[list[Rational]], v: list[Rational]) -> list[Rational]:
    made = []
    for row in A:
        total = ZERO
        for a, x in zip(row, v, strict=True):
            total = total + a * x
        made.append(total)
    return made


def _defect(row: list[Rational], k: int, J: list[list[Rational]]) -> Fraction:
    """The sum of one row of |I − A J|."""
    total = Fraction(0)
    for column in range(len(J)):
        entry = Rational(Fraction(int(column == k)), Fraction(0))
        for a, slopes in zip(row, J, strict=True):
            entry = entry - a * slopes[column]
        total += entry.bound
    return total
