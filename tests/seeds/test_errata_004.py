"""The errata of seed 004 (TRUTH.md §1.3), at the test state q = (0.1, 0.02), tip above the feet.

Each test codes the printed formula, shows by how much it misses, and that the right one is what closedchain computes.
A row of wording only, not tested: 4-5 (the inverse geometric model gives phi, not phi_dot).
"""

import numpy as np
import pytest

import closedchain as cc

L, D, M_P, M_F = 0.3606, 0.4, 3.0, 1.0
Q, Q_DOT, Q_DDOT = np.array([0.1, 0.02]), np.array([0.3, -0.2]), np.array([1.0, -0.5])
X, Y = np.array([1.0, 0.0]), np.array([0.0, 1.0])
EXACT = {"rtol": 0, "atol": 2e-14}  # rounding of quantities of order one
PRINTED = {"rtol": 0, "atol": 6e-4}  # TRUTH.md quotes three decimals


def units(phi):
    """u_i along and v_i across the legs, as rows (2, 2)."""
    return np.stack([np.cos(phi), np.sin(phi)], axis=-1), np.stack([-np.sin(phi), np.cos(phi)], axis=-1)


@pytest.mark.parametrize(("gamma", "assembly"), [(-1, "+"), (1, "-")])
def test_4_1_the_direct_model_is_right_and_gamma_minus_one_is_above(biglide, gamma, assembly):
    """OC = OM + gamma h/a turn A2M, for both assembly modes."""
    A1, A2 = np.array([-D / 2, Q[0]]), np.array([D / 2, Q[1]])
    half = (A1 - A2) / 2
    a = np.linalg.norm(half)
    printed = (A1 + A2) / 2 + gamma * np.sqrt(L**2 - a**2) / a * np.array([[0.0, -1.0], [1.0, 0.0]]) @ half
    (ours,) = [s.x for s in cc.direct(biglide, Q) if s.mode == assembly]
    np.testing.assert_allclose(ours, printed, **EXACT)
    assert (printed[1] > Q.max()) == (gamma == -1)


def test_4_2_the_arctangent_needs_the_quadrant(state):
    """tan⁻¹ gives leg 2 half a turn less, as in seed 000; atan2 gives our angles."""
    x, y = state.x
    printed = np.arctan((y - Q) / [x + D / 2, x - D / 2])
    np.testing.assert_allclose(printed - state.passive, [0.0, -np.pi], **EXACT)
    np.testing.assert_allclose(L * np.cos(printed) + [-D / 2, D / 2] - x, [0.0, 2 * (D / 2 - x)], **EXACT)


def test_4_3_the_dotted_position_of_the_right_leg_is_its_velocity(state):
    """d/2 ẋ0 + q2_dot y0 + u2_dot l, printed as the position, is x_dot; without the dots it is x."""
    u, v = units(state.passive)
    dotted = Q_DOT[1] * Y + L * state.passive_dot[1] * v[1]  # x0 is fixed, its rate is zero
    np.testing.assert_allclose(dotted, state.x_dot, **EXACT)
    assert np.abs(dotted - state.x).min() > 0.2
    for foot, side, direction in ((Q[0], -1, u[0]), (Q[1], 1, u[1])):
        np.testing.assert_allclose(side * D / 2 * X + foot * Y + L * direction, state.x, **EXACT)


def test_4_4_the_unit_vectors_turn_with_phi_and_not_with_q(biglide, state):
    """u_dot = q_dot v and v_dot = q u miss central differences of our angles; phi_dot v and -phi_dot u do not."""
    step = 1e-5
    before, after = (
        units(cc.evaluate(biglide, q=Q + h * Q_DOT + h**2 / 2 * Q_DDOT, assembly="+").passive) for h in (-step, step)
    )
    u, v = units(state.passive)
    u_dot, v_dot = ((b - a) / (2 * step) for a, b in zip(before, after, strict=True))
    rate = state.passive_dot[:, None]
    np.testing.assert_allclose(u_dot, rate * v, rtol=0, atol=1e-8)  # step² and rounding/step
    np.testing.assert_allclose(v_dot, -rate * u, rtol=0, atol=1e-8)
    assert np.abs(u_dot - Q_DOT[:, None] * v).max(axis=1).min() > 0.5
    assert np.abs(v_dot - Q[:, None] * u).max(axis=1).min() > 0.5


def test_4_6_the_second_order_models_are_right(state):
    """A x_ddot = B q_ddot - d with A = [uᵀ], B = diag(uᵀŷ), d = l phi_dot²; phi_ddot = (A_p x_ddot - B_p q_ddot)/l."""
    u, v = units(state.passive)
    d = L * state.passive_dot**2
    np.testing.assert_allclose(state.x_ddot, np.linalg.solve(u, u[:, 1] * Q_DDOT - d), **EXACT)
    np.testing.assert_allclose(state.q_ddot, (u @ state.x_ddot + d) / u[:, 1], **EXACT)
    np.testing.assert_allclose(state.passive_ddot, (v @ state.x_ddot - v[:, 1] * Q_DDOT) / L, **EXACT)
    np.testing.assert_allclose(state.passive_dot, (v @ state.x_dot - v[:, 1] * Q_DOT) / L, **EXACT)


def test_4_7_the_boxed_coriolis_term_has_the_wrong_sign(state):
    """c = +m_p Jᵀ A⁻¹ d is (1.284, 0.460) and makes tau (4.361, -2.294); ours is minus that."""
    u, _ = units(state.passive)
    boxed = M_P * state.J.T @ np.linalg.solve(u, L * state.passive_dot**2)
    np.testing.assert_allclose(boxed, [1.284, 0.460], **PRINTED)
    np.testing.assert_allclose(state.M @ Q_DDOT + boxed, [4.361, -2.294], **PRINTED)
    np.testing.assert_allclose(state.c, -boxed, **EXACT)
    np.testing.assert_allclose(state.tau, state.M @ Q_DDOT - boxed, **EXACT)


def test_4_8_the_closing_note_is_right_for_the_documents_own_matrices(state):
    """c = -m_p Jᵀ A⁻¹ d with A = [uᵀ], B = diag(uᵀŷ); it would be + only with both A and B negated and d kept."""
    u, _ = units(state.passive)
    d = L * state.passive_dot**2
    A, B = u, np.diag(u[:, 1])
    J = np.linalg.solve(A, B)
    np.testing.assert_allclose(state.c, -M_P * J.T @ np.linalg.solve(A, d), **EXACT)
    negated = np.linalg.solve(-A, -B)
    np.testing.assert_allclose(state.c, M_P * negated.T @ np.linalg.solve(-A, d), **EXACT)
    np.testing.assert_allclose(state.M, M_F * np.eye(2) + M_P * J.T @ J, **EXACT)
