"""`closedchain lab grade`: files and folders in, text, JSON, CSV and HTML out."""

import csv
import json
import zipfile

import pytest

from closedchain.cli import main
from closedchain.describe.files import BadFile
from closedchain_lab.grading.files import save_pages, table
from closedchain_lab.grading.results import FileGrade, SubmissionGrade
from closedchain_lab.grading.submissions import find, robot_of
from closedchain_lab.grading.task import read_task


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
    assert "with `gamma1` in place of `gamma2`" in said
    assert "Importing it raised SystemExit (biglide_models.py, line 1)." in said
    rows = list(csv.DictReader(summary.read_text(encoding="utf-8").splitlines()))
    assert [row["submission"] for row in rows] == ["ada", "grace", "mallory"]
    assert [row["score"] for row in rows] == ["100.0", rows[1]["score"], "0.0"]
    assert 95.0 < float(rows[1]["score"]) < 96.0
    assert rows[1]["mistakes"] == "gamma2 → gamma1 (igm)"
    page = report.read_text(encoding="utf-8")
    assert page.count("<h1") + page.count("<h2") >= 4
    assert "in place of" in page


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
    assert set(found) == {"a", "b", "c", "group7_five_bar"}
    assert "nothing to grade" in found["c"].problem
    assert [name for _, name in found["a"].files] == ["biglide_models.py", "helper.py", "sub/more.py"]
    assert found["b"].controls == ("control.py",)
    assert [one.name for one in find([tmp_path / "a", tmp_path / "a"])] == ["a", "a (2)"]
    with pytest.raises(BadFile, match="no submission"):
        find([tmp_path / "c"])


NOTEBOOK = {"cells": [{"cell_type": "markdown", "source": ["# ours"]}, {"cell_type": "code", "source": []}]}


def test_every_entry_of_a_folder_is_in_the_table(tmp_path, right, capsys):
    """Archives, nested folders, notebooks and exported ones, odd names, a video; also those with nothing in them."""
    text = right("biglide_vectors")
    folder = tmp_path / "all"
    nested = folder / "nested" / "lab_amoro_2024" / "student_scripts"
    for place in (nested, folder / "odd", folder / "video", folder / "empty", folder / "exported"):
        place.mkdir(parents=True)
    (nested / "biglide_models.py").write_text(text)
    (folder / "odd" / "Biglide Models (final) v2.py").write_text(text)
    (folder / "video" / "biglide_models.py").write_text(text)
    with (folder / "video" / "film.mp4").open("wb") as film:
        film.truncate(40 * 2**20)
    (folder / "exported" / "biglide_models.py").write_text(
        "get_ipython().run_line_magic('matplotlib', 'inline')\n" + text
    )
    cells = [NOTEBOOK["cells"][0], {"cell_type": "code", "source": ["%matplotlib inline\n", text]}]
    (folder / "biglide_book.ipynb").write_text(json.dumps({"cells": cells}))
    with zipfile.ZipFile(folder / "handed_in.zip", "w") as archive:
        archive.writestr("our work/biglide_models.py", text)
        archive.writestr("../../escaped.py", "")
    (folder / "minutes.pdf").write_text("")
    assert main(["lab", "grade", str(folder), "--csv", str(tmp_path / "g.csv"), "--workers", "2"]) == 1
    rows = {row["submission"]: row for row in csv.DictReader((tmp_path / "g.csv").read_text().splitlines())}
    whole = {"nested", "odd", "video", "exported", "biglide_book", "handed_in"}
    assert {name for name, row in rows.items() if row["score"] == "100.0"} == whole
    assert {name for name, row in rows.items() if not row["score"]} == {"empty", "minutes.pdf"}
    assert "Left out: film.mp4 (40.0 MB)." in capsys.readouterr().out


def test_a_seed_is_fresh_each_time_told_and_repeatable(tmp_path, three, capsys):
    """Two grades ask other states; the seed that is told asks the same again."""
    path = tmp_path / "biglide_models.py"
    path.write_text(three.replace("gamma2 * sqrt", "gamma1 * sqrt"), encoding="utf-8")

    def said(*words):
        assert main(["lab", "grade", str(path), *words]) == 1
        return capsys.readouterr().out

    one, two = said(), said()
    assert one.partition("first:")[2] != two.partition("first:")[2]
    seed = one.rpartition("--seed ")[2].split(",")[0]
    assert said("--seed", seed) == one


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


def test_tolerance_weights_and_modes_are_the_teachers(tmp_path, right, capsys):
    """dkm off by 1e-5, igm wrong in all modes but the figure's: strict, lenient, weighed, and in the lab's modes."""
    text = right("biglide_vectors").replace("xD, yD = np.linalg.inv(A) @ B", "xD, yD = 1.00001 * np.linalg.inv(A) @ B")
    text += "\n\nours = igm\n\ndef igm(x, y, gamma1, gamma2):\n    return ours(x, y, -1, -1)\n"
    path = tmp_path / "biglide_models.py"
    path.write_text(text, encoding="utf-8")

    def wrong(*words):
        main(["lab", "grade", str(path), "--json", "--seed", "1", *words])
        (file,) = json.loads(capsys.readouterr().out)["submissions"][0]["files"]
        return {f["name"] for f in file["functions"] if f["verdict"] != "right"}, file["score"], file["lab"]

    assert wrong()[0] == {"dkm", "igm"}
    assert wrong()[2] == "20 of 20"
    assert wrong("--tolerance", "1e-4")[0] == {"igm"}
    assert wrong("--modes", "lab", "--tolerance", "1e-4")[:2] == (set(), pytest.approx(100.0))
    assert wrong("--weights", "igm=0,dkm=0")[1] == pytest.approx(100.0)
    assert main(["lab", "grade", str(path), "--weights", "igk=2"]) == 2
    assert "no function 'igk' to weigh" in capsys.readouterr().err


def test_each_group_gets_its_own_page_and_a_total(groups, tmp_path, capsys):
    """No page names another group; the table has totals and comments."""
    pages, summary = tmp_path / "pages", tmp_path / "grades.csv"
    assert main(["lab", "grade", str(groups), "--pages", str(pages), "--csv", str(summary), "--workers", "2"]) == 1
    assert sorted(page.name for page in pages.iterdir()) == ["ada.html", "grace.html", "mallory.html"]
    assert "grace" not in (pages / "ada.html").read_text(encoding="utf-8")
    rows = {row["submission"]: row for row in csv.DictReader(summary.read_text(encoding="utf-8").splitlines())}
    assert rows["ada"]["total"] == rows["ada"]["score"] == "100.0"
    assert "in place of `gamma2`" in rows["grace"]["comments"]


def test_names_that_look_alike_have_a_page_each(tmp_path):
    """Letters of any alphabet are kept, and a name that is taken, also in small letters, gets a number."""
    names = ("group é", "group à", "Group (1)", "group 1?", "…")
    save_pages([SubmissionGrade(name, (), "nothing") for name in names], tmp_path)
    pages = sorted(page.name for page in tmp_path.iterdir())
    assert pages == ["Group_1_.html", "_.html", "group_1__2.html", "group_à.html", "group_é.html"]


def test_one_submission_is_told_as_autograders_read_it(groups, tmp_path, capsys):
    """A test for each function with its points; of several submissions it is refused."""
    path = tmp_path / "results.json"
    assert main(["lab", "grade", str(groups / "grace"), "--results", str(path)]) == 1
    made = json.loads(path.read_text(encoding="utf-8"))
    assert len(made["tests"]) == 10
    assert made["score"] == pytest.approx(sum(one["score"] for one in made["tests"]))
    assert main(["lab", "grade", str(groups), "--results", str(path)]) == 2


def test_a_task_file_sets_weights_modes_and_seed_where_no_option_does(groups, tmp_path, capsys):
    """The teacher's file is enough; what is typed counts more."""
    task = tmp_path / "task.toml"
    task.write_text(
        'schema = "closedchain.lab-task/1"\nrobot = "biglide"\nstart = [0, 0.2]\nend = [0.06, 0.3]\nduration = 2.0\n'
        'modes = "lab"\nseed = 7\n[weights]\nigm = 0\n'
    )
    file = str(groups / "grace" / "biglide_models.py")
    main(["lab", "grade", file, "--task", str(task), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["seed"] == 7
    functions = {f["name"]: f for f in document["submissions"][0]["files"][0]["functions"]}
    assert functions["igm"]["states"] < 80  # of some 196 in all modes
    whole = sum(f["score"] for name, f in functions.items() if name != "igm") / 9
    assert document["submissions"][0]["files"][0]["score"] == pytest.approx(100 * whole)
    main(["lab", "grade", file, "--task", str(task), "--json", "--seed", "8", "--modes", "all"])
    document = json.loads(capsys.readouterr().out)
    assert document["seed"] == 8
    assert document["submissions"][0]["files"][0]["functions"][1]["states"] > 150


@pytest.mark.parametrize(
    "line, words",
    [
        ("modes = 'some'", "modes = 'some'; there are all, lab"),
        ("seed = -1", "seed = -1; it must be a whole number"),
        ("weights = 3", "weights = 3; it must be a table"),
        ("weights = { igm = 'two' }", "weights = .*; it must be a table"),
    ],
)
def test_a_bad_key_of_a_task_is_named(tmp_path, line, words):
    """One clear error."""
    task = tmp_path / "task.toml"
    head = 'schema = "closedchain.lab-task/1"\nrobot = "biglide"\nstart = [0, 0.2]\nend = [0.06, 0.3]\nduration = 2.0\n'
    task.write_text(head + line)
    with pytest.raises(BadFile, match=words):
        read_task(str(task))


def test_work_goes_before_what_is_as_it_was_given_out(tmp_path, right, capsys):
    """The lab's folder untouched beside the group's own, and models of the other robot in a third: no zero for work."""
    group = tmp_path / "all" / "group"
    for place in ("student_scripts", "student_scripts 2", "subject"):
        (group / place).mkdir(parents=True)
    given = "def igm(x, y, gamma1, gamma2):\n    q11 = 0\n    q21 = 0\n    return q11, q21\n"
    (group / "student_scripts" / "biglide_models.py").write_text(given, encoding="utf-8")
    (group / "student_scripts 2" / "biglide_models.py").write_text(right("biglide_vectors"), encoding="utf-8")
    (group / "subject" / "five_bar_models.py").write_text(given, encoding="utf-8")
    main(["lab", "grade", str(tmp_path / "all")])
    said = capsys.readouterr().out
    taken = "student_scripts 2/biglide_models.py, subject/five_bar_models.py"
    assert f"Graded is {taken}, and not student_scripts/biglide_models.py." in said
    assert "group: biglide_models.py, biglide: 100.0 of 100" in said
    assert "group: five_bar_models.py, fivebar: 0.0 of 100" in said


def test_what_lies_in_another_folder_of_a_group_is_named(tmp_path, right, capsys):
    """Two copies of the lab's folder: one is graded, and the text and the table say which is not."""
    for place in ("student_scripts", "student_scripts 2"):
        (tmp_path / "all" / "group" / place).mkdir(parents=True)
        (tmp_path / "all" / "group" / place / "biglide_models.py").write_text(
            right("biglide_vectors"), encoding="utf-8"
        )
    assert main(["lab", "grade", str(tmp_path / "all"), "--csv", str(tmp_path / "grades.csv")]) == 0
    said = "Graded is student_scripts/biglide_models.py, and not student_scripts 2/biglide_models.py."
    assert said in capsys.readouterr().out
    assert said in (tmp_path / "grades.csv").read_text(encoding="utf-8")
