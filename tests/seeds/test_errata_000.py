"""The errata of seed 000, models and control laws (TRUTH.md §1.1 rows 0-1 to 0-14).

Each test codes the printed formula, shows by how much it misses, and that the right one is what closedchain computes.
Rows 0-15 to 0-20 and 0-26 to 0-29 are in test_errata_000_crossing.py, rows 0-21 to 0-23 in test_errata_000_figures.py.
Rows of wording only, not tested: 0-11 ("3rd order" for the quintic of eq 46), 0-27 (figure numbers).
Tested with the simulator: 0-14's run of the authors' code, 0-24, 0-25, 0-30.
"""

import numpy as np
import pytest

import closedchain as cc

L, D, M_P, M_F = 0.3606, 0.4, 3.0, 1.0
Q, Q_DOT, Q_DDOT = np.array([0.1, 0.02]), np.array([0.3, -0.2]), np.array([1.0, -0.5])
S = np.sqrt(4 * L**2 - D**2)  # stroke difference at Type 2
EXACT = {"rtol": 0, "atol": 2e-14}  # rounding of quantities of order one
PRINTED = {"rtol": 0, "atol": 6e-4}  # TRUTH.md quotes three decimals


def loop_closure(phi, q):
    """h_q of eq 17."""
    return np.array([L * (np.cos(phi[0]) - np.cos(phi[1])) - D, L * (np.sin(phi[0]) - np.sin(phi[1])) + q[0] - q[1]])


def passive_jacobians(phi, phi_dot):
    """A_q and its rate, eqs 21 and 24; B_q is constant."""
    (s1, s2), (c1, c2), (w1, w2) = np.sin(phi), np.cos(phi), phi_dot
    return L * np.array([[-s1, s2], [c1, -c2]]), L * np.array([[-c1 * w1, c2 * w2], [-s1 * w1, s2 * w2]])


B_Q = np.array([[0.0, 0.0], [1.0, -1.0]])


def test_the_test_state_is_the_one_of_the_errata(state):
    """x, phi, x_dot, x_ddot and tau that TRUTH.md §1 quotes, to its nine decimals."""
    quoted = {"rtol": 0, "atol": 5.1e-10}
    np.testing.assert_allclose(state.x, [0.058320190, 0.351600952], **quoted)
    np.testing.assert_allclose(state.passive, [0.772221912, 1.974579622], **quoted)
    np.testing.assert_allclose(state.x_dot, [0.343887021, -0.053070845], **quoted)
    np.testing.assert_allclose(state.x_ddot, [0.657680316, -0.640730712], **quoted)
    np.testing.assert_allclose(state.tau, [1.792154217, -3.214346353], **quoted)


@pytest.mark.parametrize(("gamma", "assembly"), [(-1, "+"), (1, "-")])
def test_0_1_the_direct_geometric_model_is_right(biglide, gamma, assembly):
    """Eqs 2-4 give our tip, for gamma = -1 above the feet, and both legs have length l."""
    A2, half = np.array([D / 2, Q[1]]), np.array([-D / 2, (Q[0] - Q[1]) / 2])
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    x = A2 + half + gamma * np.sqrt((4 * L**2 - D**2 - (Q[0] - Q[1]) ** 2) / (D**2 + (Q[0] - Q[1]) ** 2)) * turn @ half
    np.testing.assert_allclose(cc.evaluate(biglide, q=Q, assembly=assembly).x, x, **EXACT)
    np.testing.assert_allclose([np.hypot(x[0] + D / 2, x[1] - Q[0]), np.hypot(x[0] - D / 2, x[1] - Q[1])], L, **EXACT)


def test_0_2_arctan_puts_leg_2_on_the_wrong_side(state):
    """Eq 7 gives phi2 = -1.1670 instead of 1.9746, opens the loop and turns the sign of phi2_dot."""
    x, y = state.x
    printed = np.array([np.arctan((y - Q[0]) / (x + D / 2)), np.arctan((y - Q[1]) / (x - D / 2))])
    np.testing.assert_allclose(printed, [state.passive[0], -1.1670], rtol=0, atol=5.1e-5)
    np.testing.assert_allclose(loop_closure(printed, Q), [-0.283, 0.663], **PRINTED)
    rates = -np.linalg.solve(passive_jacobians(printed, np.zeros(2))[0], B_Q @ Q_DOT)
    np.testing.assert_allclose(rates[1], 1.037, **PRINTED)
    np.testing.assert_allclose(state.passive_dot[1], -1.037, **PRINTED)
    np.testing.assert_allclose(loop_closure(state.passive, Q), 0, **EXACT)


def test_0_3_the_kinematic_models_are_right_with_atan2(state):
    """Eqs 13-16 and 21-24 give our A, B, their rates, x_dot, x_ddot, phi_dot and phi_ddot."""
    (x, y), (x_dot, y_dot) = state.x, state.x_dot
    A, B = 2 * np.array([[x + D / 2, y - Q[0]], [x - D / 2, y - Q[1]]]), -2 * np.diag(y - Q)
    A_dot, B_dot = 2 * np.array([[x_dot, y_dot - Q_DOT[0]], [x_dot, y_dot - Q_DOT[1]]]), -2 * np.diag(y_dot - Q_DOT)
    for got, want in ((state.A, A), (state.B, B), (state.A_dot, A_dot), (state.B_dot, B_dot)):
        np.testing.assert_allclose(got, want, **EXACT)
    np.testing.assert_allclose(state.x_dot, -np.linalg.solve(A, B @ Q_DOT), **EXACT)
    x_ddot = -np.linalg.solve(A, B @ Q_DDOT + A_dot @ state.x_dot + B_dot @ Q_DOT)
    np.testing.assert_allclose(state.x_ddot, x_ddot, **EXACT)
    A_q, A_q_dot = passive_jacobians(state.passive, state.passive_dot)
    np.testing.assert_allclose(state.passive_dot, -np.linalg.solve(A_q, B_Q @ Q_DOT), **EXACT)
    phi_ddot = -np.linalg.solve(A_q, B_Q @ Q_DDOT + A_q_dot @ state.passive_dot)
    np.testing.assert_allclose(state.passive_ddot, phi_ddot, **EXACT)


def test_0_4_the_multiplier_form_of_the_dynamics_is_right(state):
    """Eqs 29-31 and 36-38: tau = m_f q_ddot - Bᵀ lam with Aᵀ lam = m_p x_ddot, which is m_f q_ddot + m_p Jᵀ x_ddot."""
    lam = np.linalg.solve(state.A.T, M_P * state.x_ddot)
    np.testing.assert_allclose(state.lam, lam, **EXACT)
    np.testing.assert_allclose(state.tau, M_F * Q_DDOT - state.B.T @ lam, **EXACT)
    J = -np.linalg.solve(state.A, state.B)
    np.testing.assert_allclose(state.tau, M_F * Q_DDOT + M_P * J.T @ state.x_ddot, **EXACT)


def test_0_5_the_last_line_of_eq_39_forgets_a_transpose(state):
    """-m_p A⁻¹B x_ddot gives (3.679, -1.278); +m_p Jᵀ x_ddot gives (1.792, -3.214)."""
    printed = M_F * Q_DDOT - M_P * np.linalg.solve(state.A, state.B) @ state.x_ddot
    np.testing.assert_allclose(printed, [3.679, -1.278], **PRINTED)
    np.testing.assert_allclose(state.tau, [1.792, -3.214], **PRINTED)
    assert np.abs(printed - state.tau).min() > 1.8


def test_0_6_the_determinant_of_eq_40_lacks_a_factor_of_four(state):
    """With the A of eq 13, det A = 4 [x (q1 - q2) - d (q1 + q2)/2 + y d]."""
    x, y = state.x
    printed = x * (Q[0] - Q[1]) - D / 2 * (Q[0] + Q[1]) + y * D
    np.testing.assert_allclose(state.det_A / printed, 4.0, rtol=1e-14)


@pytest.mark.parametrize("working", ["-+", "+-"])
def test_0_7_the_angle_of_eq_41_is_right_modulo_half_a_turn(biglide, working):
    """At Type 2 phi1 = arctan((q2 - q1)/d) modulo pi, and phi2 = phi1 + pi."""
    (pose,) = [s for s in cc.inverse(biglide, [0.0, 0.2]) if s.working == working]
    printed = np.arctan((pose.q[1] - pose.q[0]) / D)
    np.testing.assert_allclose(np.sin(pose.passive - printed), 0, **EXACT)
    np.testing.assert_allclose(np.cos(pose.passive[1] - pose.passive[0]), -1, **EXACT)


def test_0_8_type_2_is_not_at_45_degrees(biglide):
    """|q1 - q2| = d is far from singular; Type 2 is at S = 0.600108 and 56.314686°, and at 45° only if l = d/√2."""
    printed = cc.evaluate(biglide, q=np.array([D / 2, -D / 2]), assembly="+")
    assert abs(printed.det_A) > 0.4
    (true,) = [s for s in cc.inverse(biglide, [0.0, 0.0]) if s.working == "-+"]
    np.testing.assert_allclose(true.q[0] - true.q[1], 0.600108, rtol=0, atol=5.1e-7)
    np.testing.assert_allclose(np.rad2deg(true.passive[0]), -56.314686, rtol=0, atol=5.1e-7)
    assert true.condition > 1e14
    short = biglide.with_values(l=D / np.sqrt(2))
    (special,) = [s for s in cc.inverse(short, [0.0, 0.0]) if s.working == "-+"]
    np.testing.assert_allclose(special.q[0] - special.q[1], D, **EXACT)
    np.testing.assert_allclose(special.passive[0], -np.pi / 4, **EXACT)


@pytest.mark.parametrize("working", ["-+", "+-"])
def test_0_9_the_singular_matrix_and_its_kernel_are_right(biglide, working):
    """Eqs 42 and 43: beside Type 2, A tends to [[d, q2 - q1], [-d, q1 - q2]], whose kernel is (q1 - q2, d)."""
    distance = 1e-7
    near = cc.evaluate(biglide, x=np.array([distance, 0.1]), working=working)
    stroke = near.q[0] - near.q[1]
    np.testing.assert_allclose(near.A, [[D, -stroke], [-D, stroke]], rtol=0, atol=10 * distance)
    np.testing.assert_allclose(near.A @ [stroke, D], 0, rtol=0, atol=10 * distance)


@pytest.mark.parametrize("x_ddot", [(-0.0667, -0.1), (0.3, 0.2), (0.0, 0.4)])
def test_0_10_only_accelerations_that_respect_eq_45_have_bounded_efforts(biglide, x_ddot):
    """Beside Type 2, tau1 = -tau2 = -S² m_p (t_s·x_ddot) / (8 l x): it grows as 1/x unless t_s·x_ddot = 0 (D = +S)."""
    free = np.array([S, D]) / (2 * L)  # t_s
    x_dot, x_ddot, distance = np.array([-0.1, 0.05]), np.array(x_ddot), 1e-6
    near = cc.evaluate(biglide, x=np.array([distance, 0.0]), x_dot=x_dot, x_ddot=x_ddot, working="-+")
    predicted = -(S**2) * M_P * (free @ x_ddot) / (8 * L * distance)
    assert abs(predicted) > 1e4
    np.testing.assert_allclose(near.tau, [predicted, -predicted], rtol=1e-3)  # the rest is bounded, a few newtons
    respecting = x_ddot - free * (free @ x_ddot)
    bounded = cc.evaluate(biglide, x=np.array([distance, 0.0]), x_dot=x_dot, x_ddot=respecting, working="-+")
    assert np.abs(bounded.tau).max() < 10


@pytest.mark.parametrize("tau", [(0.0, 0.0), (50.0, -20.0)])
def test_0_10_no_effort_can_break_the_criterion_at_type_2(biglide, tau):
    """Forward dynamics at Type 2 gives t_s·x_ddot = 0 for any effort: a violating path is infeasible, not hard."""
    now = cc.state(biglide, x=np.array([0.0, 0.1]), x_dot=np.array([-0.1, 0.05]), working="-+")
    x_ddot = cc.forward_dynamics(biglide, now, np.array(tau)).x_ddot
    assert abs(np.array([S, D]) / (2 * L) @ x_ddot) < 2e-14 * (1 + np.abs(tau).max())


def test_0_12_the_kinematic_control_law_is_right(biglide):
    """Eq 49: q_dot = -B⁻¹A (x_dot_t - lambda e) moves the tip with x_dot = x_dot_t - lambda e."""
    x, wanted, error = np.array([0.05, 0.35]), np.array([0.03, 0.08]), np.array([1e-3, -2e-3])
    here = cc.evaluate(biglide, x=x, x_dot=wanted - 1.0 * error, working="++")
    law = -np.linalg.solve(here.B, here.A @ (wanted - 1.0 * error))
    np.testing.assert_allclose(here.q_dot, law, **EXACT)
    moved = cc.evaluate(biglide, q=here.q, q_dot=law, assembly="+")
    np.testing.assert_allclose(moved.x_dot, wanted - error, **EXACT)


def test_0_13_the_second_line_of_eq_50_has_the_wrong_sign_and_the_third_is_right(biglide, state):
    """q_dot = B⁻¹A x_dot gives (-0.3, 0.2) for a motion of (0.3, -0.2)."""
    np.testing.assert_allclose(np.linalg.solve(state.B, state.A @ state.x_dot), [-0.3, 0.2], **EXACT)
    back = cc.evaluate(biglide, x=state.x, x_dot=state.x_dot, x_ddot=state.x_ddot, working="++")
    np.testing.assert_allclose(back.q_dot, [0.3, -0.2], **EXACT)
    third = np.linalg.solve(state.B, -state.A @ state.x_ddot - state.A_dot @ state.x_dot - state.B_dot @ back.q_dot)
    np.testing.assert_allclose(third, back.q_ddot, **EXACT)


def test_0_14_the_inertia_of_eq_51_is_not_the_feet_alone(state):
    """M = m_f I + m_p JᵀJ and c = m_p Jᵀb give tau; the authors' M = m_f I leaves out 2.1 and -2.3 N of it."""
    M, c = M_F * np.eye(2) + M_P * state.J.T @ state.J, M_P * state.J.T @ state.b
    np.testing.assert_allclose(state.M, M, **EXACT)
    np.testing.assert_allclose(state.c, c, **EXACT)
    np.testing.assert_allclose(state.tau, M @ Q_DDOT + c, **EXACT)
    missing = state.tau - (M_F * Q_DDOT + c)
    np.testing.assert_allclose(missing, M_P * state.J.T @ state.J @ Q_DDOT, **EXACT)
    assert np.abs(missing).min() > 2
