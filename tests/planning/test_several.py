"""Planning where other bodies follow from the output: the output's own coordinates, branches, honest claims."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Crank, Free, Mechanism, Recipe
from closedchain.errors import BadInput
from closedchain.planning import plan
from closedchain.planning.shapes import disc


@pytest.fixture(scope="module")
def robot():
    """Two cranks, two bars, the tip on the extension of one."""
    A1 = Crank("q1", about=(0, 0), radius=0.4, mass=1.0, point="A1")
    A2 = Crank("q2", about=(0.3, 0), radius=0.3, mass=1.0, point="A2")
    C = Free("C", mass=1.0)
    arm = Bar(A1, C, 0.35, mass=0.5)
    return cc.load(
        Recipe(Mechanism("arm", drives=(A1, A2), bars=(arm, Bar(A2, C, 0.4)), output=arm.point("P", 0.6, 0.1)))
    )


def test_a_straight_motion_is_checked_and_not_called_proven(robot):
    """The tip goes straight; every sample closes its loops with the tip there, on one branch."""
    found = plan(robot, [0.35, 0.75], [0.3, 0.6], margin=0.01)
    assert found.found
    assert found.kind == "straight"
    assert not found.proven
    assert "not proven" in found.message
    mode = found.modes[0]
    for x, q in zip(found.x[::40], found.q[::40], strict=True):
        turn = np.remainder(cc.inverse(robot, x[:2])[mode].q - q + np.pi, 2 * np.pi) - np.pi
        np.testing.assert_allclose(turn, 0.0, atol=1e-9)


def test_a_way_around_an_obstacle_keeps_its_distance(robot):
    """A disc on the straight line of the tip: the plan goes around it, and no sample of the tip is inside."""
    start, goal, centre, radius = [0.35, 0.75], [0.6, 0.5], np.array([0.48, 0.63]), 0.03
    found = plan(
        robot,
        start,
        goal,
        margin=0.01,
        obstacles=[disc(centre, radius)],
        resolution=0.05,
        bounds=[[0, 0.2], [0.9, 0.95]],
    )
    assert found.found, found.message
    assert found.kind == "roadmap"
    assert np.linalg.norm(found.x[:, :2] - centre, axis=-1).min() > radius
    assert found.clearance > 0.0


def test_what_is_out_of_reach_is_told(robot):
    """A goal 2 m away."""
    with pytest.raises(cc.ClosedChainError, match="misses x"):
        plan(robot, [0.35, 0.75], [2.0, 0.0])


def test_an_output_that_is_not_free_is_refused():
    """One drive cannot take two coordinates anywhere."""
    with pytest.raises(BadInput, match="cannot be moved freely"):
        plan(cc.load("squeezer"), [0.0, 0.0], [0.01, 0.0])
