"""A request's scenario: by name, as text or as tables, with its settings; nothing outside the workspace is read."""

from __future__ import annotations

import json
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from closedchain import robots
from closedchain.describe.files import parse_toml
from closedchain.errors import BadInput
from closedchain.scenarios import Scenario, UnknownScenario, loads, names, source
from closedchain.studio.workspace import Workspace

LOADED = "studio.toml"


@contextmanager
def staged(body: dict[str, Any]) -> Iterator[Scenario]:
    """The scenario, for as long as its files are there."""
    text, name = text_of(body["scenario"])
    workspace = Workspace(body["workspace"])
    changes = dict(body["settings"])
    for place in changes:
        if len(place) > 80 or not place.isascii():
            raise BadInput(f"setting {place[:40]!r} is not a place in a scenario")
    with tempfile.TemporaryDirectory(prefix="closedchain-") as folder:
        ours = ""
        if body["robot"] is not None:
            ours = robot_of(body["robot"], Path(folder))
            changes["robot"] = ours
            changes |= {f"parameters.{n}": v for n, v in body["robot"]["values"].items()}
        check_files(_changed(parse_toml(text, name), changes), workspace, ours)
        yield loads(text, f"{name}.toml", workspace.folder, name, changes)


def text_of(given: str | dict[str, Any]) -> tuple[str, str]:
    """A scenario's text and name."""
    if isinstance(given, dict):
        return written(given), "scenario"
    if "\n" in given:
        return given, "scenario"
    if given not in names():
        raise UnknownScenario(f"no scenario {given[:60]!r}; there are {', '.join(names())}")
    return source(given), given


def robot_of(ref: dict[str, Any], folder: Path) -> str:
    """How the scenario names a request's robot: by its name, or by a file of our own."""
    if ref["toml"] is None:
        return str(ref["source"])
    path = folder / LOADED
    path.write_text(ref["toml"], encoding="utf-8")
    return str(path)


def _changed(document: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The tables with the values that settings put there; only those that name files matter here."""
    made: dict[str, Any] = json.loads(json.dumps(document, default=str))
    for place, value in changes.items():
        *parents, key = place.split(".")
        inside: Any = made
        for parent in parents:
            inside = inside.setdefault(parent, {}) if isinstance(inside, dict) else {}
        if isinstance(inside, dict):
            inside[key] = value
    return made


def check_files(document: dict[str, Any], workspace: Workspace, ours: str) -> None:
    """Refuse a robot's file that is not ours, and a trajectory's file outside the workspace."""
    robot = document.get("robot")
    if robot != ours and (not isinstance(robot, str) or not robots.knows(robot.partition(":")[0])):
        raise BadInput(f"robot: {str(robot)[:60]!r} is no robot's name; send its description as the request's robot")
    given = document.get("trajectory")
    for table in [given] if isinstance(given, dict) else given if isinstance(given, list) else []:
        if isinstance(table, dict) and "file" in table:
            workspace.path(str(table["file"]))


def written(tables: dict[str, Any]) -> str:
    """Tables as TOML, each value on its own line."""
    lines = [f"{_key(key)} = {_value(value)}" for key, value in tables.items() if value is not None]
    text = "\n".join(lines) + "\n"
    try:
        tomllib.loads(text)
    except ValueError as error:
        raise BadInput(f"scenario: cannot be written as TOML: {error}") from None
    return text


def _key(key: str) -> str:
    return json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items() if v is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    return json.dumps(value)
