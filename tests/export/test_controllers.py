"""Exported controllers: C compiled by the system, and an FMU run by another tool, command what the loop commanded."""

import ctypes

import fmpy
import numpy as np
import pytest
from fmpy import validation

import closedchain as cc
from closedchain.control import PID, ComputedTorque, Law, regulator
from closedchain.errors import BadInput
from closedchain.export.c99_controller import c99_controller
from closedchain.export.controllers import controller
from closedchain.export.fmu import find_compiler, platform_name
from closedchain.export.fmu_controller import fmu_controller
from closedchain.simulation.plant import Plant

INTERVAL, LIMIT = 1e-2, 0.4
needs_compiler = pytest.mark.skipif(not (find_compiler() and platform_name()), reason="no C compiler here")


class Counting(Law):
    """A law of one's own: its third command is 0.3."""

    def memory(self, model):
        return {"count": 0.0}

    def law(self, measured, reference, gains):
        count = measured.memory.count + 1.0
        return 0.1 * count - 0.0 * measured.q, {"count": count}


@pytest.fixture(scope="module")
def line():
    """Half of seed 000's."""
    return cc.quintic([0.0, 0.3], [0.1, 0.5], duration=0.5)


LAWS = {
    "pid": lambda line: PID(line, (900.0, 700.0), 300.0, 50.0, filter=5e-3),
    "computed torque": ComputedTorque,
    "one's own": lambda line: Counting(),
}


def replayed(robot, law):
    """A run under the law, with what it was told at each instant: states, and the samples of its reference."""
    start = cc.state(robot, x=[0.0, 0.3])
    plant = Plant(values={"m_p": 3.3}, saturation=LIMIT)
    run = cc.simulate(robot, law, start=start, duration=0.4, interval=INTERVAL, step=1e-3, plant=plant)
    assert run.finished
    samples = law.samples(robot, np.arange(40) * INTERVAL, INTERVAL)
    return start, run.q[:-1:10], run.q_dot[:-1:10], samples, run.command[:-1:10]


@pytest.mark.parametrize("which", LAWS)
def test_a_controller_in_c_commands_what_the_loop_did(which, line, compile_c, tmp_path):
    """Told the same states: to rounding, of poses found from the last one instead of from the plant's."""
    robot, law = cc.load("biglide"), LAWS[which](line)
    start, q, q_dot, ref, wanted = replayed(robot, law)
    made = c99_controller(controller(robot, law, start))
    library = compile_c(made.source, tmp_path)
    size = sum(len(v) for v in controller(robot, law, start).start.values())
    state = np.array((ctypes.c_double * size).in_dll(library, f"{made.name}_start"))
    given = [np.ascontiguousarray(v) for v in (law.gains, np.full(2, LIMIT), robot.p)]
    found = []
    for row in zip(q, q_dot, ref, strict=True):
        arrays = [np.ascontiguousarray(v) for v in (*row, given[0]) if len(v)]
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (state, *arrays)]
        pointers += [ctypes.c_double(INTERVAL), *(a.ctypes.data_as(ctypes.c_void_p) for a in given[1:])]
        getattr(library, f"{made.name}_command")(*pointers)
        found.append(state[2:4].copy())
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * max(1.0, np.abs(law.gains).max(initial=0.0)))


@needs_compiler
@pytest.mark.parametrize("which", LAWS)
def test_a_controller_as_an_fmu_commands_what_the_loop_did(which, line, tmp_path):
    """fmpy's validator has nothing to say, and its master gives the inputs at each instant."""
    robot, law = cc.load("biglide"), LAWS[which](line)
    start, q, q_dot, ref, wanted = replayed(robot, law)
    exported = controller(robot, law, start)
    file = fmu_controller(exported, tmp_path / "law.fmu", interval=INTERVAL)
    assert validation.validate_fmu(str(file.path)) == []
    names = ["q1", "q2", "q1_dot", "q2_dot", *(f"ref_{name}" for name in exported.names["ref"])]
    rows = [(k * INTERVAL, *np.concatenate(row)) for k, row in enumerate(zip(q, q_dot, ref, strict=True))]
    signals = np.array(rows, dtype=[("time", float), *((name, float) for name in names)])
    made = fmpy.simulate_fmu(
        str(file.path),
        start_values={"limit_q1": LIMIT, "limit_q2": LIMIT},
        input=signals,
        output=["tau_q1", "tau_q2"],
        step_size=INTERVAL,
        output_interval=INTERVAL,
        stop_time=39 * INTERVAL,
        set_input_derivatives=False,
    )
    found = np.stack([made["tau_q1"], made["tau_q2"]], -1)[1:]  # after each step the command of its beginning
    tolerance = 1e-11 * max(1.0, np.abs(law.gains).max(initial=0.0))
    np.testing.assert_allclose(found, wanted[: len(found)], rtol=0, atol=tolerance)
    assert len(found) == 39


def test_what_is_no_law_is_refused(line, tmp_path):
    """Functions, linkages, names and intervals."""
    robot = cc.load("biglide")
    start = cc.state(robot, x=[0.0, 0.3])
    with pytest.raises(BadInput, match="Python functions, are not"):
        controller(robot, lambda t, state: [0.0, 0.0], start)
    law = controller(robot, ComputedTorque(line), start)
    with pytest.raises(BadInput, match=r"ends in \.fmu"):
        fmu_controller(law, tmp_path / "law.zip", interval=INTERVAL)
    with pytest.raises(BadInput, match="must be positive"):
        fmu_controller(law, tmp_path / "law.fmu", interval=0.0)


def test_a_regulator_of_voltages_exports_without_a_pose_and_without_memory(compile_c, tmp_path):
    """The furuta has no output; u = −K (q, q̇) by hand, within the limit."""
    robot = cc.load("furuta")
    law = regulator(robot, q=[0.0, 0.0], interval=INTERVAL, inputs="voltage")
    made = c99_controller(controller(robot, law, cc.state(robot, q=[0.0, 0.0])))
    library = compile_c(made.source, tmp_path)
    state, q, q_dot = np.zeros(1), np.array([0.1, 0.01]), np.array([0.2, -0.1])
    given = [np.zeros(1), law.gains, np.array([100.0]), robot.p]
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (state, q, q_dot, *given[:2])]
    getattr(library, f"{made.name}_command")(
        *pointers, ctypes.c_double(INTERVAL), *(a.ctypes.data_as(ctypes.c_void_p) for a in given[2:])
    )
    np.testing.assert_allclose(state, -law.K @ np.concatenate([q, q_dot]), rtol=1e-12)
