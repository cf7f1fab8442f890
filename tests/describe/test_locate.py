"""Key paths of a TOML text and their lines."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedchain.describe.locate import Scanner, line_of

TEXT = '''\
# a comment with [brackets] and = signs
title = "a \\" quote # no comment"   # a comment
[plates.plate]
mass = 1.5
"odd key" = 2
points.a1 = [0, 1]
points.a2 = [
  0,    # [[bars]]
  "r/2",
]
[[bars]]
between = ["A", "B"]; # not TOML, replaced below
length = { value = 1, unit = "m" }
[[bars]]
about = """
length = 3
[[bars]]
"""
length = 'l'
[[bars.marks]]
at = 1
[[bars.marks]]
at = 2
[[bars]]
[last]
'''.replace("; # not TOML, replaced below", "")

PLACES = {
    "title": 2,
    "plates.plate": 3,
    "plates.plate.mass": 4,
    "plates.plate.'odd key'": 5,
    "plates.plate.points.a1": 6,
    "plates.plate.points.a1[1]": 6,
    "plates.plate.points.a2[0]": 8,
    "plates.plate.points.a2[1]": 9,
    "bars": 11,
    "bars[0]": 11,
    "bars[0].between[1]": 12,
    "bars[0].length.unit": 13,
    "bars[1]": 14,
    "bars[1].length": 19,
    "bars[1].marks[0].at": 21,
    "bars[1].marks[1].at": 23,
    "bars[2]": 24,
    "bars[2].length": 24,  # not there: the table around it
    "last.nothing.at.all": 25,
    "nowhere": None,
}


def test_the_text_is_toml():
    """The scanner is only ever given valid TOML."""
    assert tomllib.loads(TEXT)["bars"][1]["length"] == "l"


@pytest.mark.parametrize("place, line", PLACES.items(), ids=PLACES)
def test_a_place_has_its_line(place, line):
    """Or the line of the nearest table around it."""
    assert line_of(TEXT, place) == line


VALUES = [
    "1.5",
    "'k0 = 1 # ['",
    '"\\" ] } ="',
    "[1, [2, 3], { k0 = 4 }]",
    "{ k0 = 1, k1.k0 = [] }",
    "[ # [[t]]\n  1,\n  2\n]",
    '"""\nk0 = 1\n[[t]]\n\\""" \n"""',
    "'''\n[[t]]\n'''",
    "2020-01-01T00:00:00Z",
]


@given(st.lists(st.lists(st.sampled_from(VALUES), max_size=4), max_size=5))
def test_keys_are_found_after_any_values(tables):
    """Values that hold marks, keys, headers, comments and line ends of their own do not move what follows."""
    source, expected = "", {}
    for i, values in enumerate(tables):
        expected[f"t[{i}]"] = source.count("\n") + 1
        source += "[[t]]\n"
        for j, value in enumerate(values):
            expected[f"t[{i}].k{j}"] = source.count("\n") + 1
            source += f"k{j} = {value}\n"
    assert len(tomllib.loads(source).get("t", [])) == len(tables)
    lines = Scanner(source).scan()
    assert {place: lines.get(place) for place in expected} == expected
