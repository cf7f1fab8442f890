"""One assembly mode followed from drives to drives: the right pose, or a report."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.model.tracking import BranchLost, step, track

HOME = {"biglide": [0.03, 0.3], "rrr3": [1.3, 1.0, 0.1], "gough": [0.0, 0.0, 1.2, 0.1, 0.0, 0.05], "ankle": [0.1, 0.05]}


def start(name):
    """A robot with the drives of one pose."""
    robot = cc.load(name)
    return robot, cc.inverse(robot, HOME[name]).row(0)


@pytest.mark.parametrize("name", HOME)
def test_the_pose_follows_the_drives(name):
    """The drives of a nearby pose lead to that pose: inverse geometry is the oracle, and the loops are closed."""
    robot, at = start(name)
    follower = robot.track(at.q, at.x)
    goal = at.x + 0.02
    near = min(cc.inverse(robot, goal), key=lambda s: np.abs(s.q - at.q).max())
    np.testing.assert_allclose(follower.to(near.q), goal, atol=1e-11)
    assert np.abs(robot.call("closures", q=follower.q, x=follower.x)["gap"]).max() < 1e-12 * robot.scale


def test_a_long_way_is_made_in_parts():
    """From the tip on one side to the other: too far for one step, and the same branch."""
    robot, at = start("biglide")
    far = cc.inverse(robot, [-0.1, 0.9]).row(0)
    assert step(robot, far.q, at.x)["margin"] <= 0.0
    np.testing.assert_allclose(robot.track(at.q, at.x).to(far.q), [-0.1, 0.9], atol=1e-12)


def test_a_singularity_on_the_way_is_reported_and_the_last_sure_pose_kept():
    """Feet further apart than two bars: the legs straighten first, at |q2 − q1|² + d² = (2 l)²."""
    robot, at = start("biglide")
    follower = robot.track(at.q, at.x)
    goal = at.q + np.array([-0.5, 0.5])
    with pytest.raises(BranchLost, match="Type 2 singularity is near or on the way"):
        follower.to(goal)
    apart = follower.q[1] - follower.q[0]
    straight = np.sqrt((2 * 0.3606) ** 2 - 0.4**2)
    assert straight - 1e-2 < apart < straight  # it went on nearly to there
    assert np.abs(robot.call("closures", q=follower.q, x=follower.x)["gap"]).max() < 1e-12


def test_a_batch_keeps_what_is_sure():
    """Moves within reach arrive; one that is not keeps a pose on its branch and says so."""
    robot, at = start("biglide")
    goals = at.q + np.array([[0.01, -0.02], [0.05, 0.05], [-0.5, 0.5]])
    found = track(robot, at.q, at.x, goals)
    assert found.sure.tolist() == [True, True, False]
    np.testing.assert_allclose(found.x[1], at.x + np.array([0.0, 0.05]), atol=1e-12)  # both feet up: so does the tip


def test_heads_do_not_flip_silently():
    """Reachy Mini between random poses inside its limits: what is sure is where many small steps lead."""
    robot, rng = cc.load("hexa:reachy-mini"), np.random.default_rng(5)
    reach = np.array([0.01, 0.01, 0.01, *np.deg2rad([40.0, 40.0, 65.0])])
    x = rng.uniform(-1, 1, (4000, 6)) * reach
    made = robot.call("inverse", x=x, sigma=np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0]))
    kept = made["slack"].min(axis=-1) > 1e-4  # within the rods' reach
    x, q = x[kept], made["q"][kept]
    half = len(x) // 2
    a, b = slice(0, half), slice(half, 2 * half)
    found = track(robot, q[a], x[a], q[b])
    small, sure = x[a], np.ones(half, bool)
    for k in range(64):
        there = q[a] + (k + 1) / 64 * (q[b] - q[a])
        part = track(robot, q[a] + k / 64 * (q[b] - q[a]), small, there)
        small, sure = part.x, sure & part.sure
    both = found.sure & sure
    assert both.mean() > 0.99
    assert np.abs(found.x - small)[both].max() < 1e-9


def test_a_mode_is_named_where_there_are_several():
    """Without a name the poses are told; with one the tracker begins there."""
    robot = cc.load("biglide")
    with pytest.raises(cc.ClosedChainError, match="2 poses close the loops"):
        robot.track([0.0, 0.0])
    assert robot.track([0.0, 0.0], assembly="-").x[1] < 0.0
