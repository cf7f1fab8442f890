"""The loop in Python against the compiled one: user functions, laws on numbers, DOP853."""

from functools import partial

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import PD, ComputedTorque, Constant, OutputComputedTorque
from closedchain.errors import BadInput
from closedchain.simulation.plant import Plant
from closedchain.simulation.rollouts import rollouts

AT = {"interval": 5e-3, "duration": 0.5}


def test_a_python_function_is_the_compiled_law_to_rounding(biglide, line):
    """Eq 53 written by a user with `evaluate`, and the built-in law."""
    law = ComputedTorque(line)
    table = law.samples(biglide, np.arange(101) * 5e-3, 5e-3)

    def by_hand(t, state):
        q, q_dot, q_ddot = np.split(table[round(t / 5e-3)], 3)
        now = cc.evaluate(biglide, q=state.q, q_dot=state.q_dot, assembly="+")
        return now.M @ (q_ddot + 100 * (q_dot - state.q_dot) + 100 * (q - state.q)) + now.c

    compiled = cc.simulate(biglide, law, **AT)
    function = cc.simulate(biglide, by_hand, x=[0.0, 0.3], **AT)
    assert function.title == "by_hand"
    np.testing.assert_allclose(function.t, compiled.t[::5], rtol=0, atol=1e-14)
    np.testing.assert_allclose(function.x, compiled.x[::5], rtol=0, atol=1e-14)
    np.testing.assert_allclose(function.command, compiled.command[::5], rtol=0, atol=1e-11)
    np.testing.assert_allclose(function.work, compiled.work[::5], rtol=0, atol=1e-14)


@pytest.mark.parametrize("make", [ComputedTorque, OutputComputedTorque, PD])
def test_dop853_meets_rk4_with_tiny_steps(biglide, line, make):
    """The law on numbers and an adaptive method of order 8, against the compiled law and 40 steps an interval."""
    exact = cc.simulate(biglide, make(line), method="dop853", **AT)
    tiny = cc.simulate(biglide, make(line), step=1.25e-4, **AT)
    np.testing.assert_allclose(exact.x, tiny.x[::40], rtol=0, atol=1e-13)
    np.testing.assert_allclose(exact.q_dot, tiny.q_dot[::40], rtol=0, atol=1e-12)
    assert exact.closure.max() < 1e-15
    assert np.abs(exact.balance).max() < 1e-14


def test_voltages_work_stepwise_too(furuta):
    """5 V by a function with output = "voltage" is 5 V by a constant."""

    def volts(t, state):
        return [5.0]

    volts.output = "voltage"
    start = {"q": [0.0, 3.0], "duration": 0.5, "interval": 0.01}
    np.testing.assert_allclose(
        cc.simulate(furuta, volts, **start).q,
        cc.simulate(furuta, Constant(5.0, "voltage"), **start).q[::10],
        rtol=0,
        atol=1e-13,
    )


def test_where_there_is_a_motor_a_function_says_what_it_commands(furuta):
    """5 is 5 V with command="voltage", 5 N m with "effort", and refused with both ways shown where nothing is said."""
    start = {"q": [0.0, 3.0], "duration": 0.05, "interval": 0.01}
    for command, output in (("voltage", "voltage"), ("effort", "tau")):
        run = cc.simulate(furuta, lambda t, state: [5.0], command=command, **start)
        assert run.output == output
        same = cc.simulate(furuta, Constant(5.0), command=command, **start)
        np.testing.assert_array_equal(same.q, cc.simulate(furuta, Constant(5.0, output), **start).q)
        np.testing.assert_allclose(run.q, same.q[::10], rtol=0, atol=1e-13)
    for unsaid in (lambda t, state: [5.0], Constant(5.0)):
        with pytest.raises(BadInput, match=r'command="voltage" \[V\], or command="effort"'):
            cc.simulate(furuta, unsaid, **start)
    with pytest.raises(BadInput, match=r'command="voltage"'):
        rollouts(furuta, Constant(5.0), **start)


def test_without_a_motor_a_function_commands_efforts(biglide):
    """Nothing else is possible but velocities, which must be said."""
    at = {"x": [0.0, 0.3], "duration": 0.05}
    assert cc.simulate(biglide, lambda t, state: [0.0, 0.0], **at).output == "tau"
    glides = cc.simulate(biglide, lambda t, state: [0.1, 0.1], command="velocity", **at)
    np.testing.assert_allclose(glides.q[-1] - glides.q[0], 0.1 * 0.05, rtol=1e-12)
    with pytest.raises(BadInput, match="has no motor"):
        cc.simulate(biglide, lambda t, state: [0.0, 0.0], command="voltage", **at)
    with pytest.raises(BadInput, match="there are effort, voltage, velocity"):
        cc.simulate(biglide, lambda t, state: [0.0, 0.0], command="tension", **at)
    with pytest.raises(BadInput, match="leave one out"):
        cc.simulate(biglide, Constant(0.0, "tau"), command="velocity", **at)


class Push:
    """A callable object."""

    def __call__(self, t, state):
        return [0.1, 0.0]


@pytest.mark.parametrize(
    ("controller", "title"), [(Push(), "Push"), (partial(lambda to, t, state: to, [0.0, 0.0]), "<lambda>")]
)
def test_a_run_is_called_after_the_object_that_was_called(biglide, controller, title):
    """Not "moves by itself": that is a linkage without any controller."""
    assert cc.simulate(biglide, controller, x=[0.0, 0.3], duration=0.01).title == title


def test_a_functions_memory_begins_anew_with_every_run(biglide):
    """A count of its calls: 0, 1, 2, … in each of two runs and in all those that a tolerance asks for."""

    def count(t, state, memory):
        return [1e-3 * memory["calls"][0], 0.0], {"calls": memory["calls"] + 1}

    at = {"x": [0.0, 0.3], "duration": 0.05, "interval": 0.01, "memory": {"calls": 0.0}}
    for more in ({}, {}, {"tolerance": 1e-6}):
        run = cc.simulate(biglide, count, **at, **more)
        np.testing.assert_allclose(run.command[:-1, 0], 1e-3 * np.arange(5))
    with pytest.raises(BadInput, match=r'return u, {"calls": …}'):
        cc.simulate(biglide, lambda t, state, memory: [0.0, 0.0], **at)
    with pytest.raises(BadInput, match="the law keeps callers; declared are calls"):
        cc.simulate(biglide, lambda t, state, memory: ([0.0, 0.0], {"callers": 1.0}), **at)


def test_a_function_may_remember(fourbar):
    """A controller with an integral of its own: the crank comes to rest at 1 rad against gravity, without error."""
    total = [0.0]

    def pid(t, state):
        error = 1.0 - state.q[0]
        total[0] += error * 1e-3
        return [8.0 * error - 0.6 * state.q_dot[0] + 20.0 * total[0]]

    run = cc.simulate(fourbar, pid, q=[0.6], duration=4.0, interval=1e-3)
    assert abs(run.q[-1, 0] - 1.0) < 1e-4
    assert abs(run.command[-1, 0]) > 0.05  # it holds something up


def test_a_bad_answer_of_a_function_is_told(biglide):
    """Wrong size, not a number, an exception of the user's own."""
    at = {"x": [0.0, 0.3], "duration": 0.1}
    with pytest.raises(BadInput, match="controller's answer"):
        cc.simulate(biglide, lambda t, state: [1.0], **at)
    with pytest.raises(BadInput, match="controller's answer"):
        cc.simulate(biglide, lambda t, state: [1.0, np.nan], **at)
    with pytest.raises(ZeroDivisionError):
        cc.simulate(biglide, lambda t, state: [1 / 0, 0.0], **at)


def test_the_kinematic_plant_needs_no_dop853(biglide, line):
    """It says so."""
    with pytest.raises(BadInput, match="kinematic plant"):
        cc.simulate(biglide, cc.KinematicControl(line), method="dop853")


def test_a_saturated_function_is_saturated(biglide):
    """The history shows what was applied, and the plant felt it."""
    run = cc.simulate(biglide, lambda t, state: [9.0, -9.0], x=[0.0, 0.3], duration=0.05, plant=Plant(saturation=2.0))
    np.testing.assert_array_equal(run.command, np.broadcast_to([2.0, -2.0], run.command.shape))
    same = cc.simulate(biglide, Constant((2.0, -2.0)), x=[0.0, 0.3], duration=0.05)
    np.testing.assert_allclose(run.x, same.x, rtol=0, atol=1e-14)


def test_a_motion_that_runs_away_between_commands_ends_the_run(biglide):
    """A push that carries the tip a thousand times its own size away: the run ends there, it does not stand still."""
    run = cc.simulate(biglide, lambda t, state: [1e6, 1e6], x=[0.0, 0.3], duration=10.0, interval=0.5)
    assert not run.finished
    assert "without bound" in run.ended
    assert run.t[-1] < 2.0
