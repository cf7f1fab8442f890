"""Three seconds of computed torque at 1 kHz against the same system in 30 digits (data/make_exact_loop.py)."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.control import ComputedTorque

PROMISED = 1e-12  # [m] at the tip


@pytest.fixture(scope="module")
def exact(data):
    """Rows of t, q, x, q_dot, tau every 50 ms, as doubles."""
    return np.array(data("exact_loop")["rows"], dtype=np.float64)


def rows_of(run, every):
    """Columns as in the reference."""
    return np.column_stack([run.t, run.q, run.x, run.q_dot, run.command])[::every]


@pytest.mark.parametrize("method", ["rk4", "rk6", "gauss4"])
def test_the_compiled_loop_keeps_the_tip_to_a_picometre(biglide, line, exact, method):
    """One step in each millisecond: 1e-12 m, at every 50 ms of the three seconds."""
    run = cc.simulate(biglide, ComputedTorque(line), interval=1e-3, method=method)
    got = rows_of(run, 50)
    np.testing.assert_allclose(got[:, 0], exact[:, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(got[:, 3:5], exact[:, 3:5], rtol=0, atol=PROMISED)
    np.testing.assert_allclose(got[:, 5:7], exact[:, 5:7], rtol=0, atol=PROMISED)
    np.testing.assert_allclose(
        got[:-1, 7:], exact[:-1, 7:], rtol=0, atol=1e-9
    )  # Kp M: 400 N/m on 1e-12 m, and rounding


def test_at_rounding_the_loop_keeps_the_tip_to_ten_femtometres(biglide, line, exact):
    """RK6 has no error left at 1 ms: 1e-14 m, 45 units in the last place of 0.5 m."""
    run = cc.simulate(biglide, ComputedTorque(line), interval=1e-3, method="rk6")
    np.testing.assert_allclose(rows_of(run, 50)[:, 3:5], exact[:, 3:5], rtol=0, atol=1e-14)
    assert run.closure.max() < 3e-16


def test_the_stepwise_loop_is_the_same_system(biglide, line, exact):
    """DOP853 between samples and the law on numbers: half a second of it."""
    run = cc.simulate(biglide, ComputedTorque(line), interval=1e-3, method="dop853", duration=0.5)
    np.testing.assert_allclose(rows_of(run, 50)[:, 3:5], exact[:11, 3:5], rtol=0, atol=1e-14)


def test_the_reference_repeats_itself(data):
    """The script that made the numbers gives them again, and with half its step: the first 50 ms."""
    path = Path(__file__).parents[1] / "data" / "make_exact_loop.py"
    spec = importlib.util.spec_from_file_location("make_exact_loop", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    known = [made.mpf(v) for v in data("exact_loop")["rows"][1]]
    for steps in (1, 2):
        again = made.simulate(0.05, steps)[1]
        assert max(abs(a - b) for a, b in zip(again, known, strict=True)) < made.mpf(10) ** -24  # 25 digits are stored
