"""Results as pandas and xarray hold them: the same numbers under names with units."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.singularity.maps import map_grid
from closedchain.sweep.asking import study
from closedchain.sweep.running import sweep

pytest.importorskip("pandas")
pytest.importorskip("xarray")


@pytest.fixture(scope="module")
def biglide():
    """The robot."""
    return cc.load("biglide")


@pytest.fixture(scope="module")
def run(biglide):
    """Under computed torque."""
    line = cc.quintic([0.0, 0.3], [0.1, 0.5], duration=0.2)
    return cc.simulate(biglide, cc.ComputedTorque(line, kp=100, kd=100), interval=5e-3)


def test_a_runs_frame_has_its_histories_by_time(run):
    """Bit for bit, indexed by seconds."""
    table = cc.frame(run)
    np.testing.assert_array_equal(table.index, run.t)
    np.testing.assert_array_equal(table["q1_m"], run.q[:, 0])
    assert table.shape == (len(run.t), len(run.columns()) - 1)


def test_solutions_frame_has_a_row_each(biglide):
    """Modes, coordinates, passive joints, and which element of the batch it solves."""
    found = cc.inverse(biglide, x=[[0.03, 0.25], [0.0, 0.2]])
    table = cc.frame(found)
    assert list(table["working"]) == ["++", "+-", "-+", "--"] * 2
    np.testing.assert_array_equal(table["element"], [0] * 4 + [1] * 4)
    np.testing.assert_array_equal(table[["q1_m", "q2_m"]], found.q)


def test_a_checks_frame_has_a_row_for_each_law(biglide):
    """With what it found."""
    report = cc.check(biglide, states=20)
    table = cc.frame(report)
    assert list(table["law"]) == [row.law for row in report.rows]
    assert table["ok"].all()


def test_a_runs_dataset_has_dimensions_with_names(run):
    """Picked by the joint's name and the nearest time."""
    data = cc.dataset(run)
    assert float(data["q"].sel(joint="q2").sel(time=0.1, method="nearest")) == run.q[np.abs(run.t - 0.1).argmin(), 1]
    assert data["time"].attrs["units"] == "s"
    assert data.attrs["robot"] == "biglide"
    np.testing.assert_array_equal(data["error"], run.error)


def test_a_maps_dataset_lies_over_the_plane(biglide):
    """By working mode, y and x."""
    grid = map_grid(biglide, (-0.1, 0.1, 0.1, 0.3), (7, 9), ["condition"])
    data = cc.dataset(grid)
    assert data["condition"].dims == ("working", "y", "x")
    np.testing.assert_array_equal(data["condition"].sel(working="+-"), grid.plane("condition", "+-"))


@pytest.mark.parametrize("make", [cc.frame, cc.dataset])
def test_what_is_no_table_is_refused(make):
    """In one sentence."""
    with pytest.raises(BadInput, match="a dict "):
        make({})


def test_a_studys_frame_has_a_row_for_each_point():
    """Factors, answers, and why one is missing."""
    done = sweep(study("biglide", {"l": "0.15:0.45:4"}, ["workspace_area"]))
    table = cc.frame(done)
    np.testing.assert_array_equal(table["l_m"], done.points[:, 0])
    np.testing.assert_array_equal(table[done.header[1]], done.values[:, 0])
    assert list(table["status"] == "ok") == [i not in done.failed for i in range(len(done))]
