"""The scenarios that come with the package: one file each, found by its name."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from closedchain.errors import ClosedChainError
from closedchain.scenarios.reading import loads, read
from closedchain.scenarios.scenario import Scenario


class UnknownScenario(ClosedChainError, LookupError):
    """No scenario of that name, and no such file."""


def names() -> tuple[str, ...]:
    """Every scenario here, by name."""
    files = (resources.files("closedchain.scenarios") / "files").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def source(name: str) -> str:
    """The text of a scenario that comes with the package."""
    return (resources.files("closedchain.scenarios") / "files" / f"{name}.toml").read_text(encoding="utf-8")


def find(name: str | Path, changes: Mapping[str, Any] | None = None) -> Scenario:
    """A scenario by its name, or from a file, with other values where `changes` names their places."""
    text = str(name)
    if text in names():
        return loads(source(text), f"{text}.toml", name=text, changes=changes)
    if text.endswith(".toml") or os.path.isfile(text):
        return read(text, changes)
    near = difflib.get_close_matches(text, names(), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names())}."
    raise UnknownScenario(f"no scenario {text[:80]!r}; {hint} A file's name ends in .toml.")
