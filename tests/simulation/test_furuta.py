"""The Furuta pendulum falling and driven: seed 003's machine (TRUTH.md §2) and Cazzolato and Prime's (case P08)."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant
from closedchain.errors import BadInput

ACCURACY = (
    1e-11  # 40 times what the reference states of itself (2e-13): rounding grows e^7.3 in each second of the fall
)
CASES = (
    "a_free_fall_upright_convention",
    "a_free_fall_hanging_convention",
    "b_step5V_hanging_convention",
    "b_step5V_upright_convention",
)


def run_of(truth, method):
    """The motion of one reference trajectory, its 41 rows as (q1, q1_dot, q2, q2_dot)."""
    robot = cc.load("furuta" if truth["gravity_sign"] < 0 else "furuta:hanging")
    q1, w1, q2, w2 = truth["x0"]
    run = cc.simulate(
        robot,
        Constant(truth["v"], output="voltage"),
        duration=2.0,
        interval=0.05,
        q=[q1, q2],
        q_dot=[w1, w2],
        method=method,
    )
    every = (len(run.t) - 1) // 40
    rows = np.stack([run.q[:, 0], run.q_dot[:, 0], run.q[:, 1], run.q_dot[:, 1]], axis=-1)[::every]
    np.testing.assert_allclose(run.t[::every], truth["t"], rtol=0, atol=1e-14)
    return run, rows


@pytest.mark.parametrize("method", ["rk6", "dop853"])
@pytest.mark.parametrize("case", CASES)
def test_two_seconds_of_the_seeds_pendulum(data, case, method):
    """41 instants of all four states, in both conventions: (a) from 0.01 rad, motor shorted; (b) 5 V from hanging."""
    truth = data("truth_furuta")["trajectories"][case]
    run, rows = run_of(truth, method)
    np.testing.assert_allclose(rows, truth["x"], rtol=0, atol=ACCURACY)
    assert np.abs(run.balance).max() < 2e-13  # 7 times the reference's own balance of 3.5e-14 J


def test_both_conventions_are_the_same_machine(data):
    """q2_up = π − q2_down with opposite rates, motion by motion."""
    known = data("truth_furuta")["trajectories"]
    _, up = run_of(known["b_step5V_upright_convention"], "rk6")
    _, down = run_of(known["b_step5V_hanging_convention"], "rk6")
    np.testing.assert_allclose(up[:, 2], np.pi - down[:, 2], rtol=0, atol=1e-11)
    np.testing.assert_allclose(up[:, [0, 1, 3]], down[:, [0, 1, 3]] * [1, 1, -1], rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", ["rk4", "rk6", "gauss4", "dop853"])
def test_four_seconds_of_a_torque_step(data, method):
    """P08: 0.2 N m from rest turns the arm six times; every 0.1 s (order 4 at 1 ms leaves 3e-8) and at the end."""
    known = data("furuta_torque_step")
    robot = cc.load("furuta:cazzolato-prime")
    run = cc.simulate(robot, Constant(0.2), duration=4.0, interval=0.1, q=[0.0, 0.0], method=method)
    every = (len(run.t) - 1) // 40
    rows = np.column_stack([run.t, run.q, run.q_dot])[::every]
    np.testing.assert_allclose(rows, known["rows"], rtol=0, atol=1e-11 if method in ("rk6", "dop853") else 1e-7)
    np.testing.assert_allclose([*run.final.q, *run.final.q_dot], known["x(4)"], rtol=0, atol=1e-6)  # the case's own


def test_a_voltage_is_a_torque_less_the_back_emf(furuta):
    """5 V with the arm at 3 rad/s: tau = kr kt (u − kr kv q̇1)/Ra, and the run feels exactly that."""
    v = furuta.values
    gain, back = v["k_r"] * v["k_t"] / v["R_a"], v["k_r"] ** 2 * v["k_t"] * v["k_v"] / v["R_a"]
    begin = cc.state(furuta, q=[0.0, 3.0], q_dot=[3.0, 0.0])
    run = cc.simulate(furuta, Constant(5.0, output="voltage"), duration=1e-6, interval=1e-6, step=1e-7, start=begin)
    tau = gain * 5.0 - back * 3.0
    got = (run.q_dot[-1] - run.q_dot[0]) / 1e-6
    np.testing.assert_allclose(got, cc.forward_dynamics(furuta, begin, [tau]).q_ddot, rtol=1e-4)


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_a_voltage_on_a_machine_without_a_motor_is_refused(method):
    """Cazzolato and Prime give no motor: 3 V would leave it at rest, which looks like an answer."""
    with pytest.raises(BadInput, match="no motor is known"):
        cc.simulate(cc.load("furuta:cazzolato-prime"), Constant(3.0, "voltage"), q=[0, 0], duration=0.1, method=method)
