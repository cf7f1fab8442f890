"""Every biglide value of truth.json, one state at a time and batched (seeds 000, 001, 004)."""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc

TRUTH = json.loads((Path(__file__).parents[1] / "data" / "truth_biglide.json").read_text(encoding="utf-8"))
STATES = TRUTH["states"]
ASSEMBLY = {-1: "+", 1: "-"}  # gamma of seed 000 is -sign(det A)
NEAR_TYPE_2 = 0.2  # |det A| [m²]; away from Type 2 it is about 0.48
QUANTITIES = {
    "x": "x",
    "x_dot": "xd",
    "x_ddot": "xdd",
    "passive": "phi",
    "passive_dot": "phid",
    "passive_ddot": "phidd",
    "A": "A",
    "B": "B",
    "A_dot": "Adot",
    "B_dot": "Bdot",
    "J": "J",
    "b": "b",
    "M": "M",
    "c": "c",
    "tau": "tau",
    "lam": "lam",
    "det_A": "detA",
    "kinetic": "kinetic_energy",
}


def sign_names(signs):
    """(1, -1) -> "+-"."""
    return "".join("+" if sign > 0 else "-" for sign in signs)


def assert_close(got, want, near_type_2):
    """1e-12 of the quantity's largest entry, 1e-10 near Type 2 (TRUTH.md §2); 1e-14 of rounding where all vanish."""
    want = np.asarray(want)
    tolerance = 1e-10 if near_type_2 else 1e-12
    assert np.shape(got) == want.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=max(tolerance * np.abs(want).max(), 1e-14))


def near(state):
    """Whether a state of the table is close to Type 2."""
    return abs(state["detA"]) < NEAR_TYPE_2


def column(rows, key):
    """One entry of every row, as a batch."""
    return np.array([row[key] for row in rows])


def test_the_truth_covers_every_working_mode_both_assemblies_and_a_state_near_type_2():
    """14 states: all four working modes, both assembly modes, and at least one close to Type 2."""
    assert len(STATES) == 14
    assert {tuple(s["working_mode"]) for s in STATES} == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    assert {s["gamma"] for s in STATES} == {-1, 1}
    assert any(near(s) for s in STATES)


def test_the_biglide_has_the_documents_parameters(biglide):
    """d, l, m_p and m_f of seeds 000, 001 and 004 are the default values."""
    assert {name: biglide.values[name] for name in TRUTH["params"]} == TRUTH["params"]


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("number", range(len(STATES)))
def test_every_model_at_one_state_from_the_drives(biglide, number, quantity):
    """q, q_dot, q_ddot and the assembly mode give every kinematic and dynamic quantity of the reference."""
    s = STATES[number]
    got = cc.evaluate(biglide, q=s["q"], q_dot=s["qd"], q_ddot=s["qdd"], assembly=ASSEMBLY[s["gamma"]])
    assert_close(getattr(got, quantity), s[QUANTITIES[quantity]], near(s))


@pytest.mark.parametrize("number", range(len(STATES)))
def test_one_state_names_its_modes_and_balances_its_power(biglide, number):
    """The working mode is sign(y - q_i); det B is the product of B's diagonal; tau·q_dot is the reference's power."""
    s = STATES[number]
    got = cc.evaluate(biglide, q=s["q"], q_dot=s["qd"], q_ddot=s["qdd"], assembly=ASSEMBLY[s["gamma"]])
    assert got.working == sign_names(s["working_mode"])
    assert got.assembly == ASSEMBLY[s["gamma"]]
    assert_close(got.det_B, s["B"][0][0] * s["B"][1][1], near(s))
    assert_close(got.tau @ np.array(s["qd"]), s["power"], near(s))


@pytest.mark.parametrize("number", range(len(STATES)))
def test_the_passive_angles_close_the_loop_of_seed_000(biglide, number):
    """Seed 000's A_q (eq 21), built from our passive angles, is the reference's; A_q phi_dot + B_q q_dot = 0."""
    s, length = STATES[number], TRUTH["params"]["l"]
    got = cc.evaluate(biglide, q=s["q"], q_dot=s["qd"], q_ddot=s["qdd"], assembly=ASSEMBLY[s["gamma"]])
    (s1, s2), (c1, c2) = np.sin(got.passive), np.cos(got.passive)
    A_q = length * np.array([[-s1, s2], [c1, -c2]])
    assert_close(A_q, s["Aq"], near(s))
    residual = A_q @ got.passive_dot + np.array(s["Bq"]) @ np.array(s["qd"])
    np.testing.assert_allclose(residual, 0, rtol=0, atol=1e-13)  # rounding of rates of order one


@pytest.mark.parametrize("gamma", [-1, 1])
def test_all_states_of_an_assembly_mode_in_one_call(biglide, gamma):
    """A batch gives every quantity of every state, in order."""
    rows = [s for s in STATES if s["gamma"] == gamma]
    q, q_dot, q_ddot = column(rows, "q"), column(rows, "qd"), column(rows, "qdd")
    got = cc.evaluate(biglide, q=q, q_dot=q_dot, q_ddot=q_ddot, assembly=ASSEMBLY[gamma])
    for quantity, key in QUANTITIES.items():
        values = getattr(got, quantity)
        assert len(values) == len(rows)
        for value, s in zip(values, rows, strict=True):
            assert_close(value, s[key], near(s))


@pytest.mark.parametrize("working", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_all_states_of_a_working_mode_in_one_call_from_the_tip(biglide, working):
    """x, x_dot, x_ddot and the working mode give back the drives' motion and the same efforts."""
    rows = [s for s in STATES if s["working_mode"] == list(working)]
    got = cc.evaluate(
        biglide, x=column(rows, "x"), x_dot=column(rows, "xd"), x_ddot=column(rows, "xdd"), working=sign_names(working)
    )
    for number, s in enumerate(rows):
        # q comes from a square root of l² - (x ± d/2)², which loses digits towards Type 1: condition l²/(y - q)²
        worst = max((TRUTH["params"]["l"] / (s["B"][i][i] / 2)) ** 2 for i in range(2))
        loose = near(s) or worst > 30
        for quantity, key in {"q": "q", "q_dot": "qd", "q_ddot": "qdd", "tau": "tau", "lam": "lam"}.items():
            assert_close(getattr(got, quantity)[number], s[key], loose)


def test_the_direct_model_of_all_states_in_one_call(biglide):
    """Every stroke has two tips; the one of the reference is the one named by its gamma."""
    found = cc.direct(biglide, column(STATES, "q"))
    assert len(found) == 2 * len(STATES)
    for number, s in enumerate(STATES):
        row = [k for k in range(len(found)) if found.index[k] == number and found.mode[k] == ASSEMBLY[s["gamma"]]]
        assert len(row) == 1
        assert_close(found.x[row[0]], s["x"], near(s))


@pytest.mark.parametrize("point", TRUTH["igm"], ids=lambda p: str(p["x"]))
def test_the_four_inverse_solutions_of_a_point(biglide, point):
    """Four working modes, each with the reference's strokes and assembly mode."""
    found = {s.working: s for s in cc.inverse(biglide, point["x"])}
    assert len(found) == 4
    for want in point["solutions"]:
        got = found[sign_names(want["working_mode"])]
        assert_close(got.q, want["q"], near_type_2=False)
        if abs(point["x"][0]) > 0 or want["working_mode"][0] == want["working_mode"][1]:
            assert got.assembly == ASSEMBLY[want["gamma"]]  # at x = 0 the mixed modes are Type 2: no side to name


def test_the_inverse_solutions_of_all_points_in_one_call(biglide):
    """16 rows, and `index` says which point each belongs to."""
    points = TRUTH["igm"]
    found = cc.inverse(biglide, column(points, "x"))
    got = {(int(found.index[k]), found.mode[k]): found.q[k] for k in range(len(found))}
    assert len(got) == len(found) == 4 * len(points)
    for number, point in enumerate(points):
        for want in point["solutions"]:
            assert_close(got[number, sign_names(want["working_mode"])], want["q"], near_type_2=False)


@pytest.mark.parametrize(("working", "side"), [("-+", 1), ("+-", -1)])
def test_type_2_stands_at_x_0_with_the_legs_in_line(biglide, working, side):
    """At x = 0 a mixed mode stretches both legs along one line: stroke S, 56.31°, A singular."""
    special = TRUTH["special"]
    (got,) = [s for s in cc.inverse(biglide, [0.0, 0.1]) if s.working == working]
    np.testing.assert_allclose(got.q[0] - got.q[1], side * special["delta_singular"], rtol=1e-14)
    np.testing.assert_allclose(np.abs(0.1 - got.q), special["y_minus_q_at_x0"], rtol=1e-14)
    np.testing.assert_allclose(got.passive[0], -side * np.deg2rad(special["phi1_type2_deg"]), rtol=1e-14)
    np.testing.assert_allclose(abs(got.passive[1] - got.passive[0]), np.pi, rtol=1e-14)
    assert got.condition > 1e14
    leg = np.array([np.cos(got.passive[0]), np.sin(got.passive[0])])
    np.testing.assert_allclose(leg * [1, side], special["leg_dir_u1_Delta_pos"], rtol=1e-14)
    free = np.array([-leg[1], leg[0]])  # the tip can only swing across the legs
    np.testing.assert_allclose(free * [side, 1], special["free_direction_Delta_pos"], rtol=1e-14)


def test_type_1_stands_where_leg_1_lies_flat(biglide):
    """At x = l - d/2 leg 1 is level with its foot; its two solutions meet there, and beyond it there are none."""
    special = TRUTH["special"]
    assert special["x_type1"] == pytest.approx(biglide.values["l"] - biglide.values["d"] / 2, abs=1e-16)
    flat = [s for s in cc.inverse(biglide, [special["x_type1"], 0.0]) if s.working == "0+"]
    assert [s.double for s in flat] == [True]  # one solution, where two meet
    # a rounding of 1e-16 in x moves q1 by sqrt(2 l 1e-16) = 8.5e-9
    np.testing.assert_allclose(flat[0].q[0] - flat[0].q[1], special["delta_type1"], rtol=0, atol=2e-8)
    inside = {s.working: s.q for s in cc.inverse(biglide, [special["x_type1"] - 1e-9, 0.0])}
    middle = (inside["++"] + inside["-+"]) / 2  # leg 1 folds by as much to either side
    np.testing.assert_allclose(middle[0] - middle[1], special["delta_type1"], rtol=0, atol=1e-9)
    assert len(cc.inverse(biglide, [special["x_type1"] + 1e-9, 0.0])) == 0
