"""What the closures and the bars carry: tensions from the multipliers, forces at every joint of a bar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.dynamics import Motion
from closedchain.model.model import Model
from closedchain.model.state import State


@dataclass(frozen=True)
class Ends:
    """The force of a bar on what its two ends are joined to [N]."""

    on_a: Doubles  # (*batch, dimension)
    on_b: Doubles


def closure_forces(model: Model, state: State, lam: Doubles) -> dict[str, Doubles]:
    """What each closure carries [N]: a bar's or leg's tension −2 λ length, a pin's or rail's force λ."""
    q = {c.name: state.q[..., i] for i, c in enumerate(model.equations.q)}
    forces = {}
    for i, closure in enumerate(model.equations.closures):
        length = q[closure.name] if closure.name in q else np.asarray(model.number(closure.length))
        forces[closure.name] = np.where(length == 0.0, lam[..., i], -2 * lam[..., i] * length)
    return forces


def joint_forces(model: Model, state: State, motion: Motion) -> dict[str, Ends]:
    """The force that each bar exerts at its joints in a motion, its own weight and inertia included."""
    bars = model.mechanism.bars if model.mechanism else ()
    if not bars:
        return {}
    library = model.load("reaction_programs")
    z_ddot = np.concatenate([motion.q_ddot, motion.x_ddot], axis=-1)
    given = {"q": state.q, "x": state.x, "q_dot": state.q_dot, "x_dot": state.x_dot}
    given |= {"z_ddot": z_ddot, "lam": motion.lam, "p": model.p}
    forces = library.run("ends", given)["forces"]
    return {bar.name: Ends(forces[..., 2 * i, :], forces[..., 2 * i + 1, :]) for i, bar in enumerate(bars)}
