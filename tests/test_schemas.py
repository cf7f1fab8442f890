"""The schemas published with the docs: they are schemas, and fresh answers fit them."""

import contextlib
import io
import json
from pathlib import Path

import jsonschema
import pytest

from closedchain.cli import main

FOLDER = Path(__file__).parents[1] / "docs/schemas"
PAGE = (FOLDER.parent / "schemas.md").read_text(encoding="utf-8")
FILES = sorted(path.name for path in FOLDER.glob("*.json"))
FITS = FOLDER.parents[1] / "examples"
ASKED = (  # robots, states and options that were not recorded
    "list", "simulate --list", "show delta", "show furuta:qube", "check slidercrank --states 20",
    "solve inverse biglide --x 0.02,0.2 --set l=0.31", "solve inverse biglide --x 0.17,0.25",
    "solve direct rpr3 --q 0.5,0.6,0.7", "evaluate fivebar --q 1.5,1.6 --q-dot 0.1,0.2 --assembly +",
    "evaluate furuta --q 0.3,0.1 --voltage 1", "singular biglide --x 0.01,0.2 --working ++",
    "singular biglide --from 0,0.2 --to 0.1,0.3", "simulate biglide-kinematic --interval 0.02",
    "verify slidercrank --engine mujoco --states 5 --motion oscillation", "equations fourbar --format text",
    f"calibrate {FITS}/14_calibration/klipper_delta.toml {FITS}/14_calibration/printer.cfg --sd z=0.02mm",
    f"identify fivebar {FITS}/15_identification/efforts.csv --assembly + --estimator ols", "identify fivebar",
)  # fmt: skip


def ask(words):
    """The document of a command line."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main(words.split())
    return json.loads(out.getvalue())


@pytest.mark.parametrize("name", FILES)
def test_a_schema_is_one_and_stands_on_the_page(name):
    """By JSON Schema's own schema."""
    jsonschema.Draft202012Validator.check_schema(json.loads((FOLDER / name).read_text(encoding="utf-8")))
    assert f"(schemas/{name})" in PAGE


@pytest.mark.parametrize("words", ASKED)
def test_an_answer_fits_the_schema_that_it_names(words):
    """Other robots and numbers than those that the schema was made from."""
    document = ask(f"{words} --json")
    name = document["schema"].removeprefix("closedchain.").partition("/")[0]
    schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert schema["title"] == document["schema"]
    jsonschema.validate(document, schema)


@pytest.mark.parametrize("kind", ["mechanism", "scenario", "study", "design"])
def test_the_published_schemas_of_files_are_the_readers_own(kind):
    """As `closedchain schema` prints them; `python docs/schemas.py` writes them anew."""
    assert json.loads((FOLDER / f"{kind}-file.json").read_text(encoding="utf-8")) == ask(f"schema {kind}")
