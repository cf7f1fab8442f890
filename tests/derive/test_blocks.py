"""Blocks of closures, each as small as it can be, in an order in which they are solved."""

import closedchain as cc
from closedchain.derive.blocks import blocks, undetermined


def named(robot, found):
    """(closures, unknowns) of each block by name."""
    e = robot.equations
    return [([e.closures[i].name for i in b.closures], [e.z[i].name for i in b.unknowns]) for b in found]


def test_the_squeezers_bodies_come_one_after_another():
    """E by two circles from the crank, then G, H and D from E."""
    robot = cc.load("squeezer")
    found = named(robot, blocks(robot.equations, range(1, 9)))
    assert found[0] == (["F-E", "B-E"], ["x", "y"])
    assert sorted(found[1:]) == [
        (["A-G", "G-E"], ["x_G", "y_G"]),
        (["A-H", "H-E"], ["x_H", "y_H"]),
        (["B-D", "E-D"], ["x_D", "y_D"]),
    ]


def test_each_leg_is_a_block_of_the_inverse_problem():
    """A drive and its own closure."""
    robot = cc.load("triplate")
    found = named(robot, blocks(robot.equations, range(3)))
    assert sorted(unknowns for _, unknowns in found) == [["d3"], ["theta1"], ["theta2"]]
    assert all(len(closures) == 1 for closures, _ in found)


def test_closures_beyond_the_unknowns_go_where_they_are_needed():
    """With E given, the crank follows from one bar; the other bar has no unknown and is left to be checked."""
    robot = cc.load("squeezer")
    found = blocks(robot.equations, [0])
    assert named(robot, found) == [(["F-E"], ["beta"])]
    assert found[0].more == ()


def test_too_few_closures_are_told_with_what_they_leave_open():
    """Two windows without a given point: nothing is determined."""
    robot = cc.load("nfourbar:2")
    assert blocks(robot.equations, range(6)) is None
    assert undetermined(robot.equations, range(6)) == [0, 1, 2, 3, 4, 5]
