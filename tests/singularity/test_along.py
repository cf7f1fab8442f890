"""Along curves: the documents' line, hand geometry, and every sign change that sampling sees."""

import json
from pathlib import Path

import mpmath
import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.singularity.along import along

TRUTH = json.loads((Path(__file__).parents[1] / "data" / "truth_planar3dof.json").read_text(encoding="utf-8"))
CORRECT = TRUTH["singular_phi10_y0"]["correct"]
PHI = np.deg2rad(10)
EDGE = 0.3606 - 0.2  # a biglide's leg lies flat there


@pytest.fixture(scope="module")
def document(triplate):
    """Section 5 of seed 002: φ = 10°, y = 0, 0 < x < 2, all working modes."""
    return along(triplate, [0.0, 0.0, PHI], [2.0, 0.0, PHI])


def test_the_documents_line_has_two_singular_points_and_no_other(document):
    """TRUTH.md §1.4 row 2-16: one in (+,+), one in (−,+), none in the other two; proven."""
    assert [p.working for p in document] == ["++", "-+"]
    assert document.complete
    assert document.working == ("++", "+-", "-+", "--")


@pytest.mark.parametrize("k", [0, 1])
def test_the_documents_points_are_right_to_1e_12(document, k):
    """x, q, null vector and centre of TRUTH.md §1.4."""
    point, want = document.points[k], CORRECT[k]
    assert abs(point.x[0] - want["x"]) < 1e-14
    assert 2 * point.error < 1e-13
    np.testing.assert_allclose(point.q, want["q"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(point.null, want["null_unit"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(point.centre, want["instantaneous_centre"], rtol=0, atol=1e-12)
    assert point.residual < 1e-14
    assert point.at.kinds == ("type 2",)


def test_the_enclosure_holds_the_true_point(document):
    """With 40 digits: det A of the closed forms changes its sign between s − error and s + error."""
    R, L, r = 4, mpmath.mpf(3.5), 2

    def det(s, signs):
        x, phi = 2 * s, mpmath.mpf(PHI)
        half, root = mpmath.mpf(np.cos(np.pi / 3)), mpmath.mpf(np.sin(np.pi / 3))
        c, sn = mpmath.cos(phi), mpmath.sin(phi)
        local = [(r * half, r * root), (0, 0), (mpmath.mpf(r), 0)]
        arms = [(c * a - sn * b, sn * a + c * b) for a, b in local]
        rows = []
        for i, arm in enumerate(arms):
            end = (x + arm[0], arm[1])
            if i == 2:
                foot = (0, -R)
            else:
                square = end[0] ** 2 + end[1] ** 2
                k = square + R**2 - L**2
                w = signs[i] * mpmath.sqrt(4 * R**2 * square - k**2)
                foot = ((k * end[0] - w * end[1]) / (2 * square), (k * end[1] + w * end[0]) / (2 * square))
            leg = (end[0] - foot[0], end[1] - foot[1])
            rows.append([leg[0], leg[1], -leg[0] * arm[1] + leg[1] * arm[0]])
        return mpmath.det(mpmath.matrix(rows))

    with mpmath.workdps(40):
        for point, signs in zip(document, ((1, 1), (-1, 1)), strict=True):
            s, error = mpmath.mpf(point.s), mpmath.mpf(point.error)
            assert det(s - error, signs) * det(s + error, signs) < 0


def test_the_part_without_solutions_is_reported_with_its_end(document):
    """TRUTH.md §1.4 row 2-18: no solution for x < R − L = 0.5, because of leg 2."""
    (part,) = document.out_of_reach
    assert part.lo == 0.0
    assert abs(2 * part.hi - 0.5) < 1e-12
    assert part.legs == ("B2-a2",)


def test_the_biglides_type_2_points_are_where_the_tip_is_between_its_rails(biglide):
    """x = 0 in (+,−) and (−,+), never in (+,+) and (−,−) (TRUTH.md §0)."""
    found = along(biglide, [-0.3, 0.2], [0.3, 0.2])
    assert [(p.working, round(p.s, 12)) for p in found] == [("+-", 0.5), ("-+", 0.5)]
    assert found.complete
    for p in found:
        assert abs(p.x[0]) < 1e-15


def test_the_biglides_type_1_points_are_the_ends_of_its_legs(biglide):
    """|x| = l − d/2, once for each sign of the other leg, with the leg's name."""
    found = along(biglide, [-0.3, 0.2], [0.3, 0.2], kind="B")
    assert [(p.working, p.leg) for p in found] == [("+0", "A2-C"), ("-0", "A2-C"), ("0+", "A1-C"), ("0-", "A1-C")]
    np.testing.assert_allclose([p.x[0] for p in found], [-EDGE, -EDGE, EDGE, EDGE], rtol=0, atol=1e-15)
    assert found.complete
    for p in found:
        assert p.at.singular_legs == (p.leg,)
        assert p.residual < 1e-15


def test_a_line_on_the_locus_is_left_open(biglide):
    """x = 0 is singular everywhere in two modes: nothing is claimed there, and the others are proven clean."""
    found = along(biglide, [0.0, -0.2], [0.0, 0.2])
    assert not found.complete
    assert {u.working for u in found.unresolved} == {"+-", "-+"}
    assert len(found) == 0
    assert along(biglide, [0.0, -0.2], [0.0, 0.2], working="++").complete


def test_a_point_at_the_end_of_the_line_is_found(biglide):
    """From the singular point itself, and up to it."""
    (first,) = along(biglide, [0.0, 0.2], [0.1, 0.3], working="-+")
    (last,) = along(biglide, [0.1, 0.3], [0.0, 0.2], working="-+")
    assert (first.s, last.s) == pytest.approx((0.0, 1.0), abs=1e-15)


def test_corners_and_straight_lines_agree(triplate, document):
    """The same line in three pieces: the same points, s counted by pieces; a corner on a point counts once."""
    corners = [[0.0, 0.0, PHI], [CORRECT[0]["x"], 0.0, PHI], [1.0, 0.0, PHI], [2.0, 0.0, PHI]]
    found = along(triplate, curve=corners)
    assert [p.working for p in found] == ["++", "-+"]
    np.testing.assert_allclose([p.x for p in found], [p.x for p in document], rtol=0, atol=1e-14)
    assert abs(found.points[0].s - 1.0) < 1e-12


def test_a_circle_given_by_expressions_meets_the_locus_where_it_should(biglide):
    """(r cos 2πs, c + r sin 2πs) meets x = 0 at s = 1/4 and 3/4."""
    found = along(biglide, curve=("0.1*cos(2*pi*s)", "0.3 + 0.1*sin(2*pi*s)"), working="+-")
    np.testing.assert_allclose([p.s for p in found], [0.25, 0.75], rtol=0, atol=1e-15)
    assert found.complete


@pytest.mark.parametrize(
    "name, span, lines", [("fivebar", 0.18, 3), ("rrr3", 2.0, 3), ("delta", 1.2, 1), ("rpr3:cusps", 15.0, 3)]
)  # a line of the delta takes as long as all others
def test_no_sign_change_that_sampling_sees_is_missed(name, span, lines):
    """Random lines: between neighbours of 4001 samples det A (of the compiled models) changes its sign exactly where
    a point was found, in every mode, or where the answer says that it is open."""
    robot, rng, seen = cc.load(name), np.random.default_rng(11), 0
    for _ in range(lines):
        start, end = rng.uniform(-span, span, (2, robot.nx))
        found = along(robot, start, end)
        s = (np.arange(4001) + 0.5) / 4001
        poses = cc.inverse(robot, start + s[:, None] * (end - start))
        det = np.linalg.det(robot.call("closures", q=poses.q, x=poses.x)["A"])
        for mode in found.working:
            rows = poses.rows(mode)
            at, value = poses.index[rows], det[rows]
            change = np.nonzero((np.diff(at) == 1) & (value[:-1] * value[1:] < 0))[0]
            points = np.array([p.s for p in found if p.working == mode])
            seen += len(change)
            shut = [u for u in found.unresolved if u.working == mode]
            change = [k for k in change if not any(u.lo < s[at[k] + 1] and u.hi > s[at[k]] for u in shut)]
            for k in change:
                assert ((points > s[at[k]]) & (points < s[at[k] + 1])).sum() % 2 == 1
            inside = [p for p in points if (np.abs(s[at] - p) < 1.0 / 4001).sum() >= 2]
            assert len(inside) >= len(change)
    assert seen > 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"start": [0, 0]}, "start and end"),
        ({"start": [0, 0], "end": [0, 0]}, "no length"),
        ({"start": [0, 0], "end": [1, 1], "kind": "C"}, "kind"),
        ({"start": [0, 0], "end": [1, 1], "working": "+++"}, "there are"),
        ({"start": [0, 0], "end": [1, 1], "curve": ("s", "s")}, "not both"),
        ({"curve": ("s",)}, "2 coordinates"),
        ({"curve": [[0.0, 0.1]]}, "two corners"),
        ({"start": [0, 0, 0], "end": [1, 1, 1]}, "last axis"),
    ],
)
def test_bad_input_is_refused_in_words(biglide, arguments, message):
    """What is wrong, once."""
    with pytest.raises(BadInput, match=message):
        along(biglide, **arguments)


def test_a_linkage_whose_output_is_not_free_is_refused():
    """A four-bar's joint cannot go along a line."""
    with pytest.raises(BadInput, match="cannot be moved freely"):
        along(cc.load("fourbar"), [0, 0], [1, 1])


def test_it_prints_what_it_found(document):
    """The claim and each point."""
    text = str(document)
    assert "2 Type 2 point(s)" in text
    assert "no other" in text
    assert "out of reach of B2-a2" in text
