"""The peers of the closed-loop benchmarks run the same loop; nothing here judges a speed."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import numpy as np
import pytest

from benchmarks import c_loop, computed_torque_loop, harness, loop, loop_mujoco, loop_scipy, ours, rollouts
from benchmarks.biglide import KNOWN

EXACT = json.loads((Path(__file__).parent / "data" / "exact_loop.json").read_text(encoding="utf-8"))["rows"]
FEW = 150  # periods of a trial: 0.15 s, a row of the exact loop


@pytest.fixture(scope="module")
def c():
    """The compiled C loop, where there is a compiler."""
    try:
        return c_loop.build()
    except harness.Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def exact():
    """The tip after 0.15 s, in 30-digit arithmetic."""
    (row,) = [r for r in EXACT if float(r[0]) == FEW * loop.INTERVAL]
    return np.array(row[3:5], dtype=np.float64)


def test_the_exact_end_is_that_of_the_data():
    """The constant in the benchmarks is the last row of the 30-digit loop."""
    np.testing.assert_array_equal(loop.EXACT_END, np.array(EXACT[-1][3:5], dtype=np.float64))


def test_the_model_in_plain_floats_gives_the_known_efforts():
    """M q̈ + c at the state that is known to 50 digits."""
    M11, M12, M22, c1, c2 = loop.model(*KNOWN.q, *KNOWN.q_dot)
    a1, a2 = KNOWN.q_ddot
    np.testing.assert_allclose([M11 * a1 + M12 * a2 + c1, M12 * a1 + M22 * a2 + c2], KNOWN.tau, rtol=1e-12)
    np.testing.assert_allclose(loop.tip(*KNOWN.q), KNOWN.x, rtol=1e-13)
    np.testing.assert_allclose(loop.bars(KNOWN.q), KNOWN.phi, rtol=1e-13)


def test_the_reference_in_c_is_that_in_python(c):
    """q, q̇, q̈ of all 3000 instants."""
    rows = c.reference(loop.STEPS, loop.INTERVAL, loop.DURATION, loop.START, loop.END)
    np.testing.assert_allclose(rows, loop.table(), rtol=0, atol=1e-13)


def test_the_c_loop_is_exact_to_rounding(c):
    """Every 50 ms of the three seconds, state and command; work is what the kinetic energy became."""
    rows = c.reference(loop.STEPS, loop.INTERVAL, loop.DURATION, loop.START, loop.END)
    history = np.empty((loop.STEPS, c_loop.ROW))
    begin = np.array([*rows[0, :2], *loop.START, 0, 0, 0, 0, 0])
    end = c.loop(rows, loop.KP, loop.KD, loop.INTERVAL, begin, history)
    want = np.array(EXACT, dtype=np.float64)
    np.testing.assert_allclose(history[::50, :6], want[:-1, 1:7], rtol=0, atol=1e-13)
    np.testing.assert_allclose(history[::50, 9:], want[:-1, 7:], rtol=0, atol=1e-10)
    np.testing.assert_allclose(end[2:4], loop.EXACT_END, rtol=0, atol=1e-14)
    kinetic = (history[:, 4:6] ** 2).sum(axis=1) / 2 + 1.5 * (history[:, 6:8] ** 2).sum(axis=1)
    np.testing.assert_allclose(history[:, 8], kinetic, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("integrator", "limit"), [("RK4", 1e-6), ("Euler", 1e-3)])
def test_mujoco_runs_the_same_loop_softly(exact, integrator, limit):
    """0.15 s in closed loop, and open loop with our efforts."""
    np.testing.assert_allclose(loop_mujoco.loop(integrator, FEW)(), exact, rtol=0, atol=limit)
    tips = loop_mujoco.rollouts(integrator, ours.computed_torque_efforts()[:FEW], 3, 2)()
    np.testing.assert_allclose(tips, np.broadcast_to(exact, (3, 2)), rtol=0, atol=limit)


def test_scipy_runs_the_same_loop(exact):
    """0.15 s, started anew each millisecond."""
    np.testing.assert_allclose(loop_scipy.loop(FEW)(), exact, rtol=0, atol=1e-13)


def test_pinocchio_runs_the_same_loop(exact):
    """0.15 s of RK4 around constraintDynamics."""
    pytest.importorskip("pinocchio", reason="the package pin is not installed", exc_type=ModuleNotFoundError)
    peer = pytest.importorskip("benchmarks.loop_pinocchio")
    np.testing.assert_allclose(peer.loop(FEW)(), exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "run",
    [
        lambda: computed_torque_loop.main(rounds=1, min_time=0.0, steps=FEW),
        lambda: rollouts.main(rounds=1, n=8, threads=2, few=2),
    ],
    ids=["computed_torque_loop", "rollouts"],
)
def test_a_script_checks_and_times_everybody_and_its_report_is_json(c, run):
    """One round: every contestant passes its check, and nothing names the host or a folder."""
    result = run()
    text = json.dumps(result) + harness.show(result)
    assert result["tables"]
    assert all(error < 1e-2 for error in result["tip_error_m"].values())
    assert platform.node() not in text or len(platform.node()) < 4
    assert str(Path.home()) not in text


def test_everybody_runs_the_loop_in_the_same_rounds(c):
    """C, both engines and SciPy stand in one table: nobody is timed apart."""
    (table,) = computed_torque_loop.main(rounds=1, min_time=0.0, steps=FEW)["tables"]
    named = {row["name"] for row in table["rows"]}
    script = computed_torque_loop
    assert named >= {script.OURS, script.LOOP, script.C, script.RK4, script.EULER, script.SCIPY}


def test_a_wrong_loop_stops_the_script(c, monkeypatch):
    """A tip a nanometre off is found before timing."""
    monkeypatch.setattr(ours, "computed_torque", lambda steps: lambda: loop.EXACT_END + 1e-9)
    with pytest.raises(harness.WrongAnswer, match="closedchain simulate"):
        computed_torque_loop.main(rounds=1, min_time=0.0)
