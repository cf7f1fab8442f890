"""All poses of a plate on three circles: published sextics, hand geometry, 30-digit roots, symmetries."""

import json
from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
import pytest

from closedchain.model import plate_merging, plate_search
from closedchain.model.three_circles import BadPlate, PlatePoses, half_angle_sextic, three_circles

DATA = json.loads((Path(__file__).parents[1] / "data" / "three_circles.json").read_text(encoding="utf-8"))
TRIPLATE = DATA["triplate"]
TRIANGLE = np.array([[0.0, 0.0], [4.0, 0.0], [3.0, 5.0]])
SMALL = np.array([[0.0, 0.0], [1.0, 0.0], [0.3, 2.0]])


def rotation(phi):
    """R(φ) for any batch of angles."""
    c, s = np.cos(phi), np.sin(phi)
    return np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)


def leg_lengths(centre, local, pose):
    """Distances from the plate points at a pose to the centres."""
    pose = np.asarray(pose, float)
    tips = pose[..., None, :2] + np.einsum("...ij,...kj->...ki", rotation(pose[..., 2]), np.asarray(local, float))
    return np.linalg.norm(tips - centre, axis=-1)


def triplate(q):
    """Centres, radii and plate points of the triplate at drives q = (θ1, θ2, d3)."""
    R, L, r = TRIPLATE["R"], TRIPLATE["L"], TRIPLATE["r"]
    centre = [[R * np.cos(q[0]), R * np.sin(q[0])], [R * np.cos(q[1]), R * np.sin(q[1])], [0.0, -R]]
    local = [[r * np.cos(np.pi / 3), r * np.sin(np.pi / 3)], [0.0, 0.0], [r, 0.0]]
    return centre, [L, L, q[2]], local


def random_plates(n, seed):
    """Random centres and plates of size 1 with a random pose and the radii it gives."""
    rng = np.random.default_rng(seed)
    centre, local = rng.normal(size=(n, 3, 2)), rng.normal(size=(n, 3, 2))
    pose = np.concatenate([rng.normal(size=(n, 2)), rng.uniform(-np.pi, np.pi, size=(n, 1))], axis=1)
    return centre, leg_lengths(centre, local, pose), local, pose


def assert_same_set(found, expected, atol):
    """Each expected pose is found once, angles compared on the circle."""
    found, expected = np.asarray(found), np.asarray(expected, float)
    assert found.shape == expected.shape
    difference = found[:, None] - expected[None]
    difference[..., 2] = np.angle(np.exp(1j * difference[..., 2]))
    near = np.abs(difference).max(axis=-1) <= atol
    assert (near.sum(axis=0) == 1).all(), difference
    assert (near.sum(axis=1) == 1).all(), difference


def assert_proven(result: PlatePoses):
    """Every pose is certified and every count proven."""
    assert result.complete.all(), result.explain(int(np.argmin(result.complete)))
    assert result.certified.all()
    assert not result.double.any()


def test_the_general_rpr_has_its_six_published_poses():
    """Case P02: collinear plate points, six assembly modes."""
    case = DATA["rpr"]
    result = three_circles(case["base"], case["lengths"], case["platform"])
    assert_proven(result)
    assert_same_set(result.x, case["poses"], atol=1e-8)  # printed with 12 decimals, conditioned up to 2500
    assert (result.residual < 1e-12).all()  # lengths of 80, a few ulp


def test_the_rrr_has_two_direct_solutions():
    """Case P03: with the cranks held, the elbows are the centres."""
    case = DATA["rrr"]
    theta = np.array(case["theta"])
    centre = np.array(case["base"]) + case["l1"] * np.stack([np.cos(theta), np.sin(theta)], axis=1)
    h = case["side"]
    local = [[0, 0], [h, 0], [h * np.cos(np.pi / 3), h * np.sin(np.pi / 3)]]
    result = three_circles(centre, [case["l2"]] * 3, local)
    assert_proven(result)
    assert_same_set(result.x, case["poses"], atol=1e-9)


@pytest.mark.parametrize("case", TRIPLATE["cases"], ids=lambda case: f"{case['q'][0]:.2f},{case['q'][1]:.2f}")
def test_the_triplate_has_all_its_reference_poses(case):
    """Eight poses, four working modes each: every real direct solution, the sextic and det A as at 30 digits."""
    plate = triplate(case["q"])
    result = three_circles(*plate)
    assert_proven(result)
    assert_same_set(result.x, case["poses"], atol=1e-11)  # the drives are rounded; conditioned up to 1e3
    np.testing.assert_allclose(half_angle_sextic(*plate), case["sextic"], rtol=1e-11, atol=1e-12)
    start = np.abs(result.x - case["X"]).max(axis=1).argmin()
    np.testing.assert_allclose(result.det[start], case["det_A"], rtol=1e-10)


def test_the_sextic_of_the_document_is_reproduced():
    """Seed 002 prints the polynomial in tan(φ/2) with 8 digits, and four real poses."""
    plate = triplate(TRIPLATE["document_q"])
    np.testing.assert_allclose(half_angle_sextic(*plate), TRIPLATE["document_sextic_as_printed"], rtol=2e-8)
    assert_same_set(three_circles(*plate).x, TRIPLATE["document_poses"], atol=1e-11)


def test_the_triplate_reaches_six_poses():
    """The example with the largest possible number."""
    result = three_circles(*triplate(TRIPLATE["six"]["q"]))
    assert_proven(result)
    assert_same_set(result.x, TRIPLATE["six"]["poses"], atol=1e-12)


@pytest.mark.parametrize("case", TRIPLATE["singular"], ids=["++", "-+"])
def test_a_type_2_singularity_is_one_double_pose_to_full_accuracy(case):
    """Two poses merged: reported once, as double, uncertified, infinitely conditioned, yet accurate beyond √eps."""
    result = three_circles(*triplate(case["q"]))
    (row,) = np.nonzero(result.double)[0]
    np.testing.assert_allclose(result.x[row], case["pose"], atol=1e-12)  # √eps would be 1e-8
    assert not result.certified[row]
    assert np.isinf(result.condition[row])
    assert result.radius_of_uniqueness[row] == 0
    assert result.roots[row] == 2
    assert result.spread[row] < 5e-5  # √eps of a robot of 10 m, and its condition
    assert result.complete[0]
    assert "merge" in result.explain()


@pytest.mark.parametrize("change", [1e-3, 1e-6, 1e-9, 1e-11])
def test_on_one_side_of_a_fold_there_are_two_more_poses_and_on_the_other_none(change):
    """A longer leg 3 opens two proven poses √change apart; a shorter one leaves a miss of that size."""
    centre, radius, local = triplate(TRIPLATE["singular"][0]["q"])
    longer = three_circles(centre, [radius[0], radius[1], radius[2] + change], local)
    shorter = three_circles(centre, [radius[0], radius[1], radius[2] - change], local)
    assert_proven(longer)
    assert longer.count[0] == 2
    assert shorter.count[0] == 0
    assert shorter.complete[0]
    assert np.ptp(longer.x[:, 2]) == pytest.approx(1.91 * np.sqrt(change), rel=0.02)  # fold: gap ∝ √change
    assert (
        0.1 * change < abs(shorter.miss[0]) <= change * 1.01
    )  # leg 3 itself would need `change`; another may need less


def test_a_built_pose_is_found_again():
    """Radii computed from a random pose: that pose is among the results, the count is even and proven."""
    centre, radius, local, pose = random_plates(400, seed=1)
    result = three_circles(centre, radius, local)
    assert_proven(result)
    assert (result.count % 2 == 0).all()
    assert (result.count >= 2).all()
    assert (result.count <= 6).all()
    difference = result.x - pose[result.index]
    difference[:, 2] = np.angle(np.exp(1j * difference[:, 2]))
    nearest = np.full(len(pose), np.inf)
    np.minimum.at(nearest, result.index, np.abs(difference).max(axis=1))
    assert nearest.max() < 1e-9  # sizes of order 1, worst condition of this seed about 1e4


def test_random_drives_of_the_triplate_obey_the_parity_law():
    """Including drives out of reach: 0, 2, 4 or 6 poses, all proven, all on their circles."""
    rng = np.random.default_rng(2)
    q = np.stack([*rng.uniform(-np.pi, np.pi, size=(2, 1000)), rng.uniform(0, 10, 1000)], axis=1)
    centre = np.zeros((1000, 3, 2))
    for leg in range(2):
        centre[:, leg] = 4 * np.stack([np.cos(q[:, leg]), np.sin(q[:, leg])], axis=1)
    centre[:, 2] = [0, -4]
    radius = np.stack([np.full(1000, 3.5), np.full(1000, 3.5), q[:, 2]], axis=1)
    result = three_circles(centre, radius, triplate(q[0])[2])
    assert_proven(result)
    assert set(result.count) == {0, 2, 4, 6}
    assert result.residual.max() < 2e-14  # lengths of 10, a few ulp
    np.testing.assert_array_equal(three_circles(centre, radius, triplate(q[0])[2], prove=False).count, result.count)


def mp_angles(centre, radius, local):
    """The real roots φ by mpmath at 30 digits, from the closures interpolated afresh in t = tan(φ/2)."""
    with mpmath.workdps(30):
        a, p = ([mpmath.mpc(*map(float, row)) for row in points] for points in (centre, local))
        rho = [mpmath.mpf(float(value)) for value in radius]

        def eliminated(t):
            z = (1 + 1j * t) / (1 - 1j * t)
            n = [z * (p[i] - p[0]) - (a[i] - a[0]) for i in (1, 2)]
            w = [rho[i + 1] ** 2 - rho[0] ** 2 - abs(n[i]) ** 2 for i in (0, 1)]
            cross = (mpmath.conj(n[0]) * n[1]).imag
            return (1 + t**2) ** 3 * (abs(w[0] * n[1] - w[1] * n[0]) ** 2 - 4 * rho[0] ** 2 * cross**2)

        nodes = [mpmath.mpf(k) / 2 for k in range(-3, 4)]
        matrix = mpmath.matrix([[t ** (6 - k) for k in range(7)] for t in nodes])
        coefficients = mpmath.lu_solve(matrix, mpmath.matrix([eliminated(t) for t in nodes]))
        roots = mpmath.polyroots(list(coefficients), maxsteps=400, extraprec=200)
        return sorted(float(2 * mpmath.atan(t.real)) for t in roots if abs(mpmath.im(t)) < 1e-15 * (1 + abs(t)))


def test_angles_agree_with_roots_at_thirty_digits():
    """Fifty random plates, half of them with radii that fit no pose by design: same count, same angles."""
    centre, radius, local, _ = random_plates(50, seed=3)
    radius[25:] *= np.random.default_rng(4).uniform(0.7, 1.3, size=(25, 3))
    result = three_circles(centre, radius, local)
    assert result.complete.all()
    for k in range(50):
        np.testing.assert_allclose(result.x[result.index == k, 2], mp_angles(centre[k], radius[k], local[k]), atol=1e-9)


def test_moving_the_base_moves_the_poses():
    """A rotated, shifted and scaled base (and scaled plate and radii) gives rotated, shifted and scaled poses."""
    centre, radius, local, _ = random_plates(60, seed=5)
    turn, shift, scale = 0.7, np.array([3.0, -2.0]), 1e-3
    base = three_circles(centre, radius, local)
    moved = three_circles(scale * (centre @ rotation(turn).T + shift), scale * radius, scale * local)
    assert_proven(moved)
    for k in range(60):
        x = base.x[base.index == k].copy()
        x[:, :2] = scale * (x[:, :2] @ rotation(turn).T + shift)
        x[:, 2] += turn
        assert_same_set(moved.x[moved.index == k], x, atol=1e-9)


def test_the_order_of_the_legs_does_not_matter():
    """Leg 1 is special in the elimination, not in the result."""
    centre, radius, local, _ = random_plates(60, seed=6)
    base = three_circles(centre, radius, local)
    for order in ([1, 2, 0], [2, 1, 0]):
        other = three_circles(centre[:, order], radius[:, order], local[:, order])
        np.testing.assert_array_equal(other.count, base.count)
        np.testing.assert_allclose(other.x, base.x, atol=1e-9)


def test_det_and_condition_are_those_of_the_jacobian_of_the_closures():
    """A by central differences of |P_i − a_i|² − ρ_i²."""
    centre, radius, local, _ = random_plates(20, seed=7)
    result = three_circles(centre, radius, local)
    k, h = result.index, 1e-5
    A = np.stack(
        [
            (leg_lengths(centre[k], local[k], result.x + s) ** 2 - leg_lengths(centre[k], local[k], result.x - s) ** 2)
            / (2 * h)
            for s in h * np.eye(3)
        ],
        axis=-1,
    )
    np.testing.assert_allclose(result.det, np.linalg.det(A), rtol=1e-6, atol=1e-7)  # h² and eps/h
    np.testing.assert_allclose(result.condition, np.linalg.cond(A), rtol=1e-4)


def test_no_other_pose_lies_within_a_radius_of_uniqueness():
    """The proven radius never reaches the nearest other pose of the same plate, in √(|ΔP_1|² + ℓ²Δφ²)."""
    centre, radius, local, _ = random_plates(200, seed=8)
    result = three_circles(centre, radius, local)
    k = result.index
    tip = result.x[:, :2] + np.einsum("mij,mj->mi", rotation(result.x[:, 2]), local[k, 0])
    arm = np.linalg.norm(local[k] - local[k, :1], axis=2).max(axis=1)
    turn = np.angle(np.exp(1j * (result.x[:, None, 2] - result.x[None, :, 2])))
    distance = np.hypot(np.linalg.norm(tip[:, None] - tip[None], axis=2), arm[:, None] * turn)
    distance[(k[:, None] != k[None]) | np.eye(len(k), dtype=bool)] = np.inf
    assert (result.radius_of_uniqueness > 0).all()
    assert (result.radius_of_uniqueness < distance.min(axis=1)).all()


def test_two_poses_with_one_angle_are_both_found_and_proven():
    """Plate and base on one line: a pose with φ = 0 has a mirror image with φ = 0, a double root of the eliminant."""
    centre, local = [[0, 0], [4, 0], [10, 0]], [[0, 0], [1, 0], [3, 0]]
    result = three_circles(centre, leg_lengths(centre, local, [2, 3, 0]), local)
    assert_proven(result)
    assert result.count[0] == 4
    assert_same_set(result.x[np.abs(result.x[:, 2]) < 0.1], [[2, 3, 0], [2, -3, 0]], atol=1e-13)


def test_a_pose_at_half_a_turn_is_found_and_its_sextic_loses_a_degree():
    """φ = π is t = ∞: reported as +π, and the leading coefficient is exactly 0."""
    radius = leg_lengths(TRIANGLE, SMALL, [1, 2, np.pi])
    result = three_circles(TRIANGLE, radius, SMALL)
    assert_proven(result)
    assert np.abs(result.x - [1, 2, np.pi]).max(axis=1).min() < 1e-13
    sextic = half_angle_sextic(TRIANGLE, radius, SMALL)
    assert sextic[0] == 0
    assert np.abs(sextic).max() == 1


@pytest.mark.parametrize(
    ("centre", "radius", "local", "isolated"),
    [
        pytest.param(TRIANGLE, [1, 1, 1], TRIANGLE, 2, id="congruent on equal legs circles without turning"),
        pytest.param([[0, 0], [0, 0], [5, 0]], [2, 2, 3], [[0, 0], [0, 0], [2, 1]], 0, id="a leg given twice"),
        pytest.param(
            TRIANGLE,
            leg_lengths(TRIANGLE, np.ones((3, 2)), [1, 1, 0]),
            np.ones((3, 2)),
            0,
            id="a plate that is a point",
        ),
        pytest.param(np.zeros((3, 2)), [0, 0, 0], np.zeros((3, 2)), 0, id="nothing at all"),
    ],
)
def test_a_curve_of_poses_is_called_mobile_and_never_sampled(centre, radius, local, isolated):
    """No random point of the curve is returned; isolated poses beside it are, and they are certified."""
    result = three_circles(centre, radius, local)
    assert "mobile" in result.explain()
    assert not result.complete[0]
    assert result.count[0] == isolated
    assert result.certified.all()


@pytest.mark.parametrize("size", [1e-1, 1e-3])
def test_a_nearly_congruent_plate_is_proven_although_its_eliminant_drowns(size):
    """Legs of a congruent plate differ by a little: four poses, found and proven in the plane of two angles."""
    radius = 1 + size * np.random.default_rng(9).normal(size=(20, 3))
    result = three_circles(TRIANGLE, radius, TRIANGLE)
    assert_proven(result)
    assert (result.count % 2 == 0).all()
    assert (result.count >= 2).all()


@pytest.mark.parametrize("leg", [0, 1, 2])
def test_a_leg_of_length_zero_pins_the_plate(leg):
    """ρ = 0 makes A singular: the pinned pose is found, accurately, as double."""
    phi = 0.7
    pose = np.append(TRIANGLE[leg] - rotation(phi) @ SMALL[leg], phi)
    radius = leg_lengths(TRIANGLE, SMALL, pose)
    radius[leg] = 0.0
    result = three_circles(TRIANGLE, radius, SMALL)
    assert_same_set(result.x[result.double], [pose], atol=1e-13)
    assert not result.certified[result.double].any()


def test_coincident_plate_points_are_two_circles_and_a_crank():
    """p_1 = p_2 fixes P_1 by two circles; then P_3 by two more: poses by hand with P_1 = (1, 1)."""
    local = [[0, 0], [0, 0], [2, 1]]
    result = three_circles(TRIANGLE, leg_lengths(TRIANGLE, local, [1, 1, 0.3]), local)
    assert_proven(result)
    along = np.arctan2(5 - 1, 3 - 1) - np.arctan2(1, 2)  # angle at which p_3 points at its centre: the mirror axis
    assert_same_set(result.x, [[1, 1, 0.3], [1, 1, 2 * along - 0.3]], atol=1e-13)


def test_a_miss_is_the_change_of_one_leg_that_makes_the_plate_reach():
    """Changing the named leg by the reported miss, and a little more, gives poses; a little less gives none."""
    rng = np.random.default_rng(10)
    radius = rng.uniform(0.2, 4, size=(200, 3))
    result = three_circles(TRIANGLE, radius, SMALL)
    empty = np.nonzero((result.count == 0) & (result.miss_partner < 0))[0]
    assert len(empty) > 30
    assert result.complete[empty].all()
    for factor, reaches in ((1 + 1e-6, True), (1 - 1e-6, False)):
        changed = radius[empty].copy()
        changed[np.arange(len(empty)), result.miss_leg[empty]] += factor * result.miss[empty]
        again = three_circles(TRIANGLE, changed, SMALL)
        assert ((again.count > 0) == reaches).all()


def test_two_legs_that_never_meet_are_named_with_their_gap():
    """Feet 4 apart, plate points 1 apart, legs 1 and 1: short by 4 − 1 − 2 = 1 at every angle; leg 3 fits neither."""
    result = three_circles(TRIANGLE, [1, 1, 9], SMALL)
    assert result.count[0] == 0
    assert result.complete[0]
    assert {int(result.miss_leg[0]), int(result.miss_partner[0])} == {0, 1}
    assert result.miss[0] == pytest.approx(1.0, abs=1e-12)
    assert "legs 1 and 2" in result.explain() or "legs 2 and 1" in result.explain()


def test_the_complete_solver_finds_what_the_discs_do_not_tell(monkeypatch):
    """Without any polynomial that discs settle, six paths lead to every pose, still proven."""
    centre, radius, local, _ = random_plates(40, seed=12)
    expected = three_circles(centre, radius, local)
    none = np.zeros(0, np.intp), np.zeros(0)
    monkeypatch.setattr(plate_search, "real_angles", lambda f: (*none, np.zeros(len(f.c), bool)))
    result = three_circles(centre, radius, local)
    assert_proven(result)
    np.testing.assert_allclose(result.x, expected.x, atol=1e-9)


def test_a_lost_pose_is_found_again(monkeypatch):
    """If the search drops one pose of one element, the proof fails there and the complete solver brings it back."""
    centre, radius, local, _ = random_plates(10, seed=13)
    expected = three_circles(centre, radius, local)
    search = plate_search._distinct
    monkeypatch.setattr(plate_search, "_distinct", lambda *args: (lambda poses: poses[1:])(search(*args)))
    result = three_circles(centre, radius, local)
    assert_proven(result)
    np.testing.assert_allclose(result.x, expected.x, atol=1e-12)


def test_without_the_complete_solver_a_lost_pose_breaks_the_proof(monkeypatch):
    """If a path is not accounted for, the element with the lost pose and no other stops being complete."""
    centre, radius, local, _ = random_plates(10, seed=13)
    search, roots = plate_search._distinct, plate_merging.roots
    monkeypatch.setattr(plate_search, "_distinct", lambda *args: (lambda poses: poses[1:])(search(*args)))
    monkeypatch.setattr(plate_merging, "roots", lambda *args: replace(roots(*args), lost=1))
    np.testing.assert_array_equal(three_circles(centre, radius, local).complete, np.arange(10) > 0)


def test_no_pose_is_lost_on_a_lattice_full_of_degenerate_plates():
    """Integer points and quarter turns give coincident, congruent and singular plates: the pose is found or mobile."""
    rng = np.random.default_rng(25)
    centre, local = (rng.integers(-2, 3, size=(600, 3, 2)).astype(float) for _ in range(2))
    pose = np.column_stack([rng.integers(-3, 4, size=(600, 2)), rng.integers(-1, 3, size=600) * np.pi / 2])
    result = three_circles(centre, leg_lengths(centre, local, pose), local)
    difference = result.x - pose[result.index]
    difference[:, 2] = np.angle(np.exp(1j * difference[:, 2]))
    nearest = np.where(result.verdict == plate_search.Verdict.MOBILE, 0.0, np.inf)
    np.minimum.at(nearest, result.index, np.abs(difference).max(axis=1))
    assert nearest.max() < 1e-3  # a quadruple root is good to eps^(1/4) = 1e-4 only
    assert (result.count[result.verdict == plate_search.Verdict.PROVEN] % 2 == 0).all()
    assert result.double.sum() > 50  # the lattice does hold singular poses


def test_batches_broadcast_and_may_be_empty():
    """Radii (2, 5, 3) with one base and one plate: flat indices in C order; no elements, no rows."""
    radius = np.random.default_rng(11).uniform(1, 5, size=(2, 5, 3))
    result = three_circles(TRIANGLE, radius, SMALL)
    assert result.shape == (2, 5)
    assert len(result.complete) == 10
    single = three_circles(TRIANGLE, radius[1, 2], SMALL)
    np.testing.assert_allclose(result.x[result.index == 7], single.x, atol=1e-12)
    assert len(three_circles(TRIANGLE, np.zeros((0, 3)), SMALL).x) == 0
    assert half_angle_sextic(TRIANGLE, radius, SMALL).shape == (2, 5, 7)


@pytest.mark.parametrize(
    ("centre", "radius", "local", "says"),
    [
        (TRIANGLE[:2], [1, 1, 1], SMALL, "three legs"),
        (TRIANGLE, [1, -2, 1], SMALL, "negative"),
        (TRIANGLE, [1, np.nan, 1], SMALL, "radius has 1 value"),
        (np.zeros((2, 3, 2)), np.zeros((3, 3)), SMALL, "broadcast"),
    ],
)
def test_bad_input_gets_one_clear_error(centre, radius, local, says):
    """What is wrong and where, before anything is computed."""
    with pytest.raises(BadPlate, match=says):
        three_circles(centre, radius, local)
