"""Files from strangers: whatever stands in them, the answer is a tree or one clear error."""

from pathlib import Path

import numpy as np
import pytest

from closedchain.describe.files import BadFile
from closedchain.errors import ClosedChainError
from closedchain.exchange import writing
from closedchain.exchange.importing import import_model
from closedchain.exchange.xml_reading import Document, read_xml

DATA = Path(__file__).parents[1] / "data/exchange"
WORDS = ["nan", "1e999", "", "-1", "world", "0 0 0", "x", "main", "true", "weld", "fixed", "free", "[1", "é"]


def broken(text, rng):
    """The text with a few attribute values, tags or stretches changed."""
    for _ in range(rng.integers(1, 4)):
        cut = [i for i, letter in enumerate(text) if letter in "\"'<> "]
        a, b = sorted(rng.choice(cut, 2))
        kind = rng.integers(4)
        if kind == 0:
            text = text[: a + 1] + text[min(b, a + 40) :]
        elif kind == 1:
            end = text.find(text[a], a + 1)
            text = text[: a + 1] + str(rng.choice(WORDS)) + (text[end:] if 0 < end < a + 80 else text[a + 1 :])
        elif kind == 2:
            text = text[:a] + text[a : a + 60] + text[a:]
        else:
            text = text[:a] + text[a:].replace("0", "7", 1)
    return text


@pytest.mark.parametrize("form", ["mjcf", "sdf", "urdf", "press", "attached"])
def test_a_damaged_file_gives_a_tree_or_one_error(load, form, tmp_path):
    """Eighty damaged copies of each: counted, or refused in one line; no other exception, no NaN."""
    rng = np.random.default_rng(7)
    if form in ("press", "attached"):
        source = next(DATA.glob(f"{form}.*"))
        files = {source.suffix: source.read_text(encoding="utf-8")}
    else:
        files, _ = getattr(writing, f"{form}_files")(load("slidercrank"))
    outcomes = set()
    for _ in range(80):
        for ending, text in files.items():
            (tmp_path / f"robot{ending}").write_text(broken(text, rng), encoding="utf-8")
        try:
            found = import_model(tmp_path / f"robot{next(iter(files))}")
        except ClosedChainError as error:
            outcomes.add("refused" if "\n" not in str(error) else str(error))
            continue
        outcomes.add("read")
        assert np.isfinite(found.analysis.assembly.residual)
        assert found.recipe is not None or found.reason
    assert outcomes == {"read", "refused"}


def test_an_entity_is_never_expanded():
    """A billion laughs end at the first declaration."""
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    with pytest.raises(BadFile, match="entity"):
        Document(f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]><mujoco>&l9;</mujoco>', "text")


def test_size_and_depth_are_bounded(tmp_path):
    """201 levels, 100,001 elements, another encoding, a folder."""
    with pytest.raises(BadFile, match="nested deeper than 200"):
        Document("<a>" * 201 + "</a>" * 201, "text")
    with pytest.raises(BadFile, match="more than 100000 elements"):
        Document(f"<a>{'<b/>' * 100_001}</a>", "text")
    path = tmp_path / "latin.xml"
    path.write_bytes("<?xml version='1.0' encoding='iso-8859-1'?><a n='é'/>".encode("latin-1"))
    with pytest.raises(BadFile, match="save it as UTF-8"):
        read_xml(path)
    with pytest.raises(BadFile, match="is no file"):
        read_xml(tmp_path)
