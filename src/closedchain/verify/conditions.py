"""How far rounding can carry a law at a state: the condition of what is solved there, and the state's own rates.

A law compares numbers that come out of linear systems: ẋ = −A⁻¹B q̇, and M z̈ + h = Sᵀτ + Φᵀλ with Φ z̈ = −Φ̇ ż. The
best solver leaves an error of eps times their condition, so that is what a law may miss by. All condition numbers
are of matrices whose coordinates are in the robot's own size and whose rows have length one: they do not depend on
units, nor on whether a closure is a length (a pin's) or a square of one (a bar's).
"""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.dynamics import coordinate_sizes, jacobian, mass_matrix, scaled_jacobian
from closedchain.model.model import Model
from closedchain.model.sampling import own_rows
from closedchain.policy import RANK

EPS = float(np.finfo(np.float64).eps)
ROOM = 300.0  # eps times the condition: for the hundreds of operations of an elimination without a search for pivots
TELLING = 1e-5  # where rounding may make a larger misfit, a fault of 0.1 % can hide, and the state tells nothing


def rounding(condition: Doubles) -> Doubles:
    """The relative misfit that rounding can make where something of this condition is solved."""
    return ROOM * EPS * condition


def scaled_mass(model: Model, z: Doubles) -> Doubles:
    """M_z in coordinates of the robot's size, its largest entry one, (n, nz, nz)."""
    sizes = coordinate_sizes(model)
    M = mass_matrix(model, z) * sizes * sizes[:, None]
    return np.asarray(M / np.maximum(np.abs(M).max(axis=(-2, -1), keepdims=True), 1e-300))


def closures_condition(model: Model, z: Doubles) -> Doubles:
    """Of what rates are solved from: A, or of a linkage the closures that are independent."""
    Phi = scaled_jacobian(model, z) if model.linkage else own_rows(model, jacobian(model, z))
    if not Phi.shape[-2]:
        return np.ones(len(z))
    sigma = np.linalg.svd(Phi, compute_uv=False)
    least = np.where(sigma > RANK * sigma[:, :1], sigma, np.inf).min(axis=-1) if model.linkage else sigma[:, -1]
    return np.asarray(sigma[:, 0] / np.maximum(least, 1e-300))


def inverse_condition(model: Model, z: Doubles) -> Doubles:
    """Of what drives are solved from when the output is given: large where a leg is near its end."""
    Phi = scaled_jacobian(model, z)
    Phi = Phi / np.maximum(np.linalg.norm(Phi, axis=-1, keepdims=True), 1e-300)
    sigma = np.linalg.svd(Phi[..., : model.nq], compute_uv=False)
    return np.asarray(1.0 / np.maximum(sigma[:, -1], 1e-300))


def dynamics_condition(model: Model, z: Doubles) -> Doubles:
    """Of [M Φᵀ; Φ 0], from which accelerations and multipliers are solved; closures that others imply left out."""
    M, Phi = scaled_mass(model, z), scaled_jacobian(model, z)
    m = Phi.shape[-2]
    whole = np.concatenate(
        [
            np.concatenate([M, np.swapaxes(Phi, -1, -2)], axis=-1),
            np.concatenate([Phi, np.zeros((len(z), m, m))], axis=-1),
        ],
        axis=-2,
    )
    sizes = np.sort(np.abs(np.linalg.eigvalsh(whole)), axis=-1)
    implied = np.zeros(len(z), dtype=np.intp)
    if model.linkage and m:
        sigma = np.linalg.svd(Phi, compute_uv=False)
        implied = m - np.count_nonzero(sigma > RANK * sigma[:, :1], axis=-1)
    least = np.take_along_axis(sizes, implied[:, None], axis=-1)[:, 0]
    return np.asarray(sizes[:, -1] / np.maximum(least, 1e-300))


def inertia(model: Model, z: Doubles) -> Doubles:
    """Twice the kinetic energy [J] if every coordinate moved by its own size in a second, (n,)."""
    sizes = coordinate_sizes(model)
    return np.asarray((np.abs(mass_matrix(model, z)) * sizes * sizes[:, None]).sum(axis=(-2, -1)))


def own_pace(model: Model, z: Doubles, pull: Doubles) -> Doubles:
    """The rate [1/s] at which moving takes as much power as the `pull` ∂V/∂z does; 1/s where there is less, (n,)."""
    most = np.abs(pull * coordinate_sizes(model)).max(axis=-1, initial=0.0)
    weight = inertia(model, z)
    return np.sqrt(np.maximum(1.0, np.divide(most, weight, out=np.zeros_like(most), where=weight > 0.0)))
