"""A crank's angle known by its cosine and sine only, so that what depends on it stays algebraic."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from closedchain.derive.symbolic import CASADI
from closedchain.describe.expressions import Arithmetic


@dataclass(frozen=True, eq=False)
class Turn:
    """A crank's angle by its cosine and sine."""

    c: ca.SX
    s: ca.SX


TURNING: Arithmetic = {
    **CASADI,
    "cos": lambda a: a.c if isinstance(a, Turn) else ca.cos(a),
    "sin": lambda a: a.s if isinstance(a, Turn) else ca.sin(a),
}
