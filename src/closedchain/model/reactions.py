"""What closures, legs and bearings carry: tensions from the multipliers, forces at every joint and on the ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Crank, Slider, Telescope
from closedchain.model.dynamics import Motion
from closedchain.model.model import Model
from closedchain.model.state import State


@dataclass(frozen=True)
class Ends:
    """The force of a bar or telescope on what its two ends are joined to [N]."""

    on_a: Doubles  # (*batch, dimension)
    on_b: Doubles


@dataclass(frozen=True)
class Bearing:
    """What a drive hands on to the ground, besides its effort.

    Of a crank the force at its pivot, and in space the moment across its axis; in the plane that is 0. Of a slider the
    force across its rail, at its point, and the moment of it about where q = 0.
    """

    force: Doubles  # (*batch, dimension) [N] on the ground
    moment: Doubles  # (*batch, 1 in the plane, 3 in space) [N m]


def closure_forces(model: Model, state: State, lam: Doubles) -> dict[str, Doubles]:
    """What each closure carries [N]: a bar's or leg's tension −2 λ length, a pin's or rail's force λ."""
    q = {c.name: state.q[..., i] for i, c in enumerate(model.equations.q)}
    forces = {}
    for i, closure in enumerate(model.equations.closures):
        length = q[closure.name] if closure.name in q else np.asarray(model.number(closure.length))
        forces[closure.name] = np.where(length == 0.0, lam[..., i], -2 * lam[..., i] * length)
    return forces


def joint_forces(model: Model, state: State, motion: Motion) -> dict[str, Ends]:
    """The force that each bar and telescope exerts at its joints in a motion, its own weight and inertia included."""
    if model.mechanism is None:
        return {}
    legs = [b.name for b in model.mechanism.bars]
    legs += [d.name for d in model.mechanism.drives if isinstance(d, Telescope)]
    made = _call(model, "ends", state, motion)
    return {leg: Ends(made["forces"][..., 2 * i, :], made["forces"][..., 2 * i + 1, :]) for i, leg in enumerate(legs)}


def bearing_forces(model: Model, state: State, motion: Motion) -> dict[str, Bearing]:
    """What each crank's bearing and each slider's rail carries in a motion."""
    if model.mechanism is None:
        return {}
    drives = [d.name for d in model.mechanism.drives if isinstance(d, Slider | Crank)]
    made = _call(model, "bearings", state, motion) if drives else {}
    return {d: Bearing(made["force"][..., i, :], made["moment"][..., i, :]) for i, d in enumerate(drives)}


def _call(model: Model, program: str, state: State, motion: Motion) -> dict[str, Doubles]:
    library = model.load("reaction_programs")
    if program not in library:
        return {}
    z_ddot = np.concatenate([motion.q_ddot, motion.x_ddot], axis=-1)
    given = {"q": state.q, "x": state.x, "q_dot": state.q_dot, "x_dot": state.x_dot, "p": model.p}
    return library.run(program, given | {"z_ddot": z_ddot, "lam": motion.lam})
