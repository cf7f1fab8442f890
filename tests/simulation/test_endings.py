"""What ends a run early, and what it says: a joint limit, a loop that diverges; singularities are in test_crossing."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import ComputedTorque, Constant
from closedchain.errors import BadInput

HISTORIES = ("t", "q", "x", "q_dot", "x_dot", "command", "work", "closure", "balance")


def assert_finite(run):
    """No history holds a NaN or an infinity, and all have the length of t."""
    for name in HISTORIES:
        value = getattr(run, name)
        assert np.isfinite(value).all(), name
        assert len(value) == len(run.t), name


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_a_joint_limit_ends_the_run_and_names_the_joint(biglide, line, method):
    """q2 passes 0.1 m on the way to 0.1535 m: the run ends within one step of it."""
    limits = ([-1.0, -1.0], [1.0, 0.1])
    run = cc.simulate(biglide, ComputedTorque(line), interval=5e-3, method=method, limits=limits)
    assert not run.finished
    assert run.ended.startswith("joint limit at t = ")
    assert "q2 = 0.1" in run.ended
    assert "leaves [-1, 0.1]" in run.ended
    free = cc.simulate(biglide, ComputedTorque(line), interval=5e-3)
    passed = free.t[np.argmax(free.q[:, 1] > 0.1)]
    assert run.t[-1] == pytest.approx(passed, abs=5.1e-3)
    assert_finite(run)


def test_a_limit_that_is_not_reached_changes_nothing(biglide, line):
    """Bit for bit."""
    free, limited = (cc.simulate(biglide, ComputedTorque(line), limits=b) for b in (None, (-1.0, 1.0)))
    assert limited.finished
    np.testing.assert_array_equal(limited.x, free.x)


def test_limits_without_room_are_refused(biglide, line):
    """Upside down, or not numbers."""
    for bad in ((1.0, -1.0), (0.0, [1.0, np.nan])):
        with pytest.raises(BadInput, match="leave no room"):
            cc.simulate(biglide, ComputedTorque(line), limits=bad)


@pytest.mark.parametrize("interval", [0.025, 0.05, 0.1])
def test_an_unstable_loop_ends_early_with_finite_histories(biglide, line, interval):
    """Kd T of 2.5, 5 and 10 with Kd = 100."""
    run = cc.simulate(biglide, ComputedTorque(line), interval=interval)
    assert not run.finished
    assert "t = " in run.ended
    assert_finite(run)


def test_a_motion_without_bound_is_said_to_be_unstable(furuta):
    """A pendulum under a regulator of the wrong sign: the arm's speed grows by itself."""

    class Wrong(Constant):
        """Negative damping of the arm."""

        def law(self, measured, reference, gains):
            return 5.0 * measured.q_dot[0] + reference.command

    run = cc.simulate(furuta, Wrong(0.01), q=[0.0, 3.0], duration=60.0)
    assert not run.finished
    assert "grew without bound" in run.ended
    assert "smaller gains or a shorter interval" in run.ended
    assert_finite(run)


def test_the_time_and_the_reason_do_not_depend_on_how_many_rows_are_kept(biglide, line):
    """Every step kept, or one in fifty."""
    runs = [cc.simulate(biglide, ComputedTorque(line), interval=0.025, rows=rows) for rows in (10**6, 60)]
    assert runs[0].ended == runs[1].ended
    assert runs[0].t[-1] == runs[1].t[-1]
    np.testing.assert_array_equal(runs[0].final.z, runs[1].final.z)


def test_a_run_longer_than_a_chunk_is_one_run(furuta):
    """70,000 steps cross the border of two calls: the states are those of one step after another."""
    start = {"q": [0.0, 3.0], "interval": 1e-3}
    whole = cc.simulate(furuta, Constant(1.0, "voltage"), duration=70.0, **start)
    first = cc.simulate(furuta, Constant(1.0, "voltage"), duration=65.0, **start)
    np.testing.assert_array_equal(whole.q[:65_000], first.q[:-1])
    rest = cc.simulate(furuta, Constant(1.0, "voltage"), duration=5.0, interval=1e-3, start=first.final)
    np.testing.assert_allclose(whole.final.z, rest.final.z, rtol=0, atol=1e-12)
