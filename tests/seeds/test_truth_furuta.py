"""Every furuta value of truth.json, one state at a time and batched, with q2 = 0 upright and hanging (seed 003)."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import closedchain as cc
from closedchain.robots.furuta import seed_form

TRUTH = json.loads((Path(__file__).parents[1] / "data" / "truth_furuta.json").read_text(encoding="utf-8"))
STATES = TRUTH["states"]
ROBOT = {-1: "furuta", 1: "furuta:hanging"}  # by the sign of gravity in the second equation
NAMES = {"J1": "J_1", "m2": "m_2", "rho": "L_1", "l2": "L_2", "lc": "c_2", "b1": "b_1", "b2": "b_2"}
NAMES |= {"kt": "k_t", "kv": "k_v", "kr": "k_r", "Ra": "R_a", "g": "g"}
CONVENTION = pytest.mark.parametrize("convention", ["upright", "hanging"])


def load(convention):
    """The robot with q2 = 0 upright or hanging."""
    return cc.load("furuta" if convention == "upright" else "furuta:hanging")


def split(x):
    """The seed's state [q1, q1_dot, q2, q2_dot] (*batch, 4) as q, q_dot (*batch, 2)."""
    x = np.asarray(x, dtype=float)
    return x[..., [0, 2]], x[..., [1, 3]]


def rate(robot, x, volts):
    """The seed's x_dot = [q1_dot, q1_ddot, q2_dot, q2_ddot] at a voltage."""
    q, q_dot = split(x)
    q_ddot = cc.evaluate(robot, q=q, q_dot=q_dot, voltage=np.asarray(volts, dtype=float)[..., None]).q_ddot
    return np.stack([q_dot[..., 0], q_ddot[..., 0], q_dot[..., 1], q_ddot[..., 1]], axis=-1)


def assert_close(got, want):
    """1e-12 of the largest entry (TRUTH.md §2), and rounding of order-one numbers where it vanishes."""
    want = np.asarray(want, dtype=float)
    assert np.shape(got) == want.shape
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-12 * max(np.abs(want).max(), 1e-2))


@CONVENTION
def test_the_furuta_has_the_documents_parameters(convention):
    """Seed 003's typed values, with b2 = 0.002, in both conventions."""
    values = load(convention).values
    assert {name: values[ours] for name, ours in NAMES.items()} == TRUTH["params"]


@CONVENTION
def test_the_six_thetas(convention):
    """theta_1 … theta_6 in volts, and the four primed ones before the motor's factor R_a/(k_r k_t)."""
    want, robot = TRUTH["theta"], load(convention)
    theta = seed_form(robot, [0.0, 0.0], [0.0, 0.0]).theta
    np.testing.assert_allclose(theta, [want[f"theta{k}"] for k in range(1, 7)], rtol=1e-14)
    scale = robot.values["R_a"] / (robot.values["k_r"] * robot.values["k_t"])
    assert scale == pytest.approx(want["scale"], rel=1e-15)
    np.testing.assert_allclose(theta[:4] / scale, [want[f"theta{k}p"] for k in range(1, 5)], rtol=1e-14)


@CONVENTION
@pytest.mark.parametrize("number", range(len(STATES)))
def test_the_matrices_at_one_state(convention, number):
    """M, C as coded, C by Christoffel and gravity, in the volts of seed 003."""
    s, robot = STATES[number], load(convention)
    got = seed_form(robot, *split(s["x"]))
    assert_close(got.M, s["M"])
    assert_close(got.C_code, s["C_code"])
    assert_close(got.C, s["C_christoffel_no_friction"])
    assert_close(got.gravity, s[f"g_{convention}"])


@CONVENTION
def test_the_matrices_of_all_states_in_one_call(convention):
    """A batch of states gives a batch of matrices."""
    got = seed_form(load(convention), *split([s["x"] for s in STATES]))
    for quantity, key in {
        "M": "M",
        "C_code": "C_code",
        "C": "C_christoffel_no_friction",
        "gravity": f"g_{convention}",
    }.items():
        assert_close(getattr(got, quantity), [s[key] for s in STATES])


@CONVENTION
@pytest.mark.parametrize("number", range(len(STATES)))
def test_the_mass_matrix_is_the_seeds_before_the_motor(convention, number):
    """Our M in kg m² times R_a/(k_r k_t) is the seed's M in V s²/rad."""
    s = STATES[number]
    q, q_dot = split(s["x"])
    got = cc.evaluate(load(convention), q=q, q_dot=q_dot, voltage=np.array([s["v"]], dtype=float))
    assert_close(got.M * TRUTH["theta"]["scale"], s["M"])


@CONVENTION
@pytest.mark.parametrize("number", range(len(STATES)))
def test_the_rate_at_one_state(convention, number):
    """The accelerations under a voltage."""
    s = STATES[number]
    assert_close(rate(load(convention), s["x"], s["v"]), s[f"xdot_{convention}"])


@CONVENTION
def test_the_rates_of_all_states_in_one_call(convention):
    """A batch of states and voltages."""
    got = rate(load(convention), [s["x"] for s in STATES], [s["v"] for s in STATES])
    for row, s in zip(got, STATES, strict=True):
        assert_close(row, s[f"xdot_{convention}"])


@CONVENTION
def test_the_voltage_that_gives_the_references_accelerations(convention):
    """Inverse dynamics: q_ddot of the reference asks for its voltage."""
    q, q_dot = split([s["x"] for s in STATES])
    q_ddot = np.array([s[f"xdot_{convention}"] for s in STATES])[:, [1, 3]]
    got = cc.evaluate(load(convention), q=q, q_dot=q_dot, q_ddot=q_ddot)
    # terms up to theta1 · 200 rad/s² = 12 V cancel
    np.testing.assert_allclose(got.voltage[..., 0], [s["v"] for s in STATES], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", TRUTH["trajectories"])
def test_our_forward_dynamics_follows_the_reference_trajectory(name):
    """2 s of motion integrated by SciPy's DOP853 over our forward dynamics, at 41 times, in either convention."""
    want = TRUTH["trajectories"][name]
    robot = cc.load(ROBOT[want["gravity_sign"]])
    run = solve_ivp(
        lambda t, x: rate(robot, x, want["v"]),
        (0.0, want["t"][-1]),
        want["x0"],
        method="DOP853",
        t_eval=want["t"],
        rtol=1e-12,
        atol=1e-13,
    )
    assert run.success
    # 6e-11 at rtol 1e-12 is the reference's own finding (TRUTH.md §2); the falling pendulum amplifies errors
    np.testing.assert_allclose(run.y.T, want["x"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", [n for n, t in TRUTH["trajectories"].items() if "mp_check" in t])
def test_the_reference_trajectories_agree_with_the_multiprecision_one(name):
    """The tabulated trajectory meets the mpmath Taylor integration at 0.5, 1 and 2 s."""
    trajectory = TRUTH["trajectories"][name]
    for t, x in zip(trajectory["mp_check"]["t"], trajectory["mp_check"]["x"], strict=True):
        row = int(np.argmin(np.abs(np.array(trajectory["t"]) - t)))
        np.testing.assert_allclose(trajectory["x"][row], x, rtol=0, atol=2e-13)


@CONVENTION
def test_the_poles_at_q2_0(convention):
    """Upright has one unstable pole; hanging has none, and the arm's free angle a zero in both."""
    robot, step = load(convention), 1e-5
    shifts = step * np.eye(4)
    A = ((rate(robot, shifts, np.zeros(4)) - rate(robot, -shifts, np.zeros(4))) / (2 * step)).T
    got = np.sort_complex(np.linalg.eigvals(A))
    want = np.sort_complex([complex(text) for text in TRUTH[f"eig_{convention}"]])
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-6)  # central differences: step² times the third derivative
