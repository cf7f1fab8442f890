"""Derivatives of the description itself, by its own rules of differentiation and in NumPy: no kernel, no step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.expressions import FUNCTIONS, Arithmetic, Expr, evaluate_all, gradient
from closedchain.model.model import Model

NUMPY: Arithmetic = {name: getattr(np, name) for name in FUNCTIONS}


def potential_slopes(model: Model, z: Doubles) -> Doubles:
    """∂V/∂z, (n, nz)."""
    return _slopes(model, model.equations.potential, z)


def readout_rates(model: Model, z: Doubles, z_dot: Doubles) -> Doubles:
    """The readouts' rates ∂r/∂z ż, (n, readouts), and the sums of their terms' sizes."""
    rows = [_slopes(model, readout.value, z) * z_dot for readout in model.equations.readouts]
    return np.stack(rows, axis=-2)  # (n, readouts, nz): their sum is the rate


def _slopes(model: Model, e: Expr, z: Doubles) -> Doubles:
    names = [c.name for c in model.equations.z]
    known: dict[str, object] = {**model.values, **{name: z[:, i] for i, name in enumerate(names)}}
    return _columns(gradient(e, names), known, len(z))


def _columns(exprs: Sequence[Expr], known: dict[str, object], n: int) -> Doubles:
    values = evaluate_all(exprs, known, NUMPY)
    return np.stack([np.broadcast_to(np.asarray(v, dtype=np.float64), (n,)) for v in values], axis=-1)
