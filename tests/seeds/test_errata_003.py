"""The errata of seed 003 (TRUTH.md §1.5).

Each test codes the printed formula, shows by how much it misses, and that the right one is what closedchain computes.
Rows of wording only, not tested: 3-14 ("pendubot" for a rotary pendulum), 3-16 (the animation's zero is not given).
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import closedchain as cc
from closedchain.robots.furuta import seed_form

THETA = (0.048426150121065395, 0.02033898305084746, 0.020338983050847463, 0.10169491525423731, 0.609539225181598)
THETA += (0.009685230024213077,)  # TRUTH.md §1.5
G, SCALE = 9.81, 4.842615012106538  # R_a/(k_r k_t) [V/(N m)]
STATES = [  # q1, q2, q1_dot, q2_dot, volts
    (0.0, 0.5, 1.7, -3.4, 2.0),
    (-1.2, 2.5, -4.0, 7.5, -10.0),
    (2.0, -2.2, 0.5, 1.0, 5.0),
]
EVERYWHERE = pytest.mark.parametrize("at", STATES)
CONVENTION = pytest.mark.parametrize(("name", "gravity"), [("furuta", -1), ("furuta:hanging", 1)])


def moving(robot, at):
    """Our forward dynamics at a state and voltage: q, q_dot, q_ddot."""
    q, q_dot = np.array(at[:2]), np.array(at[2:4])
    return q, q_dot, cc.evaluate(robot, q=q, q_dot=q_dot, voltage=np.array(at[4:])).q_ddot


def seconds(q, q_dot, q_ddot, gravity, first):
    """The left side of eq 3 with its first term's q1 rate as given, and gravity as -1 (eq 3) or +1 (eq 7)."""
    s, c = np.sin(q[1]), np.cos(q[1])
    inertia = THETA[2] * c * first + THETA[1] * q_ddot[1] - THETA[1] * s * c * q_dot[0] ** 2
    return inertia + gravity * THETA[3] * G * s + THETA[5] * q_dot[1]


def poles(robot):
    """Eigenvalues of [q1, q1_dot, q2, q2_dot] about the origin at 0 V, by central differences."""
    step = 1e-5

    def rate(x):
        q_ddot = cc.evaluate(robot, q=x[[0, 2]], q_dot=x[[1, 3]], voltage=np.zeros(1)).q_ddot
        return np.array([x[1], q_ddot[0], x[3], q_ddot[1]])

    A = np.stack([(rate(step * e) - rate(-step * e)) / (2 * step) for e in np.eye(4)], axis=-1)
    return np.sort_complex(np.linalg.eigvals(A))


def swing(robot, q2, duration):
    """q2(t) from rest at q2 with 0 V, by SciPy over our forward dynamics."""

    def rate(_, x):
        q_ddot = cc.evaluate(robot, q=x[[0, 2]], q_dot=x[[1, 3]], voltage=np.zeros(1)).q_ddot
        return [x[1], q_ddot[0], x[3], q_ddot[1]]

    run = solve_ivp(rate, (0.0, duration), [0.0, 0.0, q2, 0.0], rtol=1e-9, atol=1e-12, max_step=0.02)
    assert run.success
    return run.y[2]


@EVERYWHERE
def test_3_1_the_kinetic_energy_is_that_of_a_uniform_rod_on_an_arm(furuta, at):
    """K with theta_1' … theta_3' is ours; a rod of 0.3 m and 0.14 kg, integrated along its length, has the same."""
    q, q_dot = np.array(at[:2]), np.array(at[2:4])
    primed = np.array(THETA[:3]) / SCALE
    s, c = np.sin(q[1]), np.cos(q[1])
    K = (
        (primed[0] + primed[1] * s**2) * q_dot[0] ** 2 / 2
        + primed[2] * c * q_dot.prod()
        + primed[1] * q_dot[1] ** 2 / 2
    )
    nodes, weights = np.polynomial.legendre.leggauss(4)  # exact: |v|² is quadratic along the rod
    along = 0.15 * (nodes + 1)
    sideways, outwards, up = 0.2 * q_dot[0] + along * c * q_dot[1], -along * s * q_dot[0], -along * s * q_dot[1]
    rod = 0.14 / 2 * (weights / 2) @ (sideways**2 + outwards**2 + up**2) + 0.0044 / 2 * q_dot[0] ** 2
    ours = cc.evaluate(furuta, q=q, q_dot=q_dot, voltage=np.zeros(1)).kinetic
    np.testing.assert_allclose([K, rod], ours, rtol=1e-13)


@CONVENTION
@EVERYWHERE
def test_3_2_the_first_equation_is_right(name, gravity, at):
    """Eq 2 gives back the voltage from our accelerations, in both conventions."""
    q, q_dot, q_ddot = moving(cc.load(name), at)
    s, c = np.sin(q[1]), np.cos(q[1])
    volts = (THETA[0] + THETA[1] * s**2) * q_ddot[0] + THETA[2] * c * q_ddot[1] + 2 * THETA[1] * s * c * q_dot.prod()
    volts += -THETA[2] * s * q_dot[1] ** 2 + THETA[4] * q_dot[0]
    np.testing.assert_allclose(volts, at[4], rtol=0, atol=1e-12)


@EVERYWHERE
def test_3_3_the_second_equation_needs_the_acceleration_of_the_arm(furuta, at):
    """Eq 3 with q1_dot in its first term leaves more than 0.1 V; with q1_ddot it vanishes on our motion."""
    q, q_dot, q_ddot = moving(furuta, at)
    assert abs(seconds(q, q_dot, q_ddot, gravity=-1, first=q_dot[0])) > 0.1
    np.testing.assert_allclose(seconds(q, q_dot, q_ddot, gravity=-1, first=q_ddot[0]), 0, rtol=0, atol=1e-12)


@CONVENTION
@EVERYWHERE
def test_3_4_equations_3_and_7_are_two_conventions_of_one_machine(name, gravity, at):
    """-theta_4 g sin q2 (eq 3) holds upright, + (eq 7, code) hanging; each misses the other by twice that."""
    q, q_dot, q_ddot = moving(cc.load(name), at)
    np.testing.assert_allclose(seconds(q, q_dot, q_ddot, gravity, q_ddot[0]), 0, rtol=0, atol=1e-12)
    other = seconds(q, q_dot, q_ddot, -gravity, q_ddot[0])
    np.testing.assert_allclose(other, -2 * gravity * THETA[3] * G * np.sin(q[1]), rtol=0, atol=1e-12)
    assert abs(other) > 0.9


@EVERYWHERE
def test_3_4_the_two_conventions_move_alike_under_q2_to_pi_minus_q2(furuta, hanging, at):
    """Upright at (q1, pi - q2, q1_dot, -q2_dot) accelerates as hanging at (q1, q2, q1_dot, q2_dot), q2_ddot turned."""
    mirrored = (at[0], np.pi - at[1], at[2], -at[3], at[4])
    np.testing.assert_allclose(moving(furuta, mirrored)[2] * [1, -1], moving(hanging, at)[2], rtol=1e-12)


def test_3_4_upright_is_unstable_and_hanging_is_not(furuta, hanging):
    """Poles at q2 = 0: {-23.76, -6.10, 0, +7.34} with eq 3, {-20.43, -1.047 ± 7.142i, 0} with eq 7."""
    np.testing.assert_allclose(poles(furuta), [-23.76, -6.10, 0, 7.34], rtol=0, atol=5.1e-3)
    np.testing.assert_allclose(poles(hanging), [-20.43, -1.047 - 7.142j, -1.047 + 7.142j, 0], rtol=0, atol=5.1e-3)


def test_3_5_the_code_simulates_a_pendulum_that_hangs_at_zero(furuta, hanging):
    """From 0.01 rad at 0 V the code's model never exceeds 0.01 rad; eq 3's inverted pendulum is at 3.62 rad at 2 s."""
    assert np.abs(swing(hanging, 0.01, 2.0)).max() <= 0.01
    np.testing.assert_allclose(swing(furuta, 0.01, 2.0)[-1], 3.62, rtol=0, atol=5.1e-3)


def test_3_6_the_first_entry_of_c_has_one_rate_too_many(furuta):
    """2 theta_2 s c q1_dot q2_dot is -0.0989 where the code's 2 theta_2 s c q2_dot is -0.0582 (q1_dot = 1.7)."""
    q, q_dot = np.array([0.0, 0.5]), np.array([1.7, -3.4])
    code = 2 * THETA[1] * np.sin(0.5) * np.cos(0.5) * q_dot[1]
    np.testing.assert_allclose([code * q_dot[0], code], [-0.0989, -0.0582], rtol=0, atol=5.1e-5)
    np.testing.assert_allclose(seed_form(furuta, q, q_dot).C_code[0, 0], code, rtol=1e-14)


@EVERYWHERE
def test_3_7_friction_inside_c_spoils_the_skew_symmetry(furuta, at):
    """The code's C has the same C q_dot plus friction, but M_dot - 2C is skew only for Christoffel's."""
    q, q_dot, step = np.array(at[:2]), np.array(at[2:4]), 1e-6
    here = seed_form(furuta, q, q_dot)
    np.testing.assert_allclose(
        here.C_code @ q_dot + [THETA[4] * q_dot[0], 0], here.C @ q_dot + here.friction, rtol=0, atol=1e-13
    )
    before, after = (seed_form(furuta, q + h * q_dot, q_dot).M for h in (-step, step))
    M_dot = (after - before) / (2 * step)
    skew, spoilt = M_dot - 2 * here.C, M_dot - 2 * here.C_code
    np.testing.assert_allclose(skew + skew.T, 0, rtol=0, atol=1e-8)  # rounding over the step
    assert np.abs(spoilt + spoilt.T).max() > 2 * THETA[5]


def test_3_8_theta_6_is_scaled_by_the_torque_constant(furuta):
    """R_a/(k_r k_v) and R_a/(k_r k_t) are one number while k_t = k_v; else only k_t keeps M symmetric in volts."""
    other = furuta.with_values(k_t=0.009)
    v, form = other.values, seed_form(other, [0.0, 0.4], [0.3, -0.7])
    np.testing.assert_allclose(form.theta[5], v["b_2"] * v["R_a"] / (v["k_r"] * v["k_t"]), rtol=1e-14)
    assert abs(form.theta[5] / (v["b_2"] * v["R_a"] / (v["k_r"] * v["k_v"])) - 1) > 0.1
    moving_ = cc.evaluate(other, q=np.array([0.0, 0.4]), q_dot=np.array([0.3, -0.7]), voltage=np.array([2.0]))
    rest = form.M @ moving_.q_ddot + form.C @ moving_.q_dot + form.friction + form.gravity
    np.testing.assert_allclose(rest, [2.0, 0.0], rtol=0, atol=1e-13)
    same = seed_form(furuta, [0.0, 0.4], [0.3, -0.7]).theta[5]
    np.testing.assert_allclose(same, THETA[5], rtol=1e-14)


def test_3_9_the_motors_factor_is_a_product(furuta):
    """R_a/(k_r, k_t) means R_a/(k_r k_t) = 4.842615 V/(N m): our M in volts over our M."""
    q, q_dot = np.array([0.0, 0.4]), np.array([0.3, -0.7])
    ours = cc.evaluate(furuta, q=q, q_dot=q_dot, voltage=np.zeros(1)).M
    np.testing.assert_allclose(seed_form(furuta, q, q_dot).M / ours, SCALE, rtol=1e-13)


def test_3_10_the_poles_tell_the_two_readings_of_the_friction_apart(hanging):
    """b2 = 0.002 (typed) puts the hanging poles at -1.047 ± 7.142i, 0.007 (handwritten) at -1.662 ± 6.880i."""
    assert hanging.values["b_2"] == 0.002
    for robot, want in ((hanging, -1.047 + 7.142j), (hanging.with_values(b_2=0.007), -1.662 + 6.880j)):
        (pair,) = [p for p in poles(robot) if p.imag > 1]
        np.testing.assert_allclose(pair, want, rtol=0, atol=8e-4)


def test_3_11_the_torque_constant_is_the_typed_one(furuta):
    """k_t = k_v = 0.00767; theta_1 … theta_6 follow."""
    assert furuta.values["k_t"] == furuta.values["k_v"] == 0.00767
    np.testing.assert_allclose(seed_form(furuta, [0.0, 0.0], [0.0, 0.0]).theta, THETA, rtol=1e-14)


@EVERYWHERE
def test_3_12_equation_8_multiplies_the_accelerations(furuta, at):
    """m(q) (q1_ddot, q2_dot) leaves more than 0.05 V; m(q) (q1_ddot, q2_ddot) balances the voltage."""
    q, q_dot, q_ddot = moving(furuta, at)
    form = seed_form(furuta, q, q_dot)
    rest = form.C @ q_dot + form.friction + form.gravity - [at[4], 0]
    assert np.abs(form.M @ [q_ddot[0], q_dot[1]] + rest).max() > 0.05
    np.testing.assert_allclose(form.M @ q_ddot + rest, 0, rtol=0, atol=1e-12)


@EVERYWHERE
def test_3_13_the_codes_last_lines_repeat_the_accelerations(hanging, at):
    """As typed, q_d is overwritten and x_dot = [q_d(1), q_d(1), q_d(2), q_d(2)] holds accelerations only."""
    q, q_dot, q_ddot = moving(hanging, at)
    s, c = np.sin(q[1]), np.cos(q[1])
    M = np.array([[THETA[0] + THETA[1] * s**2, THETA[2] * c], [THETA[2] * c, THETA[1]]])
    C = np.array(
        [[2 * THETA[1] * s * c * q_dot[1], -THETA[2] * s * q_dot[1]], [-THETA[1] * s * c * q_dot[0], THETA[5]]]
    )
    F, weight = np.array([THETA[4] * q_dot[0], 0.0]), np.array([0.0, THETA[3] * G * s])
    q_d = np.linalg.inv(M) @ (-C @ q_dot - F - weight + [at[4], 0.0])
    np.testing.assert_allclose(q_ddot, q_d, rtol=1e-11)
    literal, right = q_d[[0, 0, 1, 1]], np.array([q_dot[0], q_ddot[0], q_dot[1], q_ddot[1]])
    assert np.abs(literal - right)[[0, 2]].max() > 10
    np.testing.assert_allclose(literal[[1, 3]], right[[1, 3]], rtol=1e-11)


def test_3_15_no_voltage_is_a_shorted_motor_and_not_a_free_arm(furuta):
    """At 0 V the turning arm is braked by k_r² k_t k_v/R_a = 0.1109 N m s/rad; a free arm (tau = 0) is not."""
    q, q_dot = np.array([0.0, 0.0]), np.array([2.0, 0.0])
    shorted = cc.evaluate(furuta, q=q, q_dot=q_dot, voltage=np.zeros(1))
    free = cc.evaluate(furuta, q=q, q_dot=q_dot, tau=np.zeros(1))
    np.testing.assert_allclose(shorted.tau[..., 0], -(70**2) * 0.00767**2 / 2.6 * 2.0, rtol=1e-13)
    assert shorted.q_ddot[0] < 5 * free.q_ddot[0] < 0
    np.testing.assert_allclose(THETA[4], 0.015 * SCALE + 70 * 0.00767, rtol=1e-14)
