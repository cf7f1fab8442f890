"""The plant and its sensors: each thing that differs from the model does what its name says, compiled and stepwise."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.control import PD, ComputedTorque, Constant, KinematicControl
from closedchain.errors import BadInput
from closedchain.simulation.plant import Plant
from closedchain.simulation.rollouts import rollouts


class Tell:
    """A law that commands what it was told of q and q̇, so that a run's commands show its sensors."""

    output, key, gains = "tau", "a test's telltale", np.array([1e-9])

    def __init__(self, which):
        self.which = which
        self.key = f"a test's telltale {which}"

    def fields(self, model):
        return (("nothing", 1),)

    def samples(self, model, t, interval):
        return np.zeros((len(t), 1))

    def law(self, measured, reference, gains):
        return gains[0] * getattr(measured, self.which)


MOVING = {"q": [0.1, 0.02], "q_dot": [0.3, -0.2], "duration": 0.2, "interval": 1e-2}


def told(robot, which, plant, **more):
    """What the controller was told at each instant, and the run."""
    run = cc.simulate(robot, Tell(which), plant=plant, **(MOVING | more))
    every = (len(run.t) - 1) // 20
    return run.command[::every][:-1] * 1e9, run, slice(None, -1, every)


def test_without_a_plant_the_controller_is_told_the_truth(biglide):
    """q, q̇ and x to rounding of the telltale's 1e-9."""
    for which in ("q", "q_dot", "x", "x_dot"):
        seen, run, at = told(biglide, which, None)
        np.testing.assert_allclose(seen, getattr(run, which)[at], rtol=1e-13, atol=1e-15)


def test_saturation_limits_each_command(biglide, line):
    """|τ1| ≤ 0.2 and |τ2| ≤ 0.05 N: reached, never passed, and the tip falls behind."""
    plant = Plant(saturation=(0.2, 0.05))
    run = cc.simulate(biglide, ComputedTorque(line), plant=plant)
    np.testing.assert_array_equal(np.abs(run.command).max(axis=0), [0.2, 0.05])
    free = cc.simulate(biglide, ComputedTorque(line))
    inside = np.abs(free.command) < [0.2, 0.05]
    first = np.argmin(inside.all(axis=1))
    np.testing.assert_array_equal(run.command[:first], free.command[:first])
    assert run.summary["max_error"] > 10 * free.summary["max_error"]


def test_a_delay_shows_the_sample_before(biglide):
    """At t_k the controller is told what was true at t_{k−1}; at first, the beginning."""
    for which in ("q", "q_dot"):
        seen, run, at = told(biglide, which, Plant(delay=True))
        true = getattr(run, which)[at]
        np.testing.assert_allclose(seen[1:], true[:-1], rtol=1e-13)
        np.testing.assert_allclose(seen[0], true[0], rtol=1e-13)


@pytest.mark.parametrize(("delay", "samples"), [(3, 3), (np.int64(2), 2), (0.03, 3), (1e-2, 1), (0.0, 0), (False, 0)])
def test_a_delay_is_a_number_of_samples_or_a_time(biglide, delay, samples):
    """At t_k the controller is told what was true at t_{k−n}, compiled and stepwise; before, the beginning."""
    for which in ("q", "q_dot", "x", "x_dot"):
        for more in ({}, {"method": "dop853"}):
            seen, run, at = told(biglide, which, Plant(delay=delay), **more)
            true = getattr(run, which)[at]
            late = np.concatenate([np.tile(true[:1], (samples, 1)), true[: len(true) - samples]])
            np.testing.assert_allclose(seen, late, rtol=1e-12, atol=1e-14)


def test_rollouts_are_as_late_as_single_runs(biglide):
    """The largest of the commands that tell of q̇, 3 samples late and 30 ms late."""
    for delay in (3, 0.03):
        plant = Plant(delay=delay)
        run = cc.simulate(biglide, Tell("q_dot"), plant=plant, **MOVING)
        many = rollouts(biglide, Tell("q_dot"), plant=plant, **MOVING)
        np.testing.assert_array_equal(many.max_effort[0], np.abs(run.command).max(axis=0))
        np.testing.assert_array_equal(many.final.q[0], run.final.q)


def test_a_delay_and_differences_go_together(biglide):
    """Two samples late: (q_{k−2} − q_{k−3})/T."""
    seen, run, at = told(biglide, "q_dot", Plant(differences=True, delay=2))
    np.testing.assert_allclose(seen[3:], np.diff(run.q[at], axis=0)[:-2] / 1e-2, rtol=1e-10)


@pytest.mark.parametrize(
    ("delay", "message"),
    [
        (0.015, r"no whole number of intervals of 0.01 s: the nearest are 0.01 s \(1\) and 0.02 s \(2\)"),
        (0.004, r"the nearest are 0 s \(0\) and 0.01 s \(1\)"),
        (30.0, r"a delay of 3000 samples; at most 200"),
        (100_000, r"a delay of 100000 samples; at most"),
        (-1, "delay = -1"),
        (np.nan, "delay = nan"),
        ("10 ms", "delay = '10 ms'"),
    ],
)
def test_a_delay_that_cannot_be_is_refused(biglide, delay, message):
    """A time that is none of the sampled ones, with the nearest that are; ages beyond what a loop keeps."""
    with pytest.raises(BadInput, match=message):
        cc.simulate(biglide, Tell("q"), plant=Plant(delay=delay), **MOVING)
    with pytest.raises(BadInput, match=message):
        rollouts(biglide, Tell("q"), plant=Plant(delay=delay), **MOVING)


def test_differences_give_the_mean_velocity_of_the_interval_before(biglide):
    """(q_k − q_{k−1})/T, and zero at the first sample, when nothing came before."""
    seen, run, at = told(biglide, "q_dot", Plant(differences=True))
    np.testing.assert_allclose(seen[1:], np.diff(run.q[at], axis=0) / 1e-2, rtol=1e-10)
    np.testing.assert_array_equal(seen[0], 0.0)


@pytest.mark.parametrize("noise", [0.0, 3e-3])
def test_a_sensor_of_finite_resolution_reads_whole_steps(biglide, noise):
    """Readings are multiples of the quantum, the nearest ones, noise or not."""
    quantum = 1e-3
    seen, run, at = told(biglide, "q", Plant(quantum=quantum, noise_q=noise, seed=4))
    counts = seen / quantum
    np.testing.assert_allclose(counts, np.round(counts), rtol=0, atol=1e-9)
    off = np.abs(seen - run.q[at])
    assert (off.max() <= quantum / 2 * (1 + 1e-9)) == (noise == 0.0)


def test_noise_has_the_standard_deviations_asked_for(biglide):
    """4000 samples of a robot at rest: within 4 sigma of the estimate's own spread, and white."""
    plant = Plant(noise_q=2e-4, noise_q_dot=5e-3, seed=7)
    for which, sigma in (("q", 2e-4), ("q_dot", 5e-3)):
        run = cc.simulate(biglide, Tell(which), q=[0.0, 0.0], duration=4.0, plant=plant)
        shown = run.command[:-1] * 1e9 - getattr(run, which)[:-1]
        n = len(shown)
        np.testing.assert_allclose(shown.std(axis=0), sigma, rtol=4 / np.sqrt(2 * n))
        np.testing.assert_allclose(shown.mean(axis=0), 0.0, atol=4 * sigma / np.sqrt(n))
        after = (shown[1:] * shown[:-1]).mean(axis=0) / sigma**2
        np.testing.assert_allclose(after, 0.0, atol=4 / np.sqrt(n))
        np.testing.assert_allclose((shown[:, 0] * shown[:, 1]).mean() / sigma**2, 0.0, atol=4 / np.sqrt(n))


def test_the_same_seed_gives_the_same_run_and_another_seed_another(biglide, line):
    """Bit for bit."""
    law = ComputedTorque(line)
    one, again, other = (
        cc.simulate(biglide, law, plant=Plant(noise_q=1e-5, noise_q_dot=1e-3, seed=s)) for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.x, again.x)
    assert np.abs(one.x - other.x).max() > 1e-8


SENSED = {
    "noise": Plant(noise_q=1e-5, noise_q_dot=1e-3, seed=3),
    "delay": Plant(delay=True),
    "differences": Plant(differences=True),
    "quantum": Plant(quantum=1e-4),
    "all": Plant(
        noise_q=1e-5, noise_q_dot=1e-3, quantum=1e-4, delay=True, differences=True, values={"l": 0.3605}, saturation=0.4
    ),
}


@pytest.mark.parametrize("case", SENSED)
def test_a_law_and_a_function_of_the_same_formula_are_told_the_same(biglide, line, case):
    """PD, compiled and as a Python function of (t, state): same noise, same resolution, same delay."""
    law, plant = PD(line, kp=500.0, kd=40.0), SENSED[case]
    compiled = cc.simulate(biglide, law, interval=1e-2, duration=0.5, plant=plant)
    table = law.samples(biglide, np.arange(51) * 1e-2, 1e-2)

    def by_hand(t, state):
        q, q_dot = table[round(t / 1e-2), :2], table[round(t / 1e-2), 2:4]
        return 500.0 * (q - state.q) + 40.0 * (q_dot - state.q_dot)

    by_hand.reference = line  # so that it begins where the law does
    stepwise = cc.simulate(biglide, by_hand, interval=1e-2, duration=0.5, plant=plant)
    np.testing.assert_allclose(stepwise.command, compiled.command[::10], rtol=0, atol=1e-11)
    np.testing.assert_allclose(stepwise.x, compiled.x[::10], rtol=0, atol=1e-13)


def test_a_payload_is_a_heavier_tip(biglide, line):
    """0.5 kg more at the biglide's output is m_p + 0.5: the same motion under a model that does not know."""
    law = ComputedTorque(line)
    carried = cc.simulate(biglide, law, plant=Plant(payload=0.5))
    heavier = cc.simulate(biglide, law, plant=Plant(values={"m_p": 3.5}))
    np.testing.assert_allclose(carried.x, heavier.x, rtol=0, atol=1e-13)
    assert carried.summary["max_error"] > 1e-5


def test_a_payload_on_a_plate_is_a_point_at_its_centre(triplate):
    """2 kg add ½ 2 |v_c|², v_c = ẋ + φ̇ ẑ × c: the plate's inertia stays; and the run balances its energy."""
    start = cc.state(triplate, x=[-1.0, 0.5, 0.3], x_dot=[0.4, -0.2, 0.6], working="++")
    run = {
        m: cc.simulate(triplate, Constant((1.0, -2.0, 3.0)), duration=0.05, start=start, plant=Plant(payload=m))
        for m in (0.0, 2.0)
    }
    r, phi = 2.0, 0.3
    c = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]]) @ [r / 2, r * np.sin(np.pi / 3) / 3]
    v = np.array([0.4, -0.2]) + 0.6 * np.array([-c[1], c[0]])
    np.testing.assert_allclose(run[2.0].energies[0][0] - run[0.0].energies[0][0], v @ v, rtol=1e-12)
    assert np.abs(run[2.0].balance).max() < 1e-12
    assert np.abs(run[2.0].final.x - run[0.0].final.x).max() > 1e-5


def test_a_plate_on_massless_legs_simulates(triplate):
    """M_z is singular (the telescope weighs nothing), the motion is not: energy and closures balance over a second."""
    assert triplate.massless
    run = cc.simulate(
        triplate, Constant((0.5, -0.5, 1.0)), duration=1.0, x=[-1.0, 0.5, 0.3], working="++", method="rk6"
    )
    assert run.finished
    assert np.abs(run.x[-1] - run.x[0]).max() > 0.05
    assert np.abs(run.balance).max() < 1e-11
    assert run.closure.max() < 1e-14
    exact = cc.simulate(
        triplate,
        Constant((0.5, -0.5, 1.0)),
        duration=1.0,
        interval=0.1,
        x=[-1.0, 0.5, 0.3],
        working="++",
        method="dop853",
    )
    np.testing.assert_allclose(run.final.z, exact.final.z, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ["fivebar", "rrr3", "triplate"])
def test_the_kinematic_plant_keeps_its_closures_and_follows(name):
    """Held joint velocities on any robot: closures at rounding, and the tip within what 10 ms of lag leaves."""
    robot = cc.load(name)
    place = {"fivebar": [0.01, 0.13], "rrr3": [1.3, 1.1, 0.5], "triplate": [-1.0, 0.5, 0.3]}[name]
    to = np.array(place) + {"fivebar": [0.02, 0.01], "rrr3": [0.1, -0.1, 0.1], "triplate": [0.3, 0.2, -0.1]}[name]
    path = cc.quintic(place, to, duration=2.0)
    working = {"fivebar": "+-", "rrr3": "+++", "triplate": "++"}[name]
    run = cc.simulate(robot, KinematicControl(path, gain=5.0), interval=1e-2, working=working)
    assert run.finished
    assert run.closure.max() < 1e-14
    assert run.summary["max_error"] < 0.01 * np.abs(to - place).max() * 2
    held = run.q[1:] - run.q[:-1] - np.diff(run.t)[:, None] * run.command[:-1]
    np.testing.assert_allclose(held, 0.0, atol=1e-14)


def test_a_plant_with_other_bars_pulls_the_tip_away_from_its_model(biglide):
    """Joints where they should be, the plant's tip stands where its own bars put it, not where the model's would."""
    l = np.sqrt(0.13)
    pose = motion.rest([0.0, 0.3], duration=0.1)
    run = cc.simulate(biglide, PD(pose, kp=1e5, kd=1e3), plant=Plant(values={"l": l}), q=[0.0, 0.0])
    np.testing.assert_allclose(run.x[0], [0.0, np.sqrt(l**2 - 0.04)], rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"noise_q": -1.0}, "noise_q = -1.0: it must not be negative"),
        ({"noise_q_dot": np.inf}, "noise_q_dot"),
        ({"quantum": np.nan}, "quantum"),
        ({"saturation": 0.0}, "saturation = 0.0: it must be positive"),
        ({"saturation": (1.0, -1.0)}, "saturation"),
        ({"payload": np.nan}, "payload"),
    ],
)
def test_a_plant_that_makes_no_sense_is_refused(given, message):
    """One sentence with the name and the value."""
    with pytest.raises(BadInput, match=message):
        Plant(**given)


def test_what_only_the_robot_can_refuse(biglide, furuta, line):
    """Too many limits, a parameter it does not have, a payload with no output."""
    with pytest.raises(BadInput, match=r"saturation .* has 3 numbers"):
        cc.simulate(biglide, ComputedTorque(line), plant=Plant(saturation=(1.0, 2.0, 3.0)))
    with pytest.raises(cc.ClosedChainError, match="mass_of_tip"):
        cc.simulate(biglide, ComputedTorque(line), plant=Plant(values={"mass_of_tip": 2.0}))
    with pytest.raises(BadInput, match="no output to carry a payload"):
        cc.simulate(furuta, Constant(0.0, "tau"), duration=0.1, q=[0.0, 1.0], plant=Plant(payload=1.0))
