"""First- and second-order kinematics against unit vectors, derivatives of the loop closure, and case P05."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import NoSolution, Singular
from closedchain.model.kinematics import direct_rates, inverse_rates
from closedchain.model.sampling import sample

AGREE = 1e-12  # of each quantity's size: rounding times a condition of at most 100 (states at least 0.05 from Type 2)


def agree(got, want):
    """Equal to AGREE of the batch element's own size."""
    got, want = np.asarray(got), np.asarray(want)
    size = np.maximum(np.abs(want).max(axis=-1, keepdims=True), 1.0)
    assert (np.abs(got - want) / size).max() < AGREE


def moving(robot, count=300, seed=11):
    """Random states of all branches with accelerations, and all models there."""
    s = sample(robot, count, seed=seed, margin=0.05)
    q_ddot = np.random.default_rng(seed).standard_normal(s.q.shape)
    return s, robot.call("evaluate", q=s.q, x=s.x, q_dot=s.q_dot, q_ddot=q_ddot), q_ddot


def units(phi):
    """u = (cos φ, sin φ) along each bar and v = (−sin φ, cos φ) across it, (…, bars, 2)."""
    c, s = np.cos(phi), np.sin(phi)
    return np.stack([c, s], axis=-1), np.stack([-s, c], axis=-1)


def test_the_biglide_by_unit_vectors(biglide):
    """Seed 001's first methodology, corrected: A = [uᵀ], B = diag(uᵀŷ), A ẋ = B q̇, A ẍ = B q̈ − l φ̇²; φ̇, φ̈ along v."""
    l = 0.3606
    s, made, q_ddot = moving(biglide)
    phi = np.arctan2(s.x[:, None, 1] - s.q, s.x[:, None, 0] - np.array([-0.2, 0.2]))
    u, v = units(phi)
    y = np.array([0.0, 1.0])
    x_dot = np.linalg.solve(u, (u @ y * s.q_dot)[..., None])[..., 0]
    agree(made["x_dot"], x_dot)
    relative = x_dot[:, None, :] - s.q_dot[..., None] * y
    phi_dot = np.einsum("kij,kij->ki", v, relative) / l
    agree(made["passive_dot"], phi_dot)
    x_ddot = np.linalg.solve(u, (u @ y * q_ddot - l * phi_dot**2)[..., None])[..., 0]
    agree(made["x_ddot"], x_ddot)
    agree(made["passive_ddot"], np.einsum("kij,kij->ki", v, x_ddot[:, None, :] - q_ddot[..., None] * y) / l)
    np.testing.assert_allclose(made["passive"], phi, atol=1e-14)


def test_the_biglide_by_derivatives_of_the_loop_closure(biglide):
    """Seed 001's second methodology, corrected: A ẋ + B q̇ = 0, A ẍ + Ȧ ẋ + B q̈ + Ḃ q̇ = 0, matrices typed here."""
    s, made, q_ddot = moving(biglide)
    x, y, q1, q2 = s.x[:, 0], s.x[:, 1], s.q[:, 0], s.q[:, 1]
    A = 2 * np.stack([np.stack([x + 0.2, y - q1], -1), np.stack([x - 0.2, y - q2], -1)], axis=-2)
    b = -2 * np.stack([y - q1, y - q2], axis=-1)  # the diagonal of B
    x_dot = np.linalg.solve(A, -(b * s.q_dot)[..., None])[..., 0]
    agree(made["x_dot"], x_dot)
    across = x_dot[:, None, 1] - s.q_dot
    A_dot = 2 * np.stack([np.broadcast_to(x_dot[:, None, 0], across.shape), across], axis=-1)
    drift = np.einsum("kij,kj->ki", A_dot, x_dot) - 2 * across * s.q_dot
    agree(made["x_ddot"], np.linalg.solve(A, -(b * q_ddot + drift)[..., None])[..., 0])
    np.testing.assert_allclose(made["A"], A, atol=1e-14)
    np.testing.assert_allclose(np.diagonal(made["B"], axis1=1, axis2=2), b, atol=1e-14)
    np.testing.assert_allclose(made["A_dot"], A_dot, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(made["det_A"], np.linalg.det(A), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(made["det_B"], b.prod(axis=-1), rtol=1e-12, atol=1e-15)


def test_the_biglides_angles_by_their_own_loop(biglide):
    """l cos φ1 − l cos φ2 = d and q1 + l sin φ1 = q2 + l sin φ2, differentiated twice: no tip needed."""
    l = 0.3606
    s, made, q_ddot = moving(biglide)
    c, n = np.cos(made["passive"]), np.sin(made["passive"])
    A_p = l * np.stack([np.stack([-n[:, 0], n[:, 1]], -1), np.stack([c[:, 0], -c[:, 1]], -1)], axis=-2)
    zero = np.zeros(len(s.q))
    rhs = -np.stack([zero, s.q_dot[:, 0] - s.q_dot[:, 1]], axis=-1)
    phi_dot = np.linalg.solve(A_p, rhs[..., None])[..., 0]
    agree(made["passive_dot"], phi_dot)
    w = phi_dot**2 * l
    drift = np.stack([-c[:, 0] * w[:, 0] + c[:, 1] * w[:, 1], -n[:, 0] * w[:, 0] + n[:, 1] * w[:, 1]], axis=-1)
    rhs = -(np.stack([zero, q_ddot[:, 0] - q_ddot[:, 1]], axis=-1) + drift)
    agree(made["passive_ddot"], np.linalg.solve(A_p, rhs[..., None])[..., 0])


def test_the_five_bar_by_unit_vectors(fivebar):
    """u_iᵀ ẋ = u_iᵀ Ȧ_i, and u_iᵀ ẍ = u_iᵀ Ä_i − l2 ψ̇²; the passive angle counts from the driven bar."""
    l1, l2 = 0.09, 0.09
    s, made, q_ddot = moving(fivebar)
    e, n = units(s.q)  # along and across the driven bars
    A_i = np.array([[-0.059, 0.0], [0.059, 0.0]]) + l1 * e
    A_dot = l1 * s.q_dot[..., None] * n
    A_ddot = l1 * (q_ddot[..., None] * n - (s.q_dot**2)[..., None] * e)
    away = s.x[:, None, :] - A_i
    psi = np.arctan2(away[..., 1], away[..., 0])
    u, v = units(psi)
    x_dot = np.linalg.solve(u, np.einsum("kij,kij->ki", u, A_dot)[..., None])[..., 0]
    agree(made["x_dot"], x_dot)
    psi_dot = np.einsum("kij,kij->ki", v, x_dot[:, None, :] - A_dot) / l2
    agree(made["passive_dot"], psi_dot - s.q_dot)
    rhs = np.einsum("kij,kij->ki", u, A_ddot) - l2 * psi_dot**2
    x_ddot = np.linalg.solve(u, rhs[..., None])[..., 0]
    agree(made["x_ddot"], x_ddot)
    psi_ddot = np.einsum("kij,kij->ki", v, x_ddot[:, None, :] - A_ddot) / l2
    agree(made["passive_ddot"], psi_ddot - q_ddot)
    relative = (psi - s.q + np.pi) % (2 * np.pi) - np.pi
    assert np.abs((made["passive"] - relative + np.pi) % (2 * np.pi) - np.pi).max() < 1e-13


def test_p05_all_models_of_the_lab_biglide(lab, cases, expected):
    """Case P05: positions, rates, accelerations, passive joints, M, c and τ; its assembly −1 is our "+"."""
    given = cases["P05"]["input"]["state"]
    made = cc.evaluate(lab, q=given["q"], q_dot=given["v"], q_ddot=given["a"], assembly="+")
    names = {"xy": "x", "xd_yd": "x_dot", "xdd_ydd": "x_ddot", "phi": "passive", "phid": "passive_dot"}
    names |= {"phidd": "passive_ddot", "M": "M", "c": "c", "tau": "tau"}
    for case, ours in names.items():
        np.testing.assert_allclose(getattr(made, ours), expected("P05", case), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["biglide", "fivebar", "triplate", "rrr3", "delta"])
def test_inverse_rates_undo_direct_rates(name):
    """q̇ → ẋ → q̇ and q̈ → ẍ → q̈: two programs, one solving with A and one with B."""
    robot = cc.load(name)
    s = sample(robot, 100, seed=5, margin=0.05)
    made = robot.call("inverse_rates", q=s.q, x=s.x, x_dot=s.x_dot, x_ddot=s.x_dot)
    regular = made["margin"] > 1e-2  # and away from Type 1
    assert regular.sum() > 50
    q, x, q_dot = s.q[regular], s.x[regular], s.q_dot[regular]
    q_ddot = np.random.default_rng(0).standard_normal(q.shape)
    x_dot, x_ddot = direct_rates(robot, q, x, q_dot, q_ddot)
    back, back_ddot = inverse_rates(robot, q, x, x_dot, x_ddot)
    size = 1 + np.abs(q_dot).max()
    np.testing.assert_allclose(back, q_dot, rtol=1e-9, atol=1e-10 * size)
    np.testing.assert_allclose(back_ddot, q_ddot, rtol=1e-7, atol=1e-8 * (1 + np.abs(x_ddot).max()))


def test_the_four_bars_output_moves_only_along_its_circle(fourbar):
    """One drive, two output coordinates: a velocity along the rocker is refused, one across it is not."""
    s = cc.state(fourbar, q=[1.0], q_dot=[2.0])
    q_dot, _ = inverse_rates(fourbar, s.q, s.x, s.x_dot, direct_rates(fourbar, s.q, s.x, s.q_dot)[1])
    np.testing.assert_allclose(q_dot, [2.0], rtol=1e-13)
    along_rocker = s.x - np.array([0.3, 0.0])
    with pytest.raises(NoSolution, match="cannot give the output this motion"):
        inverse_rates(fourbar, s.q, s.x, along_rocker)


def test_a_type_2_configuration_has_no_direct_rates(biglide):
    """Bars in one line: A is singular, J does not exist, and the error names the type and the margin."""
    reach = np.sqrt(4 * 0.3606**2 - 0.16)
    with pytest.raises(Singular, match="Type 2"):
        direct_rates(biglide, np.array([reach / 2, -reach / 2]), np.array([0.0, 0.0]), [1.0, 1.0])


def test_a_type_1_configuration_has_no_inverse_rates(biglide):
    """Leg 1 flat: B is singular; along y both feet could follow, but x_dot cannot tell how."""
    x = np.array([0.1606, 0.25])
    q = cc.inverse(biglide, x)["0+"].q
    with pytest.raises(Singular, match=r"Type 1 singularity, B is singular: 0\.0e\+00 of 1"):
        inverse_rates(biglide, q, x, [0.0, 1.0])
