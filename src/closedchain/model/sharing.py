"""Efforts of linkages whose drives outnumber their freedoms: how a motion's efforts are shared, and which only strain.

With T a basis of the velocities that keep the loops closed, D = S T the drives' rates in them:

    TᵀM T a = Dᵀτ        what efforts add to the accelerations that the linkage has without them, z̈ = z̈₀ + T a
    Dᵀτ = 0              internal efforts: they change the forces in the links and move nothing
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, NoSolution
from closedchain.model.dynamics import forward_dynamics, free_motions, mass_matrix
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.policy import RANK

LEADING = 0.9  # of the largest effort: the first such one is positive
MISSED = 1e-9  # relative: what of the wanted accelerations or forces is left where they cannot be had


@dataclass(frozen=True, eq=False)
class Shared:
    """The efforts of least weighted square that make a motion, and the internal ones that may be added to them."""

    drives: tuple[str, ...]
    tau: Doubles  # (drives,) [N, N m]
    internal: Doubles  # (k, drives) each of weighted square 1; τ + internalᵀ s makes the same motion for any s

    def __str__(self) -> str:
        rows = [f"efforts: {_named(self.drives, self.tau)}"]
        return "\n".join([*rows, *(f"internal: {_named(self.drives, row)}" for row in self.internal)])


def shared_efforts(
    model: Model, state: State, accelerations: Mapping[str, float], *, weights: ArrayLike | None = None
) -> Shared:
    """The efforts that give a linkage these accelerations, by coordinate, with the least Σ weight τ².

    The accelerations named must decide the motion: those of the output, or of as many coordinates as there are
    freedoms. Weights are positive, one for each drive; 1 unless given.
    """
    names = [c.name for c in model.equations.z]
    for name in accelerations:
        if name not in names:
            raise BadInput(f"{model.name} has no coordinate {name!r:.40}; there are {', '.join(names)}")
    T, D = _motions(model, state.z)
    free = forward_dynamics(model, state, np.zeros(len(model.driven)))
    z_ddot = np.concatenate([free.q_ddot, free.x_ddot])
    rows = [names.index(name) for name in accelerations]
    wanted = np.array([float(value) for value in accelerations.values()]) - z_ddot[rows]
    a, _, rank, _ = np.linalg.lstsq(T[rows], wanted, rcond=RANK)
    if rank < T.shape[1]:
        told = f"{len(rows)} accelerations are named, and {T.shape[1]} freedoms are to be decided"
        raise BadInput(f"{model.name}: {told}; name others, or more")
    _check(model, T[rows] @ a, wanted, "no motion that keeps the loops closed has these accelerations")
    force = T.T @ mass_matrix(model, state.z) @ T @ a
    root = np.sqrt(_weights(model, weights))
    tau = np.linalg.lstsq((D / root[:, None]).T, force, rcond=RANK)[0] / root
    _check(model, D.T @ tau, force, "its drives cannot make this motion: they are fewer than its freedoms")
    return Shared(model.equations.driven, tau, internal_efforts(model, state.z, weights))


def internal_efforts(model: Model, z: Doubles, weights: ArrayLike | None = None) -> Doubles:
    """A basis of the efforts that move nothing at z, (k, drives): of weighted square 1, its first large one > 0."""
    if not model.driven:
        return np.zeros((0, 0))
    root = np.sqrt(_weights(model, weights))
    D = _motions(model, z)[1] / root[:, None]
    U, sigma, _ = np.linalg.svd(D)
    rank = int(np.count_nonzero(sigma > RANK * max(float(sigma.max(initial=0.0)), 1e-300)))
    basis = U[:, rank:].T / root
    leading = np.abs(basis) > LEADING * np.abs(basis).max(axis=1, initial=0.0, keepdims=True)
    signs = np.sign(np.take_along_axis(basis, leading.argmax(axis=1)[:, None], axis=1))
    return np.asarray(basis * signs)


def _motions(model: Model, z: Doubles) -> tuple[Doubles, Doubles]:
    """T, (nz, freedoms), and the drives' rows of it."""
    T = free_motions(model, z)
    return T, T[list(model.driven)]


def _weights(model: Model, weights: ArrayLike | None) -> Doubles:
    count = len(model.driven)
    given = np.ones(count) if weights is None else vectors(weights, count, "weights")
    if not (given > 0.0).all():
        raise BadInput(f"{model.name}: weights of efforts must be positive")
    return given


def _check(model: Model, made: Doubles, wanted: Doubles, problem: str) -> None:
    missed = float(np.abs(made - wanted).max(initial=0.0))
    if missed > MISSED * max(float(np.abs(wanted).max(initial=0.0)), 1e-300):
        raise NoSolution(f"{model.name}: {problem}; the nearest misses by {missed:.3g}")


def _named(names: tuple[str, ...], values: Doubles) -> str:
    return ", ".join(f"{name} {value:+.4g}" for name, value in zip(names, values, strict=True))
