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
