"""Lines, circles, splines."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from closedchain.errors import BadInput
from closedchain.motion import circle, constant_velocity, faster, line, quintic, spline

TIMES = np.array([0.0, 1.0, 1.5, 3.0, 3.2, 5.0])
POINTS = np.array([[0.0, 1.0], [1.0, 0.5], [0.7, -0.2], [0.1, 0.3], [0.0, 0.2], [0.4, 0.9]])


def test_a_line_from_rest_to_rest_is_the_quintic():
    """The same polynomial by the chain rule."""
    a, b = line([0.0, 0.3], [0.1, 0.5], 3.0), quintic([0.0, 0.3], [0.1, 0.5], 3.0)
    t = np.linspace(0, 3, 31)
    for name in ("x", "x_dot", "x_ddot", "x_dddot"):
        np.testing.assert_allclose(getattr(a(t), name), getattr(b(t), name), rtol=0, atol=1e-15)


def test_a_line_takes_any_timing():
    """A trapezoid of s in [0, 1]."""
    law = constant_velocity([0.0], [1.0], 2.0, blend=0.5)
    np.testing.assert_allclose(line([1.0], [4.0], timing=law)(1.0).x_dot, 2.0, rtol=1e-15)


def test_a_uniform_circle_has_the_centripetal_acceleration():
    """v = ω r and a = ω² r towards the centre, jerk ω³ r; one turn in 2 s."""
    motion = circle([0.1, 0.3], 0.05, timing=constant_velocity([0.0], [1.0], 2.0))
    t = np.linspace(0.1, 1.9, 7)
    got, w = motion(t), np.pi
    out = (got.x - [0.1, 0.3]) / 0.05
    np.testing.assert_allclose(np.linalg.norm(out, axis=-1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(got.x_ddot, -(w**2) * 0.05 * out, rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        got.x_dot, w * 0.05 * np.stack([-out[:, 1], out[:, 0]], axis=-1), atol=1e-15
    )  # counterclockwise
    np.testing.assert_allclose(got.x_dddot, -(w**2) * got.x_dot, rtol=0, atol=1e-14)


def test_a_circle_begins_at_its_angle_and_leaves_further_coordinates_alone():
    """Clockwise from the top; the third coordinate stays."""
    motion = circle([0.0, 0.0, 0.7], 2.0, 1.0, angle=np.pi / 2, turns=-0.25)
    np.testing.assert_allclose(motion(0.0).x, [0.0, 2.0, 0.7], atol=1e-15)
    np.testing.assert_allclose(motion(1.0).x, [2.0, 0.0, 0.7], atol=1e-15)


@pytest.mark.parametrize("ends", ["natural", "clamped"])
def test_the_cubic_spline_is_scipys(ends):
    """Another construction (tridiagonal slopes) of the same curve."""
    ours, theirs = spline(POINTS, TIMES, ends=ends), CubicSpline(TIMES, POINTS, bc_type=ends)
    t = np.linspace(0, 5, 101)
    for name, order in (("x", 0), ("x_dot", 1), ("x_ddot", 2)):
        np.testing.assert_allclose(getattr(ours(t), name), theirs(t, order), rtol=0, atol=1e-12)


@pytest.mark.parametrize("ends", ["natural", "clamped"])
def test_the_quintic_spline_passes_its_points_with_four_continuous_derivatives(ends):
    """At every inner point the Taylor coefficients of both pieces agree up to the fourth derivative."""
    made = spline(POINTS, TIMES, degree=5, ends=ends)
    np.testing.assert_allclose(made(TIMES).x, POINTS, rtol=0, atol=1e-12)
    for i in range(1, 5):
        h, c = TIMES[i] - TIMES[i - 1], made.coefficients[i - 1]
        for k in range(5):
            poly = [np.polynomial.Polynomial(c[:, n]) for n in range(2)]
            left = [(p.deriv(k) if k else p)(h) for p in poly]
            right = made.coefficients[i, k] * np.prod(np.arange(1, k + 1))
            size = np.abs(c[k:]).max() + 1
            np.testing.assert_allclose(left, right, rtol=0, atol=1e-9 * size)  # scaled system of condition 1e4


def test_clamped_ends_have_the_rates_that_were_asked_for():
    """Different velocities and accelerations at the two ends."""
    v, a = np.array([[0.1, 0.2], [-0.3, 0.4]]), np.array([[1.0, 2.0], [0.5, -0.5]])
    made = spline(POINTS, TIMES, degree=5, ends="clamped", velocity=v, acceleration=a)
    np.testing.assert_allclose(made([0.0, 5.0]).x_dot, v, rtol=0, atol=1e-11)
    np.testing.assert_allclose(made([0.0, 5.0]).x_ddot, a, rtol=0, atol=1e-11)


def test_natural_ends_do_not_bend():
    """x″ of the cubic, x‴ of the quintic vanish at both ends."""
    np.testing.assert_allclose(spline(POINTS, TIMES)([0.0, 5.0]).x_ddot, 0.0, atol=1e-13)
    np.testing.assert_allclose(spline(POINTS, TIMES, degree=5)([0.0, 5.0]).x_dddot, 0.0, atol=1e-11)


def test_a_quintic_spline_gives_back_a_quintic():
    """Clamped with the polynomial's own end rates, it is the polynomial."""
    p = np.polynomial.Polynomial([0.1, -0.4, 0.3, 0.2, -0.1, 0.02])
    ends = np.array([0.0, 5.0])
    made = spline(
        p(TIMES),
        TIMES,
        degree=5,
        ends="clamped",
        velocity=p.deriv()(ends)[:, None],
        acceleration=p.deriv(2)(ends)[:, None],
    )
    t = np.linspace(0, 5, 41)
    np.testing.assert_allclose(made(t).x[:, 0], p(t), rtol=0, atol=1e-11)
    np.testing.assert_allclose(made(t).x_dddot[:, 0], p.deriv(3)(t), rtol=0, atol=1e-9)


def test_faster_takes_less_time_and_multiplies_the_rates():
    """Three times as fast: rates by 3, 9, 27."""
    slow = circle([0.0, 0.3], 0.05, 3.0)
    quick = faster(slow, 3.0)
    np.testing.assert_allclose(quick.duration, 1.0, rtol=1e-15)
    for order, name in enumerate(("x", "x_dot", "x_ddot", "x_dddot")):
        np.testing.assert_allclose(
            getattr(quick(0.4), name), 3**order * getattr(slow(1.2), name), rtol=1e-12, atol=1e-14
        )


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: line([0.0], [1.0]), "give a duration"),
        (lambda: line([0.0], [1.0], 1.0, timing=quintic([0.0], [1.0], 1.0)), "give a duration"),
        (lambda: circle([0.0, 0.0], -1.0, 1.0), "radius must be above zero"),
        (lambda: circle([0.0], 1.0, 1.0), "at least two coordinates"),
        (lambda: circle([0.0, 0.0], 1.0, 1.0, turns=0.0), "some turns"),
        (lambda: spline(POINTS, [0, 1, 1, 2, 3, 4]), "1 s is followed by 1 s"),
        (lambda: spline(POINTS, [0, 1, 2]), "3 times need points"),
        (lambda: spline(POINTS, TIMES, degree=4), "degree 3 and 5"),
        (lambda: spline(POINTS, TIMES, ends="loose"), "natural, clamped and free"),
        (lambda: spline(POINTS * np.nan, TIMES), "points is nan"),
        (lambda: spline(POINTS, TIMES, ends="clamped", velocity=[1.0, 2.0, 3.0]), "velocity has shape"),
        (lambda: faster(circle([0.0, 0.0], 1.0, 1.0), 0.0), "factor must be above zero"),
    ],
)
def test_bad_input_is_refused_with_its_reason(make, says):
    """One clear error for each."""
    with pytest.raises(BadInput, match=says):
        make()
