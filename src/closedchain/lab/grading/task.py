"""What a control script is to do, as the teacher sets it: from where to where, how fast, by which law, how well."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.files import BadFile
from closedchain.lab.bench import LAB

SCHEMA = "closedchain.lab-task/1"
FREE = "free"
LAWS: dict[str, Callable[[Doubles], Doubles]] = {
    "quintic": lambda s: s**3 * (10 - 15 * s + 6 * s**2),
    "cubic": lambda s: s**2 * (3 - 2 * s),
    "linear": lambda s: s,
}


@dataclass(frozen=True)
class Task:
    """A straight motion of the tip; law "free" asks for the line and the end in time, not for a pace along it."""

    name: str
    robot: str  # the lab's word: "biglide" or "five_bar"
    start: tuple[float, float]  # [m]
    end: tuple[float, float]
    duration: float  # [s]
    law: str = "quintic"
    tolerance: float = 1e-3  # [m] the largest error that tracks
    about: str = ""

    def errors(self, t: Doubles, x: Doubles) -> Doubles:
        """How far the tip [m] is from where it should be, where t counts from the motion's beginning."""
        a, way = np.array(self.start), np.subtract(self.end, self.start)
        s = np.clip(t / self.duration, 0.0, 1.0)
        if self.law == FREE:
            nearest = np.clip((x[:, :2] - a) @ way / (way @ way), 0.0, 1.0)
            share = np.where(t >= self.duration, 1.0, np.where(t <= 0.0, 0.0, nearest))
        else:
            share = LAWS[self.law](s)
        return np.linalg.norm(x[:, :2] - a - share[:, None] * way, axis=1)


def shipped() -> list[str]:
    """The names of the lab's own tasks."""
    folder = resources.files("closedchain.lab").joinpath("tasks")
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def read(name: str) -> Task:
    """A task of the lab's by its name, or one of a TOML file."""
    if name in shipped():
        text = resources.files("closedchain.lab").joinpath("tasks", f"{name}.toml").read_text(encoding="utf-8")
    elif Path(name).is_file():
        text = Path(name).read_text(encoding="utf-8", errors="replace")
    else:
        raise BadFile(name[:200], "", f"there is no such task; the lab has {', '.join(shipped())}, or give a TOML file")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFile(name[:200], "", f"no TOML: {error}") from None
    return _checked(name[:200], table)


def _checked(name: str, table: dict[str, Any]) -> Task:
    """The table as a task; what is wrong with it is named."""

    def bad(what: str) -> BadFile:
        return BadFile(name, "", what)

    known = {f.name for f in fields(Task)} - {"name"}
    if table.pop("schema", None) != SCHEMA:
        raise bad(f'a task begins with schema = "{SCHEMA}"')
    if strange := sorted(set(table) - known):
        raise bad(f"no key {strange[0]!r}; there are {', '.join(sorted(known))}")
    if missing := sorted({"robot", "start", "end", "duration"} - set(table)):
        raise bad(f"{missing[0]} is missing")
    if table["robot"] not in LAB:
        raise bad(f"robot = {table['robot']!r:.40}; there are {', '.join(LAB)}")
    if table.get("law", "quintic") not in (*LAWS, FREE):
        raise bad(f"law = {table['law']!r:.40}; there are {', '.join((*LAWS, FREE))}")
    for key in ("start", "end"):
        if not (isinstance(table[key], list) and len(table[key]) == 2 and all(map(_number, table[key]))):
            raise bad(f"{key} must be two numbers [m]")
        table[key] = tuple(map(float, table[key]))
    for key in ("duration", "tolerance"):
        if key in table and not (_number(table[key]) and table[key] > 0):
            raise bad(f"{key} must be a positive number")
    if table["start"] == table["end"]:
        raise bad("start and end are the same place")
    return Task(name, **table)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))
