"""The certificate in rational arithmetic, for solutions far out or ill-conditioned, whose proof rounding would spoil.

The bounds are those of `certificate`, without rounding. Coefficients are the doubles they are, or any numbers that
differ from these by a relative `error`, as computed ones do from what they stand for.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from closedchain.arrays import Complex
from closedchain.solver.quadrics import Pattern

STEPS = 12  # of Newton's method, whose inverse is of doubles
GRID = 180  # centres are rounded to multiples of 2^−GRID


@dataclass(frozen=True, slots=True)
class Dyadic:
    """The complex number (real + i imag) 2^−shift: sums and products of doubles without rounding and without gcds."""

    real: int
    imag: int
    shift: int

    def __add__(self, other: Dyadic) -> Dyadic:
        up, down = max(other.shift - self.shift, 0), max(self.shift - other.shift, 0)
        real, imag = (self.real << up) + (other.real << down), (self.imag << up) + (other.imag << down)
        return Dyadic(real, imag, self.shift + up)

    def __sub__(self, other: Dyadic) -> Dyadic:
        return self + Dyadic(-other.real, -other.imag, other.shift)

    def __mul__(self, other: Dyadic) -> Dyadic:
        a, b, c, d = self.real, self.imag, other.real, other.imag
        return Dyadic(a * c - b * d, a * d + b * c, self.shift + other.shift)

    def __complex__(self) -> complex:
        return complex(self.real / (1 << self.shift), self.imag / (1 << self.shift))

    @property
    def bound(self) -> Fraction:
        """|real| + |imag|, which is at least the absolute value."""
        return Fraction(abs(self.real) + abs(self.imag), 1 << self.shift)

    def rounded(self) -> Dyadic:
        """On the grid."""
        less = self.shift - GRID
        return self if less <= 0 else Dyadic(self.real >> less, self.imag >> less, GRID)


ZERO = Dyadic(0, 0, 0)


def _dyadic(value: complex) -> Dyadic:
    (a, below_a), (b, below_b) = float(value.real).as_integer_ratio(), float(value.imag).as_integer_ratio()
    below = max(below_a, below_b)  # powers of two
    return Dyadic(a * (below // below_a), b * (below // below_b), below.bit_length() - 1)


def certify_exactly(shape: Pattern, C: Complex, z: Complex, error: float) -> tuple[bool, float, float, Complex]:
    """Whether one solution lies near z: proven, its radius, the radius in which it is alone, and the centre."""
    n = shape.n
    terms = [(int(e), int(i), int(j), _dyadic(c)) for (e, i, j), c in zip(shape.terms, C, strict=True) if c != 0]
    at = [_dyadic(v) for v in z]
    centre, size = z, float(np.abs(z).max())
    for _ in range(STEPS):
        inverse = _inverse(shape, C, centre)
        if inverse is None:
            return False, np.inf, 0.0, z
        step = _times(inverse, _residuals(terms, at, n))
        at = [*((a - s).rounded() for a, s in zip(at, step, strict=False)), at[-1]]
        centre = np.array([complex(a) for a in at])
        length = float(max(s.bound for s in step))
        if length < 1e-25 * size or length > 1e-2 * size:  # there, or gone elsewhere
            break
    inverse = _inverse(shape, C, centre)
    if inverse is None:
        return False, np.inf, 0.0, z
    slopes = [[ZERO] * n for _ in range(n)]
    curvature, loose, tilted = ([Fraction(0)] * n for _ in range(3))  # of F and of the rows of J, by the error
    for e, i, j, c in terms:
        size_of = c.bound * Fraction(error)
        loose[e] += size_of * at[i].bound * at[j].bound
        tilted[e] += size_of * ((i < n) * at[j].bound + (j < n) * at[i].bound)
        for one, other in ((i, j), (j, i)):
            if one < n:
                slopes[e][one] = slopes[e][one] + c * at[other]
        if i < n and j < n:
            curvature[e] += 2 * c.bound * (1 + Fraction(error))
    off = _times(inverse, _residuals(terms, at, n))
    eta = max(v.bound + _weighed(row, loose) for row, v in zip(inverse, off, strict=True))
    delta = max(_defect(row, k, slopes) + _weighed(row, tilted) for k, row in enumerate(inverse))
    kappa = max(_weighed(row, curvature) for row in inverse)
    if delta >= Fraction(1, 2):
        return False, np.inf, 0.0, z
    radius = 2 * eta / (1 - delta)
    if kappa * radius > (1 - delta) / 2:
        return False, np.inf, 0.0, z
    alone = float((1 - delta) / kappa) if kappa else np.inf
    rounding = float(np.abs(centre).max()) * 2.0**-52  # from the exact centre to its doubles
    return True, float(radius) * (1 + 1e-9) + rounding, alone * (1 - 1e-9), centre


def _inverse(shape: Pattern, C: Complex, z: Complex) -> list[list[Dyadic]] | None:
    """An approximate inverse of J, as it is in doubles."""
    J = 2.0 * (shape.dense(C) @ z)[:, : shape.n]
    try:
        A = np.linalg.inv(J)
    except np.linalg.LinAlgError:
        return None
    return [[_dyadic(v) for v in row] for row in A] if np.isfinite(A).all() else None


def _residuals(terms: list[tuple[int, int, int, Dyadic]], z: list[Dyadic], n: int) -> list[Dyadic]:
    F = [ZERO] * n
    for e, i, j, c in terms:
        F[e] = F[e] + c * (z[i] * z[j])
    return F


def _times(A: list[list[Dyadic]], v: list[Dyadic]) -> list[Dyadic]:
    made = []
    for row in A:
        total = ZERO
        for a, x in zip(row, v, strict=True):
            total = total + a * x
        made.append(total)
    return made


def _weighed(row: list[Dyadic], bounds: list[Fraction]) -> Fraction:
    """Σ |a_e| bounds_e."""
    return sum((a.bound * b for a, b in zip(row, bounds, strict=True)), Fraction(0))


def _defect(row: list[Dyadic], k: int, J: list[list[Dyadic]]) -> Fraction:
    """The sum of one row of |I − A J|."""
    total = Fraction(0)
    for column in range(len(J)):
        entry = Dyadic(int(column == k), 0, 0)
        for a, slopes in zip(row, J, strict=True):
            entry = entry - a * slopes[column]
        total += entry.bound
    return total
