"""Singular curves: lines of the biglide, circles of the five-bar, the documents' points on the plate's slice."""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.singularity.along import along
from closedchain.singularity.loci import loci

TRUTH = json.loads((Path(__file__).parents[1] / "data" / "truth_planar3dof.json").read_text(encoding="utf-8"))
CORRECT = TRUTH["singular_phi10_y0"]["correct"]
EDGE = 0.3606 - 0.2


@pytest.fixture(scope="module")
def fivebar_curves(fivebar):
    """All Type 2 curves of the five-bar: its whole reach is in the window."""
    return loci(fivebar, window=((-0.25, 0.25), (-0.25, 0.25)))


def test_the_biglides_type_2_locus_is_the_middle_line_in_two_modes(biglide):
    """x = 0 in (+,−) and (−,+), from border to border (TRUTH.md §0); D = ±S in joint space."""
    found = loci(biglide, window=((-0.25, 0.25), (-0.3, 0.3)))
    assert sorted(p.working for p in found.pieces) == ["+-", "-+"]
    assert found.complete
    S = np.sqrt(4 * 0.3606**2 - 0.4**2)
    for p in found.pieces:
        np.testing.assert_allclose(p.x[:, 0], 0.0, atol=1e-12)
        np.testing.assert_allclose(np.sort(p.x[[0, -1], 1]), [-0.3, 0.3], atol=1e-12)
        np.testing.assert_allclose(np.abs(p.q[:, 0] - p.q[:, 1]), S, atol=1e-12)


def test_the_biglides_type_1_locus_is_four_lines_with_their_legs(biglide):
    """x = −0.1606 for leg 2 and +0.1606 for leg 1, each in both signs of the other leg."""
    found = loci(biglide, window=((-0.25, 0.25), (-0.3, 0.3)), kind="B")
    assert sorted((p.working, p.leg) for p in found.pieces) == [
        ("+0", "A2-C"), ("-0", "A2-C"), ("0+", "A1-C"), ("0-", "A1-C"),
    ]  # fmt: skip
    for p in found.pieces:
        np.testing.assert_allclose(p.x[:, 0], EDGE if p.leg == "A1-C" else -EDGE, atol=1e-12)


def test_every_point_of_a_curve_is_singular_to_1e_12(fivebar, fivebar_curves):
    """The sine between the two bars, by hand from where the points are, and the closed loops."""
    for p in fivebar_curves.pieces:
        arms = np.stack([0.09 * np.cos(p.q) + [-0.059, 0.059], 0.09 * np.sin(p.q)], axis=-1)  # (k, legs, 2)
        bars = (p.x[:, None, :] - arms) / 0.09
        np.testing.assert_allclose(np.linalg.norm(bars, axis=-1), 1.0, atol=1e-12)
        sine = bars[:, 0, 0] * bars[:, 1, 1] - bars[:, 0, 1] * bars[:, 1, 0]
        np.testing.assert_allclose(sine, 0.0, atol=1e-12)


def test_where_the_fivebars_elbows_meet_the_tip_runs_around_them(fivebar_curves):
    """Two of its three closed curves are circles of radius l2 about the points both elbows reach."""
    height = np.sqrt(0.09**2 - 0.059**2)
    circles = set()
    for p in fivebar_curves.pieces:
        for sign in (+1, -1):
            if np.allclose(np.hypot(p.x[:, 0], p.x[:, 1] - sign * height), 0.09, atol=1e-12):
                circles.add((p.component, sign))
    assert len(circles) == 2
    assert fivebar_curves.ended == ("closed",) * 3
    assert fivebar_curves.complete


def test_pieces_join_where_a_leg_is_at_its_end(fivebar, fivebar_curves):
    """A curve passes to the next working mode at a Type 1 configuration: the pieces' ends have one leg straight."""
    for p in fivebar_curves.pieces:
        for k in (0, -1):
            arm = np.stack([np.cos(p.q[k]), np.sin(p.q[k])], axis=-1)
            bars = (p.x[k] - (0.09 * arm + np.array([[-0.059, 0], [0.059, 0]]))) / 0.09
            sines = np.abs(arm[:, 0] * bars[:, 1] - arm[:, 1] * bars[:, 0])
            assert sines.min() < 1e-9


def test_the_documents_points_lie_on_the_plates_curves(triplate):
    """The slice φ = 10° crossed at y = 0 between 0 and 2: TRUTH.md's two points in their modes, and no other."""
    found = loci(triplate, window=((0.0, 2.0), (-0.5, 0.5)), fixed={"phi": np.deg2rad(10)})
    crossings = []
    for p in found.pieces:
        for k in np.nonzero(p.x[:-1, 1] * p.x[1:, 1] < 0)[0]:
            share = p.x[k, 1] / (p.x[k, 1] - p.x[k + 1, 1])
            crossings.append((p.working, p.x[k, 0] + share * (p.x[k + 1, 0] - p.x[k, 0])))
        np.testing.assert_allclose(p.x[:, 2], np.deg2rad(10), atol=1e-14)
    assert sorted(mode for mode, _ in crossings) == ["++", "-+"]
    for mode, x in crossings:
        want = next(w["x"] for w in CORRECT if mode == "".join("+" if s > 0 else "-" for s in w["mode"]))
        assert abs(x - want) < 1e-3  # the chord of a step of 1/60 of the window


def test_one_mode_alone_is_traced_as_it_is_among_all(fivebar, fivebar_curves):
    """The pieces of "+-": as many, and as long."""
    alone = loci(fivebar, window=((-0.25, 0.25), (-0.25, 0.25)), working="+-")
    assert alone.complete
    assert {p.working for p in alone.pieces} == {"+-"}
    lengths = [sorted(p.s[-1] for p in found) for found in (alone.pieces, fivebar_curves.of("+-"))]
    np.testing.assert_allclose(lengths[0], lengths[1], rtol=1e-3)  # polygons of different corners


def test_the_legs_ends_of_one_mode_are_those_that_bound_it(biglide):
    """Of "++": leg 1 at its end beside +, leg 2 beside +; the other two lines are of other modes."""
    found = loci(biglide, window=((-0.25, 0.25), (-0.3, 0.3)), kind="B", working="++")
    assert sorted(p.working for p in found.pieces) == ["+0", "0+"]


def test_one_mode_of_a_robot_in_space_is_surveyed_alone():
    """A Delta at one height has a curve in three of its eight modes; asked for one of them, that curve and no other."""
    robot = cc.load("delta")
    plane = {"window": ((-0.6, 0.6), (-0.6, 0.6)), "fixed": {"z": -0.9}, "lines": 5}
    every, alone = loci(robot, **plane), loci(robot, **plane, working="+--")
    assert sorted(p.working for p in every.pieces) == ["+--", "-+-", "--+"]
    assert [p.working for p in alone.pieces] == ["+--"]
    assert alone.complete
    assert alone.pieces[0].s[-1] == pytest.approx(every.of("+--")[0].s[-1], rel=1e-3)


def test_a_mode_that_is_none_is_refused(biglide):
    """One sign for each leg."""
    with pytest.raises(BadInput, match="no working mode"):
        loci(biglide, window=((0, 1), (0, 1)), working="+")


def test_a_finer_grid_finds_no_other_curve(fivebar, fivebar_curves):
    """Twice the lines: the same number of components with the same lengths."""
    finer = loci(fivebar, window=((-0.25, 0.25), (-0.25, 0.25)), lines=48)

    def lengths(found):
        return sorted(sum(p.s[-1] for p in found.pieces if p.component == k) for k in range(len(found.ended)))

    np.testing.assert_allclose(lengths(finer), lengths(fivebar_curves), rtol=1e-3)  # polygons of different corners


def test_a_random_line_meets_the_curves_where_along_says(fivebar, fivebar_curves):
    """An independent line: each proven point has a piece of its mode within a step."""
    for p in along(fivebar, [-0.2, 0.03], [0.2, 0.04]):
        away = min(np.linalg.norm(piece.x - p.x, axis=1).min() for piece in fivebar_curves.of(p.working))
        assert away < 0.5 / 60


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({}, "window"),
        ({"window": ((0, 1), (1, 0))}, "from < to"),
        ({"window": ((0, 1), (0, 1)), "fixed": {"phi": 1.0}}, "no coordinate"),
        ({"window": ((0, 1), (0, 1)), "fixed": {"x": 1.0}}, "all but two"),
        ({"window": ((0, 1), (0, 1)), "kind": "AB"}, "kind"),
        ({"window": ((0, 1), (0, 1)), "lines": 1}, "grid lines"),
        ({"fixed": {"q1": 0.1}}, "one telescope"),
    ],
)
def test_bad_input_is_refused_in_words(biglide, arguments, message):
    """What is wrong, once."""
    with pytest.raises(BadInput, match=message):
        loci(biglide, **arguments)


def test_it_prints_its_curves(biglide):
    """One line a piece, and what is claimed."""
    text = str(loci(biglide, window=((-0.25, 0.25), (-0.3, 0.3)), lines=4))
    assert "every curve that meets a grid line" in text
    assert text.count("det A") == 2


def test_a_larger_biglide_has_its_lines():
    """Other lengths: the middle line again, and legs' ends at l − d/2."""
    robot = cc.load("biglide", l=0.5, d=0.7)
    found = loci(robot, window=((-0.3, 0.3), (-0.1, 0.1)), lines=6, kind="B")
    np.testing.assert_allclose([abs(p.x[0, 0]) for p in found.pieces], 0.15, atol=1e-14)
