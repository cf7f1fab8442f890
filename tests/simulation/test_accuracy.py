"""Runs that are repeated until their end is settled."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import Constant
from closedchain.errors import BadInput


def test_the_estimate_bounds_the_error():
    """A pendulum at 2 s: refined until halving changes 1e-8, the true error of the finer run is smaller."""
    bob = cc.load("pendulum")
    exact = cc.simulate(bob, duration=2, interval=1e-3, step=1e-4, method="rk6").final.z
    run = cc.simulate(bob, duration=2, interval=0.04, step=0.04, tolerance=1e-8)
    assert run.finished
    assert run.findings["refinements"] >= 2
    assert run.settings["step"] == pytest.approx(0.04 / 2 ** run.findings["refinements"])
    assert np.abs(run.final.z - exact).max() <= run.findings["error_estimate"] <= 1e-8
    assert "the last time the end changed by" in str(run)


def test_a_robot_can_be_assured_as_well():
    """The biglide under a constant effort."""
    robot = cc.load("biglide")
    run = cc.simulate(
        robot, Constant((1.0, -1.0)), q=[0.0, 0.0], duration=0.5, interval=0.01, step=0.01, tolerance=1e-9
    )
    assert run.finished
    assert run.findings["error_estimate"] <= 1e-9


def test_what_cannot_be_settled_ends_at_a_limit(monkeypatch):
    """One refinement is not enough for a tolerance below rounding."""
    monkeypatch.setattr("closedchain.simulation.accuracy.STEPS", 1000)
    run = cc.simulate(cc.load("pendulum"), duration=2, interval=0.01, step=0.01, tolerance=1e-13)
    assert not run.finished
    assert run.ended.startswith("limit: the end still changes by")


def test_a_tolerance_is_positive():
    """Zero would never be met."""
    with pytest.raises(BadInput, match="must be positive"):
        cc.simulate(cc.load("pendulum"), duration=1, tolerance=0.0)
