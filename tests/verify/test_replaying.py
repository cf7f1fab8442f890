"""How far a motion is known: all of a calm one, the beginning of one that magnifies errors."""

import pytest

import closedchain as cc
from closedchain.verify import replaying
from closedchain.verify.driving import along
from closedchain.verify.motions import Branch, trajectory


@pytest.fixture(scope="module")
def moved():
    """The five-bar's trajectory."""
    model = cc.load("fivebar")
    return model, trajectory(model, Branch(), 0)


def test_a_calm_motion_is_known_to_its_end(moved):
    """Halving our own step changes nothing that rounding would not, and a solver's error stays what it was."""
    model, run = moved
    found = replaying.known(model, run, along)
    assert len(found.run.t) == len(run.t)
    assert found.unsure["output"] < 1e-10 * model.scale
    assert found.grown["output"] < 1e-6 * model.scale


def test_a_motion_is_cut_where_errors_have_grown(moved, monkeypatch):
    """With a solver a hundred thousand times worse the same motion is known for a part of the way, or not at all."""
    model, run = moved
    monkeypatch.setattr(replaying, "SOLVER", 2e-5)
    found = replaying.known(model, run, along)
    assert found is None or len(found.run.t) < len(run.t)
    monkeypatch.setattr(replaying, "SOLVER", 1.0)
    assert replaying.known(model, run, along) is None
