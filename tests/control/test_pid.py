"""PID, and memories of laws: the same numbers compiled, on NumPy, and in rollouts."""

from dataclasses import dataclass

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion, scenarios
from closedchain.control import PD, PID, Law
from closedchain.errors import BadInput
from closedchain.simulation.plant import Plant
from closedchain.simulation.rollouts import rollouts

AT = {"interval": 1e-3, "duration": 3.0}


@pytest.fixture(scope="module")
def still():
    """The four-bar's crank at 1 rad, against gravity."""
    return motion.rest([1.0], 3.0, space="joint")


def test_the_integral_takes_the_error_that_gravity_leaves(fourbar, still):
    """PD rests where kp e is the weight's moment; with ki that error is gone."""
    pd = cc.simulate(fourbar, PD(still, 8.0, 0.6), q=[0.8], assembly="+", **AT)
    pid = cc.simulate(fourbar, PID(still, 8.0, 20.0, 0.6), q=[0.8], assembly="+", **AT)
    weight = cc.evaluate(fourbar, q=pd.final.q, assembly="+").tau
    np.testing.assert_allclose(8.0 * -pd.error[-1], weight, rtol=1e-3)
    assert np.abs(pd.error[-1]) > 1e-3
    assert np.abs(pid.error[-1]) < 1e-3 * np.abs(pd.error[-1])


@pytest.mark.parametrize("more", [{}, {"filter": 2e-2}, {"gravity": True}, {"feedforward": True}])
def test_a_law_with_memory_is_the_same_compiled_and_on_numbers(biglide, line, more):
    """The compiled loop against the law on NumPy over a plant moved by DOP853."""
    law = PID(line, (900.0, 700.0), 300.0, 50.0, **more)
    at = {"interval": 1e-2, "duration": 0.3, "plant": Plant(values={"m_p": 3.3}, saturation=1.0, delay=1)}
    compiled, numbers = (cc.simulate(biglide, law, method=method, **at) for method in ("rk6", "dop853"))
    np.testing.assert_allclose(compiled.command[::10], numbers.command, rtol=0, atol=1e-8)


def by_hand(run, kp, ki, kd, interval, reference, limit=np.inf):
    """The commands of a PID along the states of a run, in plain loops."""
    every = round(interval / (run.t[1] - run.t[0]))
    total, asked, held, made = 0.0, 0.0, 0.0, []
    for k in range(0, len(run.t) - 1, every):
        want = reference(run.t[k])
        error, rate = want.x - run.q[k], want.x_dot - run.q_dot[k]
        total = total + np.where((asked - held) * error > 0, 0.0, interval * ki * error)
        asked = kp * error + total + kd * rate
        held = np.clip(asked, -limit, limit)
        made.append(held)
    return np.array(made), every


@pytest.mark.parametrize("limit", [np.inf, 0.3])
def test_each_command_is_the_formulas(fourbar, still, limit):
    """Σ ki e T in plain Python; where the limit cuts, the sum waits."""
    run = cc.simulate(fourbar, PID(still, 8.0, 20.0, 0.6), q=[0.2], assembly="+", plant=Plant(saturation=limit), **AT)
    wanted, every = by_hand(run, 8.0, 20.0, 0.6, 1e-3, still, limit)
    np.testing.assert_allclose(run.command[:-1:every], wanted, rtol=1e-10, atol=1e-12)
    assert (np.abs(run.command).max() == limit) == (limit < np.inf)


def test_a_filter_is_a_low_pass_of_the_rate(biglide):
    """A foot that moves at 1 m/s from the start: kd (0 − 1) times 1 − (T/(T + h))^k at the k-th command."""
    law = PID(motion.rest([0.0, 0.0], 0.1, space="joint"), 0.0, 0.0, 1e-9, filter=0.03)
    run = cc.simulate(biglide, law, q=[0.0, 0.0], q_dot=[1.0, 1.0], interval=1e-2)
    k = np.arange(1, 11)
    share = 1.0 - (0.03 / 0.04) ** k
    np.testing.assert_allclose(
        run.command[:-1:10, 0], -1e-9 * share, rtol=1e-6
    )  # the effort of 1e-9 slows it so little


def test_rollouts_have_the_integral_of_single_runs(fourbar, still):
    """Bit for bit, with gains that differ from row to row."""
    gains = np.array([[8.0, 20.0, 0.6, 0.0], [6.0, 10.0, 0.5, 0.0]])
    at = {"q": [0.8], "assembly": "+", **AT}
    many = rollouts(fourbar, PID(still, 8.0, 20.0, 0.6), gains=gains, **at)
    for i, (kp, ki, kd, _) in enumerate(gains):
        run = cc.simulate(fourbar, PID(still, kp, ki, kd), **at)
        np.testing.assert_array_equal(many.final.q[i], run.final.q)


def test_a_scenario_with_a_pid_runs_as_the_law_does():
    """kind = "pid" in a file, its keys those of the law."""
    changes = {"controller.kind": "pid", "controller.kp": 900, "controller.ki": [100, 200], "controller.kd": 50}
    changes |= {"controller.filter": "5 ms", "controller.gravity": True}
    scenario = scenarios.find("biglide-kinematic", {"controller": {}, **changes})
    run = scenarios.run(scenario)
    law = PID(scenario.reference, 900.0, (100.0, 200.0), 50.0, 5e-3, gravity=True)
    same = cc.simulate(scenario.model, law, interval=scenario.interval, step=scenario.step, q=scenario.start.q)
    np.testing.assert_array_equal(run.x, same.x)


@pytest.mark.parametrize(
    ("given", "words"),
    [({"ki": -1.0}, "ki"), ({"filter": -1.0}, "filter"), ({"gravity": True, "feedforward": True}, "choose")],
)
def test_a_pid_that_makes_no_sense_is_refused(still, given, words):
    """One sentence."""
    with pytest.raises(BadInput, match=words):
        PID(still, **given)


@dataclass(frozen=True, eq=False)
class Observed(Law):
    """A spring and a damper whose velocity an observer finds from positions alone; it knows the model and its command.

    q̂ and v̂ are predicted over an interval with M⁻¹ τ and pulled to what is measured.
    """

    k: float = 60.0
    c: float = 30.0
    pull: float = 60.0  # [1/s]

    def memory(self, model):
        return {"q": [0.1, -0.05], "v": [0.0, 0.0]}

    def law(self, measured, reference, gains):
        h, kept = measured.interval, measured.memory
        off = measured.q - kept.q
        acceleration = measured.solve(measured.M, measured.command)
        v = kept.v + h * (acceleration + self.pull**2 * off)
        q = kept.q + h * (v + 2 * self.pull * off)
        return -self.k * measured.q - self.c * v, {"q": q, "v": v}


def test_an_observer_of_ones_own_compiles_and_holds_the_robot_still(biglide):
    """Velocities are not measured (noise of 1 m/s on them): observed, the feet come to rest within 0.1 mm."""
    at = {"q": [0.1, -0.05], "duration": 6.0, "interval": 2e-3, "plant": Plant(noise_q_dot=1.0, seed=3)}
    run = cc.simulate(biglide, Observed(), **at)
    assert run.title == "Observed"
    assert np.abs(run.q[-1]).max() < 1e-4
    blunt = cc.simulate(biglide, lambda t, s: -60.0 * s.q - 30.0 * s.q_dot, **at)
    assert np.abs(blunt.q[-500:]).max() > 10 * np.abs(run.q[-500:]).max()


class Forgets(Law):
    """Declares what it does not keep."""

    def memory(self, model):
        return {"sum": 0.0}

    def law(self, measured, reference, gains):
        return 0 * measured.q


class Confuses(Forgets):
    """Keeps another number of numbers."""

    def law(self, measured, reference, gains):
        return 0 * measured.q, {"sum": measured.column(1.0, 2.0, 3.0)}


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_a_memory_that_is_not_kept_is_told(biglide, method):
    """Compiled and on numbers alike."""
    at = {"q": [0.0, 0.0], "duration": 0.1, "method": method}
    with pytest.raises(BadInput, match="a law with memory returns its command and what it keeps"):
        cc.simulate(biglide, Forgets(), **at)
    with pytest.raises(BadInput, match="memory sum"):
        cc.simulate(biglide, Confuses(), **at)
