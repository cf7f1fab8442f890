"""Motion derived in angular velocities, against the same robots in roll, pitch and yaw, solved as one dense system."""

import numpy as np
import pytest

import closedchain as cc
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe import Body, Coupling, Mechanism, Recipe, Telescope
from closedchain.describe.elements import Fixed
from closedchain.model.dynamics import jacobian, terms
from closedchain.model.model import Model
from closedchain.model.state import State

RNG = np.random.default_rng(4)


def heavy_top():
    """A free body on two telescopes, whose yaw is geared to its roll: a closure that knows the angles themselves."""
    body = Body("body", 2.0, (0.1, -0.05, 0.2), (0.3, 0.4, 0.5, 0.02, -0.01, 0.03))
    feet = [Fixed(f"F{k}", at=at) for k, at in enumerate(((0, 0, 0), (1, 0.2, 0)), start=1)]
    tips = [body.point("P1", at=(0.2, 0.1, -0.3)), body.point("P2", at=(-0.3, 0.2, 0.1))]
    legs = [
        Telescope(f"l{k}", foot, tip, base_mass=1.0, tip_mass=0.5, base_centre=0.2, tip_centre=0.1, base_inertia=0.05)
        for k, (foot, tip) in enumerate(zip(feet, tips, strict=True), start=1)
    ]
    gear = Coupling((("yaw", 1.0), ("roll", -0.5)), name="gear")
    return Mechanism("geared", drives=tuple(legs), output=body, couplings=(gear,), gravity=(0, 0, -9.81), linkage=True)


def dense(model, state, tau):
    """z̈ and λ of M_z z̈ + h_z = Sᵀτ + Φᵀλ, Φ z̈ = −Φ̇ ż, everything in z, with Φ̇ ż by differences of Φ."""
    own, step = terms(model, state), 1e-6
    z, rate = state.z, state.z_dot
    Phi = jacobian(model, z)
    drift = (jacobian(model, z + step * rate) - jacobian(model, z - step * rate)) @ rate / (2 * step)
    n, m = len(z), len(Phi)
    push = np.zeros(n)
    push[list(model.driven)] = tau
    K = np.block([[own.M_z, -Phi.T], [Phi, np.zeros((m, m))]])
    found = np.linalg.lstsq(K, np.concatenate([push - own.h_z, -drift]), rcond=1e-13)[0]
    return found[:n], found[n:]


@pytest.mark.parametrize("name", ["gough", "hexa", "rps3", "upu3", "wrist", "neck", "ankle", "cassie_leg", "geared"])
def test_accelerations_and_multipliers_are_those_of_roll_pitch_and_yaw(name):
    """At any place and pace, on the closures or off them: both are the same equations."""
    model = Model(Recipe(heavy_top())) if name == "geared" else cc.load(name)
    n, nz = model.nq, model.nq + model.nx
    for _ in range(3):
        z = RNG.uniform(0.2, 0.9, nz) * np.where([c.unit == "rad" for c in model.equations.z], 1.0, model.scale)
        rate = RNG.uniform(-1.0, 1.0, nz) * np.where([c.unit == "rad" for c in model.equations.z], 1.0, model.scale)
        tau = RNG.uniform(-1.0, 1.0, len(model.driven))
        state = State(z[:n], z[n:], rate[:n], rate[n:])
        wanted, lam = dense(model, state, tau)
        made = model.call("forward_dynamics", q=state.q, x=state.x, q_dot=state.q_dot, x_dot=state.x_dot, tau=tau)
        found = np.concatenate([made[key] for key in ("q_ddot", "x_ddot")])
        limit = 1e-6 * max(1.0, 1e-3 / float(made["margin"]))  # differences of 1e-6, and what the system makes of them
        np.testing.assert_allclose(found, wanted, atol=limit * np.abs(wanted).max())
        np.testing.assert_allclose(made["lam"], lam, atol=limit * np.abs(lam).max())


@pytest.mark.parametrize(("name", "most"), [("gough", 3300), ("squeezer", 810), ("biglide", 90)])
def test_the_code_of_forward_dynamics_is_short(name, most):
    """In roll, pitch and yaw the platform took 9,333 instructions; by a dense elimination the squeezer 2,482."""
    model = cc.load(name)
    assert len(Models(Symbols(model.equations)).forward_dynamics(model.massless).code) <= most
