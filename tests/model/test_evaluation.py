"""All models at a state, however the state is given."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput, NoSolution, Singular
from closedchain.model.sampling import sample

GIVEN = {"q": [0.1, 0.02], "q_dot": [0.3, -0.2], "q_ddot": [1.0, -0.5]}


def assert_same(a, b, rtol=1e-12):
    """Every quantity of two evaluations agrees."""
    assert a.items().keys() == b.items().keys()
    for name, value in a.items().items():
        other = getattr(b, name)
        if isinstance(value, str):
            assert value == other, name
        else:
            size = np.abs(value).max(initial=0.0)
            np.testing.assert_allclose(value, other, rtol=rtol, atol=rtol * size + 1e-15, err_msg=name)


def test_given_by_the_output_or_by_the_drives(biglide):
    """The same state from x, ẋ, ẍ and its working mode as from q, q̇, q̈ and its assembly mode."""
    a = cc.evaluate(biglide, **GIVEN, assembly="+")
    b = cc.evaluate(biglide, x=a.x, x_dot=a.x_dot, x_ddot=a.x_ddot, working=a.working)
    assert a.working == "++"
    assert_same(a, b)


def test_given_by_efforts_or_by_accelerations(biglide):
    """τ → q̈ by forward dynamics in z, then every model; against q̈ → τ by the reduced form."""
    a = cc.evaluate(biglide, **GIVEN)
    b = cc.evaluate(biglide, q=GIVEN["q"], q_dot=GIVEN["q_dot"], tau=a.tau)
    assert_same(a, b)


def test_the_pendulum_is_given_by_the_driven_acceleration_alone(furuta):
    """q̈1 alone: q̈2 follows, as in inverse dynamics; both given must fit."""
    a = cc.evaluate(furuta, q=[0.1, 0.2], q_dot=[1.0, 2.0], q_ddot=[1.5])
    b = cc.evaluate(furuta, q=[0.1, 0.2], q_dot=[1.0, 2.0], tau=a.tau)
    assert_same(a, b)
    with pytest.raises(NoSolution, match="nothing drives q2"):
        cc.evaluate(furuta, q=[0.1, 0.2], q_dot=[1.0, 2.0], q_ddot=[1.5, 0.0])


@pytest.mark.parametrize("name", ["biglide", "triplate", "delta", "fourbar"])
def test_a_batch_is_its_elements(name):
    """(3, 4) states: the same bits as one by one, modes as arrays of names."""
    robot = cc.load(name)
    s = sample(robot, 12, seed=21)
    q, x, q_dot = (v.reshape(3, 4, -1) for v in (s.q, s.x, s.q_dot))
    batch = cc.evaluate(robot, q=q, x=x, q_dot=q_dot)
    assert batch.M.shape == (3, 4, robot.nq, robot.nq)
    for i, j in np.ndindex(3, 4):
        one = cc.evaluate(robot, q=q[i, j], x=x[i, j], q_dot=q_dot[i, j])
        for key, value in one.items().items():
            if key != "robot":
                np.testing.assert_array_equal(getattr(batch, key)[i, j], value, err_msg=key)


def test_one_configuration_and_many_velocities_broadcast(biglide):
    """q of shape (2,), q̇ of shape (5, 2): every answer has the batch's shape."""
    q_dot = np.linspace(-1, 1, 10).reshape(5, 2)
    made = cc.evaluate(biglide, q=[0.1, 0.02], q_dot=q_dot)
    assert made.q.shape == made.x.shape == made.tau.shape == (5, 2)
    assert made.working.shape == (5,)
    for i in range(5):
        np.testing.assert_array_equal(made.c[i], cc.evaluate(biglide, q=[0.1, 0.02], q_dot=q_dot[i]).c)


def test_at_rest_unless_told_otherwise(biglide):
    """No rates, no accelerations: nothing moves and no effort is needed."""
    made = cc.evaluate(biglide, q=[0.1, 0.02])
    assert not made.x_dot.any()
    assert not made.tau.any()
    assert made.kinetic == 0.0


def test_the_modes_are_named_as_asked_or_as_found(biglide, rrr3, cases):
    """Sign of det A; where several poses share it, the full name that was asked for stays."""
    assert cc.evaluate(biglide, q=[0.1, 0.02], assembly="-").assembly == "-"
    assert cc.evaluate(biglide, x=[0.03, 0.25], working="-+").working == "-+"
    made = cc.evaluate(rrr3, q=cases["P03"]["input"]["fk_theta"], assembly="-")
    np.testing.assert_allclose(made.x, [1.1652579447952, 1.4706077818244, -1.3693170391919], atol=1e-9)


@pytest.mark.parametrize(
    "given, told",
    [
        ({"q": [0.1, 0.02], "q_ddot": [1, 1], "tau": [1, 1]}, "both given"),
        ({}, "needs q or x"),
        ({"q": [0.1]}, "last axis must have 2"),
        ({"q": [0.1, 0.02], "q_dot": [np.nan, 0]}, "finite"),
    ],
)
def test_bad_requests_are_refused(biglide, given, told):
    """One clear error each."""
    with pytest.raises(BadInput, match=told):
        cc.evaluate(biglide, **given)


def test_the_pendulum_has_no_output(furuta):
    """x is not a coordinate of it."""
    with pytest.raises(BadInput, match="no output x"):
        cc.evaluate(furuta, q=[0.1, 0.2], x=[0.1])


def test_singular_and_absent_states_are_errors(biglide):
    """Type 2 has no J; a mode that is not there is named."""
    reach = np.sqrt(4 * 0.3606**2 - 0.16)
    with pytest.raises(Singular, match="Type 2"):
        cc.evaluate(biglide, q=[reach / 2, -reach / 2])
    with pytest.raises(NoSolution, match="misses"):
        cc.evaluate(biglide, q=[0.7, 0.0])
    with pytest.raises(NoSolution, match="no solution of assembly mode"):
        cc.evaluate(biglide, q=[0.1, 0.02], assembly="+2")
