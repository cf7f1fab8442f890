"""`closedchain workspace`: areas against hand geometry, aspects, pictures."""

import math

import pytest
from PIL import Image


def width(path):
    """Of a picture [pixels]."""
    with Image.open(path) as image:
        return image.width


def test_the_area_of_the_five_bar_is_a_lens(run):
    """Cranks 0.09 and bars 0.09 reach discs of 0.18 about pivots 0.118 apart: the lens of two circles."""
    answer = run("workspace", "fivebar", "--json").json
    R, half = 0.18, 0.059
    lens = 2 * R**2 * math.acos(half / R) - 2 * half * math.sqrt(R**2 - half**2)
    assert answer["area"] == pytest.approx(lens, rel=1e-13)
    assert answer["method"] == "arcs"
    assert {mode: entry["area"] for mode, entry in answer["modes"].items()} == dict.fromkeys(
        answer["modes"], answer["area"]
    )


def test_a_window_cuts_the_strip_of_the_biglide(run):
    """The tip is within l of both rails: a strip 2 (l − d/2) wide, 1 m of it."""
    answer = run("workspace", "biglide", "--window", "-0.3,0.3,-500mm,500mm", "--json").json
    assert answer["area"] == pytest.approx(2 * (0.3606 - 0.2), rel=1e-13)


def test_the_aspects_of_the_biglide(run):
    """Feet on one side: one aspect; on both sides the bars are in line at x = 0: two, mirror images."""
    words = ("biglide", "--window", "-0.3,0.3,-0.1,0.1", "--aspects")
    answer = run("workspace", *words, "--json").json
    counts = {mode: len(entry["aspects"]) for mode, entry in answer["modes"].items()}
    assert counts == {"++": 1, "+-": 2, "-+": 2, "--": 1}
    assert (answer["aspects"], answer["decided"]) == (6, True)
    for aspect in answer["modes"]["+-"]["aspects"]:
        assert aspect["area"] == pytest.approx(0.1606 * 0.2, rel=1e-3)  # cells of 1/2048 of the window
    assert "6 aspects" in run("workspace", *words).out


def test_a_condition_gives_the_area_in_which_it_holds(run):
    """In each mode it is part of the reach, and "some mode" has at least the most of any."""
    words = ("biglide", "--window", "-0.3,0.3,-0.1,0.1", "--condition", "0.3", "--json")
    answer = run("workspace", *words).json
    each = {mode: entry["dexterous"]["area"] for mode, entry in answer["modes"].items()}
    assert each["++"] == pytest.approx(answer["area"], rel=1e-3)  # 1/κ ≥ 0.666 in all of it
    assert each["+-"] < 0.9 * answer["area"]
    assert answer["dexterous"]["area"] >= max(each.values()) - 1e-6


def test_the_picture_has_reach_aspects_and_curves(run, tmp_path):
    """A panel for each mode asked for; the answer does not change."""
    path = tmp_path / "reach.png"
    words = ("biglide", "--window", "-0.3,0.3,-0.1,0.1", "--working", "-+")
    done = run("workspace", *words, "--plot", str(path))
    assert done.code == 0
    assert width(path) > 1000
    assert done.out == run("workspace", *words).out


@pytest.mark.parametrize(
    "argv, code, words",
    [
        (("biglide",), 2, "its reach has no end"),
        (("fivebar", "--condition", "2"), 2, "not between 0 and 1"),
        (("fivebar", "--condition", "well"), 2, "not a number"),
        (("fivebar", "--set", "d=1"), 4, "within reach of all legs"),
        (("furuta",), 2, "maps need one output body"),
        (("fivebar", "--plot", "reach.gif"), 2, "must end in"),
    ],
)
def test_what_has_no_area_is_one_line(run, argv, code, words):
    """Exit code and reason."""
    done = run("workspace", *argv)
    assert (done.code, done.out) == (code, "")
    assert words in done.err
