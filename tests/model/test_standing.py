"""A linkage's state: closed loops, and velocities that keep them closed."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput, NoSolution
from closedchain.model.standing import BreaksClosures, completed, projected


@pytest.fixture(scope="module")
def chain():
    """Two windows."""
    return cc.load("nfourbar:2")


def test_one_rate_by_name_sets_the_whole_chain_in_motion(chain):
    """Uprights vertical: every top joint moves sideways like the first."""
    state = cc.state(chain, x_dot={"x": 1.0})
    np.testing.assert_allclose(state.x_dot, [1, 0, 1, 0, 1, 0], atol=1e-14)


def test_couplers_at_rest_on_turning_uprights_are_refused_with_how_much(chain):
    """P14: outer joints move at 1 m/s, the middle one stands. Momentum shared by mass: M of the three joints is
    2/3, 1 and 2/3 kg on the diagonal and 1/6 between neighbours, so that v = (2/3 + 1/6 + 1/6 + 2/3) / 3 of 1 m/s."""
    with pytest.raises(BreaksClosures, match="open closure B0-B1 at 1 m/s") as caught:
        cc.state(chain, x_dot=[1, 0, 0, 0, 1, 0])
    v = (2 / 3 + 1 / 6 + 1 / 6 + 2 / 3) / 3
    np.testing.assert_allclose(caught.value.nearest, [v, 0, v, 0, v, 0], atol=1e-14)
    assert caught.value.change == pytest.approx(v)


def test_a_run_refuses_such_a_start_too(chain):
    """Also when it is handed over as a state."""
    rest = cc.state(chain)
    bad = type(rest)(rest.q, rest.x, rest.q_dot, np.array([1.0, 0, 0, 0, 1, 0]))
    with pytest.raises(BreaksClosures):
        cc.simulate(chain, start=bad, duration=0.1)


def test_rates_that_no_motion_has_are_refused(chain):
    """A top joint above its foot cannot rise."""
    with pytest.raises(NoSolution, match="x = 1, y = 1; give fewer"):
        cc.state(chain, x_dot={"x": 1.0, "y": 1.0})
    with pytest.raises(BadInput, match="no rate of 'up'"):
        cc.state(chain, x_dot={"up": 1.0})


def test_an_open_loop_is_no_state(chain):
    """The gap is told."""
    with pytest.raises(NoSolution, match="A2-B2 by 100 mm"):
        cc.state(chain, x=[0, 1, 1, 1, 2, 1.1])


def test_free_rates_take_the_least_energy():
    """A cart pushed under a level pole: the mass follows along the pole, and nothing turns it."""
    cart = cc.load("cartpole")
    state = cc.state(cart, q=[0.0], q_dot=[2.0])
    np.testing.assert_allclose(state.x_dot, [2.0, 0.0], atol=1e-14)
    z = np.concatenate([state.q, state.x])
    np.testing.assert_allclose(completed(cart, z, {"y": 1.0}), [0.0, 0.0, 1.0], atol=1e-14)


def test_projection_leaves_what_is_right(chain):
    """Velocities that already keep the loops closed are their own nearest ones."""
    state = cc.state(chain, x=[0.6, 0.8, 1.6, 0.8, 2.6, 0.8], x_dot={"x": 0.8})
    np.testing.assert_allclose(projected(chain, state.z, state.z_dot), state.z_dot, atol=1e-14)


def test_x_alone_does_not_tell_a_drive():
    """The cart is one of two places under the mass."""
    with pytest.raises(BadInput, match="does not tell its drives"):
        cc.state(cc.load("cartpole"), x=[1.0, 0.0])


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: cc.direct(m, [0.0]),
        lambda m: cc.inverse(m, [1.0, 0.0]),
        lambda m: cc.evaluate(m, q=[0.0]),
        lambda m: cc.inverse_dynamics(m, cc.state(m), [0.0]),
        lambda m: cc.linearise(m, q=[0.0]),
    ],
)
def test_what_needs_determined_drives_says_so(ask):
    """One clear error, not a missing kernel."""
    with pytest.raises(cc.ClosedChainError, match="is a linkage"):
        ask(cc.load("cartpole"))
