"""Motions in SE(3): screws against the matrix exponential, rates against differences, both in fifty digits."""

import mpmath
import numpy as np
import pytest

from closedchain import motion
from closedchain.errors import BadInput
from closedchain.model.orientation import from_quaternions, matrices, quaternions, rolls, spins

START = np.array([0.1, -0.2, 1.1, 0.3, -0.4, 0.5])
END = np.array([-0.3, 0.25, 1.4, -0.6, 0.2, 2.1])
DIGITS = 50


def exact(pose):
    """The 4 × 4 matrix of a pose in many digits."""
    x, y, z, roll, pitch, yaw = map(mpmath.mpf, pose)
    (cr, sr), (cp, sp), (cy, sy) = ((mpmath.cos(a), mpmath.sin(a)) for a in (roll, pitch, yaw))
    return mpmath.matrix(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
            [-sp, cp * sr, cp * cr, z],
            [0, 0, 0, 1],
        ]
    )


def angles_of(g):
    """x, y, z, roll, pitch, yaw of a 4 × 4 matrix in many digits."""
    level = mpmath.hypot(g[0, 0], g[1, 0])
    turned = ((g[2, 1], g[2, 2]), (-g[2, 0], level), (g[1, 0], g[0, 0]))
    return [g[0, 3], g[1, 3], g[2, 3], *(mpmath.atan2(a, b) for a, b in turned)]


def differences(pose, s):
    """The first three derivatives of a function of s by central differences in fifty digits."""
    h = mpmath.mpf("1e-10")
    at = {k: pose(s + k * h) for k in (-2, -1, 0, 1, 2)}
    rows = [at[0], [(a - b) / (2 * h) for a, b in zip(at[1], at[-1], strict=True)]]
    rows.append([(a - 2 * m + b) / h**2 for a, m, b in zip(at[1], at[0], at[-1], strict=True)])
    outer = zip(*(at[k] for k in (2, 1, -1, -2)), strict=True)
    rows.append([(c - 2 * a + 2 * b - d) / (2 * h**3) for c, a, b, d in outer])
    return np.array([[float(v) for v in row] for row in rows])


def rows(reference):
    """Positions and their rates."""
    return np.array([reference.x, reference.x_dot, reference.x_ddot, reference.x_dddot])


LEVEL = motion.constant_velocity([0.0], [1.0], 1.0)  # s = t


@pytest.mark.parametrize("s", [0.2, 0.5, 0.9])
def test_a_screw_is_the_matrix_exponential(s):
    """exp(s log(g₁ g₀⁻¹)) g₀ with mpmath's expm and logm, and its derivatives by differences."""
    with mpmath.workdps(DIGITS):
        g0 = exact(START)
        xi = mpmath.logm(exact(END) * g0**-1)
        wanted = differences(lambda r: angles_of(mpmath.expm(r * xi, method="taylor") * g0), mpmath.mpf(s))
    found = rows(motion.screw(START, END, timing=LEVEL)(s))
    np.testing.assert_allclose(found, wanted.real, rtol=2e-13, atol=2e-12)


def test_a_straight_motion_turns_about_one_axis_at_one_rate():
    """ω, made of the angles' rates, is the rotation vector of R₁ R₀ᵀ at every s; the origin is on the line."""
    found = motion.straight(START, END, timing=LEVEL)(np.linspace(0.0, 1.0, 21))
    w = np.einsum("tij,tj->ti", spins(found.x[:, 3:]), found.x_dot[:, 3:])
    with mpmath.workdps(DIGITS):
        turn = mpmath.logm((exact(END) * exact(START) ** -1)[:3, :3])
        wanted = np.array([float(mpmath.re(turn[i, j])) for i, j in ((2, 1), (0, 2), (1, 0))])
    np.testing.assert_allclose(w, np.tile(wanted, (21, 1)), atol=1e-13)
    line = START[:3] + np.linspace(0, 1, 21)[:, None] * (END - START)[:3]
    np.testing.assert_allclose(found.x[:, :3], line, atol=1e-15)
    np.testing.assert_allclose(found.x[[0, -1]], [START, END], atol=1e-14)


POSES = np.array([START, [0.0, 0.1, 1.2, 0.8, 0.3, 1.5], END, [0.2, 0.2, 1.0, 0.1, -0.7, 3.4]])
TIMES = [0.0, 0.7, 1.5, 2.0]


@pytest.mark.parametrize("degree", [3, 5])
def test_a_spline_s_rates_are_its_derivatives_and_do_not_jump(degree):
    """Within a piece by differences in fifty digits; at the poses from both sides up to x″, for degree 5 to x‴."""
    made = motion.pose_spline(POSES, TIMES, degree=degree)
    piece, t = 1, 1.1
    turn, begin = made.turn.coefficients[piece], TIMES[piece]

    def pose(r):
        """x and the angles of the quaternion's polynomial, normalised."""
        e = [sum(mpmath.mpf(c[k]) * (r - begin) ** n for n, c in enumerate(turn)) for k in range(4)]
        w, x, y, z = (v / mpmath.sqrt(sum(u * u for u in e)) for v in e)
        g = mpmath.matrix(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 0],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 0],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), 0],
                [0, 0, 0, 1],
            ]
        )
        return angles_of(g)[3:]

    with mpmath.workdps(DIGITS):
        wanted = differences(pose, mpmath.mpf(t))
    np.testing.assert_allclose(rows(made(t))[:, 3:], wanted, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(made(TIMES).x, POSES, atol=1e-13)
    np.testing.assert_allclose(rows(made(np.array([0.0, 2.0])))[1], 0.0, atol=1e-12)  # clamped
    for knot in TIMES[1:-1]:
        before, after = rows(made(knot - 1e-9)), rows(made(knot + 1e-9))
        smooth = 3 if degree == 3 else 4
        np.testing.assert_allclose(before[:smooth], after[:smooth], atol=1e-5)  # 2e-9 s of the next rate


def test_a_spline_does_not_depend_on_the_frames_one_chooses():
    """Ground and body turned by fixed rotations: the same motion, turned."""
    G, B = matrices(np.array([0.4, 0.2, -1.0])), matrices(np.array([-0.3, 0.1, 0.6]))
    t = np.linspace(0.0, 2.0, 9)
    plain = matrices(motion.pose_spline(POSES[:, 3:], TIMES)(t).x)
    turned = motion.pose_spline(rolls(G @ matrices(POSES[:, 3:]) @ B), TIMES)(t).x
    np.testing.assert_allclose(matrices(turned), G @ plain @ B, atol=1e-13)


def test_turns_about_a_line_count_on_and_advance():
    """Two turns about an upright line 0.1 m away: the yaw counts 4π, the origin comes back, 0.2 m higher."""
    made = motion.screw_about(START, [0.1, -0.1, 0.0], [0, 0, 2], 4 * np.pi, timing=LEVEL, advance=0.2)
    x = made(np.array([0.0, 0.125, 1.0])).x
    np.testing.assert_allclose(x[1], [0.2, -0.1, 1.125, 0.3, -0.4, 0.5 + np.pi / 2], atol=1e-14)
    np.testing.assert_allclose(x[2], START + np.array([0, 0, 0.2, 0, 0, 4 * np.pi]), atol=1e-14)


@pytest.mark.parametrize("angle", [1e-13, 1e-9, 1e-4])
def test_screws_that_hardly_turn_go_nearly_straight(angle):
    """The axis is far away; the middle is beside the chord's by an eighth of its length times the angle."""
    end = START + np.array([0.1, 0.2, -0.3, 0, 0, angle])
    middle = motion.screw(START, end, timing=LEVEL)(0.5).x
    bend = angle / 8 * np.array([-0.2, 0.1, 0.0])  # u × d /8 to first order, against the chord
    np.testing.assert_allclose(middle[:3], (START + end)[:3] / 2 - bend, atol=1e-15 + angle**2)


def test_poses_without_angles_are_refused():
    """Through a pitch of 90° roll and yaw are not told; orientations too far apart for a spline; wrong numbers."""
    with pytest.raises(BadInput, match=r"pitch comes within .*° of ±90°"):
        motion.straight([0, 0, 0, 0, -1.2, 0], [0, 0, 0, np.pi, -1.2, np.pi], 1.0)
    with pytest.raises(BadInput, match="within ±90°"):
        motion.screw([0, 0, 0, 0, 2.0, 0], START, 1.0)
    with pytest.raises(BadInput, match="4 numbers"):
        motion.straight([0, 0, 0, 1], [0, 0, 0, 1], 1.0)
    with pytest.raises(BadInput, match="axis not all 0"):
        motion.screw_about(START, [0, 0, 0], [0, 0, 0], 1.0, 1.0)


def test_quaternions_of_the_angles_are_the_matrix():
    """The rates' own formulas against the matrices."""
    rng = np.random.default_rng(3)
    angles = rng.uniform([-3, -1.4, -3], [3, 1.4, 3], (50, 3))
    made = motion.pose_spline(angles[:4] * 0.3, [0, 1, 2, 3])
    np.testing.assert_allclose(made([0, 1, 2, 3]).x, angles[:4] * 0.3, atol=1e-14)
    np.testing.assert_allclose(from_quaternions(quaternions(matrices(angles))), matrices(angles), atol=1e-15)
