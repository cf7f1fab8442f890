"""Real roots in whole numbers, against polynomials built from their roots and against SymPy."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from closedchain.model.sturm import combination, divisor, product, real_roots, square_free

T = sp.Symbol("t")


def with_roots(*roots):
    """The polynomial with these rational roots, lowest power first."""
    return product(*([-Fraction(r).numerator, Fraction(r).denominator] for r in roots))


def test_rational_roots_are_isolated_once_each_whatever_their_multiplicity():
    """(2t − 1)³ (t + 5)² t (3t − 1)(t² + 1): four real roots, two of them 1/6 apart."""
    p = product(with_roots("1/2", "1/2", "1/2", -5, -5, 0, "1/3"), [1, 0, 1])
    expected = [Fraction(v) for v in (-5, 0, Fraction(1, 3), Fraction(1, 2))]
    found = real_roots(p)
    assert len(found) == 4
    assert all(root.lo <= value <= root.hi for root, value in zip(found, expected, strict=True))
    fine = [root.within(Fraction(1, 10**30)) for root in found]
    assert all(abs(root.middle - value) <= Fraction(1, 10**30) for root, value in zip(fine, expected, strict=True))


@pytest.mark.parametrize("seed", range(40))
def test_the_number_of_roots_is_that_of_another_implementation(seed):
    """Random polynomials of degree 1 to 8 with repeated factors: SymPy counts the same distinct real roots."""
    rng = np.random.default_rng(seed)
    factors = [[int(c) for c in rng.integers(-9, 10, rng.integers(2, 4))] for _ in range(rng.integers(1, 4))]
    p = product(*[f for f in factors if any(f[1:])], *([factors[0]] if any(factors[0][1:]) else []))
    if len(p) > 1:
        assert len(real_roots(p)) == sp.Poly(p[::-1], T).sqf_part().count_roots()


def test_roots_closer_than_any_double_are_told_apart():
    """1 and 1 + 10⁻⁴⁰ are two roots; both meet at 1 + 10⁻⁴⁰ when the other is moved there."""
    near = 1 + Fraction(1, 10**40)
    assert len(real_roots(with_roots(1, near))) == 2
    assert len(real_roots(with_roots(near, near))) == 1
    assert len(real_roots(combination((1, with_roots(near, near)), (1, [1])))) == 0


def test_the_sign_of_another_polynomial_at_a_root_is_exact():
    """At √2: t² − 2 is 0, t − 1.41421356 is positive, t − 1.41421357 is negative, (t² − 2)(t − 9) is 0."""
    root = real_roots([-2, 0, 1])[1]
    assert root.sign_of([-2, 0, 1]) == 0
    assert root.sign_of([-141421356, 100000000]) == 1
    assert root.sign_of([-141421357, 100000000]) == -1
    assert root.sign_of(product([-2, 0, 1], [-9, 1])) == 0
    assert root.sign_of([]) == 0
    assert root.sign_of([7]) == 1


def test_the_common_divisor_holds_the_common_roots():
    """gcd of (t − 1)²(t + 2) and (t − 1)(t + 3) is t − 1; without repeats the first is (t − 1)(t + 2)."""
    first = with_roots(1, 1, -2)
    assert divisor(first, with_roots(1, -3)) in ([-1, 1], [1, -1])
    assert square_free(first) in ([-2, 1, 1], [2, -1, -1])
