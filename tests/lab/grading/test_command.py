"""`closedchain lab grade`: files and folders in, text, JSON, CSV and HTML out."""

import csv
import json

import pytest

from closedchain.cli import main
from closedchain.describe.files import BadFile
from closedchain.lab.grading.files import table
from closedchain.lab.grading.results import FileGrade, SubmissionGrade
from closedchain.lab.grading.submissions import find, robot_of


@pytest.fixture
def groups(tmp_path, right):
    """A folder of three groups: all right, one mistake, one that cannot be imported."""
    wrong = right("biglide_vectors").replace("gamma2 * sqrt", "gamma1 * sqrt")
    texts = {"ada": right("biglide_vectors"), "grace": wrong, "mallory": "raise SystemExit"}
    for name, text in texts.items():
        (tmp_path / "all" / name).mkdir(parents=True)
        (tmp_path / "all" / name / "biglide_models.py").write_text(text, encoding="utf-8")
    return tmp_path / "all"


def test_a_folder_of_groups_is_graded_in_one_go(groups, tmp_path, capsys):
    """Exit code 1 because something is wrong; the table and the report say what."""
    summary, report = tmp_path / "grades.csv", tmp_path / "grades.html"
    assert main(["lab", "grade", str(groups), "--csv", str(summary), "--html", str(report), "--workers", "2"]) == 1
    said = capsys.readouterr().out
    assert "ada: biglide_models.py, biglide: 100.0 of 100" in said
    assert "gamma1 is used for both legs." in said
    assert "Importing it raised SystemExit (biglide_models.py, line 1)." in said
    rows = list(csv.DictReader(summary.read_text(encoding="utf-8").splitlines()))
    assert [row["submission"] for row in rows] == ["ada", "grace", "mallory"]
    assert [row["score"] for row in rows] == ["100.0", "95.5", "0.0"]
    assert rows[1]["mistakes"] == "gamma1-for-both-legs (igm)"
    page = report.read_text(encoding="utf-8")
    assert page.count("<h1") + page.count("<h2") >= 4
    assert "gamma1 is used for both legs." in page


def test_json_is_one_document_with_everything(tmp_path, right, capsys):
    """Scores, first failing states, mistakes, and what held the child."""
    path = tmp_path / "five_bar_models.py"
    path.write_text(
        right("fivebar_vectors").replace("return q11, q21\n", "return float('nan'), q21\n", 1), encoding="utf-8"
    )
    assert main(["lab", "grade", str(path), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "closedchain.lab-grade/1"
    (submission,) = document["submissions"]
    (file,) = submission["files"]
    igm = file["functions"][1]
    assert (igm["name"], igm["verdict"], igm["failure"]["got"]) == ("igm", "wrong", None)
    assert set(file["protections"]) >= {"network", "files", "processes", "memory", "cpu"}
    assert file["functions"][0]["score"] == 1.0


def test_a_right_file_ends_with_code_0(tmp_path, right, capsys):
    """So that a group's own automation can use it."""
    path = tmp_path / "biglide_models.py"
    path.write_text(right("biglide_loops"), encoding="utf-8")
    assert main(["lab", "grade", str(path)]) == 0
    assert "biglide: 100.0 of 100" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, code, message",
    [
        (["nowhere.py"], 3, "there is no such file or folder"),
        (["."], 3, "no submission in it"),
        (["notes.txt"], 3, "a submission is a Python file"),
        (["biglide_models.py", "--html", "out.pdf"], 2, "must end in .html or .htm"),
        (["biglide_models.py", "--csv", "nowhere/out.csv"], 2, "there is no folder"),
        (["biglide_models.py", "--timeout", "-1"], 2, "positive"),
    ],
)
def test_a_wrong_word_is_one_line_before_any_work(words, code, message, tmp_path, monkeypatch, capsys):
    """Nothing has been run or written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("")
    if "biglide_models.py" in words:
        (tmp_path / "biglide_models.py").write_text("")
    assert main(["lab", "grade", *words]) == code
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_submissions_are_found_as_groups_hand_them_in(tmp_path):
    """A file, a folder of one group, a folder of groups, loose files named after robots; helpers come along."""
    for name in (
        "a/biglide_models.py",
        "a/helper.py",
        "a/sub/more.py",
        "a/.git/config",
        "b/control.py",
        "c/readme.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "group7_five_bar.py").write_text("")
    found = {one.name: one for one in find([tmp_path])}
    assert set(found) == {"a", "b", "group7_five_bar"}
    assert [name for _, name in found["a"].files] == ["biglide_models.py", "helper.py", "sub/more.py"]
    assert found["b"].controls == ("control.py",)
    assert [one.name for one in find([tmp_path / "a", tmp_path / "a"])] == ["a", "a (2)"]
    with pytest.raises(BadFile, match="no submission"):
        find([tmp_path / "c"])


@pytest.mark.parametrize(
    "name, robot",
    [("biglide_models.py", "biglide"), ("Five-Bar models.py", "fivebar"), ("5bar.py", "fivebar"), ("models.py", None)],
)
def test_a_name_tells_the_robot(name, robot):
    """Or it does not, and then the answers decide."""
    assert robot_of(name) == robot


def test_a_groups_name_is_no_formula_of_a_spreadsheet():
    """A folder called =HYPERLINK(…) is text in the summary."""
    grade = SubmissionGrade("=1+1", (FileGrade("@x.py", "biglide", 0.0, (), "-1"),))
    assert table([grade]).splitlines()[1].startswith("'=1+1,'@x.py,biglide,0.0,'-1")
