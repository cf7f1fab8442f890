"""Laws of dynamics: energy, forces and motion against each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Telescope
from closedchain.model.dynamics import energy, inverse_dynamics, mass_matrix, terms
from closedchain.model.model import Model
from closedchain.verify.conditions import rounding
from closedchain.verify.exact import friction_forces
from closedchain.verify.motion_laws import acceleration_law
from closedchain.verify.trial import TINY, Law, Trial, law

SUMS = 1e-12  # what rounding leaves of sums and products of a few dozen terms, of the terms' size


def force_laws(trial: Trial) -> Iterator[Law]:
    """The laws about masses, forces and energy; those of forward dynamics only where efforts decide the motion."""
    if trial.model.linkage:
        yield from _masses_of_linkage(trial)
    else:
        masses = _masses(trial)
        yield from masses
        if not masses[-1].telling.any() or (masses[-1].misfit > masses[-1].limit).any():
            return  # efforts do not decide the motion
    able = trial.only(trial.solvable)
    if not len(able):
        yield Law(BALANCE, np.zeros(0), np.zeros(0), "forward dynamics degenerates at every state tried")
        return
    if trial.model.equations.closures:
        yield acceleration_law(able)
    yield from power_laws(able)
    if trial.model.equations.resistances:
        yield from _friction(trial)
    if not trial.model.linkage:
        yield _gradient(trial)
        yield _reciprocal(able)
        yield _batches(trial)


def _masses_of_linkage(trial: Trial) -> Iterator[Law]:
    M = mass_matrix(trial.model, trial.state.z) * trial.sizes * trial.sizes[:, None]
    size = np.maximum(np.abs(M).max(axis=(-2, -1), keepdims=True), TINY)
    yield law("mass matrix: symmetric", np.abs(M - M.swapaxes(-2, -1)) / size, 1e-14)
    least = np.linalg.eigvalsh(M / size)[:, 0]
    yield law("mass matrix: not negative", np.maximum(-least, 0.0), 1e-13)


def _masses(trial: Trial) -> list[Law]:
    """M symmetric and positive, in the measure of |Tᵀ| |M_z| |T|."""
    model, M = trial.model, trial.evaluated["M"]
    T = np.abs(_T(trial))
    bound = np.swapaxes(T, -1, -2) @ np.abs(mass_matrix(model, trial.state.z)) @ T
    scale = np.sqrt(np.einsum("nii->ni", bound))
    root = np.maximum(scale[:, :, None] * scale[:, None, :], TINY)
    symmetric = law("M is symmetric", np.abs(M - np.swapaxes(M, -1, -2)) / root, SUMS)
    lowest = np.linalg.eigvalsh((M + np.swapaxes(M, -1, -2)) / 2 / root)[:, 0]
    doubt = SUMS + rounding(trial.of_closures)
    why = ""
    if not bound.any():
        why = "every body is massless"
    elif not (np.abs(lowest) > doubt).any():
        why = "a motion moves no mass, so that efforts do not decide it"
    misfit = np.full(len(M), np.inf) if why else np.maximum(-lowest, 0.0)
    return [symmetric, law("M is positive on the motions that exist", misfit, doubt, why)]


def _T(trial: Trial) -> Doubles:
    """ż = T q̇, (n, nz, nq)."""
    n, nq = len(trial), trial.model.nq
    one = np.broadcast_to(np.eye(nq), (n, nq, nq))
    return np.concatenate([one, trial.evaluated["J"]], axis=-2) if trial.model.nx else one


BALANCE = "power balance: τ·q̇ = d(T+V)/dt + dissipation"


def power_laws(trial: Trial) -> Iterator[Law]:
    """Motor power = rate of energy + what dampers, friction and stops take; closures do no work."""
    model, s = trial.model, trial.state
    made = model.call("power", q=s.q, x=s.x, q_dot=s.q_dot, x_dot=s.x_dot, z_ddot=trial.z_ddot)
    driven = trial.tau * s.q_dot[:, list(model.driven)]
    inertial = np.abs(mass_matrix(model, s.z) * trial.z_ddot[:, None, :]).sum(axis=-1)
    flow = ((inertial + np.abs(trial.pull)) * np.abs(s.z_dot)).sum(axis=-1)
    flow += np.abs(driven).sum(axis=-1) + np.abs(made["power"]) + trial.pace * energy(model, s).kinetic
    flow = np.maximum(flow, TINY)
    force = np.abs(np.einsum("nij,ni->nij", trial.Phi, trial.motion.lam) * s.z_dot[:, None, :]).sum(axis=(-2, -1))
    misfit = np.abs(made["energy_rate"] + made["power"] - made.get("applied_power", 0.0) - driven.sum(axis=-1)) / flow
    yield law(BALANCE, misfit, SUMS + rounding(trial.of_dynamics) + rounding(trial.of_closures) * force / flow)
    if model.nx and not model.linkage:
        work = np.einsum("nij,ni,nj->n", trial.Phi, trial.motion.lam, s.z_dot)
        limit = SUMS + rounding(trial.of_closures) * _short(model, s.q)
        yield law("closures do no work: λᵀΦ ż = 0", np.abs(work) / np.maximum(force, TINY), limit)


def _short(model: Model, q: Doubles) -> Doubles:
    """How much rounding of the robot's size is in a telescope's row of Φ, which is as short as the leg, (n,)."""
    drives = model.mechanism.drives if model.mechanism else ()
    lengths = [np.abs(q[:, i]) for i, d in enumerate(drives) if isinstance(d, Telescope)]
    shortest = np.min(lengths, axis=0) if lengths else np.full(len(q), model.scale)
    return np.asarray(np.maximum(1.0, model.scale / np.maximum(shortest, TINY)))


def _gradient(trial: Trial) -> Law:
    """Forces in the kernels against V differentiated by the description's own rules."""
    wanted = trial.pull * trial.sizes
    found = terms(trial.model, trial.state).gravity * trial.sizes
    size = np.maximum(np.abs(wanted).max(axis=-1, keepdims=True), TINY)
    return law("gravity and springs are the gradient of V", np.abs(found - wanted) / size, 1e-9)


def _friction(trial: Trial) -> Iterator[Law]:
    """Friction in the kernels against its laws, differentiated by the description's own rules; it only takes power."""
    s = trial.state
    wanted, found = friction_forces(trial.model, s.z, s.z_dot), terms(trial.model, s).friction
    size = np.maximum(np.abs(wanted * trial.sizes).max(axis=-1, keepdims=True), TINY)
    yield law("friction is that of its laws", np.abs(found - wanted) * trial.sizes / size, 1e-9)
    power = wanted * s.z_dot
    flow = np.maximum(np.abs(power).sum(axis=-1), TINY)
    given = np.maximum(-energy(trial.model, s).dissipated, 0.0)
    yield law("friction takes power and gives none", given / flow, SUMS)


def _reciprocal(trial: Trial) -> Law:
    """Inverse after forward dynamics; the reduced model has A in its denominators three times: in M, c and q̈."""
    model, s = trial.model, trial.state
    tau = inverse_dynamics(model, s, trial.motion.q_ddot)
    found, T = terms(model, s), np.abs(_T(trial))
    moved = np.einsum("nij,nj->ni", T, np.abs(trial.motion.q_ddot))  # q̈ → ẍ = J q̈ + b adds what may cancel
    moved[:, model.nq :] += np.abs(trial.evaluated["b"]) if model.nx else 0.0
    inertial = np.einsum("nij,nj->ni", np.abs(found.M_z), moved) + np.abs(found.h_z)
    size = np.abs(trial.tau) + np.einsum("nij,ni->nj", T, inertial)[:, list(model.driven)]
    limit = SUMS + rounding(trial.of_dynamics) + rounding(trial.of_closures)
    return law("efforts → motion → efforts", np.abs(tau - trial.tau) / np.maximum(size, TINY), limit[:, None])


def _batches(trial: Trial) -> Law:
    """One state at a time gives the bits of a batch."""
    whole = _everything(trial, slice(None))
    some = list(range(0, len(trial), max(1, len(trial) // 50)))
    one = np.array([_everything(trial, i) for i in some])
    return law("one state and a batch: the same bits", np.abs(one - whole[some]), 0.0)


def _everything(trial: Trial, which: slice | int) -> Doubles:
    """Every output of `evaluate` at one state or a batch, in one long row each."""
    s = trial.state
    given = {"q": s.q, "x": s.x, "q_dot": s.q_dot, "q_ddot": trial.q_ddot}
    made = trial.model.call("evaluate", **{name: values[which] for name, values in given.items()})
    batch = s.q[which].ndim - 1
    return np.concatenate([v.reshape(*v.shape[:batch], -1) for v in made.values()], axis=-1)
