"""How many roots of a polynomial lie in which disc, proven by Pellet's theorem, its coefficients being uncertain.

    p(c + w) = Σ b_j w^j,   |b_k| r^k > Σ_{j≠k} |b_j| r^j   ⇒   p has exactly k roots within r of c    (Rouché)

Roots that the uncertainty does not let apart share a disc. The discs are disjoint and their counts, with the roots
beyond every disc, add up to the degree: nothing is missed. Roots are complex and counted with multiplicity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray

RADII = 160  # tried per disc, in equal ratios
SMALLEST = 1e-20  # of the centre's modulus, or of 1: no disc is smaller
MARGIN = 1e-9  # for the rounding of both sides of Pellet's inequality

Complex = NDArray[np.complex128]
Real = NDArray[np.float64]
Members = frozenset[int]
Number = int | float | complex | Fraction


@dataclass(frozen=True)
class Disc:
    """A disc that holds exactly `count` roots."""

    centre: complex
    radius: float
    count: int

    @property
    def on_axis(self) -> bool:
        """Whether it is centred on the real axis; of a real polynomial, the other discs do not touch it."""
        return self.centre.imag == 0.0


@dataclass(frozen=True)
class RootDiscs:
    """Disjoint discs and the number of roots that lie beyond all of them, at or near infinity."""

    discs: tuple[Disc, ...]
    beyond: int


def root_discs(
    coefficients: Sequence[Number], slack: ArrayLike = 0.0, generators: ArrayLike | None = None
) -> RootDiscs | None:
    """Discs of the roots that all polynomials near this one have in common; coefficients highest power first, (n+1,).

    Near are those whose coefficients differ by ± `slack` (n+1,) and by Σ ξ_i generators_i (m, n+1) with |ξ_i| ≤ 1:
    errors of one cause move the coefficients together, and allow smaller discs than a slack that covers them would.
    A disc about a centre on the axis holds a real root if its count is odd and the polynomial real. None if the
    uncertainty is so large that nothing can be told.
    """
    n = len(coefficients)
    causes = np.zeros((0, n)) if generators is None else np.asarray(generators)
    blur = np.broadcast_to(np.asarray(slack, float), n)
    found = Approximations(Uncertain(list(coefficients)[::-1], blur[::-1], causes[:, ::-1]))
    discs = found.separated() if found.degree >= 0 else None
    if discs is None:
        return None
    beyond = n - 1 - found.degree
    if beyond and not found.enclosed(discs):
        return None
    return RootDiscs(tuple(sorted(discs, key=lambda d: (d.centre.real, d.centre.imag))), beyond)


class Uncertain:
    """A polynomial with exact coefficients and what may be added to them, lowest power first."""

    def __init__(self, coefficients: list[Number], slack: Real, generators: Real) -> None:
        parts = [
            (Fraction(c.real), Fraction(c.imag)) if isinstance(c, complex) else (Fraction(c), Fraction(0))
            for c in coefficients
        ]
        self.below = lcm(*(v.denominator for pair in parts for v in pair))
        self.whole = [(int(re * self.below), int(im * self.below)) for re, im in parts]
        self.slack, self.generators = slack, generators
        self.value, self.error = self.about(0j)

    def about(self, centre: complex) -> tuple[Complex, Real]:
        """The coefficients b of p(centre + w), formed without rounding, and bounds of their errors."""
        n = len(self.whole) - 1
        (x, x_below), (y, y_below) = centre.real.as_integer_ratio(), centre.imag.as_integer_ratio()
        d = max(x_below, y_below)  # powers of two, so the smaller divides the larger
        x, y = x * (d // x_below), y * (d // y_below)
        power = [(1, 0)]
        for _ in range(n):
            power.append((power[-1][0] * x - power[-1][1] * y, power[-1][0] * y + power[-1][1] * x))
        b = np.zeros(n + 1, complex)
        for j in range(n + 1):  # b_j = Σ_i C(i, j) c_i centre^(i−j), over the common denominator below · d^(n−j)
            total = [0, 0]
            for i in range(j, n + 1):
                factor, (u, v), (re, im) = comb(i, j) * d ** (n - i), power[i - j], self.whole[i]
                total[0] += factor * (re * u - im * v)
                total[1] += factor * (re * v + im * u)
            b[j] = complex(*(part / (self.below * d ** (n - j)) for part in total))
        place = np.array(
            [[comb(i, j) * centre ** max(i - j, 0) if i >= j else 0 for i in range(n + 1)] for j in range(n + 1)]
        )
        error = np.abs(place) @ self.slack + np.abs(self.generators @ place.T).sum(axis=0)
        return b, error * (1 + MARGIN)


class Approximations:
    """Approximate roots of a polynomial of uncertain coefficients, to be grouped into proven discs."""

    def __init__(self, p: Uncertain) -> None:
        self.p = p
        sure = np.nonzero(np.abs(p.value) > p.error)[0]
        self.degree = int(sure[-1]) if len(sure) else -1
        self.is_real = not p.value.imag.any() and not p.generators.imag.any()
        self.root = eigenvalues(p.value[: self.degree + 1])
        self.mirror = mirror_images(self.root)

    def separated(self) -> list[Disc] | None:
        """Disjoint discs of all roots: groups that fail, or that overlap, are joined until none does."""
        groups = {frozenset([i]) for i in range(self.degree)}
        while groups:
            groups = self._symmetric(groups)
            discs = {g: self._disc(g, groups) for g in groups}
            together = self._too_close(discs)
            if together is None:
                return [d for d in discs.values() if d is not None]
            if together in groups:
                return None  # one group of all roots, and yet no disc
            groups = {g for g in groups if not g <= together} | {together}
        return []

    def enclosed(self, discs: list[Disc]) -> bool:
        """Whether as many roots as the discs hold lie within some radius about 0 that encloses them all."""
        inner = max((abs(d.centre) + d.radius for d in discs), default=1.0)
        return self._pellet(0j, self.degree, inner * np.geomspace(1, 1e12, RADII)) is not None

    def _symmetric(self, groups: set[Members]) -> set[Members]:
        """Of a real polynomial: a group that holds a root and its mirror image holds the mirror images of all."""
        if not self.is_real:
            return groups
        for g in groups:
            image = frozenset(self.mirror[i] for i in g)
            if g & image and g != image:
                touched = {h for h in groups if h & (g | image)}
                return self._symmetric((groups - touched) | {frozenset().union(*touched)})
        return groups

    def _centre(self, group: Members) -> complex:
        """The mean of the group: good to rounding although its members are not."""
        mean = complex(self.root[list(group)].mean())
        on_axis = self.is_real and group == frozenset(self.mirror[i] for i in group)
        return complex(mean.real) if on_axis else mean

    def _disc(self, group: Members, groups: set[Members]) -> Disc | None:
        """The smallest disc about the group's centre that is proven to hold as many roots as the group."""
        centre = self._centre(group)
        others = [abs(centre - self._centre(g)) for g in groups if g != group]
        widest = min(others, default=4 * (1 + abs(centre) + float(np.abs(self.root).max(initial=0.0))))
        radii = np.geomspace(SMALLEST * max(1.0, abs(centre)), max(widest, 1e-18), RADII)
        radius = self._pellet(centre, len(group), radii)
        return None if radius is None else Disc(centre, radius, len(group))

    def _pellet(self, centre: complex, count: int, radii: Real) -> float | None:
        """The first of the radii within which exactly `count` roots lie."""
        b, error = self.p.about(centre)
        power = radii[:, None] ** np.arange(len(b))
        least = np.maximum(np.abs(b[count]) - error[count], 0.0) * power[:, count]
        most = (np.abs(b) + error) * power
        others = np.delete(most, count, axis=1).sum(axis=1)
        passed = np.nonzero(least * (1 - MARGIN) > others * (1 + MARGIN))[0]
        return float(radii[passed[0]]) if len(passed) else None

    def _too_close(self, discs: dict[Members, Disc | None]) -> Members | None:
        """Two groups to be joined: one that failed and the nearest, or two whose discs meet; None if all is well."""
        for g, disc in discs.items():
            others = [h for h in discs if h != g]
            if disc is None:
                near = min(others, key=lambda h: abs(self._centre(g) - self._centre(h)), default=g)
                return g | near
            for h in others:
                other = discs[h]
                if other is not None and abs(disc.centre - other.centre) <= (disc.radius + other.radius) * (1 + MARGIN):
                    return g | h
            if self.is_real and not disc.on_axis and abs(disc.centre.imag) <= disc.radius * (1 + MARGIN):
                return g | frozenset(self.mirror[i] for i in g)
        return None


def eigenvalues(c: Complex) -> Complex:
    """Approximate roots, lowest power first: exact conjugate pairs for real coefficients."""
    degree = max(len(c) - 1, 0)
    companion = np.zeros((degree, degree), complex)
    companion[np.arange(1, degree), np.arange(degree - 1)] = 1
    companion[:, -1:] = (-c[:-1] / c[-1])[:, None] if degree else 0
    return np.linalg.eigvals(companion.real if not c.imag.any() else companion).astype(complex)


def mirror_images(root: Complex) -> list[int]:
    """For each root the one that is its conjugate: itself on the axis, and each other root taken once."""
    mirror = list(range(len(root)))
    above, below = np.nonzero(root.imag > 0)[0], list(np.nonzero(root.imag < 0)[0])
    for i in above if len(above) == len(below) else ():
        j = min(below, key=lambda k: abs(root[k] - root[i].conjugate()))
        below.remove(j)
        mirror[int(i)], mirror[int(j)] = int(j), int(i)
    return mirror
