"""All solutions of one generic member of a family of systems, by monodromy, closed by a trace test.

A family is a pattern of products whose coefficients fill an affine space: C = middle + Σ a_k directions_k, and the
constants of the `free` equations, each any number. It holds every system of a mechanism's block: the bodies' shapes are
in `middle`, what drives and earlier blocks decide is in the directions. A random member is easy to make: choose a
solution z, choose the directions' numbers, and let the free constants close the equations.

When the coefficients go round a loop the solutions are permuted (they are branches of one algebraic function), so from
one solution all of its orbit is found; the set of pairs (coefficients, z) is irreducible where z itself varies over an
irreducible set (lengths, circles cos² + sin² = 1, rotations) and each other equation has a constant of its own, so
there is one orbit. Quiet loops prove nothing. The proof is a trace test: along a line of constants C + s V the
solutions form a curve in (z, s), irreducible again, which a plane meets in as many points as its degree says. As the
plane moves parallel to itself the sum of all of these points moves linearly, and the sum of some of them does not. From
the complete set the plane is turned to s = 0, where the points that stay finite are the solutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from closedchain.arrays import Complex, Doubles, Integers
from closedchain.errors import ClosedChainError
from closedchain.solver.parts import Part
from closedchain.solver.paths import Member, distinct, follow
from closedchain.solver.quadrics import Pattern

LOOPS = 120  # at most
QUIET = 3  # loops without a new solution before the trace is looked at
ROUNDS = 3  # of loops and a trace test
MEMBERS = 4  # that are tried: some are ill-conditioned
EXACT = 1e-8  # relative misfit of a trace
PARALLEL = 0.7 + 0.4j  # by which the plane of the trace test moves
MOST = 2000  # solutions
NEAR = 1.0  # of the spread of a robot's own systems: generic ones among them have short ways to the others
ALIKE = 10.0  # factor by which the numbers of one robot may be larger than another's
VANISHING = 1e-13  # of |(e, g)|²: e·e of a pose infinitely far away, to rounding


class NotCounted(ClosedChainError, RuntimeError):
    """Monodromy did not close: the number of solutions is not known."""


@dataclass(frozen=True, eq=False)
class Space:
    """The coefficients of a family."""

    shape: Pattern
    middle: Complex  # (m,)
    directions: Complex  # (k, m)
    free: Integers  # equations that have any multiple of the unit beside their other terms
    parts: tuple[Part, ...]  # what unknowns have in common in every member
    sizes: Doubles  # (m,) by which each equation was divided
    reach: Doubles | float = 2.0  # (free,) how far random constants go from the middle

    @cached_property
    def unit(self) -> Complex:
        """(m,) which terms are the unit of their equation: the constant 1, or e·e of a pose known up to a factor."""
        made = np.zeros(len(self.shape.terms), np.complex128)
        factor = self.projective
        if factor is None:
            made[self.shape.constants] = 1.0
            return made
        _, i, j = self.shape.terms.T
        made[(i == j) & (i >= factor.first) & (i < factor.first + 4)] = 1.0
        return made

    @cached_property
    def projective(self) -> Part | None:
        """The part whose unknowns have a common factor."""
        return next((part for part in self.parts if part.is_projective), None)

    @cached_property
    def of_unit_length(self) -> tuple[Pattern, Integers, Complex]:
        """The equations with e·e = 1 for the plane that fixes the factor, so real: terms kept, and the new numbers."""
        part, n = self.projective, self.shape.n
        assert part is not None
        plane = n - part.size // 4  # the first of the part's equations, which are the last
        kept = np.flatnonzero(self.shape.terms[:, 0] != plane)
        own = [(plane, i, i) for i in range(part.first, part.first + 4)]
        terms = np.concatenate([self.shape.terms[kept], np.array([*own, (plane, n, n)], dtype=np.int64)])
        return Pattern(n, terms), kept, np.array([1.0] * 4 + [-1.0], dtype=np.complex128)

    def coefficients(self, S: Complex | Doubles) -> Complex:
        """Those of systems (samples, n, n + 1, n + 1), index 0 standing for 1: (samples, m)."""
        return (flattened(self.shape, S) / self.sizes).astype(np.complex128)

    def resized(self, S: Complex | Doubles) -> Space:
        """The same family for systems of another size: equations whose numbers would be far from 1 are divided anew.

        A family is found once, perhaps for a robot of 1 mm, and serves one of 1 km, whose squares of lengths are 1e12
        times larger: no path would lead there.
        """
        largest = self.shape.largest(np.abs(self.coefficients(S)).max(axis=0))
        far = (largest > ALIKE) | ((largest > 0.0) & (largest < 1.0 / ALIKE))
        return replace(self, sizes=self.sizes * np.where(far, largest, 1.0)[self.shape.terms[:, 0]])

    def narrowed(self, S: Complex | Doubles) -> Space:
        """The affine hull of some of the systems."""
        rows = self.coefficients(S)
        middle = rows.mean(axis=0)
        varied, along = self.beside_units(rows - middle)
        free = np.flatnonzero(np.abs(along).max(axis=0) > 1e-9)
        reach = NEAR * np.sqrt((np.abs(along[:, free]) ** 2).mean(axis=0))
        return replace(self, middle=middle, directions=NEAR * _spanning(varied), free=self.free[free], reach=reach)

    def beside_units(self, varied: Complex) -> tuple[Complex, Complex]:
        """Rows of coefficients without multiples of the unit in the free equations; and these, (rows, free)."""
        along = np.zeros((len(varied), len(self.free)), np.complex128)
        for k, e in enumerate(self.free):
            own = self.unit * (self.shape.terms[:, 0] == e)
            along[:, k] = varied @ own / (own @ own)
            varied = varied - np.outer(along[:, k], own)
        return varied, along

    def opened(self, amounts: Complex) -> Complex:
        """(m,) amounts of the unit in the free equations."""
        each = np.zeros(self.shape.n, np.complex128)
        each[self.free] = amounts
        return np.asarray(each[self.shape.terms[:, 0]] * self.unit)

    def member(self, rng: np.random.Generator) -> Complex:
        """Random coefficients of the family."""
        C = self.middle + _normal(rng, len(self.directions)) @ self.directions
        return np.asarray(C + self.opened(self.reach * _normal(rng, len(self.free))))

    def solved_member(self, rng: np.random.Generator) -> tuple[Complex, Complex]:
        """A random member with one solution of its own."""
        z = np.append(_normal(rng, self.shape.n), 1.0)
        for part in self.parts:
            part.place(z, rng)
        C = self.member(rng)
        missing, units = (self.shape.residuals(c, z)[self.free] for c in (C, self.unit))
        return C - self.opened(missing / units), z


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

    def components(self, seed: int = 0) -> tuple[tuple[int, ...], ...]:
        """Sets of solutions that coefficients lead from one to another, each closed by a trace test of its own.

        Poses as far out as doubles go are left out where no set has them: there e·e q² is lost in rounding, so that
        inputs q of the robot's size do not move them. NotCounted where a set stays open.
        """
        if not len(self.space.free):
            raise NotCounted("no constant of these systems varies, along which parts of their solutions could be told")
        rng, made = np.random.default_rng(seed), list[tuple[int, ...]]()
        finite, left = set(_finite(self.space, self.Z).tolist()), list(range(self.count))
        while starts := [k for k in left if k in finite]:
            left.sort(key=lambda k: k != starts[0])  # the first is where a set begins
            own = self._component(left, rng)
            made.append(own)
            left = [k for k in left if k not in own]
        return tuple(sorted(made, key=len, reverse=True))

    def _component(self, left: list[int], rng: np.random.Generator) -> tuple[int, ...]:
        """That of the first one left."""
        misfit = np.inf
        for _ in range(3 * ROUNDS):
            misfit, fibre = trace(self.space, self.C, self.Z[left[:1]], rng, 2 * QUIET)
            gaps = np.abs(fibre[:, None] - self.Z[None, left]).max(axis=-1)
            near = gaps <= 1e-6 * (1.0 + np.abs(self.Z[left]).max(axis=-1))
            known = near.any(axis=1)
            known[np.setdiff1d(np.arange(len(fibre)), _finite(self.space, fibre))] = True  # infinitely far, or ours
            if misfit <= EXACT and known.all() and near[:, 0].any():
                return tuple(left[k] for k in np.flatnonzero(near.any(axis=0)))
        raise NotCounted(f"the trace over a part of {self.count} solutions misses being linear by {misfit:.1e}")


def generic(space: Space, seed: int = 0, start: tuple[Complex, Complex] | None = None) -> Family:
    """All solutions of a random member, or of one given with a solution; NotCounted where their trace stays open."""
    found, misfit = 0, np.inf
    for attempt in range(MEMBERS if start is None else 1):
        rng = np.random.default_rng((seed, attempt) if attempt else seed)
        C, z = space.solved_member(rng) if start is None else start
        Z = z[None]
        for _ in range(ROUNDS):
            Z = _orbit(space, C, Z, rng)
            misfit, ends = trace(space, C, Z, rng)
            ends = ends[_finite(space, ends)]
            new = distinct(ends, Z)
            if misfit <= EXACT and not len(new):
                return Family(space, C, Z, misfit)
            Z = np.concatenate([Z, ends[new]])
        found = max(found, len(Z))
    raise NotCounted(
        f"{found} solutions were found over the complex numbers, but the trace over them still misses being linear "
        f"by {misfit:.1e}: there may be more"
    )


def _orbit(space: Space, C: Complex, Z: Complex, rng: np.random.Generator, patience: int = QUIET) -> Complex:
    """The solutions with those that random loops of coefficients add, until loops are quiet."""
    quiet = 0
    for _ in range(LOOPS):
        before = len(Z)
        Z = _around(space, C, Z, rng)
        quiet = quiet + 1 if len(Z) == before else 0
        if quiet == patience or len(Z) > MOST:
            break
    return Z


def _around(space: Space, C: Complex, Z: Complex, rng: np.random.Generator) -> Complex:
    """The solutions with those that a random triangle of coefficients adds."""
    corners = [C, space.member(rng), space.member(rng), C]
    carried = Z
    for start, goal in pairwise(corners):
        ends = follow(space.shape, start, goal, carried)
        carried = ends.Z[ends.arrived]
    carried, _ = Member(space.shape, C).polish(carried)  # an ill-conditioned one is told from itself by its last digits
    return np.concatenate([Z, carried[distinct(carried, Z)]])


def _normal(rng: np.random.Generator, count: int) -> Complex:
    return rng.standard_normal(count) + 1j * rng.standard_normal(count)


# The trace test ----------------------------------------------------------------------------------


def trace(
    space: Space, C: Complex, Z: Complex, rng: np.random.Generator, patience: int = QUIET
) -> tuple[float, Complex]:
    """How far the curve's points on a moving plane are from a linear trace, and the solutions at s = 0 they lead to.

    Points that were found twice, in digits far out that differ, are one where the plane has moved.
    """
    curve, D, points = _curve(space, C, Z, rng)
    found = _orbit(curve, D, points, rng, patience)
    plane = curve.shape.constants[-1]
    moved, kept = [found], np.arange(len(found))
    for distance in (1.0, 2.0):
        shift = D.copy()
        shift[plane] = D[plane] + distance * PARALLEL
        ends = follow(curve.shape, D, shift, found, 0.3)
        if not ends.arrived.all():
            return float(np.inf), Z[:0]
        moved.append(ends.Z)
        kept = kept[distinct(ends.Z[kept])]
    sums = [rows[kept, :-1].sum(axis=0) for rows in moved]
    bend = sums[0] - 2.0 * sums[1] + sums[2]
    misfit = float(np.abs(bend).max() / max(np.abs(sums).max(), np.abs(found).max()))
    n, wide = space.shape.n, curve.shape.n
    back = D.copy()
    back[curve.shape.terms[:, 0] == wide - 1] = 0.0
    back[_term(curve.shape, wide - 1, wide - 1)] = 1.0  # the plane s = 0
    ends = follow(curve.shape, D, back, found[kept], 0.3)
    return misfit, np.delete(ends.Z[ends.arrived], np.arange(n, wide), axis=1)


def _finite(space: Space, Z: Complex) -> Integers:
    """The rows that are not poses infinitely far away."""
    kept = np.ones(len(Z), bool)
    for part in space.parts:
        if part.is_projective:
            own = Z[:, part.first : part.first + part.size]
            kept &= np.abs(part.square(Z)) > VANISHING * (np.abs(own) ** 2).sum(axis=-1)
    return np.flatnonzero(kept)


def _curve(space: Space, C: Complex, Z: Complex, rng: np.random.Generator) -> tuple[Space, Complex, Complex]:
    """The systems F(z) + s u(z) V = 0 with a plane a·z + b s + c = 0, as a family of planes through the first point.

    The unit u is 1; where it is of degree two it becomes an unknown h of its own, h = u(z).
    """
    shape, n = space.shape, space.shape.n
    part = space.projective
    more = [] if part is None else [(n, i, i) for i in range(part.first, part.first + 4)]  # h = e·e
    wide = n + 1 + bool(more)
    s, one = wide - 1, wide
    terms = shape.terms.copy()
    terms[:, 1:] += (terms[:, 1:] == n) * (one - n)  # 1 moves up, h and s take its place
    unit = [*more, (n, n, one), (n, one, one)] if more else []
    sloped = [(int(e), *sorted((s, n if more else one))) for e in space.free]
    plane = [(wide - 1, i, one) for i in range(wide + 1)]
    pattern = Pattern(wide, np.array([*map(tuple, terms), *unit, *sloped, *plane], dtype=np.int64))
    own = [*[1.0] * len(more), -1.0, 0.0] if more else []
    V = space.reach * _normal(rng, len(space.free))
    middle = np.concatenate([C, own, V, np.zeros(wide + 1)]).astype(np.complex128)
    directions = np.zeros((wide, len(middle)), np.complex128)
    directions[np.arange(wide), len(middle) - wide - 1 + np.arange(wide)] = 1.0
    curve = Space(pattern, middle, directions, np.array([wide - 1], dtype=np.int64), (), np.ones(len(middle)))
    D = curve.member(rng)
    h = [] if part is None else [part.square(Z[0])]
    point = np.concatenate([Z[0, :-1], h, [0.0, 1.0]])
    D[pattern.constants[-1]] = -(D[-(wide + 1) : -1] @ point[:-1])
    return curve, D, point[None]


def _term(shape: Pattern, equation: int, unknown: int) -> int:
    """Where a linear term stands."""
    wanted = (shape.terms == [equation, unknown, shape.n]).all(axis=1)
    return int(np.flatnonzero(wanted)[0])


def space_of(S: Complex, parts: Sequence[Part], closures: int) -> Space:
    """The family that systems S (samples, n, n + 1, n + 1) belong to, index 0 standing for 1.

    The first `closures` equations have free constants, the others are those of the parts. Coefficients beside
    the constants are affine in what the samples vary, or are taken to be: their affine hull is the family.
    """
    n = S.shape[1]
    used = (np.abs(S).max(axis=0) > 0.0) | (np.indices(S.shape[1:])[1:] == 0).all(axis=0)
    for part in parts:
        if part.is_projective:  # any multiple of e·e may be added
            own = np.arange(part.first + 1, part.first + 5)
            used[:closures, own, own] = True
    terms = [(e, (i - 1) % (n + 1), (j - 1) % (n + 1)) for e, i, j in np.argwhere(used) if i <= j]
    shape = Pattern(n, np.array(terms, dtype=np.int64))
    rows = flattened(shape, S)
    sizes = shape.largest(np.abs(rows).max(axis=0))[shape.terms[:, 0]]
    rows = rows / sizes
    free = np.arange(closures, dtype=np.int64)
    empty = np.zeros((0, len(terms)), np.complex128)
    space = Space(shape, rows.mean(axis=0).astype(np.complex128), empty, free, tuple(parts), sizes)
    varied, _ = space.beside_units(rows - rows.mean(axis=0))
    return replace(space, directions=_spanning(varied))


def _spanning(varied: Complex) -> Complex:
    """Directions that span rows, each as long as the rows vary along it."""
    moves = np.flatnonzero(np.abs(varied).max(axis=0, initial=0.0) > 0.0)
    rows = varied[:, moves]
    _, sigma, X = np.linalg.svd(rows if rows.imag.any() else rows.real, full_matrices=False)
    kept = sigma > 1e-9 * max(1.0, float(sigma[0]) if len(sigma) else 0.0)
    made = np.zeros((int(kept.sum()), varied.shape[1]), np.complex128)
    made[:, moves] = X[kept] * (sigma[kept, None] / np.sqrt(len(varied)))
    return made


def flattened(shape: Pattern, S: Complex | Doubles) -> Complex:
    """The coefficients (samples, m) of systems, in a pattern's order."""
    e, i, j = shape.terms.T
    i, j = (i + 1) % (shape.n + 1), (j + 1) % (shape.n + 1)
    return np.asarray(S[:, e, i, j] * np.where(i == j, 1.0, 2.0), dtype=np.complex128)
