"""How far loops are open, and the one Newton iteration that closes them, for any number of configurations at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.model.dynamics import coordinate_sizes, jacobian
from closedchain.model.model import Model
from closedchain.policy import CLOSED

STEPS = 60
RIDGE = 1e-14  # of the trace of ΦΦᵀ: closures that others imply have no pivot of their own


def gaps(model: Model, z: Doubles) -> Doubles:
    """By how much each closure is open [m], (*batch, closures)."""
    made = model.call("closures", q=z[..., : model.nq], x=z[..., model.nq :])
    return np.abs(made.get("gap", np.zeros((*z.shape[:-1], 0))))


def open_by(model: Model, q: Doubles, x: Doubles, p: Doubles | None = None) -> Doubles:
    """The widest gap of each configuration [m], (*batch,)."""
    made = model.call("closures", q=q, x=x, p=model.p if p is None else p)
    return np.asarray(np.abs(made["gap"]).max(axis=-1, initial=0.0))


def close(model: Model, z: Doubles, moving: NDArray[np.bool_] | None = None) -> tuple[Doubles, Doubles]:
    """Configurations that the rows of z lead to, (n, nz), and how far each closure is open there.

    Each step is the shortest, in the coordinates' sizes, that closes the linearised loops, and at most one size long:

        Δz = −Φᵀ(ΦΦᵀ)⁻¹ φ        with rows of Φ made 1 long: a bar's are of lengths squared, a pin's of lengths

    Only the coordinates that are `moving` change; all of them where nothing is said.
    """
    if not model.equations.closures:
        return z, np.zeros((len(z), 0))
    sizes = coordinate_sizes(model) * (1.0 if moving is None else moving)
    for _ in range(STEPS):
        made = model.call("closures", q=z[:, : model.nq], x=z[:, model.nq :])
        if np.abs(made["gap"]).max(initial=0.0) <= CLOSED * model.scale / 10:
            break
        Phi = jacobian(model, z) * sizes
        long = np.maximum(np.linalg.norm(Phi, axis=-1, keepdims=True), 1e-300)
        Phi = Phi / long
        square = Phi @ Phi.transpose(0, 2, 1)
        square += RIDGE * np.trace(square, axis1=1, axis2=2)[:, None, None] * np.eye(square.shape[-1])
        step = -np.einsum("kij,ki->kj", Phi, np.linalg.solve(square, made["phi"][..., None] / long)[..., 0])
        limit = np.minimum(1.0, 1.0 / np.maximum(np.abs(step).max(axis=-1, keepdims=True), 1e-300))
        z = z + sizes * step * limit
    return z, gaps(model, z)
