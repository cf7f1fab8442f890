"""Forces at the bars' joints: Newton and Euler for each bar, and balance at each free joint."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.describe import Bar, Free, Mechanism, Recipe, Slider
from closedchain.describe.expressions import expr
from closedchain.describe.files import loads
from closedchain.describe.writing import dumps
from closedchain.model.model import Model
from closedchain.model.reactions import closure_forces, joint_forces
from closedchain.model.sampling import sample

GRAVITY = np.array([0.0, -9.81])


@pytest.fixture
def moving_fourbar():
    """A four-bar with heavy bars in 50 random motions."""
    robot = cc.load("fourbar")
    state = sample(robot, 50, seed=3)
    motion = cc.forward_dynamics(robot, state, np.linspace(-1, 1, 50)[:, None])
    return robot, state, motion


def ends_of(robot, state, motion):
    """Positions and accelerations of the crank's tip and of C, by hand: r (cos q, sin q) and its second derivative."""
    q, w, alpha = state.q[:, 0], state.q_dot[:, 0], motion.q_ddot[:, 0]
    a = robot.values["a"]
    out, across = np.stack([np.cos(q), np.sin(q)], -1), np.stack([-np.sin(q), np.cos(q)], -1)
    tip, tip_ddot = a * out, a * (alpha[:, None] * across - (w**2)[:, None] * out)
    return tip, tip_ddot, state.x, motion.x_ddot


def cross(u, v):
    """The plane's cross product."""
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def test_a_bars_forces_obey_newton_and_euler(moving_fourbar):
    """m a_c is the weight less what the bar gives away at its ends; so is I α about its centre (a uniform rod)."""
    robot, state, motion = moving_fourbar
    A, A_ddot, C, C_ddot = ends_of(robot, state, motion)
    coupler = joint_forces(robot, state, motion)["A-C"]
    m, l = robot.values["m_b"], robot.values["b"]
    np.testing.assert_allclose(m * (A_ddot + C_ddot) / 2, m * GRAVITY - coupler.on_a - coupler.on_b, atol=1e-11)
    alpha = cross(C - A, C_ddot - A_ddot) / l**2
    np.testing.assert_allclose(m * l**2 / 12 * alpha, cross((C - A) / 2, coupler.on_a - coupler.on_b), atol=1e-11)


def test_forces_at_a_massless_joint_cancel(moving_fourbar):
    """C has no mass: what the coupler gives it, the rocker takes."""
    robot, state, motion = moving_fourbar
    forces = joint_forces(robot, state, motion)
    np.testing.assert_allclose(forces["A-C"].on_b + forces["D-C"].on_b, 0.0, atol=1e-11)


def test_massless_bars_move_the_tip_of_the_biglide():
    """m_p x_ddot is the sum of what the two bars give, and each acts along itself with its tension."""
    robot = cc.load("biglide")
    state = sample(robot, 20, seed=1)
    motion = cc.forward_dynamics(robot, state, np.ones((20, 2)))
    forces = joint_forces(robot, state, motion)
    total = forces["A1-C"].on_b + forces["A2-C"].on_b
    np.testing.assert_allclose(total, 3.0 * motion.x_ddot, rtol=1e-10, atol=1e-11)
    tension = closure_forces(robot, state, motion.lam)["A1-C"]
    foot = np.stack([np.full(20, -0.2), state.q[:, 0]], -1)
    along = (state.x - foot) / 0.3606
    np.testing.assert_allclose(forces["A1-C"].on_a, tension[:, None] * along, rtol=1e-10, atol=1e-11)


def test_springs_and_dampers_on_a_bars_angle_twist_it():
    """C has no mass, so what coupler and rocker give it still cancels; Euler's law of the coupler has their torque."""
    text = dumps(cc.load("fourbar").recipe)
    text += """
[[springs]]
angle = "coupler"
stiffness = 0.7
rest = 0.2

[[dampers]]
angle = "coupler"
damping = 0.05

[[dampers]]
angle = "rocker"
damping = 0.03
"""
    robot = Model(loads(text))
    state = sample(robot, 50, seed=4)
    motion = cc.forward_dynamics(robot, state, np.linspace(-1, 1, 50)[:, None])
    forces = joint_forces(robot, state, motion)
    np.testing.assert_allclose(forces["A-C"].on_b + forces["D-C"].on_b, 0.0, atol=1e-10)
    A, A_ddot, C, C_ddot = ends_of(robot, state, motion)
    m, l, coupler = robot.values["m_b"], robot.values["b"], forces["A-C"]
    across, tip = np.stack([-np.sin(state.q[:, 0]), np.cos(state.q[:, 0])], -1), state.q_dot * robot.values["a"]
    rate = cross(C - A, state.x_dot - tip * across) / l**2
    angle = np.arctan2(*(C - A).T[::-1])
    torque = -0.05 * rate - 0.7 * ((angle - 0.2 + np.pi) % (2 * np.pi) - np.pi)
    spin = m * l**2 / 12 * cross(C - A, C_ddot - A_ddot) / l**2
    np.testing.assert_allclose(spin, cross((C - A) / 2, coupler.on_a - coupler.on_b) + torque, atol=1e-10)


def test_a_mass_on_the_foot_and_the_same_mass_on_the_bars_end_load_the_joint_differently():
    """Their energies are one formula. Under the foot's own mass the joint carries less: along the rail by m q̈1."""
    forces, motions = [], []
    for foot, bar in ((expr(2.0) * expr(1.0) ** 2, 0.0), (0.0, 2.0)):
        A1, A2 = Slider("q1", at=(-0.2, 0), along=(0, 1), mass=foot), Slider("q2", at=(0.2, 0), along=(0, 1))
        C = Free("C", mass=3.0)
        bars = (Bar(A1, C, 0.36, mass=bar, centre=0.0, inertia=0.0), Bar(A2, C, 0.36))
        robot = cc.load(Recipe(Mechanism("feet", drives=(A1, A2), bars=bars, output=C)))
        state = cc.state(robot, x=[0.03, 0.3])
        motions.append(cc.forward_dynamics(robot, state, np.array([1.0, 2.0])))
        forces.append(next(iter(joint_forces(robot, state, motions[-1]).values())).on_a)
    np.testing.assert_allclose(motions[0].q_ddot, motions[1].q_ddot, rtol=1e-12)
    np.testing.assert_allclose(forces[0] - forces[1], [0.0, 2.0 * motions[0].q_ddot[0]], rtol=1e-12, atol=1e-13)
