"""`evaluate`: all models at a state, with the keys that programs rely on."""

import json
from pathlib import Path

import numpy as np
import pytest

DATA = Path(__file__).parents[1] / "data"
TRUTH = json.loads((DATA / "truth_biglide.json").read_text(encoding="utf-8"))["states"]
KEYS = "x x_dot x_ddot passive passive_dot passive_ddot A B J M c tau det_A det_B assembly working"
NAMES = {"xd": "x_dot", "xdd": "x_ddot", "phi": "passive", "phid": "passive_dot", "phidd": "passive_ddot"}
NAMES |= {name: name for name in ("x", "A", "B", "J", "M", "c", "tau", "b", "lam")} | {"detA": "det_A", "Adot": "A_dot"}


def typed(values):
    """A vector as one types it, to the last digit."""
    return ",".join(map(repr, values))


@pytest.mark.parametrize("index", [0, 1, 2, 5])
def test_every_model_has_its_reference_value(run, index):
    """Quantity by quantity against 50-digit numbers (TRUTH.md §2)."""
    state = TRUTH[index]
    mode = "+" if state["gamma"] == -1 else "-"
    argv = [
        "--q",
        typed(state["q"]),
        "--q-dot",
        typed(state["qd"]),
        "--q-ddot",
        typed(state["qdd"]),
        "--assembly",
        mode,
    ]
    answer = run("evaluate", "biglide", *argv, "--json").json
    assert answer["schema"] == "closedchain.evaluate/1"
    assert set(KEYS.split()) <= set(answer)
    for theirs, ours in NAMES.items():
        scale = 1 + np.abs(state[theirs]).max()
        np.testing.assert_allclose(answer[ours], state[theirs], atol=1e-13 * scale, err_msg=ours)  # a few roundings
    assert answer["assembly"] == mode


@pytest.mark.parametrize("index", [1, 5])
def test_the_passive_loops_are_in_the_document_and_in_the_text(run, index):
    """A_q and B_q against 50-digit numbers (TRUTH.md §2); each matrix has a line that says what it does."""
    state = TRUTH[index]
    words = ("evaluate", "biglide", "--q", typed(state["q"]), "--q-dot", typed(state["qd"]))
    words += ("--assembly", "+" if state["gamma"] == -1 else "-")
    answer, text = run(*words, "--json").json, run(*words).out
    np.testing.assert_allclose(answer["A_q"], state["Aq"], atol=1e-13)
    np.testing.assert_allclose(answer["B_q"], state["Bq"], atol=1e-15)
    assert answer["passive_joints"] == ["phi1", "phi2"]
    assert {"J_q", "A_q_dot", "B_q_dot", "J_q_dot", "A_u", "B_u", "d_u", "A_p", "B_p", "d_p", "l_p"} <= set(answer)
    assert "A_q q_d_dot + B_q q_dot = 0" in text
    assert "phi1  phi2" in text


@pytest.mark.parametrize("working", ["++", "+-", "-+", "--"])
def test_a_state_given_by_the_output_has_the_working_mode_asked_for(run, working):
    """x, its rates and a working mode, also one of two minus signs, give the same x back."""
    argv = ["--x", "0.03,0.25", "--x-dot", "-0.1,0.2", "--x-ddot", "0.3,-0.4", "--working", working]
    answer = run("evaluate", "biglide", *argv, "--json").json
    assert answer["working"] == working
    np.testing.assert_allclose(answer["x_dot"], [-0.1, 0.2], atol=1e-14)
    np.testing.assert_allclose(answer["x_ddot"], [0.3, -0.4], atol=1e-13)


def test_efforts_give_the_accelerations_that_need_them(run):
    """--tau: M q̈ + c is the effort that was given."""
    answer = run("evaluate", "biglide", "--q", "0,0.1", "--q-dot", "1,-1", "--tau", "-2,3", "--json").json
    efforts = np.array(answer["M"]) @ answer["q_ddot"] + answer["c"]
    np.testing.assert_allclose(efforts, [-2, 3], atol=1e-12)  # condition of M is about 10
    np.testing.assert_allclose(answer["tau"], [-2, 3], atol=1e-12)


def test_the_furuta_answers_in_volts_as_its_seed_does(run):
    """With a motor: M q̈ + C q̇ + friction + gravity = (u, 0), in the seed's own matrices."""
    answer = run("evaluate", "furuta", "--q", "0.2,0.1", "--q-dot", "-1,2", "--voltage", "-3", "--json").json
    assert {"q", "q_dot", "q_ddot", "M", "h", "tau", "voltage", "kinetic", "potential", "seed"} <= set(answer)
    assert not {"x", "J", "c"} & set(answer)
    seed = {name: np.array(value) for name, value in answer["seed"].items()}
    assert set(seed) == {"theta", "M", "C", "friction", "gravity"}
    volts = seed["M"] @ answer["q_ddot"] + seed["C"] @ answer["q_dot"] + seed["friction"] + seed["gravity"]
    np.testing.assert_allclose(volts, [-3, 0], atol=1e-12)
    np.testing.assert_allclose(answer["voltage"], [-3], atol=1e-12)


def test_the_acceleration_of_the_driven_coordinate_alone_is_enough(run):
    """q̈₂ follows from the second row, M₂₁ q̈₁ + M₂₂ q̈₂ + h₂ = 0: nothing drives the pendulum."""
    answer = run("evaluate", "furuta", "--q", "0,0.1", "--q-dot", "1,-1", "--q-ddot", "-2", "--json").json
    assert answer["q_ddot"][0] == -2
    assert abs(np.dot(answer["M"][1], answer["q_ddot"]) + answer["h"][1]) < 1e-15  # terms of 0.02 N m, rounded


def test_a_furuta_without_a_motor_has_no_volts(run):
    """The machine of Cazzolato & Prime is given without one."""
    answer = run("evaluate", "furuta:cazzolato-prime", "--q", "0,0.1", "--tau", "0", "--json").json
    assert "seed" not in answer
    assert "voltage" not in answer
    assert run("evaluate", "furuta:cazzolato-prime", "--q", "0,0.1", "--voltage", "1").code == 2


def test_people_get_names_numbers_and_meanings(run):
    """Each quantity on a line of its own."""
    out = run("evaluate", "biglide", "--q", "0,0").out
    assert "0.3000539285" in out
    assert "0 at a Type 2 singularity" in out


def test_the_linear_model_is_the_published_one(run):
    """Case P07, the QUBE-Servo upright, in volts: A and B to the digits that the case asks for."""
    known = {c["name"]: c["expected"] for c in json.loads((DATA / "cases.json").read_text())["cases"]["P07"]["checks"]}
    argv = ["evaluate", "furuta:qube", "--q", "0,0", "--linear", "voltage"]
    linear = run(*argv, "--json").json["linear"]
    np.testing.assert_allclose(linear["A"], known["A"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.ravel(linear["B"]), known["B"], rtol=1e-9, atol=1e-12)
    assert linear["states"] == ["q1", "q2", "q1_dot", "q2_dot"]
    out = run(*argv).out
    assert "149.2750969" in out
    assert "linear.states q1  q2  q1_dot  q2_dot" in out


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (("--q", "0,0", "--q-dot", "1,0"), 2, "no rates and no efforts"),
        (("--q", "0,0.8"), 4, "not an equilibrium"),
        (("--q", "0,0", "--linear", "amps"), 2, "invalid choice"),
    ],
)
def test_a_linear_model_away_from_an_equilibrium_is_refused(run, more, code, words):
    """One line."""
    done = run("evaluate", "furuta", "--linear", "tau", *more)
    assert (done.code, done.out) == (code, "")
    assert words in done.err


def test_forces_from_outside_are_held_by_the_drives(run):
    """A push down on a tip over the middle: half on each foot; a unit may be written, and the answer repeats it."""
    answer = run("evaluate", "biglide", "--x", "0,0.25", "--force", "C=0,-6N", "--json").json
    assert answer["tau"] == pytest.approx([3.0, 3.0], rel=1e-14)
    assert answer["forces"] == {"C": [0.0, -6.0]}
    answer = run("evaluate", "triplate", "--x=-3,-1,45deg", "--force", "plate@0.5,0=-2*t,1", "--torque", "plate=-0.5")
    assert answer.code == 0
    assert "torques.plate" in answer.out


@pytest.mark.parametrize(
    "words, message",
    [
        (("--force", "D=1,2"), "no point or body 'D'; there are: A1, A2, C"),
        (("--force", "C"), "--force 'C' has no value; write --force POINT=F,F"),
        (("--force", "C=1,2 kg"), "--force C: '2 kg' is in kg, but N is needed"),
        (("--torque", "C=1"), "nothing called 'C' turns"),
        (("--force", "C=1,2", "--linear", "tau"), "--linear takes no external forces"),
    ],
)
def test_a_force_that_is_none_is_told(run, words, message):
    """What there is instead."""
    done = run("evaluate", "biglide", "--q", "0,0", *words)
    assert done.code == 2
    assert message in done.err


def test_gradients_are_told_by_name(run):
    """m_f moves along each rail with its own foot: ∂τ/∂m_f = q̈, and no margin depends on it."""
    words = ("evaluate", "biglide", "--q", "0.1,0.02", "--q-ddot", "1,-0.5")
    answer = run(*words, "--gradient", "tau:p", "--gradient", "margin", "--json").json
    assert answer["derivatives"]["tau"]["m_f"] == pytest.approx([1.0, -0.5], abs=1e-12)
    assert list(answer["derivatives"]["tau"]) == ["l", "d", "m_p", "m_f"]
    assert answer["derivatives"]["margin"]["m_f"] == 0.0
    by = answer["derivatives"]["margin"]
    assert by["q1"] == pytest.approx(-by["q2"], rel=1e-12)  # only their difference counts
    assert "derivatives.tau.m_f" in run(*words, "--gradient", "tau:p").out
    assert "no derivatives of 'torque'" in run(*words, "--gradient", "torque").err
