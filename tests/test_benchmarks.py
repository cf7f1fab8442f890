"""The peers of the benchmarks give the right numbers and the harness counts rightly; nothing here judges a speed."""

from __future__ import annotations

import json
import platform
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks import (
    biglide,
    c_biglide,
    first_use,
    fresh,
    harness,
    million_states,
    mujoco_biglide,
    numpy_biglide,
    ours,
    single_call,
)

ROWS = json.loads((Path(__file__).parent / "data" / "biglide_bench.json").read_text(encoding="utf-8"))["states"]
STATES = [biglide.read_state(row) for row in ROWS]
EXACT = 1e-12  # relative to 1 + |truth|: doubles against 50 digits, TRUTH.md §2 found 2.5e-14 away from Type 2


@pytest.fixture(scope="module")
def c():
    """The compiled C peer, where there is a compiler."""
    try:
        return c_biglide.build()
    except harness.Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(params=range(len(STATES)), ids=lambda k: f"state{k}")
def known(request):
    """A state with 50-digit answers, and the row it was read from."""
    return STATES[request.param], ROWS[request.param]


def inputs_of(state):
    """One column of the batch functions' inputs."""
    return np.concatenate([state.q, state.q_dot, state.q_ddot])[:, np.newaxis]  # (6, 1)


def assert_models(rows, truth):
    """Every one of the fifteen models against the data file; det B is the product of its diagonal there."""
    truth = truth | {"det_B": truth["B"][0][0] * truth["B"][1][1]}
    for name, answer in biglide.name_rows(rows).items():
        np.testing.assert_allclose(answer[0], truth[name], rtol=EXACT, atol=EXACT, err_msg=name)


def test_numpy_gives_every_model_at_the_known_states(known):
    """All fifteen models, both assembly modes, four working modes."""
    state, truth = known
    rows = np.full((biglide.ROWS, 1), np.nan)
    numpy_biglide.all_models(inputs_of(state), state.sign, rows)
    assert_models(rows, truth)


def test_c_gives_every_model_at_the_known_states(c, known):
    """The batch function of the C peer, its own arctangent included."""
    state, truth = known
    rows = np.full((biglide.ROWS, 1), np.nan)
    c.all_models(inputs_of(state), state.sign, rows)
    assert_models(rows, truth)


def test_c_inverse_dynamics_gives_the_known_efforts(c, known):
    """tau of one call."""
    state, _ = known
    tau = c.inverse_dynamics(state.q, state.q_dot, state.q_ddot, state.sign)
    np.testing.assert_allclose(tau, state.tau, rtol=EXACT, atol=EXACT)


def test_c_forward_dynamics_gives_the_known_accelerations_and_multipliers(c, known):
    """The efforts of the known motion give that motion back; multipliers as m_p x_ddot = Aᵀ lam."""
    state, _ = known
    answers = c.forward_dynamics(state.q, state.x, state.q_dot, state.x_dot, state.tau)
    for answer, truth in zip(answers, (state.q_ddot, state.x_ddot, state.lam), strict=True):
        np.testing.assert_allclose(answer, truth, rtol=EXACT, atol=EXACT)


def test_mujoco_gives_the_known_accelerations_softly(known):
    """To what a soft equality leaves; the bound is of the largest acceleration, since errors spread over the joints."""
    state, _ = known
    truth = biglide.in_tree(state.q_ddot, state.phi_ddot)
    error = np.abs(mujoco_biglide.accelerations(state) - truth)
    assert np.max(error) <= mujoco_biglide.TOLERANCE * (1 + np.max(np.abs(truth)))


def test_mujoco_handed_the_state_answers_as_with_the_state_in_place():
    """Both timed forms do the same work."""
    state = biglide.KNOWN
    np.testing.assert_allclose(
        mujoco_biglide.hand_over_and_forward(state)(), mujoco_biglide.accelerations(state), rtol=1e-12
    )


def test_pinocchio_gives_the_known_accelerations(known):
    """To the accuracy its proximal solver reaches with mu = 1e-10."""
    pytest.importorskip("pinocchio", reason="the package pin is not installed", exc_type=ModuleNotFoundError)
    pinocchio_biglide = pytest.importorskip("benchmarks.pinocchio_biglide")
    state, _ = known
    truth = biglide.in_tree(state.q_ddot, state.phi_ddot)
    tolerance = pinocchio_biglide.TOLERANCE
    np.testing.assert_allclose(pinocchio_biglide.accelerations(state), truth, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 63, 1000])
def test_c_and_numpy_agree_on_random_states_of_any_number(c, n):
    """Vector body and scalar rest of the C loop, against NumPy; nothing is written beside the n columns."""
    inputs = biglide.sample(n, seed=1)
    room = np.full((biglide.ROWS, n + 1), np.nan)
    expected = np.empty((biglide.ROWS, n))
    c.all_models(inputs, -1.0, room[:, :n])
    numpy_biglide.all_models(inputs, -1.0, expected)
    np.testing.assert_allclose(
        room[:, :n], expected, rtol=1e-11, atol=1e-11
    )  # 0.1 m from Type 2: condition of A up to 20
    assert np.isnan(room[:, n]).all()


def test_numpy_chunks_do_not_change_the_answer(monkeypatch):
    """Chunks of 7 give what one chunk gives."""
    inputs = biglide.sample(100, seed=2)
    whole, parts = np.empty((biglide.ROWS, 100)), np.empty((biglide.ROWS, 100))
    numpy_biglide.all_models(inputs, 1.0, whole)
    monkeypatch.setattr(numpy_biglide, "CHUNK", 7)
    numpy_biglide.all_models(inputs, 1.0, parts)
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=1e-12)  # SIMD arctangents may differ in the last bit


def test_the_compiler_vectorised_the_c_batch_loop(c):
    """A scalar C loop would be too weak a peer; GCC and Clang say whether they vectorised it."""
    assert "vectorized" in c.vector_report


def test_c_takes_lists_and_refuses_wrong_shapes(c):
    """What a careful extension does with other arguments."""
    state = biglide.KNOWN
    tau = c.inverse_dynamics(list(state.q), tuple(state.q_dot), state.q_ddot[::-1][::-1], 1)
    np.testing.assert_allclose(tau, state.tau, rtol=EXACT)
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        c.inverse_dynamics(np.zeros(3), state.q_dot, state.q_ddot, 1.0)
    with pytest.raises(TypeError, match="5 arguments, 1 given"):
        c.forward_dynamics(state.q)
    with pytest.raises(ValueError, match=r"inputs must be a \(6, n\)"):
        c.all_models(np.zeros((5, 4)), 1.0, np.zeros((36, 4)))
    with pytest.raises(ValueError, match="as many columns"):
        c.all_models(np.zeros((6, 4)), 1.0, np.zeros((36, 5)))


def test_without_a_compiler_the_c_peer_says_so(monkeypatch):
    """One clear sentence, and the row is left out."""
    monkeypatch.setattr(c_biglide.shutil, "which", lambda name: None)
    monkeypatch.setattr(c_biglide.sys, "platform", "linux")
    with pytest.raises(harness.Unavailable, match="no C compiler found"):
        c_biglide.build.__wrapped__()


def test_the_known_state_is_the_one_in_the_data():
    """The state that the scripts check against is row 3 of the 50-digit states."""
    for name, value in vars(biglide.KNOWN).items():
        np.testing.assert_array_equal(value, ROWS[3][name])


def test_alternate_turns_the_order_round_and_pairs_ratios_by_round():
    """A machine that slows down tenfold in round 2: the medians are equal, the ratios 2, 3, 1 have the median 2."""
    seen = []

    def measure(name, times):
        return lambda: seen.append(name) or times.pop(0)

    table = harness.alternate("t", {"a": measure("a", [1.0, 10.0, 3.0]), "b": measure("b", [2.0, 30.0, 3.0])}, rounds=3)
    assert seen == ["a", "b", "b", "a", "a", "b"]
    assert [row.median for row in table.rows] == [3.0, 3.0]
    assert table.ratio("b", "a") == 2.0
    assert table.ratio("a", "b") == 0.5
    assert table.ratio("b", "absent") is None
    assert table.rows[1].ratio_quartiles == (1.5, 2.5)


def test_interleave_times_a_call_often_enough():
    """A call of at least 1 ms is repeated until a round lasts min_time, and its time is per call."""
    calls = []
    table = harness.interleave("t", {"nap": lambda: calls.append(time.sleep(1e-3))}, rounds=2, min_time=5e-3)
    (row,) = table.rows
    assert row.median >= 1e-3
    assert row.calls >= 2
    assert len(calls) >= 2 * row.calls


def test_a_wrong_or_nan_answer_is_not_timed():
    """`require` refuses both."""
    harness.require("right", 1e-13, 1e-12)
    for error in (2e-12, float("nan")):
        with pytest.raises(harness.WrongAnswer, match="not timed"):
            harness.require("wrong", error, 1e-12)


def test_claims_know_whether_they_are_met():
    """At most, at least, not measured."""
    assert harness.Claim("a", 1.4, at_most=1.5).met is True
    assert harness.Claim("a", 1.6, at_most=1.5).met is False
    assert harness.Claim("a", 7.9, at_least=8.0).met is False
    assert harness.Claim("a", None, at_least=8.0).met is None
    assert "MISSED" in str(harness.Claim("a", 1.6, at_most=1.5))


def test_parts_in_threads_cover_every_state_once():
    """Seven states in three parts."""
    touched = np.zeros(7, dtype=int)

    def touch(part):
        touched[part] += 1

    harness.in_threads(touch, 7, 3)()
    harness.in_threads(touch, 7, 1)()
    np.testing.assert_array_equal(touched, 2)


def test_a_fresh_process_reports_its_time_or_its_error():
    """Sleeping 20 ms takes at least that; a failure carries the child's last line."""
    assert fresh.time_inside("time.sleep(0.02)") >= 0.02
    assert fresh.time_process("pass") > 0.0
    with pytest.raises(RuntimeError, match=r"exit code 1: ZeroDivisionError"):
        fresh.time_inside("1 / 0")


@pytest.mark.parametrize(
    "run",
    [lambda: single_call.main(rounds=1, min_time=0.0), lambda: million_states.main(rounds=1, n=1000, threads=2)],
    ids=["single_call", "million_states"],
)
def test_a_script_checks_and_times_everybody_and_its_report_is_json(run):
    """One round: every contestant passes its check, and nothing names the host or a folder."""
    result = run()
    text = json.dumps(result) + harness.show(result)
    assert result["tables"]
    assert platform.node() not in text or len(platform.node()) < 4
    assert str(Path.home()) not in text


def test_a_wrong_peer_stops_the_script(monkeypatch):
    """A planted error of 1e-6 in our answer is found before timing."""
    wrong = biglide.KNOWN.tau * (1 + 1e-6)
    monkeypatch.setattr(ours, "single_inverse", lambda state: lambda: wrong)
    with pytest.raises(harness.WrongAnswer, match="closedchain inverse dynamics"):
        single_call.main(rounds=1, min_time=0.0)


def test_a_wrong_batch_stops_the_script(monkeypatch):
    """A planted error in one model of one of 1000 states is found before timing."""

    def almost(q, q_dot, q_ddot, *, sign, threads, out):
        inputs, rows = np.concatenate([q.T, q_dot.T, q_ddot.T]), np.empty((biglide.ROWS, len(q)))
        numpy_biglide.all_models(inputs, sign, rows)
        answers = biglide.name_rows(rows)
        answers["M"][500, 1, 0] *= 1 + 1e-6
        return answers

    monkeypatch.setattr(ours, "all_models", almost)
    with pytest.raises(harness.WrongAnswer, match="closedchain, 1 thread, M"):
        million_states.main(rounds=1, n=1000, threads=1)


def test_first_use_counts_what_goes_beyond_the_import(monkeypatch):
    """Import 0.1 s, first use 2.3 s cold and 0.14 s warm: 2.2 s misses the biglide's 2 s, 0.04 s is within 0.05 s."""
    monkeypatch.setattr(first_use.fresh, "time_process", lambda code: 0.02)
    monkeypatch.setattr(first_use.fresh, "time_inside", lambda code: 0.1)
    monkeypatch.setattr(first_use.ours, "first_use", lambda robot, cold: 2.3 if cold else 0.14)
    claims = first_use.main(rounds=2)["claims"]
    assert [claim["measured"] for claim in claims] == pytest.approx([2.2, 0.04, 2.2, 0.04])
    assert [claim["met"] for claim in claims] == [False, True, True, True]
