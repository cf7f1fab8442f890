"""The clock: whole numbers of steps and intervals, and what happens to durations that are not."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import ComputedTorque
from closedchain.errors import BadInput
from closedchain.simulation.clock import LONGEST, clock


@pytest.mark.parametrize(
    ("duration", "interval", "step", "periods", "substeps"),
    [
        (3.0, 1e-3, None, 3000, 1),
        (3.0, 5e-3, None, 600, 5),
        (3.0, 5e-3, 2e-3, 600, 3),  # equal steps not longer than asked for
        (0.3, 0.1, None, 3, 100),  # 0.3 / 0.1 is not 3 in doubles
        (0.7, 0.1, 0.1, 7, 1),
        (1.0, 1.0, 5.0, 1, 1),
        (1.0, 0.3, None, 4, 300),  # completed to 1.2 s
        (1e-4, 1e-4, None, 1, 1),
    ],
)
def test_a_run_is_cut_into_whole_intervals_and_equal_steps(duration, interval, step, periods, substeps):
    """Periods, substeps, and their times."""
    time = clock(duration, interval, step)
    assert (time.periods, time.substeps) == (periods, substeps)
    assert time.steps == periods * substeps
    assert len(time.t) == time.steps + 1
    assert (np.diff(time.t) > 0).all()
    np.testing.assert_allclose(time.t, np.linspace(0, periods * interval, time.steps + 1), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(time.instants, np.arange(periods) * interval)
    assert time.h <= (step or 1e-3) * (1 + 1e-9)


def test_a_duration_between_two_instants_is_completed(biglide, line):
    """1 s in intervals of 0.3 s makes four commands and ends at 1.2 s; the first second is that of a longer run."""
    run = cc.simulate(biglide, ComputedTorque(line, kp=1.0, kd=1.0), duration=1.0, interval=0.3)
    longer = cc.simulate(biglide, ComputedTorque(line, kp=1.0, kd=1.0), duration=1.5, interval=0.3)
    assert run.t[-1] == pytest.approx(1.2, abs=1e-15)
    assert len(np.unique(run.command[:-1], axis=0)) == 4
    assert run.summary["asked_duration"] == 1.0
    assert "1 s is no whole number of intervals of 0.3 s: the last one ended at 1.2 s" in str(run)
    np.testing.assert_array_equal(run.x[:-1], longer.x[: len(run.x) - 1])


def test_after_the_end_of_its_reference_a_run_holds_the_last_position(biglide, line):
    """Two seconds more: the error decays to rounding."""
    run = cc.simulate(biglide, ComputedTorque(line, kp=400.0, kd=40.0), duration=5.0)
    np.testing.assert_allclose(run.x[-1], [0.1, 0.5], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("duration", "interval", "step", "message"),
    [
        (0.0, 1e-3, None, "duration = 0.0 s; it must be positive"),
        (-1.0, 1e-3, None, "duration"),
        (np.nan, 1e-3, None, "duration"),
        (np.inf, 1e-3, None, "duration"),
        (1.0, 0.0, None, "interval = 0.0 s; it must be positive"),
        (1.0, np.nan, None, "interval"),
        (1.0, 1e-3, 0.0, "step = 0.0 s; it must be positive"),
        (1.0, 1e-3, np.nan, "step"),
        (1.0, 2.0, None, "longer than the run"),
        (1e9, 1e-3, None, f"at most {LONGEST} are run"),
    ],
)
def test_bad_clocks_are_refused(duration, interval, step, message):
    """One sentence each."""
    with pytest.raises(BadInput, match=message):
        clock(duration, interval, step)
