"""Maps, reach and aspects of bodies in space over two coordinates, against single poses and proven segments."""

from __future__ import annotations

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.singularity.along import along
from closedchain.singularity.aspects import aspects
from closedchain.singularity.maps import map_grid
from closedchain.singularity.pose import singularities
from closedchain.singularity.workspace import workspace

HOME = {"x": 0.0, "y": 0.0, "z": 0.0, "roll": 0.0}
WINDOW = (-0.6, 0.6, -2.0, 2.0)


@pytest.fixture(scope="module")
def head():
    """Reachy Mini's."""
    return cc.load("hexa:reachy-mini")


def test_a_slice_has_the_values_of_its_poses(head):
    """Over pitch and yaw, in the mode that it is built in: det A, det B and reach of each pose by itself."""
    grid = map_grid(head, WINDOW, (7, 5), ("det_A", "det_B", "condition", "effort"), hold=HOME, dtype=np.float64)
    assert grid.slice.names == ("pitch", "yaw")
    assert grid.working == ("-+-+-+",)
    assert 0 < np.count_nonzero(grid.reachable) < grid.reachable.size
    for i, j in np.argwhere(grid.reachable):
        x = np.array([0, 0, 0, 0, grid.x[j], grid.y[i]])
        now = cc.evaluate(head, x=x, working="-+-+-+")
        assert grid.plane("det_A", "-+-+-+")[i, j] == pytest.approx(now.det_A, rel=1e-10)
        assert grid.plane("det_B", "-+-+-+")[i, j] == pytest.approx(now.det_B, rel=1e-10)
        assert grid.plane("effort", "-+-+-+")[i, j] == pytest.approx(
            np.linalg.norm(now.J_twist[:3], axis=0).max(), rel=1e-9
        )
    missed = np.argwhere(~grid.reachable)[0]
    with pytest.raises(cc.ClosedChainError):
        singularities(head, x=[0, 0, 0, 0, grid.x[missed[1]], grid.y[missed[0]]], working="-+-+-+")


def test_aspects_of_a_slice_meet_where_a_segment_is_singular(head):
    """Three aspects over pitch and yaw; at level pitch they are parted at the two proven yaws."""
    parts = aspects(head, WINDOW, hold=HOME, depth=3)
    assert [a.sign for a in parts] == [1, -1, -1]
    (point,) = along(head, np.zeros(6), [0, 0, 0, 0, 0, 1.7])
    inside = parts.at([[0.0, point.x[5] - 0.05], [0.0, point.x[5] + 0.05]], "-+-+-+")
    assert [parts.every[i].sign for i in inside] == [1, -1]
    reach = workspace(head, WINDOW, hold=HOME, depth=3)
    assert reach.area.unit == "rad²"
    assert sum(a.area for a in parts) == pytest.approx(reach.area.value, rel=2e-2)  # cells at edges left undecided


def test_what_is_held_must_leave_a_plane(head):
    """Two coordinates vary, of a body in space alone, over a window."""
    with pytest.raises(BadInput, match="over two coordinates"):
        map_grid(head, WINDOW, (3, 3), hold={"x": 0.0})
    with pytest.raises(BadInput, match="needs a window"):
        map_grid(head, None, (3, 3), hold=HOME)
    with pytest.raises(BadInput, match="only a body in space"):
        map_grid(cc.load("biglide"), None, (3, 3), hold={"x": 0.0})


def test_the_wrist_and_the_ankle_have_slices():
    """Where drives have no leg of their own the slice is solved point by point."""
    wrist = cc.load("wrist")
    grid = map_grid(wrist, (-0.3, 0.3, -0.3, 0.3), (3, 3), ("det_A",), hold={"yaw": 0.1}, dtype=np.float64)
    assert grid.slice.names == ("roll", "pitch")
    now = cc.evaluate(wrist, x=[0.0, 0.3, 0.1], working="+++")
    assert grid.plane("det_A", "+++")[2, 1] == pytest.approx(now.det_A, rel=1e-9)
    assert map_grid(cc.load("ankle"), (-0.3, 0.3, -0.3, 0.3), (3, 3), ("det_A",)).slice.names == ("pitch", "roll")
