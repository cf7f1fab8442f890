"""The derived equations against Euler and Lagrange by computer algebra, and forward dynamics against each other."""

import numpy as np
import pytest
import sympy as sp

import closedchain as cc
from closedchain.describe import Coordinate, Equations, Parameter, Recipe
from closedchain.model.dynamics import forward_dynamics, terms
from closedchain.model.sampling import sample


def euler_lagrange(T, V, names):
    """(z, ż) → (M_z, h_z) with M_z z̈ + h_z = d/dt ∂T/∂ż − ∂T/∂z + ∂V/∂z, and the symbols to make T and V of."""
    t = sp.Symbol("t")
    z = [sp.Function(name)(t) for name in names]
    z_dot = [sp.diff(f, t) for f in z]
    L = T(z, z_dot) - V(z)
    momenta = [sp.diff(L, r) for r in z_dot]
    whole = [sp.diff(p, t) - sp.diff(L, f) for p, f in zip(momenta, z, strict=True)]
    z_s, r_s, a_s = (sp.symbols(f"{mark}0:{len(z)}") for mark in "zra")
    places = [(sp.diff(f, t, 2), a) for f, a in zip(z, a_s, strict=True)]
    places += [(r, s) for r, s in zip(z_dot, r_s, strict=True)] + [(f, s) for f, s in zip(z, z_s, strict=True)]
    plain = sp.Matrix([e.subs(places) for e in whole])
    M = plain.jacobian(a_s)
    h = plain.subs([(a, 0) for a in a_s])
    return sp.lambdify([z_s, r_s], M, "numpy"), sp.lambdify([z_s, r_s], h, "numpy")


def biglide_energies(v):
    """Two feet and a tip."""
    kinetic = lambda z, r: v["m_f"] * (r[0] ** 2 + r[1] ** 2) / 2 + v["m_p"] * (r[2] ** 2 + r[3] ** 2) / 2  # noqa: E731 (a formula)
    return kinetic, lambda z: sp.Integer(0)


def fourbar_energies(v):
    """Uniform bars: m/6 (|a|² + a·b + |b|²) of the ends' velocities; weights at the middles."""

    def kinetic(z, r):
        tip = v["a"] * r[0] * sp.Matrix([-sp.sin(z[0]), sp.cos(z[0])])
        C = sp.Matrix(r[1:])
        coupler = v["m_b"] * (tip.dot(tip) + tip.dot(C) + C.dot(C)) / 6
        return v["m_a"] * tip.dot(tip) / 6 + coupler + v["m_c"] * C.dot(C) / 6

    def potential(z):
        tip = v["a"] * sp.sin(z[0])
        return v["g"] * (v["m_a"] * tip / 2 + v["m_b"] * (tip + z[2]) / 2 + v["m_c"] * z[2] / 2)

    return kinetic, potential


def furuta_energies(v):
    """The pendulum slice by slice: each slice's velocity squared, integrated along the rod."""
    s = sp.Symbol("s")

    def kinetic(z, r):
        t = sp.Symbol("t")
        q1, q2 = z
        out, side = sp.Matrix([sp.cos(q1), sp.sin(q1), 0]), sp.Matrix([-sp.sin(q1), sp.cos(q1), 0])
        place = v["L_1"] * out + s * (sp.sin(q2) * side + sp.cos(q2) * sp.Matrix([0, 0, 1]))
        velocity = sp.diff(place, t)
        rod = sp.integrate(sp.expand(velocity.dot(velocity)), (s, 0, v["L_2"])) * v["m_2"] / v["L_2"] / 2
        return v["J_1"] * r[0] ** 2 / 2 + rod

    return kinetic, lambda z: v["m_2"] * v["g"] * v["L_2"] / 2 * sp.cos(z[1])


ENERGIES = {"biglide": biglide_energies, "fourbar": fourbar_energies, "furuta": furuta_energies}


@pytest.mark.parametrize("name", ENERGIES)
def test_mass_and_bias_are_euler_and_lagrange(name):
    """M_z and h_z against SymPy's Euler–Lagrange on energies written by hand; friction is taken off h_z."""
    robot = cc.load(name)
    T, V = ENERGIES[name](robot.values)
    M, h = euler_lagrange(T, V, [c.name for c in robot.equations.z])
    states = sample(robot, 10, seed=4)
    got = terms(robot, states)
    for i in range(10):
        z, z_dot = states.z[i], states.z_dot[i]
        np.testing.assert_allclose(got.M_z[i], M(z, z_dot), rtol=1e-12, atol=1e-14)
        want = np.ravel(h(z, z_dot))
        np.testing.assert_allclose(got.h_z[i] - got.friction[i], want, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("name", ["fourbar", "rrr3", "triplate", "delta", "furuta"])
def test_christoffels_matrix_makes_mdot_minus_2c_skew(name):
    """Ṁ_z by differences along the motion; C_z ż with friction and gravity is h_z."""
    robot = cc.load(name)
    s = sample(robot, 20, seed=5)
    got = terms(robot, s)
    h = 1e-4
    mass = [
        robot.call("mass", q=z[:, : robot.nq], x=z[:, robot.nq :])["M_z"]
        for z in (s.z + h * s.z_dot, s.z - h * s.z_dot)
    ]
    M_dot = (mass[0] - mass[1]) / (2 * h)
    skew = M_dot - 2 * got.C_z
    size = 1 + np.abs(got.C_z).max()
    assert np.abs(skew + np.swapaxes(skew, -1, -2)).max() < 1e-5 * size  # h² of a second difference
    whole = np.einsum("kij,kj->ki", got.C_z, s.z_dot) + got.friction + got.gravity
    np.testing.assert_allclose(whole, got.h_z, rtol=1e-10, atol=1e-11 * size)


@pytest.mark.parametrize("name", ["biglide", "rrr3", "delta", "rpr3"])
def test_augmented_and_plain_forward_dynamics_agree(name):
    """M + ρ ΦᵀΦ gives the accelerations and multipliers that M gives, wherever M can be used at all."""
    robot = cc.load(name)
    assert not robot.massless
    s = sample(robot, 200, seed=6, margin=0.05)
    tau = np.random.default_rng(1).standard_normal((200, robot.nq))
    given = {"q": s.q, "x": s.x, "q_dot": s.q_dot, "x_dot": s.x_dot, "tau": tau}
    both = (robot.load("dynamics_programs", augmented) for augmented in (False, True))
    plain, augmented = (library.run("forward_dynamics", {"p": robot.p} | given) for library in both)
    for key in ("q_ddot", "x_ddot", "lam"):
        size = np.abs(plain[key]).max(axis=-1, keepdims=True)
        assert (np.abs(plain[key] - augmented[key]) / size).max() < 1e-10  # regularity 0.05: 1e-16 × 400 twice


def test_a_leg_without_mass_takes_the_augmented_form_by_itself():
    """The triplate's telescope weighs nothing, so M_z is singular: accelerations still obey power balance."""
    assert cc.load("triplate").massless
    report = cc.check(cc.load("triplate"), states=100)
    assert next(row for row in report.rows if row.law.startswith("power balance")).ok


def test_a_tip_without_mass_leaves_the_feet_alone():
    """m_p = 0: the bars carry nothing, so each foot is a free mass, q̈ = τ / m_f; the same by M with m_p = 1e-9."""
    robot = cc.load("biglide", m_p=0.0)
    assert robot.massless
    state = cc.state(robot, q=[0.1, 0.02], q_dot=[0.3, -0.2])
    motion = forward_dynamics(robot, state, [1.0, 2.0])
    np.testing.assert_allclose(motion.q_ddot, [1.0, 2.0], rtol=1e-14)
    np.testing.assert_allclose(motion.lam, [0, 0], atol=1e-14)
    light = robot.with_values(m_p=1e-9)
    assert not light.massless
    near = forward_dynamics(light, state, [1.0, 2.0])
    np.testing.assert_allclose(motion.x_ddot, near.x_ddot, rtol=1e-7)  # m_p / m_f = 1e-9 and J of size one


def test_feet_without_mass_are_driven_through_the_tip():
    """m_f = 0: τ = m_p Jᵀ ẍ alone, so the tip's acceleration is J⁻ᵀ τ / m_p."""
    robot = cc.load("biglide", m_f=0.0)
    state = cc.state(robot, q=[0.1, 0.02], q_dot=[0.3, -0.2])
    tau = np.array([1.0, 2.0])
    J = cc.evaluate(robot, q=[0.1, 0.02]).J
    np.testing.assert_allclose(forward_dynamics(robot, state, tau).x_ddot, np.linalg.solve(J.T, tau) / 3.0, rtol=1e-12)


def test_a_single_coordinate_without_closures_has_its_effort():
    """A mass on a line: tau = m q_ddot + k q, also where there is one coordinate and nothing to close."""
    q = Coordinate("q1", "m")
    m, k = Parameter(2.0, "kg", name="m"), Parameter(3.0, "N/m", name="k")
    energies = {"kinetic": m * q.rate**2 / 2, "potential": k * q.symbol**2 / 2}
    robot = cc.load(Recipe(Equations("lift", parameters=(m, k), q=(q,), driven=("q1",), **energies)))
    np.testing.assert_allclose(cc.evaluate(robot, q=[0.5], q_ddot=[4.0]).tau, [2.0 * 4.0 + 3.0 * 0.5], rtol=1e-15)
    np.testing.assert_allclose(cc.evaluate(robot, q=[0.5], tau=[9.5]).q_ddot, [4.0], rtol=1e-15)
