"""Systems of quadratic equations that two circles or a line solve: linear equations and single quadratics, in turn.

    F_k(y) = [1, y]ᵀ S_k [1, y] = 0

Combinations of equations whose quadratic parts cancel (two circles: the line through their common points) are linear
and are solved; an equation that is then left with one direction only has two roots, each a branch. This goes on until
nothing is unknown, or until neither is found: then the system is not of this kind. What is decided (ranks, which
equation comes next) is decided once for all rows, whose equations have one structure; a row that has less rank is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles

FLAT = 1e-9  # of an equation's quadratic part, in lengths of the robot's size: one this small is none
RANK = 1e-11  # of the same: a smaller singular value is a direction that is not given
TOUCH = 1e-13  # of the size, squared: roots this near to each other are one

Index = NDArray[np.intp]
Flags = NDArray[np.bool_]


class Irreducible(Exception):
    """Neither a linear combination nor a single quadratic is left to solve."""


@dataclass(frozen=True, eq=False)
class Roots:
    """Every solution of a batch, one row each, and the rows that miss one."""

    row: Index  # (m,) of the batch
    y: Doubles  # (m, n)
    double: Flags  # (m,) two roots are one
    missed: Flags  # (m,) no real root: y is where the equations come nearest, along the branch
    room: Doubles  # (m,) half the distance of two roots, squared, the least along the branch; below 0 where missed
    loose: Flags  # (batch,) whether a row's equations leave a direction free, so that its roots are not all
    proven: Flags | None = None  # (m,) exactly one solution is there; None where nothing was proven
    count: int = 1  # of solutions over the complex numbers


@dataclass(frozen=True, eq=False)
class _Left:
    """What is still to be solved: y = at + along t, and the equations in t."""

    row: Index
    at: Doubles  # (m, n)
    along: Doubles  # (m, n, k)
    S: Doubles  # (m, equations, k + 1, k + 1)
    double: Flags
    missed: Flags
    room: Doubles

    @property
    def k(self) -> int:
        return self.along.shape[-1]

    def on(self, rows: Index | Flags) -> _Left:
        return _Left(**{name: part[rows] for name, part in vars(self).items()})

    def substituted(self, t: Doubles, free: Doubles) -> _Left:
        """With t = t + free t'."""
        m, k, kept = free.shape
        T = np.zeros((m, k + 1, kept + 1))
        T[:, 0, 0], T[:, 1:, 0], T[:, 1:, 1:] = 1.0, t, free
        S = np.swapaxes(T, 1, 2)[:, None] @ self.S @ T[:, None]
        at = self.at + np.einsum("mij,mj->mi", self.along, t)
        return replace(self, at=at, along=self.along @ free, S=S)


def solve(S: Doubles) -> Roots:
    """All real roots of the systems S (batch, equations, n + 1, n + 1); Irreducible where they are not of this kind."""
    count, _, width, _ = S.shape
    curved = np.abs(S[:, :, 1:, 1:]).max(axis=(0, 2, 3), initial=0.0)[None, :, None, None]  # the same for all rows
    size = np.where(curved > 0.0, curved, np.abs(S).max(axis=(2, 3), keepdims=True))
    S = S / np.where(size > 0.0, size, 1.0)
    flags = np.zeros(count, bool)
    along = np.broadcast_to(np.eye(width - 1), (count, width - 1, width - 1))
    left = _Left(np.arange(count), np.zeros((count, width - 1)), along, S, flags, flags, np.full(count, np.inf))
    loose, branches = flags.copy(), 1
    while left.k and len(left.row):
        linear = _linear(left, loose)
        if linear is not None:
            left = linear
            continue
        single = _single(left, loose)
        if single is None:
            raise Irreducible
        left, branches = single, 2 * branches
    return Roots(left.row, left.at, left.double, left.missed, left.room, loose, count=branches)


def _linear(left: _Left, loose: Flags) -> _Left | None:
    """Solve the combinations whose quadratic parts cancel; None where there is none. Rows of less rank are loose."""
    k, count = left.k, left.S.shape[1]
    upper = np.triu_indices(k)
    weight = np.where(upper[0] == upper[1], 1.0, np.sqrt(2.0))
    V = left.S[:, :, 1 + upper[0], 1 + upper[1]] * weight  # (m, equations, k (k + 1) / 2)
    same = len(V) > 1 and bool((V - V[:1] == 0.0).all())  # as the quadratic parts of circles are: once is enough
    U, sigma, _ = np.linalg.svd(V[:1] if same else V, full_matrices=True)
    U = np.broadcast_to(U, (len(V), count, count))
    rank = int((sigma > FLAT).sum(axis=-1).max(initial=0))
    if rank == count:
        return None
    combined = np.einsum("mij,miab->mjab", U[:, :, rank:], left.S)  # (m, equations − rank, k + 1, k + 1)
    L, d = 2 * combined[:, :, 0, 1:], combined[:, :, 0, 0]
    W, s, X = np.linalg.svd(L, full_matrices=True)
    solved = int((s > RANK).sum(axis=-1).max(initial=0))
    if not solved:
        return None
    full = s[:, solved - 1] > RANK
    loose[left.row[~full]] = True
    W, s, X, d = W[full, :, :solved], s[full, :solved], X[full], d[full]
    t = -np.einsum("mji,mj->mi", X[:, :solved], np.einsum("mij,mi->mj", W, d) / s)
    made = left.on(full).substituted(t, np.swapaxes(X[:, solved:], 1, 2))
    return replace(made, S=made.S[:, _independent(V[int(np.argmax(sigma[:, rank - 1]))] if rank else V[0], rank)])


def _independent(V: Doubles, rank: int) -> list[int]:
    """Equations whose quadratic parts are independent, one after another; V is of the row that tells best."""
    kept: list[int] = []
    basis = np.zeros((0, V.shape[-1]))
    for i, row in enumerate(V):
        rest = row - basis.T @ (basis @ row)
        if len(kept) < rank and np.linalg.norm(rest) > FLAT:
            kept.append(i)
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
    return kept


def _single(left: _Left, loose: Flags) -> _Left | None:
    """Branch on the first equation that knows one direction only, a τ² + 2 b τ + c = 0; None where none does."""
    for i in range(left.S.shape[1]):
        own = left.S[:, i, :, 1:]  # (m, k + 1, k)
        _, sigma, X = np.linalg.svd(own, full_matrices=True)
        if left.k > 1 and (sigma[:, 1] > FLAT * np.maximum(sigma[:, 0], 1e-300)).any():
            continue
        v = X[:, 0]
        a = np.einsum("mi,mij,mj->m", v, left.S[:, i, 1:, 1:], v)
        b, c = np.einsum("mi,mi->m", v, left.S[:, i, 0, 1:]), left.S[:, i, 0, 0]
        curved = np.abs(a) > FLAT * sigma[:, 0]
        if not curved.any():
            continue
        loose[left.row[~curved]] = True
        rest = replace(left, S=np.delete(left.S, i, axis=1)).on(curved)
        free = np.swapaxes(X[curved, 1:], 1, 2)
        return _branched(rest, v[curved], b[curved] / a[curved], c[curved] / a[curved], free)
    return None


def _branched(left: _Left, v: Doubles, b: Doubles, c: Doubles, free: Doubles) -> _Left:
    """Both roots of τ² + 2 b τ + c along v; one where they touch, and the nearest place where there is none."""
    square = b * b - c  # half the distance of the roots, squared
    touch, missed = np.abs(square) <= TOUCH, square < -TOUCH
    half = np.sqrt(np.where(touch | missed, 0.0, np.maximum(square, 0.0)))
    far = -(b + np.where(b < 0, -half, half))  # the root without cancellation
    near = np.where(half > 0.0, c / np.where(far != 0.0, far, 1.0), far)
    near = np.where((far == 0.0) & (half > 0.0), 2 * -b - far, near)
    one = touch | missed
    both = np.flatnonzero(~one)
    rows = np.concatenate([np.arange(len(b)), both])
    tau = np.concatenate([far, near[both]])
    made = left.on(rows)
    room = np.minimum(made.room, square[rows])
    made = replace(made, double=made.double | touch[rows], missed=made.missed | missed[rows], room=room)
    return made.substituted(v[rows] * tau[:, None], free[rows])
