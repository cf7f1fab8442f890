"""`closedchain sweep`: the line of the documentation, files, what is refused and what is marked."""

import csv

import pytest

WINDOW = ("--window", "-0.3,0.3,-0.3,0.3")
STUDY = """
schema = "closedchain.study/1"
robot = "biglide"
compute = ["workspace_area", "min_conditioning"]
window = [-0.3, 0.3, "-300 mm", 0.3]
grid = 16

[values]
m_p = 2.0

[vary]
l = "0.30:0.40:3"
d = [0.3, 0.4]
"""


def test_areas_of_a_strip_over_its_bars(run, tmp_path):
    """21 lengths, two processes, one file: 2 (l − d/2) × 0.6 m."""
    out = tmp_path / "study.csv"
    words = ("--param", "l=0.30:0.50:21", "--compute", "workspace_area", *WINDOW)
    done = run("sweep", "biglide", *words, "--workers", "2", "--out", str(out))
    assert done.code == 0
    assert "21 points" in done.out
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert [float(r["workspace_area_m^2"]) for r in rows] == pytest.approx(
        [0.6 * min(2 * (float(r["l_m"]) - 0.2), 0.6) for r in rows], rel=1e-13
    )
    before = out.read_bytes()
    again = run("sweep", "biglide", *words, "--workers", "0", "--out", str(out), "--resume")
    assert (again.code, out.read_bytes()) == (0, before)


def test_a_study_file_says_the_same_as_options(run, tmp_path):
    """Row for row; an option replaces what the file says."""
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    by_file = run("sweep", str(path), "--workers", "0", "--json").json
    words = ("--param", "l=0.30:0.40:3", "--param", "d=0.3,0.4", "--set", "m_p=2", "--grid", "16")
    words += ("--compute", "workspace_area", "--compute", "min_conditioning", *WINDOW, "--workers", "0", "--json")
    assert run("sweep", "biglide", *words).json["rows"] == by_file["rows"]
    assert by_file["schema"] == "closedchain.sweep/1"
    assert by_file["parameters"]["m_p"] == 2.0
    assert run("sweep", str(path), "--param", "l=0.35:0.40:2", "--workers", "0", "--json").json["points"] == 2


def test_a_study_without_any_answer_is_written_and_exits_with_4(run, tmp_path):
    """Bars too short to meet: every row says so."""
    out = tmp_path / "study.csv"
    done = run(
        "sweep", "biglide", "--param", "l=0.01:0.02:3", "--compute", "evaluate.det_A", "--q", "0,0.1", "--out", str(out)
    )
    assert done.code == 4
    assert "3 points, 3 marked" in done.out
    assert out.read_text().count("misses each other") == 3


def test_a_point_that_cannot_be_is_a_marked_row(run):
    """A negative mass and bars that do not meet: the study goes on, exit code 0."""
    words = ("--param", "m_p=-1,2", "--param", "l=0.1,0.4", "--compute", "min_conditioning", *WINDOW, "--workers", "0")
    done = run("sweep", "biglide", *words)
    assert done.code == 0
    assert "4 points, 3 marked" in done.out
    assert done.out.count("a mass or inertia is never negative") == 2
    assert done.out.count("within reach of all legs") == 1


def test_pictures_and_a_page(run, tmp_path):
    """Where they were asked for."""
    words = ("--param", "l=0.3:0.4", "--param", "d=0.2:0.4", "--points", "8", "--sample", "saltelli", *WINDOW)
    words += ("--compute", "min_conditioning", "--grid", "16", "--workers", "0")
    made = (
        "--plot",
        str(tmp_path / "p.svg"),
        "--report",
        str(tmp_path / "r.html"),
        "--out",
        str(tmp_path / "t.parquet"),
    )
    assert run("sweep", "biglide", *words, *made).code == 0
    assert (tmp_path / "p.svg").read_text().startswith("<?xml")
    assert "Sobol indices" in (tmp_path / "r.html").read_text()
    assert (tmp_path / "t.parquet").read_bytes()[:4] == b"PAR1"


def test_a_window_is_chosen_and_told_where_the_reach_has_no_end(run):
    """Twice the size of the study's largest robot each way: bars of 0.4 m."""
    done = run("sweep", "biglide", "--param", "l=0.36,0.4", "--compute", "workspace_area", "--workers", "0")
    assert "looking at x -0.8 … 0.8 m" in done.err


def test_what_can_be_computed_is_listed(run):
    """With what it is."""
    assert "workspace_area" in run("sweep", "biglide", "--compute", "list").out
    assert len(run("sweep", "biglide", "--compute", "list", "--json").json["measures"]) >= 12


AREA = ("--compute", "workspace_area")
TRACKED = ("--compute", "tracking_error", "--scenario", "biglide-computed-torque")


@pytest.mark.parametrize(
    "argv, code, words",
    [
        (("biglide", "--param", "l=0.3,0.4", "--param", "l=0.5,0.6", *AREA), 2, "l is given twice"),
        (("biglide", "--param", "l=0.3,0.4", *AREA, "--window", "0.3,-0.3,0,1"), 2, "each pair rising"),
        (("biglide", "--param", "l=0.3,0.4", "--compute", "evaluate.tau.0"), 2, "of which state"),
        (("biglide", "--param", "l=0.3,0.4", *AREA, "--checkpoint", "nowhere/c.sqlite"), 2, "there is no folder"),
        (("biglide", "--param", "controller.kq=1,2", *TRACKED), 2, "controller.kq: unknown key"),
        (("biglide", "--param", "plant.values.zz=1,2", *TRACKED), 2, "unknown parameter 'zz'"),
        (("biglide", "--param", "controller.kp=1,2", *AREA, *TRACKED[2:]), 2, "changes nothing of workspace_area"),
        (("biglide", "--param", "controller.kp=1,2", "--compute", "peak_effort", *TRACKED[2:]), 2, "changes nothing"),
        (("delta", "--param", "L=0.5,0.6", *AREA, "--orientation", "10deg"), 2, "needs height"),
        (("rrr3", "--param", "l1=0.9,1", *AREA, "--height", "0.1"), 2, "needs orientation"),
        (("biglide", "--param", "l=0.3,0.4", *AREA, "--height", "0.1"), 2, "takes neither"),
        (
            ("biglide", "--param", "l=0.3,0.4", "--compute", "regular_workspace", "--centre", "9,9"),
            2,
            "within the window",
        ),
        (("biglide", *AREA), 2, "what is varied"),
        (("biglide", "--param", "l=0.3:0.4:3"), 2, "what is computed"),
        (("biglide", "--param", "k=0.3:0.4:3", *AREA), 2, "unknown parameter 'k'"),
        (("biglide", "--param", "l=0.5:0.4:3", *AREA), 2, "empty range"),
        (("biglide", "--param", "l", *AREA), 2, "has no range"),
        (("biglide", "--param", "l=0.3:0.4:3", "--compute", "area"), 2, "nothing is called 'area'"),
        (("biglide", "--param", "l=0.3:0.4", *AREA), 2, "how many points"),
        (("biglide", "--param", "controller.kp=1:2:3", *AREA), 2, "give --scenario"),
        (
            ("biglide", "--param", "l=0.3:0.4:3", "--compute", "tracking_error", "--scenario", "fivebar-lab"),
            2,
            "choose one",
        ),
        (("rrr3", "--param", "l1=1:2:3", *AREA), 2, "needs orientation"),
        (("biglide", "--param", "l=0.3:0.4:3", *AREA, "--resume"), 2, "give --out"),
        (("biglide", "--param", "l=0.3:0.4:3", *AREA, "--out", "x.xls"), 2, "must end in"),
        (("biglide", "--param", "l=0.3:0.4:3", *AREA, "--cluster", "tcp://10.0.0.7:8786"), 2, "hides nothing"),
        (
            ("biglide", "--param", "l=0.3,0.4", "--compute", "evaluate.q_ddot.0", "--x", "0,0.2", "--tau", "a,b"),
            2,
            "--tau",
        ),
        (("biglid", "--param", "l=0.3:0.4:3", *AREA), 2, "did you mean 'biglide'"),
    ],
)
def test_a_bad_study_is_one_line(run, argv, code, words):
    """Before any point is computed."""
    done = run("sweep", *argv)
    assert (done.code, done.out) == (code, "")
    assert words in done.err


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('l = "0.30:0.40:3"', 'k = "0.30:0.40:3"', "unknown parameter 'k'"),
        ('"workspace_area"', '"area"', "nothing is called 'area'"),
        ("grid = 16", "grids = 16", "unknown key"),
        ('robot = "biglide"', "", "robot: is missing"),
        ("d = [0.3, 0.4]", 'd = [0.3, "x"]', "vary.d[1]: a number is needed"),
    ],
)
def test_a_bad_study_file_is_told_with_its_place(run, tmp_path, old, new, words):
    """Exit code 3."""
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace(old, new))
    done = run("sweep", str(path))
    assert done.code == 3
    assert words in done.err


def test_the_schemas_of_studies_and_designs_are_printed(run):
    """As JSON, each with its own name."""
    for kind in ("study", "design"):
        assert run("schema", kind).json["$id"] == f"urn:closedchain:{kind}:1"


def test_a_study_file_without_measures_says_so(run, tmp_path):
    """One line, and what to give."""
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace('compute = ["workspace_area", "min_conditioning"]\n', ""))
    done = run("sweep", str(path))
    assert done.code == 2
    assert "what is computed" in done.err


def test_a_state_beside_a_study_file_is_refused_and_not_ignored(run, tmp_path):
    """The file has a table for it."""
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    done = run("sweep", str(path), "--x", "0,0.2")
    assert (done.code, done.out) == (2, "")
    assert "a study file has [state]" in done.err
