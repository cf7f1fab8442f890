"""Tables as motions."""

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.errors import BadInput
from closedchain.motion import Table, spline, table_motion


def test_free_ends_give_back_the_velocity_with_which_a_motion_begins():
    """A sine of 301 rows: rates of its own ends, which clamped or natural ones would bend; 1e-9 of the quintic's h⁴."""
    t = np.linspace(0.0, 3.0, 301)
    made = spline(0.1 * np.sin(t), t, degree=5, ends="free")
    np.testing.assert_allclose(made(t).x[:, 0], 0.1 * np.sin(t), atol=1e-15)
    inside = np.linspace(0.0, 3.0, 1000)
    np.testing.assert_allclose(made(inside).x_dot[:, 0], 0.1 * np.cos(inside), rtol=0, atol=1e-10)
    np.testing.assert_allclose(made(inside).x_ddot[:, 0], -0.1 * np.sin(inside), rtol=0, atol=1e-7)
    with pytest.raises(BadInput, match="need 6"):
        spline([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], degree=5, ends="free")


def test_columns_are_found_by_the_coordinates_names():
    """Drives first, with or without their unit, in any order; else the output."""
    robot, t = cc.load("biglide"), np.linspace(0.0, 1.0, 11)
    made = table_motion(robot, Table(("t", "q2_m", "q1", "x"), np.stack([t, -t, t, 0 * t], axis=-1)))
    assert made.space == "joint"
    np.testing.assert_allclose(made(0.5).x, [0.5, -0.5], atol=1e-15)
    assert table_motion(robot, Table(("t", "x", "y"), np.stack([t, t, t], axis=-1))).space == "output"
    with pytest.raises(BadInput, match="q1, q2 or x, y are needed"):
        table_motion(robot, Table(("t", "a", "b"), np.stack([t, t, t], axis=-1)))


def test_a_sampled_motion_read_back_is_the_motion(tmp_path):
    """From a formula to a file of 17 digits and back: the spline's error only, far below a nanometre."""
    robot = cc.load("biglide")
    feet = motion.formula_of(robot, "q1 = 0.1*sin(t); q2 = -0.1*sin(t)", 3.0)
    motion.write_table(tmp_path / "feet.txt", motion.sample(feet, 0.01))
    again = table_motion(robot, motion.read_table(tmp_path / "feet.txt"))
    at = np.linspace(0.0, 3.0, 777)
    np.testing.assert_allclose(again(at).x, feet(at).x, rtol=0, atol=1e-14)
