"""The pages of documents, simulation and laws show what their blocks print; the scenario page's file is right."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

from closedchain import scenarios

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "docs/documents").glob("*.md")), ROOT / "docs/simulation.md", ROOT / "docs/laws.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROUNDING = re.compile(r"\b\d(\.\d+)?e-(1[0-9])\b")  # differs between platforms


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_blocks_print(page):
    """Every text block follows a Python block and is its output, line by line; rounding errors may differ."""
    namespace, printed, shown = {"__name__": "page"}, "", 0
    for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream):
                exec(compile(body, page.name, "exec"), namespace)  # noqa: S102 (our own pages)
            printed = stream.getvalue()
        elif kind == "text":
            assert ROUNDING.sub("#", printed).splitlines() == ROUNDING.sub("#", body).splitlines()
            shown += 1
    assert shown


def test_there_is_a_page_for_each_document():
    """Five of them."""
    assert [page.stem for page in PAGES[:-2]] == [f"seed-00{i}" for i in range(5)]


def test_the_whole_file_of_the_scenario_page_is_a_scenario():
    """As it stands there; and the page's tables name every kind."""
    text = (ROOT / "docs/reference/scenario-file.md").read_text(encoding="utf-8")
    (whole,) = [body for kind, body in BLOCK.findall(text) if kind == "toml"]
    found = scenarios.loads(whole)
    assert found.plant.payload == 0.1
    assert found.limits == {"q1": (-0.5, 0.5)}
    for kind in (*scenarios.trajectories.KINDS, *scenarios.controllers.KINDS):
        assert f"`{kind}`" in text


def test_the_simulation_page_names_every_scenario():
    """A new one gets its place in the table."""
    text = (ROOT / "docs/simulation.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in scenarios.names())


def test_the_crossings_beside_each_other_print_the_pages_numbers(tmp_path, capsys):
    """Both columns of the table of docs/crossing.md, and a picture."""
    runpy.run_path(str(ROOT / "docs/pictures/beside.py"))["draw"](tmp_path / "beside.svg")
    printed = re.findall(r"(\S+) +(\S+) N near Type 2, tip error (\S+) mm", capsys.readouterr().out)
    page = (ROOT / "docs/crossing.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| `(biglide-crossing\S*)`: .* \| (\S+) N \| (\S+) mm \|$", page, re.MULTILINE)
    assert [(name, float(effort), error) for name, effort, error in printed] == [
        (name, float(effort), error) for name, effort, error in shown
    ]
    assert len(shown) == 3
    assert (tmp_path / "beside.svg").read_text().lstrip().startswith("<?xml")
