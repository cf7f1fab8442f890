"""The Kalman filter in front of a regulator: against its own definition, and in the loop."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import observe, regulator
from closedchain.errors import BadInput

INTERVAL, NOISE, DISTURBANCE = 0.01, 2e-3, 0.2


@pytest.fixture(scope="module")
def filtered():
    """The upright furuta's."""
    model = cc.load("furuta")
    law = regulator(model, q=[0, 0], state_cost=[10, 100, 1, 1], input_cost=0.1, interval=INTERVAL, inputs="voltage")
    return model, observe(model, law, interval=INTERVAL, noise_q=NOISE, disturbance=DISTURBANCE)


def test_the_covariance_is_the_limit_of_predictions_and_measurements(filtered):
    """P⁻ → measured → predicted, repeated, from another one."""
    _, one = filtered
    C, P = np.eye(2, 4), np.eye(4)
    for _ in range(3000):
        L = P @ C.T @ np.linalg.inv(C @ P @ C.T + NOISE**2 * np.eye(2))
        P = one.A @ (P - L @ C @ P) @ one.A.T + DISTURBANCE**2 * one.B @ one.B.T
    np.testing.assert_allclose(one.covariance, P, rtol=1e-8, atol=1e-12 * P.max())
    np.testing.assert_allclose(one.L, L, rtol=1e-8, atol=1e-10)


def test_errors_have_the_variance_that_it_believes(filtered):
    """A linear plant with that noise and that disturbance: 40 motions of 2000 samples, within 5 %."""
    _, one = filtered
    rng, n = np.random.default_rng(0), 40
    s, guess, errors = np.zeros((n, 4)), np.zeros((n, 4)), []
    for k in range(2000):
        errors += [s - guess] if k > 200 else []
        y = s[:, :2] + NOISE * rng.standard_normal((n, 2))
        now = guess + (y - guess[:, :2]) @ one.L.T
        u = -now @ one.regulator.K.T
        s = s @ one.A.T + (u + DISTURBANCE * rng.standard_normal((n, 1))) @ one.B.T
        guess = now @ one.A.T + u @ one.B.T
    seen = np.var(np.concatenate(errors), axis=0)
    np.testing.assert_allclose(seen, np.diag(one.covariance), rtol=0.05)


def test_the_loop_commands_what_the_recursion_does(filtered):
    """Exact sensors: from the run's own positions at its instants."""
    model, one = filtered
    run = cc.simulate(model, one, q=[0.0, 0.05], duration=0.3, interval=INTERVAL, step=INTERVAL)
    guess, commands = np.zeros(4), []
    for q in run.q[:-1]:
        now = guess + one.L @ (q - one.regulator.q_0 - guess[:2])
        u = -one.regulator.K @ now
        commands.append(u + one.regulator.u_0)
        guess = one.A @ now + one.B @ u
    np.testing.assert_allclose(run.command[: len(commands)], commands, atol=1e-9)
    assert abs(run.q[-1, 1]) < 0.05


def test_what_makes_no_sense_is_refused(filtered):
    """Another interval than it was made for; sensors without noise."""
    model, one = filtered
    with pytest.raises(BadInput, match=r"for an interval of 0\.01 s"):
        cc.simulate(model, one, q=[0.0, 0.05], duration=0.1, interval=0.02)
    with pytest.raises(BadInput, match="must be positive"):
        observe(model, one.regulator, interval=INTERVAL, noise_q=0.0, disturbance=1.0)
