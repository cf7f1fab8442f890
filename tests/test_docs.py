"""The pages do what they say: Python blocks run, commands succeed, links lead somewhere, tables are complete."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from closedchain import robots
from closedchain.cli import main
from closedchain.cli.parser import parse

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADAMS = 'closedchain verify biglide --engine mujoco --motion "q1 = 0.1*sin(t); q2 = -0.1*sin(t)" '
ADAMS += "--engine-set l=0.36055512754639896 --plot figures.png"
REFUSED = {"closedchain solve inverse biglide --x 0.17,0.25": 4, ADAMS: 1}  # shown for refusals
SMALL = re.compile(r"\b\d(\.\d?)?e-\d\d\b")  # rounding errors and limits that follow them; platforms differ in these


def name_of(page):
    """A page's path, for the test's name."""
    return page.relative_to(ROOT).as_posix()


def blocks(page, language):
    """The code blocks of a page in one language."""
    return [body for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


COMMANDS = [
    pytest.param(line.removeprefix("$ closedchain "), id=f"{name_of(page)}: {line[2:]}")
    for page in PAGES
    for body in blocks(page, "console")
    for line in body.splitlines()
    if line.startswith("$ closedchain ")
]


def run(source, page, number, namespace):
    """Run one block in the page's namespace; what it printed."""
    printed = io.StringIO()
    code = compile(source, f"{name_of(page)}, block {number}", "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)  # noqa: S102 (our own pages)
    return printed.getvalue()


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=name_of)
def test_every_python_block_of_a_page_runs(page, monkeypatch, tmp_path):
    """In the page's order, in one fresh namespace per page; what it writes stays in its own folder."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "page"}
    for number, source in enumerate(blocks(page, "python"), start=1):
        run(source, page, number, namespace)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_pages_succeeds(command, monkeypatch, capsys, tmp_path):
    """Exit code 0 and an answer, in a folder that has the examples; what a command writes stays there."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "sh")], ids=name_of)
def test_every_shell_line_of_a_page_does_what_it_says(page, monkeypatch, tmp_path):
    """In the page's order in one folder; `> file` is honoured. Servers, and lines for a student's files, are parsed."""
    monkeypatch.chdir(tmp_path)
    for line in "".join(blocks(page, "sh")).splitlines():
        command, _, target = line.partition("#")[0].partition(" > ")
        words = shlex.split(command)
        if words[:1] != ["closedchain"]:
            continue
        if words[1] in ("studio", "lab") or "tls://" in line:
            assert parse(words[1:]).command == words[1]
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            assert main(words[1:]) == REFUSED.get(command, 0), line
        assert printed.getvalue().strip()
        if target:
            Path(target.strip()).write_text(printed.getvalue(), encoding="utf-8")


@pytest.mark.parametrize("page, name", [("docs/sweep.md", "sweep"), ("docs/design.md", "design")])
def test_the_file_of_a_page_is_read_by_its_command(page, name, monkeypatch, capsys, tmp_path):
    """The whole file as it stands there, with fewer points."""
    (body,) = blocks(ROOT / page, "toml")
    (tmp_path / "file.toml").write_text(body, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    fewer = ["--points", "4"] if name == "sweep" else ["--evaluations", "60"]
    assert main([name, "file.toml", *fewer, "--json"]) == 0
    assert capsys.readouterr().out.lstrip().startswith("{")


def test_there_are_blocks_and_commands_to_try():
    """A pattern that finds nothing would keep the tests above green for ever."""
    assert len(COMMANDS) >= 10
    assert len([b for p in PAGES for b in blocks(p, "python")]) >= 6


def test_the_readme_shows_what_its_block_prints():
    """Line by line; only the sizes of rounding errors are not compared."""
    readme = ROOT / "README.md"
    printed = run(blocks(readme, "python")[0], readme, 1, {"__name__": "page"})
    shown = blocks(readme, "text")[0]
    assert SMALL.sub("#", printed) == SMALL.sub("#", shown)


def test_the_readme_names_every_robot_and_parameter_set():
    """A new robot gets its line."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in robots.names():
        assert f"`{name}`" in text
        for preset in robots.find(name).presets:
            assert f"`{name}:{preset}`" in text


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_inside_the_repository_leads_somewhere(page):
    """Relative targets exist."""
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "CONTRIBUTING.md"], ids=name_of)
def test_files_that_a_page_names_exist(page):
    """Paths in backquotes under tests, examples, docs and src; CONTRIBUTING's are patterns to follow."""
    for target in re.findall(r"`((?:tests|examples|docs|src|benchmarks)/[\w./-]+)`", page.read_text(encoding="utf-8")):
        assert (ROOT / target.rstrip("/")).exists(), target
