"""Sensors and loads of real machines: filtered velocities, late commands, payloads that change, measured pushes."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import scenarios
from closedchain.control import ComputedTorque, Constant
from closedchain.errors import BadInput
from closedchain.motion.tables import Table, write_table
from closedchain.scenarios.recording import recorded
from closedchain.simulation.plant import Plant
from closedchain.simulation.sensors import Sensors
from closedchain.simulation.simulate import clock

LINE = cc.quintic([0.0, 0.3], [0.1, 0.5], duration=0.5)
TOLD = {"interval": 5e-3, "step": 1e-3}


@pytest.fixture(scope="module")
def biglide():
    """Five kilograms in all."""
    return cc.load("biglide")


def test_a_low_pass_follows_a_steady_rate_as_its_time_constant_has_it(biglide):
    """Differences of a counted position, ramped: v̂ₖ = v (1 − (1 − a)ᵏ), a = Δ/(T + Δ), to the counter's step."""
    begin = cc.state(biglide, q=[0.0, 0.0])
    plant, v, T, step = Plant(quantum=1e-6, differences=True, filter=0.02), 0.5, 0.02, 5e-3
    sensors = Sensors(biglide, plant, begin, clock(1.0, step, None))
    told = []
    for k in range(1, 40):
        q = np.array([v * step * k, 0.0])
        told.append(sensors.see(k, cc.model.State(q, begin.x, np.zeros(2), begin.x_dot))[1][0])
    a = step / (T + step)
    np.testing.assert_allclose(told, v * (1 - (1 - a) ** np.arange(1, 40)), atol=1e-6 / step)


def test_a_compiled_loop_filters_as_one_in_python(biglide):
    """The same law, compiled and asked command by command: what sensors tell is the same, with a delay and without."""
    law = ComputedTorque(LINE, kp=100, kd=20)
    for delay in (0, 2):
        plant = Plant(differences=True, filter=0.01, delay=delay, noise_q=1e-6)
        runs = [cc.simulate(biglide, law, plant=plant, method=method, **TOLD) for method in ("rk6", "adaptive")]
        np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], atol=1e-9)
        assert runs[0].summary["max_error"] > 1e-3  # what the low pass costs


def test_late_commands_are_held_longer(biglide):
    """With a jitter of 4 ms in intervals of 5 ms commands change at other steps, each within its interval."""
    plant = Plant(jitter=4e-3, seed=3)
    run = cc.simulate(biglide, ComputedTorque(LINE, kp=100, kd=20), plant=plant, **TOLD)
    changed = np.flatnonzero(np.any(np.diff(run.command[:-1], axis=0) != 0.0, axis=1)) + 1
    late, period = changed % 5, changed // 5
    assert len(np.unique(period)) == len(period) == 99
    assert set(late) == {0, 1, 2, 3, 4}
    np.testing.assert_array_equal(late, plant.late(clock(0.5, 5e-3, 1e-3))[period])
    with pytest.raises(BadInput, match="jitter is for equal steps"):
        cc.simulate(biglide, Constant(0.0, "tau"), plant=plant, q=[0.0, 0.0], duration=0.1, method="adaptive", **TOLD)


def test_a_function_of_ones_own_is_as_late_and_as_loaded_as_a_compiled_law(biglide):
    """Late commands and a payload that changes, command by command in Python: the bits of the compiled loop."""
    plant = Plant(jitter=4e-3, seed=3, payload=((0.0, 0.0), (0.103, 2.0), (0.2, 0.5)))
    told = {"plant": plant, "q": [0.0, 0.1], "duration": 0.3, **TOLD}
    compiled = cc.simulate(biglide, cc.PD(LINE, kp=100, kd=20), **told)
    at = {round(t, 9): u for t, u in zip(compiled.t, compiled.command, strict=True)}
    late = plant.late(clock(0.3, 5e-3, 1e-3))

    def follow(t, state):
        k = round(t / 5e-3)
        return at[round(t + late[k] * 1e-3, 9)]

    own = cc.simulate(biglide, follow, command="effort", **told)
    rows = np.isin(np.round(compiled.t, 9), np.round(own.t, 9))
    np.testing.assert_array_equal(own.q, compiled.q[rows])
    np.testing.assert_allclose(own.work, compiled.work[rows], rtol=0, atol=1e-14)
    assert own.summary["energy_residual"] < 1e-9


def test_a_payload_comes_and_goes_with_its_energy(biglide):
    """No effort, no gravity: taken up at the tip's own speed it changes no velocity, and the account stays closed."""
    begin = cc.state(biglide, q=[0.0, 0.0], q_dot=[0.3, 0.3])
    plant = Plant(payload=((0.0, 0.0), (0.1, 2.0), (0.2, 0.5)))
    run = cc.simulate(biglide, Constant(0.0, "tau"), state=begin, duration=0.3, plant=plant, **TOLD)
    np.testing.assert_allclose(run.x_dot[:, 1], 0.3, atol=1e-14)  # translation of the whole
    mass = np.where(run.t < 0.1 - 1e-9, 5.0, np.where(run.t < 0.2 - 1e-9, 7.0, 5.5))
    np.testing.assert_allclose(run.energies[0], mass * 0.3**2 / 2, rtol=1e-13)
    np.testing.assert_allclose(run.work, run.energies[0] - run.energies[0][0], atol=1e-14)
    pushed = cc.simulate(biglide, Constant(1.0, "tau"), state=begin, duration=0.3, plant=plant, **TOLD)
    rates = np.diff(pushed.x_dot[:, 1]) / np.diff(pushed.t)
    np.testing.assert_allclose(rates, 2.0 / mass[:-1], rtol=1e-9)
    assert pushed.summary["energy_residual"] < 1e-12
    for wrong in (((0.1, 1.0),), ((0.0, 1.0), (0.0, 2.0)), (1.0, 2.0)):
        with pytest.raises(BadInput, match="payload"):
            Plant(payload=wrong)


def test_a_measured_push_is_read_from_a_file(biglide, tmp_path):
    """A triangle of 10 N over 0.2 s on the tip along y gives m v = ½ · 0.2 s · 10 N to the robot's 5 kg."""
    write_table(tmp_path / "push.csv", Table(("t", "fx", "fy"), [[0.05, 0, 0], [0.15, 0, 10], [0.25, 0, 0]]))
    push = recorded(tmp_path / "push.csv")
    told = {"q": [0.0, 0.0], "duration": 0.3, "interval": 0.01, "step": 0.01}
    run = cc.simulate(biglide, Constant(0.0, "tau"), forces={"C": push}, **told)
    np.testing.assert_allclose(run.x_dot[-1, 1], 1.0 / 5.0, rtol=1e-12)
    (tmp_path / "run.toml").write_text(
        'robot = "biglide"\ninterval = 0.01\nstep = 0.01\nduration = 0.3\nstart = { q = [0, 0] }\n'
        'controller = { kind = "formula", output = "tau", formula = [0, 0] }\nforces = { C = "push.csv" }\n'
        "plant = { jitter = 0, filter = 0 }\n"
    )
    np.testing.assert_array_equal(scenarios.run(tmp_path / "run.toml").final.x_dot, run.final.x_dot)


def test_what_a_plant_says_of_its_sensors_is_what_they_show(biglide):
    """Noise and counting together: the standard deviation of what is told, over 20,000 readings, within 2 %."""
    plant, steps = Plant(noise_q=2e-4, quantum=1e-3), 20_000
    begin = cc.state(biglide, q=[0.0, 0.0])
    sensors, rng = Sensors(biglide, plant, begin, clock(steps * 5e-3, 5e-3, None)), np.random.default_rng(1)
    places = rng.uniform(0.0, 0.1, (steps, 2))
    rest = (begin.x, np.zeros(2), begin.x_dot)
    missed = [sensors.see(k, cc.model.State(q, *rest))[0] - q for k, q in enumerate(places)]
    np.testing.assert_allclose(np.std(missed), plant.sensor_sd, rtol=0.02)
