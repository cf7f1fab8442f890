"""`closedchain demo`: one self-contained report beside the story, and numbers that are checked."""

import json
import re
from pathlib import Path

import pytest

from closedchain.cli import demo

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The command run once: exit code and report."""
    path = tmp_path_factory.mktemp("demo") / "story.html"
    code = demo.run(demo.Arguments(out=str(path), json=False))
    return code, path.read_text(encoding="utf-8")


def test_the_report_is_one_file_that_needs_no_other(told):
    """Nothing is fetched: no address but SVG's namespace, every picture inline, one animation."""
    code, page = told
    assert code == 0
    outside = re.findall(r"""(?:src|href)=["'](?!data:|#)[^"']*""", page)
    assert not outside
    assert page.count('<section class="player"') == 1
    assert page.count("data:image/") == 7


def test_the_report_tells_the_whole_story(told):
    """Its headings, every law, every reference number to twelve decimals, every closed loop."""
    _, page = told
    for heading in ("Every solution", "All models", "laws of physics", "Kinematic control", "Computed torque", "go on"):
        assert heading in page
    assert "power balance" in page
    assert f"{demo.REFERENCE['tau'][0]:+.12f}".replace("-", "−") in page
    for name, (reference, shown) in demo.ERRORS.items():
        assert name in page
        assert page.count(f"{reference:.9e}") == 2  # the reference, and ours beside it
        assert shown in page


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


def test_demo_fails_when_a_closed_loop_is_wrong(run, tmp_path, monkeypatch):
    """A reference that differs by a nanometre is seen."""
    reference, shown = demo.ERRORS["biglide-document"]
    monkeypatch.setitem(demo.ERRORS, "biglide-document", (reference + 1e-9, shown))
    assert run("demo", "--json", "--out", str(tmp_path / "demo.html")).code == 1


@pytest.mark.parametrize("out, words", [("story.pdf", "ends in .html"), ("nowhere/story.html", "there is no folder")])
def test_a_report_that_cannot_be_written_is_told_before_the_work(run, out, words):
    """One line, exit code 2."""
    done = run("demo", "--out", out)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
