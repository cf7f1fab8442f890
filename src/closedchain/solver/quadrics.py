"""Systems of quadratic equations, and sums of coordinates from which they are built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from closedchain.arrays import Complex, Doubles, Integers

ONE = -1  # stands for the constant 1 among the unknowns of a linear form
Linear = Mapping[int, complex]  # unknown → coefficient
Quadratic = Mapping[tuple[int, int], complex]  # pair of unknowns, in order → coefficient


def product(a: Linear, b: Linear) -> Quadratic:
    """(Σ a_i z_i)(Σ b_j z_j)."""
    made: dict[tuple[int, int], complex] = {}
    for i, x in a.items():
        for j, y in b.items():
            pair = (i, j) if j == ONE or (i != ONE and i <= j) else (j, i)
            made[pair] = made.get(pair, 0.0) + x * y
    return made


def combination(*parts: tuple[complex, Mapping[int, complex]]) -> dict[int, complex]:
    """Σ factor × linear form."""
    made: dict[int, complex] = {}
    for factor, form in parts:
        for i, x in form.items():
            made[i] = made.get(i, 0.0) + factor * x
    return made


def quadratic(*parts: tuple[complex, Mapping[tuple[int, int], complex]]) -> dict[tuple[int, int], complex]:
    """Σ factor × quadratic form."""
    made: dict[tuple[int, int], complex] = {}
    for factor, form in parts:
        for pair, x in form.items():
            made[pair] = made.get(pair, 0.0) + factor * x
    return made


@dataclass(frozen=True, eq=False)
class Pattern:
    """Which products occur in which equation; coefficients are arrays in the same order."""

    n: int  # unknowns, and equations
    terms: Integers  # (m, 3): equation, unknown, unknown; n stands for 1

    @cached_property
    def constants(self) -> Integers:
        """(n,) where each equation's constant stands among the terms."""
        order = {int(e): k for k, (e, i, j) in enumerate(self.terms) if i == j == self.n}
        return np.array([order[e] for e in range(self.n)], dtype=np.int64)

    @cached_property
    def products(self) -> tuple[Integers, Integers, Integers]:
        """The factors of the products that occur, and which of them each term has."""
        pairs, of = np.unique(self.terms[:, 1:], axis=0, return_inverse=True)
        left, right = np.ascontiguousarray(pairs.T)
        return left, right, of.reshape(-1).astype(np.int64)

    @cached_property
    def order(self) -> Integers:
        """The terms, equation by equation."""
        return np.argsort(self.terms[:, 0], kind="stable")

    def largest(self, magnitudes: Doubles) -> Doubles:
        """(n,) of each equation's terms but its constant."""
        made, plain = np.zeros(self.n), np.ones(len(self.terms), bool)
        plain[self.constants] = False
        np.maximum.at(made, self.terms[plain, 0], magnitudes[plain])
        return made

    def residuals(self, C: Complex, z: Complex) -> Complex:
        """F(z), z ending in 1."""
        e, i, j = self.terms.T
        F = np.zeros(self.n, np.complex128)
        np.add.at(F, e, C * z[i] * z[j])
        return F

    def dense(self, C: Complex) -> Complex:
        """The equations as symmetric matrices, (n, n + 1, n + 1): F_e = zᵀ Q_e z with z ending in 1."""
        Q = np.zeros((self.n, self.n + 1, self.n + 1), dtype=C.dtype)
        e, i, j = self.terms.T
        np.add.at(Q, (e, i, j), C / 2)
        np.add.at(Q, (e, j, i), C / 2)
        return Q


def pattern(rows: Sequence[Quadratic], n: int) -> Pattern:
    """The products that rows have; every row has a constant."""
    terms = []
    for e, row in enumerate(rows):
        pairs = {*row, (ONE, ONE)}
        terms += [(e, n if i == ONE else i, n if j == ONE else j) for i, j in sorted(pairs)]
    return Pattern(n, np.array(terms, dtype=np.int64).reshape(-1, 3))


def coefficients(shape: Pattern, rows: Sequence[Quadratic]) -> Complex:
    """The numbers of rows in the order of a pattern."""
    named = [(int(e), ONE if i == shape.n else int(i), ONE if j == shape.n else int(j)) for e, i, j in shape.terms]
    return np.array([rows[e].get((i, j), 0.0) for e, i, j in named], dtype=np.complex128)
