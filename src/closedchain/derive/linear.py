"""Linear systems solved in straight-line code: fixed order, structural zeros skipped, no pivot search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import casadi as ca

MINORS = 6  # rows: a determinant by minors has some 2,000 operations there, and seven times as many for one row more


def solve(A: ca.SX, b: ca.SX) -> ca.SX:
    """A⁻¹ b."""
    return Square(A).solve(b)


class Square:
    """A, factored once along its block-triangular form: blocks up to 3 × 3 by Cramer's rule, larger ones as Q R."""

    def __init__(self, A: ca.SX) -> None:
        self.A = A
        blocks, rows, columns = _blocks(A) if A.shape[0] else ([], [], [])
        self.blocks = [(rows[first:last], columns[first:last]) for first, last in blocks]
        self.factors = [_factors(A[rows, columns]) for rows, columns in self.blocks]

    def solve(self, b: ca.SX) -> ca.SX:
        """A⁻¹ b: block after block, each less what those before it make."""
        x, done = ca.SX(self.A.shape[0], b.shape[1]), list[int]()
        for (rows, columns), factors in zip(self.blocks, self.factors, strict=True):
            rest = b[rows, :] - (ca.mtimes(self.A[rows, done], x[done, :]) if done else 0)
            x[columns, :] = factors.solve(rest)
            done = done + columns
        return x

    def solve_transposed(self, b: ca.SX) -> ca.SX:
        """A⁻ᵀ b: the same from the last block."""
        y, done = ca.SX(self.A.shape[0], b.shape[1]), list[int]()
        for (rows, columns), factors in zip(self.blocks[::-1], self.factors[::-1], strict=True):
            rest = b[columns, :] - (ca.mtimes(self.A[done, columns].T, y[done, :]) if done else 0)
            y[rows, :] = factors.solve_transposed(rest)
            done = done + rows
        return y


class Cofactors(NamedTuple):
    """A⁻¹ = adj A / det A."""

    adjugate: ca.SX
    determinant: ca.SX

    def solve(self, b: ca.SX) -> ca.SX:
        return ca.mtimes(self.adjugate, b) / self.determinant

    def solve_transposed(self, b: ca.SX) -> ca.SX:
        return ca.mtimes(self.adjugate.T, b) / self.determinant


class Orthogonal(NamedTuple):
    """A = Q R, without a search for pivots."""

    Q: ca.SX
    R: ca.SX

    def solve(self, b: ca.SX) -> ca.SX:
        """R x = Qᵀ b, from the last row up."""
        y, n = ca.mtimes(self.Q.T, b), self.R.shape[0]
        x = ca.SX(n, b.shape[1])
        for i in reversed(range(n)):
            x[i, :] = (y[i, :] - ca.mtimes(self.R[i, i + 1 :], x[i + 1 :, :])) / self.R[i, i]
        return x

    def solve_transposed(self, b: ca.SX) -> ca.SX:
        """Rᵀ (Qᵀ y) = b, from the first row down."""
        n = self.R.shape[0]
        x = ca.SX(n, b.shape[1])
        for i in range(n):
            x[i, :] = (b[i, :] - ca.mtimes(self.R[:i, i].T, x[:i, :])) / self.R[i, i]
        return ca.mtimes(self.Q, x)


def _factors(A: ca.SX) -> Cofactors | Orthogonal:
    if A.shape[0] == 1:
        return Cofactors(ca.SX(1), A)
    return Cofactors(ca.adj(A), ca.det(A)) if A.shape[0] <= 3 else Orthogonal(*ca.qr(A))


def determinant(A: ca.SX) -> ca.SX:
    """det A as the product over its diagonal blocks."""
    if A.shape[0] == 0:
        return ca.SX(1)
    blocks, rows, columns = _blocks(A)
    value = ca.SX(_sign(rows) * _sign(columns))
    for first, last in blocks:
        value *= _block_determinant(A[rows[first:last], columns[first:last]])
    return value


def _block_determinant(A: ca.SX) -> ca.SX:
    """By minors, without a division; these are n! of n rows, so that larger blocks are brought to a triangle first.

    Rotations of two rows, (c s; −s c), do not change the determinant, and need no search for pivots.
    """
    n = A.shape[0]
    if n <= MINORS:
        return ca.det(A)
    rows = [A[i, :] for i in range(n)]
    for j in range(n - 1):
        for i in (i for i in range(j + 1, n) if rows[i].sparsity().has_nz(0, j)):
            a, b = rows[j][j], rows[i][j]
            r = ca.sqrt(a * a + b * b)
            c, s = ca.if_else(r > 0, a / r, 1), ca.if_else(r > 0, b / r, 0)
            rows[j], rows[i] = c * rows[j] + s * rows[i], c * rows[i] - s * rows[j]
            rows[i][j] = ca.SX(1, 1)
    value = ca.SX(1)
    for j in range(n):
        value *= rows[j][j]
    return value


def regularity(A: ca.SX, levers: Sequence[ca.SX] = ()) -> ca.SX:
    """|det A| over the product of its rows' lengths, between 0 and 1; angles count by their levers [m], where given.

    In metres all columns are alike, however large the robot is.
    """
    value = ca.fabs(determinant(A))
    if any(not _one(lever) for lever in levers):
        A = ca.horzcat(*[A[:, j] / lever for j, lever in enumerate(levers)])
        for lever in levers:
            value /= lever
    lengths = ca.SX(1)
    for i in range(A.shape[0]):
        lengths *= ca.norm_2(ca.densify(A[i, :]))
    return value / lengths


def augmentation(M: ca.SX, slopes: Sequence[ca.SX], levers: Sequence[ca.SX]) -> ca.SX:
    """ρ of each closure, (closures, 1): M + Φᵀ diag(ρ) Φ is regular with massless bodies, and about as large as M.

    Divided by its closure's slope and its coordinate's lever, each entry of Φ is a cosine: that makes the weights of
    bars, pins and short telescopes the same in robots of micrometres and of kilometres.
    """
    n = M.shape[0]
    weight = sum((M[j, j] / (levers[j] * levers[j]) for j in range(n)), ca.SX(0)) / n
    return ca.vertcat(*[weight / (slope * slope) for slope in slopes])


def _one(e: ca.SX) -> bool:
    return bool(ca.SX(e).is_one())


def _blocks(A: ca.SX) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Diagonal blocks (first, last) of A[rows, columns], which is block-triangular with its zeros above them."""
    count, rows, columns, row_blocks, *_ = A.sparsity().btf()
    return [(row_blocks[i], row_blocks[i + 1]) for i in range(count)], list(rows), list(columns)


def _sign(permutation: list[int]) -> int:
    sign, left = 1, list(permutation)
    for i in range(len(left)):
        while left[i] != i:
            j = left[i]
            left[i], left[j] = left[j], left[i]
            sign = -sign
    return sign
