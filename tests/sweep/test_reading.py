"""Study and design files: good ones are taken by reader and schema alike, broken ones by neither."""

import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from closedchain.describe.files import BadFile
from closedchain.design.reading import DESIGN
from closedchain.sweep.reading import STUDY

DOCS = Path(__file__).parents[2] / "docs"
FILES = {
    "study": """\
schema = "closedchain.study/1"
robot = "biglide"
compute = ["workspace_area"]
window = [-0.3, 0.3, "-300 mm", 0.3]
grid = 16
[values]
m_p = 2
[vary]
l = "0.30:0.40:3"
d = [0.3, 0.4]
""",
    "design": """\
schema = "closedchain.design/1"
robot = "biglide"
maximise = "regular_workspace"
subject_to = ["moving_mass <= 5"]
condition = 0.5
window = [-1, 1, -1, 1]
[vary]
d = "0.1:0.9"
""",
}
FORMS = {"study": STUDY, "design": DESIGN}

STRUCTURE = [  # kind, what is changed: (old, new), line, place, words of the message
    ("study", "study/1", "study/2", 1, "schema", 'write "closedchain.study/1"'),
    ("study", 'robot = "biglide"\n', "", None, "robot", "is missing"),
    ("study", "grid = 16", "grids = 16", 5, "grids", "did you mean 'grid'?"),
    ("study", "grid = 16", "grid = 1", 5, "grid", "from 2 to 4096"),
    ("study", "grid = 16", "grid = true", 5, "grid", "a whole number"),
    ("study", "grid = 16", "grid = 16.5", 5, "grid", "a whole number"),
    ("study", "grid = 16", "points = 0", 5, "points", "from 1 to"),
    ("study", "grid = 16", "seed = -1", 5, "seed", "from 0 to"),
    ("study", "grid = 16", 'sample = "sobel"', 5, "sample", "did you mean 'sobol'?"),
    ("study", "grid = 16", 'shape = "circle"', 5, "shape", "there are: square, disc"),
    ("study", "grid = 16", "condition = 1", 5, "condition", "not between 0 and 1"),
    ("study", "grid = 16", "centre = [0]", 5, "centre", "2 are needed"),
    ("study", "grid = 16", "orientation = 1\nheight = 2", 6, "height", "give one of them"),
    ("study", "grid = 16", "working = 3", 5, "working", "a text in quotes"),
    ("study", "[-0.3, 0.3, ", "[-0.3, ", 4, "window", "3 numbers; 4 are needed"),
    ("study", "[-0.3, 0.3, ", "[-0.3, [0.3], ", 4, "window[1]", "a number is needed"),
    ("study", '["workspace_area"]', "[3]", 3, "compute[0]", "a text in quotes"),
    ("study", '["workspace_area"]', "3", 3, "compute", "a list is needed"),
    ("study", "m_p = 2", 'm_p = "2 kg"', 7, "values.m_p", "a number is needed"),
    ("study", "d = [0.3, 0.4]", 'd = [0.3, "x"]', 10, "vary.d[1]", "a number is needed"),
    ("study", "d = [0.3, 0.4]", "d = 3", 10, "vary.d", "a list is needed"),
    ("study", "d = [0.3, 0.4]", "controller = { kp = true }", 10, "vary.controller.kp", "a list is needed"),
    ("study", "[vary]", "[state]\nx = [0, true]\n[vary]", 9, "state.x[1]", "a number is needed"),
    ("design", "condition = 0.5", "points = 3", 5, "points", "belongs to a study"),
    ("design", "condition = 0.5", 'compute = "dexterity"', 5, "compute", "belongs to a study"),
    ("design", '["moving_mass <= 5"]', "[5]", 4, "subject_to[0]", "a text in quotes"),
    ("design", 'maximise = "regular_workspace"', "maximise = 3", 3, "maximise", "a list is needed"),
]
MEANING = [  # what only the robot can tell
    ("study", 'robot = "biglide"', 'robot = "biglyde"', "biglyde"),
    ("study", "-300 mm", "-300 kg", "m is needed"),
    ("study", "m_p", "m_q", "unknown parameter 'm_q'"),
    ("study", 'l = "0.30:0.40:3"', 'l = "0.40:0.30:3"', "empty range"),
    ("study", "workspace_area", "area", "nothing is called 'area'"),
    ("design", 'd = "0.1:0.9"', 'd = "0.1:0.9:3"', "lies between two numbers"),
    ("design", "moving_mass <= 5", "moving_mass = 5", "is not understood"),
    ("design", 'maximise = "regular_workspace"\n', "", "what is the best"),
]


def valid(kind, source):
    """Whether the schema takes a text."""
    jsonschema.Draft202012Validator.check_schema(FORMS[kind].json_schema())
    return jsonschema.Draft202012Validator(FORMS[kind].json_schema()).is_valid(tomllib.loads(source))


def changed(kind, old, new):
    """A good file with one mistake."""
    assert old in FILES[kind]
    return FILES[kind].replace(old, new, 1)


@pytest.mark.parametrize("kind", FILES)
def test_a_good_file_is_read_and_fits_its_schema(kind):
    """And what it says is what is asked."""
    made = FORMS[kind].load(FILES[kind])
    asked = made if kind == "study" else made.study
    assert asked.robot.source == "biglide"
    assert asked.place.window[2] == (-0.3 if kind == "study" else -1.0)
    assert valid(kind, FILES[kind])


@pytest.mark.parametrize("page", ["sweep", "design"])
def test_the_files_of_the_pages_are_read_and_fit(page):
    """Every TOML block that calls itself a study or a design."""
    blocks = re.findall(r"^```toml\n(.*?)^```$", (DOCS / f"{page}.md").read_text(), re.MULTILINE | re.DOTALL)
    found = [(kind, text) for text in blocks for kind in FORMS if f"closedchain.{kind}/1" in text]
    assert found
    for kind, text in found:
        FORMS[kind].load(text)
        assert valid(kind, text)


@pytest.mark.parametrize("kind, old, new, line, place, words", STRUCTURE)
def test_a_broken_file_is_refused_with_its_place_and_does_not_fit(kind, old, new, line, place, words):
    """One line: where, what, what to write."""
    source = changed(kind, old, new)
    with pytest.raises(BadFile, match=re.escape(words)) as caught:
        FORMS[kind].load(source, "mine.toml")
    assert (caught.value.line, caught.value.place) == (line, place)
    assert not valid(kind, source)


@pytest.mark.parametrize("kind, old, new, words", MEANING)
def test_what_a_schema_cannot_know_the_reader_does(kind, old, new, words):
    """Names, units and ranges: the schema takes the file, the reader tells why it cannot be."""
    source = changed(kind, old, new)
    assert valid(kind, source)
    with pytest.raises(BadFile, match=re.escape(words)):
        FORMS[kind].load(source, "mine.toml")


def test_every_key_is_explained():
    """In words that an editor can show."""
    for form in FORMS.values():
        for name, said in form.json_schema()["properties"].items():
            assert name == "schema" or len(said["description"]) > 8


def test_a_study_without_measures_waits_for_them():
    """They may come from an option; without, the study says what is missing before any work."""
    source = changed("study", 'compute = ["workspace_area"]\n', "")
    assert STUDY.load(source).computes == ()
    assert STUDY.load(source, compute=["dexterity"]).computes == ("dexterity",)
