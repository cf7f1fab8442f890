"""What can end a run before its time, and how it is said."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import numbers
from closedchain.model.geometry import Configurations
from closedchain.model.model import Model

NEAR = 1e-5  # |det| over the product of the rows' lengths: nearer to a singularity a law that inverts it is not trusted


def explain(model: Model, inverts: str, t: float, q: Doubles, x: Doubles, limits: tuple[Doubles, Doubles]) -> str:
    """Why a run stopped at this configuration."""
    low, high = limits
    for i, c in enumerate(model.equations.q):
        if not low[i] <= q[i] <= high[i]:
            return f"joint limit at t = {t:.6g} s: {c.name} = {q[i]:.6g} {c.unit} leaves [{low[i]:g}, {high[i]:g}]"
    if model.nx and inverts and np.isfinite(q).all() and np.abs(x).max() < 10 * model.scale:
        rows = Configurations(model, q[None], x[None])
        matrix = rows.A[0] if inverts == "A" else rows.B[0][rows.leg_rows()]
        size = abs(np.linalg.det(matrix)) / np.prod(np.linalg.norm(matrix, axis=-1))
        if size <= 2 * NEAR:
            kind = "Type 2 singularity (A cannot be inverted" if inverts == "A" else "Type 1 singularity (B cannot be inverted"
            return f"a {kind}: {size:.1e} of 1) at t = {t:.6g} s, x = {numbers(x)}: this law needs it; plan around it, or cross it"
    return f"the motion grew without bound at t = {t:.6g} s: the loop is unstable; take smaller gains or a shorter interval"
