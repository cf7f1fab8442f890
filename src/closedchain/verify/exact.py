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


def friction_forces(model: Model, z: Doubles, z_dot: Doubles) -> Doubles:
    """∂D/∂ż and dry friction, force ∂rate/∂ż, (n, nz)."""
    e = model.equations
    rates = [c.rate.name for c in e.z]
    known: dict[str, object] = {**model.values, **{c.name: z[:, i] for i, c in enumerate(e.z)}}
    known |= {name: z_dot[:, i] for i, name in enumerate(rates)}
    found = _columns(gradient(e.dissipation, rates), known, len(z))
    for r in e.resistances:
        found += _columns([r.force], known, len(z)) * _columns(gradient(r.rate, rates), known, len(z))
    return found


def readout_slopes(model: Model, z: Doubles) -> Doubles:
    """∂r/∂z of the readouts, (n, readouts, nz)."""
    return np.stack([_slopes(model, readout.value, z) for readout in model.equations.readouts], axis=-2)


def _slopes(model: Model, e: Expr, z: Doubles) -> Doubles:
    names = [c.name for c in model.equations.z]
    known: dict[str, object] = {**model.values, **{name: z[:, i] for i, name in enumerate(names)}}
    return _columns(gradient(e, names), known, len(z))


def _columns(exprs: Sequence[Expr], known: dict[str, object], n: int) -> Doubles:
    values = evaluate_all(exprs, known, NUMPY)
    return np.stack([np.broadcast_to(np.asarray(v, dtype=np.float64), (n,)) for v in values], axis=-1)
