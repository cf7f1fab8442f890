"""Figures and the page of a comparison."""

import pytest
from matplotlib.figure import Figure

import closedchain as cc
from closedchain.verify.compare import compare, verify
from closedchain.verify.figures import draw, figures
from closedchain.verify.page import write_page


@pytest.fixture(scope="module")
def found():
    """One engine, one motion in time."""
    return verify("slidercrank", engine="mujoco", motion="trajectory")


def test_each_quantity_has_its_curves_and_its_difference(found):
    """Drives first, efforts last; two panels a quantity, as many curves as it has components."""
    ((engine, motion, figure),) = figures(found)
    assert (engine, motion) == ("mujoco", "trajectory")
    assert isinstance(figure, Figure)
    left = figure.axes[0::2]
    labels = [axes.get_ylabel() for axes in left]
    assert labels[0].startswith("drives")
    assert labels[-1].startswith("efforts")
    assert len(left) == len(found.traces) == 8
    assert len(left[1].get_lines()) == 4  # x and y, each by both programs
    assert len(figure.axes[3].get_lines()) == 3  # their differences and the zero line


def test_pictures_are_named_after_engine_and_motion(found, tmp_path):
    """One file for each."""
    (path,) = draw(found, tmp_path / "rod.svg")
    assert path.name == "rod-mujoco-trajectory.svg"
    assert b"<svg" in path.read_bytes()


def test_the_page_is_one_file_that_fetches_nothing(found, tmp_path):
    """Tables of all three ways, the figure inside, no address."""
    text = write_page(found, tmp_path / "five.html").read_text(encoding="utf-8")
    assert found.headline in text
    assert "data:image/" in text
    assert "http" not in text.replace("http-equiv", "")
    assert text.count("<table>") == 3


def test_the_page_of_a_broken_comparison_says_what_explains_it(tmp_path):
    """The diagnosis stands before the tables."""
    model = cc.load("biglide")
    broken = compare(model, engine_model=model.with_values(m_p=3.003), engine="mujoco", motion="random", states=10)
    text = write_page(broken, tmp_path / "b.html").read_text(encoding="utf-8")
    assert "m_p is 3 kg in the model and 3.003 in the engine" in text
    assert text.index("What explains it") < text.index("<table>")
    assert ">broken<" in text
