"""`closedchain design`: the best of one goal, the front of two, and what cannot be."""

import math

import pytest

BOX = ("--param", "d=0.1:0.9", "--param", "l=0.2:0.5")
WINDOW = ("--window", "-1,1,-1,1")
SQUARE = ("--maximise", "regular_workspace", "--condition", "0.5", *WINDOW)
FILE = """
schema = "closedchain.design/1"
robot = "biglide"
maximise = "regular_workspace"
condition = 0.5
window = [-1, 1, -1, 1]

[vary]
d = "0.1:0.9"
l = "0.2:0.5"
"""


def test_the_least_effort_at_a_state(run):
    """√(2 m_f m_p) with m_f = 1 kg and m_p = 3 kg, as docs/design.md derives."""
    goal = ("--minimise", "evaluate.tau.0", "--x", "0,0.25", "--x-ddot", "1,0", "--evaluations", "400")
    best = run("design", "biglide", "--param", "d=0.1:0.7", *goal, "--json").json
    assert best["values"]["evaluate.tau.0"] == pytest.approx(math.sqrt(6), abs=1e-6)


def test_the_largest_square(run, tmp_path):
    """d = 2 l k/√(1 + k²), as tests/design derives; by options and by file."""
    best = run("design", "biglide", *BOX, *SQUARE, "--json", "--out", str(tmp_path / "best.csv")).json
    assert best["schema"] == "closedchain.design/1"
    assert best["dimensions"]["d"] == pytest.approx(2 * 0.5 * 0.5 / math.sqrt(1.25), abs=1e-6)
    assert (tmp_path / "best.csv").read_text().startswith("d_m,l_m,regular_workspace_m\n")
    path = tmp_path / "square.toml"
    path.write_text(FILE)
    assert run("design", str(path), "--json").json["dimensions"] == best["dimensions"]


def test_a_front_with_its_picture(run, tmp_path):
    """Two goals."""
    words = (
        *BOX,
        "--maximise",
        "regular_workspace",
        "--maximise",
        "centre_conditioning",
        *WINDOW,
        "--evaluations",
        "300",
    )
    made = ("--out", str(tmp_path / "f.csv"), "--plot", str(tmp_path / "f.svg"))
    done = run("design", "biglide", *words, *made)
    assert done.code == 0
    assert "none of which is best in all of" in done.out
    answer = run("design", "biglide", *words, "--json").json
    assert answer["header"] == ["d_m", "l_m", "regular_workspace_m", "centre_conditioning"]
    assert (tmp_path / "f.csv").read_text().count("\n") == len(answer["designs"]) + 1
    assert (tmp_path / "f.svg").exists()


@pytest.mark.parametrize(
    "argv, code, words",
    [
        ((*BOX, *SQUARE, "--subject-to", "centre_conditioning>=1.5", "--evaluations", "100"), 4, "designs keeps"),
        ((*BOX,), 2, "what is the best"),
        ((*SQUARE,), 2, "which dimensions"),
        (("--param", "k=0:1", *SQUARE), 2, "unknown parameter 'k'"),
        ((*BOX, *SQUARE, "--plot", "p.png"), 2, "draws a front"),
        ((*BOX, *SQUARE, "--subject-to", "small"), 2, "is not understood"),
    ],
)
def test_what_cannot_be_designed_is_one_line(run, argv, code, words):
    """Exit code and reason."""
    done = run("design", "biglide", *argv)
    assert (done.code, done.out) == (code, "")
    assert words in done.err


def test_a_flat_goal_is_told_and_nothing_is_printed_as_best(run, tmp_path):
    """The centre is out of every design's reach: exit 4, no dimensions, no file."""
    out = tmp_path / "best.csv"
    done = run("design", "biglide", *BOX, *SQUARE, "--centre", "0.9,0.9", "--evaluations", "300", "--out", str(out))
    assert (done.code, done.out) == (4, "")
    assert "largest regular_workspace chooses nothing: it is 0 for each of" in done.err
    assert not out.exists()
