"""The reference numbers of the seed documents by way of the command line: every digit survives parsing and printing."""

import json
from pathlib import Path

import numpy as np
import pytest

DATA = Path(__file__).parents[1] / "data"
BIGLIDE, TRIPLATE, FURUTA = (
    json.loads((DATA / f"truth_{name}.json").read_text(encoding="utf-8"))
    for name in ("biglide", "planar3dof", "furuta")
)
QUANTITIES = {"xd": "x_dot", "xdd": "x_ddot", "phi": "passive", "phid": "passive_dot", "phidd": "passive_ddot"}
QUANTITIES |= {"Adot": "A_dot", "Bdot": "B_dot", "detA": "det_A", "kinetic_energy": "kinetic"}
QUANTITIES |= {name: name for name in ("x", "A", "B", "J", "b", "M", "c", "tau", "lam")}


def words(values):
    """Numbers as they are typed, with all their digits."""
    return ",".join(repr(float(value)) for value in values)


def mode(signs):
    """(1, -1) → "+-"."""
    return "".join("+" if sign > 0 else "-" for sign in signs)


@pytest.mark.parametrize("state", BIGLIDE["states"], ids=lambda s: f"{s['q']} {s['gamma']}")
def test_evaluate_prints_the_biglides_numbers(run, state):
    """Every model at each state; γ of the documents is −sign det A."""
    moving = ["--q", words(state["q"]), "--q-dot", words(state["qd"]), "--q-ddot", words(state["qdd"])]
    answer = run("evaluate", "biglide", *moving, "--assembly", mode([-state["gamma"]]), "--json").json
    digits = 1e-12 if abs(state["detA"]) > 0.05 else 1e-10  # beside Type 2 the numbers themselves are less certain
    for name, key in QUANTITIES.items():
        known = np.array(state[name])
        scale = max(1.0, np.abs(known).max())
        np.testing.assert_allclose(answer[key], known, rtol=digits, atol=digits * scale, err_msg=name)
    assert answer["working"] == mode(state["working_mode"])


@pytest.mark.parametrize("case", BIGLIDE["igm"], ids=lambda c: str(c["x"]))
def test_solve_inverse_prints_the_biglides_modes(run, case):
    """Four of them, by name."""
    answer = run("solve", "inverse", "biglide", "--x", words(case["x"]), "--json").json
    found = {solution["mode"]: solution["q"] for solution in answer["solutions"]}
    known = {mode(solution["working_mode"]): solution["q"] for solution in case["solutions"]}
    assert found.keys() == known.keys()
    for name, q in known.items():
        np.testing.assert_allclose(found[name], q, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("case", TRIPLATE["cases"], ids=lambda c: str(c["X"]))
def test_solve_and_evaluate_print_the_triplates_numbers(run, case):
    """Inverse by mode, every direct solution of each, the Jacobians there."""
    at = words(case["X"])
    found = {s["mode"]: s["q"] for s in run("solve", "inverse", "triplate", "--x", at, "--json").json["solutions"]}
    assert found.keys() == {mode(known["mode"]) for known in case["ik"]}
    for known in case["ik"]:
        q = np.array(found[mode(known["mode"])]) - known["q"]
        np.testing.assert_allclose(np.exp(1j * q), 1.0, atol=1e-12)  # angles up to whole turns
        np.testing.assert_allclose(q[2], 0.0, atol=1e-12)
        direct = run("solve", "direct", "triplate", "--q", words(known["q"]), "--json").json
        poses = np.array([s["x"] for s in direct["solutions"]])
        np.testing.assert_allclose(poses[poses[:, 0].argsort()], sorted(known["fk_real"]), atol=1e-10)
        answer = run("evaluate", "triplate", "--x", at, "--working", mode(known["mode"]), "--json").json
        for name, key in {"Jx": "A", "Jq": "B", "det_Jx": "det_A"}.items():
            np.testing.assert_allclose(answer[key], known[name], rtol=1e-11, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("zero", ["upright", "hanging"])
def test_evaluate_prints_the_furutas_numbers(run, zero):
    """Accelerations at a voltage, and the seed's own M, C and gravity in volts; its state is (q1, q̇1, q2, q̇2)."""
    robot = "furuta" if zero == "upright" else "furuta:hanging"
    for state in FURUTA["states"]:
        x = state["x"]
        at = ["--q", words(x[0::2]), "--q-dot", words(x[1::2]), "--voltage", repr(float(state["v"]))]
        answer = run("evaluate", robot, *at, "--json").json
        rates = [answer["q_dot"][0], answer["q_ddot"][0], answer["q_dot"][1], answer["q_ddot"][1]]
        np.testing.assert_allclose(rates, state[f"xdot_{zero}"], rtol=1e-11, atol=1e-11)
        for name, key in {"M": "M", "C": "C_christoffel_no_friction", "gravity": f"g_{zero}"}.items():
            np.testing.assert_allclose(answer["seed"][name], state[key], rtol=1e-12, atol=1e-13, err_msg=name)
