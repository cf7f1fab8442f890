"""The polynomial through given positions and rates: the seeds' systems, the lab's, and those without a solution."""

import json
from itertools import pairwise
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedchain.errors import BadInput
from closedchain.motion import piecewise, polynomial
from closedchain.motion.conditions import Undetermined

RATES = ("x", "x_dot", "x_ddot", "x_dddot")
CROSSING = json.loads((Path(__file__).parents[1] / "data" / "truth_crossing.json").read_text(encoding="utf-8"))
L, D = 0.3606, 0.4
S = np.sqrt(4 * L**2 - D**2)


def rest_at(t, x):
    """Three conditions: there, without velocity or acceleration."""
    return [(t, 0, x), (t, 1, np.zeros_like(x)), (t, 2, np.zeros_like(x))]


def test_six_conditions_at_two_instants_make_the_quintic():
    """Rest to rest: coefficients 10, −15, 6 of r³, r⁴, r⁵."""
    made = polynomial([*rest_at(0.0, [0.0]), *rest_at(2.0, [1.0])])
    np.testing.assert_array_equal(made.coefficients[0, :, 0], [0, 0, 0, 10 / 8, -15 / 16, 6 / 32])


def test_the_crossing_polynomials_of_the_reference():
    """φ1 is a quintic; y, with y(t_s) on the plain quintic and ÿ(t_s) given, is of degree 7 (TRUTH.md §3.3)."""
    T, ts, cp, cy = (CROSSING[key] for key in ("T", "ts", "cp", "cy"))
    phi = polynomial([*rest_at(0.0, [np.arccos(0.2 / L)]), *rest_at(T, [-np.arccos(0.1 / L)])])
    np.testing.assert_allclose(phi.coefficients[0, :, 0], cp, rtol=1e-14, atol=1e-17)
    plain = polynomial([*rest_at(0.0, [0.3]), *rest_at(T, [-0.15])])
    y = polynomial([*rest_at(0.0, [0.3]), (ts, 0, plain(ts).x), (ts, 2, [CROSSING["ydd_s"]]), *rest_at(T, [-0.15])])
    # ydd_s and the plain quintic's value are rounded: 1e-16 of them divided by the pivots of the degree-7 system
    np.testing.assert_allclose(y.coefficients[0, :, 0], cy, rtol=1e-12, atol=1e-16)


def test_three_pieces_through_the_points_of_seed_000_meet_with_their_accelerations():
    """eq 55 as it was run, with the ẍ_s that the criterion needs (TRUTH.md rows 0-15 to 0-18): t_m = 2 s, t_s = 4 s."""
    states = [
        (0.0, [0.0, 0.3], [0.0, 0.0], [0.0, 0.0]),
        (2.0, [0.1606, 0.0], [0.0, -0.2], [-0.15, -0.1]),
        (4.0, [0.0, -S / 2], [-0.1 * D / S, -0.1], [0.1 * D / S, -0.1]),
        (6.0, [-0.1, -0.15], [0.0, 0.0], [0.0, 0.0]),
    ]
    conditions = [[(t, order, value) for order, value in enumerate(values)] for t, *values in states]
    parts = [polynomial(a + b) for a, b in pairwise(conditions)]
    assert [part.start for part in parts] == [0.0, 2.0, 4.0]
    whole = piecewise(parts, continuity=2)
    assert whole.continuity == 2
    assert whole.duration == 6.0
    for t, *values in states:
        for name, value in zip(RATES, values, strict=False):
            np.testing.assert_allclose(getattr(whole(t), name), value, rtol=0, atol=1e-15)
    at_ts = whole(4.0).x_ddot
    assert abs(S * at_ts[0] + D * at_ts[1]) < 1e-15  # eq 45: D ẍ + d ÿ = 0


def test_nine_conditions_at_three_instants_are_met():
    """Position, velocity and acceleration at the start, at a crossing and at the end: degree 8, as in the lab."""
    values = {
        0.0: ([0.0, 0.3], [0, 0], [0, 0]),
        2.6: ([0.0, -0.3], [-0.1, -0.1], [0.07, -0.1]),
        4.0: ([-0.1, -0.15], [0, 0], [0, 0]),
    }
    made = polynomial([(t, order, v) for t, rows in values.items() for order, v in enumerate(rows)])
    assert made.degree == 8
    for t, rows in values.items():
        for name, value in zip(RATES, rows, strict=False):
            np.testing.assert_allclose(
                getattr(made(t), name), value, rtol=0, atol=2e-14
            )  # the last piece's powers cancel at its end


@given(st.lists(st.floats(-5, 5), min_size=6, max_size=6), st.floats(0.1, 9.0), st.floats(-3, 3))
def test_coefficients_are_those_of_50_digit_arithmetic(values, duration, start):
    """Whatever the instants: correctly rounded to one unit in the last place."""
    end = start + duration
    orders = [(start, 0), (start, 1), (start, 2), (end, 0), (end, 1), (end, 2)]
    made = polynomial([(t, k, [v]) for (t, k), v in zip(orders, values, strict=True)])
    with mpmath.workdps(60):
        a, b = mpmath.mpf(start), mpmath.mpf(end)
        rows = [
            [mpmath.ff(j, k) * ((mpmath.mpf(t) - a) ** (j - k) if j >= k else 0) for j in range(6)] for t, k in orders
        ]
        exact = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix([mpmath.mpf(v) for v in values]))
        for got, want in zip(made.coefficients[0, :, 0], exact, strict=True):
            assert abs(mpmath.mpf(float(got)) - want) <= abs(want) * mpmath.mpf(2) ** -52 + mpmath.mpf(10) ** -300
        assert b > a


def test_one_condition_given_twice_is_named():
    """The two that collide are told by number, kind and time."""
    with pytest.raises(Undetermined, match=r"conditions 0 and 2 both give the velocity at 1.5 s"):
        polynomial([(1.5, 1, [0.0]), (0.0, 0, [1.0]), (1.5, 1, [2.0])])


def test_a_system_that_is_singular_without_repeats_is_recognised():
    """p(0), p(1) and p'(1/2) of a parabola: the chord's slope is the middle's, so the third says nothing new."""
    with pytest.raises(Undetermined, match=r"condition \(2\) velocity at 0.5 s already follows from, or contradicts"):
        polynomial([(0.0, 0, [0.0]), (1.0, 0, [1.0]), (0.5, 1, [1.0])])


def test_rates_alone_leave_the_position_open():
    """Two velocities cannot make a line."""
    with pytest.raises(Undetermined, match="velocity at 1 s"):
        polynomial([(0.0, 1, [0.0]), (1.0, 1, [1.0])])


@pytest.mark.parametrize(
    "conditions, says",
    [
        ([(0.0, 0, [0.0])], "1 conditions were given"),
        ([(0.0, 0, [0.0]), (0.0, 1, [0.0])], "all conditions are at 0 s"),
        ([(0.0, 0, [0.0]), (1.0, -1, [0.0])], "condition 1 has derivative order -1"),
        ([(0.0, 0, [0.0]), (1.0, 0.5, [0.0])], "condition 1 has derivative order 0.5"),
        ([(0.0, 0, [0.0]), (1.0, 0, [0.0, 1.0])], r"values of \[1, 2\] coordinates"),
        ([(0.0, 0, [0.0]), (np.nan, 0, [0.0])], "time of condition 1 is nan"),
        ([(0.0, 0, [0.0]), (1.0, 0)], "condition 1 must be"),
    ],
)
def test_bad_conditions_are_refused(conditions, says):
    """One clear error for each."""
    with pytest.raises(BadInput, match=says):
        polynomial(conditions)
