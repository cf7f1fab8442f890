"""Blocks without a closed form, solved completely: generic solutions once, then paths to the block at hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.quadratics import Lifted
from closedchain.model.reduction import Roots
from closedchain.solver import Family, Space, family_of, roots, space_of

SAMPLES = 40  # systems by which a block's family is told
REAL = 1e-4  # a cluster whose imaginary parts are smaller than this may be real


def family(key: str, sampled: Callable[[int], Lifted]) -> Family:
    """The generic solutions of a block; `sampled` gives its systems at random known coordinates."""

    def space() -> Space:
        system = sampled(SAMPLES)
        return space_of(system.S, len(system.lengths))

    return family_of(key, space)


def complete_roots(known: Family, system: Lifted, rows: int) -> Roots:
    """Every real root on the first rows of a block; rows on which a path is not accounted for are loose."""
    row, y, simple, loose = list[int](), list[Doubles](), list[bool](), np.zeros(len(system.S), bool)
    C = known.space.coefficients(system.S[:rows])
    for k in range(rows):
        found = roots(known, C[k])
        loose[k] = not found.complete
        near = [c.z for c in found.clusters if np.abs(c.z.imag).max() <= REAL * np.abs(c.z).max()]
        for z in (*found.Z[found.real], *near):
            row.append(k)
            y.append(z[:-1].real)
        simple += [True] * int(found.real.sum()) + [False] * len(near)
    values = np.array(y, dtype=np.float64).reshape(len(row), known.shape.n)
    single, none = np.array(simple, dtype=bool), np.zeros(len(row), bool)
    return Roots(np.array(row, dtype=np.intp), values, ~single, none, np.ones(len(row)), loose, single)
