"""Linear systems solved in straight-line code: fixed order, structural zeros skipped, no pivot search."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca


def solve(A: ca.SX, b: ca.SX) -> ca.SX:
    """A⁻¹ b, block by block along the block-triangular form of A; blocks up to 3 × 3 by Cramer's rule."""
    n = A.shape[0]
    if n == 0:
        return ca.SX(0, b.shape[1])
    blocks, rows, columns = _blocks(A)
    x = ca.SX(n, b.shape[1])
    for first, last in blocks:
        own_rows, own_columns = rows[first:last], columns[first:last]
        done = columns[:first]
        rest = b[own_rows, :] - (ca.mtimes(A[own_rows, done], x[done, :]) if done else 0)
        x[own_columns, :] = _solve_block(A[own_rows, own_columns], rest)
    return x


def determinant(A: ca.SX) -> ca.SX:
    """det A as the product over its diagonal blocks."""
    if A.shape[0] == 0:
        return ca.SX(1)
    blocks, rows, columns = _blocks(A)
    value = ca.SX(_sign(rows) * _sign(columns))
    for first, last in blocks:
        value *= ca.det(A[rows[first:last], columns[first:last]])
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


def _solve_block(A: ca.SX, b: ca.SX) -> ca.SX:
    n = A.shape[0]
    if n == 1:
        return b / A[0, 0]
    if n <= 3:
        return ca.mtimes(ca.adj(A), b) / ca.det(A)
    return ca.solve(A, b)


def _sign(permutation: list[int]) -> int:
    sign, left = 1, list(permutation)
    for i in range(len(left)):
        while left[i] != i:
            j = left[i]
            left[i], left[j] = left[j], left[i]
            sign = -sign
    return sign


class Positive:
    """L D Lᵀ of a symmetric positive definite matrix; `margin` is its smallest pivot over its own diagonal.

    No pivot search is needed for stability. A margin near zero tells that the matrix is singular.
    """

    def __init__(self, S: ca.SX) -> None:
        self.n = S.shape[0]
        self.L: list[list[ca.SX]] = [[ca.SX(0)] * self.n for _ in range(self.n)]
        self.D: list[ca.SX] = []
        self.margin = ca.SX(1)
        for j in range(self.n):
            taken = sum((_square(self.L[j][k]) * self.D[k] for k in range(j) if not _zero(self.L[j][k])), ca.SX(0))
            self.D.append(S[j, j] - taken)
            self.margin = ca.fmin(self.margin, self.D[j] / S[j, j])
            for i in range(j + 1, self.n):
                shared = [k for k in range(j) if not _zero(self.L[i][k]) and not _zero(self.L[j][k])]
                rest = S[i, j] - sum((self.L[i][k] * self.L[j][k] * self.D[k] for k in shared), ca.SX(0))
                self.L[i][j] = ca.SX(0) if _zero(rest) else rest / self.D[j]

    def solve(self, b: ca.SX) -> ca.SX:
        """S⁻¹ b for one or more columns."""
        columns = [self._solve_column([b[i, c] for i in range(self.n)]) for c in range(b.shape[1])]
        return ca.horzcat(*[ca.vertcat(*column) for column in columns])

    def _solve_column(self, y: list[ca.SX]) -> list[ca.SX]:
        for i in range(self.n):
            for k in range(i):
                if not _zero(self.L[i][k]) and not _zero(y[k]):
                    y[i] = y[i] - self.L[i][k] * y[k]
        y = [v if _zero(v) else v / d for v, d in zip(y, self.D, strict=True)]
        for i in reversed(range(self.n)):
            for k in range(i + 1, self.n):
                if not _zero(self.L[k][i]) and not _zero(y[k]):
                    y[i] = y[i] - self.L[k][i] * y[k]
        return y


def _zero(e: ca.SX) -> bool:
    return bool(ca.SX(e).nnz() == 0 or ca.SX(e).is_zero())


def _square(e: ca.SX) -> ca.SX:
    return e * e
