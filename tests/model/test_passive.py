"""The passive loops' matrices and their rates, of every robot that has bars with readouts: references, differences."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Angle, Bar, Crank, Fixed, Free, Mechanism, Recipe, Slider
from closedchain.model.passive import MATRICES, passive_matrices
from closedchain.model.sampling import sample
from closedchain.model.state import state

TRUTH = json.loads((Path(__file__).parents[1] / "data" / "truth_biglide.json").read_text(encoding="utf-8"))["states"]


def six_bar():
    """Two dyads in a row with every bar's angle read out, one of them against its direction, one from a free point."""
    A, D, F = Crank("q1", about=(0, 0), radius=1.0, mass=1.0), Fixed("D", at=(3, 0)), Slider("q2", (5, 1), (0.6, 0.8))
    C, E = Free("C", mass=0.5), Free("E", mass=0.25)
    bars = (Bar(A, C, 2.5), Bar(D, C, 2.0), Bar(C, E, 2.4), Bar(F, E, 2.4))
    angles = (Angle("a", A, C, relative_to=A), Angle("b", C, D), Angle("c", C, E), Angle("f", F, E))
    return cc.load(Recipe(Mechanism("sixbar", drives=(A, F), bars=bars, output=E, readouts=angles)))


NAMES = ("biglide", "fivebar", "fourbar", "slidercrank", "triplate", "rpr3", "rrr3")


@cache
def loaded(name):
    """A robot, derived once."""
    return six_bar() if name == "sixbar" else cc.load(name)


def moving(name, seed=2):
    """A state with random rates and accelerations, all models there, and the same as functions of time around it."""
    robot = loaded(name)
    s = sample(robot, 1, seed=seed)
    q, x, v = s.q[0], s.x[0], s.q_dot[0]
    q_ddot = np.random.default_rng(seed).normal(size=robot.nq)
    here = cc.evaluate(robot, q=q, x=x, q_dot=v, q_ddot=q_ddot)

    def at(t):
        near = x + here.x_dot * t + here.x_ddot * t**2 / 2
        found = cc.direct(robot, q + v * t + q_ddot * t**2 / 2).x
        turn = found - near
        angle = [i for i, c in enumerate(robot.equations.x) if c.unit == "rad"]
        turn[:, angle] = np.angle(np.exp(1j * turn[:, angle]))
        x_t = found[np.abs(turn).max(axis=1).argmin()]
        q_t, v_t = q + v * t + q_ddot * t**2 / 2, v + q_ddot * t
        return cc.evaluate(robot, q=q_t, x=x_t, q_dot=v_t, q_ddot=q_ddot)

    return robot, here, at


@pytest.mark.parametrize("index", [0, 1, 2, 3, 5])
def test_the_biglide_has_the_reference_matrices(index):
    """A_q and B_q at 50 digits (TRUTH.md §2), A_q_dot of equation 24 with the reference's angles and rates."""
    told = TRUTH[index]
    mode = "+" if told["gamma"] == -1 else "-"
    found = cc.evaluate(loaded("biglide"), q=told["q"], q_dot=told["qd"], q_ddot=told["qdd"], assembly=mode)
    np.testing.assert_allclose(found.A_q, told["Aq"], atol=1e-14)
    np.testing.assert_allclose(found.B_q, told["Bq"], atol=1e-15)
    phi, rate, length = np.array(told["phi"]), np.array(told["phid"]), 0.3606
    expected = length * np.array([[-1, 1] * np.cos(phi) * rate, [-1, 1] * np.sin(phi) * rate])
    np.testing.assert_allclose(found.A_q_dot, expected, atol=1e-13)
    np.testing.assert_allclose(found.B_q_dot, np.zeros((2, 2)), atol=0)
    np.testing.assert_allclose(found.J_q @ told["qd"], rate, atol=1e-12)
    second = found.J_q @ told["qdd"] + found.J_q_dot @ told["qd"]
    np.testing.assert_allclose(second, told["phidd"], atol=1e-12 * (1 + np.abs(told["phidd"]).max()))
    assert [c.name for c in loaded("biglide").passive_loops.joints] == ["phi1", "phi2"]


def test_the_biglides_unit_vectors_are_those_of_the_lab():
    """A = [uᵀ], B = diag(uᵀŷ), d = lφ̇², A_p = [vᵀ], B_p = diag(vᵀŷ), with u, v from the reference's angles."""
    told = TRUTH[3]
    found = cc.evaluate(loaded("biglide"), q=told["q"], q_dot=told["qd"], q_ddot=told["qdd"], assembly="+")
    c, s = np.cos(told["phi"]), np.sin(told["phi"])
    np.testing.assert_allclose(found.A_u, np.stack([c, s], axis=1), atol=1e-14)
    np.testing.assert_allclose(found.B_u, np.diag(s), atol=1e-14)
    np.testing.assert_allclose(found.d_u, 0.3606 * np.square(told["phid"]), atol=1e-13)
    np.testing.assert_allclose(found.A_p, np.stack([-s, c], axis=1), atol=1e-14)
    np.testing.assert_allclose(found.B_p, np.diag(c), atol=1e-14)
    np.testing.assert_allclose(found.d_p, 0, atol=1e-14)
    np.testing.assert_allclose(found.l_p, 0.3606, rtol=0)


@pytest.mark.parametrize("name", [*NAMES, "sixbar"])
def test_the_loops_give_the_passive_joints_rates(name):
    """A_q q̇_d + B_q q̇ = 0 and its derivative, with the rates of the readouts, which are derived from atan2 alone."""
    robot, here, _ = moving(name)
    plates = [i for i, c in enumerate(robot.equations.x) if c.unit == "rad"]
    rates = np.concatenate([here.passive_dot, here.x_dot[plates]])
    second = np.concatenate([here.passive_ddot, here.x_ddot[plates]])
    scale = 1 + np.abs(here.A_q).max() * np.abs(rates).max()
    np.testing.assert_allclose(here.A_q @ rates + here.B_q @ here.q_dot, 0, atol=1e-12 * scale)
    np.testing.assert_allclose(here.J_q @ here.q_dot, rates, atol=1e-10 * (1 + np.abs(rates).max()))
    found = here.J_q @ here.q_ddot + here.J_q_dot @ here.q_dot
    np.testing.assert_allclose(found, second, atol=1e-9 * (1 + np.abs(second).max()))


@pytest.mark.parametrize("name", [*NAMES, "sixbar"])
def test_rates_are_central_differences_along_the_motion(name):
    """Ȧ_q, Ḃ_q, J̇_q, Ȧ_u, Ḃ_u, Ȧ_p, Ḃ_p against the matrices at t = ±h on the same assembly mode."""
    _, here, at = moving(name)
    h = 1e-5
    before, after = at(-h), at(h)
    for matrix in ("A_q", "B_q", "J_q", "A_u", "B_u", "A_p", "B_p"):
        slope = (getattr(after, matrix) - getattr(before, matrix)) / (2 * h)
        told = getattr(here, f"{matrix}_dot")
        np.testing.assert_allclose(told, slope, atol=1e-6 * (1 + np.abs(told).max()), err_msg=matrix)  # h² and eps/h


@pytest.mark.parametrize("name", [*NAMES, "sixbar"])
def test_unit_vectors_give_the_closures_and_the_legs_turning(name):
    """A = 2 l A_u and B = −2 l B_u of each leg's closure; both projections of ẋ and ẍ, with φ̇ of the readouts."""
    robot, here, _ = moving(name)
    legs = robot.passive_loops.legs
    names = [c.name for c in robot.equations.closures]
    rows = [names.index(leg.link.name) for leg in legs]
    np.testing.assert_allclose(here.A[rows], 2 * here.l_p[:, None] * here.A_u, atol=1e-9 * np.abs(here.A).max())
    np.testing.assert_allclose(here.B[rows], -2 * here.l_p[:, None] * here.B_u, atol=1e-9 * np.abs(here.A).max())
    q, readouts = ([c.name for c in part] for part in (robot.equations.q, robot.equations.readouts))
    own = [readouts.index(leg.angle.name) for leg in legs]
    arm = np.array([[leg.angle.relative_to is not None and leg.angle.relative_to.name == n for n in q] for leg in legs])
    first, second = here.passive_dot[own] + arm @ here.q_dot, here.passive_ddot[own] + arm @ here.q_ddot
    size = 1e-10 * (1 + np.abs(here.x_ddot).max() + np.abs(here.l_p * second).max())
    np.testing.assert_allclose(here.A_u @ here.x_dot, here.B_u @ here.q_dot, atol=size)
    np.testing.assert_allclose(here.A_u @ here.x_ddot, here.B_u @ here.q_ddot - here.d_u, atol=size)
    np.testing.assert_allclose(here.A_p @ here.x_dot, here.B_p @ here.q_dot + here.l_p * first, atol=size)
    turning = here.B_p @ here.q_ddot + here.l_p * second + here.d_p
    np.testing.assert_allclose(here.A_p @ here.x_ddot, turning, atol=size)


def test_a_batch_of_states_is_the_states_one_by_one():
    """Shapes have the batch in front."""
    robot = loaded("triplate")
    s = sample(robot, 4, seed=1)
    together = passive_matrices(robot, s)
    assert set(together) == set(MATRICES)
    for i in range(4):
        alone = passive_matrices(robot, state(robot, q=s.q[i], x=s.x[i], q_dot=s.q_dot[i]))
        for name in MATRICES:
            np.testing.assert_allclose(together[name][i], alone[name], rtol=1e-12, atol=1e-13, err_msg=name)


@pytest.mark.parametrize("name", ["delta", "furuta"])
def test_a_robot_without_bars_that_are_read_out_has_none(name):
    """Nothing is made up; the rest of the models is there."""
    robot = loaded(name)
    assert robot.passive_loops is None
    s = sample(robot, 1, seed=1)
    found = cc.evaluate(robot, q=s.q[0], x=s.x[0]) if robot.nx else cc.evaluate(robot, q=s.q[0])
    assert found.A_q is None
    assert "A_u" not in found.items()
    assert found.M is not None
