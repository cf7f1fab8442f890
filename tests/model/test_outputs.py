"""An output may be any point of any body; its own coordinates are enough, the others are found."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Crank, Fixed, Free, Mechanism, Pin, Plate, Recipe
from closedchain.describe.files import loads
from closedchain.describe.mechanism import BadMechanism
from closedchain.describe.writing import dumps
from closedchain.errors import BadInput
from closedchain.model.model import NoClosedForm


def load(mechanism):
    """As one's own."""
    return cc.load(Recipe(mechanism))


def unit(angle):
    """A direction."""
    return np.array([np.cos(angle), np.sin(angle)])


def circles_meet(p, r, q, s):
    """The two intersections of circles (p, r) and (q, s), by the law of cosines."""
    away = np.subtract(q, p)
    D = np.linalg.norm(away)
    turn, lift = np.arctan2(away[1], away[0]), np.arccos((r**2 + D**2 - s**2) / (2 * r * D))
    return [np.array(p) + r * unit(turn + t) for t in (lift, -lift)]


def palletizer(**more):
    """Two cranks and two bars meet at the knee C; the tip P is on the extension of the bar A1-C, 0.6 m from A1."""
    A1 = Crank("q1", about=(0, 0), radius=0.4, mass=1.0, point="A1")
    A2 = Crank("q2", about=(0.3, 0), radius=0.3, mass=1.0, point="A2")
    C = Free("C", mass=1.0)
    arm = Bar(A1, C, 0.35, mass=0.5)
    return Mechanism(
        "palletizer", drives=(A1, A2), bars=(arm, Bar(A2, C, 0.4)), output=arm.point("P", 0.6, 0.1), **more
    )


def by_hand(P):
    """Every (q1, q2) with the tip at P: A1 on two circles, C from the bar's frame, A2 on two circles."""
    found = []
    for A1 in circles_meet((0, 0), 0.4, P, np.hypot(0.6, 0.1)):
        turn = np.arctan2(*(np.array(P) - A1)[::-1]) - np.arctan2(0.1, 0.6)
        C = A1 + 0.35 * unit(turn)
        if abs(np.linalg.norm(C - [0.3, 0.0]) - 0.35) < 0.35:
            for A2 in circles_meet((0.3, 0.0), 0.3, C, 0.4):
                found.append([np.arctan2(A1[1], A1[0]), np.arctan2(A2[1], A2[0] - 0.3), *P, *C])
    return np.array(found)


def test_the_inverse_takes_the_outputs_own_coordinates():
    """A tip on a bar's extension: every drive and every place of the knee, against circles by hand, each named."""
    robot, P = load(palletizer()), (0.35, 0.75)
    assert (robot.outputs, robot.nx) == (2, 4)
    found, wanted = cc.inverse(robot, P), by_hand(P)
    assert len(found) == len(wanted) >= 2
    assert len(set(found.mode)) == len(found)
    for row in wanted:
        assert np.abs(np.hstack([found.q, found.x]) - row).max(axis=-1).min() < 1e-13
    again = cc.inverse(robot, [P, P])
    np.testing.assert_array_equal(again.q[again.index == 1], found.q)
    for solution in found:
        np.testing.assert_allclose(cc.state(robot, x=P, working=solution.mode).q, solution.q)


def test_evaluate_takes_the_outputs_rates_and_accelerations():
    """J of the tip from its own rates, and q̈ from its own ẍ: against finite differences of the inverse by hand."""
    robot, P, v, a = load(palletizer()), np.array([0.35, 0.75]), np.array([0.2, -0.1]), np.array([0.3, 0.5])
    mode = cc.inverse(robot, P).mode[0]
    now = cc.evaluate(robot, x=P, x_dot=v, x_ddot=a, working=mode)
    h = 1e-4

    def q(t):
        found = by_hand(P + v * t + a * t**2 / 2)
        return found[np.abs(found[:, :2] - now.q).max(axis=-1).argmin(), :2]

    np.testing.assert_allclose(now.q_dot, (q(h) - q(-h)) / (2 * h), rtol=1e-6)
    np.testing.assert_allclose(now.q_ddot, (q(h) - 2 * q(0) + q(-h)) / h**2, rtol=1e-5)
    assert now.working == mode


def test_the_tip_is_followed_and_simulated():
    """A line of the tip; and power is the rate of energy with a tip of no mass on a bar."""
    robot = load(palletizer(gravity=(0, -9.81)))
    line = np.linspace([0.35, 0.75], [0.3, 0.7], 20)
    mode = cc.inverse(robot, line[0]).mode[0]
    found = cc.follow(robot, x=line, working=mode)
    assert found.complete
    end = by_hand(line[-1])
    assert np.abs(end[:, :2] - found.q[-1]).max(axis=-1).min() < 1e-12
    assert cc.check(robot, states=20).ok
    run = cc.simulate(robot, lambda t, s: [1.0, 0.5], x=line[0], working=mode, duration=0.1)
    assert run.finished


def test_a_law_follows_a_reference_of_the_tip_alone():
    """Computed torque in the drives: the tip stays on its line to what holding each command leaves, half for half."""
    robot = load(palletizer(gravity=(0, -9.81)))
    line = cc.quintic([0.35, 0.75], [0.3, 0.65], duration=0.3)
    law, mode = cc.ComputedTorque(line, kp=400, kd=40), cc.inverse(robot, [0.35, 0.75]).mode[0]
    runs = [cc.simulate(robot, law, working=mode, interval=interval) for interval in (1e-3, 5e-4)]
    assert all(run.finished and run.error.shape[-1] == 2 for run in runs)
    coarse, fine = (np.abs(run.error).max() for run in runs)
    assert coarse < 2e-4  # of 0.11 m
    assert coarse / fine == pytest.approx(2.0, rel=0.1)


def test_a_tracer_point_of_a_coupler_plate():
    """A four-bar's coupler curve: the point's place by circles, and the crank found back from it."""
    A, D = Crank("q1", about=(0, 0), radius=0.3), Fixed("D", at=(1, 0))
    plate = Plate("plate", mass=1.0, inertia=0.1)
    a, b = plate.point("a", (0, 0)), plate.point("b", (0.9, 0))
    robot = load(
        Mechanism("tracer", drives=(A,), bars=(Bar(D, b, 0.7),), pins=(Pin(A, a),), output=plate.point("T", (0.4, 0.3)))
    )
    found = cc.direct(robot, [0.8])
    tip = 0.3 * unit(0.8)
    for B in circles_meet(tip, 0.9, (1.0, 0.0), 0.7):
        phi = np.arctan2(*(B - tip)[::-1])
        T = tip + 0.4 * unit(phi) + 0.3 * unit(phi + np.pi / 2)
        assert np.abs(found.x - [*T, *tip, phi]).max(axis=-1).min() < 1e-13
        back = cc.inverse(robot, T)
        assert np.abs(np.remainder(back.q[:, 0] - 0.8 + np.pi, 2 * np.pi) - np.pi).min() < 1e-12
    assert len(cc.inverse(robot, [0.35, 0.35])) == 0  # beside the curve


def test_what_the_output_leaves_open_is_refused_not_guessed():
    """Three drives hold a plate, the output is a point of it: its angle is free, and the message counts."""
    robot = cc.load("rrr3").recipe.description
    plate = robot.output
    tracer = Mechanism("traced", drives=robot.drives, bars=robot.bars, output=plate.point("T", (0.01, 0.02)))
    with pytest.raises(NoClosedForm, match="3 drives and 3 further coordinates do not follow from the 2 of the output"):
        cc.inverse(load(tracer), [0.0, 0.0])


def test_a_wrong_number_of_coordinates_is_told_with_both_right_ones():
    """Three numbers where two are the output's and four are all."""
    with pytest.raises(BadInput, match="2 numbers, of the output, or 4, of every body"):
        cc.inverse(load(palletizer()), [0.1, 0.2, 0.3])


def test_all_coordinates_are_still_taken():
    """Given all of x, only the drives are sought, with the legs' names as ever."""
    robot = load(palletizer())
    x = cc.inverse(robot, [0.35, 0.75]).x[0]
    found = cc.inverse(robot, x)
    assert found.mode == ("++", "+-", "-+", "--")[: len(found)] or len(found) < 4
    assert found.residual.max() < 1e-12


FILE = """
schema = "closedchain.mechanism/1"
name = "pal"
output = "P"
[drives.q1]
crank = { about = [0, 0], radius = 0.4 }
point = "A1"
mass = 1
[drives.q2]
crank = { about = [0.3, 0], radius = 0.3 }
point = "A2"
mass = 1
[points]
C = { free = true, mass = 1 }
[[bars]]
between = ["A1", "C"]
length = 0.35
mass = 0.5
points = { P = [0.6, 0.1] }
[[bars]]
between = ["A2", "C"]
length = 0.4
"""


def test_a_file_names_a_point_of_a_bar_as_its_output_and_is_written_back():
    """The same robot from TOML; written and read again it is the same once more."""
    read = cc.load(loads(FILE))
    wanted = cc.inverse(load(palletizer()), (0.35, 0.75))
    np.testing.assert_array_equal(cc.inverse(read, (0.35, 0.75)).q, wanted.q)
    text = dumps(read.recipe)
    assert 'output = "P"' in text
    np.testing.assert_array_equal(cc.inverse(cc.load(loads(text)), (0.35, 0.75)).q, wanted.q)


def test_a_bars_point_is_for_the_output_only():
    """A bar that ends on another bar's point is refused with what to use instead."""
    A = Crank("q1", about=(0, 0), radius=0.4)
    C, E = Free("C", mass=1.0), Free("E", mass=1.0)
    arm = Bar(A, C, 0.35)
    more = (Bar(Fixed("D", at=(1, 0)), C, 0.7), Bar(arm.point("P", 0.2), E, 0.3), Bar(Fixed("F", at=(1, 1)), E, 0.5))
    with pytest.raises(BadMechanism, match="can only be the output; use a plate"):
        Mechanism("bad", drives=(A,), bars=(arm, *more), output=E)


def test_a_tip_on_a_bar_agrees_with_mujoco():
    """Exported as bodies, simulated by another engine: every quantity of the table."""
    pytest.importorskip("mujoco")
    assert cc.verify(load(palletizer(gravity=(0, -9.81)))).ok
