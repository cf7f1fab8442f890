"""Derivatives through rollouts: of the very steps, against fifty digits; of the motion, against other runs."""

import mpmath as mp
import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.simulation.sensitivities import roll
from closedchain.simulation.tangents import Step
from tests.many_digits import Robot, numbers, run, slope

STATE = ("q", "x", "q_dot", "x_dot")


def commands(model, count, seed=0):
    """Random efforts."""
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, len(model.driven)))


@pytest.mark.parametrize(
    "name, q, steps", [("biglide", [0.0, 0.1], 8), ("furuta", [0.1, 0.2], 8), ("delta", [0.3, 0.4, 0.5], 3)]
)
def test_gradients_are_those_of_the_same_steps_in_fifty_digits(name, q, steps):
    """By the start, by each command and by the parameters together, along a random direction; the start closes."""
    model, h, rng = cc.load(name), 2e-2, np.random.default_rng(1)
    rolled = roll(model, commands(model, steps), q=q, step=h)
    weights = {k: rng.standard_normal(v.shape) for k, v in rolled.states.items()}
    made = rolled.gradient(weights)
    program = Step(model.equations, "tau", model.massless).advance()
    along = {k: rng.standard_normal(v.shape) * (np.abs(model.p) if k == "p" else 1.0) for k, v in made.items()}

    def whole(given):
        from_start = start_of(model, given)
        states = {k: list(from_start[k]) for k in rolled.states}
        for k in range(steps):
            u = given["u"][k * len(model.driven) : (k + 1) * len(model.driven)]
            after = run(program, from_start | {"u": u, "p": given["p"], "h": [mp.mpf(h)]})
            from_start = {n: after[f"{n}_next"] for n in rolled.states}
            for n in states:
                states[n] += from_start[n]
        return {
            "sum": [
                sum(mp.mpf(float(w)) * v for n in states for w, v in zip(weights[n].ravel(), states[n], strict=True))
            ]
        }

    given = {"q": q, "q_dot": np.zeros(model.nq), "u": rolled.commands, "p": model.p}
    expected = slope(whole, {k: numbers(v) for k, v in given.items()}, {k: numbers(along[k]) for k in given})["sum"][0]
    terms = np.concatenate([np.ravel(made[k] * along[k]) for k in given])
    assert abs(terms.sum() - expected) <= 1e-10 * np.abs(terms).sum()


def start_of(model, given):
    """x and ẋ for drives and parameters, in fifty digits."""
    if not model.nx:
        return {"q": given["q"], "q_dot": given["q_dot"]}
    robot = Robot(model)
    x = cc.state(model, q=np.array([float(v) for v in given["q"]])).x
    closed = robot.close({"q": given["q"], "x": numbers(x), "p": given["p"]}, "x")
    still = closed | {"q_dot": given["q_dot"], "q_ddot": [mp.mpf(0)] * model.nq}
    return {"q": given["q"], "x": closed["x"], "q_dot": given["q_dot"], "x_dot": run(robot.evaluate, still)["x_dot"]}


def test_the_steps_are_those_of_simulate():
    """Held efforts, one for each step: the same states to rounding."""
    model, h = cc.load("fivebar"), 1e-3
    u = np.repeat([[0.02, -0.01]], 50, axis=0)
    rolled = roll(model, u, q=[1.6, 1.5], step=h)
    run_ = cc.simulate(model, Held(u[0]), q=[1.6, 1.5], duration=50 * h, interval=h)
    np.testing.assert_allclose(rolled.states["x"][-1], run_.x[-1], atol=1e-12)


class Held:
    """A constant effort."""

    output, key, gains, reference = "tau", "held", np.zeros(0), None

    def __init__(self, u):
        self.u = u

    def fields(self, model):
        return (("u", model.nq),)

    def samples(self, model, t, interval):
        return np.repeat(self.u[None], len(t), axis=0)

    def law(self, measured, reference, gains):
        return reference.u


def test_forward_and_backward_agree_under_a_law():
    """Computed torque: by gains, parameters and the start, each way of differentiating gives the same."""
    model = cc.load("biglide")
    line = cc.quintic([0.0, 0.3], [0.02, 0.33], duration=0.2)
    rolled = roll(model, cc.PD(line, kp=400.0, kd=40.0), duration=0.1, step=2e-3, x=[0.01, 0.3])
    w = np.random.default_rng(0).standard_normal(rolled.states["x"].shape)
    back = rolled.gradient({"x": w})
    assert np.abs(back["gains"]).min() > 0.0
    for by in ("p", "gains", "q", "q_dot"):
        ahead = np.einsum("ti,tij->j", w, rolled.sensitivities(by)["x"])
        np.testing.assert_allclose(back[by], ahead, rtol=1e-9, atol=1e-12 * np.abs(ahead).max())


def test_what_makes_no_sense_is_one_line():
    """It says what there is."""
    model = cc.load("biglide")
    rolled = roll(model, commands(model, 2), q=[0.0, 0.1])
    with pytest.raises(BadInput, match="no state 'tau'"):
        rolled.gradient({"tau": [1.0]})
    with pytest.raises(BadInput, match="weights of x are"):
        rolled.gradient({"x": [1.0]})
    with pytest.raises(BadInput, match="sensitivities by 'u'"):
        rolled.sensitivities("u")
    with pytest.raises(BadInput, match="their number tells"):
        roll(model, [1.0, 2.0], q=[0.0, 0.1])
