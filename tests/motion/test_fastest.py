"""The fastest way along a path: closed forms, a linear program, and what cannot be done."""

import numpy as np
import pytest
from scipy.optimize import brentq, linprog

import closedchain as cc
from closedchain.describe import Coordinate, Equations, Parameter, robot
from closedchain.errors import BadInput, NoSolution
from closedchain.motion import (
    PiecewisePolynomial,
    arc,
    check_limits,
    circle,
    constant_velocity,
    joint,
    line,
    polynomial,
    quintic,
    segment,
    spline,
    stack,
    time_optimal,
)
from closedchain.motion.conversion import whole
from closedchain.motion.path_dynamics import path_dynamics


@robot()
def lift(
    m=Parameter(2.0, "kg", "chosen", about="mass"),
    b=Parameter(0.0, "N s/m", "chosen", about="viscous friction"),
    g=Parameter(0.0, "m/s^2", "chosen", about="gravity, against q"),
):
    """One mass on a line, with weight and friction as asked for, and another that stays where it is."""
    q, other = Coordinate("q", "m"), Coordinate("other", "m")
    return Equations(
        "lift",
        parameters=(m, b, g),
        q=(q, other),
        driven=("q", "other"),
        kinetic=m * (q.rate**2 + other.rate**2) / 2,
        potential=m * g * q.symbol,
        dissipation=b * q.rate**2 / 2,
    )


def up(length):
    """The path of the lift."""
    return segment([0.0, 0.1], [length, 0.1], space="joint")


def test_one_mass_takes_2_root_mL_over_F():
    """Full force forward over half the way, full force back over the other: 2 √(m L / F)."""
    motion = time_optimal(cc.load(lift), up(0.5), effort=3.0)
    np.testing.assert_allclose(motion.duration, 2 * np.sqrt(2.0 * 0.5 / 3.0), rtol=1e-12)
    np.testing.assert_allclose(motion(motion.duration).x, [0.5, 0.1], rtol=1e-12)
    np.testing.assert_allclose(motion(motion.duration / 2).x, [0.25, 0.1], rtol=1e-9)


def test_a_weight_makes_the_two_halves_unequal():
    """Up with F/m − g, braking with F/m + g: T = √(2 L (1/a₁ + 1/a₂))."""
    a1, a2 = 30.0 / 2 - 9.81, 30.0 / 2 + 9.81
    motion = time_optimal(cc.load(lift, g=9.81), up(0.5), effort=30.0)
    # the switch falls inside an interval of the grid: at most one of 400 is run at less than full effort
    np.testing.assert_allclose(motion.duration, np.sqrt(2 * 0.5 * (1 / a1 + 1 / a2)), rtol=1e-4)


def test_viscous_friction_helps_braking():
    """m v̇ = ±F − b v in closed form: x and v of both phases meet at the switch."""
    m, b, F, L = 2.0, 4.0, 3.0, 0.5
    k, v_end = b / m, F / b

    def first(t):  # from rest, full force
        return v_end * (t - (1 - np.exp(-k * t)) / k), v_end * (1 - np.exp(-k * t))

    def second(v):  # braking to rest from v: time and way
        t = np.log(1 + v / v_end) / k
        return t, v / k - v_end * t

    t1 = brentq(lambda t: first(t)[0] + second(first(t)[1])[1] - L, 1e-3, 10.0, xtol=1e-14)
    want = t1 + second(first(t1)[1])[0]
    errors = [time_optimal(cc.load(lift, b=b), up(L), effort=F, grid=n).duration / want - 1 for n in (200, 400, 800)]
    assert all(abs(e) < 2e-2 for e in errors)
    assert abs(errors[2]) < abs(errors[0]) / 2  # first order in the grid
    assert abs(errors[2]) < 3e-3


@pytest.mark.parametrize("effort, each", [(10.0, 10.0), ([10.0, 7.0], 7.0)])
def test_the_biglide_moving_its_feet_together_is_one_mass(biglide, effort, each):
    """At x = 0 each foot pushes half of 2 m_f + m_p = 5 kg; the weaker one decides: T = 2 √(L / a), a = F/2.5."""
    motion = time_optimal(biglide, segment([0.0, 0.3], [0.0, 0.5]), effort=effort, working="++")
    np.testing.assert_allclose(motion.duration, 2 * np.sqrt(0.2 / (each / 2.5)), rtol=1e-12)


def test_a_velocity_limit_makes_a_trapezoid_and_an_acceleration_limit_a_slower_triangle(biglide):
    """L/v + v/a, and 2 √(L/a) with the smaller a."""
    path = segment([0.0, 0.3], [0.0, 0.5])
    cruise = time_optimal(biglide, path, effort=10.0, velocity=0.5)
    np.testing.assert_allclose(cruise.duration, 0.2 / 0.5 + 0.5 / 4.0, rtol=1e-4)  # v is reached inside an interval
    np.testing.assert_allclose(np.abs(cruise(cruise.duration / 2).x_dot), [0.0, 0.5], rtol=1e-12)
    gentle = time_optimal(biglide, path, effort=10.0, acceleration=2.0)
    np.testing.assert_allclose(gentle.duration, 2 * np.sqrt(0.2 / 2.0), rtol=1e-12)


def by_linear_program(model, path, effort, n):
    """max Σ ṡ² with the same bounds at the same points by HiGHS: the pointwise largest profile, found all at once."""
    s = np.linspace(0, 1, n + 1)
    step = 1 / n
    at = path_dynamics(model, whole(model, path, working="++")(s))
    rows, right = [], []
    for i in range(n):
        for k, y in ((i, 1.0), (i + 1, 0.0)):
            for j in range(model.nq):
                row = np.zeros(n + 1)
                row[[i, i + 1]] = -at.a[k, j] / (2 * step), at.a[k, j] / (2 * step)
                row[i if y else i + 1] += at.b[k, j]
                rows += [row, -row]
                right += [effort - at.g[k, j], effort + at.g[k, j]]
    bounds = [(0, 0), *[(0, None)] * (n - 1), (0, 0)]
    y = linprog(-np.ones(n + 1), A_ub=np.array(rows), b_ub=right, bounds=bounds, method="highs").x
    v = np.sqrt(np.maximum(y, 0.0))
    return float((2 * step / (v[:-1] + v[1:])).sum())


def test_a_line_across_the_workspace_agrees_with_a_linear_program(biglide):
    """Reachability and HiGHS find the same time on the same grid of 100 intervals."""
    path = segment([-0.1, 0.3], [0.12, 0.4])
    motion = time_optimal(biglide, path, effort=10.0, working="++", grid=100, tolerance=0.1)
    np.testing.assert_allclose(motion.duration, by_linear_program(biglide, path, 10.0, 100), rtol=1e-6)  # HiGHS: 1e-7


@pytest.mark.parametrize("path", [segment([-0.1, 0.3], [0.12, 0.4]), arc([0.0, 0.35], 0.08)], ids=["line", "circle"])
def test_efforts_keep_their_limits_and_one_is_always_at_its_limit(biglide, path):
    """Checked by the sampler, between the grid's points too; nearly everywhere some drive gives all it has."""
    motion = time_optimal(biglide, path, effort=[10.0, 6.0], working="++")
    report = check_limits(biglide, motion, working="++", effort=[10.0, 6.0], tolerance=1e-3)
    assert report.within, str(report)
    t = np.linspace(0.002, 0.998, 400) * motion.duration
    at = motion(t)
    made = cc.evaluate(biglide, x=at.x, x_dot=at.x_dot, x_ddot=at.x_ddot, working="++")
    use = (np.abs(made.tau) / [10.0, 6.0]).max(axis=-1)
    assert np.quantile(use, 0.05) > 0.95  # zero-inertia points and the ends of a 400-interval grid
    assert np.median(use) > 0.998


def test_no_other_timing_of_the_line_that_keeps_the_limits_is_faster(biglide):
    """The quintic slowed to the same peak effort takes longer."""
    a, b = [-0.1, 0.3], [0.12, 0.4]
    fast = time_optimal(biglide, segment(a, b), effort=10.0, working="++").duration
    peaks = check_limits(biglide, quintic(a, b, 1.0), working="++").peaks
    largest = max(abs(p.value) for p in peaks if p.quantity == "tau")
    same = np.sqrt(largest / 10.0)  # without gravity and friction efforts go with 1/T²
    assert fast < same
    assert fast > 0.5 * same  # and not absurdly so


def test_a_path_in_joint_space_and_a_path_of_cubics(biglide):
    """A path whose second derivative jumps at knots, given by the drives."""
    tip = spline([[-0.1, 0.3], [0.0, 0.4], [0.1, 0.3]], [0.0, 0.4, 1.0])
    through_tip = time_optimal(biglide, tip, effort=10.0, working="++")
    through_feet = time_optimal(biglide, joint(biglide, tip, working="++"), effort=10.0)
    np.testing.assert_allclose(through_feet.duration, through_tip.duration, rtol=1e-9)
    assert through_feet.space == "joint"


def test_a_weight_that_cannot_be_held_is_told_where(biglide):
    """10 N cannot lift 2 kg: which drive, how much, against what."""
    with pytest.raises(
        NoSolution, match=r"lift: the path cannot be passed at s = .*takes 19\.62 of q, whose limit is 10"
    ):
        time_optimal(cc.load(lift, g=9.81), up(0.5), effort=10.0)


def test_a_corner_is_refused(biglide):
    """A polygon can only be passed by stopping."""
    corner = PiecewisePolynomial(
        np.array([0.0, 0.5, 1.0]), np.array([[[0.0, 0.3], [0.2, 0.0]], [[0.1, 0.3], [0.0, 0.2]]])
    )
    with pytest.raises(NoSolution, match=r"corner at s = 0\.5"):
        time_optimal(biglide, corner, effort=10.0)


@pytest.mark.parametrize(
    "options, says",
    [
        ({"effort": 0.0}, "effort must be above zero"),
        ({"effort": [1.0, 2.0, 3.0]}, "effort has shape"),
        ({"effort": None}, "effort is needed"),
        ({"effort": 1.0, "grid": 3}, "at least 8"),
    ],
)
def test_bad_input_is_refused(biglide, options, says):
    """One clear error for each."""
    with pytest.raises(BadInput, match=says):
        time_optimal(biglide, segment([0.0, 0.3], [0.0, 0.5]), **options)


def test_a_robot_with_a_coordinate_that_nothing_drives_is_refused():
    """The furuta's pendulum has its own mind."""
    with pytest.raises(BadInput, match="not every coordinate is driven"):
        time_optimal(cc.load("furuta"), segment([0.0, 0.0], [1.0, 0.0], space="joint"), effort=1.0)


@pytest.mark.parametrize(
    "motion",
    [
        quintic([0.0, 0.3], [0.1, 0.5], 2.0),
        line([0.0, 0.3], [0.1, 0.5], 3.0),
        constant_velocity([0.0, 0.3], [0.1, 0.5], 1.0, blend=0.2),
        line([0.0, 0.3], [0.1, 0.5], timing=quintic([0.0], [1.0], 0.5)),
    ],
)
def test_a_motion_at_rest_at_its_ends_is_timed_anew(biglide, motion):
    """Its own timing is left out: the least time is that of the segment."""
    best = time_optimal(biglide, segment([0.0, 0.3], [0.1, 0.5]), effort=5.0, working="++")
    anew = time_optimal(biglide, motion, effort=5.0, working="++")
    assert anew.duration == pytest.approx(best.duration, rel=1e-12)
    np.testing.assert_allclose(anew(anew.duration).x, [0.1, 0.5], rtol=0, atol=1e-15)
    assert check_limits(biglide, anew, working="++", effort=5.0, tolerance=1e-3).within


def test_a_circle_with_a_timing_is_its_arc(biglide):
    """Rest to rest by a quintic, or as a shape."""
    shape = arc([0.0, 0.4], 0.05)
    timed = circle([0.0, 0.4], 0.05, 3.0)
    a, b = (time_optimal(biglide, path, effort=5.0, working="++").duration for path in (shape, timed))
    assert a == pytest.approx(b, rel=1e-12)


def test_a_curve_that_stands_still_at_its_ends_is_told(biglide):
    """Two quintics side by side of different shape: no straight line, no path of its own."""
    bent = stack(
        [
            quintic([0.0], [0.1], 1.0, space="output"),
            polynomial(
                [
                    (0, 0, [0.3]),
                    (0, 1, [0.0]),
                    (0, 2, [0.0]),
                    (0.5, 0, [0.45]),
                    (1, 0, [0.5]),
                    (1, 1, [0.0]),
                    (1, 2, [0.0]),
                ]
            ),
        ]
    )
    with pytest.raises(NoSolution, match=r"stands still at s = 0, .*motion\.segment"):
        time_optimal(biglide, bent, effort=5.0, working="++")
