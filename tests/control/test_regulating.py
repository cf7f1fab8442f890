"""LQR about equilibria of pendulums and closed chains: the equation it solves, the loop it makes."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant, regulator
from closedchain.errors import BadInput, NoSolution

COST, PRICE = np.diag([3.0, 50.0, 1.0, 5.0]), np.array([[0.5]])


def exponential(A, t):
    """e^{At} by its series, scaled and squared: an oracle without SciPy."""
    n = 20
    step, term, total = A * t / 2**n, np.eye(len(A)), np.eye(len(A))
    for k in range(1, 12):
        term = term @ step / k
        total = total + term
    for _ in range(n):
        total = total @ total
    return total


def test_the_gain_solves_riccatis_equation(furuta):
    """K = R⁻¹BᵀP with P > 0 and AᵀP + PA − PBR⁻¹BᵀP + Q = 0; P from K's own closed loop (Lyapunov by its integral)."""
    law = regulator(furuta, q=[0.0, 0.0], state_cost=COST, input_cost=PRICE, inputs="voltage")
    linear = cc.linearise(furuta, q=[0.0, 0.0], inputs="voltage")
    A, B, K = linear.A, linear.B, law.K
    closed = A - B @ K
    # the cost of running this gain, P = ∫ eᶜᵗ' (Q + KᵀRK) eᶜᵗ dt, solves a linear equation: cᵀP + Pc = −(Q + KᵀRK)
    n = len(A)
    lyapunov = np.kron(np.eye(n), closed.T) + np.kron(closed.T, np.eye(n))
    P = np.linalg.solve(lyapunov, -(COST + K.T @ PRICE @ K).ravel()).reshape(n, n)
    residual = A.T @ P + P @ A - P @ B @ np.linalg.solve(PRICE, B.T @ P) + COST
    assert np.abs(residual).max() < 1e-9 * np.abs(P).max()
    np.testing.assert_allclose(K, np.linalg.solve(PRICE, B.T @ P), rtol=1e-9)
    assert np.linalg.eigvalsh((P + P.T) / 2)[0] > 0


def test_the_closed_loop_is_stable_and_the_open_one_is_not(furuta):
    """Poles of A (TRUTH.md row 3-4: +7.34) and of A − BK."""
    linear = cc.linearise(furuta, q=[0.0, 0.0], inputs="voltage")
    assert linear.poles.real.max() == pytest.approx(7.34, abs=0.005)
    law = regulator(furuta, q=[0.0, 0.0], inputs="voltage")
    assert np.linalg.eigvals(linear.A - linear.B @ law.K).real.max() < -0.1


@pytest.mark.parametrize("interval", [1e-3, 2e-2, 0.1])
def test_with_an_interval_the_gain_is_optimal_for_held_commands(furuta, interval):
    """Riccati's difference equation with e^{AT} and its integral; a continuous gain held 0.1 s would be unstable."""
    linear = cc.linearise(furuta, q=[0.0, 0.0], inputs="voltage")
    law = regulator(furuta, q=[0.0, 0.0], state_cost=COST, input_cost=PRICE, inputs="voltage", interval=interval)
    n = len(linear.A)
    block = np.zeros((n + 1, n + 1))
    block[:n, :n], block[:n, n:] = linear.A, linear.B
    whole = exponential(block, interval)
    F, G = whole[:n, :n], whole[:n, n:]
    closed = F - G @ law.K
    assert np.abs(np.linalg.eigvals(closed)).max() < 1
    stein = np.eye(n * n) - np.kron(closed.T, closed.T)
    P = np.linalg.solve(stein, (COST + law.K.T @ PRICE @ law.K).ravel()).reshape(n, n)
    best = np.linalg.solve(PRICE + G.T @ P @ G, G.T @ P @ F)
    np.testing.assert_allclose(law.K, best, rtol=1e-6)
    if interval == 0.1:
        continuous = regulator(furuta, q=[0.0, 0.0], state_cost=COST, input_cost=PRICE, inputs="voltage")
        assert np.abs(np.linalg.eigvals(F - G @ continuous.K)).max() > 1


@pytest.mark.parametrize("name", ["furuta", "furuta:hanging", "furuta:qube"])
def test_a_pendulum_is_balanced_from_a_tenth_of_a_radian(name):
    """Upright in both conventions and on another make; without the law it falls."""
    robot = cc.load(name)
    upright = 0.0 if robot.values["up"] > 0 else np.pi
    law = regulator(robot, q=[0.0, upright], state_cost=COST, input_cost=PRICE, inputs="voltage", interval=2e-3)
    run = cc.simulate(robot, law, q=[0.0, upright + 0.1], duration=8.0, interval=2e-3)
    assert np.abs(run.q[:, 1] - upright).max() < 0.2
    np.testing.assert_allclose(run.final.q, [0.0, upright], rtol=0, atol=2e-3)
    free = cc.simulate(robot, Constant(0.0, "voltage"), q=[0.0, upright + 0.1], duration=3.0)
    assert np.abs(free.q[:, 1] - upright).max() > 1.0


def test_near_the_equilibrium_the_loop_moves_as_its_linear_model_says(furuta):
    """A micro-radian off: 0.5 s of the simulated loop against (F − GK)ᵏ."""
    law = regulator(furuta, q=[0.0, 0.0], inputs="voltage", interval=1e-2)
    linear = cc.linearise(furuta, q=[0.0, 0.0], inputs="voltage")
    block = np.zeros((5, 5))
    block[:4, :4], block[:4, 4:] = linear.A, linear.B
    whole = exponential(block, 1e-2)
    closed = whole[:4, :4] - whole[:4, 4:] @ law.K
    begin = np.array([1e-6, 1e-6, 0.0, 0.0])
    run = cc.simulate(furuta, law, q=begin[:2], duration=0.5, interval=1e-2)
    want = np.array([np.linalg.matrix_power(closed, k) @ begin for k in range(51)])
    got = np.concatenate([run.q, run.q_dot], axis=-1)[::10]
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-11)  # second order in 1e-6


def test_a_closed_chain_with_weight_is_regulated_about_a_held_pose(fourbar):
    """A crank at 1 rad: the law holds the effort that carries the bars, and comes back from 0.3 rad off."""
    law = regulator(fourbar, q=[1.0], state_cost=[100.0, 1.0], assembly="+", interval=1e-3)
    at = cc.state(fourbar, q=[1.0], assembly="+")
    np.testing.assert_allclose(law.u_0, cc.inverse_dynamics(fourbar, at, [0.0]), rtol=1e-10)
    assert abs(law.u_0[0]) > 0.01
    run = cc.simulate(fourbar, law, q=[1.3], assembly="+", duration=4.0)
    np.testing.assert_allclose(run.final.q, [1.0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.command[-1], law.u_0, rtol=0, atol=1e-4)


def test_a_two_drive_chain_is_regulated_at_a_place_of_its_tip(biglide):
    """The biglide at (0.05, 0.4): both feet come back, and K is 2 × 4."""
    law = regulator(biglide, x=[0.05, 0.4], working="++", state_cost=[100.0, 100.0, 1.0, 1.0])
    assert law.K.shape == (2, 4)
    run = cc.simulate(biglide, law, x=[0.04, 0.42], working="++", duration=12.0)
    np.testing.assert_allclose(run.final.x, [0.05, 0.4], rtol=0, atol=1e-6)


def test_what_cannot_be_regulated_is_told(furuta, biglide):
    """Not an equilibrium, not enough control, costs of the wrong size."""
    with pytest.raises(NoSolution, match="not an equilibrium"):
        regulator(furuta, q=[0.0, 1.0])
    with pytest.raises(NoSolution, match="no LQR gain"):
        regulator(cc.load("furuta", L_1=1e-12), q=[0.0, 0.0])  # an arm of no length moves no pendulum
    with pytest.raises(BadInput, match="state_cost"):
        regulator(biglide, x=[0.0, 0.3], state_cost=[1.0, 2.0])
    with pytest.raises(BadInput, match="input_cost"):
        regulator(biglide, x=[0.0, 0.3], input_cost=[1.0, 2.0, 3.0])
