"""`closedchain demo`: one self-contained report beside the story, and numbers that are checked."""

import contextlib
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from closedchain.cli import demo
from closedchain.cli.demo_report import tell

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def story():
    """Everything that is told, computed once."""
    return demo.gather()


@pytest.fixture(scope="module")
def told(story, tmp_path_factory):
    """The command run once: exit code, report and what was printed."""
    path = tmp_path_factory.mktemp("demo") / "story.html"
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setattr(demo, "gather", lambda: story)
        code = demo.run(demo.Arguments(out=str(path), json=False))
    return code, path.read_text(encoding="utf-8"), printed.getvalue()


def test_the_story_fits_a_tall_screen(told):
    """Solutions, models beside references, laws, what to try next."""
    code, _, printed = told
    assert code == 0
    assert len(printed.splitlines()) <= 64
    for part in ("4 inverse solutions", "2 direct solutions", "every law holds", "states a second", "Try next"):
        assert part in printed


def test_the_report_is_one_file_that_needs_no_other(told):
    """Nothing is fetched: no address but SVG's namespace, every picture inline, an animation, a page to drag in."""
    code, page, _ = told
    assert code == 0
    outside = re.findall(r"""(?:src|href)=["'](?!data:|#)[^"']*""", page)
    assert not outside
    assert page.count('<section class="player"') == 1
    assert page.count("<iframe") == 1
    assert page.count('src="data:image/') == 4


def test_the_report_tells_the_whole_story(told):
    """Its headings, every reference number to twelve decimals, every closed loop."""
    _, page, _ = told
    for heading in (
        "to be dragged",
        "Every solution",
        "All models",
        "laws of physics",
        "Under control",
        "Through a singularity",
        "go on",
    ):
        assert heading in page
    assert "Something is wrong" not in page
    assert f"{demo.REFERENCE['tau'][0]:+.12f}".replace("-", "−") in page
    for name, (reference, shown) in demo.ERRORS.items():
        assert name in page
        assert page.count(f"{reference:.9e}") == 2  # the reference, and ours beside it
        assert shown in page


def test_a_law_that_fails_is_named_in_the_report(story, tmp_path):
    """The summary of the laws never hides one."""
    rows = [replace(row, worst=2.0 * row.limit) if "power" in row.law else row for row in story.laws.rows]
    page = tell(replace(story, laws=replace(story.laws, rows=tuple(rows))), tmp_path / "wrong.html").read_text("utf-8")
    assert re.search("Something is wrong:</strong> power balance", page)


def test_the_reference_errors_are_those_of_the_truth_file():
    """TRUTH.md §4."""
    known = json.loads((ROOT / "tests/data/truth_scenarios.json").read_text(encoding="utf-8"))
    known = known.get("scenarios", known)
    kinematic, torque = known["kinematic_control"], known["computed_torque"]
    figure = next(value for name, value in torque.items() if name.startswith("figure 18 replica"))
    wanted = {
        "biglide-kinematic": max(kinematic["T=0.01 zoh"]["max_abs_e_at_samples"]),
        "biglide-kinematic-slow": max(kinematic["T=0.1 zoh"]["max_abs_e_at_samples"]),
        "biglide-computed-torque": torque["report law exact plant T=0.005"]["max_abs_e"],
        "biglide-document": -figure["y_min"],
    }
    assert {name: reference for name, (reference, _) in demo.ERRORS.items()} == wanted


def test_a_wrong_number_is_seen(story, monkeypatch):
    """A model that differs from its reference in the tenth digit, and a closed loop that does by a nanometre."""
    assert demo.right(story)
    reference, shown, ours = story.errors["biglide-document"]
    assert not demo.right(replace(story, errors=story.errors | {"biglide-document": (reference + 1e-9, shown, ours)}))
    monkeypatch.setitem(demo.REFERENCE, "tau", [value * (1 + 1e-10) for value in demo.REFERENCE["tau"]])
    assert not demo.right(replace(story, misfits=demo.compare(story.found)))


def test_the_command_fails_when_a_number_is_wrong(run, story, tmp_path, monkeypatch):
    """Exit code 1, and the report is written all the same."""
    wrong = replace(story, misfits=story.misfits | {"tau": 1e-10})
    monkeypatch.setattr(demo, "gather", lambda: wrong)
    done = run("demo", "--json", "--out", str(tmp_path / "demo.html"))
    assert (done.code, done.json["misfit"]["tau"]) == (1, 1e-10)
    assert (tmp_path / "demo.html").is_file()


@pytest.mark.parametrize("out, words", [("story.pdf", "ends in .html"), ("nowhere/story.html", "there is no folder")])
def test_a_report_that_cannot_be_written_is_told_before_the_work(run, out, words):
    """One line, exit code 2."""
    done = run("demo", "--out", out)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
