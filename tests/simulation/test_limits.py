"""Runs that come to a joint's limit end there and say so: drives, passive joints, linkages; compiled and stepwise."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control.feedforward import Constant
from closedchain.describe import Angle, Bar, Crank, Fixed, Free, Mechanism, Recipe, Slider
from closedchain.errors import BadInput
from closedchain.simulation.rollouts import rollouts


def biglide(limits=None, passive=None):
    """Feet of 1 kg, a tip of 3 kg, and a passive angle."""
    A1, A2 = (Slider(f"q{i}", at=(x, 0.0), along=(0.0, 1.0), mass=1.0, limits=limits) for i, x in ((1, -0.2), (2, 0.2)))
    C = Free("C", mass=3.0)
    readouts = (Angle("p1", A1, C, limits=passive),)
    bars = (Bar(A1, C, 0.36), Bar(A2, C, 0.36))
    return cc.load(Recipe(Mechanism("short", drives=(A1, A2), bars=bars, output=C, readouts=readouts)))


def lift(t, state):
    """1 N on each foot."""
    return np.ones(2)


@pytest.mark.parametrize("controller", [Constant(1.0), lift])
def test_a_run_ends_at_the_stroke_of_the_description(controller):
    """1 N on each foot moves 5 kg: q = t²/5 comes to 0.1 m at √0.5 s; the next step of 1 ms is beyond."""
    run = cc.simulate(biglide((-0.1, 0.1)), controller, q=[0.0, 0.0], duration=2.0, interval=1e-3)
    assert not run.finished
    assert run.ended.startswith("joint limit at t = 0.708 s: q1 = 0.1")
    assert "leaves [-0.1, 0.1]" in run.ended


@pytest.mark.parametrize("controller", [Constant((0.5, -0.5)), lambda t, state: np.array([0.5, -0.5])])
def test_a_run_ends_at_a_passive_joints_limit(controller):
    """Feet driven apart turn the bar: it ends where the angle from A1 to C leaves 50° … 65°, and not before."""
    robot = biglide(passive=np.radians((50.0, 65.0)))
    run = cc.simulate(robot, controller, q=[0.0, 0.0], duration=2.0, interval=1e-3)
    assert "joint limit" in run.ended
    assert "p1 =" in run.ended
    assert "beyond its limits [50°, 65°]" in run.ended
    angle = np.degrees(np.arctan2(run.x[:, 1] - run.q[:, 0], run.x[:, 0] + 0.2))
    assert ((angle[:-1] >= 50.0) & (angle[:-1] <= 65.0)).all()
    assert not 50.0 <= angle[-1] <= 65.0


def test_limits_given_to_a_run_tighten_those_of_the_description():
    """The narrower of both counts, and what leaves no room is refused."""
    robot = biglide((-0.1, 0.1))
    run = cc.simulate(robot, Constant(1.0), q=[0.0, 0.0], duration=2.0, limits=(-1.0, 0.05))
    assert "leaves [-0.1, 0.05]" in run.ended
    with pytest.raises(BadInput, match="beside its own"):
        cc.simulate(robot, Constant(1.0), q=[0.0, 0.0], duration=2.0, limits=(0.2, 0.5))


def test_rollouts_stop_there_too():
    """The light robot comes to its end sooner."""
    many = rollouts(biglide((-0.1, 0.1)), Constant(1.0), q=[[0.0, 0.0], [-0.05, -0.05]], duration=0.75)
    assert many.finished.tolist() == [False, True]


def test_a_linkage_ends_at_its_passive_limit():
    """A pendulum let go level may not pass the lowest point: −90°."""
    O, P = Fixed("O", at=(0, 0)), Free("P", mass=1.0, near=(1, 0))
    swing = Angle("swing", O, P, limits=np.radians((-90.0, 90.0)))
    made = Mechanism(
        "swing", drives=(), bars=(Bar(O, P, 1.0),), output=P, gravity=(0, -9.81), linkage=True, readouts=(swing,)
    )
    run = cc.simulate(cc.load(Recipe(made)), duration=2.0)
    assert "swing = " in run.ended
    assert "beyond its limits [-90°, 90°]" in run.ended
    assert run.t[-1] == pytest.approx(1.8541 / np.sqrt(9.81), abs=2e-3)  # a quarter of the large swing: K(1/√2) √(l/g)


def test_a_law_follows_its_reference_on_the_turn_of_the_limits():
    """Cranks from 90° to 250°: a start at 211° and a reference that points to −149° are one place, not a turn apart."""
    limits = np.radians((90.0, 250.0))
    A1, A2 = (Crank(f"q{i}", about=(x, 0.0), radius=0.1, limits=limits) for i, x in ((1, -0.06), (2, 0.06)))
    C = Free("C", mass=1.0)
    robot = cc.load(Recipe(Mechanism("five", drives=(A1, A2), bars=(Bar(A1, C, 0.1), Bar(A2, C, 0.1)), output=C)))
    line = cc.quintic([-0.12, -0.02], [-0.125, -0.01], duration=0.5)
    mode = cc.inverse(robot, [-0.12, -0.02]).working[0]
    run = cc.simulate(robot, cc.ComputedTorque(line, kp=100, kd=20, working=mode))
    assert run.finished, run.ended
    assert (run.q > np.pi).any()
    assert run.summary["max_error"] < 1e-4
