"""The errata of seed 002, inverse and forward kinematics and paths (TRUTH.md §1.4 rows 2-1 to 2-13).

Each test codes the printed formula, shows by how much it misses, and that the right one is what closedchain computes.
Rows 2-14 to 2-20 are in test_errata_002_singular.py, row 2-7's numbers in test_printed_numbers.py.
A row of wording only, not tested: 2-10 (roots for the "inverse" kinematics, meaning forward).
"""

import numpy as np
import pytest

import closedchain as cc

R, L, r = 4.0, 3.5, 2.0
POSE = np.array([-3.0, -1.0, np.pi / 4])  # the document's p*, its S2
Q_STAR = np.array([-2.45301657642206, 2.4671676132511835, 4.69041575982343])  # TRUTH.md: IK(POSE) in mode (+,-)
MODES = ("++", "+-", "-+", "--")
EXACT = {"rtol": 0, "atol": 1e-13}  # rounding of squares of order 20


def corners(pose):
    """a1, a2, a3 of the plate."""
    x, y, phi = pose
    turn = phi + np.pi / 3
    return np.array([[x + r * np.cos(turn), y + r * np.sin(turn)], [x, y], [x + r * np.cos(phi), y + r * np.sin(phi)]])


def solution(robot, pose, mode):
    """Our inverse solution of a pose in one working mode."""
    (found,) = [s for s in cc.inverse(robot, pose) if s.working == mode]
    return found


def linear_system(q, phi, A_sign):
    """x, y from A x + B y = E, C x + D y = F, with A as printed (+1) or put right (-1)."""
    (c1, c2), (s1, s2), cf, sf = np.cos(q[:2]), np.sin(q[:2]), np.cos(phi), np.sin(phi)
    root = np.sqrt(3)
    A = A_sign * (2 * R * (c1 - c2) - r * cf + root * r * sf)
    B = 2 * R * (s2 - s1) + r * sf + root * r * cf
    E = R * r * (cf * c1 + sf * s1) + root * R * r * (s1 * cf - c1 * sf) - r**2
    C, D = -2 * R * c2 - 2 * r * cf, -2 * R - 2 * R * s2 - 2 * r * sf
    F = L**2 - q[2] ** 2 + r**2 + 2 * R * r * sf
    return np.array([D * E - B * F, A * F - C * E]) / (A * D - B * C)


def turned(angle):
    """The angle modulo a turn, in [-pi, pi)."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def test_2_1_the_telescopes_foot_is_below(triplate):
    """sqrt(a3x² + (a3y - R)²) is 3.920789; with b3 = (0, -R) it is 4.690416, the document's own q*."""
    a3 = corners(POSE)[2]
    np.testing.assert_allclose(np.hypot(a3[0], a3[1] - R), 3.920789, rtol=0, atol=5.1e-7)
    ours = solution(triplate, POSE, "+-").q[2]
    np.testing.assert_allclose(ours, np.hypot(a3[0], a3[1] + R), **EXACT)
    np.testing.assert_allclose(ours, 4.690416, rtol=0, atol=5.1e-7)


def test_2_2_the_printed_inverse_fails_above_the_centre_and_ours_does_not(triplate):
    """At a2x = 0 the printed b2x divides by zero; all four of our solutions close both arms."""
    pose = np.array([0.0, 2.0, 0.3])
    assert corners(pose)[1][0] == 0.0
    found = cc.inverse(triplate, pose)
    assert len(found) == 4
    for s in found:
        feet = R * np.stack([np.cos(s.q[:2]), np.sin(s.q[:2])], axis=-1)
        np.testing.assert_allclose(np.linalg.norm(corners(pose)[:2] - feet, axis=1), L, **EXACT)


@pytest.mark.parametrize("pose", [(-3.0, -1.0, np.pi / 4), (1.5, 0.4, 0.2), (2.0, -1.0, 2.0)])
def test_2_2_the_root_on_b_y_is_not_a_working_mode(triplate, pose):
    """The larger root b_y is the sign of a_x: where a_x < 0 it is the "-" arm."""
    a = corners(pose)
    for arm in range(2):
        up, down = (solution(triplate, pose, mode) for mode in ("++", "--"))
        larger = "+" if np.sin(up.q[arm]) > np.sin(down.q[arm]) else "-"
        assert larger == ("+" if a[arm][0] > 0 else "-")


@pytest.mark.parametrize("mode", MODES)
def test_2_3_the_expanded_closures_are_right(triplate, mode):
    """Eqs 3, 6 and 10 vanish at all four of our inverse solutions."""
    q, (x, y, phi) = solution(triplate, POSE, mode).q, POSE
    (c1, c2), (s1, s2), cf, sf, root = np.cos(q[:2]), np.sin(q[:2]), np.cos(phi), np.sin(phi), np.sqrt(3)
    eq_3 = x**2 + y**2 + r**2 + R**2 + x * r * cf - root * x * r * sf + y * r * sf + root * y * r * cf - 2 * R * x * c1
    eq_3 += -R * r * c1 * cf + root * R * r * c1 * sf - 2 * R * y * s1 - R * r * s1 * sf - root * R * r * s1 * cf
    eq_6 = x**2 + y**2 + R**2 - 2 * x * R * c2 - 2 * y * R * s2
    eq_10 = R**2 + 2 * R * r * sf + 2 * R * y + r**2 + 2 * r * x * cf + 2 * r * y * sf + x**2 + y**2
    np.testing.assert_allclose([eq_3, eq_6, eq_10], [L**2, L**2, q[2] ** 2], **EXACT)


def test_2_4_equation_7_has_the_angles_of_the_other_arm(triplate):
    """With (c1, s1) eq 7 misses R² by 9.865; with (c2, s2) it holds."""
    q, (x, y, _) = solution(triplate, POSE, "+-").q, POSE
    misses = [L**2 + 2 * R * (x * np.cos(q[k]) + y * np.sin(q[k])) - x**2 - y**2 - R**2 for k in range(2)]
    np.testing.assert_allclose(misses[0], 9.865, rtol=0, atol=5.1e-4)
    np.testing.assert_allclose(misses[1], 0, **EXACT)


def test_2_5_equation_11_has_two_wrong_signs(triplate):
    """As printed it misses R² by -2.627; with minus before 2r(…), x² and y² it holds."""
    d3, (x, y, phi) = solution(triplate, POSE, "+-").q[2], POSE
    start = d3**2 - 2 * R * r * np.sin(phi) - 2 * R * y - r**2 - R**2
    moved = 2 * r * (x * np.cos(phi) + y * np.sin(phi)) + x**2 + y**2
    np.testing.assert_allclose(start + moved, -2.627, rtol=0, atol=5.1e-4)
    np.testing.assert_allclose(start - moved, 0, **EXACT)


def test_2_6_the_coefficient_a_has_the_wrong_sign(triplate):
    """Printed, the linear system gives (-1.388, -0.652) at phi = 45°; put right it gives our pose (-3, -1)."""
    np.testing.assert_allclose(linear_system(Q_STAR, POSE[2], +1), [-1.388, -0.652], rtol=0, atol=5.1e-4)
    for pose in cc.direct(triplate, Q_STAR):
        np.testing.assert_allclose(linear_system(Q_STAR, pose.x[2], -1), pose.x[:2], rtol=0, atol=1e-11)


def test_2_8_the_fourth_solution_is_a_true_one(triplate):
    """S4 closes the loops to rounding; its q* is in mode (-,+), that of S1, S2, S3 in (+,-)."""
    found = cc.direct(triplate, Q_STAR)
    by_angle = {round(np.rad2deg(s.x[2])): s for s in found}
    assert {angle: s.working for angle, s in by_angle.items()} == {-155: "-+", -29: "+-", 45: "+-", 48: "+-"}
    assert max(s.residual for s in found) < 1e-13


def test_2_8_the_printed_error_of_s4_is_another_branchs(triplate):
    """(-92.14°, 114.89°, 0) is q* minus IK(S4) in mode (+,-); in mode (-,+) the difference is zero."""
    (s4,) = [s for s in cc.direct(triplate, Q_STAR) if s.x[2] < -2]
    wrong, right = (turned(Q_STAR - solution(triplate, s4.x, mode).q) for mode in ("+-", "-+"))
    np.testing.assert_allclose(np.rad2deg(wrong[:2]), [-92.14, 114.89], rtol=0, atol=5.1e-3)
    np.testing.assert_allclose(wrong[2], 0, **EXACT)
    np.testing.assert_allclose(right, 0, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("angle", "printed", "unit"),
    [
        (48, (0.523, 0.058, 3.191), "deg"),
        (-29, (-2.436, 0.869, -1.2910), "rad"),
        (-155, (3.129, 2.2060, -200.455), "deg"),
    ],
)
def test_2_9_the_printed_pose_errors_are_solutions_minus_the_pose(triplate, angle, printed, unit):
    """E_p is defined as p* - f(S) and printed as f(S) - p*; E_p3's angle is in rad, -73.97°."""
    (found,) = [s for s in cc.direct(triplate, Q_STAR) if round(np.rad2deg(s.x[2])) == angle]
    error = found.x - POSE
    error[2] = np.rad2deg(error[2]) if unit == "deg" else error[2]
    # printed to three decimals; the document's angles in degrees are off by 2 in the third
    np.testing.assert_allclose(error, printed, rtol=0, atol=3e-3)
    assert np.abs(-error - printed).max() > 1


def test_2_11_there_are_up_to_six_solutions(triplate):
    """The document's own X_b = (-2, 0, 0) in mode (+,+) has six; its three other modes have two."""
    counts = {mode: len(cc.direct(triplate, solution(triplate, [-2.0, 0.0, 0.0], mode).q)) for mode in MODES}
    assert counts == {"++": 6, "+-": 2, "-+": 2, "--": 2}


PATHS = pytest.mark.parametrize("y_a", [-1.0, -2.0])  # Q1-Q2 use -1, Q3 uses -2


def path(y_a, s):
    """The straight path from X_a = (-3, y_a, 45°) to X_b = (-2, 0, 0) of section 3, at s in [0, 1]."""
    start, end = np.array([-3.0, y_a, np.pi / 4]), np.array([-2.0, 0.0, 0.0])
    return start + np.asarray(s)[..., None] * (end - start)


@PATHS
def test_2_12_both_paths_have_four_inverse_solutions_everywhere(triplate, y_a):
    """(-3, -1, 45°) and (-3, -2, 45°) are two inputs; at 401 points of each path all four modes exist."""
    found = cc.inverse(triplate, path(y_a, np.linspace(0, 1, 401)))
    np.testing.assert_array_equal(np.bincount(np.asarray(found.index, dtype=int)), np.full(401, 4))


@PATHS
@pytest.mark.parametrize("mode", MODES)
def test_2_13_the_joints_are_continuous_in_every_working_mode(triplate, y_a, mode):
    """No mode jumps: between 401 points the arms turn by less than 1.5° and the leg moves less than 15 mm."""
    q = cc.evaluate(triplate, x=path(y_a, np.linspace(0, 1, 401)), working=mode).q
    steps = np.abs(turned(np.diff(q, axis=0)))
    assert steps[:, :2].max() < np.deg2rad(1.5)
    assert steps[:, 2].max() < 0.015


@PATHS
def test_2_13_only_the_mode_of_q_star_crosses_a_singularity(triplate, y_a):
    """det J_x changes sign once in (+,-), at s = 0.127599 (y_a = -1) or 0.122782 (y_a = -2), and never elsewhere."""
    s = np.linspace(0, 1, 2001)
    det = {mode: cc.evaluate(triplate, x=path(y_a, s), working=mode).det_A for mode in MODES}
    changes = {mode: np.flatnonzero(np.diff(np.sign(values))) for mode, values in det.items()}
    assert {mode: len(where) for mode, where in changes.items()} == {"++": 0, "+-": 1, "-+": 0, "--": 0}
    k, values = changes["+-"][0], det["+-"]
    crossing = s[k] - values[k] * (s[k + 1] - s[k]) / (values[k + 1] - values[k])
    np.testing.assert_allclose(
        crossing, {-1.0: 0.127599, -2.0: 0.122782}[y_a], rtol=0, atol=2e-6
    )  # linear between points
