"""The reference pages as they stand in the repository: `python docs/written.py` writes what is between their marks.

The site tells the same with autodoc and its links; who reads the checkout has the text.
"""

import dataclasses
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]  # our helper beside this file; this checkout's package

import generated  # noqa: E402 (found by the line above)

import closedchain  # noqa: E402

ADDRESS = re.compile(r"<[^<>]* at 0x[0-9a-f]+>")


def pages() -> Iterator[Path]:
    """The pages that hold generated text."""
    return (page for page in sorted(HERE.rglob("*.md")) if generated.END in page.read_text(encoding="utf-8"))


def written(source: str) -> str:
    """A page's source with its generated text made anew."""

    def text(mark: re.Match[str]) -> str:
        first = mark[0].split("\n")[0]
        return f"{first}\n\n{WRITERS[mark[1]]()}\n\n{generated.END}"

    return generated.MARK.sub(text, source)


def names() -> str:
    """The public names of `closedchain` itself."""
    return group("closedchain", generated.public()["closedchain"])


def modules() -> str:
    """The public names of everything else, module by module."""
    groups = sorted(generated.public().items())
    return "\n\n".join(group(home, members) for home, members in groups if home != "closedchain")


def group(home: str, members: dict[str, Any]) -> str:
    """A module: its sentence, then each name."""
    about = (importlib.import_module(home).__doc__ or "").strip().split("\n")[0]
    return "\n\n".join([f"## `{home}`", about, *(entry(home, name, value) for name, value in members.items())])


def entry(home: str, name: str, value: Any) -> str:
    """A heading, how it is called, what it does, and a class's members."""
    if isinstance(value, ModuleType):  # closedchain.verify: a package that is called like the function in it
        value = getattr(importlib.import_module(f"closedchain.{closedchain._HOMES[name]}"), name)
    if not inspect.isclass(value) and not inspect.isroutine(value):
        return f"### `{name}`\n\nOf {home}: a value, {type(value).__name__}."
    call = textwrap.fill(f"{name}{signature(value)}", 116, subsequent_indent="    ", break_on_hyphens=False)
    parts = [f"### `{name}`", f"```text\n{call}\n```", prose(value)]
    parts += ["\n".join(members(value))] if inspect.isclass(value) else []
    return "\n\n".join(part for part in parts if part)


def signature(value: Any) -> str:
    """As `help` shows it, types unquoted; a default that has only an address is left out."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    arguments = [p.replace(annotation=plain(p.annotation)) for p in found.parameters.values()]
    answer = inspect.Signature.empty if inspect.isclass(value) else plain(found.return_annotation)
    return ADDRESS.sub("…", str(found.replace(parameters=arguments, return_annotation=answer)))


class Words(str):
    """A type as its source spells it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def plain(annotation: Any) -> Any:
    """A type without the quotes that a text has."""
    return Words(annotation) if isinstance(annotation, str) else annotation


def prose(value: Any) -> str:
    """The docstring: sentences as they stand, indented equations as a block."""
    text = inspect.cleandoc(value.__doc__ or "") if not made(value) else ""
    paragraphs = re.split(r"\n\s*\n", text)
    return "\n\n".join(f"```text\n{textwrap.dedent(p)}\n```" if p.startswith(" ") else p for p in paragraphs)


def made(value: Any) -> bool:
    """Whether a dataclass wrote its docstring itself: its signature once more."""
    return dataclasses.is_dataclass(value) and (value.__doc__ or "").startswith(f"{getattr(value, '__name__', '')}(")


def members(kind: type) -> Iterator[str]:
    """A line for each public method and property of a class itself."""
    for name, value in vars(kind).items():
        function = value.func if isinstance(value, cached_property) else getattr(value, "fget", value)
        function = getattr(function, "__func__", function)
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        call = signature(function).replace("(self, ", "(").replace("(self)", "()") if function is value else ""
        about = (function.__doc__ or "").strip().split("\n")[0]
        yield f"- `{name}{call}`" + (f": {about}" if about else "")


WRITERS = {"commands": generated.commands, "names": names, "modules": modules}

if __name__ == "__main__":
    for page in pages():
        page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
