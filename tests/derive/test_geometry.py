"""Closed forms of a point from circles, lines and spheres, at points chosen first; how far a crank's bar misses."""

import casadi as ca
import numpy as np
import pytest

import closedchain as cc
from closedchain.derive.geometry import circle_and_line, three_spheres, two_circles, two_lines

RNG = np.random.default_rng(11)


def numbers(found):
    """A point and its slack as numbers."""
    point, slack = (np.array(ca.DM(ca.evalf(ca.SX(e)))).ravel() for e in found)
    return point, float(slack[0])


def about(point, centres):
    """Circles or spheres about the centres, through the point: all of different radii."""
    radii = [float(np.linalg.norm(point - c)) for c in centres]
    assert np.ptp(radii) > 0.1
    return [(ca.SX(ca.DM(c)), ca.SX(r)) for c, r in zip(centres, radii, strict=True)]


@pytest.mark.parametrize("trial", range(5))
def test_three_spheres_of_different_radii_meet_in_the_point_and_its_mirror_image(trial):
    """The side of (c2 − c1) × (c3 − c1) is s = +1; s = −1 is the reflection in the plane of the centres."""
    centres = RNG.uniform(-1, 1, (3, 3)) + np.diag([2.0, 2.0, 2.0])
    normal = np.cross(centres[1] - centres[0], centres[2] - centres[0])
    normal /= np.linalg.norm(normal)
    point = centres.mean(axis=0) + RNG.uniform(-0.6, 0.6, 3) + 0.8 * normal
    height = (point - centres[0]) @ normal
    side = float(np.sign(height))
    got, slack = numbers(three_spheres(about(point, centres), ca.SX(side)))
    mirrored, _ = numbers(three_spheres(about(point, centres), ca.SX(-side)))
    np.testing.assert_allclose(got, point, rtol=0, atol=1e-13)  # some 30 operations on numbers of size 10
    np.testing.assert_allclose(mirrored, point - 2 * height * normal, rtol=0, atol=1e-13)
    off = np.linalg.norm(point - centres[0] - height * normal)  # of the plane's nearest point from the first centre
    assert slack == pytest.approx(np.linalg.norm(point - centres[0]) - off, abs=1e-13)


@pytest.mark.parametrize("trial", range(5))
def test_two_circles_of_different_radii_meet_in_the_point_and_its_mirror_image(trial):
    """The left of c1 → c2 is s = +1; the slack is what the triangle inequality leaves."""
    c1, c2 = RNG.uniform(-1, 1, 2), RNG.uniform(-1, 1, 2) + np.array([3.0, 0.0])
    along = (c2 - c1) / np.linalg.norm(c2 - c1)
    left = np.array([-along[1], along[0]])
    point = c1 + RNG.uniform(0.2, 0.9) * along + RNG.uniform(0.5, 1.5) * left
    circles = about(point, (c1, c2))
    got, slack = numbers(two_circles(circles, ca.SX(1)))
    mirrored, _ = numbers(two_circles(circles, ca.SX(-1)))
    np.testing.assert_allclose(got, point, rtol=0, atol=1e-13)
    np.testing.assert_allclose(mirrored, point - 2 * ((point - c1) @ left) * left, rtol=0, atol=1e-13)
    r1, r2, D = np.linalg.norm(point - c1), np.linalg.norm(point - c2), np.linalg.norm(c2 - c1)
    assert slack == pytest.approx(min(r1 + r2 - D, D - abs(r1 - r2)), abs=1e-13)


def test_a_circle_and_a_line_meet_on_both_sides_of_the_centres_foot():
    """Chosen point, foot and half-chord: s = +1 lies along the line's direction from the foot, s = −1 behind it."""
    u = np.array([0.6, 0.8])
    foot, half, off = np.array([0.3, -0.2]), 0.5, 0.7
    centre = foot + off * np.array([0.8, -0.6])
    circle = (ca.SX(ca.DM(centre)), ca.SX(np.hypot(half, off)))
    line = (ca.SX(ca.DM(foot - 3.0 * u)), ca.SX(ca.DM(u)))
    for s in (1, -1):
        got, slack = numbers(circle_and_line(circle, line, ca.SX(s)))
        np.testing.assert_allclose(got, foot + s * half * u, rtol=0, atol=1e-14)
        assert slack == pytest.approx(np.hypot(half, off) - off, abs=1e-14)


def test_two_lines_cross_where_they_were_drawn_through():
    """Directions 0.5 rad apart through one point; the slack is the sine of that angle, whichever way they turn."""
    point = np.array([0.4, -1.3])
    for turn in (0.5, -0.5):
        u, v = (np.array([np.cos(a), np.sin(a)]) for a in (0.3, 0.3 + turn))
        lines = [(ca.SX(ca.DM(point + way * d)), ca.SX(ca.DM(d))) for d, way in ((u, 2.0), (v, -1.5))]
        got, slack = numbers(two_lines(lines))
        np.testing.assert_allclose(got, point, rtol=0, atol=1e-14)
        assert slack == pytest.approx(np.sin(0.5), abs=1e-15)


@pytest.mark.parametrize(
    ("off", "rho", "room"),
    [
        (2.0, 0.524, 1.244 - 2.0),  # beside the crank's plane by more than the bar, right over the arm's circle
        (2.0, 0.6, 1.244 - 2.0),
        (0.4, 1.8, 0.524 + np.sqrt(1.244**2 - 0.4**2) - 1.8),  # too far out in the plane
        (0.4, 0.1, 0.1 - (np.sqrt(1.244**2 - 0.4**2) - 0.524)),  # too near to the pivot
        (0.4, 1.0, 1.0 - (np.sqrt(1.244**2 - 0.4**2) - 0.524)),  # within reach, nearer to the inner end
    ],
)
def test_a_cranks_bar_in_space_has_the_room_that_hand_geometry_gives(off, rho, room):
    """The Delta's first leg, R = 0.524 m and l = 1.244 m: the far end stands `off` beside the plane of the crank and
    `rho` from its axis; the bar leaves √(l² − off²) of itself in the plane."""
    robot = cc.load("delta")
    pivot, joint = robot.values["s_B"] * np.sqrt(3) / 6, robot.values["s_P"] * np.sqrt(3) / 3
    down, out = rho * np.sin(0.9), rho * np.cos(0.9)  # 0.9 rad below the arm's zero
    x = np.array([off, joint - pivot - out, -down])  # the leg looks along −y, its plane is x = 0
    slack = robot.call("inverse", x=x, sigma=np.ones(3))["slack"]
    assert slack[0] == pytest.approx(room, abs=1e-12)
