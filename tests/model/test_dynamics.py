"""Dynamics against hand statics, the reduced form, power, and published machines."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import closedchain as cc
from closedchain.describe import Bar, Crank, Fixed, Free, Mechanism, Rail, Recipe, Slider
from closedchain.errors import BadInput, NoSolution, Singular
from closedchain.model.dynamics import efforts_and_multipliers, full_accelerations, motor_efforts, motor_voltages, terms
from closedchain.model.reactions import closure_forces
from closedchain.model.sampling import sample
from closedchain.model.state import State

d, l = 0.4, 0.3606
S = np.sqrt(4 * l**2 - d**2)


def state_of(now):
    """The plain state of an evaluation."""
    return State(now.q, now.x, now.q_dot, now.x_dot)


# The reduced form ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["biglide", "fivebar", "fourbar", "triplate", "rrr3", "rpr3", "delta"])
def test_the_reduced_model_is_the_projection_of_the_whole(name):
    """M = TᵀM_zT with T = [I; J], c = Tᵀ(M_z (0, b) + h_z), τ = M q̈ + c, all by NumPy from M_z, h_z, A, B."""
    robot = cc.load(name)
    s = sample(robot, 50, seed=8, margin=0.05)
    q_ddot = np.random.default_rng(2).standard_normal(s.q.shape)
    made = robot.call("evaluate", q=s.q, x=s.x, q_dot=s.q_dot, q_ddot=q_ddot)
    whole = terms(robot, s)
    for i in range(50):
        J = -np.linalg.solve(made["A"][i], made["B"][i])
        b = -np.linalg.solve(made["A"][i], made["A_dot"][i] @ s.x_dot[i] + made["B_dot"][i] @ s.q_dot[i])
        T = np.vstack([np.eye(robot.nq), J])
        M = T.T @ whole.M_z[i] @ T
        c = T.T @ (whole.M_z[i] @ np.concatenate([np.zeros(robot.nq), b]) + whole.h_z[i])
        size = np.abs(M).max()
        np.testing.assert_allclose(made["M"][i], M, rtol=1e-10, atol=1e-12 * size)
        load = np.abs(c).max() + np.abs(M @ q_ddot[i]).max()
        np.testing.assert_allclose(made["c"][i], c, rtol=0, atol=1e-11 * load)
        np.testing.assert_allclose(made["tau"][i], M @ q_ddot[i] + c, rtol=0, atol=1e-11 * load)


def test_the_biglides_mass_matrix_by_hand(biglide):
    """M = m_f I + m_p JᵀJ and c = m_p Jᵀ b (seeds 000 and 001, as corrected)."""
    made = cc.evaluate(biglide, q=[0.1, 0.02], q_dot=[0.3, -0.2], q_ddot=[1.0, -0.5])
    np.testing.assert_allclose(made.M, np.eye(2) + 3 * made.J.T @ made.J, rtol=1e-14)
    np.testing.assert_allclose(made.c, 3 * made.J.T @ made.b, rtol=1e-14)
    np.testing.assert_allclose(made.tau, [1.792154217, -3.214346353], rtol=0, atol=5e-10)  # TRUTH.md §1, printed digits


@pytest.mark.parametrize("name", ["biglide", "fivebar", "fourbar", "triplate", "delta", "furuta"])
def test_motor_power_is_the_rate_of_energy(name):
    """E(t ± h) along the solved motion, by differences of the energy alone: τ·q̇ = dE/dt + dissipation."""
    robot = cc.load(name)
    s = sample(robot, 50, seed=9, margin=0.1)
    tau = np.random.default_rng(3).standard_normal((50, len(robot.driven)))
    motion = cc.forward_dynamics(robot, s, tau)
    h = 1e-5
    energies = []
    for k in (-1, 1):
        q = s.q + k * h * s.q_dot + h**2 / 2 * motion.q_ddot
        x = s.x + k * h * s.x_dot + h**2 / 2 * motion.x_ddot
        moved = State(q, x, s.q_dot + k * h * motion.q_ddot, s.x_dot + k * h * motion.x_ddot)
        energies.append(cc.energy(robot, moved).total)
    rate = (energies[1] - energies[0]) / (2 * h)
    now = cc.energy(robot, s)
    power = np.sum(tau * s.q_dot[:, list(robot.driven)], axis=-1)
    size = 1 + np.abs(power) + np.abs(now.total) + np.abs(motion.q_ddot).max(axis=-1) ** 2
    assert (np.abs(rate + now.dissipated - power) / size).max() < 1e-6  # h² and 1e-16 / h


# Multipliers ---------------------------------------------------------------------------------------------------------


def hung_biglide():
    """The biglide in a vertical plane: gravity along −y."""
    A1 = Slider("q1", at=(-0.2, 0), along=(0, 1), mass=1.0, point="A1")
    A2 = Slider("q2", at=(0.2, 0), along=(0, 1), mass=1.0, point="A2")
    C = Free("C", mass=3.0)
    bars = (Bar(A1, C, l), Bar(A2, C, l))
    return cc.load(Recipe(Mechanism("hung", drives=(A1, A2), bars=bars, output=C, gravity=(0, -9.81))))


@pytest.mark.parametrize("assembly, sign", [("-", 1.0), ("+", -1.0)])
def test_multipliers_are_the_forces_in_the_bars(assembly, sign):
    """Hung below two level feet, each bar pulls with m g / (2 cos α); standing above them, it pushes as much."""
    robot = hung_biglide()
    state = cc.state(robot, q=[0.0, 0.0], assembly=assembly)
    tau, lam = efforts_and_multipliers(robot, state, [0.0, 0.0])
    cosine = np.sqrt(l**2 - 0.2**2) / l
    tension = sign * 3.0 * 9.81 / (2 * cosine)
    forces = closure_forces(robot, state, lam)
    np.testing.assert_allclose([forces["A1-C"], forces["A2-C"]], [tension, tension], rtol=1e-14)
    np.testing.assert_allclose(tau, [9.81 * (1.0 + 1.5)] * 2, rtol=1e-14)  # each foot holds itself and half the tip


def test_a_rails_multiplier_is_its_force():
    """A slider-crank with a heavy piston: the rail carries the piston's weight when the rod is level and at rest."""
    A, C, O = Crank("q1", about=(0, 0), radius=0.05, point="A"), Free("C", mass=0.5), Fixed("O", at=(0, 0))
    rails = (Rail(C, O, along=(1, 0), name="rail"),)
    mechanism = Mechanism("engine", drives=(A,), bars=(Bar(A, C, 0.15),), rails=rails, output=C, gravity=(0, -9.81))
    robot = cc.load(Recipe(mechanism))
    state = cc.state(robot, q=[0.0], x=[0.2, 0.0])
    tau, lam = efforts_and_multipliers(robot, state, [0.0])
    np.testing.assert_allclose(closure_forces(robot, state, lam)["rail"], 0.5 * 9.81, rtol=1e-14)
    np.testing.assert_allclose(tau, [0.0], atol=1e-15)


def test_closing_forces_do_no_work(rrr3):
    """λᵀ Φ ż = 0 on every allowed motion; Φᵀλ is what M z̈ + h lacks of the efforts."""
    s = sample(rrr3, 50, seed=4, margin=0.05)
    motion = cc.forward_dynamics(rrr3, s, np.ones((50, 3)))
    made = rrr3.call("closures", q=s.q, x=s.x)
    Phi = np.concatenate([made["B"], made["A"]], axis=-1)
    force = np.einsum("kij,ki->kj", Phi, motion.lam)
    whole = terms(rrr3, s)
    z_ddot = np.concatenate([motion.q_ddot, motion.x_ddot], axis=-1)
    efforts = np.concatenate([np.ones((50, 3)), np.zeros((50, 3))], axis=-1)
    left = np.einsum("kij,kj->ki", whole.M_z, z_ddot) + whole.h_z - efforts
    assert np.abs(left - force).max() < 1e-11 * np.abs(force).max()
    assert np.abs(np.sum(force * s.z_dot, axis=-1)).max() < 1e-12 * np.abs(force * s.z_dot).sum(axis=-1).max()


# Singular and degenerate ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tau", [(0.0, 0.0), (50.0, -20.0), (1.0, 3.0)])
def test_at_type_2_forward_dynamics_is_finite_and_obeys_the_criterion(biglide, tau):
    """TRUTH.md §3.1: with the bars in one line, t_s·ẍ = 0 for any effort and velocity, t_s = (D, d) / 2l."""
    q, x = np.array([S / 2, -S / 2]), np.array([0.0, 0.0])
    made = biglide.call("closures", q=q, x=x)
    Phi = np.hstack([made["B"], made["A"]])
    null = np.linalg.svd(Phi)[2][2:]  # the motions that the closures allow
    z_dot = np.array([0.7, -0.4]) @ null
    motion = cc.forward_dynamics(biglide, State(q, x, z_dot[:2], z_dot[2:]), tau)
    assert np.isfinite(np.concatenate([motion.q_ddot, motion.x_ddot, motion.lam])).all()
    along = np.array([S, d]) / (2 * l) @ motion.x_ddot
    assert abs(along) < 1e-14 * (1 + np.abs(tau).max())
    assert np.abs(motion.q_ddot).max() > 1e-3  # the rest does move


def test_at_type_2_inverse_dynamics_does_not_exist(biglide):
    """The reduced form divides by A: refused with the margin, not a huge number."""
    state = cc.state(biglide, q=[S / 2, -S / 2], x=[0.0, 0.0])
    with pytest.raises(Singular, match="Type 2"):
        cc.inverse_dynamics(biglide, state, [0.0, 0.0])


def test_a_robot_without_any_mass_has_no_forward_dynamics():
    """Nothing resists: one clear error, no infinity."""
    robot = cc.load("biglide", m_p=0.0, m_f=0.0)
    with pytest.raises(Singular, match="give every motion a mass"):
        cc.forward_dynamics(robot, cc.state(robot, q=[0.1, 0.02]), [1.0, 2.0])


def test_one_bad_element_of_a_batch_is_reported_not_returned(biglide):
    """A batch with a Type 2 element: inverse dynamics raises rather than hand out a row of garbage."""
    q = np.array([[0.1, 0.02], [S / 2, -S / 2]])
    x = np.array([cc.direct(biglide, q[0])["+"].x, [0.0, 0.0]])
    with pytest.raises(Singular):
        cc.inverse_dynamics(biglide, State(q, x, 0 * q, 0 * x), np.zeros((2, 2)))


# Furuta --------------------------------------------------------------------------------------------------------------


def test_p08_cazzolato_and_primes_pendulum(cases, expected):
    """Case P08: M, accelerations and energy at a point; their θ2 = 0 hangs."""
    robot = cc.load("furuta:cazzolato-prime")
    q1, q2, w1, w2 = cases["P08"]["input"]["point"]["state"]
    made = cc.evaluate(robot, q=[q1, q2], q_dot=[w1, w2], tau=[cases["P08"]["input"]["point"]["tau"]])
    np.testing.assert_allclose(made.M, expected("P08", "M"), rtol=1e-12)
    np.testing.assert_allclose(made.q_ddot, expected("P08", "acc"), rtol=1e-12)
    np.testing.assert_allclose(made.kinetic + made.potential, expected("P08", "energy"), rtol=1e-12)


def test_p08_four_seconds_of_a_torque_step(expected):
    """Case P08: forward dynamics integrated by SciPy from rest with 0.2 N m; the case asks 1e-6 at 4 s."""
    robot = cc.load("furuta:cazzolato-prime")
    nothing = np.zeros(0)

    def motion(t, y):
        return np.concatenate([y[2:], cc.forward_dynamics(robot, State(y[:2], nothing, y[2:], nothing), [0.2]).q_ddot])

    run = solve_ivp(motion, (0, 4), np.zeros(4), method="DOP853", rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(run.y[:, -1], expected("P08", "x(4)"), rtol=0, atol=1e-6)


def test_a_voltage_drives_through_back_emf_and_gearbox(furuta):
    """τ = k_r k_t (u − k_v k_r q̇1) / R_a, typed here with the seed's numbers, and its inverse."""
    q_dot = np.array([2.0, -1.0])
    want = 70 * 0.00767 * (5.0 - 0.00767 * 70 * 2.0) / 2.6
    np.testing.assert_allclose(motor_efforts(furuta, [5.0], q_dot), [want], rtol=1e-14)
    np.testing.assert_allclose(motor_voltages(furuta, [want], q_dot), [5.0], rtol=1e-14)
    made = cc.evaluate(furuta, q=[0.1, 0.2], q_dot=q_dot, voltage=[5.0])
    np.testing.assert_allclose(made.tau, [want], rtol=1e-12)
    np.testing.assert_allclose(made.voltage, [5.0], rtol=1e-12)


def test_inverse_dynamics_of_the_driven_coordinate_lets_the_other_follow(furuta):
    """With q̈1 alone given, q̈2 solves its own row of M q̈ + c = 0: forward dynamics gives both back."""
    state = cc.state(furuta, q=[0.1, 0.2], q_dot=[1.0, 2.0])
    tau = cc.inverse_dynamics(furuta, state, [1.5])
    motion = cc.forward_dynamics(furuta, state, tau)
    np.testing.assert_allclose(motion.q_ddot[0], 1.5, rtol=1e-13)
    whole = terms(furuta, state)
    second = whole.M_z[1] @ motion.q_ddot + whole.h_z[1]
    np.testing.assert_allclose(second, 0.0, atol=1e-15)


def test_an_effort_where_nothing_drives_is_refused(furuta):
    """A pair of accelerations that the pendulum's own equation does not allow."""
    state = cc.state(furuta, q=[0.1, 0.2], q_dot=[1.0, 2.0])
    with pytest.raises(NoSolution, match="nothing drives q2"):
        cc.inverse_dynamics(furuta, state, [1.0, 0.0])


def test_a_voltage_needs_a_motor(biglide):
    """The biglide has none; the pendulum of Cazzolato and Prime is given without one."""
    with pytest.raises(BadInput, match="no motor"):
        cc.evaluate(biglide, q=[0.1, 0.02], voltage=[1.0, 1.0])
    with pytest.raises(BadInput, match="no motor is known"):
        cc.evaluate(cc.load("furuta:cazzolato-prime"), q=[0.1, 0.2], voltage=[1.0])


def test_many_driven_accelerations_at_one_state_leave_the_pendulum_free(furuta):
    """q̈₂ of each from the second row at that state, M₂₁ q̈₁ + M₂₂ q̈₂ + h₂ = 0, in any batch."""
    at = cc.state(furuta, q=[0.2, 0.7], q_dot=[1.0, -2.0])
    still = cc.evaluate(furuta, q=at.q, q_dot=at.q_dot, tau=[0.0])
    driven = np.linspace(-3.0, 3.0, 10).reshape(5, 2, 1)
    found = full_accelerations(furuta, at, driven)
    assert found.shape == (5, 2, 2)
    np.testing.assert_array_equal(found[..., :1], driven)
    free = -(still.M[1, 0] * driven[..., 0] + still.c[1]) / still.M[1, 1]
    np.testing.assert_allclose(found[..., 1], free, rtol=1e-13, atol=1e-13)
