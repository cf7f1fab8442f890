"""The laws that a linkage obeys, tried on random states: what its kernels say against differences and energy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.dynamics import Motion, energy, forward_dynamics, jacobian, mass_matrix
from closedchain.model.model import Model
from closedchain.model.state import State

STEP = 1e-3  # six-point differences are then good to about 1e-11
NODES = np.array([-3, -2, -1, 1, 2, 3])
SLOPES = np.array([-1, 9, -45, 45, -9, 1]) / 60
CURVES = np.array([2, -27, 270, 270, -27, 2]) / 180
CURVE_HERE = -490 / 180


def linkage_misfits(model: Model, state: State, rng: np.random.Generator) -> Iterator[tuple[str, Doubles, float]]:
    """Each law: what it says, its misfit at every state, and the limit."""
    tau = rng.standard_normal((len(state.q), len(model.driven)))
    motion = forward_dynamics(model, state, tau)
    if model.equations.closures:
        yield from _closures(model, state, motion)
    M = mass_matrix(model, state.z)
    size = np.abs(M).max(axis=(-2, -1))
    yield "mass matrix: symmetric", np.abs(M - M.swapaxes(-2, -1)).max(axis=(-2, -1)) / size, 1e-14
    least = np.linalg.eigvalsh(M)[:, 0]
    yield "mass matrix: not negative", np.maximum(-least, 0.0) / size, 1e-13
    yield from _power(model, state, tau, motion)


def _closures(model: Model, state: State, motion: Motion) -> Iterator[tuple[str, Doubles, float]]:
    gap = model.call("closures", q=state.q, x=state.x)["gap"]
    yield "closures: φ(z) = 0 [of the linkage's size]", np.abs(gap).max(axis=-1) / model.scale, 1e-12
    Phi = jacobian(model, state.z)
    z_ddot = np.concatenate([motion.q_ddot, motion.x_ddot], axis=-1)
    along = _phi_along(model, state.z, state.z_dot, 0.0 * z_ddot)
    rate = np.einsum("k,k...->...", SLOPES, along) / STEP
    scale = np.linalg.norm(Phi, axis=-1).max(axis=-1) * np.linalg.norm(state.z_dot, axis=-1)
    slip = np.einsum("...ij,...j->...i", Phi, state.z_dot)
    yield "Φ ż = differences of φ along ż", np.abs(slip - rate).max(axis=-1) / scale, 1e-9
    bent = _phi_along(model, state.z, state.z_dot, z_ddot)
    here = model.call("closures", q=state.q, x=state.x)["phi"]
    second = (np.einsum("k,k...->...", CURVES, bent) + CURVE_HERE * here) / STEP**2
    steep = np.linalg.norm(Phi, axis=-1).max(axis=-1)
    big = scale * np.linalg.norm(state.z_dot, axis=-1) + steep * np.linalg.norm(z_ddot, axis=-1)
    yield "accelerations keep the loops closed: φ̈ by differences = 0", np.abs(second).max(axis=-1) / big, 1e-6


def _phi_along(model: Model, z: Doubles, z_dot: Doubles, z_ddot: Doubles) -> Doubles:
    """φ at z + ż t + z̈ t²/2, t = ±1, ±2, ±3 steps."""
    rows = []
    for k in NODES:
        t = k * STEP
        there = z + t * z_dot + t**2 / 2 * z_ddot
        rows.append(model.call("closures", q=there[..., : model.nq], x=there[..., model.nq :])["phi"])
    return np.array(rows)


def _power(model: Model, state: State, tau: Doubles, motion: Motion) -> Iterator[tuple[str, Doubles, float]]:
    z_ddot = np.concatenate([motion.q_ddot, motion.x_ddot], axis=-1)
    rates = {"q": state.q, "x": state.x, "q_dot": state.q_dot, "x_dot": state.x_dot, "z_ddot": z_ddot}
    made = model.call("power", **rates)
    given = np.einsum("...i,...i->...", tau, state.q_dot[..., list(model.driven)])
    kinetic = np.abs(energy(model, state).kinetic)
    size = np.abs(given) + np.abs(made["power"]) + np.abs(made["energy_rate"]) + kinetic
    misfit = np.abs(made["energy_rate"] - given + made["power"] - made.get("applied_power", 0.0)) / size
    yield "power: efforts put in what energy gains and dampers take", misfit, 1e-9
