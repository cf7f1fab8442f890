"""The picture of singular curves: in which plane, in which units, and cut where an angle goes round."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.singularity.joint_loci import joint_loci
from closedchain.singularity.loci import loci
from closedchain.view.curves import figure_curves


@pytest.fixture(scope="module")
def fivebar():
    """Two cranks."""
    return cc.load("fivebar")


def test_drives_that_turn_are_drawn_in_degrees_within_half_a_turn(fivebar):
    """Whole turns on both axes; no line jumps across the picture where an angle goes round."""
    (axes,) = figure_curves(fivebar, [joint_loci(fivebar, lines=8)]).axes
    assert (axes.get_xlim(), axes.get_ylim()) == ((-180.0, 180.0), (-180.0, 180.0))
    assert axes.get_xlabel().endswith("[°]")
    for line in axes.get_lines():
        steps = np.abs(np.diff(line.get_xydata(), axis=0))
        assert np.nanmax(steps) < 20.0
    assert any(np.isnan(line.get_xydata()).any() for line in axes.get_lines())


def test_the_types_and_legs_are_named_once_each(fivebar):
    """Type 2, and each leg in both assembly modes, however many pieces there are."""
    found = [joint_loci(fivebar, lines=8, kind=kind) for kind in "AB"]
    figure = figure_curves(fivebar, found)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert sorted(names) == [
        "Type 1, A1-C in +",
        "Type 1, A1-C in −",
        "Type 1, A2-C in +",
        "Type 1, A2-C in −",
        "Type 2",
    ]


def test_the_outputs_plane_is_drawn_in_metres():
    """A plate's slice: the angle that is held stands in the title."""
    robot = cc.load("triplate")
    figure = figure_curves(robot, [loci(robot, window=((0, 2), (-0.5, 0.5)), fixed={"phi": np.deg2rad(10)}, lines=6)])
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "y [m]")
    assert "φ = 10°" in figure.get_suptitle()
