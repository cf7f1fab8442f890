"""What is drawn of a robot, by its points."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.model.layout import layout, positions
from closedchain.model.sampling import sample
from closedchain.model.sliders import slider


def test_the_triplates_cranks_share_one_centre():
    """Two cranks about one fixed point: one pivot after the named points, and both drives stand on it."""
    drawn = layout(cc.load("triplate"))
    cranks = [d for d in drawn.drives if d.kind == "crank"]
    assert len(drawn.pivots) == 1
    assert [d.base for d in cranks] == [len(drawn.names)] * 2
    assert drawn.plate
    assert drawn.names[drawn.tip] == "a2"


@pytest.mark.parametrize("name", ["biglide", "fivebar", "triplate", "slidercrank", "delta"])
def test_cranks_turn_at_their_radius_and_sliders_stay_on_their_line(name):
    """At random configurations, by the distances between the points."""
    model = cc.load(name)
    some, drawn = sample(model, 5), layout(model)
    points = positions(model, drawn, some.q, some.x)
    atol = 1e-12 * model.scale  # rounding of coordinates
    for k, drive in enumerate(drawn.drives):
        end = points[:, drive.point]
        if drive.kind == "slider":
            at, along = (np.array([model.number(e) for e in v]) for v in (drive.at, drive.along))
            np.testing.assert_allclose(end, at + some.q[:, [k]] * along, atol=atol)
        else:
            length = model.number(drive.radius) if drive.kind == "crank" else some.q[:, k]
            np.testing.assert_allclose(np.linalg.norm(end - points[:, drive.base], axis=1), length, atol=atol)


def test_sliders_range_about_their_values_and_angles_all_the_way_round():
    """A length from a quarter to thrice its value; every range holds its value."""
    model = cc.load("biglide")
    ranges = {p.name: slider(model, p) for p in model.equations.parameters}
    assert ranges["l"] == pytest.approx((0.25 * 0.3606, 3 * 0.3606))
    for name in ("triplate", "furuta", "rrr3"):
        robot = cc.load(name)
        for parameter in robot.equations.parameters:
            low, high = slider(robot, parameter)
            assert low <= robot.values[parameter.name] <= high
