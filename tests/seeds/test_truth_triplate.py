"""Every triplate value of truth.json (there called planar3dof), one at a time and batched (seed 002)."""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.model.three_circles import half_angle_sextic

TRUTH = json.loads((Path(__file__).parents[1] / "data" / "truth_planar3dof.json").read_text(encoding="utf-8"))
CASES = TRUTH["cases"]
BRANCHES = [(number, branch) for number in range(len(CASES)) for branch in range(4)]
R, L, r = (TRUTH["params"][name] for name in ("R", "L", "r"))
PLATE = np.array([[r / 2, r * np.sqrt(3) / 2], [0.0, 0.0], [r, 0.0]])  # a1, a2, a3 in the plate's frame
PHI = np.deg2rad(10)  # the line y = 0, phi = 10° on which seed 002 looks for singular points


def sign_names(signs):
    """(1, -1) -> "+-"."""
    return "".join("+" if sign > 0 else "-" for sign in signs)


def wrap(angle):
    """The angle modulo a turn, in [-pi, pi)."""
    return (np.asarray(angle) + np.pi) % (2 * np.pi) - np.pi


def miss(got, want, angles):
    """Largest difference of two (*batch, 3) vectors whose listed entries are angles."""
    difference = np.asarray(got) - np.asarray(want)
    difference[..., angles] = wrap(difference[..., angles])
    return np.abs(difference).max(axis=-1)


def circles(q):
    """Centres and radii of the three circles on which the plate's corners lie."""
    feet = [[R * np.cos(q[0]), R * np.sin(q[0])], [R * np.cos(q[1]), R * np.sin(q[1])], [0.0, -R]]
    return np.array(feet), np.array([L, L, q[2]])


def assert_same_poses(got, want):
    """The same set of poses, each found once; 1e-12 of size 8 next to no singularity, 1e-10 allowed (TRUTH.md §2)."""
    assert len(got) == len(want)
    for pose in want:
        assert (miss(got, pose, [2]) < 1e-10).sum() == 1


def test_the_triplate_has_the_documents_parameters(triplate):
    """R = 4 and L = 3.5 are printed; r = 2 follows from the printed q*."""
    assert {name: triplate.values[name] for name in TRUTH["params"]} == TRUTH["params"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: str(np.round(c["X"], 2)))
def test_the_four_inverse_solutions_of_a_pose(triplate, case):
    """Four working modes, named by the signs of the two arms, with the reference's joints."""
    found = {s.working: s for s in cc.inverse(triplate, case["X"])}
    assert len(found) == 4
    for want in case["ik"]:
        assert miss(found[sign_names(want["mode"])].q, want["q"], [0, 1]) < 1e-12 * R


def test_the_inverse_solutions_of_all_poses_in_one_call(triplate):
    """8 poses, 32 rows, each in its place."""
    found = cc.inverse(triplate, [case["X"] for case in CASES])
    got = {(int(found.index[k]), found.mode[k]): found.q[k] for k in range(len(found))}
    assert len(got) == len(found) == 4 * len(CASES)
    for number, case in enumerate(CASES):
        for want in case["ik"]:
            assert miss(got[number, sign_names(want["mode"])], want["q"], [0, 1]) < 1e-12 * R


@pytest.mark.parametrize(("number", "branch"), BRANCHES)
def test_the_jacobians_on_every_branch(triplate, number, branch):
    """A is J_x and B is J_q of seed 002 with the signs put right (TRUTH.md §1.4 row 2-14)."""
    want = CASES[number]["ik"][branch]
    got = cc.evaluate(triplate, x=CASES[number]["X"], working=sign_names(want["mode"]))
    scale = np.abs(want["Jx"]).max()
    np.testing.assert_allclose(got.A, want["Jx"], rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(got.B, want["Jq"], rtol=0, atol=1e-12 * np.abs(want["Jq"]).max())
    np.testing.assert_allclose(got.det_A, want["det_Jx"], rtol=1e-12, atol=1e-13 * scale**3)


@pytest.mark.parametrize("mode", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_the_jacobians_of_all_poses_in_one_call(triplate, mode):
    """A batch of poses in one working mode gives the same J_x and J_q."""
    got = cc.evaluate(triplate, x=np.array([case["X"] for case in CASES]), working=sign_names(mode))
    want = [next(k for k in case["ik"] if k["mode"] == list(mode)) for case in CASES]
    np.testing.assert_allclose(got.A, [k["Jx"] for k in want], rtol=0, atol=3e-11)  # entries up to 30
    np.testing.assert_allclose(got.B, [k["Jq"] for k in want], rtol=0, atol=3e-11)


@pytest.mark.parametrize(("number", "branch"), BRANCHES)
def test_all_direct_solutions_on_every_branch(triplate, number, branch):
    """2, 4 or 6 poses: all of them, none twice; the pose we came from is among them."""
    want = CASES[number]["ik"][branch]
    found = cc.direct(triplate, want["q"])
    assert_same_poses(found.x, want["fk_real"])
    assert (miss(found.x, CASES[number]["X"], [2]) < 1e-10).sum() == 1
    assert max(s.residual for s in found) < 1e-13 * 10


def test_the_direct_solutions_of_all_branches_in_one_call(triplate):
    """32 joint vectors in one call, the same poses as one by one."""
    rows = [CASES[number]["ik"][branch] for number, branch in BRANCHES]
    found = cc.direct(triplate, [row["q"] for row in rows])
    for number, row in enumerate(rows):
        assert_same_poses(found.x[np.asarray(found.index) == number], row["fk_real"])


@pytest.mark.parametrize(("number", "branch"), BRANCHES)
def test_the_sextic_of_the_half_angle(number, branch):
    """The monic polynomial in tan(phi/2), of degree six, and its complex roots."""
    want = CASES[number]["ik"][branch]
    got = np.asarray(half_angle_sextic(*circles(want["q"]), PLATE))
    assert got.shape == (TRUTH["polynomial_degree"] + 1,)
    got = got / got[0]
    # made monic by its leading coefficient, f(phi = pi), which may be small beside the others
    np.testing.assert_allclose(got, want["fk_poly_monic_desc"], rtol=0, atol=1e-11 * np.abs(got).max())
    for real, imaginary in want["fk_complex_t"]:
        t = complex(real, imaginary)
        size = np.polyval(np.abs(got), abs(t))
        assert abs(np.polyval(got, t)) < 1e-11 * size
    assert len(want["fk_complex_t"]) + len(want["fk_real"]) == TRUTH["polynomial_degree"]


def test_the_documents_joints_have_its_four_poses(triplate):
    """q* of seed 002: S1 to S4, S4 included (TRUTH.md §1.4 row 2-8)."""
    found = cc.direct(triplate, TRUTH["document_q_star"])
    assert_same_poses(found.x, [s["X"] for s in TRUTH["document_fk"]])
    np.testing.assert_allclose(
        np.sort(np.tan(found.x[:, 2] / 2)), [s["t"] for s in TRUTH["document_fk"]], rtol=1e-12, atol=0
    )


def test_six_real_poses(triplate):
    """A joint vector with all six poses real, the most there can be."""
    six = TRUTH["six_real_solutions"]
    found = cc.direct(triplate, six["q"])
    assert len(found) == TRUTH["max_real_fk"] == 6
    assert_same_poses(found.x, six["X"])


def test_the_number_of_poses_is_even(triplate):
    """Away from singularities real poses come in pairs, six at most; a sample sees each of 0, 2 and 4."""
    draw = np.random.default_rng(2)
    q = np.column_stack([draw.uniform(-np.pi, np.pi, (200, 2)), draw.uniform(0.5, 10, 200)])
    found = cc.direct(triplate, q)
    counts = np.bincount(np.asarray(found.index, dtype=int), minlength=len(q))
    assert set(counts) <= {0, 2, 4, 6}
    assert {0, 2, 4} <= set(counts)


@pytest.mark.parametrize("want", TRUTH["singular_phi10_y0"]["correct"], ids=lambda w: sign_names(w["mode"]))
def test_the_true_singular_points_on_the_documents_line(triplate, want):
    """det J_x changes sign at the reference's x, where null twist, centre and direction are the reference's."""
    step = 1e-6
    x = want["x"] + np.array([-step, step])
    pose = np.stack([x, np.zeros(2), np.full(2, PHI)], axis=-1)
    beside = cc.evaluate(triplate, x=pose, working=sign_names(want["mode"]))
    before, after = beside.det_A
    assert before * after < 0
    np.testing.assert_allclose(x[0] - before * 2 * step / (after - before), want["x"], rtol=0, atol=1e-10)
    A = beside.A.mean(axis=0)  # the singular J_x, to second order in the step
    np.testing.assert_allclose(A, want["Jx"], rtol=0, atol=1e-9)
    _, sizes, rows = np.linalg.svd(A)
    np.testing.assert_allclose(sizes, want["singular_values"], rtol=0, atol=1e-8)
    null = rows[-1] * np.sign(rows[-1][2])
    np.testing.assert_allclose(null, want["null_unit"], rtol=0, atol=1e-9)
    twist = null / null[2]
    np.testing.assert_allclose(twist, want["twist_per_unit_omega"], rtol=0, atol=1e-8)
    np.testing.assert_allclose(np.rad2deg(np.arctan2(null[1], null[0])), want["beta_deg"], rtol=0, atol=1e-7)
    centre = [want["x"] - twist[1], twist[0]]  # v = omega x (a2 - centre)
    np.testing.assert_allclose(centre, want["instantaneous_centre"], rtol=0, atol=1e-8)


@pytest.mark.parametrize("want", TRUTH["singular_phi10_y0"]["correct"], ids=lambda w: sign_names(w["mode"]))
def test_the_true_singular_points_are_attained_with_the_references_joints(triplate, want):
    """The inverse solution exists there, with A singular to rounding."""
    (got,) = [s for s in cc.inverse(triplate, [want["x"], 0.0, PHI]) if s.working == sign_names(want["mode"])]
    assert miss(got.q, want["q"], [0, 1]) < 1e-12
    assert got.condition > 1e12


@pytest.mark.parametrize("mode", TRUTH["singular_phi10_y0"]["modes_without_zero"], ids=sign_names)
def test_two_working_modes_have_no_singular_point_on_the_line(triplate, mode):
    """In (+,-) and (-,-) det J_x keeps its sign at 1500 points of 0.5 < x < 2."""
    x = np.linspace(0.501, 2.0, 1500)
    pose = np.stack([x, np.zeros_like(x), np.full_like(x, PHI)], axis=-1)
    det = cc.evaluate(triplate, x=pose, working=sign_names(mode)).det_A
    assert (np.sign(det) == np.sign(det[0])).all()
