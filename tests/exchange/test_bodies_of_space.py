"""Robots with bodies of space as trees: how their legs hang, and that they fall as one computes by hand."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.exchange.from_mechanism import embed
from closedchain.model.dynamics import forward_dynamics
from closedchain.verify.bodies import bodies_of
from closedchain.verify.own_units import open_engine
from closedchain.verify.witness import project


def test_legs_that_planes_guide_hang_by_one_hinge_and_those_that_do_not_twist_by_two():
    """The 3-RPS needs no further rows; the 3-UPU's coplanar axes are one row at each leg's upper end."""
    rps3, upu3 = (embed(cc.load(name)).tree for name in ("rps3", "upu3"))
    assert [j.kind for j in rps3.joints] == ["free", *["hinge", "slide"] * 3]
    assert {loop.kind for loop in rps3.loops} == {"point"}
    assert [loop.kind for loop in upu3.loops] == ["point"] * 3 + ["incline"] * 3


def falling() -> float:
    """z̈ of the level platform of `gough`, released at rest: one freedom by symmetry, so d/dt ∂T/∂ż = −∂V/∂z."""
    base, tip, height, g = 1.0, 0.6, 1.2, 9.81
    level = base**2 + tip**2 - 2 * base * tip * np.cos(np.radians(40.0))  # of the leg from −10° to −50°, squared
    length = np.sqrt(level + height**2)
    across = 1.0 - (height / length) ** 2  # |u̇|² L² for ż = 1; u·ẑ grows by across / L
    lower = (2.0 * 0.3**2 + 0.06) * across / length**2
    upper = 1.0 * (1.0 - 2 * 0.3 * across / length + 0.3**2 * across / length**2) + 0.03 * across / length**2
    pull = 2.0 * 0.3 * across / length + 1.0 * (1.0 - 0.3 * across / length)
    return -g * (20.0 + 6 * pull) / (20.0 + 6 * (lower + upper))


def test_a_heavy_legged_platform_falls_faster_than_free_fall_by_hand():
    """z̈ = −10.0599402 m/s²: our forward dynamics, and all else is still."""
    assert falling() == pytest.approx(-10.0599402, abs=5e-8)
    gough = cc.load("gough")
    state = cc.state(gough, x=[0, 0, 1.2, 0, 0, 0])
    made = forward_dynamics(gough, state, np.zeros(6)).x_ddot
    np.testing.assert_allclose(made, [0, 0, falling(), 0, 0, 0], atol=1e-12)


@pytest.mark.parametrize("engine", ["mujoco", "pinocchio"])
def test_the_engines_let_it_fall_alike(engine):
    """The same from the engine's own M, h and loops; Pinocchio's solver has it, too, and MuJoCo's to a thousandth."""
    pytest.importorskip(engine)
    gough = cc.load("gough")
    bodies = bodies_of(gough, cc.state(gough, x=[0, 0, 1.2, 0, 0, 0]))
    made = open_engine(engine, bodies.tree, bodies.places)
    rest = np.zeros(bodies.tree.nv)
    look = made.look(made.configuration(rest), rest)
    p = project(bodies, look)
    q_ddot = np.linalg.solve(p.T.T @ look.M @ p.T, -p.T.T @ look.h)
    height = bodies.places.index("platform")
    assert (look.places_J[height] @ p.T @ q_ddot)[2] == pytest.approx(falling(), abs=1e-9)
    solved = look.places_J[height] @ made.solve(made.configuration(rest), rest, rest).v_dot
    assert solved[2] == pytest.approx(falling(), abs=1e-9 if engine == "pinocchio" else 1e-2)
