"""All solutions of one generic member of a family of systems, by monodromy, closed by a trace test.

A family is a pattern of products whose coefficients fill an affine space: C = middle + Σ a_k directions_k, and the
constants of the `free` equations, each any number. It holds every system of a mechanism's block: the bodies' shapes are
in `middle`, what drives and earlier blocks decide is in the directions. A random member is easy to make: choose a
solution z, choose the directions' numbers, and let the free constants close the equations.

When the coefficients go round a loop the solutions are permuted (they are branches of one algebraic function), so from
one solution all of its orbit is found; the set of pairs (coefficients, z) is irreducible where z itself varies over an
irreducible set (lengths, and circles cos² + sin² = 1) and each other equation has a constant of its own, so there is
one orbit. Quiet loops prove nothing. The proof is a trace test: along a line of constants C + s V the solutions form a
curve in (z, s), irreducible again, which a plane meets in as many points as its degree says. As the plane moves
parallel to itself the sum of all of these points moves linearly, and the sum of some of them does not. From the
complete set the plane is turned to s = 0, where the points that stay finite are the solutions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from closedchain.errors import ClosedChainError
from closedchain.solver.paths import distinct, follow
from closedchain.solver.quadrics import Complex, Doubles, Integers, Pattern

LOOPS = 120  # at most
QUIET = 3  # loops without a new solution before the trace is looked at
ROUNDS = 6  # of loops and a trace test
EXACT = 1e-8  # relative misfit of a trace
PARALLEL = 0.7 + 0.4j  # by which the plane of the trace test moves
MOST = 2000  # solutions


class NotCounted(ClosedChainError, RuntimeError):
    """Monodromy did not close: the number of solutions is not known."""


@dataclass(frozen=True, eq=False)
class Space:
    """The coefficients of a family."""

    shape: Pattern
    middle: Complex  # (m,)
    directions: Complex  # (k, m)
    free: Integers  # equations whose constants are any number
    circles: Integers  # pairs of unknowns (cos, sin) begin here
    sizes: Doubles  # (m,) by which each equation was divided

    def coefficients(self, S: Doubles) -> Complex:
        """Those of systems (samples, n, n + 1, n + 1), index 0 standing for 1: (samples, m)."""
        return (_flattened(self.shape, S) / self.sizes).astype(np.complex128)

    def member(self, rng: np.random.Generator) -> Complex:
        """Random coefficients of the family."""
        C = self.middle + _normal(rng, len(self.directions)) @ self.directions
        C[self.shape.constants[self.free]] = 2.0 * _normal(rng, len(self.free))
        return C

    def solved_member(self, rng: np.random.Generator) -> tuple[Complex, Complex]:
        """A random member with one solution of its own."""
        n = self.shape.n
        z = np.append(_normal(rng, n), 1.0)
        for i in self.circles:
            angle = rng.uniform(-np.pi, np.pi) + 0.5j * rng.standard_normal()
            z[i], z[i + 1] = np.cos(angle), np.sin(angle)
        C = self.member(rng)
        e, i, j = self.shape.terms.T
        F = np.zeros(n, np.complex128)
        np.add.at(F, e, C * z[i] * z[j])
        C[self.shape.constants[self.free]] -= F[self.free]
        return C, z


@dataclass(frozen=True, eq=False)
class Family:
    """A space of systems, one generic member with all of its solutions, and how well their trace closed."""

    space: Space
    C: Complex  # (m,)
    Z: Complex  # (count, n + 1)
    misfit: float

    @property
    def shape(self) -> Pattern:
        return self.space.shape

    @property
    def count(self) -> int:
        return len(self.Z)


def generic(space: Space, seed: int = 0, start: tuple[Complex, Complex] | None = None) -> Family:
    """All solutions of a random member, or of one given with a solution; NotCounted where their trace stays open."""
    rng = np.random.default_rng(seed)
    C, z = space.solved_member(rng) if start is None else start
    Z, misfit = z[None], np.inf
    for _ in range(ROUNDS):
        Z = _orbit(space, C, Z, rng)
        misfit, ends = trace(space, C, Z, rng)
        if misfit <= EXACT and not len(distinct(ends, Z)):
            return Family(space, C, Z, misfit)
        Z = np.concatenate([Z, ends[distinct(ends, Z)]])
    raise NotCounted(
        f"{len(Z)} solutions were found over the complex numbers, but the trace over them still misses being linear "
        f"by {misfit:.1e}: there may be more"
    )


def _orbit(space: Space, C: Complex, Z: Complex, rng: np.random.Generator) -> Complex:
    """The solutions with those that random loops of coefficients add, until loops are quiet."""
    quiet = 0
    for _ in range(LOOPS):
        before = len(Z)
        Z = _around(space, C, Z, rng)
        quiet = quiet + 1 if len(Z) == before else 0
        if quiet == QUIET or len(Z) > MOST:
            break
    return Z


def _around(space: Space, C: Complex, Z: Complex, rng: np.random.Generator) -> Complex:
    """The solutions with those that a random triangle of coefficients adds."""
    corners = [C, space.member(rng), space.member(rng), C]
    carried = Z
    for start, goal in pairwise(corners):
        ends = follow(space.shape, start, goal, carried)
        carried = ends.Z[ends.arrived]
    return np.concatenate([Z, carried[distinct(carried, Z)]])


def _normal(rng: np.random.Generator, count: int) -> Complex:
    return rng.standard_normal(count) + 1j * rng.standard_normal(count)


# The trace test ----------------------------------------------------------------------------------


def trace(space: Space, C: Complex, Z: Complex, rng: np.random.Generator) -> tuple[float, Complex]:
    """How far the curve's points on a moving plane are from a linear trace, and the solutions at s = 0 they lead to."""
    curve, D, points = _curve(space, C, Z, rng)
    found = _orbit(curve, D, points, rng)
    plane = curve.shape.constants[-1]
    sums, shift = [found[:, :-1].sum(axis=0)], D.copy()
    for distance in (1.0, 2.0):
        shift[plane] = D[plane] + distance * PARALLEL
        ends = follow(curve.shape, D, shift, found, 0.3)
        if not ends.arrived.all() or len(distinct(ends.Z)) < len(found):
            return float(np.inf), Z[:0]
        sums.append(ends.Z[:, :-1].sum(axis=0))
    bend = sums[0] - 2.0 * sums[1] + sums[2]
    misfit = float(np.abs(bend).max() / max(np.abs(sums).max(), np.abs(found).max()))
    back = D.copy()
    back[curve.shape.terms[:, 0] == curve.shape.n - 1] = 0.0
    back[_term(curve.shape, curve.shape.n - 1, curve.shape.n - 1)] = 1.0  # the plane s = 0
    ends = follow(curve.shape, D, back, found, 0.3)
    fibre = np.delete(ends.Z[ends.arrived], curve.shape.n - 1, axis=1)
    return misfit, fibre


def _curve(space: Space, C: Complex, Z: Complex, rng: np.random.Generator) -> tuple[Space, Complex, Complex]:
    """The systems F(z) + s V = 0 with a plane a·z + b s + c = 0, as a family of planes; one of them through each
    point found at s = 0 would be many planes, so the first point is carried along."""
    shape, n = space.shape, space.shape.n
    terms = shape.terms.copy()
    terms[:, 1:] += terms[:, 1:] == n  # 1 moves one place up, s takes its place
    sloped = [(int(e), n, n + 1) for e in space.free]
    plane = [(n, i, n + 1) for i in range(n + 2)]
    wide = Pattern(n + 1, np.array([*map(tuple, terms), *sloped, *plane], dtype=np.int64))
    V = 2.0 * _normal(rng, len(space.free))
    middle = np.concatenate([C, V, np.zeros(n + 2)])
    directions = np.zeros((n + 1, len(middle)), np.complex128)
    directions[np.arange(n + 1), len(C) + len(V) + np.arange(n + 1)] = 1.0
    free, nowhere = np.array([n], dtype=np.int64), np.zeros(0, dtype=np.int64)
    curve = Space(wide, middle, directions, free, nowhere, np.ones(len(middle)))
    D = curve.member(rng)
    point = np.concatenate([Z[0, :-1], [0.0, 1.0]])
    D[wide.constants[n]] = -(D[-(n + 2) : -1] @ point[:-1])
    return curve, D, point[None]


def _term(shape: Pattern, equation: int, unknown: int) -> int:
    """Where a linear term stands."""
    wanted = (shape.terms == [equation, unknown, shape.n]).all(axis=1)
    return int(np.flatnonzero(wanted)[0])


def space_of(S: Doubles, lengths: int) -> Space:
    """The family that systems S (samples, n, n + 1, n + 1) belong to, index 0 standing for 1.

    The first `lengths` unknowns are lengths, the others pairs of a cosine and a sine whose circles are the last
    equations. Coefficients beside the constants are affine in what the samples vary, or are taken to be: their affine
    hull is the family.
    """
    n = S.shape[1]
    circles = (n - lengths) // 2
    used = (np.abs(S).max(axis=0) > 0.0) | (np.indices(S.shape[1:])[1:] == 0).all(axis=0)
    terms = [(e, (i - 1) % (n + 1), (j - 1) % (n + 1)) for e, i, j in np.argwhere(used) if i <= j]
    shape = Pattern(n, np.array(terms, dtype=np.int64))
    rows = _flattened(shape, S)
    largest = np.zeros(n)
    plain = np.ones(len(terms), bool)
    plain[shape.constants] = False
    np.maximum.at(largest, shape.terms[plain, 0], np.abs(rows[:, plain]).max(axis=0))
    sizes = largest[shape.terms[:, 0]]
    rows = rows / sizes
    middle = rows.mean(axis=0)
    varied = rows - middle
    varied[:, shape.constants] = 0.0
    _, sigma, X = np.linalg.svd(varied, full_matrices=False)
    kept = sigma > 1e-9 * max(1.0, float(sigma[0]))
    directions = X[kept] * (sigma[kept, None] / np.sqrt(len(rows)))
    free = np.arange(n - circles, dtype=np.int64)
    where = np.arange(lengths, n, 2, dtype=np.int64)
    return Space(shape, middle.astype(np.complex128), directions.astype(np.complex128), free, where, sizes)


def _flattened(shape: Pattern, S: Doubles) -> Doubles:
    """The coefficients (samples, m) of systems, in a pattern's order."""
    e, i, j = shape.terms.T
    i, j = (i + 1) % (shape.n + 1), (j + 1) % (shape.n + 1)
    return np.asarray(S[:, e, i, j] * np.where(i == j, 1.0, 2.0))
