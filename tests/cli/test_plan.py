"""`closedchain plan`: a way that keeps its margins, or why each mode fails and exit code 4."""

import numpy as np
import pytest
from PIL import Image

from closedchain.cli.parser import Usage
from closedchain.cli.plan import obstacle

ENDS = ("--from", "-0.05,0.3", "--to", "0.05,0.5")


def width(path):
    """Of a picture [pixels]."""
    with Image.open(path) as image:
        return image.width


def test_a_straight_way_is_found_and_the_other_modes_say_why_not(run):
    """Feet on both sides: the bars are in line at x = 0, in the middle of the segment."""
    done = run("plan", "biglide", *ENDS, "--json")
    answer = done.json
    assert (done.code, answer["schema"], answer["found"]) == (0, "closedchain.plan/1", True)
    assert answer["modes"] in (["++"], ["--"])
    assert set(answer["why"]) == {"+-", "-+"}
    assert all("Type 2 singularity at s = 0.500000" in why for why in answer["why"].values())
    np.testing.assert_allclose([answer["path"][0], answer["path"][-1]], [[-0.05, 0.3], [0.05, 0.5]], atol=1e-15)
    assert answer["length"] == pytest.approx(np.hypot(0.1, 0.2), rel=1e-12)


def test_the_way_closes_the_loops_all_along(run):
    """Path and drives fit: every bar has its length at every sample, to rounding."""
    answer = run("plan", "biglide", *ENDS, "--json").json
    x, q = np.array(answer["path"]), np.array(answer["q"])
    gaps = [np.hypot(x[:, 0] - side, x[:, 1] - q[:, k]) - 0.3606 for k, side in enumerate((-0.2, 0.2))]
    assert np.abs(gaps).max() < 1e-15
    assert len(answer["s"]) == len(answer["working"]) == len(x)


def test_an_obstacle_in_the_way_is_gone_around(run):
    """A disc above both bars, on the segment: the tip goes below it, longer than straight, and proven."""
    words = ("--from", "-0.06,0.3", "--to", "0.06,0.3", "--working", "++", "--goal-working", "++")
    answer = run("plan", "biglide", *words, "--obstacle", "disc:0,0.302,5mm", "--json").json
    assert (answer["found"], answer["kind"]) == (True, "roadmap")
    assert answer["length"] > 0.12
    assert answer["clearance"] > 0.0
    x = np.array(answer["path"])
    assert np.hypot(x[:, 0], x[:, 1] - 0.302).min() > 5e-3
    assert "meet" in answer["why"]["++"]


def test_without_a_way_there_is_the_reason_and_exit_code_4(run):
    """From one side of the Type 2 line to the other in a mode that has to cross it, with no change of mode."""
    words = ("biglide", *ENDS, "--working", "+-", "--goal-working", "+-", "--keep-mode")
    done = run("plan", *words, "--json")
    answer = done.json
    assert (done.code, answer["found"], answer["path"], answer["length"]) == (4, False, [], None)
    assert set(answer["why"]) == {"+-", "-+"}
    assert answer["message"] in done.err
    assert run("plan", *words).code == 4


def test_pictures_show_the_way(run, tmp_path):
    """With its obstacles; none is written where there is no way."""
    path = tmp_path / "way.png"
    assert run("plan", "biglide", *ENDS, "--obstacle", "wall:0,0.2,0,0.33,10mm", "--plot", str(path)).code == 0
    assert width(path) > 1000
    none = tmp_path / "none.png"
    words = ("--working", "+-", "--goal-working", "+-", "--keep-mode", "--plot", str(none))
    done = run("plan", "biglide", *ENDS, *words)
    assert (done.code, none.exists(), "is not written" in done.err) == (4, False, True)


def test_obstacles_are_written_with_units():
    """Each kind, its corners in SI."""
    assert obstacle("disc:0,200mm,5cm").radius == 0.05
    assert obstacle("wall:0,0,1,1,20mm").radius == 0.01
    assert obstacle("wall:-1,0,1,1").corners.tolist() == [[-1, 0], [1, 1]]
    assert obstacle("polygon:0,0,1,0,0,1").corners.shape == (3, 2)


@pytest.mark.parametrize(
    "text", ["disc", "disc:1,2", "ball:0,0,1", "wall:0,0,1", "polygon:0,0,1,0", "polygon:0,0,1,0,2,1,3"]
)
def test_other_obstacles_are_refused(text):
    """With the spellings there are."""
    with pytest.raises(Usage, match="wall:x,y,x,y"):
        obstacle(text)


@pytest.mark.parametrize(
    "argv, code, words",
    [
        (("biglide", "--from", "0,0.3"), 2, "--to"),
        (("biglide", "--from", "0.7,0", "--to", "0,0.3"), 4, "misses"),
        (("biglide", *ENDS, "--working", "?"), 2, "no working mode"),
        (("biglide", *ENDS, "--margin", "1"), 2, "between 0 and 1"),
        (("biglide", *ENDS, "--width", "2kg"), 2, "--width"),
        (("biglide", *ENDS, "--width", "-1mm"), 2, "width is a length"),
        (("biglide", *ENDS, "--objective", "pretty"), 2, "shortest"),
        (("biglide", *ENDS, "--obstacle", "disc:0,0,-1"), 2, "radius"),
        (("biglide", *ENDS, "--ignore", "nose"), 2, "no body 'nose'"),
    ],
)
def test_what_cannot_be_planned_is_one_line(run, argv, code, words):
    """Exit code and reason."""
    done = run("plan", *argv)
    assert (done.code, done.out) == (code, "")
    assert words in done.err
