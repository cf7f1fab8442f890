"""Files that groups might hand in, of our own writing."""

from pathlib import Path

import pytest

RIGHT = Path(__file__).parent / "right"
NAMES = {"biglide": "biglide_models.py", "fivebar": "five_bar_models.py"}


@pytest.fixture
def right():
    """The text of a right file by its name."""
    return lambda name: (RIGHT / f"{name}.txt").read_text(encoding="utf-8")


@pytest.fixture
def three(right):
    """A short file: igm and dkm_passive are right, a dkm between them is to be written."""
    return right("biglide_vectors") + "\n\ndel dgm, dgm_passive, dkm, ikm, dkm2, ikm2, dkm2_passive, dynamic_model\n"


@pytest.fixture
def hand_in(tmp_path):
    """Write a model file; the list that a working copy is made of, and its name."""

    def write(robot, text):
        path = tmp_path / NAMES[robot]
        path.write_text(text, encoding="utf-8")
        return [(path, path.name)], path.name

    return write
