"""A compiled march against the same steps in NumPy, and where it stops."""

import casadi as ca
import numpy as np
import pytest

from closedchain.kernels.march import DEGENERATE, NOT_FINITE, OPEN, WHOLE, Bounds, load_march
from closedchain.kernels.program import run
from closedchain.kernels.trace import trace
from closedchain.simulation.tableaux import TABLEAUX

LOOSE = Bounds(1.0, 1e-13)
Z, V, U, P = ca.SX.sym("z", 3), ca.SX.sym("v", 3), ca.SX.sym("u", 1), ca.SX.sym("p", 2)


def programs(gap=None, margin=1.0):
    """Three masses on springs, the first one pushed; `settle` moves everything a little, to be seen."""

    def pull(z):
        return ca.vertcat(-P[0] * z[0] + U, -P[1] * (z[1] - z[0]), -(z[2] ** 3))

    given = {"z": (Z, (3,)), "z_dot": (V, (3,)), "u": (U, (1,)), "p": (P, (2,))}
    flow = trace("flow", given, {"z_ddot": (pull(Z), (3,)), "power": (U * V[0], ())})
    z, v = Z * (1 - 1e-9), V * (1 + 1e-9)
    outputs = {"z": (z, (3,)), "z_dot": (v, (3,)), "z_ddot": (pull(z), (3,)), "power": (U * v[0], ())}
    outputs |= {"gap_max": (ca.SX(0) if gap is None else gap, ()), "rank": (ca.floor(10 * z[0]), ())}
    outputs |= {"margin": (ca.SX(margin), ()), "hold": (z[1], ())}
    return [flow, trace("settle", given, outputs)]


def by_hand(made, method, z, v, u, p, h, steps):
    """The same march, program by program, in NumPy."""
    flow, settle = made
    stages, weights = TABLEAUX[method]
    work, rows = 0.0, []
    z, v, a, power, *_ = run(settle, z, v, u, p)
    for _ in range(steps):
        vs, rates = [v], [(a, power)]
        for row in stages[1:]:
            zi = z + h * sum(w * k for w, k in zip(row, vs, strict=True))
            vi = v + h * sum(w * k for w, (k, _) in zip(row, rates, strict=True))
            vs.append(vi)
            rates.append(run(flow, zi, vi, u, p))
        work += h * sum(w * k for w, (_, k) in zip(weights, rates, strict=True))
        z_new = z + h * sum(w * k for w, k in zip(weights, vs, strict=True))
        v_new = v + h * sum(w * k for w, (k, _) in zip(weights, rates, strict=True))
        z, v, a, power, *_ = run(settle, z_new, v_new, u, p)
        rows.append(np.concatenate([z, v, [work]]))
    return np.array(rows)


START = np.array([0.5, -0.2, 0.3]), np.array([0.1, 0.4, -0.6])
GIVEN = np.array([0.7]), np.array([4.0, 9.0])


@pytest.mark.parametrize("method", TABLEAUX)
def test_a_march_is_the_loop_over_its_programs(method, tmp_path):
    """Both methods, 50 steps; 1e-13 is for sums in another order and products that are fused into them."""
    made = programs()
    march = load_march(method, lambda: made, TABLEAUX[method], 3, folder=tmp_path)
    march.start(*START)
    rows, done = march.go(*GIVEN, 0.02, 50, 1, LOOSE)
    want = by_hand(made, method, *START, *GIVEN, 0.02, 50)
    assert (done, march.ended) == (50, WHOLE)
    np.testing.assert_allclose(np.column_stack([rows.z, rows.z_dot, rows.work]), want, atol=1e-13)


def test_a_step_may_be_one_program(tmp_path):
    """An implicit method's leap is called with the state, the work so far and the step's length, and then settled."""
    settle = programs()[1]
    work, h = ca.SX.sym("work", 1), ca.SX.sym("h", 1)
    given = {"z": (Z, (3,)), "z_dot": (V, (3,)), "u": (U, (1,)), "work": (work, (1,)), "h": (h, (1,)), "p": (P, (2,))}
    outputs = {"z": (Z + h * V, (3,)), "z_dot": (V - h * P[0] * Z, (3,)), "work": (work + h * U * V[0], (1,))}
    leap = trace("leap", given, outputs)
    march = load_march("leap", lambda: [leap, settle], None, 3, folder=tmp_path)
    march.start(*START)
    rows, done = march.go(*GIVEN, 0.02, 30, 1, LOOSE)
    u, p = GIVEN
    z, v, *_ = run(settle, *START, u, p)
    total = np.zeros(1)
    for k in range(30):
        z, v, total = run(leap, z, v, u, total, np.array([0.02]), p)
        z, v, *_ = run(settle, z, v, u, p)
        np.testing.assert_allclose(np.concatenate([rows.z[k], rows.z_dot[k], rows.work[k : k + 1]]), [*z, *v, *total])
    assert done == 30


def test_two_calls_are_one_to_the_bit(tmp_path):
    """A march goes on where it stopped: its slopes wait for it."""
    march = load_march("twice", programs, TABLEAUX["rk4"], 3, folder=tmp_path)
    march.start(*START)
    whole, _ = march.go(*GIVEN, 0.02, 40, 1, LOOSE)
    march.start(*START)
    first, _ = march.go(*GIVEN, 0.02, 15, 1, LOOSE)
    second, _ = march.go(*GIVEN, 0.02, 25, 1, LOOSE)
    np.testing.assert_array_equal(np.vstack([first.z, second.z]), whole.z)


def test_rows_keep_the_worst_between_them(tmp_path):
    """Every tenth step is recorded, with the least rank and hold of the ten."""
    march = load_march("rows", programs, TABLEAUX["rk4"], 3, folder=tmp_path)
    march.start(*START)
    fine, _ = march.go(*GIVEN, 0.02, 100, 1, LOOSE)
    march.start(*START)
    coarse, _ = march.go(*GIVEN, 0.02, 100, 10, LOOSE)
    np.testing.assert_array_equal(coarse.z, fine.z[9::10])
    np.testing.assert_array_equal(coarse.rank, fine.rank.reshape(10, 10).min(axis=1))
    np.testing.assert_array_equal(coarse.hold, fine.hold.reshape(10, 10).min(axis=1))


@pytest.mark.parametrize(
    "made, why",
    [
        (programs(gap=ca.fabs(Z[0])), OPEN),
        (programs(margin=1e-20), DEGENERATE),
    ],
    ids=["open", "thin"],
)
def test_a_march_stops_where_it_must(made, why, tmp_path):
    """At an open loop, and where a pivot vanishes; the step that did it is not counted."""
    march = load_march(f"stop{why}", lambda: made, TABLEAUX["rk4"], 3, folder=tmp_path)
    march.start(*START)
    _, done = march.go(*GIVEN, 0.02, 200, 1, Bounds(0.4, 1e-13))
    assert march.ended == why
    assert done < 200


def test_numbers_that_overflow_end_it(tmp_path):
    """A cube of a large number: not finite after a step or two, and what is recorded before is."""
    march = load_march("overflow", programs, TABLEAUX["rk4"], 3, folder=tmp_path)
    march.start(np.array([0.0, 0.0, 1e120]), np.zeros(3))
    _, done = march.go(*GIVEN, 0.02, 20, 1, LOOSE)
    assert march.ended == NOT_FINITE
    assert done < 3


def test_a_wide_gap_is_closed_in_a_second_step(tmp_path):
    """Beyond a thousandth of the widest gap, once more: the factor 1 − 1e-9 is there twice."""
    rows = []
    for wide in (1.0, 1e6):  # the gap that comes in is 1
        march = load_march("twice settled", lambda: programs(gap=ca.SX(1.0)), TABLEAUX["rk4"], 3, folder=tmp_path)
        march.start(*START)
        rows.append(march.go(*GIVEN, 1e-9, 1, 1, Bounds(wide, 1e-13))[0])
    np.testing.assert_allclose(rows[0].z, rows[1].z * (1 - 1e-9), rtol=1e-15)


def test_the_second_start_finds_the_code_ready(tmp_path, monkeypatch):
    """From the folder, without building; a damaged file is made anew."""
    march = load_march("kept", programs, TABLEAUX["rk4"], 3, folder=tmp_path)
    monkeypatch.setattr("closedchain.kernels.objects._LINKED", {})
    again = load_march("kept", lambda: pytest.fail("built again"), TABLEAUX["rk4"], 3, folder=tmp_path)
    for m in (march, again):
        m.start(*START)
    np.testing.assert_array_equal(march.go(*GIVEN, 0.02, 9, 1, LOOSE)[0].z, again.go(*GIVEN, 0.02, 9, 1, LOOSE)[0].z)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-7])
    monkeypatch.setattr("closedchain.kernels.objects._LINKED", {})
    load_march("kept", programs, TABLEAUX["rk4"], 3, folder=tmp_path).start(*START)
    assert len(file.read_bytes()) > 100
