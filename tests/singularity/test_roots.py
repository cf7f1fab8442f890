"""Zeros are found, all of them, and what cannot be shown is said."""

import numpy as np
import pytest

from closedchain.singularity.interval import Interval, exact
from closedchain.singularity.roots import isolate


def polynomial(coefficients):
    """Bounds of a polynomial (highest power first) and of its derivative, by Horner."""

    def horner(c, x):
        value = exact(np.full_like(x.lo, c[0]))
        for a in c[1:]:
            value = value * x + exact(np.full_like(x.lo, a))
        return value

    return lambda task, x: (horner(coefficients, x), horner(np.polyder(coefficients), x))


def test_three_zeros_of_a_cubic_are_enclosed():
    """(x − 0.25)(x − 0.5)(x − 0.9): each once, to a few units in the last place."""
    zeros = isolate(polynomial(np.poly([0.25, 0.5, 0.9])), np.array([0.0]), np.array([1.0]))
    np.testing.assert_allclose(zeros.at, [0.25, 0.5, 0.9], rtol=0, atol=1e-14)  # coefficients round by 1e-16, slope 0.1
    assert (zeros.hi - zeros.lo < 1e-13).all()
    assert len(zeros.open_task) == 0


def test_a_double_zero_is_not_claimed_either_way():
    """(x − 0.3)² has no proof; its place is reported, and nothing else is."""
    zeros = isolate(polynomial(np.poly([0.3, 0.3])), np.array([0.0]), np.array([1.0]))
    assert len(zeros.task) == 0
    assert len(zeros.open_task) >= 1
    assert zeros.open_lo.min() < 0.3 < zeros.open_hi.max()
    assert zeros.open_hi.max() - zeros.open_lo.min() < 1e-6  # rounding of 1e-16 hides a root of 1e-8


def test_a_near_miss_is_resolved():
    """(x − 0.3)² + 1e-10 has no zero, and − 1e-10 two."""
    base, lift = np.poly([0.3, 0.3]), np.array([0.0, 0.0, 1e-10])
    above = isolate(polynomial(base + lift), np.array([0.0]), np.array([1.0]))
    below = isolate(polynomial(base - lift), np.array([0.0]), np.array([1.0]))
    assert len(above.task) == len(above.open_task) == 0
    np.testing.assert_allclose(below.at, [0.3 - 1e-5, 0.3 + 1e-5], rtol=0, atol=1e-10)  # 1e-16 over a slope of 2e-5


def test_a_function_that_vanishes_everywhere_stays_open():
    """The whole domain, as one stretch."""
    zeros = isolate(lambda task, x: (x - x, x - x), np.array([0.0]), np.array([1.0]))
    assert len(zeros.task) == 0
    assert (zeros.open_lo.tolist(), zeros.open_hi.tolist()) == ([0.0], [1.0])


@pytest.mark.parametrize("where", [0.4871, 0.4871**2, 0.5, 1 / 3])
def test_a_zero_on_a_cut_is_found_once(where):
    """The domain is cut at 0.4871; a zero there is met from both sides and counted once."""
    zeros = isolate(polynomial([1.0, -where]), np.array([0.0]), np.array([1.0]))
    np.testing.assert_allclose(zeros.at, [where], rtol=0, atol=1e-15)
    assert len(zeros.open_task) == 0


def test_many_functions_at_once_are_the_same_as_one_by_one():
    """x − c for 50 values of c, some outside the domain."""
    c = np.linspace(-0.2, 1.2, 50)

    def f(task, x):
        return x - exact(c[task]), exact(np.ones_like(x.lo))

    zeros = isolate(f, np.zeros(50), np.ones(50))
    inside = np.nonzero((c > 0) & (c < 1))[0]
    assert zeros.task.tolist() == inside.tolist()
    np.testing.assert_allclose(zeros.at, c[inside], rtol=0, atol=1e-15)


def test_random_polynomials_agree_with_their_eigenvalues():
    """Degree 5 with random coefficients: as many real zeros in the domain as NumPy's companion matrix finds."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        c = rng.standard_normal(6)
        roots = np.roots(c)
        real = np.sort(roots[np.abs(roots.imag) < 1e-9].real)
        real = real[(real > 0) & (real < 1)]
        zeros = isolate(polynomial(c), np.array([0.0]), np.array([1.0]))
        np.testing.assert_allclose(zeros.at, real, rtol=0, atol=1e-9)
        assert isinstance(zeros.of(0).at, np.ndarray)
        assert (Interval(zeros.lo, zeros.hi).mid == zeros.at).all()
