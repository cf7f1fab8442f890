"""Singular curves traced in joint space: lines of the biglide, the five-bar's elbows, the 3-RPR's slice with cusps."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.singularity.joint_loci import joint_loci

L, D = 0.3606, 0.4
BASE = np.array([[0.0, 0.0], [15.91, 0.0], [0.0, 10.0]])
RHO1 = 14.98


@pytest.fixture(scope="module")
def slice_(rpr3):
    """The plane of the second and the third leg at the published length of the first."""
    return joint_loci(rpr3, fixed={"rho1": RHO1})


def elbows(q):
    """(k, legs, 2) the five-bar's elbows."""
    return 0.09 * np.stack([np.cos(q), np.sin(q)], axis=-1) + [[-0.059, 0.0], [0.059, 0.0]]


def test_the_biglides_bars_are_in_line_at_one_distance_of_its_feet(biglide):
    """q1 − q2 = ± √(4 l² − d²), from border to border, in the two modes in which the tip is between the feet."""
    found = joint_loci(biglide, window=((-0.8, 0.8), (-0.8, 0.8)))
    assert sorted(p.working for p in found.pieces) == ["+-", "-+"]
    for p in found.pieces:
        apart = p.q[:, 0] - p.q[:, 1]
        np.testing.assert_allclose(np.abs(apart), np.sqrt(4 * L**2 - D**2), rtol=0, atol=1e-12)
        assert apart[0] == pytest.approx(apart[-1], abs=1e-12)
        np.testing.assert_allclose(np.sort(np.abs(p.q[[0, -1]]).max(axis=1)), 0.8, atol=1e-12)
        assert p.assembly == "0"


def test_the_biglides_legs_are_at_their_ends_on_four_lines(biglide):
    """Leg 1 level: the tip is l − d/2 right of the middle, leg 2 leans by d − l, so q1 − q2 = ± √(l² − (d − l)²)."""
    found = joint_loci(biglide, window=((-0.8, 0.8), (-0.8, 0.8)), kind="B")
    lean = np.sqrt(L**2 - (D - L) ** 2)
    sense = {("A1-C", "+"): 1, ("A1-C", "-"): -1, ("A2-C", "+"): -1, ("A2-C", "-"): 1}  # tip above both feet in "+"
    assert {(p.leg, p.assembly) for p in found.pieces} == set(sense)
    for p in found.pieces:
        np.testing.assert_allclose(p.q[:, 0] - p.q[:, 1], sense[p.leg, p.assembly] * lean, rtol=0, atol=1e-12)
        level = 0 if p.leg == "A1-C" else 1
        np.testing.assert_allclose(p.x[:, 1], p.q[:, level], rtol=0, atol=1e-12)


def test_the_fivebars_elbows_are_two_bars_apart_all_around(fivebar):
    """One closed curve on the torus of its cranks: |A1 A2| = 2 l2, by the cranks alone; it passes all four modes."""
    found = joint_loci(fivebar)
    assert found.ended == ("closed",)
    assert {p.working for p in found.pieces} == {"++", "+-", "-+", "--"}
    for p in found.pieces:
        a = elbows(p.q)
        np.testing.assert_allclose(np.linalg.norm(a[:, 0] - a[:, 1], axis=-1), 0.18, rtol=0, atol=1e-12)
        np.testing.assert_allclose(p.x, a.mean(axis=1), rtol=0, atol=1e-12)


def test_a_stretched_or_folded_leg_of_the_fivebar_is_found_in_both_assembly_modes(fivebar):
    """The tip 0.18 m from that leg's motor, or upon it; det A has the sign that the piece is named by."""
    found = joint_loci(fivebar, kind="B")
    motors = {"A1-C": [-0.059, 0.0], "A2-C": [0.059, 0.0]}
    seen = set()
    for p in found.pieces:
        away = np.linalg.norm(p.x - motors[p.leg], axis=-1)
        stretched = away[0] > 0.09
        np.testing.assert_allclose(away, 0.18 if stretched else 0.0, rtol=0, atol=1e-10)
        bars = p.x[1:-1, None] - elbows(p.q[1:-1])  # the ends of a piece may be Type 2
        sign = np.sign(bars[:, 0, 0] * bars[:, 1, 1] - bars[:, 0, 1] * bars[:, 1, 0])
        assert set(sign) == {1.0 if p.assembly == "+" else -1.0}
        seen.add((p.leg, bool(stretched), p.assembly))
    assert len(seen) == 8


def test_the_slice_of_the_cusps_is_the_curve_that_is_proven_elsewhere(rpr3, six_cusps, slice_):
    """Traced from lines of (ρ2, ρ3), it is the one that proven lines of (direction, angle) give: length and extent."""
    (proven,), (p,) = six_cusps.curves.pieces, slice_.pieces
    assert p.closed
    assert p.s[-1] == pytest.approx(proven.s[-1], rel=1e-4)  # polygons of different corners
    np.testing.assert_allclose(p.q.max(axis=0), proven.q.max(axis=0), rtol=1e-3)
    np.testing.assert_array_equal(p.q[:, 0], RHO1)


def test_the_six_cusps_lie_on_it(slice_, six_cusps):
    """Each within the sag of a chord of its polygon; in (ρ2, ρ3) the curve turns back there."""
    (p,) = slice_.pieces
    z = np.concatenate([p.q[:, 1:], p.x[:, :2]], axis=1)
    for cusp in six_cusps.cusps:
        at = np.concatenate([cusp.q[1:], cusp.x[:2]])
        i = int(np.argmin(np.linalg.norm(z - at, axis=1)))
        near = z[max(i - 1, 0) : i + 2]
        steps = np.diff(near, axis=0)
        share = np.clip(np.sum((at - near[:-1]) * steps, axis=1) / np.sum(steps**2, axis=1), 0.0, 1.0)
        assert np.linalg.norm(near[:-1] + share[:, None] * steps - at, axis=1).min() < 0.02  # steps of 0.4 m
        before, after = z[i - 3, :2] - z[i, :2], z[(i + 3) % len(z), :2] - z[i, :2]
        assert before @ after > 0.0


def test_every_point_of_it_has_its_legs_on_lines_through_one_point(slice_):
    """Closed by Pythagoras, and the three lines' moments depend on each other: Type 2 without any Jacobian of ours."""
    (p,) = slice_.pieces
    x3 = (17.04**2 + 20.84**2 - 16.54**2) / (2 * 17.04)
    plate = np.array([[0.0, 0.0], [17.04, 0.0], [x3, np.sqrt(20.84**2 - x3**2)]])
    c, s = np.cos(p.x[:, 2]), np.sin(p.x[:, 2])
    turn = np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)  # (k, 2, 2)
    tips = p.x[:, None, :2] + np.einsum("kij,aj->kai", turn, plate)
    legs = tips - BASE
    length = np.linalg.norm(legs, axis=-1)
    np.testing.assert_allclose(length, p.q, rtol=0, atol=1e-10)
    unit = legs / length[..., None]
    moment = BASE[:, 0] * unit[..., 1] - BASE[:, 1] * unit[..., 0]
    lines = np.concatenate([unit, moment[..., None] / 17.04], axis=-1)
    np.testing.assert_allclose(np.linalg.det(lines), 0.0, atol=1e-11)


def test_two_poses_more_on_one_side_of_the_curve(rpr3, slice_):
    """Across it the number of poses changes by two, counted by the sextic of the direct problem."""
    (p,) = slice_.pieces
    rows = np.arange(25, len(p.q) - 25, 45)
    along = p.q[rows + 1, 1:] - p.q[rows - 1, 1:]
    normal = np.stack([-along[:, 1], along[:, 0]], axis=-1) / np.linalg.norm(along, axis=-1, keepdims=True)
    middle = p.q[rows]
    counts = []
    for side in (-1e-4, 1e-4):
        q = middle.copy()
        q[:, 1:] += side * normal
        counts.append(np.bincount(cc.direct(rpr3, q, prove=False).index, minlength=len(q)))
    assert (np.abs(counts[0] - counts[1]) == 2).all()


def test_no_proof_is_claimed_and_what_was_searched_is_said(slice_):
    """Lines, positions on them, and that every pose of each was known."""
    assert not slice_.complete
    assert slice_.searched.startswith("48 lines of 49 positions")
    assert slice_.searched.endswith("every pose of each")
    assert "the curves found" in str(slice_)
    assert slice_.searched in str(slice_)


def test_other_lines_find_the_same_curves():
    """A plate on cranks with its first held: 16 lines and 24 give the same components and lengths."""
    robot = cc.load("rrr3")
    lengths = [
        sorted(sum(p.s[-1] for p in found.pieces if p.component == k) for k in range(len(found.ended)))
        for found in (joint_loci(robot, fixed={"theta1": 0.3}, lines=n, samples=24) for n in (16, 24))
    ]
    np.testing.assert_allclose(lengths[0], lengths[1], rtol=1e-3)


@pytest.mark.parametrize(
    "name, arguments, message",
    [
        ("biglide", {"fixed": {"q1": 0.1}}, "two free drives of q1, q2"),
        ("rpr3", {}, "fix the others"),
        ("rpr3", {"fixed": {"phi": 0.1}}, "two free drives"),
        ("rpr3", {"fixed": {"rho9": 0.1}}, "no coordinate 'rho9'"),
        ("biglide", {"window": ((0, 1), (1, 0))}, "from < to"),
        ("biglide", {"samples": 1}, "positions on a line"),
        ("biglide", {"kind": "C"}, "kind"),
        ("furuta", {}, "no closures"),
    ],
)
def test_bad_input_is_refused_in_words(name, arguments, message):
    """What is wrong, once."""
    with pytest.raises(BadInput, match=message):
        joint_loci(cc.load(name), **arguments)
