"""The errata of seed 001 (TRUTH.md §1.2), at the test state q = (0.1, 0.02), tip above the feet.

Each test codes the printed formula, shows by how much it misses, and that the right one is what closedchain computes.
Every row, 1-1 to 1-17, is a formula or a number and is tested here.
"""

import numpy as np
import pytest

import closedchain as cc

L, D, M_P, M_F = 0.3606, 0.4, 3.0, 1.0
Q, Q_DOT, Q_DDOT = np.array([0.1, 0.02]), np.array([0.3, -0.2]), np.array([1.0, -0.5])
A1, A2 = np.array([-D / 2, Q[0]]), np.array([D / 2, Q[1]])
Y = np.array([0.0, 1.0])
EXACT = {"rtol": 0, "atol": 2e-14}  # rounding of quantities of order one
PRINTED = {"rtol": 0, "atol": 6e-4}  # TRUTH.md quotes three decimals, or four


def units(phi):
    """u_i along and v_i across the legs, as rows (2, 2)."""
    return np.stack([np.cos(phi), np.sin(phi)], axis=-1), np.stack([-np.sin(phi), np.cos(phi)], axis=-1)


def tip(A2_to_H, height):
    """Section 3.1: OC = OA2 + A2H + gamma height/a U A2H, with gamma = -1."""
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    return A2 + A2_to_H - height / np.linalg.norm(A2_to_H) * turn @ A2_to_H


def test_1_1_the_vector_from_a2_to_a1_has_the_wrong_sign(state):
    """-OA1 + OA2 puts C 0.680 m from A1; OA1 - OA2 gives our tip."""
    a = np.linalg.norm(A1 - A2) / 2
    height = np.sqrt(L**2 - a**2)
    printed, right = tip((A2 - A1) / 2, height), tip((A1 - A2) / 2, height)
    np.testing.assert_allclose(np.linalg.norm(printed - A1), 0.680, **PRINTED)
    np.testing.assert_allclose(state.x, right, **EXACT)


def test_1_2_the_height_is_a_difference_of_squares(state):
    """sqrt(l² + a²) makes both legs 0.4618 m long; sqrt(l² - a²) makes them l."""
    half = (A1 - A2) / 2
    a = np.linalg.norm(half)
    printed = tip(half, np.sqrt(L**2 + a**2))
    np.testing.assert_allclose(
        [np.linalg.norm(printed - A1), np.linalg.norm(printed - A2)], 0.4618, rtol=0, atol=5.1e-5
    )
    np.testing.assert_allclose([np.linalg.norm(state.x - A1), np.linalg.norm(state.x - A2)], L, **EXACT)


def test_1_3_the_passive_angles_are_not_sums_of_tangents(state):
    """The printed angles are (1.4188, -1.4037); atan2 of the leg's own vector gives ours, (0.7722, 1.9746)."""
    x, y = state.x
    printed = [np.arctan(2 * Q[0] / D + y / x), np.arctan(2 * Q[1] / D - y / x)]
    np.testing.assert_allclose(printed, [1.4188, -1.4037], rtol=0, atol=5.1e-5)
    np.testing.assert_allclose(state.passive, [0.7722, 1.9746], rtol=0, atol=5.1e-5)
    np.testing.assert_allclose(state.passive, np.arctan2(y - Q, [x + D / 2, x - D / 2]), **EXACT)


def test_1_4_the_inverse_model_swaps_the_legs(biglide, state):
    """The printed formulas give (0.02, 0.10) for the tip that belongs to (0.10, 0.02)."""
    x, y = state.x
    printed = [y - np.sqrt(L**2 - (x - D / 2) ** 2), y - np.sqrt(L**2 - (x + D / 2) ** 2)]
    np.testing.assert_allclose(printed, [0.02, 0.10], **EXACT)
    (ours,) = [s.q for s in cc.inverse(biglide, state.x) if s.working == "++"]
    np.testing.assert_allclose(ours, [0.10, 0.02], **EXACT)


def test_1_5_the_right_foot_is_at_q2_and_the_left_leg_is_projected_on_u1(state):
    """B2A2 = q1 ŷ opens the right leg by q1 - q2; u2 does not remove phi1_dot from the left leg's velocity, u1 does."""
    u, _ = units(state.passive)
    right_leg = lambda foot: foot * Y + L * u[1] + [D / 2, 0]  # noqa: E731 - the printed sum, twice
    np.testing.assert_allclose(np.linalg.norm(right_leg(Q[0]) - state.x), 0.08, **EXACT)
    np.testing.assert_allclose(right_leg(Q[1]), state.x, **EXACT)
    left = state.x_dot - Q_DOT[0] * Y
    assert abs(u[1] @ left) > 0.4
    np.testing.assert_allclose(u[0] @ left, 0, **EXACT)


def test_1_6_phi_dot_is_counted_twice(state):
    """With v_i := phi_i_dot (-sin, cos), l v_i phi_i_dot has the rate squared; v_i is the unit vector."""
    _, v = units(state.passive)
    for i in range(2):
        rate = state.passive_dot[i]
        printed = Q_DOT[i] * Y + L * (rate * v[i]) * rate
        assert np.abs(printed - state.x_dot).max() > 0.7
        np.testing.assert_allclose(state.x_dot, Q_DOT[i] * Y + L * v[i] * rate, **EXACT)


def test_1_7_the_velocity_model_in_unit_vectors_is_right(state):
    """A = [uᵀ], B = diag(uᵀŷ): A x_dot = B q_dot, and A⁻¹B is our J."""
    u, _ = units(state.passive)
    np.testing.assert_allclose(u @ state.x_dot, u[:, 1] * Q_DOT, **EXACT)
    np.testing.assert_allclose(state.J, np.linalg.solve(u, np.diag(u[:, 1])), **EXACT)


def test_1_8_the_velocity_model_in_derivatives_has_the_wrong_sign(state):
    """With B = ∂h/∂q, A x_dot - B q_dot = (0.302, -0.265) where A x_dot + B q_dot = 0."""
    np.testing.assert_allclose(state.A @ state.x_dot - state.B @ Q_DOT, [0.302, -0.265], **PRINTED)
    np.testing.assert_allclose(state.A @ state.x_dot + state.B @ Q_DOT, 0, **EXACT)


def test_1_9_the_uncontrollable_motion_is_not_along_y(biglide):
    """At Type 2 with q1 - q2 = +S the tip is free along (0.8321, 0.5546), 33.69° from x."""
    near = cc.evaluate(biglide, x=np.array([1e-8, 0.0]), working="-+")
    _, sizes, rows = np.linalg.svd(near.A)
    assert sizes[1] < 1e-6 * sizes[0]
    free = rows[1] * np.sign(rows[1][0])
    np.testing.assert_allclose(free, [0.8321, 0.5546], rtol=0, atol=5.1e-5)
    np.testing.assert_allclose(np.rad2deg(np.arctan2(free[1], free[0])), 33.69, rtol=0, atol=5.1e-3)
    assert np.linalg.norm(near.A @ Y) > 0.8  # along y the legs do resist


def test_1_10_type_1_does_lose_the_motion_along_x(biglide):
    """With leg 1 flat no drive moves the tip along x: the first row of J vanishes."""
    flat = cc.evaluate(biglide, q=np.array([0.0, -np.sqrt(L**2 - (L - D) ** 2)]), assembly="+")
    np.testing.assert_allclose(flat.J[0], 0, rtol=0, atol=1e-13)
    assert np.abs(flat.J[1]).max() > 0.9
    np.testing.assert_allclose(flat.det_B, 0, rtol=0, atol=1e-13)


def test_1_11_the_passive_velocity_model_needs_a_diagonal_matrix(state):
    """B_p1 as the printed column cannot multiply q_dot; diag(v1ᵀŷ, v2ᵀŷ) gives our phi_dot."""
    _, v = units(state.passive)
    column = v[:, [1]]
    with pytest.raises(ValueError, match="matmul"):
        column @ Q_DOT
    np.testing.assert_allclose(state.passive_dot, (v @ state.x_dot - np.diag(v[:, 1]) @ Q_DOT) / L, **EXACT)


def test_1_12_the_derivative_of_v_carries_the_rate(biglide, state):
    """v_i moves by -phi_i_dot u_i, not by -u_i: central difference of our passive angles along q(t)."""
    step = 1e-5
    before, after = (
        units(cc.evaluate(biglide, q=Q + h * Q_DOT + h**2 / 2 * Q_DDOT, assembly="+").passive)[1] for h in (-step, step)
    )
    u, _ = units(state.passive)
    v_dot = (after - before) / (2 * step)
    np.testing.assert_allclose(v_dot, -state.passive_dot[:, None] * u, rtol=0, atol=1e-8)  # step² and rounding/step
    assert np.abs(v_dot + u).max(axis=1).min() > 1  # the printed -u_i


def test_1_13_the_acceleration_has_the_wrong_sign(state):
    """-A⁻¹[B q_ddot + d] with d = -l phi_dot² is minus the acceleration."""
    u, _ = units(state.passive)
    printed = -np.linalg.solve(u, u[:, 1] * Q_DDOT - L * state.passive_dot**2)
    np.testing.assert_allclose(printed, -state.x_ddot, **EXACT)
    assert np.abs(printed - state.x_ddot).min() > 1.2


def test_1_14_the_second_order_relation_has_the_wrong_sign_and_its_solution_is_right(state):
    """A x_ddot + A_dot x_dot - B q_ddot - B_dot q_dot = (0.583, -0.781); the sum of all four is 0."""
    left, right = state.A @ state.x_ddot + state.A_dot @ state.x_dot, state.B @ Q_DDOT + state.B_dot @ Q_DOT
    np.testing.assert_allclose(left - right, [0.583, -0.781], **PRINTED)
    np.testing.assert_allclose(left + right, 0, **EXACT)
    boxed = -np.linalg.solve(state.A, right + state.A_dot @ state.x_dot)
    np.testing.assert_allclose(state.x_ddot, boxed, **EXACT)


def test_1_15_the_passive_accelerations_follow_from_q_ddot(state):
    """With q_dot for q_ddot phi_ddot is (-3.141, -1.197); with q_ddot it is ours, (-4.532, -1.524)."""
    _, v = units(state.passive)
    np.testing.assert_allclose((v @ state.x_ddot - v[:, 1] * Q_DOT) / L, [-3.141, -1.197], **PRINTED)
    np.testing.assert_allclose(state.passive_ddot, [-4.532, -1.524], **PRINTED)
    np.testing.assert_allclose(state.passive_ddot, (v @ state.x_ddot - v[:, 1] * Q_DDOT) / L, **EXACT)


def test_1_15_the_left_leg_turns_across_v1(state):
    """x_ddot = q1_ddot ŷ + l v2 phi1_ddot - … misses; with v1 it holds."""
    u, v = units(state.passive)
    rest = Q_DDOT[0] * Y - L * u[0] * state.passive_dot[0] ** 2
    assert np.abs(rest + L * v[1] * state.passive_ddot[0] - state.x_ddot).max() > 1
    np.testing.assert_allclose(rest + L * v[0] * state.passive_ddot[0], state.x_ddot, **EXACT)


def test_1_16_the_feet_are_added_to_the_inertia(state):
    """(diag m) Jᵀ m_p J q_ddot + … lacks a plus: (0.792, -2.714) where the efforts are (1.792, -3.214)."""
    feet, c = M_F * np.eye(2), M_P * state.J.T @ state.b
    printed = feet @ (M_P * state.J.T @ state.J) @ Q_DDOT + c
    np.testing.assert_allclose(printed, [0.792, -2.714], **PRINTED)
    np.testing.assert_allclose(state.tau, (feet + M_P * state.J.T @ state.J) @ Q_DDOT + c, **EXACT)
    np.testing.assert_allclose(state.M, feet + M_P * state.J.T @ state.J, **EXACT)


@pytest.mark.parametrize(("length", "height"), [(0.3606, 0.3000539285), (0.2828427, 0.2)])
def test_1_17_the_printed_length_and_the_codes_are_two_machines(biglide, length, height):
    """l = 0.3606 m is printed, 0.2828427 m was coded: with level feet the tip stands at 300 mm or at 200 mm."""
    level = cc.evaluate(biglide.with_values(l=length), q=np.zeros(2), assembly="+")
    np.testing.assert_allclose(level.x, [0.0, height], rtol=0, atol=2e-8)  # the length has seven digits
    assert biglide.values["l"] == 0.3606
