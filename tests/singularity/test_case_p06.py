"""Case P06: the singularities of the lab's biglide and the reach of its five-bar, found by search."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.singularity.along import along
from closedchain.singularity.workspace import workspace


def test_the_labs_biglide_meets_type_2_where_its_feet_are_furthest_apart():
    """In mode (+, −) the line y = 0.3 is singular at x = 0 alone, where |q1 − q2| = √(4 l² − d²)."""
    robot = cc.load("biglide:lab")
    found = along(robot, [-0.08, 0.3], [0.08, 0.3], working="+-", kind="A")
    assert found.complete
    (point,) = found.points
    assert point.x[0] == pytest.approx(0.0, abs=1e-12)
    q = cc.inverse(robot, point.x)["+-"].q
    assert abs(q[0] - q[1]) == pytest.approx(0.39999996471644844, rel=1e-9)


def test_the_labs_biglide_meets_type_1_where_a_leg_lies_flat():
    """|x| = l − d/2 on both sides: followed along y = 0.3 until the branch ends there."""
    robot = cc.load("biglide:lab")
    for side in (1.0, -1.0):
        path = np.linspace([0.0, 0.3], [side * 0.2, 0.3], 401)
        found = cc.follow(robot, x=path, working="++")
        assert not found.complete
        end = found.fraction / 400 * 0.2
        assert end == pytest.approx(0.0828427, rel=1e-9)


def test_the_five_bars_reach_is_a_lens():
    """The union over working modes: two discs of radius 2 l, their centres d apart."""
    found = workspace(cc.load("fivebar"))
    assert found.area.value == pytest.approx(0.06008102014968061, rel=1e-9)
