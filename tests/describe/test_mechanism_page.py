"""The reference page of mechanism files: its files are read, and the errors it shows are those one gets."""

import re
import tomllib
from pathlib import Path

import pytest

from closedchain.describe.files import BadFile, loads
from tests.describe.robots_here import changed

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "mechanism-file.md").read_text("utf-8")
FILES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
ERRORS = re.findall(r"^robot\.toml:.*$", PAGE, re.MULTILINE)
BIGLIDE = FILES[0]
SECOND_BAR = '[[bars]]\nbetween = ["A2", "C"]\nlength = "l"\n'


@pytest.mark.parametrize("source", FILES, ids=range(len(FILES)))
def test_the_files_on_the_page_are_read(source, schema):
    """By the reader and by the schema."""
    recipe = loads(source, "page")
    schema.validate(tomllib.loads(source))
    assert recipe.description.parameters


@pytest.mark.parametrize(
    "old, new, shown",
    [
        ('length = "l"', 'length = "ll"', ERRORS[0]),
        ('"-half", 0], along = [0, 1]', '"-half", 0], along = [1, 1]', ERRORS[1]),
        (SECOND_BAR, "", ERRORS[2]),
    ],
    ids=["name", "direction", "count"],
)
def test_the_errors_on_the_page_are_those_one_gets(old, new, shown):
    """From the page's first file with one mistake each."""
    with pytest.raises(BadFile) as caught:
        loads(changed(BIGLIDE, old, new), "robot.toml")
    assert str(caught.value) == shown


def test_every_key_of_the_schema_is_on_the_page(schema):
    """A key that nobody can look up is no use."""
    words = set(re.findall(r"[a-z_]+", PAGE))
    keys = {key for definition in _objects(schema.schema) for key in definition}
    assert keys
    assert sorted(keys - words) == []


def _objects(node: object) -> list[dict[str, object]]:
    """The `properties` of every object in the schema."""
    if isinstance(node, list):
        return [found for item in node for found in _objects(item)]
    if not isinstance(node, dict):
        return []
    here = [node["properties"]] if isinstance(node.get("properties"), dict) else []
    return here + [found for item in node.values() for found in _objects(item)]
