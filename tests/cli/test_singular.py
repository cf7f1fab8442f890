"""`closedchain singular`: poses and segments, against hand geometry and the numbers of seed 002."""

import math

import numpy as np
import pytest
from PIL import Image

LINE = ("--from", "0,0,10deg", "--to", "3,0,10deg")


def width(path):
    """Of a picture [pixels]."""
    with Image.open(path) as image:
        return image.width


def test_the_true_singular_points_of_seed_002_and_no_others(run):
    """On φ = 10°, y = 0 (TRUTH.md row 2-16): one point in ++, one in -+, none in the other two modes."""
    answer = run("singular", "triplate", *LINE, "--type", "2", "--json").json
    assert answer["schema"] == "closedchain.singular/1"
    assert answer["complete"] is True
    found = {p["working"]: p["x"][0] for p in answer["points"]}
    assert found == pytest.approx({"++": 0.5367791975326369, "-+": 0.5235910897985386}, abs=1e-14)  # 30-digit values
    assert {p["type"] for p in answer["points"]} == {2}
    assert all(p["residual"] < 1e-14 for p in answer["points"])


def test_both_types_are_told_unless_one_is_asked_for(run):
    """Leg B2-a2 is at its end at x = 0.5, where the segment comes into reach, in the mode "0" of that leg."""
    answer = run("singular", "triplate", *LINE, "--json").json
    ends = [p for p in answer["points"] if p["type"] == 1]
    assert [p["leg"] for p in ends] == ["B2-a2", "B2-a2"]
    assert {p["working"] for p in ends} == {"+0", "-0"}
    assert answer["count"] == len(answer["points"]) == 4
    assert answer["out_of_reach"][0]["legs"] == ["B2-a2"]
    one = run("singular", "triplate", *LINE, "--working", "-+", "--type", "2", "--json").json
    assert [p["working"] for p in one["points"]] == ["-+"]


def test_a_free_motion_is_across_both_bars(run):
    """Biglide, feet above and below, bars in one line: the tip moves across it, and that force nothing carries."""
    answer = run("singular", "biglide", "--from", "-0.1,0.3", "--to", "0.1,0.3", "--working", "-+", "--json").json
    (point,) = answer["points"]
    bar = np.array([0.2, -math.sqrt(0.3606**2 - 0.2**2)]) / 0.3606  # from foot 1, above, down to the tip
    assert point["x"] == pytest.approx([0.0, 0.3], abs=1e-15)
    assert abs(bar @ point["null_vector"]) < 1e-14
    assert point["wrench"] == pytest.approx(point["null_vector"], abs=1e-14)


def test_a_singular_pose_says_its_types_and_measures(run):
    """The velocity ellipse is infinite along the free motion: null in JSON, ∞ for people."""
    answer = run("singular", "biglide", "--x", "0,0.3", "--working", "-+", "--json").json
    assert answer["types"] == ["type 2"]
    assert answer["measures"]["type 2"] < 1e-15
    assert answer["measures"]["legs"]["A1-C"] == pytest.approx(math.sqrt(0.3606**2 - 0.04) / 0.3606, rel=1e-14)
    assert answer["velocity_ellipse"]["radii"][0] is None
    assert answer["force_ellipse"]["radii"][0] == 0.0
    shown = run("singular", "biglide", "--x", "0,0.3", "--working", "-+").out
    assert shown.startswith("biglide: Type 2\n")
    assert "free motion" in shown
    assert "∞" in shown


def test_a_regular_pose_is_called_regular_and_its_ellipse_is_that_of_J(run):
    """The radii are the singular values of J as `evaluate` prints it."""
    pose = ("biglide", "--q", "0.1,0.02", "--assembly", "+", "--json")
    answer, J = run("singular", *pose).json, run("evaluate", *pose).json["J"]
    assert answer["types"] == []
    radii = answer["velocity_ellipse"]["radii"]
    assert radii == pytest.approx(np.linalg.svd(J, compute_uv=False).tolist(), rel=1e-12)


def test_a_leg_at_its_end_is_type_1_with_the_motion_lost(run):
    """The tip as far from rail 1 as bar 1 is long: x cannot grow, and foot 1 slides without moving the tip at first."""
    answer = run("singular", "biglide", "--x", "0.1606,0.2", "--working", "0+", "--json").json
    assert answer["types"] == ["type 1"]
    assert answer["legs_at_end"] == ["A1-C"]
    assert np.abs(answer["lost_motion"]) == pytest.approx([1.0, 0.0], abs=1e-7)  # the end is met to √rounding
    assert answer["idle_motion"] == pytest.approx([1.0, 0.0], abs=1e-7)


@pytest.mark.parametrize(
    "argv, code, words",
    [
        (("biglide",), 2, "give a pose"),
        (("biglide", "--x", "0,0.3", "--from", "0,0", "--to", "0,1"), 2, "give a pose"),
        (("biglide", "--from", "0,0.3"), 2, "--from and --to"),
        (("biglide", "--from", "0,0.3", "--to", "0,0.3"), 2, "no length"),
        (("biglide", "--from", "0,0.3", "--to", "0.1,0.3", "--working", "+x"), 2, "no working mode"),
        (("biglide", "--from", "0,0.3", "--to", "0.1,0.3", "--type", "3"), 2, "--type"),
        (("biglide", "--x", "0,0.3", "--type", "2"), 2, "--type goes with a segment"),
        (("biglide", "--from", "0,0.3", "--to", "1,2,3"), 2, "2 wanted"),
        (("biglide", "--x", "0.7,0"), 4, "misses"),
        (("furuta", "--q", "0,0"), 2, "no closures"),
        (("biglide", "--x", "0,0.3", "--plot", "pose.bmp"), 2, "must end in"),
    ],
)
def test_what_cannot_be_answered_is_one_line(run, argv, code, words):
    """Exit code, reason, nothing on stdout."""
    done = run("singular", *argv)
    assert done.code == code
    assert words in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_pictures_of_a_pose_and_of_a_segment_are_written(run, tmp_path):
    """PNG or SVG by their names; what is printed does not change."""
    pose, line = tmp_path / "pose.png", tmp_path / "line.svg"
    done = run("singular", "biglide", "--x", "0,0.3", "--working", "-+", "--plot", str(pose))
    assert (done.code, "free motion" in done.out, "pose.png" in done.err) == (0, True, True)
    assert width(pose) > 1000
    assert run("singular", "biglide", "--from", "-0.1,0.3", "--to", "0.1,0.3", "--plot", str(line)).code == 0
    assert "<svg" in line.read_text(encoding="utf-8")


# Curves --------------------------------------------------------------------------------------------------------------


def test_curves_of_joint_space_are_told_with_what_was_searched(run):
    """The biglide: Type 2 where q1 − q2 = ± √(4 l² − d²), Type 1 of both legs in both assembly modes; no proof."""
    answer = run("singular", "biglide", "--locus", "--space", "joint", "--lines", "6", "--json").json
    assert (answer["schema"], answer["space"], answer["free"]) == ("closedchain.singular/1", "joint", ["q1", "q2"])
    assert answer["complete"] is False
    assert answer["searched"][0].startswith("12 lines of 49 positions")
    apart = [np.diff(c["q"], axis=1).ravel() for c in answer["curves"] if c["type"] == 2]
    np.testing.assert_allclose(np.abs(np.concatenate(apart)), math.sqrt(4 * 0.3606**2 - 0.16), atol=1e-12)
    assert sorted((c["leg"], c["assembly"]) for c in answer["curves"] if c["type"] == 1) == [
        ("A1-C", "+"), ("A1-C", "-"), ("A2-C", "+"), ("A2-C", "-"),
    ]  # fmt: skip
    assert "the curves found" in run("singular", "biglide", "--locus", "--space", "joint", "--lines", "6").out


def test_curves_of_the_output_are_proven_on_their_lines(run):
    """The biglide's middle line in one mode; `complete` is of curves that meet a grid line."""
    window = ("--window", "-0.25,0.25,-0.3,0.3", "--working", "+-", "--type", "2")
    answer = run("singular", "biglide", "--locus", *window, "--json").json
    (curve,) = answer["curves"]
    assert (answer["complete"], curve["working"], curve["type"], curve["leg"]) == (True, "+-", 2, None)
    np.testing.assert_allclose(np.array(curve["x"])[:, 0], 0.0, atol=1e-12)


@pytest.mark.parametrize(
    "words",
    [
        ("fivebar", "--space", "joint", "--lines", "8"),
        ("triplate", "--fix", "phi=10deg", "--window", "0,2,-0.5,0.5", "--type", "2", "--lines", "6"),
    ],
)
def test_curves_are_drawn(run, tmp_path, words):
    """As PNG, angles in whole turns."""
    path = tmp_path / "curves.png"
    assert run("singular", words[0], "--locus", *words[1:], "--plot", str(path)).code == 0
    assert width(path) > 500


@pytest.mark.parametrize(
    "words, message",
    [
        (("biglide", "--locus"), "window"),
        (("rpr3:cusps", "--locus", "--space", "joint"), "3 are left (rho1, rho2, rho3)"),
        (("biglide", "--locus", "--fix", "z=1"), "with a name of q1, q2, x, y"),
        (("biglide", "--locus", "--x", "0,0.3"), "not of a pose"),
        (("biglide", "--space", "joint", "--x", "0,0.3"), "go with --locus"),
        (("biglide", "--locus", "--space", "joint", "--working", "++"), "all modes are traced"),
        (("biglide", "--locus", "--space", "joint", "--window", "0,1"), "4 wanted"),
    ],
)
def test_a_plane_that_is_none_is_refused_in_a_line(run, words, message):
    """Usage, exit code 2."""
    done = run("singular", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_reachy_minis_yaw_is_one_command(run):
    """A pose in space is x, y, z, roll, pitch, yaw; the head's Type 2 yaw in the mode that it is built in."""
    ends = ("--from", "0,0,0,0,0,0", "--to", "0,0,0,0,0,110deg")
    answer = run("singular", "hexa:reachy-mini", *ends, "--json").json
    assert answer["complete"]
    assert [p["type"] for p in answer["points"]] == [2]
    assert np.rad2deg(answer["points"][0]["x"][5]) == pytest.approx(93.2102613, abs=1e-7)


def test_a_pose_in_space_tells_screw_constraint_and_distance(run):
    """The Seoul 3-UPU's closures are named; a regular head tells how far Type 2 is, in metres and degrees."""
    fell = run("singular", "upu3:snu", "--x", "0,0,0.5,0,0,0", "--json").json
    assert fell["types"] == ["type 2", "constraint"]
    assert fell["dependent_closures"] == ["B1#P1", "B2#P2", "B3#P3"]
    assert fell["screw"]["direction"] is not None
    head = run("singular", "hexa:reachy-mini", "--x", "0,0,0,0,0,0", "--json").json["nearest"]
    assert np.rad2deg(head["turn"]["turn"]) < 93.2102613
    text = run("singular", "hexa:reachy-mini", "--x", "0,0,0,0,0,0").out
    assert "by a turn alone" in text
    assert "a search, not a proof" in text


def test_charts_say_the_same_pose(run):
    """Roll, pitch, yaw, a quaternion and a rotation vector of one pose have one answer."""
    turn = {"rpy": "0,0,90deg", "quaternion": "1,0,0,1", "vector": "0,0,90deg"}
    found = [run("singular", "gough", "--chart", c, "--x", f"0,0,1.2,{t}", "--json").json for c, t in turn.items()]
    assert [f["types"] for f in found] == [["type 2"]] * 3
    np.testing.assert_allclose([f["x"] for f in found], [found[0]["x"]] * 3, atol=1e-15)


def test_charts_are_of_bodies_that_turn_in_every_way(run):
    """A tip has no orientation, and four zeros are no quaternion."""
    assert "no output that turns in every way" in run("singular", "biglide", "--chart", "vector", "--x", "0,0.3").err
    assert "no orientation" in run("singular", "gough", "--chart", "quaternion", "--x", "0,0,1,0,0,0,0").err


def test_boxes_are_proven_refuted_or_grown(run):
    """Exit code 0 for a proof, 4 for a pose that refutes it; a grown box tells its sides."""
    head = ("singular", "hexa:reachy-mini", "--x", "0,0,0,0,0,0", "--json")
    proven = run(*head, "--box", "yaw=-60deg:60deg,pitch=-5deg:5deg")
    assert (proven.code, proven.json["proven"]) == (0, True)
    refuted = run(*head, "--box", "yaw=0:95deg")
    assert (refuted.code, refuted.json["refuted"]["type"]) == (4, 2)
    assert np.rad2deg(refuted.json["refuted"]["x"][5]) == pytest.approx(93.2102613, abs=1e-7)
    grown = run(*head, "--grow", "yaw=40deg")
    assert grown.json["box"]["yaw"] == pytest.approx([-np.deg2rad(80), np.deg2rad(80)])
    assert run("singular", "hexa:reachy-mini", "--box", "yaw=0:1").code == 2
    assert "has no two ends" in run(*head, "--box", "yaw=1").err
