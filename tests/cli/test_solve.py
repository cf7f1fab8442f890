"""`solve`: every solution, with the keys that programs rely on."""

import math

import numpy as np
import pytest

KEYS = {"mode", "q", "x", "residual", "condition", "passive", "working", "assembly", "double", "certified", "cluster"}


def test_four_working_modes_of_the_biglide_are_the_feet_above_and_below(run):
    """Tip at (0.03, 0.25): each foot stands √(l² − (x ± d/2)²) above or below it."""
    done = run("solve", "inverse", "biglide", "--x", "0.03,0.25", "--json")
    answer = done.json
    assert done.code == 0
    assert answer["schema"] == "closedchain.solve/1"
    assert (answer["robot"], answer["kind"], answer["count"], answer["complete"]) == ("biglide", "inverse", 4, True)
    assert (answer["real"], answer["proof"]) == (4, "theorem: lines and circles")
    assert answer["why"] is None
    assert answer["parameters"]["l"] == 0.3606
    first, second = (math.sqrt(0.3606**2 - (0.03 + side) ** 2) for side in (0.2, -0.2))
    signs = {"++": (-1, -1), "+-": (-1, 1), "-+": (1, -1), "--": (1, 1)}
    for solution in answer["solutions"]:
        assert set(solution) == KEYS
        s1, s2 = signs[solution["working"]]
        np.testing.assert_allclose(solution["q"], [0.25 + s1 * first, 0.25 + s2 * second], atol=1e-15)  # rounding
        assert solution["x"] == [0.03, 0.25]
        assert solution["mode"] == solution["working"]


def test_two_assembly_modes_over_level_feet_are_mirror_images(run):
    """Feet level: the tip is at ±√(l² − d²/4); the mode is the sign of det A."""
    answer = run("solve", "direct", "biglide", "--q", "0,0", "--json").json
    height = math.sqrt(0.3606**2 - 0.04)
    found = {s["assembly"]: s["x"] for s in answer["solutions"]}
    np.testing.assert_allclose(found["+"], [0, height], atol=1e-15)
    np.testing.assert_allclose(found["-"], [0, -height], atol=1e-15)


@pytest.mark.parametrize(
    "words",
    [
        ("--x", "-3,-1,0.7853981633974483"),
        ("--x=-3,-1,0.7853981633974483",),
        ("--x", "-3, -1, 45deg"),
        ("--x", "-300cm,-1000 mm,+45deg"),
        ("--x=−3,−1,45deg",),
        ("--x", "-.3e1,-1e0,45 deg"),
    ],
)
def test_every_spelling_of_a_vector_means_the_same(run, words):
    """Minus signs, units, spaces, exponents."""
    answer = run("solve", "inverse", "triplate", *words, "--json").json
    np.testing.assert_allclose(answer["solutions"][0]["x"], [-3, -1, math.pi / 4], rtol=1e-15)
    assert answer["count"] == 4


def test_a_setting_with_a_unit_changes_the_robot(run):
    """282.8427 mm bars: level feet, the tip at √(l² − d²/4); the document says which value was used."""
    answer = run("solve", "direct", "biglide", "--q", "0,0", "--set", "l=282.8427mm", "--set", "d = 0.4", "--json").json
    assert answer["parameters"]["l"] == pytest.approx(0.2828427, rel=1e-15)
    assert answer["solutions"][0]["x"][1] == pytest.approx(math.sqrt(0.2828427**2 - 0.04), rel=1e-12)


def test_out_of_reach_is_a_document_that_says_why_and_code_4(run):
    """The tip 0.5 m beside a rail that a 0.3606 m bar hangs on."""
    done = run("solve", "inverse", "biglide", "--x", "0.7,0", "--json")
    assert done.code == 4
    assert (done.json["count"], done.json["real"], done.json["solutions"]) == (4, 0, [])  # all four are complex
    assert "misses" in done.json["why"]
    done = run("solve", "inverse", "biglide", "--x", "0.7,0")
    assert done.code == 4
    assert "misses" in done.out


def test_an_infinite_condition_is_null(run):
    """Tip at (0, 5), one foot above and one below: A is singular, JSON has no infinity."""
    answer = run("solve", "inverse", "biglide", "--x", "0,5", "--json").json
    conditions = {s["working"]: s["condition"] for s in answer["solutions"]}
    assert conditions["+-"] is None
    assert conditions["++"] < 2


def test_poses_that_merge_are_told_as_a_cluster(run):
    """Drives at a Type 2 singularity (φ = 10°, y = 0): one pose for two, within √eps of the robot, no other."""
    words = ("solve", "direct", "triplate", "--q", "2.05422507989462,0.3471049110681301,5.018067358168672")
    answer = run(*words, "--json").json
    (solution,) = answer["solutions"]
    assert answer["complete"]
    assert solution["cluster"]["count"] == 2
    assert 0 < solution["cluster"]["radius"] < 5e-5  # of a robot of 10 m
    assert "2 within" in run(*words).out
    apart = run("solve", "direct", "triplate", "--q", "-2.45301657642206,2.4671676132511835,4.69041575982343", "--json")
    assert [s["cluster"] for s in apart.json["solutions"]] == [None] * 4


def test_the_polynomial_of_the_triplate_is_printed_with_its_complex_roots(run):
    """Seed 002's own polynomial, from the 30-digit reference; four real roots and a complex pair."""
    words = ("solve", "direct", "triplate", "--q", "-2.45301657642206,2.4671676132511835,4.69041575982343")
    (one,) = run(*words, "--polynomial", "--json").json["polynomials"]
    expected = [1, 4.946691185906139, 2.9033527915724844, 4.813456001673676]
    expected += [-5.254664554135878, -0.025999550107399204, 0.4194115932335851]
    np.testing.assert_allclose(one["coefficients"], expected, rtol=1e-11)
    assert (one["plate"], one["variable"], one["degree"]) == ("plate", "tan(phi / 2)", 6)
    complex_ = [root for root in one["roots"] if root[1] != 0]
    np.testing.assert_allclose(complex_, [[-0.47652727253833077, s * 1.2960000172132078] for s in (-1, 1)], atol=1e-12)
    text = run(*words, "--polynomial").out
    assert "t^5  +4.94669118590614" in text
    assert text.count("  root ") == 6
    assert "polynomials" not in run(*words, "--json").json


def test_a_robot_without_a_plate_has_no_polynomial_to_print(run):
    """One line that says why, and code 2."""
    done = run("solve", "direct", "biglide", "--q", "0,0", "--polynomial")
    assert done.code == 2
    assert "no plate on three legs" in done.err


def test_numbers_in_the_document_are_whole_doubles(run):
    """What is printed reads back to the bit: the solutions close the loops at rounding level."""
    answer = run("solve", "direct", "biglide", "--q", "0.1,-0.1", "--json").json
    for solution in answer["solutions"]:
        x, y = solution["x"]
        for side, q in ((0.2, 0.1), (-0.2, -0.1)):
            assert math.hypot(x + side, y - q) == pytest.approx(0.3606, abs=2e-16)


def test_people_get_a_table_with_units(run):
    """One row per solution, under its names and units."""
    lines = run("solve", "inverse", "biglide", "--x", "0.03,0.25").out.splitlines()
    assert lines[0] == "biglide: 4 inverse solutions of 4 over the complex numbers (theorem: lines and circles)"
    assert "q1 [m]" in lines[1]
    assert "phi2 [rad]" in lines[1]
    assert len(lines) == 6


@pytest.mark.parametrize(
    "words", [("inverse", "biglide", "--x", "0.03,0.25"), ("direct", "delta", "--q", "0.3,0.3,0.3")]
)
def test_every_solution_is_drawn(run, tmp_path, words):
    """One picture with a panel for each mode, and what was written is said."""
    picture = tmp_path / "all.svg"
    done = run("solve", *words, "--plot", str(picture), "--json")
    assert (done.code, done.err) == (0, f"closedchain: wrote {picture}\n")
    drawn = picture.read_text(encoding="utf-8")
    assert drawn.count('<g id="axes_') == done.json["count"]


def test_without_a_solution_nothing_is_drawn_and_a_bad_name_is_refused_at_once(run, tmp_path):
    """Exit code 4 as ever; 2 for a file that is no picture."""
    picture = tmp_path / "none.png"
    done = run("solve", "inverse", "biglide", "--x", "3,0", "--plot", str(picture))
    assert done.code == 4
    assert "nothing to draw" in done.err
    assert not picture.exists()
    assert run("solve", "inverse", "biglide", "--x", "0,0.3", "--plot", "a.txt").code == 2


SHORT = """
name = "short"
output = "C"
[points]
C = { free = true, mass = 1 }
[drives.q1]
slider = { at = [-0.2, 0], along = [0, 1] }
limits = [-0.1, 0.2]
[drives.q2]
slider = { at = [0.2, 0], along = [0, 1] }
limits = [-0.1, 0.2]
[[bars]]
between = ["q1", "C"]
length = 0.36
[[bars]]
between = ["q2", "C"]
length = 0.36
"""


def test_solutions_beyond_a_joints_limits_are_counted_and_told(run, tmp_path):
    """Feet from −0.1 to 0.2 m: at y = 0.4 one of four solutions is left, at y = 0.6 none."""
    path = tmp_path / "short.toml"
    path.write_text(SHORT)
    answer = run("solve", "inverse", str(path), "--x", "0,0.4", "--json").json
    assert (answer["count"], answer["real"], answer["beyond_limits"]) == (4, 1, 3)
    assert "q2 = 0.699333 m is 0.499 m beyond its limits [-0.1, 0.2]" in answer["why"]
    none = run("solve", "inverse", str(path), "--x", "0,0.6")
    assert none.code == 4
    assert "q1 = 0.300667 m is 0.101 m beyond its limits" in none.out
    assert run("show", str(path), "--json").json["limits"] == {"q1": [-0.1, 0.2], "q2": [-0.1, 0.2]}
    assert "q1: from -0.1 to 0.2 m" in run("show", str(path)).out
    reach = run("workspace", str(path), "--json").json
    assert reach["method"] == "cells"
    assert reach["modes"]["++"]["area"] == pytest.approx(reach["modes"]["--"]["area"], rel=1e-4)
    assert reach["area"] > reach["modes"]["++"]["area"]


def test_a_body_in_space_has_a_pose_beside_its_coordinates(run):
    """Platform point = position + R point, the quaternion w first: the legs' lengths come out of it."""
    words = ("--q", "1,0.645275,1.086284,1.503439,1.281933,0.771071", "--json")
    answer = run("solve", "direct", "gough:dietmaier", *words).json
    assert (answer["count"], answer["real"], answer["complete"]) == (40, 40, True)
    p = answer["parameters"]
    for solution in answer["solutions"]:
        (w, x, y, z), place = solution["pose"]["quaternion"], np.array(solution["pose"]["position"])
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        for i, length in enumerate(solution["q"], start=1):
            base, tip = (np.array([p[f"{k}{i}{a}"] for a in "xyz"]) for k in "bp")
            assert np.linalg.norm(place + R @ tip - base) == pytest.approx(length, abs=1e-12)
