"""The widget on Python's side: what it sends, what it refuses. tests/browser/test_notebook.py drags it."""

import pytest

import closedchain as cc
from closedchain import scenarios
from closedchain.errors import BadInput

pytest.importorskip("anywidget")


@pytest.fixture(scope="module")
def explorer():
    """One for all tests."""
    return cc.Explorer("biglide")


def test_it_carries_the_exported_page(explorer):
    """Which needs nothing else."""
    assert explorer.page.startswith("<!doctype html>")
    assert "https://" not in explorer.page
    assert "export default" in explorer._esm


def test_a_run_can_be_played_in_it():
    """The page has its instants."""
    assert '"run":{' in cc.Explorer(scenarios.run("biglide-computed-torque")).page


def test_each_request_is_sent_although_it_is_the_same(explorer):
    """Sent to where it was sent before, the robot comes back."""
    explorer.go(x=[0.03, 0.25])
    first = explorer._asked
    explorer.go(x=[0.03, 0.25])
    assert explorer._asked["x"] == first["x"] == [0.03, 0.25]
    assert explorer._asked["turn"] == first["turn"] + 1


def test_a_function_hears_of_every_move(explorer):
    """With the robot in its hand."""
    heard = []
    explorer.when_moved(lambda robot: heard.append(list(robot.x)))
    explorer.x = [0.01, 0.2]
    assert heard == [[0.01, 0.2]]


@pytest.mark.parametrize(
    "words, message",
    [
        ({"x": [0.1]}, "x has 1 numbers where 2 belong"),
        ({"values": {"length": 1.0}}, "no parameter 'length'; it has l, d"),
    ],
)
def test_what_cannot_be_is_refused(explorer, words, message):
    """In Python, at once."""
    with pytest.raises(BadInput, match=message):
        explorer.go(**words)


def test_only_robots_are_shown():
    """And of a height that can be seen."""
    with pytest.raises(BadInput, match="not int"):
        cc.Explorer(3)
    with pytest.raises(BadInput, match="height = 5 px"):
        cc.Explorer("biglide", height=5)
