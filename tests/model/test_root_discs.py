"""Discs of roots under uncertain coefficients, against roots known by construction and at 30 digits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from closedchain.model.root_discs import root_discs


def held(disc, roots):
    """How many of the roots lie in a disc."""
    return int(np.count_nonzero(np.abs(np.asarray(roots) - disc.centre) < disc.radius))


def mp_roots(coefficients):
    """All roots at 30 digits."""
    with mpmath.workdps(30):
        found = mpmath.polyroots([mpmath.mpmathify(complex(c)) for c in coefficients], maxsteps=800, extraprec=200)
    return np.array([complex(z) for z in found])


def test_a_double_root_is_two_roots_within_the_root_of_the_uncertainty():
    """(t − 1)²(t + 2) with its constant known to 1e-12: t − 1 = ±√(1e-12/3) = ±5.8e-7 at worst."""
    single, pair = root_discs([1.0, 0.0, -3.0, 2.0], [0, 0, 0, 1e-12]).discs
    assert (single.count, pair.count) == (1, 2)
    assert single.centre == pytest.approx(-2)
    assert pair.centre == pytest.approx(1)
    assert 5.8e-7 < pair.radius < 1.2e-6  # Pellet's disc is √2 wider than the roots' own, and radii are tried in ratios
    assert single.radius < 1e-11


def test_the_same_pair_is_told_apart_when_the_coefficients_are_exact():
    """(t − 1)(t − 1 − 10⁻⁹)(t + 2) in fractions: three discs of one root; as doubles with their rounding, two."""
    a = 1 + Fraction(1, 10**9)
    exact = [Fraction(1), 2 - 1 - a, a - 2 * (1 + a), 2 * a]
    assert [d.count for d in root_discs(exact).discs] == [1, 1, 1]
    rounded = [float(c) for c in exact]
    assert [d.count for d in root_discs(rounded, 2.0**-52 * np.abs(rounded)).discs] == [1, 2]


@pytest.mark.parametrize("seed", range(24))
def test_every_disc_holds_its_number_for_every_polynomial_of_the_family(seed):
    """Degree 2 to 12, clusters 1e-9 to 0.1 wide, real or complex: the counts hold at 30 digits for members."""
    rng = np.random.default_rng(seed)
    n, wide = int(rng.integers(2, 7)), 10.0 ** rng.uniform(-9, -1)
    roots = rng.normal(size=n) + 1j * rng.normal(size=n)
    half = n // 2
    roots[:half] = roots[0] + wide * (rng.normal(size=half) + 1j * rng.normal(size=half))
    c = np.poly(np.concatenate([roots, roots.conj()]) if seed % 2 else roots)
    slack = 10.0 ** rng.uniform(-16, -8) * np.abs(c)
    causes = 10.0 ** rng.uniform(-16, -8) * rng.normal(size=(2, len(c)))
    found = root_discs(list(c), slack, causes)
    assert sum(d.count for d in found.discs) + found.beyond == len(c) - 1
    centres = np.array([d.centre for d in found.discs])
    gaps = np.abs(centres[:, None] - centres) + np.eye(len(centres)) * 1e9
    reach = np.add.outer([d.radius for d in found.discs], [d.radius for d in found.discs])
    assert (gaps > reach).all()
    for _ in range(3):
        member = c + slack * rng.uniform(-1, 1, len(c)) + rng.uniform(-1, 1, 2) @ causes
        actual = mp_roots(member)
        assert [held(d, actual) for d in found.discs] == [d.count for d in found.discs]


def test_a_leading_coefficient_that_may_be_zero_sends_a_root_beyond():
    """1e-20 t³ + t² − 1 with the first coefficient known to 1e-18: two roots near ±1 and one no one can place."""
    found = root_discs([1e-20, 1.0, 0.0, -1.0], [1e-18, 0, 0, 0])
    assert found.beyond == 1
    assert [d.count for d in found.discs] == [1, 1]
    assert [d.centre.real for d in found.discs] == pytest.approx([-1, 1])


def test_a_disc_off_the_axis_does_not_touch_it():
    """(t² + 10⁻¹²)(t − 3): a constant known to 1e-14 leaves the pair two discs off the axis, 1e-11 one on it."""
    c = [1.0, -3.0, 1e-12, -3e-12]
    apart = root_discs(c, [0, 0, 0, 1e-14]).discs
    assert [d.on_axis for d in apart] == [False, False, True]
    assert all(abs(d.centre.imag) > d.radius for d in apart[:2])
    together = root_discs(c, [0, 0, 0, 1e-11]).discs
    assert [(d.count, d.on_axis) for d in together] == [(2, True), (1, True)]


def test_nothing_is_told_of_a_polynomial_that_may_vanish():
    """All coefficients may be zero; or all roots anywhere."""
    assert root_discs([1.0, 2.0], [2.0, 3.0]) is None
    assert root_discs([0.0, 0.0, 0.0]) is None


def test_a_constant_has_no_roots_and_a_monomial_one_disc():
    """t⁴ is four roots at 0; 5 has none."""
    (only,) = root_discs([1.0, 0, 0, 0, 0]).discs
    assert (only.count, only.centre) == (4, 0)
    assert root_discs([5.0]).discs == ()
