"""Maps and workspaces of robots whose other bodies follow from the output."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Crank, Free, Mechanism, Pin, Recipe, Slider
from closedchain.errors import BadInput
from closedchain.singularity.aspects import aspects
from closedchain.singularity.maps import map_grid
from closedchain.singularity.workspace import workspace


def traced_fivebar():
    """The shipped five-bar with its tip written as a tracer: a point of no length on the bar's end, pinned to it."""
    shipped = cc.load("fivebar").recipe.description
    A1, A2 = shipped.drives
    arm, other = shipped.bars
    return cc.load(Recipe(Mechanism("traced", drives=(A1, A2), bars=(arm, other), output=arm.point("P", arm.length))))


def pantograph():
    """Two cranks on one pivot and a parallelogram of bars; the tip is 0.5 m along a bar of 0.3 m."""
    A = Crank("q1", about=(0, 0), radius=0.2, point="A", mass=1.0)
    B = Crank("q2", about=(0, 0), radius=0.3, point="B", mass=1.0)
    C = Free("C", mass=1.0)
    arm = Bar(B, C, 0.2)
    return cc.load(
        Recipe(Mechanism("pantograph", drives=(A, B), bars=(Bar(A, C, 0.3), arm), output=arm.point("P", 0.5)))
    )


def test_a_map_of_a_traced_tip_is_the_map_of_the_tip():
    """The same robot in two descriptions: where it reaches, det A and the efforts agree point by point."""
    plain, traced = cc.load("fivebar"), traced_fivebar()
    size = plain.scale
    window = (-2.013 * size, 2.04 * size, -2.007 * size, 2.1 * size)  # no grid point is singular
    wanted = map_grid(plain, window, (23, 21), dtype=np.float64)
    found = map_grid(traced, window, (23, 21), dtype=np.float64)
    assert set(found.working) == set(wanted.working)
    np.testing.assert_array_equal(found.reachable, wanted.reachable)
    for mode in wanted.working:
        inside = wanted.reachable
        np.testing.assert_allclose(found.plane("effort", mode)[inside], wanted.plane("effort", mode)[inside], rtol=1e-9)
        signs = np.sign(wanted.plane("det_A", mode)[inside] * found.plane("det_A", mode)[inside])
        assert len(set(signs)) == 1  # pins multiply every determinant by the same number


def test_the_workspace_of_a_pantograph_is_an_annulus():
    """Its tip hangs on one rigid arm of 0.5 m at the end of a crank of 0.3 m: π (0.8² − 0.2²) in each mode."""
    found = workspace(pantograph(), depth=0)
    exact = np.pi * (0.8**2 - 0.2**2)
    assert found.area.method == "cells"
    assert abs(found.area.value - exact) < 0.01 * exact
    assert set(found.by_mode) == set(found.working)
    assert "in some of" in str(found)
    x0, x1, y0, y1 = found.window
    assert x0 <= -0.8 < 0.8 <= x1
    assert y0 <= -0.8 < 0.8 <= y1


def test_aspects_are_found_at_the_resolution_of_the_search():
    """Each working mode of the traced five-bar is cut by det A = 0 as that of the plain one."""
    plain = aspects(cc.load("fivebar"), working="++", depth=1)
    traced = aspects(traced_fivebar(), plain.window, working="++", depth=1)
    area = [sum(a.area for a in found if a.sign > 0) for found in (plain, traced)]
    other = [sum(a.area for a in found if a.sign < 0) for found in (plain, traced)]
    assert sorted([area[0], other[0]]) == pytest.approx(sorted([area[1], other[1]]), rel=0.03)


def test_an_output_that_drives_do_not_move_freely_is_refused_in_words():
    """One drive, two coordinates."""
    with pytest.raises(BadInput, match="as many drives as coordinates"):
        workspace(cc.load("squeezer"))


def test_an_endless_rail_asks_for_a_window():
    """A slider carries the whole robot along its rail: the reach has no end, and the message names the option."""
    A = Slider("q1", at=(0, 0), along=(1, 0), mass=1.0)
    B = Crank("q2", about=(0, 0), radius=0.3, mass=1.0)
    C, P = Free("C", mass=1.0), Free("P")
    robot = cc.load(
        Recipe(Mechanism("rail", drives=(A, B), bars=(Bar(A, C, 0.5), Bar(B, C, 0.4)), pins=(Pin(C, P),), output=P))
    )
    found = workspace(robot, depth=0)  # the crank bounds it
    assert found.window[1] == pytest.approx(0.7)
