"""`grade`: a group's file in the lab's sandbox, once a person has said that its code may run there."""

from __future__ import annotations

import importlib
import math
import re
import tempfile
from pathlib import Path
from typing import Any

from closedchain.errors import BadInput

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,80}\.py")
ROBOTS = ("biglide", "fivebar")


def grade(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The document of `closedchain lab grade --json`."""
    if body["confirmed"] is not True:
        raise BadInput("a group's file is code: confirm that it may run in the lab's sandbox")
    if NAME.fullmatch(body["name"]) is None:
        raise BadInput(f"{body['name'][:80]!r} is not the name of a Python file, such as biglide_models.py")
    if body["robot"] is not None and body["robot"] not in ROBOTS:
        raise BadInput(f"robot is {body['robot'][:40]!r}; the lab has {' and '.join(ROBOTS)}")
    if body["seed"] < 0:
        raise BadInput(f"seed = {body['seed']}; it is a whole number from 0")
    tell(None, f"grading {body['name']}")
    with tempfile.TemporaryDirectory(prefix="closedchain-") as folder:
        path = Path(folder) / body["name"]
        path.write_text(body["text"], encoding="utf-8")
        lab = importlib.import_module("closedchain_lab.grading")  # which stands above this package, and is brought late
        grades = lab.grade([path], lab.Options(robot=body["robot"], seed=body["seed"]))
    made: dict[str, Any] = plain(lab.document(grades, body["seed"]))
    return {"passed": made["ok"], "submissions": made["submissions"]}


def plain(value: Any) -> Any:
    """Tuples as lists; a number beyond double precision as null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
