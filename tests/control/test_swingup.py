"""The swing-up: from hanging to upright and caught, and the sign of what it does to the energy on the way."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import swing_up
from closedchain.errors import BadInput
from closedchain.model.measured import Numbers
from closedchain.simulation.plant import Plant
from closedchain.simulation.rollouts import rollouts

NAMES = ("furuta", "furuta:hanging", "furuta:qube")


def tilt(robot, q2):
    """The angle from upright, within ±π."""
    turned = q2 if robot.values["up"] > 0 else q2 - np.pi
    return (turned + np.pi) % (2 * np.pi) - np.pi


def hanging(robot):
    """q2 of rest below."""
    return np.pi if robot.values["up"] > 0 else 0.0


@pytest.mark.parametrize("volts", [np.inf, 12.0, 6.0])
@pytest.mark.parametrize("name", NAMES)
def test_a_hanging_pendulum_comes_up_and_stays(name, volts):
    """From rest: upright within three seconds, and still there, at rest with its arm in front, after twelve."""
    robot = cc.load(name)
    law = swing_up(robot, interval=2e-3)
    run = cc.simulate(robot, law, q=[0.0, hanging(robot)], duration=12.0, interval=2e-3, plant=Plant(saturation=volts))
    angle = np.abs(tilt(robot, run.q[:, 1]))
    assert run.t[angle > 0.3][-1] < 3.0
    assert angle[-1] < 1e-3
    assert np.abs(run.q[-1, 0]) < 1e-2
    assert np.abs(run.command).max() <= volts
    assert np.abs(run.q[:, 0]).max() < 2 * np.pi  # the arm never goes round


@pytest.mark.parametrize("name", ["furuta", "furuta:qube"])
def test_it_comes_up_from_anywhere_with_a_model_that_is_not_quite_right(name):
    """64 random states, mass within 10 %, friction within 50 %, 10 V: all are upright after eight seconds."""
    robot, n, rng = cc.load(name), 64, np.random.default_rng(3)
    q = np.column_stack([rng.uniform(-0.5, 0.5, n), rng.uniform(-np.pi, np.pi, n)])
    starts = cc.state(robot, q=q, q_dot=rng.uniform(-3, 3, (n, 2)))
    wrong = {
        "m_2": robot.values["m_2"] * np.linspace(0.9, 1.1, n),
        "b_2": robot.values["b_2"] * rng.uniform(0.5, 1.5, n),
    }
    law = swing_up(robot, interval=2e-3)
    many = rollouts(
        robot, law, start=starts, values=wrong, duration=8.0, interval=2e-3, plant=Plant(saturation=10.0), threads=2
    )
    assert many.finished.all()
    assert np.abs(tilt(robot, many.final.q[:, 1])).max() < 0.02


def test_a_torque_swings_a_machine_without_a_motor():
    """Cazzolato and Prime's, by torque."""
    robot = cc.load("furuta:cazzolato-prime")
    law = swing_up(robot, output="tau", interval=1e-3)
    run = cc.simulate(robot, law, q=[0.0, hanging(robot)], duration=8.0)
    assert np.abs(tilt(robot, run.final.q[1])) < 1e-3


def energy_rate(robot, law, q, q_dot):
    """dE/dt of the pendulum alone, about its own joint, that the arm's acceleration makes: −c E's cross term [W]."""
    v = robot.values
    at = cc.state(robot, q=q, q_dot=q_dot)
    command = law.swing(Numbers(robot, at), law.gains[len(law.catch.gains) :])
    tau = law.motor[0] * command - law.motor[1] * q_dot[0]
    q_ddot = cc.forward_dynamics(robot, at, [float(tau)]).q_ddot
    inertia, weight = v["m_2"] * v["c_2"] ** 2 + v["J_2"], v["m_2"] * v["g"] * v["c_2"]
    centrifugal = inertia * np.sin(q[1]) * np.cos(q[1]) * q_dot[0] ** 2  # of the turning arm, which no pump commands
    friction = v["b_2"] * q_dot[1]
    return q_dot[1] * (inertia * q_ddot[1] - v["up"] * weight * np.sin(q[1]) - centrifugal + friction)


@pytest.mark.parametrize("name", NAMES)
def test_the_pump_always_moves_the_energy_towards_its_aim(name):
    """Below the aim dE/dt ≥ 0, above it ≤ 0, at 200 moving states: by forward dynamics, arm at rest in front."""
    robot, rng = cc.load(name), np.random.default_rng(1)
    law, v = swing_up(robot), cc.load(name).values
    inertia, weight = v["m_2"] * v["c_2"] ** 2 + v["J_2"], v["m_2"] * v["g"] * v["c_2"]
    pumped = 0
    for q2, w2 in zip(
        rng.uniform(-np.pi, np.pi, 200), rng.uniform(0.2, 15, 200) * rng.choice([-1, 1], 200), strict=True
    ):
        missing = law.surplus - (inertia * w2**2 / 2 / weight + v["up"] * np.cos(q2) - 1)
        rate = energy_rate(robot, law, np.array([0.0, q2]), np.array([0.0, w2]))
        assert rate * np.sign(missing) > -1e-12
        pumped += rate * np.sign(missing) > 1e-6
    assert pumped > 180


def test_only_a_furuta_swings_up(biglide):
    """One sentence."""
    with pytest.raises(BadInput, match="swing-up is for the furuta"):
        swing_up(biglide)
