"""Motions by formula."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.errors import BadInput


def test_a_sine_of_the_drives_has_its_exact_rates():
    """Seed 000's excitation q = (0.1 sin t, −0.1 sin t), to the last bits."""
    feet = motion.formula(["0.1*sin(t)", "-0.1*sin(t)"], 3.0, space="joint")
    t = np.linspace(0.0, 3.0, 301)
    made, both = feet(t), np.array([0.1, -0.1])
    s, c = np.sin(t)[:, None], np.cos(t)[:, None]
    for got, want in ((made.x, s), (made.x_dot, c), (made.x_ddot, -s), (made.x_dddot, -c)):
        np.testing.assert_allclose(got, both * want, rtol=0, atol=1e-16)
    assert (feet.space, feet.dimension, feet.duration) == ("joint", 2, 3.0)


def test_before_and_after_it_rests_where_it_begins_and_ends():
    """Positions hold, all rates are zero, one instant or many."""
    made = motion.formula("t**2", 2.0, start=1.0)
    assert made(0.0).x == 1.0
    assert made(9.0).x == 9.0
    assert made(9.0).x_dot == 0.0
    assert made(3.0).x_dot == 6.0
    assert made(np.zeros((2, 3))).x_ddot.shape == (2, 3, 1)


def test_a_robots_motion_is_named_by_its_coordinates_and_may_use_its_parameters():
    """All drives or all of the output; l is the biglide's own."""
    robot = cc.load("biglide")
    feet = motion.formula_of(robot, "q2 = -l*t; q1 = l*t", 1.0)
    assert feet.space == "joint"
    np.testing.assert_allclose(feet(0.5).x, [0.1803, -0.1803], rtol=1e-15)
    tip = motion.formula_of(robot, {"x": "0.05*sin(t)", "y": 0.3}, 1.0)
    assert tip.space == "output"
    assert tip(1.0).x[1] == 0.3
    np.testing.assert_allclose(motion.joint(robot, tip, working="++")(0.3).x_dot[0], 0.05 * np.cos(0.3) * _slope(0.3))


def _slope(t):
    """dq1/dx of y − q1 = √(l² − (x + d/2)²) with y held."""
    across = 0.05 * np.sin(t) + 0.2
    return across / np.sqrt(0.3606**2 - across**2)


@pytest.mark.parametrize("text", ["q1 = t", "q1 = t; y = t", "q3 = t; q1 = 0; q2 = 0", "q1 = sin(; q2 = 0", ""])
def test_a_motion_that_leaves_coordinates_out_is_refused_with_their_names(text):
    """The error says which names make a motion."""
    with pytest.raises(BadInput, match=r"q1, q2 \(the drives\) or x, y \(the output\)|not an arithmetic"):
        motion.formula_of(cc.load("biglide"), text, 1.0)


@pytest.mark.parametrize(
    "text", ["1/(t - 1)", "t/(3*(t - 0.7)**2)", "tan(2*t)", "(t - 0.3)**-2", "2/sqrt(t*t - 2*t + 1)"]
)
def test_a_pole_within_the_duration_is_refused_when_the_motion_is_made(text):
    """Also between the instants that are looked at, before anything follows it."""
    with pytest.raises(BadInput, match="no finite"):
        motion.formula(text, 2.0)
    assert motion.formula("1/(t - 3) + tan(t/2)/(2 + sin(t))", 2.0).duration == 2.0


@pytest.mark.parametrize("duration", [0.0, -1.0, float("nan"), "x"])
def test_a_duration_is_a_positive_number(duration):
    """As of every motion."""
    with pytest.raises(BadInput, match="duration"):
        motion.formula("t", duration)
