"""Efforts of more drives than freedoms: shared with the least square, by weights, and the internal ones."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput, NoSolution

WANTED = {"x": 1.5, "y": -0.7, "phi": 4.0}


@pytest.fixture(scope="module")
def plate():
    """The 4-RRR in motion, off its symmetric middle."""
    robot = cc.load("rrr4")
    z = cc.assemble(robot, {"x": 0.03, "y": -0.02, "phi": 0.2}, held=("x", "y", "phi")).unwrap()
    return robot, cc.state(robot, q=z[:4], x=z[4:], x_dot={"x": 0.3, "y": 0.2, "phi": -0.5})


def test_shared_efforts_make_the_motion_that_was_asked_for(plate):
    """By forward dynamics, which knows nothing of it; with any internal effort added it is the same motion."""
    robot, state = plate
    shared = cc.shared_efforts(robot, state, WANTED)
    assert shared.internal.shape == (1, 4)
    for strain in (0.0, 7.0):
        made = cc.forward_dynamics(robot, state, shared.tau + strain * shared.internal[0])
        np.testing.assert_allclose(made.x_ddot, list(WANTED.values()), atol=1e-11)


def test_an_internal_effort_changes_the_forces_in_the_bars(plate):
    """What moves nothing is carried by the closures: Sᵀ τ + Φᵀ λ = 0."""
    robot, state = plate
    shared = cc.shared_efforts(robot, state, WANTED)
    relaxed, strained = (cc.forward_dynamics(robot, state, shared.tau + s * shared.internal[0]) for s in (0.0, 1.0))
    assert np.abs(strained.lam - relaxed.lam).max() > 0.1


def test_no_other_efforts_of_that_motion_have_a_smaller_sum_of_squares(plate):
    """The least one is square to the internal one, in the weights."""
    robot, state = plate
    plain = cc.shared_efforts(robot, state, WANTED)
    assert plain.tau @ plain.internal[0] == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(plain.internal[0]) == pytest.approx(1.0, abs=1e-14)
    weights = np.array([1.0, 1e4, 1.0, 1.0])
    spared = cc.shared_efforts(robot, state, WANTED, weights=weights)
    assert (weights * spared.tau) @ spared.internal[0] == pytest.approx(0.0, abs=1e-9)
    assert abs(spared.tau[1]) < 1e-2 * abs(plain.tau[1])
    made = cc.forward_dynamics(robot, state, spared.tau)
    np.testing.assert_allclose(made.x_ddot, list(WANTED.values()), atol=1e-11)


def test_the_power_of_shared_efforts_is_the_rate_of_energy(plate):
    """No spring, no weight, no friction: what drives put in becomes kinetic energy, to 1e-11, straining or not."""
    robot, state = plate
    shared = cc.shared_efforts(robot, state, WANTED)
    for strain in (0.0, 5.0):
        tau = shared.tau + strain * shared.internal[0]
        made = cc.forward_dynamics(robot, state, tau)
        z_ddot = np.concatenate([made.q_ddot, made.x_ddot])
        given = {"q": state.q, "x": state.x, "q_dot": state.q_dot, "x_dot": state.x_dot}
        rate = robot.call("power", **given, z_ddot=z_ddot)["energy_rate"]
        assert tau @ state.q_dot == pytest.approx(float(rate), rel=1e-11)


def test_in_the_middle_the_cranks_strain_alike():
    """A quarter turn about the middle leaves the robot as it is, and so its efforts: each has half of a square of 1."""
    robot = cc.load("rrr4")
    state = cc.state(robot)
    np.testing.assert_allclose(state.q, state.q[0], atol=1e-13)
    told = cc.analyse(robot, state)
    assert "internal, moves nothing: theta1" in str(told)
    np.testing.assert_allclose(np.abs(told.internal), [[0.5] * 4], atol=1e-12)


def test_what_does_not_decide_the_motion_is_refused(plate):
    """Too few accelerations, unknown ones, those that no motion has, and drives that are too few."""
    robot, state = plate
    with pytest.raises(BadInput, match="2 accelerations are named, and 3 freedoms"):
        cc.shared_efforts(robot, state, {"x": 1.0, "y": 0.0})
    with pytest.raises(BadInput, match="no coordinate 'z'; there are theta1"):
        cc.shared_efforts(robot, state, {"z": 1.0})
    with pytest.raises(NoSolution, match="no motion that keeps the loops closed"):
        cc.shared_efforts(robot, state, WANTED | {"theta1": 1e3})
    with pytest.raises(BadInput, match="weights of efforts must be positive"):
        cc.shared_efforts(robot, state, WANTED, weights=[1.0, 0.0, 1.0, 1.0])
    cart = cc.load("cartpole")
    with pytest.raises(NoSolution, match="fewer than its freedoms"):
        cc.shared_efforts(cart, cc.state(cart), {"s": 1.0, "y": 3.0})
