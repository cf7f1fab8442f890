"""What notebooks show of values: HTML with pictures, formulas typeset; text where a package is not here."""

import base64
import math
import re
import sys

import pytest

import closedchain as cc
from closedchain import robots
from closedchain.describe.writing import dumps
from closedchain.extras import Late


def pictures(html):
    """The drawings in a piece of HTML, as SVG."""
    return [base64.b64decode(data).decode() for data in re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", html)]


@pytest.fixture(scope="module")
def biglide():
    """The robot."""
    return cc.load("biglide")


@pytest.mark.parametrize("name", robots.names())
def test_a_robot_is_drawn_with_its_parameters(name):
    """Every robot: one picture, every parameter with its number."""
    model = cc.load(name)
    html = model._repr_html_()
    (picture,) = pictures(html)
    assert picture.count("<path") > 5
    for parameter in model.equations.parameters:
        assert f"<td>{parameter.name}</td><td>{model.values[parameter.name]:g}</td>" in html


def test_solutions_are_a_table_with_a_small_picture_each(biglide):
    """Four working modes by name, with their numbers, in four drawings that differ."""
    html = cc.inverse(biglide, x=[0.03, 0.25])._repr_html_()
    assert "4 inverse solutions" in html
    assert len(set(pictures(html))) == 4
    leg = math.sqrt(0.3606**2 - 0.23**2)  # Pythagoras: the left foot is 0.23 m beside the tip
    for mode, q1 in (("++", 0.25 - leg), ("+−", 0.25 - leg), ("−+", 0.25 + leg), ("−−", 0.25 + leg)):
        assert f"<b>{mode}</b></td><td>{q1:.9g}</td>".replace("-", "−") in html


def test_no_solution_says_why(biglide):
    """The leg and the distance, and no table."""
    html = cc.inverse(biglide, x=[0.17, 0.25])._repr_html_()
    assert "leg A1-C misses" in html
    assert "<table" not in html


def test_many_solutions_are_not_drawn(biglide):
    """A batch is a table, cut where it gets long."""
    html = cc.inverse(biglide, x=[[0.001 * i, 0.25] for i in range(20)])._repr_html_()
    assert not pictures(html)
    assert html.count("<tr>") == 51
    assert "and 30 more" in html


def test_a_run_is_a_plot_and_its_figures(biglide):
    """The errors drawn, and what `print` says."""
    line = cc.quintic([0.0, 0.3], [0.1, 0.5], duration=0.5)
    run = cc.simulate(biglide, cc.ComputedTorque(line, kp=100, kd=100), interval=5e-3)
    html = run._repr_html_()
    assert len(pictures(html)) == 1
    assert all(text.strip().replace(">", "&gt;") in html for text in str(run).splitlines())


def test_checks_are_tables(biglide):
    """Each law with its worst misfit."""
    report = cc.check(biglide, states=20)
    html = report._repr_html_()
    assert html.count("✓") == len(report.rows)
    assert f"{report.rows[0].worst:.1e}" in html


def test_all_models_at_a_state_are_a_table(biglide):
    """By name, in SI."""
    assert "<td>tau</td>" in cc.evaluate(biglide, q=[0.1, 0.02])._repr_html_()


def test_equations_are_typeset(biglide):
    """As LaTeX, and under headings where Markdown is shown."""
    assert biglide.equations._repr_latex_().startswith("$$\n")
    assert "# " in biglide.equations._repr_markdown_()
    assert r"\begin{bmatrix}" in biglide.equations._repr_markdown_()


def test_text_in_a_description_is_only_text(tmp_path):
    """A robot's file cannot put a script into a notebook."""
    bad = '<img src=x onerror="alert(1)">'
    file = tmp_path / "robot.toml"
    text = dumps(cc.load("biglide").recipe)
    file.write_text(re.sub(r'about = "[^"]*"', f"about = '{bad}'", text, count=1), encoding="utf-8")
    html = cc.load(str(file))._repr_html_()
    assert "onerror" in html
    assert "<img src=x" not in html


def test_without_matplotlib_there_is_a_word_in_place_of_the_picture(biglide, monkeypatch):
    """The rest is shown all the same."""
    monkeypatch.setattr("closedchain.notebook.display.pictures", Late("matplotlib.not_here"))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    html = biglide._repr_html_()
    assert "pip install matplotlib" in html
    assert "<td>l</td>" in html


def test_without_sympy_equations_are_shown_as_text(biglide, monkeypatch):
    """None, so that the notebook takes the value's own text."""
    for name in [n for n in sys.modules if n.partition(".")[0] == "sympy" or n.startswith("closedchain.export.latex")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sympy", None)
    assert biglide.equations._repr_latex_() is None
