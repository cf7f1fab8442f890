"""Study files: TOML text → Study. Every mistake is one line with its place; the same table of keys is their schema."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from closedchain import robots
from closedchain.describe.files import BadFile, parse_toml, read_text
from closedchain.describe.locate import line_of
from closedchain.describe.tables import Problem, Table
from closedchain.errors import ClosedChainError
from closedchain.sweep import keys
from closedchain.sweep.asking import GRIDS, SHAPES, study
from closedchain.sweep.keys import Key
from closedchain.sweep.prepared import SCENARIOS
from closedchain.sweep.sampling import METHODS, MOST
from closedchain.sweep.study import Study

Made = TypeVar("Made")
DRAFT = "https://json-schema.org/draft/2020-12/schema"
LARGEST = 2**63 - 1
ONE_OF = (("orientation", "height"),)  # two words for the third coordinate

SHARED: Mapping[str, Key] = {
    "about": keys.text("what it is for, in a sentence"),
    "robot": keys.text("a robot's name, name:preset, or a mechanism file beside this one"),
    "values": keys.values("of the robot's parameters [SI], where they differ from its description"),
    "vary": keys.varied("a parameter, or a place of the scenario, → the numbers it takes"),
    "scenario": keys.text("whose trajectory or run is meant: its name, or its file beside this one"),
    "seed": keys.whole("of everything random; 0 unless given", 0, LARGEST),
    "window": keys.several("part of the plane that is looked at [m]: x from, to, y from, to", "m", 4),
    "grid": keys.whole("cells along the window's longer side; 64 unless given", *GRIDS),
    "working": keys.text("working mode; the first unless given"),
    "orientation": keys.measured("of a plate [rad]", "rad"),
    "height": keys.measured("of a point in space [m]", "m"),
    "condition": keys.share("the least 1/κ that counts as dexterous; 0 unless given"),
    "centre": keys.several("of the regular workspace [m]; the window's unless given", "m", 2),
    "shape": keys.choice("of the regular workspace; square unless given", SHAPES),
    "state": keys.state("of evaluate.…: x or q, their rates, tau or voltage, working, assembly"),
}
OF_A_STUDY: Mapping[str, Key] = {
    "compute": keys.texts("what is computed at each point; `closedchain sweep --compute list` tells what there is"),
    "sample": keys.choice("how points are chosen; a grid, or random where something has no levels", METHODS),
    "points": keys.whole("how many, unless they are a grid", 1, MOST),
}


@dataclass(frozen=True)
class Form(Generic[Made]):
    """A kind of file: its name, its keys, and what is made of them."""

    name: str  # "study"
    about: str
    keys: Mapping[str, Key]
    make: Callable[..., Made]
    misplaced: Mapping[str, str] = field(default_factory=dict)  # keys of another kind of file → what to say

    @property
    def schema(self) -> str:
        """What the file calls itself."""
        return f"closedchain.{self.name}/1"

    def read(self, path: str | Path, **changed: Any) -> Made:
        """What a file says; what is `changed` replaces what is written."""
        return self.load(read_text(Path(path)), str(path), Path(path).parent, **changed)

    def load(self, source: str, origin: str = "text", folder: Path | None = None, **changed: Any) -> Made:
        """What a text says."""
        root = Table(parse_toml(source, origin))
        try:
            asked = self._words(root, folder or Path())
        except Problem as problem:
            raise BadFile(origin, problem.place, problem.problem, line_of(source, problem.place)) from None
        try:
            return self.make(**(asked | changed))
        except BadFile:
            raise
        except ClosedChainError as error:
            if changed:
                raise
            raise BadFile(origin, "", str(error).removeprefix("--param: ")) from None

    def is_in(self, source: str) -> bool:
        """Whether a file's name and first lines say that it is of this kind."""
        path = Path(source)
        return source.endswith(".toml") and path.is_file() and f'"{self.schema}"' in read_text(path)[:2000]

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of such files."""
        properties = {name: {**key.schema, "description": key.about} for name, key in self.keys.items()}
        return {
            "$schema": DRAFT,
            "$id": f"urn:closedchain:{self.name}:1",
            "title": f"A closedchain {self.name} file",
            "description": self.about,
            "type": "object",
            "additionalProperties": False,
            "required": ["robot"],
            "properties": {"schema": {"const": self.schema}, **properties},
            "not": {"anyOf": [{"required": list(names)} for names in ONE_OF]},
        }

    def _words(self, root: Table, folder: Path) -> dict[str, Any]:
        """What `make` is called with."""
        if root.text("schema", self.schema) != self.schema:
            raise Problem("schema", f'{root.text("schema")[:60]!r} is not known here; write "{self.schema}"')
        for key, words in self.misplaced.items():
            if key in root:
                raise Problem(key, words)
        root.only("schema", *self.keys)
        root.need("robot")
        for names in ONE_OF:
            if all(name in root for name in names):
                raise Problem(names[1], f"beside {names[0]}: give one of them")
        asked = {name: key.read(root.items[name], name) for name, key in self.keys.items() if name in root}
        asked.pop("about", None)
        asked["robot"] = _near(asked["robot"], folder, robots.known())
        if "scenario" in asked:
            asked["scenario"] = _near(asked["scenario"], folder, _scenarios())
        return {"vary": {}, **asked}


def asked_study(vary: Mapping[str, Any], compute: Any = (), **rest: Any) -> Study:
    """A study whose measures may come later, from options."""
    return study(vary=vary, compute=compute, **rest)


STUDY = Form(
    "study",
    "One question asked of many robots: which, what varies, what is computed."
    " Numbers are in SI unless a text says otherwise.",
    {**SHARED, **OF_A_STUDY},
    asked_study,
)


def _near(name: str, folder: Path, known: tuple[str, ...]) -> str:
    """A built-in name as it is; a file beside the study's own."""
    return name if name.partition(":")[0] in known else str(folder / name)


def _scenarios() -> tuple[str, ...]:
    return tuple(importlib.import_module(f"{SCENARIOS}.library").names())
