"""The reference crossing of Type 1 and Type 2 (TRUTH.md §3.3): kinematics and inverse dynamics along it.

The path is planned in (phi1, y): phi1(t) is a quintic and y(t) of degree 7, x = -d/2 + l cos(phi1). At t_m leg 1
lies flat (Type 1, B singular), at t_s the legs are in line (Type 2, A singular).
"""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import closedchain as cc

TRUTH = json.loads((Path(__file__).parents[1] / "data" / "truth_crossing.json").read_text(encoding="utf-8"))
L, D = 0.3606, 0.4
T_M, T_S = TRUTH["tm"], TRUTH["ts"]
REGULAR = [s for s in TRUTH["samples"] if s["t"] not in (T_M, T_S)]
(AT_TYPE_1,) = [s for s in TRUTH["samples"] if s["t"] == T_M]
(AT_TYPE_2,) = [s for s in TRUTH["samples"] if s["t"] == T_S]


PHI, Y = Polynomial(TRUTH["cp"]), Polynomial(TRUTH["cy"])


def crossing(t, y=Y):
    """x, x_dot, x_ddot (*batch, 2) of the reference path at time t, or of one with another y(t)."""
    angle, rate, acceleration = PHI(t), PHI.deriv()(t), PHI.deriv(2)(t)
    x = np.stack([-D / 2 + L * np.cos(angle), y(t)], axis=-1)
    x_dot = np.stack([-L * np.sin(angle) * rate, y.deriv()(t)], axis=-1)
    x_ddot = np.stack([-L * (np.cos(angle) * rate**2 + np.sin(angle) * acceleration), y.deriv(2)(t)], axis=-1)
    return x, x_dot, x_ddot


def along(robot, t, working, y=Y):
    """All models on the path at times t, which must lie in one working mode."""
    x, x_dot, x_ddot = crossing(np.asarray(t), y)
    return cc.evaluate(robot, x=x, x_dot=x_dot, x_ddot=x_ddot, working=working)


def largest_effort(robot, centre, step, window, modes, y=Y):
    """max|tau| on the grid centre ± k step within the window, in the working modes before and after."""
    k = np.arange(1, round(window / step) + 1)
    sides = ((centre - k * step, modes[0]), (centre + k * step, modes[1]))
    return max(np.abs(along(robot, t, working, y).tau).max() for t, working in sides)


def test_the_path_of_this_module_is_the_references():
    """The polynomials give the tabulated x, x_dot, x_ddot and phi1 at all 15 times."""
    t = np.array([s["t"] for s in TRUTH["samples"]])
    for got, key in zip(crossing(t), ("x", "xd", "xdd"), strict=True):
        want = [s[key] for s in TRUTH["samples"]]
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-13)  # degree 7 at t = 6 s: terms of 0.6 m cancel
    np.testing.assert_allclose(PHI(t), [s["phi1"] for s in TRUTH["samples"]], rtol=0, atol=1e-14)


@pytest.mark.parametrize("sample", REGULAR, ids=lambda s: f"t={s['t']}")
def test_the_drives_and_efforts_at_a_regular_time(biglide, sample):
    """q, q_dot, q_ddot and tau from the tip's motion, in (+,+) before Type 1 and (-,+) after it."""
    working = "++" if sample["t"] < T_M else "-+"
    got = cc.evaluate(biglide, x=sample["x"], x_dot=sample["xd"], x_ddot=sample["xdd"], working=working)
    for quantity, key in {"q": "q", "q_dot": "qd", "q_ddot": "qdd", "tau": "tau"}.items():
        # 1e-10: from 2.5 s on the path is near Type 1 or Type 2, where digits are lost (TRUTH.md §2)
        np.testing.assert_allclose(getattr(got, quantity), sample[key], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(("working", "late"), [("++", False), ("-+", True)])
def test_the_drives_and_efforts_of_a_whole_arc_in_one_call(biglide, working, late):
    """A batch along the path equals the table."""
    rows = [s for s in REGULAR if (s["t"] > T_M) == late]
    got = along(biglide, [s["t"] for s in rows], working)
    for quantity, key in {"q": "q", "q_dot": "qd", "q_ddot": "qdd", "tau": "tau"}.items():
        np.testing.assert_allclose(getattr(got, quantity), [s[key] for s in rows], rtol=1e-10, atol=1e-12)


def test_type_1_is_regular_for_the_drives(biglide):
    """At t_m leg 1 lies flat: x is a bad chart and q a good one, and gives the reference's efforts."""
    s = AT_TYPE_1
    got = cc.evaluate(biglide, q=s["q"], q_dot=s["qd"], q_ddot=s["qdd"], assembly="+")
    for quantity, key in {"x": "x", "x_dot": "xd", "x_ddot": "xdd", "tau": "tau"}.items():
        np.testing.assert_allclose(getattr(got, quantity), s[key], rtol=1e-12, atol=1e-14)


def test_type_2_is_reached_with_equal_drive_speeds_and_the_right_strokes(biglide):
    """At t_s the tip is at x = 0: the (-,+) strokes are the table's, A is singular, and q1_dot = q2_dot."""
    s = AT_TYPE_2
    (got,) = [k for k in cc.inverse(biglide, [0.0, s["x"][1]]) if k.working == "-+"]
    np.testing.assert_allclose(got.q, s["q"], rtol=1e-14)
    assert got.condition > 1e14
    beside = along(biglide, [T_S - 1e-5, T_S + 1e-5], "-+").q_dot.mean(axis=0)
    np.testing.assert_allclose(beside, s["qd"], rtol=0, atol=1e-9)  # mean of two sides: error of second order in 1e-5 s
    assert s["qd"][0] == pytest.approx(s["qd"][1], rel=1e-15)


def test_the_efforts_pass_through_type_2_continuously(biglide):
    """The path obeys t_s·x_ddot = 0, so tau has a limit at t_s: the mean of both sides, to second order."""
    before, after = along(biglide, [T_S - 1e-3, T_S + 1e-3], "-+").tau
    np.testing.assert_allclose((before + after) / 2, AT_TYPE_2["tau"], rtol=0, atol=1e-6)  # second order: 4.5e-7
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-3)


def test_the_efforts_beside_type_2_lose_no_more_than_the_condition_of_a(biglide):
    """At 10 µs from t_s, cond A = 2e5: tau from x_ddot needs Aᵀ lam = m_p x_ddot only, and can keep 1e-9 N."""
    before, after = along(biglide, [T_S - 1e-5, T_S + 1e-5], "-+").tau
    np.testing.assert_allclose((before + after) / 2, AT_TYPE_2["tau"], rtol=0, atol=1e-8)


def test_the_assembly_mode_changes_at_type_2_and_the_working_mode_at_type_1(biglide):
    """(+,+) with the tip above, then (-,+) with the tip above, then (-,+) with the tip below the line of the feet."""
    arcs = {"++": [1.0, T_M - 0.01], "-+": [T_M + 0.01, T_S - 0.01]}
    for working, times in arcs.items():
        assert (along(biglide, times, working).det_A > 0).all()
    assert (along(biglide, [T_S + 0.01, 5.0], "-+").det_A < 0).all()


def test_the_criterion_holds_at_type_2_with_the_tables_acceleration():
    """y_ddot(t_s) = (q2 - q1)/d · x_ddot(t_s) (seed 000, eq 45), which is how y(t) was planned."""
    s = AT_TYPE_2
    assert s["xdd"][1] == TRUTH["ydd_s"]
    assert (s["q"][1] - s["q"][0]) / D * s["xdd"][0] == pytest.approx(TRUTH["ydd_s"], rel=1e-14)


def test_the_largest_effort_of_the_six_seconds(biglide):
    """0.9124 N over the whole path, on the 2 ms grid of seed 000 (3001 points), which misses both singular instants."""
    t = np.linspace(0, TRUTH["T"], 3001)
    assert np.minimum(abs(t - T_M), abs(t - T_S)).min() > 1e-4
    before, after = along(biglide, t[t < T_M], "++"), along(biglide, t[t > T_M], "-+")
    largest = max(np.abs(before.tau).max(), np.abs(after.tau).max())
    assert largest == pytest.approx(TRUTH["max_abs_tau"], rel=1e-10)


def degree_7(bend):
    """y(t): rest to rest from 0.3 to -0.15 m, on the plain quintic at t_s, with y_ddot(t_s) = bend (TRUTH.md §3.3)."""

    def row(t, order):
        return [np.prod(np.arange(k, k - order, -1.0)) * t ** (k - order) if k >= order else 0.0 for k in range(8)]

    T, s = TRUTH["T"], T_S / TRUTH["T"]
    rows = [row(t, order) for t in (0.0, T) for order in range(3)] + [row(T_S, 0), row(T_S, 2)]
    plain = 0.3 - 0.45 * (10 * s**3 - 15 * s**4 + 6 * s**5)
    return Polynomial(np.linalg.solve(rows, [0.3, 0, 0, -0.15, 0, 0, plain, bend]))


def test_the_bend_of_y_follows_from_the_criterion():
    """y_ddot(t_s) = (S/2) phi1_dot² - (S²/2d) phi1_ddot (TRUTH.md §3.1) gives the reference's y(t)."""
    S = np.sqrt(4 * L**2 - D**2)
    bend = S / 2 * PHI.deriv()(T_S) ** 2 - S**2 / (2 * D) * PHI.deriv(2)(T_S)
    assert bend == pytest.approx(TRUTH["ydd_s"], rel=1e-13)
    np.testing.assert_allclose(degree_7(bend).coef, TRUTH["cy"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("step", [1e-3, 1e-4, 1e-5])
def test_the_efforts_stay_small_around_type_2_however_close(biglide, step):
    """0.5755 N within 50 ms of Type 2 (TRUTH.md §3.2), on any grid."""
    assert largest_effort(biglide, T_S, step, 0.05, ("-+", "-+")) == pytest.approx(0.5755, abs=1e-4)


@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_the_efforts_stay_small_around_type_1(biglide, step):
    """0.6868 N within 20 ms of Type 1 (TRUTH.md §3.2); closer than 0.1 ms the tip loses digits as phi1²."""
    assert largest_effort(biglide, T_M, step, 0.02, ("++", "-+")) == pytest.approx(0.6868, abs=1e-4)


@pytest.mark.parametrize(("step", "effort"), [(1e-3, 135), (1e-4, 1350), (1e-5, 13500)])
def test_breaking_the_criterion_makes_the_efforts_grow_as_one_over_the_distance(biglide, step, effort):
    """The same path with y_ddot(t_s) = 0 has t_s·x_ddot = 0.04947 m/s²: ten times closer, ten times the effort."""
    largest = largest_effort(biglide, T_S, step, 0.05, ("-+", "-+"), degree_7(0.0))
    assert largest == pytest.approx(effort, rel=3e-3)  # the table has three digits
    free = np.array([np.sqrt(4 * L**2 - D**2), D]) / (2 * L)
    assert free @ crossing(T_S, degree_7(0.0))[2] == pytest.approx(0.04947, abs=5e-6)
