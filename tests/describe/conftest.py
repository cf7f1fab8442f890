"""The published schema of mechanism files."""

import json
from importlib import resources

import jsonschema
import pytest


@pytest.fixture(scope="session")
def schema():
    text = resources.files("closedchain.describe").joinpath("mechanism.schema.json").read_text("utf-8")
    document = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)
