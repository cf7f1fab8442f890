"""The tests that the ordinary run leaves out: each exists, every package keeps some, no seed number is among them."""

import re
import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
LONG = tomllib.loads((TESTS / "long.toml").read_text(encoding="utf-8"))
PACKAGES = sorted(p.name for p in (TESTS.parent / "src/closedchain").iterdir() if (p / "__init__.py").is_file())


@pytest.mark.parametrize("file", LONG)
def test_what_the_table_names_is_there(file):
    """A test that was renamed would come back into the ordinary run without a word."""
    found = set(re.findall(r"^def (test_\w+)", (TESTS / file).read_text(encoding="utf-8"), re.MULTILINE))
    assert set(LONG[file]) <= found
    for stays in LONG[file].values():
        ordinary, everything = stays if isinstance(stays, list) else (stays, stays)
        assert 0 <= ordinary <= everything


@pytest.mark.parametrize("package", sorted({p.parent.name for p in TESTS.rglob("test_*.py")} & set(PACKAGES)))
def test_every_package_keeps_most_of_its_tests(package):
    """In the ordinary run: at least half of the test functions of each, whatever the rest costs."""
    files = list((TESTS / package).rglob("test_*.py"))
    there = sum(len(re.findall(r"^def test_", path.read_text(encoding="utf-8"), re.MULTILINE)) for path in files)
    gone = [
        name
        for path in files
        for name, stays in LONG.get(path.relative_to(TESTS).as_posix(), {}).items()
        if not (stays[0] if isinstance(stays, list) else stays)
    ]
    assert len(gone) <= there / 2


def test_no_number_of_the_documents_is_left_out():
    """tests/seeds stays whole."""
    assert not [file for file in LONG if file.startswith("seeds/")]
