"""What a Type 2 singularity allows, on robots with and without massive legs: the plant itself is the oracle."""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain import motion
from closedchain.errors import BadInput, NoSolution
from closedchain.model.course import Course, output_way
from closedchain.model.crossing import efforts_along, type_2_instants
from closedchain.model.state import State
from closedchain.singularity.criterion import criterion, effort_limit

DATA = Path(__file__).parents[1] / "data"
TRUTH = json.loads((DATA / "truth_crossing.json").read_text(encoding="utf-8"))
(AT_TYPE_2,) = [s for s in TRUTH["samples"] if s["t"] == TRUTH["ts"]]
LINES = {  # straight lines through a Type 2 singularity: robot, from, to, working mode
    "biglide": ([-0.05, 0.2], [0.05, 0.4], "-+"),
    "fivebar": ([0.039, 0.026], [0.047, 0.006], "-+"),
    "triplate": ([0.51, 0.0, np.radians(10)], [0.7, 0.0, np.radians(10)], "++"),
    "rrr3": ([1.2, 0.73, -0.28], [1.4, 0.72, 1.08], "++-"),
}


def singular(name):
    """A robot and a configuration of it at which A is singular, found on a line."""
    robot = cc.load(name)
    start, end, working = LINES[name]
    way = output_way(robot, cc.quintic(start, end, 1.0), working)
    t = type_2_instants(robot, way, np.linspace(0, 1, 401))
    assert len(t)
    return robot, way(t)[0]


def moving(robot, place, seed):
    """A state there with velocities that obey B q̇ + A ẋ = 0, and efforts that move bare drives by about 1."""
    rng = np.random.default_rng(seed)
    made = robot.call("closures", q=place.q, x=place.x)
    _, _, Vt = np.linalg.svd(np.hstack([made["B"], made["A"]]))
    z_dot = Vt[robot.nx :].T @ rng.normal(size=robot.nq)
    inertia = np.diag(robot.call("mass", q=place.q, x=place.x)["M_z"])[: robot.nq]
    return State(place.q, place.x, z_dot[: robot.nq], z_dot[robot.nq :]), inertia * rng.normal(size=robot.nq)


def accelerations(robot, state, tau):
    """z̈ of the plant."""
    made = cc.forward_dynamics(robot, state, tau)
    return np.concatenate([made.q_ddot, made.x_ddot])


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_efforts_the_plant_obeys_the_criterion(name, seed):
    """Forward dynamics in z, regular at Type 2, gives accelerations with tᵀ(M_z z̈ + h_z)_x = 0 (TRUTH.md §3.1)."""
    robot, place = singular(name)
    state, tau = moving(robot, place, seed)
    found = criterion(robot, state, accelerations(robot, state, tau))
    assert abs(found.value) < 1e-11 * found.size  # rounding, with the configuration 1e-15 off the singularity
    np.testing.assert_allclose(robot.call("closures", q=place.q, x=place.x)["A"] @ found.free, 0, atol=1e-12)


@pytest.mark.parametrize("name", LINES)
def test_an_acceleration_beside_the_plants_own_breaks_it(name):
    """Any other push along t shows in full: adding t to ẍ (which A cannot see) changes the value by tᵀM t."""
    robot, place = singular(name)
    state, tau = moving(robot, place, 0)
    z_ddot = accelerations(robot, state, tau)
    free = criterion(robot, state, z_ddot).free
    other = z_ddot + np.concatenate([np.zeros(robot.nq), free])
    M = robot.call("mass", q=state.q, x=state.x)["M_z"][robot.nq :, robot.nq :]
    found = criterion(robot, state, other)
    assert found.value == pytest.approx(free @ M @ free, rel=1e-9)
    assert not found.holds


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("seed", range(3))
def test_the_limit_gives_back_the_efforts_that_made_the_motion(name, seed):
    """The plant moves freely under constant efforts; its jerk, by differences of its flow, gives these efforts back."""
    robot, place = singular(name)
    state, tau = moving(robot, place, seed)
    n, h = robot.nq, 1e-4

    def slope(y):
        now = State(y[:n], y[n : 2 * n], y[2 * n : 3 * n], y[3 * n :])
        return np.concatenate([y[2 * n :], accelerations(robot, now, tau)])

    def after(y, step):
        a = slope(y)
        b = slope(y + step / 2 * a)
        c = slope(y + step / 2 * b)
        return y + step / 6 * (a + 2 * b + 2 * c + slope(y + step * c))

    y = np.concatenate([state.z, state.z_dot])
    far, near = (slope(after(y, k * h)) - slope(after(y, -k * h)) for k in (2, 1))
    now, jerk = slope(y)[2 * n :], ((8 * near - far) / (12 * h))[2 * n :]
    course = Course(state.q, state.x, state.q_dot, state.x_dot, now[:n], now[n:], jerk[:n], jerk[n:])
    got, lam = effort_limit(robot, course)
    size = np.abs(tau).max() + np.abs(lam).max()
    np.testing.assert_allclose(got, tau, rtol=0, atol=1e-7 * size)  # differences: rounding over h = 1e-4
    np.testing.assert_allclose(lam, cc.forward_dynamics(robot, state, tau).lam, rtol=0, atol=1e-7 * size)


def test_the_limit_on_the_reference_crossing():
    """TRUTH.md §3.3: τ(t_s) = (0.0442350203568608, −0.569500500024304), from 60 digits."""
    robot = cc.load("biglide")
    planned = motion.cross(robot, [0.0, 0.3], [-0.1, -0.15], 6.0, working="++", end_working="-+")
    tau, _ = effort_limit(robot, planned.whole(np.array([TRUTH["ts"]]))[0])
    np.testing.assert_allclose(tau, AT_TYPE_2["tau"], rtol=0, atol=1e-10)


def test_inverse_dynamics_through_type_2_on_a_feasible_line():
    """Case P12: quintic from (−0.05, 0.2) to (0.05, 0.4) in 1 s, l = 0.2828427 m, feet in mode (−, +)."""
    robot = cc.load("biglide:lab")
    way = output_way(robot, cc.quintic([-0.05, 0.2], [0.05, 0.4], 1.0), "-+")
    (t_s,) = type_2_instants(robot, way, np.linspace(0, 1, 101))
    assert t_s == pytest.approx(0.5, abs=1e-12)
    got = efforts_along(robot, way, np.array([0.25, 0.499, 0.5, 0.501]), instants=[t_s])
    np.testing.assert_allclose(got[0], [8.463886546389082, -3.93120543025777], rtol=1e-8)
    np.testing.assert_allclose(got[1], [6.861417834590018, -6.835440429609365], rtol=1e-6)
    np.testing.assert_allclose(got[2], [6.84843659117, -6.84843659117], rtol=1e-11)  # as many digits as are printed
    np.testing.assert_allclose(got[3], [6.835440429609365, -6.861417834590018], rtol=1e-6)
    grid = efforts_along(robot, way, np.arange(1001) / 1000, instants=[t_s])
    assert np.abs(grid).max() == pytest.approx(8.5688393, rel=2e-8)  # printed with eight digits


def test_beside_type_2_the_efforts_are_continuous_to_nine_digits():
    """From a microsecond to 0.1 ms off t_s: the parabola from the limit meets the direct computation."""
    robot = cc.load("biglide:lab")
    way = output_way(robot, cc.quintic([-0.05, 0.2], [0.05, 0.4], 1.0), "-+")
    for side in (-1, 1):
        off = side * np.array([1e-6, 1e-5, 9e-5])
        with_limit = efforts_along(robot, way, 0.5 + off, instants=[0.5])
        direct = efforts_along(robot, way, 0.5 + off)
        np.testing.assert_allclose(with_limit, direct, rtol=0, atol=2e-8)  # direct loses 1e-15/1e-6 s of ~20 N


def test_away_from_type_2_there_is_no_criterion():
    """A regular pose is refused, with how regular it is."""
    robot = cc.load("biglide")
    with pytest.raises(BadInput, match="no Type 2 singularity"):
        criterion(robot, cc.state(robot, x=[0.05, 0.3], working="++"), np.zeros(4))


def test_a_motion_that_breaks_the_criterion_has_no_limit():
    """The error names push, direction and growth."""
    robot = cc.load("biglide")
    planned = motion.cross(robot, [0.0, 0.3], [-0.1, -0.15], 6.0, working="++", end_working="-+", push=0.1)
    with pytest.raises(NoSolution, match="efforts grow as"):
        effort_limit(robot, planned.whole(np.array(planned.type_2))[0])
