"""Commands as functions of time."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import closedchain as cc
from closedchain.control import Scheduled
from closedchain.errors import BadInput
from closedchain.robots.furuta import seed_form


def by_scipy(model, start, voltage, duration, interval):
    """Seed 003's own matrices (eqs 1-8) under a voltage held for each interval, integrated by another program."""
    z = np.array([*start, 0.0, 0.0])
    for k in range(round(duration / interval)):
        held = voltage(k * interval)

        def rate(t, z, held=held):
            form = seed_form(model, z[:2], z[2:])
            rest = np.array([held, 0.0]) - form.C @ z[2:] - form.friction - form.gravity
            return np.concatenate([z[2:], np.linalg.solve(form.M, rest)])

        z = solve_ivp(rate, (0.0, interval), z, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return z


def test_a_voltage_by_formula_moves_the_furuta_as_the_seeds_matrices_say():
    """0.3 s of 5 sin(2π t) volts held for 10 ms: 1e-8 of rates near 6, what RK4 leaves at 1 ms."""
    model = cc.load("furuta:hanging")
    run = cc.simulate(model, Scheduled("5*sin(2*pi*t)", "voltage"), q=[0.0, 0.2], duration=0.3, interval=0.01)
    wanted = by_scipy(model, [0.0, 0.2], lambda t: 5 * np.sin(2 * np.pi * t), 0.3, 0.01)
    np.testing.assert_allclose(np.concatenate([run.q[-1], run.q_dot[-1]]), wanted, rtol=0, atol=1e-8)


def test_a_function_and_a_formula_give_the_same_run_to_the_bit():
    """One for each drive, or one for all; a formula may use the robot's parameters."""
    model = cc.load("biglide")
    options = {"q": [0.0, 0.0], "duration": 0.5, "interval": 0.01}
    one = cc.simulate(model, Scheduled(["m_p*t", "-3*t"]), **options)
    two = cc.simulate(model, Scheduled(lambda t: np.stack([3.0 * t, -3.0 * t], axis=-1)), **options)
    np.testing.assert_array_equal(one.q, two.q)
    both = cc.simulate(model, Scheduled("0.1*t"), **options)
    np.testing.assert_array_equal(both.command[:, 0], both.command[:, 1])


@pytest.mark.parametrize(
    ("robot", "command", "words"),
    [
        ("biglide", ["t", "t", "t"], r"2 drives"),
        ("biglide", "1/(t - 0.1)", "no finite value at t = 0.1 s"),
        ("biglide", lambda t: np.full(len(t), np.nan), "not a finite number"),
        ("pendulum", "t", "nothing drives it"),
    ],
)
def test_a_command_that_is_none_is_refused(robot, command, words):
    """With the reason, before anything moves."""
    model = cc.load(robot)
    start = {} if model.linkage else {"q": [0.0, 0.0]}
    with pytest.raises(BadInput, match=words):
        cc.simulate(model, Scheduled(command), duration=0.2, interval=0.01, **start)
    with pytest.raises(BadInput, match="output"):
        Scheduled("t", "current")


def test_with_a_motor_it_must_be_said_what_is_commanded():
    """5 could be volts or newton metres: refused with both ways, as for any other command."""
    with pytest.raises(BadInput, match='command="voltage"'):
        cc.simulate(cc.load("furuta"), Scheduled("5 + 0*t"), q=[0.0, 0.2], duration=0.1, interval=0.01)
