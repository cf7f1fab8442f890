"""Poses in whole numbers: right triangles by hand, and the same poses as in floating point."""

import numpy as np
import pytest

from closedchain.model.exact_plate import exact_poses

LOCAL = np.array([[0.0, 0.0], [7.0, 0.0], [10.0, 0.0]])


def on_one_line(*offsets):
    """Centres on the x axis, so many metres beside the plate points of the pose (0, y, 0)."""
    return LOCAL + np.column_stack([offsets, np.zeros(3)])


def poses_at_angle_zero(centre, radius, far=2.0):
    """y of the exact poses with φ = 0."""
    found = exact_poses(centre, np.array(radius, float), LOCAL, far=far, scale=1.0)
    at_zero = np.abs(found.phi) < 1e-12
    origin = centre[0] @ [1, 1j] + found.U[at_zero]
    np.testing.assert_allclose(origin.real, 0, atol=1e-12)
    return sorted(origin.imag)


def test_two_mirror_poses_with_one_angle_are_two():
    """Legs 13, 15, 37 over 5, 9, 35 stand 12 high, or hang 12 low: one double root of the eliminant, two poses."""
    assert poses_at_angle_zero(on_one_line(5, -9, 35), [13, 15, 37]) == pytest.approx([-12, 12])


def test_legs_stretched_on_their_line_are_one_pose():
    """Legs 5, 9, 35 over 5, 9, 35: they lie in the line, and both mirror poses are this one."""
    assert poses_at_angle_zero(on_one_line(5, -9, 35), [5, 9, 35]) == pytest.approx([0])


def test_a_real_angle_whose_tips_would_be_complex_is_no_pose():
    """Legs 5, 9, 35 over 13, 15, 37 fit at y² = −144: the eliminant vanishes at φ = 0, and nothing closes."""
    assert poses_at_angle_zero(on_one_line(13, -15, 37), [5, 9, 35]) == []


def test_a_rotation_that_loses_a_degree_is_replaced():
    """With the pole of the half-angle on a pose, the same poses come out."""
    turned = poses_at_angle_zero(on_one_line(5, -9, 35), [13, 15, 37], far=0.0)
    assert turned == pytest.approx([-12, 12])


def test_a_congruent_plate_on_equal_legs_is_left_open():
    """Every place of leg 1 on its circle closes at φ = 0: no list of poses, and none is claimed."""
    centre = np.array([[0.0, 0.0], [4.0, 0.0], [3.0, 5.0]])
    assert exact_poses(centre, np.ones(3), centre, far=2.0, scale=1.0) is None
