"""M z̈ − Φᵀλ = f, Φ z̈ = r in straight-line code whose length grows with the number of loops, not with its cube.

A closure that holds one point to the ground leaves it one direction: the point's two coordinates become one, along that
direction, and the closure is gone. A telescope's closure gives its length from its ends, which no other closure knows:
both are gone, too. What is left is factored as L D Lᵀ in an order that follows the loops. In it each
multiplier comes after the coordinates of its closure, so that the pivots of coordinates are positive and those of
multipliers negative, and no search is needed. Where closures may depend on one another, a multiplier whose pivot
vanishes belongs to one that those before it already imply, here or everywhere: it is left out and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import casadi as ca

from closedchain.derive.linear import augmentation

DEPENDENT = 1e-10  # of what a closure's pivot would be alone; less is left where others imply it
ROUNDED = 1e-20  # of a closure's usual pivot: less, to rounding, is left where those to the ground imply it
WEAK = 2e-3  # of a closure's usual hold: with less it is kept as it is
HOLDS = 0.1  # of a closure's usual hold: with less it counts as lost in the rank
ZERO = ca.SX(0)
Row = list[tuple[int, ca.SX]]  # column and value of each nonzero


class Scales(NamedTuple):
    """How far each coordinate moves points, and how steep each closure is (see `Symbols`)."""

    levers: Sequence[ca.SX]
    slopes: Sequence[ca.SX]


class Elimination:
    """The system for given M and Φ, factored once, solved for any right-hand sides."""

    def __init__(
        self,
        M: ca.SX,
        Phi: ca.SX,
        scales: Scales | None = None,
        sizes: Sequence[ca.SX | None] = (),
        lengths: Mapping[int, int] | None = None,
        dependent: bool = True,
    ) -> None:
        """`sizes` are the squared lengths of Φ's rows, where they are known to be the same everywhere.

        With the `scales` of coordinates and closures M is augmented, for bodies without mass. `lengths` are the
        closures of telescopes with the columns of their lengths. Unless closures may be `dependent`, none is left out.
        """
        self.M, self.Phi, self.lengths, self.dependent = M, Phi, dict(lengths or {}), dependent
        known = dict(enumerate(sizes))
        squares = [ca.sumsqr(Phi[i, :]) if (s := known.get(i)) is None else s for i in range(Phi.shape[0])]
        lightness = M.shape[0] / _total([M[i, i] for i in range(M.shape[0])]) if M.numel() else ca.SX(1)
        self.usual = [square * lightness for square in squares]  # pivots of closures alone, on bodies of average mass
        self.grounded = _grounded(Phi, {i for i, size in known.items() if size is not None})
        self.others = [i for i in range(Phi.shape[0]) if i not in self.grounded and i not in self.lengths]
        self.N = self._directions()
        inertia = ca.mtimes(self.N.T, ca.mtimes(M, self.N))
        self.slopes = ca.mtimes(Phi[self.others, :], self.N)
        self.rho = ca.SX(len(self.others), 1)
        if scales and self.others:
            levers = self._levers(scales)
            self.rho = augmentation(inertia, [scales.slopes[i] for i in self.others], levers)
            inertia = inertia + ca.mtimes(self.slopes.T, ca.mtimes(ca.diag(self.rho), self.slopes))
        usual = [self.usual[i] for i in self.others] if dependent or self.grounded else None
        self.factors = Factors(inertia, self.slopes, usual, dependent)

    @property
    def margin(self) -> ca.SX:
        """The smallest pivot over its own diagonal: 0 where something moves without mass or, unless closures may be
        dependent, where they are."""
        return self.factors.margin

    @property
    def rank(self) -> ca.SX:
        """How many closures hold well: a tenth, at least, of how much one alone does on bodies of average mass."""
        gone = len(self.grounded) + len(self.lengths)
        return gone + sum((h > HOLDS**2 * u for h, u in self._holds), ca.SX(0))

    @property
    def hold(self) -> ca.SX:
        """How well the weakest closure holds that was not left out: about 1, and 0 where closures become dependent."""
        least = ca.SX(1)
        for k, (h, usual) in enumerate(self._holds):
            least = ca.fmin(least, h / usual + (1 - self.factors.independent[k]))
        return ca.sqrt(ca.fmax(least, 0))

    @cached_property
    def _holds(self) -> list[tuple[ca.SX, ca.SX]]:
        """The square of each closure's hold, and of what is usual for one alone on bodies of average mass."""
        return [(self.factors.pivots[k], self.usual[i]) for k, i in enumerate(self.others)]

    @property
    def kept(self) -> ca.SX:
        """How many closures were not left out."""
        return len(self.grounded) + len(self.lengths) + self.factors.kept

    def correct(self, error: ca.SX) -> ca.SX:
        """The smallest change of z or ż, weighed by mass, that takes the closures' error away: Φ Δz = −error."""
        return self.solve(ca.SX(self.Phi.shape[1], 1), -error, passing=True)[0]

    def solve(self, force: ca.SX, r: ca.SX, passing: bool = False) -> tuple[ca.SX, ca.SX]:
        """z̈, and the multipliers of the closures that are not to the ground.

        On the way through a singular position (`passing`) a closure that hardly holds is only kept as it is: what it
        asks for besides, divided by its hold, is rounding over little, and would throw the motion onto another branch.
        """
        part = self._prescribed(r)
        given = r[self.others] if self.others else ca.SX(0, 1)
        rest = given - ca.mtimes(self.Phi[self.others, :], part)
        if self.others and passing and self.dependent:
            rest = ca.vertcat(*[rest[k] * (h > WEAK**2 * u) for k, (h, u) in enumerate(self._holds)])
        push = ca.mtimes(self.N.T, force - ca.mtimes(self.M, part)) + ca.mtimes(self.slopes.T, self.rho * rest)
        along, lam = self.factors.solve(push, rest)
        return ca.densify(part + ca.mtimes(self.N, along)), lam

    def multipliers(self, z_ddot: ca.SX, lam: ca.SX, force: ca.SX) -> ca.SX:
        """Every λ, in the closures' order: those to the ground from the force that is left on their points."""
        left = ca.mtimes(self.M, z_ddot) - force - ca.mtimes(self.Phi[self.others, :].T, lam)
        whole = ca.SX(self.Phi.shape[0], 1)
        for k, i in enumerate(self.others):
            whole[i] = lam[k]
        for i, c in self.lengths.items():
            whole[i] = left[c] / self.Phi[i, c]
        left = left - ca.mtimes(self.Phi[list(self.lengths), :].T, whole[list(self.lengths)]) if self.lengths else left
        for i, row in self.grounded.items():
            whole[i] = sum((g * left[j] for j, g in row), ca.SX(0)) / _square(row)
        return ca.densify(whole)

    def _prescribed(self, r: ca.SX) -> ca.SX:
        """The motion along normals that closures to the ground prescribe, and of the lengths that then follow."""
        part = ca.SX(self.Phi.shape[1], 1)
        for i, row in self.grounded.items():
            share = r[i] / _square(row)
            for j, g in row:
                part[j] = g * share
        for i, c in self.lengths.items():
            part[c] = (r[i] - ca.mtimes(self.Phi[i, :], part)) / self.Phi[i, c]
        return part

    def _directions(self) -> ca.SX:
        """N: z̈ = N (what is left) + what is prescribed.

        It has a column for each grounded point, across its normal, and for each other coordinate but the lengths; these
        follow from all that their closures know.
        """
        n = self.Phi.shape[1]
        pairs = {row[0][0]: row for row in self.grounded.values()}
        gone = {row[1][0] for row in self.grounded.values()} | set(self.lengths.values())
        left = [j for j in range(n) if j not in gone]
        N = ca.SX(n, len(left))
        for column, j in enumerate(left):
            if j in pairs:
                (a, g_a), (b, g_b) = pairs[j]
                N[a, column], N[b, column] = -g_b, g_a
            else:
                N[j, column] = 1
        for i, c in self.lengths.items():
            N[c, :] = -ca.mtimes(self.Phi[i, :], N) / self.Phi[i, c]
        return ca.sparsify(N)

    def _levers(self, scales: Scales) -> list[ca.SX]:
        """Of each column of N; one across a normal is as long as that."""
        across = {row[0][0]: scales.slopes[i] for i, row in self.grounded.items()}
        gone = {row[1][0] for row in self.grounded.values()} | set(self.lengths.values())
        return [across.get(j, lever) for j, lever in enumerate(scales.levers) if j not in gone]


def _total(values: list[ca.SX]) -> ca.SX:
    """Their sum, in pairs: a short way for a processor that adds several at once."""
    while len(values) > 1:
        pairs = [a + b for a, b in zip(values[::2], values[1::2], strict=False)]
        values = pairs + (values[-1:] if len(values) % 2 else [])
    return values[0]


def _grounded(Phi: ca.SX, constant: set[int]) -> dict[int, Row]:
    """Closures of one point in the plane alone, at most one for each point; their rows never vanish."""
    found: dict[int, Row] = {}
    taken: set[int] = set()
    for i, row in enumerate(rows_of(Phi)):
        if i in constant and len(row) == 2 and not taken & {j for j, _ in row}:
            found[i] = row
            taken |= {j for j, _ in row}
    return found


def _square(row: Row) -> ca.SX:
    return sum((g * g for _, g in row), ca.SX(0))


@dataclass
class Pivot:
    """One step of the elimination: its index, 1/D, and the column of L."""

    index: int
    inverse: ca.SX
    column: dict[int, ca.SX]


class Factors:
    """L D Lᵀ of [M Φᵀ; Φ 0], M positive definite, always taking the index with the fewest neighbours left.

    Of several, that which was touched longest ago: a chain is taken from both its ends, and a processor that can do two
    things at once has two to do.
    """

    def __init__(self, M: ca.SX, Phi: ca.SX, usual: Sequence[ca.SX] | None, dependent: bool) -> None:
        """`usual` is about how large each closure's pivot is, on bodies of average mass, where some may vanish."""
        self.usual, self.dependent = usual, dependent
        self.n, self.m = M.shape[0], Phi.shape[0]
        self.rows: list[dict[int, ca.SX]] = [dict(row) for row in rows_of(M)] + [{} for _ in range(self.m)]
        self.waits = [set[int]()] * self.n + [{j for j, _ in row} for row in rows_of(Phi)]  # for its own coordinates
        for i, row in enumerate(rows_of(Phi)):
            for j, e in row:
                self.rows[self.n + i][j] = self.rows[j][self.n + i] = e
        self.alone = {self.n + i: ca.SX(0) for i in range(self.m)}  # pivots as coordinates alone make them
        self.pivots = {i: ca.SX(0) for i in range(self.m)}  # of the multipliers, positive
        self.independent = {i: ca.SX(0) for i in range(self.m)}
        self.margin, self.kept = ca.SX(1), ca.SX(0)
        self.own = [ca.SX(row.get(i, 0)) for i, row in enumerate(self.rows[: self.n])]
        self.order: list[Pivot] = []
        left, touched = set(range(self.n + self.m)), [0] * (self.n + self.m)
        while left:
            ready = (i for i in left if not self.waits[i] & left)
            index = min(ready, key=lambda i: (len(self.rows[i]) - (i in self.rows[i]), touched[i], i < self.n, i))
            self.order.append(self._eliminate(index))
            left.remove(index)
            for i in self.order[-1].column:
                touched[i] = len(self.order)

    def _eliminate(self, p: int) -> Pivot:
        """Take one index out of those that remain."""
        row = self.rows[p]
        inverse = self._inverse(p, row.pop(p, ca.SX(0)))
        column = {j: e * inverse for j, e in row.items()}
        neighbours = list(row)
        for at, i in enumerate(neighbours):
            del self.rows[i][p]
            for j in neighbours[at:]:
                product = column[i] * row[j]
                self.rows[i][j] = self.rows[j][i] = self.rows[i].get(j, ZERO) - product
                if i == j and p < self.n <= i:
                    self.alone[i] += product
        return Pivot(p, inverse, column)

    def _inverse(self, p: int, d: ca.SX) -> ca.SX:
        if p < self.n:
            self.margin = ca.fmin(self.margin, d / self.own[p])
            return 1 / d
        self.pivots[p - self.n] = -d
        if not self.dependent:
            self.margin = ca.fmin(self.margin, -d / self.alone[p])
            if self.usual is not None:  # those to the ground may have left it nothing to hold
                self.margin = ca.fmin(self.margin, -d / self.usual[p - self.n])
            return 1 / d
        assert self.usual is not None
        there = self.alone[p] > ROUNDED * self.usual[p - self.n]
        independent = self.independent[p - self.n] = there * (-d > DEPENDENT * self.alone[p])
        self.kept = self.kept + independent
        return independent / (d * independent + (independent - 1))  # 1/d, or 0; without a branch

    def solve(self, push: ca.SX, rest: ca.SX) -> tuple[ca.SX, ca.SX]:
        """The coordinates, and the multipliers; 0 for those of closures left out."""
        y = [push[i] for i in range(self.n)] + [rest[i] for i in range(self.m)]
        for pivot in self.order:
            for j, l in pivot.column.items():
                y[j] = y[j] - l * y[pivot.index]
        for pivot in self.order:
            y[pivot.index] = y[pivot.index] * pivot.inverse
        for pivot in reversed(self.order):
            for j, l in pivot.column.items():
                y[pivot.index] = y[pivot.index] - l * y[j]
        return _column(y[: self.n]), -_column(y[self.n :])


def _column(values: Sequence[ca.SX]) -> ca.SX:
    return ca.densify(ca.vertcat(*values)) if values else ca.SX(0, 1)


def rows_of(A: ca.SX) -> list[Row]:
    """The nonzeros of each row, in the columns' order."""
    A = ca.sparsify(A)
    found: list[Row] = [[] for _ in range(A.shape[0])]
    for i, j in sorted(zip(*A.sparsity().get_triplet(), strict=True)):
        found[i].append((j, A[i, j]))
    return found
