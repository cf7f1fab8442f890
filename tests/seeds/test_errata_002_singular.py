"""The errata of seed 002, Jacobians and singular points (TRUTH.md §1.4 rows 2-14 to 2-20).

The document's third row of J_x has -R where the foot at (0, -R) asks +R; its four singular points follow from that.
A row of wording only: 2-19's "unattainable" is tested as the fact it denies.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc

TRUTH = json.loads((Path(__file__).parents[1] / "data" / "truth_planar3dof.json").read_text(encoding="utf-8"))
WRONG_SIGN = TRUTH["singular_phi10_y0"]["as_printed_wrong_sign"]
CORRECT = TRUTH["singular_phi10_y0"]["correct"]
R, L, r = 4.0, 3.5, 2.0
POSE = np.array([-3.0, -1.0, np.pi / 4])
PHI = np.deg2rad(10)
MODES = ("++", "+-", "-+", "--")


def sign_names(signs):
    """(1, -1) -> "+-"."""
    return "".join("+" if sign > 0 else "-" for sign in signs)


def on_the_line(x):
    """Poses (x, 0, 10°), the line of section 5."""
    x = np.asarray(x, dtype=float)
    return np.stack([x, np.zeros_like(x), np.full_like(x, PHI)], axis=-1)


def third_row(pose, sign):
    """J_x(3, ·) with the foot's sign as printed (-1) or put right (+1)."""
    x, y, phi = np.moveaxis(np.asarray(pose), -1, 0)
    across = 2 * y + 2 * r * np.sin(phi) + 2 * sign * R
    turn = 2 * r * ((sign * R + y) * np.cos(phi) - x * np.sin(phi))
    return np.stack([2 * x + 2 * r * np.cos(phi), across, turn], axis=-1)


def printed_J_x(robot, pose, mode):
    """Our J_x with its third row as section 4 prints it."""
    J_x = np.array(cc.evaluate(robot, x=pose, working=mode).A)
    J_x[..., 2, :] = third_row(pose, -1)
    return J_x


def sign_changes(values):
    """Where a sequence changes sign: the index before."""
    return np.flatnonzero(np.diff(np.sign(values)))


def closures(pose, q):
    """F of section 4 with b3 = (0, -R)."""
    x, y, phi = pose
    turn = phi + np.pi / 3
    a = np.array([[x + r * np.cos(turn), y + r * np.sin(turn)], [x, y], [x + r * np.cos(phi), y + r * np.sin(phi)]])
    feet = np.array([[R * np.cos(q[0]), R * np.sin(q[0])], [R * np.cos(q[1]), R * np.sin(q[1])], [0.0, -R]])
    return ((a - feet) ** 2).sum(axis=1) - np.array([L, L, q[2]]) ** 2


def central_difference(function, at, step=1e-6):
    """The Jacobian of a function of a pose, to second order in the step."""
    return np.stack([(function(at + step * e) - function(at - step * e)) / (2 * step) for e in np.eye(3)], axis=-1)


def test_2_14_the_third_row_of_j_x_has_the_wrong_sign_of_r(triplate):
    """Printed (-3.1716, -7.1716, -5.6569); finite differences and ours (-3.1716, 8.8284, 16.9706)."""
    printed = third_row(POSE, -1)
    np.testing.assert_allclose(printed, [-3.1716, -7.1716, -5.6569], rtol=0, atol=5.1e-5)
    here = cc.evaluate(triplate, x=POSE, working="+-")
    np.testing.assert_allclose(here.A[2], [-3.1716, 8.8284, 16.9706], rtol=0, atol=5.1e-5)
    np.testing.assert_allclose(here.A[2], third_row(POSE, +1), rtol=0, atol=1e-13)
    differences = central_difference(lambda pose: closures(pose, here.q), POSE)
    np.testing.assert_allclose(here.A, differences, rtol=0, atol=1e-8)  # rounding of 20 m² over the step


@pytest.mark.parametrize("mode", MODES)
def test_2_15_the_other_rows_and_j_q_are_right(triplate, mode):
    """Rows 1 and 2 of J_x, and J_q, as printed, are our A and B."""
    here = cc.evaluate(triplate, x=POSE, working=mode)
    (t1, t2, d3), (x, y, phi) = here.q, POSE
    turn = phi + np.pi / 3
    row_1 = [2 * x + 2 * r * np.cos(turn) - 2 * R * np.cos(t1), 2 * y + 2 * r * np.sin(turn) - 2 * R * np.sin(t1)]
    row_1 += [2 * r * (np.sin(turn) * (R * np.cos(t1) - x) + np.cos(turn) * (-R * np.sin(t1) + y))]
    row_2 = [2 * x - 2 * R * np.cos(t2), 2 * y - 2 * R * np.sin(t2), 0.0]
    np.testing.assert_allclose(here.A[:2], [row_1, row_2], rtol=0, atol=1e-13)
    arm_1 = x * np.sin(t1) + r * np.cos(turn) * np.sin(t1) - y * np.cos(t1) - r * np.sin(turn) * np.cos(t1)
    arm_2 = x * np.sin(t2) - y * np.cos(t2)
    np.testing.assert_allclose(here.B, np.diag([2 * R * arm_1, 2 * R * arm_2, -2 * d3]), rtol=0, atol=1e-13)


@pytest.mark.parametrize("want", WRONG_SIGN, ids=lambda w: f"{sign_names(w['mode'])} x={w['x']:.4f}")
def test_2_16_the_documents_points_are_zeros_of_the_wrong_matrix(triplate, want):
    """With the printed row det J_x vanishes at these x, with these null vectors, where the right one is regular."""
    mode, step = sign_names(want["mode"]), 1e-6
    beside = printed_J_x(triplate, on_the_line(want["x"] + np.array([-step, step])), mode)
    before, after = np.linalg.det(beside)
    assert before * after < 0
    _, _, rows = np.linalg.svd(beside.mean(axis=0))
    null = rows[-1] * np.sign(rows[-1][0])
    np.testing.assert_allclose(null, want["null_unit"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(np.rad2deg(np.arctan2(null[1], null[0])), want["beta_deg"], rtol=0, atol=1e-6)
    assert abs(cc.evaluate(triplate, x=on_the_line(want["x"]), working=mode).det_A) > 400


@pytest.mark.parametrize(
    ("x", "mode", "eigenvector", "det"),
    [
        (1.0925, "-+", (0.8439, -0.2993, 0.4453), 851),
        (1.2446, "++", (0.8705, -0.2273, 0.4366), -1065),
        (1.0227, "--", (0.9130, 0.3724, 0.1666), -955),
        (1.6559, "+-", (0.9282, 0.0810, 0.3631), 1283),
    ],
)
def test_2_16_none_of_the_four_printed_points_is_singular(triplate, x, mode, eigenvector, det):
    """The printed vector is null for the printed matrix; our det is far from 0 and no direct solution is double."""
    printed = printed_J_x(triplate, on_the_line(x), mode)
    assert np.abs(printed @ eigenvector).max() < 2e-3  # x and the vector have four decimals
    here = cc.evaluate(triplate, x=on_the_line(x), working=mode)
    np.testing.assert_allclose(here.det_A, det, rtol=0, atol=0.6)
    assert np.abs(here.A @ eigenvector).max() > 5
    found = cc.direct(triplate, here.q)
    assert len(found) % 2 == 0
    assert not any(s.double for s in found)


@pytest.mark.parametrize(("mode", "zeros"), [("++", (0.53678,)), ("+-", ()), ("-+", (0.52359,)), ("--", ())])
def test_2_16_the_true_singular_points(triplate, mode, zeros):
    """x = 0.53678 in (+,+), x = 0.52359 in (-,+), none in the other modes: sign changes of our det on 0.5 < x < 2."""
    x = np.linspace(0.5005, 2.0, 3000)
    where = sign_changes(cc.evaluate(triplate, x=on_the_line(x), working=mode).det_A)
    np.testing.assert_allclose(x[where], zeros, rtol=0, atol=6e-4)  # the grid's step is 0.5 mm


def test_2_17_the_smallest_determinant_finds_one_zero_per_mode_and_misses_two(triplate):
    """The document's own matrix has six zeros; an argmin of |det| finds four, and its list lacks 0.7203 and 1.0180."""
    x = np.linspace(0.501, 2.0, 1500)
    det = {mode: np.linalg.det(printed_J_x(triplate, on_the_line(x), mode)) for mode in MODES}
    changes = {mode: sign_changes(values) for mode, values in det.items()}
    assert {mode: len(where) for mode, where in changes.items()} == {"++": 2, "+-": 1, "-+": 2, "--": 1}
    bracketed = np.sort(x[np.concatenate(list(changes.values()))])
    np.testing.assert_allclose(bracketed, sorted(w["x"] for w in WRONG_SIGN), rtol=0, atol=1.1e-3)  # the grid's step
    for mode, values in det.items():
        smallest = np.abs(values).argmin()
        assert (np.abs(changes[mode] + 0.5 - smallest) < 1).sum() == 1  # beside one of its zeros
    missed = [zero for zero in bracketed if np.abs(zero - np.array([1.0925, 1.2446, 1.0227, 1.6559])).min() > 2e-3]
    np.testing.assert_allclose(missed, [0.7203, 1.0180], rtol=0, atol=1.1e-3)


def test_2_18_there_is_no_inverse_solution_below_r_minus_l(triplate):
    """The second arm cannot reach within R - L = 0.5 of the centre: nothing at 0.499, four solutions at 0.501."""
    assert len(cc.inverse(triplate, on_the_line(0.499))) == 0
    assert len(cc.inverse(triplate, on_the_line(0.501))) == 4


@pytest.mark.parametrize("want", CORRECT, ids=lambda w: sign_names(w["mode"]))
def test_2_19_a_singular_j_x_frees_the_plate_at_a_pose_it_has_attained(triplate, want):
    """The pose closes all loops, J_q is regular, and the twist along the null vector needs no drive to move."""
    mode, pose = sign_names(want["mode"]), on_the_line(want["x"])
    (found,) = [s for s in cc.inverse(triplate, pose) if s.working == mode]
    np.testing.assert_allclose(closures(pose, found.q), 0, rtol=0, atol=1e-13)
    beside = cc.evaluate(triplate, x=on_the_line(want["x"] + np.array([-1e-6, 1e-6])), working=mode)
    free = beside.A.mean(axis=0) @ want["null_unit"]  # A x_dot + B q_dot = 0 with q_dot = 0
    np.testing.assert_allclose(free, 0, rtol=0, atol=1e-8)
    assert np.abs(np.linalg.det(beside.B)).min() > 100


@pytest.mark.parametrize("want", CORRECT, ids=lambda w: sign_names(w["mode"]))
def test_2_20_the_null_vectors_norm_depends_on_the_unit_and_its_centre_does_not(triplate, want):
    """In millimetres the unit null vector becomes another; twist per rad/s and centre only change their unit."""
    mode, step = sign_names(want["mode"]), 1e-6
    large = triplate.with_values(R=1e3 * R, L=1e3 * L, r=1e3 * r)
    pose = on_the_line(want["x"] + np.array([-step, step])) * [1e3, 1e3, 1.0]
    A = cc.evaluate(large, x=pose, working=mode).A.mean(axis=0)
    _, _, rows = np.linalg.svd(A @ np.diag([1.0, 1.0, 1e-3]))  # angle in mrad, so that columns are comparable
    millimetres = rows[-1] * [1.0, 1.0, 1e-3] / np.linalg.norm(rows[-1] * [1.0, 1.0, 1e-3])
    assert np.abs(np.abs(millimetres) - np.abs(want["null_unit"])).max() > 0.3
    twist = millimetres / millimetres[2]
    np.testing.assert_allclose(twist, np.array(want["twist_per_unit_omega"]) * [1e3, 1e3, 1.0], rtol=1e-7)
    centre = [1e3 * want["x"] - twist[1], twist[0]]
    np.testing.assert_allclose(centre, 1e3 * np.array(want["instantaneous_centre"]), rtol=1e-7)
