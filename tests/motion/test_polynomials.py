"""Piecewise polynomials, the rest-to-rest quintic and constant velocity with blends."""

import numpy as np
import pytest
import sympy as sp

from closedchain.errors import BadInput
from closedchain.motion import PiecewisePolynomial, constant_velocity, quintic, rest

RATES = ("x", "x_dot", "x_ddot", "x_dddot")


def test_the_quintic_is_eq_46_of_seed_000_with_its_exact_derivatives():
    """s = 10 r³ − 15 r⁴ + 6 r⁵ by SymPy, with 1/t_f² in the acceleration (TRUTH.md rows 0-11 and 0-25)."""
    t = sp.symbols("t")
    r = t / 3
    s = 10 * r**3 - 15 * r**4 + 6 * r**5
    law = quintic([0.0, 0.3], [0.1, 0.5], duration=3.0)
    for at in (0, sp.Rational(1, 3), sp.Rational(3, 2), sp.Rational(17, 7), 3):
        got = law(float(at))
        for order, name in enumerate(RATES):
            want = float(sp.diff(s, t, order).subs(t, at))
            start = np.array([0.0, 0.3]) * (order == 0)
            np.testing.assert_allclose(getattr(got, name), start + want * np.array([0.1, 0.2]), rtol=0, atol=2e-15)


def test_the_quintics_largest_rates_are_15_eighths_and_10_over_root_3():
    """At r = 1/2 and r = (3 − √3)/6, of length/duration and length/duration²."""
    law = quintic([0.0], [0.2], duration=4.0)
    np.testing.assert_allclose(law(2.0).x_dot, 15 / 8 * 0.2 / 4, rtol=1e-14)
    np.testing.assert_allclose(law(4 * (3 - np.sqrt(3)) / 6).x_ddot, 10 / np.sqrt(3) * 0.2 / 16, rtol=1e-14)


def test_an_array_of_times_gives_the_same_numbers_as_one_at_a_time():
    """Shapes are (*t.shape, n), bit for bit."""
    law = quintic([0.0, 0.3, 1.0], [0.1, 0.5, 2.0], duration=3.0)
    t = np.linspace(-0.5, 3.5, 24).reshape(2, 3, 4)
    many = law(t)
    assert many.x_ddot.shape == (2, 3, 4, 3)
    for index in np.ndindex(t.shape):
        for name in RATES:
            assert (getattr(many, name)[index] == getattr(law(t[index]), name)).all()


def test_outside_its_time_a_motion_rests_at_its_ends():
    """No extrapolation: positions hold and all rates vanish."""
    law = constant_velocity([1.0], [3.0], duration=2.0)
    for t, x in ((-1.0, 1.0), (5.0, 3.0)):
        got = law(t)
        assert got.x == x
        assert got.x_dot == got.x_ddot == got.x_dddot == 0.0
    assert law(0.0).x_dot == law(2.0).x_dot == 1.0  # the ends themselves belong to the motion


def test_pieces_count_their_own_time_and_a_break_belongs_to_what_follows():
    """t² then 1 + 3 (t − 1): the position meets at 1, the velocity jumps from 2 to 3."""
    law = PiecewisePolynomial(np.array([0.0, 1.0, 2.0]), np.array([[[0.0], [0.0], [1.0]], [[1.0], [3.0], [0.0]]]))
    assert law(1.0).x == 1.0
    assert law(1.0).x_dot == 3.0
    np.testing.assert_allclose(law(np.nextafter(1.0, 0.0)).x_dot, 2.0, rtol=1e-15)
    assert law(1.5).x == 2.5
    assert (law.start, law.duration, law.dimension, law.degree) == (0.0, 2.0, 1, 2)


def test_without_a_blend_the_velocity_is_that_of_seed_002_section_3():
    """x = x_a + (x_b − x_a) t / T, v = (x_b − x_a) / T, a = 0."""
    a, b = np.array([-3.0, -1.0, 0.7]), np.array([1.0, 2.0, 0.1])
    got = constant_velocity(a, b, duration=5.0)(2.0)
    np.testing.assert_allclose(got.x, [-1.4, 0.2, 0.46], rtol=0, atol=1e-15)
    np.testing.assert_allclose(got.x_dot, (b - a) / 5.0, rtol=1e-15)
    assert not got.x_ddot.any()


def test_a_trapezoid_covers_its_length_with_the_acceleration_v_over_blend():
    """By hand: T = 2 s, blend 0.5 s, length 3: v = 3/1.5 = 2, a = 4, blends cover 0.5 each."""
    law = constant_velocity([0.0], [3.0], duration=2.0, blend=0.5)
    np.testing.assert_allclose(law([0.25, 1.0, 1.75]).x_dot[:, 0], [1.0, 2.0, 1.0], rtol=1e-15)
    np.testing.assert_allclose(law([0.25, 1.0, 1.75]).x_ddot[:, 0], [4.0, 0.0, -4.0], rtol=1e-15)
    np.testing.assert_allclose(law([0.5, 1.5, 2.0]).x[:, 0], [0.5, 2.5, 3.0], rtol=1e-15)


def test_a_quintic_blend_has_no_jump_of_acceleration():
    """Both ends of both blends have zero acceleration, and the velocity meets the cruise."""
    law = constant_velocity([0.0], [3.0], duration=2.0, blend=0.5, shape="quintic")
    ends = np.array([0.0, np.nextafter(0.5, 0), 0.5, np.nextafter(1.5, 0), 1.5, 2.0])
    np.testing.assert_allclose(law(ends).x_ddot, 0.0, atol=1e-13)  # accelerations of 6 m/s² cancel
    np.testing.assert_allclose(law(ends).x_dot[:, 0], [0, 2, 2, 2, 2, 0], atol=1e-14)
    np.testing.assert_allclose(law(ends).x[:, 0], [0, 0.5, 0.5, 2.5, 2.5, 3.0], atol=1e-14)


def test_two_blends_that_fill_the_duration_make_a_triangle():
    """Length 1 in 2 s: peak velocity 1 m/s, in two pieces."""
    law = constant_velocity([0.0], [1.0], duration=2.0, blend=1.0)
    assert len(law.breaks) == 3
    np.testing.assert_allclose(law(1.0).x_dot, 1.0, rtol=1e-15)
    np.testing.assert_allclose(law(2.0).x, 1.0, rtol=1e-15)


def test_rest_stays():
    """One position and no rates."""
    got = rest([1.0, 2.0], 3.0)([0.0, 2.0])
    assert (got.x == [1.0, 2.0]).all()
    assert not got.x_dot.any()


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: quintic([0.0], [1.0], -1.0), "duration must be above zero"),
        (lambda: quintic([0.0], [1.0], float("nan")), "duration must be above zero"),
        (lambda: quintic([0.0], [1.0], "long"), "duration must be a number"),
        (lambda: quintic([0.0], [1.0, 2.0], 1.0), "start has 1 coordinates but end has 2"),
        (lambda: quintic([np.inf], [1.0], 1.0), "start is inf"),
        (lambda: quintic([[0.0]], [1.0], 1.0), r"start has shape \(1, 1\)"),
        (lambda: quintic([0.0], [1.0], 1.0)(np.nan), "a time is nan"),
        (lambda: quintic([0.0], [1.0], 1.0)("now"), "times must be numbers"),
        (lambda: constant_velocity([0.0], [1.0], 1.0, blend=0.6), "two of them must fit"),
        (lambda: constant_velocity([0.0], [1.0], 1.0, blend=0.1, shape="round"), "parabolic"),
        (lambda: PiecewisePolynomial(np.array([0.0, 1.0, 1.0]), np.zeros((2, 1, 1))), "1 s is followed by 1 s"),
        (lambda: PiecewisePolynomial(np.array([0.0, 1.0]), np.zeros((2, 1, 1))), r"shapes \(k \+ 1,\)"),
        (lambda: quintic([0.0], [1.0], 1.0, space="nowhere"), "output"),
    ],
)
def test_bad_input_is_refused_with_its_reason(make, says):
    """One clear error for each."""
    with pytest.raises(BadInput, match=says):
        make()
