"""Closures with one or two conditions more, as equations of z = (q, x): singular curves and their cusps.

    curve   φ(z) = 0,  det A = 0  (or ∂φ_i/∂q_i = 0 of one leg)
    cusp    φ(z) = 0,  det A = 0,  ∇ₓ det A · adj(A) w = 0

adj(A) w spans the null space of a singular A, so the last row says that det A does not change along the free motion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.linear import determinant
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.errors import BadInput
from closedchain.kernels import load
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.singularity.pose import weights


def curve_program(model: Model, leg: int) -> Program:
    """(q, x) → the rows (nx + 1,) and their slopes (nx + 1, nz); leg −1 is det A."""
    s, models = _symbols(model)
    if leg < 0:
        condition = determinant(models.A)
    else:
        row = Configurations(model, np.zeros((0, model.nq)), np.zeros((0, model.nx))).leg_rows()[leg]
        condition = models.B[row, leg]
    return _rows("curve", s, ca.vertcat(s.phi, condition), {})


def cusp_program(model: Model) -> Program:
    """(q, x, w) → the rows (nx + 2,) and their slopes (nx + 2, nz)."""
    s, models = _symbols(model)
    w = ca.SX.sym("w", model.nx)
    det = determinant(models.A)
    free = ca.mtimes(ca.adj(ca.densify(models.A)), w)
    bend = ca.dot(ca.gradient(det, s.x), free)
    return _rows("cusp", s, ca.vertcat(s.phi, det, bend), {"w": w})


def closure_program(model: Model) -> Program:
    """(q, x) → φ, A, B and det A."""
    s, models = _symbols(model)
    n, m = model.nx, model.nq
    outputs = {"phi": (s.phi, (n,)), "A": (ca.densify(models.A), (n, n)), "B": (ca.densify(models.B), (n, m))}
    return trace("closure", _inputs(s, {}), {**outputs, "det": (determinant(models.A), ())})


def _symbols(model: Model) -> tuple[Symbols, Models]:
    s = Symbols(model.equations)
    return s, Models(s)


def _inputs(s: Symbols, more: dict[str, ca.SX]) -> dict[str, tuple[ca.SX, tuple[int, ...]]]:
    return {k: (v, (v.numel(),)) for k, v in {"q": s.q, "x": s.x, **more, "p": s.p}.items()}


def _rows(name: str, s: Symbols, rows: ca.SX, more: dict[str, ca.SX]) -> Program:
    slopes = ca.densify(ca.jacobian(rows, s.z))
    outputs = {"rows": (ca.densify(rows), (rows.numel(),)), "slopes": (slopes, slopes.shape)}
    return trace(name, _inputs(s, more), outputs)


@dataclass(frozen=True, eq=False)
class System:
    """Rows G(z) = 0 of a compiled program, with some coordinates of z held; z in metres (see `pose`)."""

    model: Model
    program: Program
    held: dict[int, float] = field(default_factory=dict)  # index in z -> value
    more: tuple[Doubles, ...] = ()  # further inputs of the program

    @cached_property
    def scales(self) -> Doubles:
        """[m] per unit of each coordinate of z."""
        by_q, by_x, _ = weights(self.model, np.ones((1, self.model.nq)))
        return np.concatenate([by_q, by_x])

    @cached_property
    def _routine(self) -> Any:
        return load(f"singularity {self.program.digest}", lambda: [self.program])[self.program.name]

    def __call__(self, z: Doubles) -> tuple[Doubles, Doubles]:
        """(G, dG/dz in 1/m), each row divided by the length of its slope."""
        n = self.model.nq
        rows, slopes = self._routine(z[:n], z[n:], *self.more, self.model.p)
        slopes = slopes / self.scales
        if self.held:
            index = list(self.held)
            fixed = np.eye(len(z))[index]
            rows = np.concatenate([rows, (z[index] - np.array(list(self.held.values()))) * self.scales[index]])
            slopes = np.concatenate([slopes, fixed])
        size = np.maximum(np.linalg.norm(slopes, axis=1), 1e-300)
        return rows / size, slopes / size[:, None]


def held_coordinates(model: Model, fixed: dict[str, float]) -> dict[int, float]:
    """Named coordinates of z as indices."""
    names = [c.name for c in model.equations.z]
    for name in fixed:
        if name not in names:
            raise BadInput(f"{model.name}: no coordinate {name!r:.30}; there are {', '.join(names)}")
    return {names.index(name): float(value) for name, value in fixed.items()}
