"""The IFToMM benchmark script: it compares before it times, and its peers' models are the same mechanisms."""

import numpy as np
import pytest

import closedchain as cc
from benchmarks import iftomm, iftomm_data
from benchmarks.harness import WrongAnswer, show


def test_a_short_trial_prints_errors_times_and_claims(monkeypatch):
    """One round without the long runs and the other engines: every row carries its error."""
    monkeypatch.setattr(iftomm, "_engine", missing)
    found = iftomm.main(rounds=1, short=True)
    text = show(found)
    assert text.count("closedchain rk") >= 9
    assert all("error" in row["name"] for table in found["tables"][:-1] for row in table["rows"])
    assert "reported: Exudyn h = 1e-2: 0.13 s" in text
    assert len(found["skipped"]) == 6  # Exudyn four times, MuJoCo twice


def missing(module):
    """An engine that is not installed."""
    raise iftomm.Unavailable(f"{module} is not here")


def test_a_wrong_end_is_not_timed():
    """A contestant that is off by more than it may be stops the script."""
    contestant = ("a fake", lambda: np.array([1.0]), 0.5)
    with pytest.raises(WrongAnswer, match="a fake is off by 1"):
        iftomm.contest("anything", [lambda: [contestant]], np.array([2.0]), 1, [])


def test_the_exponent_of_growth():
    """Ten times the time at ten times the size is one."""
    assert iftomm_data.growth({4: 2.0, 40: 20.0, 8: 99.0}) == pytest.approx(1.0)


def test_mujocos_windows_start_as_ours():
    """A tenth of a second of two windows: within its softness, 1 mm."""
    mujoco = pytest.importorskip("mujoco")
    assert mujoco
    engine = iftomm._engine("iftomm_mujoco")
    ours = cc.simulate(cc.load("nfourbar:2"), duration=0.1, interval=1e-3, x_dot={"x": 1.0})
    np.testing.assert_allclose(engine.windows(2, "RK4", 1e-4, 1000)(), ours.x[-1, :2], atol=1e-3)


def test_exudyns_models_are_the_same_mechanisms():
    """Half a second of two windows within its step's error, and the squeezer's first millisecond."""
    pytest.importorskip("exudyn")
    engine = iftomm._engine("iftomm_exudyn")
    ours = cc.simulate(cc.load("nfourbar:2"), duration=0.5, interval=1e-3, x_dot={"x": 1.0})
    np.testing.assert_allclose(engine.windows(2, 0.5, 1e-3, 0.9), ours.x[-1, :2], atol=1e-5)
    space = iftomm._engine("iftomm_exudyn_space")
    np.testing.assert_allclose(space.bricard(5.0, 1e-2, 0.9), iftomm_data.A04_END, atol=1e-5)
    np.testing.assert_allclose(space.governor(5.0, 1e-3, 0.9), iftomm_data.A05_END, atol=2e-5)
    model = cc.load("squeezer")
    data = iftomm_data.squeezer_data(model)
    run = cc.simulate(
        model, iftomm.Constant(0.033), q=[data.angles[0]], assembly="-2", duration=1e-3, interval=1e-5, step=1e-5
    )
    turned = engine.squeezer(data, 1e-3, 1e-6, 0.9)
    assert turned - data.angles[0] == pytest.approx(float(run.q[-1, 0] - run.q[0, 0]), rel=2e-3)
