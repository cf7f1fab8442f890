"""Real roots of polynomials with integer coefficients, exactly: Sturm's theorem in Python's own integers.

A polynomial is a list of integers, lowest power first, without leading zeros; [] is zero. Slow beside floating point
(milliseconds), and never wrong: it decides what rounding cannot.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import gcd

Polynomial = list[int]


@dataclass(frozen=True)
class RealRoot:
    """The one root of a square-free polynomial in the open interval (lo, hi), or lo = hi, the root itself."""

    polynomial: Polynomial
    lo: Fraction
    hi: Fraction

    @property
    def middle(self) -> Fraction:
        return (self.lo + self.hi) / 2

    def halved(self) -> RealRoot:
        """The same root in half the interval."""
        if self.lo == self.hi:
            return self
        middle = self.middle
        side = sign_at(self.polynomial, middle)
        if side == 0:
            return RealRoot(self.polynomial, middle, middle)
        left = side == sign_at(self.polynomial, self.hi)
        return RealRoot(self.polynomial, *((self.lo, middle) if left else (middle, self.hi)))

    def within(self, width: Fraction) -> RealRoot:
        """The same root in an interval no wider than that."""
        root = self
        while root.hi - root.lo > width:
            root = root.halved()
        return root

    def sign_of(self, p: Polynomial) -> int:
        """The sign of another polynomial at this root."""
        if not p or sign_at(p, self.lo) == 0 == sign_at(self.polynomial, self.lo):
            return 0
        common = divisor(self.polynomial, p)
        if self.lo < self.hi and len(common) > 1 and count(chain(common), self.lo, self.hi):
            return 0
        root, variations = self, chain(square_free(p))
        while root.lo < root.hi and (sign_at(p, root.lo) == 0 or count(variations, root.lo, root.hi)):
            root = root.halved()
        return sign_at(p, root.hi)


def real_roots(p: Polynomial) -> list[RealRoot]:
    """Every real root of a polynomial, once each, in increasing order."""
    p = square_free(p)
    if len(p) < 2:
        return []
    variations = chain(p)
    reach = Fraction(2) ** (max(abs(c).bit_length() for c in p) - abs(p[-1]).bit_length() + 2)  # Cauchy's bound
    found, waiting = [], [(-reach, reach)]
    while waiting:
        lo, hi = waiting.pop()
        number = count(variations, lo, hi)
        if number == 1:
            found.append(RealRoot(p, hi, hi) if sign_at(p, hi) == 0 else RealRoot(p, lo, hi))
        elif number:
            waiting += [((lo + hi) / 2, hi), (lo, (lo + hi) / 2)]
    return found


def count(variations: list[Polynomial], lo: Fraction, hi: Fraction) -> int:
    """The number of distinct roots in lo < t ≤ hi of the first polynomial of a chain."""
    return _changes(variations, lo) - _changes(variations, hi)


def chain(p: Polynomial) -> list[Polynomial]:
    """Sturm's chain p, p', −(p mod p'), …, each divided by a positive number."""
    links = [primitive(p), primitive(derivative(p))]
    while links[-1]:
        links.append(primitive([-c for c in remainder(links[-2], links[-1])]))
    return links[:-1]


def sign_at(p: Polynomial, t: Fraction) -> int:
    """The sign of p(t)."""
    n, d, value, power = t.numerator, t.denominator, 0, 1
    for c in reversed(p):
        value, power = value * n + c * power, power * d
    return (value > 0) - (value < 0)


def square_free(p: Polynomial) -> Polynomial:
    """The polynomial with the same roots, each simple."""
    return quotient(p, divisor(p, derivative(p)))


def divisor(p: Polynomial, q: Polynomial) -> Polynomial:
    """The greatest common divisor."""
    p, q = primitive(p), primitive(q)
    while q:
        p, q = q, primitive(remainder(p, q))
    return p


def remainder(p: Polynomial, q: Polynomial) -> Polynomial:
    """p mod q times a positive number."""
    return _divided(p, q)[1]


def quotient(p: Polynomial, q: Polynomial) -> Polynomial:
    """p / q times a positive number, where q divides p."""
    return primitive(_divided(p, q)[0])


def derivative(p: Polynomial) -> Polynomial:
    """dp/dt."""
    return [k * c for k, c in enumerate(p)][1:]


def primitive(p: Polynomial) -> Polynomial:
    """The polynomial divided by the greatest common divisor of its coefficients."""
    content = reduce(gcd, p, 0)
    return trimmed([c // content for c in p] if content else [])


def trimmed(p: Polynomial) -> Polynomial:
    """Without leading zeros."""
    while p and p[-1] == 0:
        p = p[:-1]
    return p


def product(*factors: Polynomial) -> Polynomial:
    """The product of polynomials."""
    total = [1]
    for factor in factors:
        longer = [0] * (len(total) + len(factor) - 1) if total and factor else []
        for i, a in enumerate(total if factor else ()):
            for j, b in enumerate(factor):
                longer[i + j] += a * b
        total = longer
    return trimmed(total)


def combination(*terms: tuple[int, Polynomial]) -> Polynomial:
    """The sum of multiples of polynomials."""
    total = [0] * max(len(p) for _, p in terms)
    for factor, p in terms:
        for i, c in enumerate(p):
            total[i] += factor * c
    return trimmed(total)


def _divided(p: Polynomial, q: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder of c p by q, where c is positive."""
    over, rest = [0] * max(len(p) - len(q) + 1, 0), list(p)
    lead = abs(q[-1])
    while len(rest) >= len(q):
        shift, factor = len(rest) - len(q), rest[-1] if q[-1] > 0 else -rest[-1]
        rest = [lead * c for c in rest]
        over = [lead * c for c in over]
        over[shift] += factor
        for i, c in enumerate(q):
            rest[i + shift] -= factor * c
        rest = trimmed(rest)
    return over, rest


def _changes(variations: Iterable[Polynomial], t: Fraction) -> int:
    """Sign changes along a chain at t, zeros left out."""
    signs = [s for s in (sign_at(p, t) for p in variations) if s]
    return sum(a != b for a, b in pairwise(signs))
