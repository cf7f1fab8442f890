"""The shipped linkages: found by name, a family among them; the squeezer against its published equations."""

import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.control import Constant
from closedchain.describe.parameters import BadParameter
from closedchain.robots.linkages.squeezer import PUBLISHED_ZERO, published_angles
from closedchain.units import NAMES

DATA = json.loads((Path(__file__).parents[1] / "data" / "iftomm.json").read_text(encoding="utf-8"))["squeezer"]


def test_linkages_are_loaded_by_name_but_are_no_robots():
    """What holds for every robot is not asked of them."""
    planar = {"pendulum", "nfourbar", "cartpole", "squeezer", "rrr4"}
    assert set(robots.linkage_names()) == planar | {"bennett", "bricard", "sarrus", "governor"}
    assert not set(robots.linkage_names()) & set(robots.names())
    for name in robots.linkage_names():
        assert cc.load(name).recipe.name == name


@pytest.mark.parametrize("name", robots.linkage_names())
def test_every_parameter_has_a_unit_and_a_source(name):
    """As for robots."""
    recipe = robots.find(name)
    assert recipe.description.about
    for parameter in recipe.description.parameters:
        assert parameter.source, parameter.name
        assert parameter.unit in {"", *NAMES}, parameter.name


@pytest.mark.parametrize("N", [1, 7, 40])
def test_a_family_has_a_member_for_each_size(N):
    """2 N + 2 coordinates, 2 N + 1 closures; its name leads back to it."""
    chain = cc.load(f"nfourbar:{N}")
    assert (chain.nx, len(chain.equations.closures)) == (2 * N + 2, 2 * N + 1)
    assert cc.load(chain.name).equations.key == chain.equations.key


@pytest.mark.parametrize("size", ["0", "201", "two", "-1", "²"])
def test_a_family_refuses_other_sizes(size):
    """With what to write."""
    with pytest.raises(BadParameter, match="write nfourbar:2, or another whole number from 1 to 200"):
        cc.load(f"nfourbar:{size}")


def start():
    """The published start: the assembly whose points are those of the published angles."""
    model = cc.load("squeezer")
    v = model.values
    _, _, g, _, d, _, e = DATA["q_0"]
    A, B = np.array([v["xa"], v["ya"]]), np.array([v["xb"], v["yb"]])
    E = B + v["ss"] * np.array([np.sin(g), -np.cos(g)])
    G = A + v["zt"] * np.array([np.cos(d), np.sin(d)])
    H = A + v["u"] * np.array([np.sin(e), -np.cos(e)])
    D = B + v["sd"] * np.array([np.cos(g), np.sin(g)]) + v["sc"] * np.array([np.sin(g), -np.cos(g)])
    return model, cc.state(model, q=[DATA["q_0"][0]], x=np.concatenate([E, G, H, D]))


def published_mass(model, theta, phi, Omega):
    """M of Hairer and Wanner II, p. 533, in β, Θ, γ, φ, δ, Ω, ε."""
    v = model.values
    m, inertia = ([v[f"{letter}_{i}"] for i in range(1, 8)] for letter in "mI")
    M = np.zeros((7, 7))
    M[0, 0] = m[0] * v["ra"] ** 2 + m[1] * (v["rr"] ** 2 - 2 * v["da"] * v["rr"] * np.cos(theta) + v["da"] ** 2)
    M[0, 0] += inertia[0] + inertia[1]
    M[1, 0] = m[1] * (v["da"] ** 2 - v["da"] * v["rr"] * np.cos(theta)) + inertia[1]
    M[1, 1] = m[1] * v["da"] ** 2 + inertia[1]
    M[2, 2] = m[2] * (v["sa"] ** 2 + v["sb"] ** 2) + inertia[2]
    r = v["e"] - v["ea"]
    M[3, 3] = m[3] * r**2 + inertia[3]
    M[4, 3] = m[3] * (r**2 + v["zt"] * r * np.sin(phi)) + inertia[3]
    M[4, 4] = m[3] * (v["zt"] ** 2 + 2 * v["zt"] * r * np.sin(phi) + r**2) + inertia[3] + inertia[4]
    M[4, 4] += m[4] * (v["ta"] ** 2 + v["tb"] ** 2)
    r = v["zf"] - v["fa"]
    M[5, 5] = m[5] * r**2 + inertia[5]
    M[6, 5] = m[5] * (r**2 - v["u"] * r * np.sin(Omega)) + inertia[5]
    M[6, 6] = m[5] * (r**2 - 2 * v["u"] * r * np.sin(Omega) + v["u"] ** 2) + inertia[5] + inertia[6]
    M[6, 6] += m[6] * (v["ua"] ** 2 + v["ub"] ** 2)
    return M + np.tril(M, -1).T


def test_the_squeezer_of_points_and_bars_has_the_published_energy():
    """T = ½ v M v of the seven bodies, at four crank angles: 1e-13 of itself, rounding."""
    model, begin = start()
    for k in range(4):
        pose = begin if k == 0 else cc.state(model, q=begin.q + 0.4 * k, assembly="-2")
        moving = cc.state(model, q=pose.q, x=pose.x, q_dot=[300.0])
        rates = {"q": moving.q, "x": moving.x, "q_dot": moving.q_dot, "x_dot": moving.x_dot, "z_ddot": np.zeros(9)}
        made = model.call("readings", **rates)
        v = published_angles(moving.q_dot[0], made["passive_dot"])
        angles = published_angles(moving.q[0], made["passive"]) + PUBLISHED_ZERO
        M = published_mass(model, angles[1], angles[3], angles[5])
        assert float(cc.energy(model, moving).kinetic) == pytest.approx(v @ M @ v / 2, rel=1e-12)


def test_the_published_angles_place_the_points_by_the_published_formulas():
    """The IVP Test Set's own three ways from O, B and A to E, with the angles as the docstring says to count them."""
    model, begin = start()
    still = {"q": begin.q, "x": begin.x, "q_dot": begin.q_dot, "x_dot": begin.x_dot, "z_ddot": np.zeros(9)}
    passive = model.call("readings", **still)["passive"]
    beta, Theta, gamma, phi, delta, Omega, eps = published_angles(begin.q[0], passive) + PUBLISHED_ZERO
    v, sin, cos = model.values, np.sin, np.cos
    E = begin.x[:2]
    ways = {
        "B": (v["xb"] + v["ss"] * sin(gamma), v["yb"] - v["ss"] * cos(gamma)),
        "O": (v["rr"] * cos(beta) - v["d"] * cos(beta + Theta), v["rr"] * sin(beta) - v["d"] * sin(beta + Theta)),
        "G": (
            v["xa"] + v["zt"] * cos(delta) + v["e"] * sin(phi + delta),
            v["ya"] + v["zt"] * sin(delta) - v["e"] * cos(phi + delta),
        ),
        "H": (
            v["xa"] + v["u"] * sin(eps) + v["zf"] * cos(Omega + eps),
            v["ya"] - v["u"] * cos(eps) + v["zf"] * sin(Omega + eps),
        ),
    }
    for way in ways.values():
        np.testing.assert_allclose(way, E, rtol=0, atol=1e-15)  # of 0.1 m: rounding
    words = " ".join(str(published_angles.__doc__).split())
    assert "π/2 is to be added to γ, φ and ε and taken from Ω" in words


def test_the_squeezer_starts_with_the_published_acceleration():
    """β̈(0) to 13 digits."""
    model, begin = start()
    motion = cc.forward_dynamics(model, begin, [0.033])
    assert float(motion.q_ddot[0]) == pytest.approx(DATA["beta_ddot_0"], rel=1e-13)


def test_the_squeezer_ends_with_the_published_angles_and_velocities():
    """P09 asks 1e-8 of angles and 1e-6 of velocities; here 1e-12 and 1e-10 hold, against a quadrature of 25 digits."""
    model, begin = start()
    run = cc.simulate(model, Constant(0.033), start=begin, duration=0.03, interval=1e-5, step=1e-5, method="rk6")
    rates = {"q": run.q, "x": run.x, "q_dot": run.q_dot, "x_dot": run.x_dot, "z_ddot": np.zeros((len(run.t), 9))}
    made = model.call("readings", **rates)
    angles = published_angles(run.q[:, 0], np.unwrap(made["passive"], axis=0))[-1] + PUBLISHED_ZERO
    np.testing.assert_allclose(angles, [float(v) for v in DATA["q"]], rtol=1e-12, atol=1e-12)
    v = published_angles(run.q_dot[:, 0], made["passive_dot"])[-1]
    np.testing.assert_allclose(v, [float(v) for v in DATA["v"]], rtol=1e-10)
    assert run.summary["closure_residual"] < 1e-10
    assert run.summary["energy_residual"] < 1e-7


def test_bennetts_linkage_moves_as_he_found():
    """tan(θ1/2) tan(θ2/2) = sin((β + α)/2) / sin((β − α)/2), θ3 = −θ1, while it swings; by counting it is rigid."""
    linkage = cc.load("bennett")
    told = cc.analyse(linkage, cc.state(linkage))
    assert (told.mobility, told.grubler) == (1, -2)
    run = cc.simulate(linkage, duration=1.0, interval=1e-3, method="rk6")
    v, (sines, cosines) = linkage.values, (np.sin(run.x / 2), np.cos(run.x / 2))
    wanted = np.sin((v["beta"] + v["alpha"]) / 2) / np.sin((v["beta"] - v["alpha"]) / 2)
    assert np.ptp(run.x[:, 0]) > 0.7
    np.testing.assert_allclose(sines[:, 0] * sines[:, 1], wanted * cosines[:, 0] * cosines[:, 1], atol=1e-12)
    np.testing.assert_allclose(run.x[:, 2], -run.x[:, 0], atol=1e-12)


def test_sarrus_plate_falls_straight():
    """Level, and as one whose leaves lean alike on both legs, from where it stands."""
    linkage = cc.load("sarrus")
    told = cc.analyse(linkage, cc.state(linkage))
    assert (told.mobility, told.grubler) == (1, 0)
    run = cc.simulate(linkage, duration=0.2, interval=1e-4, method="rk6")
    a1, a2, a3, b1, b2 = run.x.T
    assert np.ptp(a1) > 0.1
    np.testing.assert_allclose(a1 + a2 + a3, 0.0, atol=1e-12)
    np.testing.assert_allclose(a2 + 2 * a1, 0.0, atol=1e-12)
    np.testing.assert_allclose([b1, b2], [-a1, -a2], atol=1e-12)


def test_bricards_linkage_has_one_freedom_where_counting_says_none():
    """Of the last hinge's five conditions four are independent; three more pin the output."""
    linkage = cc.load("bricard")
    told = cc.analyse(linkage, cc.state(linkage))
    assert (told.mobility, told.grubler, told.rank) == (1, 0, 7)


def test_the_governor_has_the_published_energy_and_angular_momentum():
    """E(0) = 238.8854504415 J, L_z = 53.868998658418 kg m²/s, which is 2 T / ω while only the shaft turns."""
    governor = cc.load("governor")
    state = cc.state(governor, x_dot={"theta": 2 * np.pi, "s": 0.0, "beta1": 0.0, "beta2": 0.0})
    energy = cc.energy(governor, state)
    assert energy.kinetic + energy.potential == pytest.approx(238.8854504415, abs=1e-10)
    assert 2 * energy.kinetic / (2 * np.pi) == pytest.approx(53.868998658418, abs=1e-12)


@pytest.mark.parametrize("name", ["bennett", "bricard", "sarrus", "governor", "rrr4"])
def test_the_laws_hold_for_linkages_of_bodies(name):
    """Closures, masses and energy at random states, some of whose closures others imply."""
    report = cc.check(cc.load(name), states=200)
    assert report.ok, str(report)
