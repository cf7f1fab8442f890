"""The polynomial that meets given positions and rates at given instants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, perm

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, ClosedChainError
from closedchain.motion.polynomials import PiecewisePolynomial
from closedchain.motion.reference import Space, point

ORDERS = ("position", "velocity", "acceleration", "jerk")
MOST = 40  # conditions; a polynomial of higher degree is no use in doubles


class Undetermined(ClosedChainError, ValueError):
    """Conditions that do not determine one polynomial."""


@dataclass(frozen=True, eq=False)
class Condition:
    """The order-th derivative at an instant."""

    t: float  # [s]
    order: int
    value: Doubles  # (n,)

    def __str__(self) -> str:
        name = ORDERS[self.order] if self.order < len(ORDERS) else f"derivative {self.order}"
        return f"{name} at {self.t:.6g} s"


def polynomial(conditions: Sequence[tuple[float, int, ArrayLike]], *, space: Space = "output") -> PiecewisePolynomial:
    """The polynomial of least degree with these (t, derivative order, value), from the first instant to the last.

    n conditions give degree n − 1. The square system is solved in rational arithmetic: every coefficient is the
    correctly rounded one however the instants lie, and a system without one solution is recognised exactly. The result
    is expanded anew at every instant that has a condition.
    """
    found = _checked(conditions)
    start = min(c.t for c in found)
    matrix = [_row(c, Fraction(c.t) - Fraction(start), len(found)) for c in found]
    values = [[Fraction(float(v)) for v in c.value] for c in found]
    solved = _solve(matrix, values, found)
    breaks = sorted({c.t for c in found})
    pieces = [_shifted(solved, Fraction(t) - Fraction(start)) for t in breaks[:-1]]
    return PiecewisePolynomial(np.array(breaks), np.array(pieces), space)


def _shifted(solved: list[list[Fraction]], h: Fraction) -> list[list[float]]:
    """The same polynomial in powers of t − h: each instant's conditions are then read off without cancellation."""
    n, size = len(solved), len(solved[0])
    exact = [
        [sum((comb(k, j) * h ** (k - j) * solved[k][i] for k in range(j, n)), Fraction(0)) for i in range(size)]
        for j in range(n)
    ]
    return [[float(v) for v in row] for row in exact]


def _row(condition: Condition, t: Fraction, n: int) -> list[Fraction]:
    """d^k/dt^k of 1, t, …, t^(n−1)."""
    k = condition.order
    return [perm(j, k) * t ** (j - k) if j >= k else Fraction(0) for j in range(n)]


def _checked(conditions: Sequence[tuple[float, int, ArrayLike]]) -> list[Condition]:
    found: list[Condition] = []
    for i, given in enumerate(conditions):
        try:
            t, order, value = given
        except (TypeError, ValueError):
            raise BadInput(f"condition {i} must be (t, derivative order, value), got {given!r:.60}") from None
        if order not in range(MOST):
            raise BadInput(f"condition {i} has derivative order {order!r:.30}; 0 is the position, 1 the velocity, …")
        found.append(
            Condition(float(point(t, f"the time of condition {i}")[0]), int(order), point(value, f"condition {i}"))
        )
    if not 2 <= len(found) <= MOST:
        raise BadInput(f"{len(found)} conditions were given; from 2 to {MOST} make a polynomial")
    if len({c.value.size for c in found}) > 1:
        raise BadInput(
            f"the conditions have values of {sorted({c.value.size for c in found})} coordinates; all need the same"
        )
    if len({c.t for c in found}) == 1:
        raise BadInput(f"all conditions are at {found[0].t:.6g} s; a motion needs a second instant")
    _check_repeats(found)
    return found


def _check_repeats(found: list[Condition]) -> None:
    seen: dict[tuple[float, int], int] = {}
    for i, c in enumerate(found):
        first = seen.setdefault((c.t, c.order), i)
        if first != i:
            raise Undetermined(f"conditions {first} and {i} both give the {c}; keep one of them")


def _solve(matrix: list[list[Fraction]], values: list[list[Fraction]], found: list[Condition]) -> list[list[Fraction]]:
    """Gauss–Jordan, exact: each condition in turn fixes the first coefficient that the ones before it leave open."""
    n = len(matrix)
    pivots: list[int] = []
    for i in range(n):
        for k, column in enumerate(pivots):
            _eliminate(matrix, values, i, k, column)
        column = next((j for j in range(n) if matrix[i][j]), -1)
        if column < 0:
            others = ", ".join(f"({k}) {c}" for k, c in enumerate(found[:i]))
            raise Undetermined(
                f"condition ({i}) {found[i]} already follows from, or contradicts, those before it: {others}; "
                f"replace it, for example by a position or by a rate at another instant"
            )
        scale = matrix[i][column]
        matrix[i], values[i] = [m / scale for m in matrix[i]], [v / scale for v in values[i]]
        for k in range(i):
            _eliminate(matrix, values, k, i, column)
        pivots.append(column)
    return [values[pivots.index(j)] for j in range(n)]


def _eliminate(matrix: list[list[Fraction]], values: list[list[Fraction]], row: int, by: int, column: int) -> None:
    factor = matrix[row][column]
    if factor:
        matrix[row] = [a - factor * b for a, b in zip(matrix[row], matrix[by], strict=True)]
        values[row] = [a - factor * b for a, b in zip(values[row], values[by], strict=True)]
