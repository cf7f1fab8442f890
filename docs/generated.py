"""What nobody writes by hand: `<!-- generated: NAME -->` in a page becomes the text of one of these functions.

So a new command, a new public name or a new page is on the site without anybody's list. `written.py` puts the text of
the reference into the pages themselves, up to the mark of its end, which the site replaces by its own.
"""

import argparse
import ast
import functools
import importlib
import inspect
import pkgutil
import re
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import closedchain
import closedchain_lab
from closedchain import robots
from closedchain.cli import parser as command_line
from closedchain.export.html import explorable

DOCS = Path(__file__).parent
END = "<!-- end of what is generated -->"
MARK = re.compile(rf"^<!-- generated: (\w+)(?: ([^\n]*?))? -->$(?:.*?^{END}$)?", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WIDTH = 92  # characters of a line of help


def fill(app: Any, name: str, source: list[str]) -> None:
    """Replace each mark of a page, when Sphinx reads it."""
    source[0] = MARK.sub(lambda mark: WRITERS[mark[1]](*(mark[2] or "").split()), source[0])


# Pages ---------------------------------------------------------------------------------------------


def pages(*elsewhere: str) -> str:
    """A toctree of every page right in docs/ that is not named as being elsewhere, by title."""
    found = [path for path in DOCS.glob("*.md") if path.stem not in {"index", *elsewhere}]
    missing = set(elsewhere) - {path.stem for path in DOCS.glob("*.md")}
    if missing:
        raise ValueError(f"docs/index.md names pages that are not there: {', '.join(sorted(missing))}")
    names = [path.stem for path in sorted(found, key=title)]
    return "\n".join(["```{toctree}", ":hidden:", ":caption: How to", "", *names, "```"])


def title(path: Path) -> str:
    """The first heading of a page, to sort by."""
    heading = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return heading[1].lower() if heading else path.stem


# Commands ------------------------------------------------------------------------------------------


def commands() -> str:
    """A section for each command: what `closedchain COMMAND --help` prints."""
    return "\n\n".join(section for name, parser in choices(command_line.build()) for section in sections(name, parser))


def sections(name: str, parser: argparse.ArgumentParser, depth: int = 2) -> Iterator[str]:
    """A heading, the help, and the same for what follows the command: `solve inverse`, `lab run`."""
    parser.formatter_class = functools.partial(argparse.RawDescriptionHelpFormatter, max_help_position=32, width=WIDTH)
    yield f"{'#' * depth} `{name}`\n\n```text\n{parser.format_help().rstrip()}\n```"
    for inner, one in choices(parser):
        yield from sections(f"{name} {inner}", one, depth + 1)


def choices(parser: argparse.ArgumentParser) -> list[tuple[str, argparse.ArgumentParser]]:
    """The commands right below a parser; argparse has no public way to ask."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return [item for action in actions for item in action.choices.items()]


# Python --------------------------------------------------------------------------------------------


def names() -> str:
    """The public names of `closedchain` itself."""
    return group("closedchain", public()["closedchain"])


def modules() -> str:
    """The public names of everything else, module by module."""
    return "\n\n".join(group(home, members) for home, members in sorted(public().items()) if home != "closedchain")


def public() -> dict[str, dict[str, Any]]:
    """Names and values by module: what `__all__` names, what the pages import, and what those return."""
    wanted = [("closedchain", name) for name in closedchain.__all__]
    wanted += [(module.__name__, name) for module in packages() for name in module.__all__]
    wanted += sorted(set(imported()))
    wanted += sorted(answers(wanted))
    groups: dict[str, dict[str, Any]] = {}
    told: set[int] = set()
    for home, name in wanted:  # a thing with two names is told once, under the first
        value = getattr(importlib.import_module(home), name)
        if id(value) not in told and not (isinstance(value, ModuleType) and home != "closedchain"):
            told |= {id(value), id(called(value))}
            groups.setdefault(home, {})[name] = value
    return groups


def called(value: Any) -> Any:
    """The function of a package that is called like the function in it, as closedchain.verify; or None."""
    return getattr(value, value.__name__.rpartition(".")[2], None) if isinstance(value, ModuleType) else None


def packages() -> Iterator[ModuleType]:
    """Our packages that say what is public in them; the command line is not for import."""
    yield closedchain_lab
    for found in pkgutil.iter_modules(closedchain.__path__, "closedchain."):
        if found.ispkg and found.name not in {"closedchain.cli", "closedchain.kernels"}:
            module = importlib.import_module(found.name)
            if hasattr(module, "__all__"):
                yield module


def imported() -> Iterator[tuple[str, str]]:
    """Module and name of what the pages' blocks import from our modules."""
    for page in sorted(DOCS.rglob("*.md")):
        for body in BLOCK.findall(page.read_text(encoding="utf-8")):
            for node in ast.walk(ast.parse(body)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                    ("closedchain.", "closedchain_lab")
                ):
                    yield from ((str(node.module), alias.name) for alias in node.names)


def answers(wanted: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """Our classes that some functions return."""
    found = set()
    for home, name in wanted:
        value = getattr(importlib.import_module(home), name)
        answer = hint(value) if inspect.isfunction(value) else None
        for kind in (answer, *typing.get_args(answer)):
            if inspect.isclass(kind) and kind.__module__.startswith("closedchain."):
                found.add((kind.__module__, kind.__name__))
    return found


def hint(function: Callable[..., Any]) -> Any:
    """What a function says that it returns, or None where that is a name known to type checkers only."""
    try:
        return typing.get_type_hints(function).get("return")
    except NameError:
        return None


def group(home: str, members: dict[str, Any]) -> str:
    """A heading and the autodoc directives of a module's names, in an eval-rst block."""
    about = (importlib.import_module(home).__doc__ or "").strip().split("\n")[0]
    lines = [f"## `{home}`", "", about, "", "```{eval-rst}"]
    for name, value in members.items():
        lines += directive(f"{home}.{name}", value)
    return "\n".join([*lines, "```"])


def directive(path: str, value: Any) -> list[str]:
    """The lines that document one name."""
    if called(value):
        home = closedchain._HOMES[path.removeprefix("closedchain.")]
        return [f".. autofunction:: closedchain.{home}.{path.rpartition('.')[2]}", ""]
    if inspect.isclass(value):
        return [f".. autoclass:: {path}", "   :members:", ""]
    if inspect.isroutine(value):
        return [f".. autofunction:: {path}", ""]
    return [f".. autodata:: {path}", "   :no-value:", ""]


# Robots to be dragged ------------------------------------------------------------------------------


def all_draggable() -> str:
    """A link to the page of every robot that has one."""
    links = ", ".join(f'<a href="robots/{name}.html">{name}</a>' for name in robots.names() if robot_page(name))
    return f"```{{raw}} html\n<p>To be dragged: {links}.</p>\n```"


def write_robots(app: Any, problem: Exception | None) -> None:
    """The pages of all robots, when the site is built."""
    if problem is None and app.builder.format == "html":
        folder = Path(app.outdir, "robots")
        folder.mkdir(exist_ok=True)
        for name in robots.names():
            page = robot_page(name)
            if page is not None:
                (folder / f"{name}.html").write_text(page, encoding="utf-8")


@functools.cache
def robot_page(name: str) -> str | None:
    """A robot's own page; None where it is too large for one, or has no closed form to move it by."""
    try:
        return explorable(closedchain.load(name))
    except closedchain.ClosedChainError:
        return None


WRITERS = {
    "all_draggable": all_draggable,
    "pages": pages,
    "commands": commands,
    "names": names,
    "modules": modules,
}
