"""The JSON Schemas that are published with the docs: `python docs/schemas.py` writes docs/schemas/*.json.

Those of files come from `closedchain schema`. Those of answers (`--json`, and the tools of `closedchain mcp`) are what
the recorded answers of tests/parity have in common; tests/test_schemas.py holds fresh answers to them.
"""

import gzip
import io
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "src")]  # this checkout's package

from closedchain.cli import main  # noqa: E402 (found by the line above)

FILES = ("mechanism", "scenario", "study", "design")
RECORDED = HERE.parent / "tests/parity/answers.json.gz"
FITS = HERE.parent / "examples"
MORE = (  # answers that are not recorded there
    ("list",), ("simulate", "--list"), ("check", "biglide", "--states", "20"), ("check", "furuta", "--states", "20"),
    ("equations", "biglide"), ("solve", "inverse", "fivebar", "--x", "9,9"),
    ("solve", "direct", "rrr3", "--q", "0.1,0.2,0.3"),
    ("calibrate", f"{FITS}/14_calibration/klipper_delta.toml", f"{FITS}/14_calibration/printer.cfg", "--suggest", "2"),
    ("calibrate", f"{FITS}/14_calibration/klipper_delta.toml", f"{FITS}/14_calibration/printer.cfg",
     "--hold", "angle_c", "--sd", "z=0.01mm", "--robust", "tukey"),
    ("identify", "fivebar", f"{FITS}/15_identification/efforts.csv", "--assembly", "+"), ("identify", "biglide"),
    ("identify", "furuta", "--drives", "none"),
    ("transmission", "ankle:g1", "--q", "0.3,-0.3", "--most-torque", "40,40", "--most-speed", "30,30"),
    ("transmission", "biglide", "--home", "0.03,0.25"),
)  # fmt: skip
FREE = {  # objects whose keys are names of the robot's, not words of ours
    "parameters", "presets", "units", "sources", "limits", "settings", "final", "modes", "values", "margins",
    "legs", "errors", "shares",
}  # fmt: skip
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(values: Sequence[Any], key: str = "") -> dict[str, Any]:
    """What values have in common: their types, the keys that all have, and what stands under each."""
    kinds = {kind_of(value) for value in values}
    if "number" in kinds:
        kinds.discard("integer")
    form: dict[str, Any] = {"type": min(kinds)} if len(kinds) == 1 else {"type": sorted(kinds)} if kinds else {}
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        form |= free(objects) if key in FREE else fixed(objects)
    inside = [item for value in values if isinstance(value, list) for item in value]
    if inside:
        form["items"] = schema_of(inside)
    return form


def fixed(objects: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """An object with words of ours; further ones may come."""
    keys = list(dict.fromkeys(key for one in objects for key in one))
    there = {key: schema_of([one[key] for one in objects if key in one], key) for key in keys}
    return {"properties": there, "required": [key for key in keys if all(key in one for one in objects)]}


def free(objects: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """An object whose keys are names."""
    inside = [value for one in objects for value in one.values()]
    return {"additionalProperties": schema_of(inside)} if inside else {}


def kind_of(value: Any) -> str:
    """JSON's own word for it."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return "null" if value is None else names[type(value)]


def ask(words: Iterable[str], *more: str) -> Any:
    """The document that a command answers with."""
    out = io.StringIO()
    with redirect_stdout(out):
        main([*words, *more])
    return json.loads(out.getvalue())


def answers() -> dict[str, dict[str, Any]]:
    """The schema of each kind of answer, by its name without the version."""
    with gzip.open(RECORDED) as file:
        documents = [entry["answer"] for entry in json.load(file) if "schema" in entry["answer"]]
    documents += [ask(words, "--json") for words in MORE]
    with tempfile.TemporaryDirectory() as folder:
        documents.append(ask(("export", "biglide", "--to", "mjcf", "--out", f"{folder}/robot.xml"), "--json"))
        limits = ("--q-limit", "q11=1.2:2", "--q-limit", "q21=1.1:1.9", "--evaluations", "20", "--assembly", "+")
        documents.append(ask(("identify", "fivebar", "--excite", f"{folder}/motion.csv", *limits), "--json"))
    kinds: dict[str, list[Any]] = {}
    for document in documents:
        kinds.setdefault(document["schema"], []).append(document)
    made = {}
    for name, group in sorted(kinds.items()):
        form = schema_of(group)
        form["properties"]["schema"] = {"const": name}
        made[name.removeprefix("closedchain.").partition("/")[0]] = {"$schema": DIALECT, "title": name} | form
    return made


def published() -> dict[str, dict[str, Any]]:
    """Every schema by the name of its file."""
    files = {f"{kind}-file.json": ask(("schema", kind)) for kind in FILES}
    return files | {f"{kind}.json": form for kind, form in answers().items()}


def write() -> None:
    """Write them all; what is no longer made is removed."""
    folder = HERE / "schemas"
    folder.mkdir(exist_ok=True)
    found = published()
    for path in folder.glob("*.json"):
        if path.name not in found:
            path.unlink()
    for name, form in found.items():
        (folder / name).write_text(json.dumps(form, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
