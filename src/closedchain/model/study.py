"""Poses of one body in Study's coordinates: closures that know a place p and axes R by |p|², p, R and Rᵀp alone.

Legs, planes and directions between one body and what is known are of this kind. With a unit quaternion e and e·g = 0,

    R = R(e),    p = 2 Im(g ē),    Rᵀp = 2 Im(ē g),    |p|² = 4 g·g

are all of degree two, and 8 unknowns stand for the 12 of p and R (4 for 9 where p is known).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Complex, Doubles
from closedchain.model.quadratics import Lifted
from closedchain.solver import Part, pose, quaternion

SAME = 1e-12  # of an equation's largest coefficient

Form = Doubles  # (8, 8) symmetric, of (e, g)


@dataclass(frozen=True, eq=False)
class Study:
    """A system of one body's closures, in fewer unknowns."""

    S: Complex  # (rows, equations, n + 1, n + 1)
    parts: tuple[Part, ...]
    closures: int

    def natural(self, y: Doubles) -> Doubles:
        """The place, where it is unknown, and the axes column by column."""
        n = y.shape[1]
        forms = NATURAL if n == 8 else NATURAL[3:, :4, :4]
        return (y[:, :, None] * y[:, None, :]).reshape(-1, n * n) @ forms.reshape(-1, n * n).T


def study(system: Lifted) -> Study | None:
    """The same closures in Study's coordinates; None where they are not of this kind."""
    rows, width = len(system.S), system.S.shape[-1]
    placed = len(system.lengths)
    if width != 1 + placed + 9 or placed not in (0, 3):
        return None
    S, count = system.S[:, : system.closures], system.closures
    p, R = slice(1, 1 + placed), slice(1 + placed, width)
    largest = np.abs(S).max(axis=(0, 2, 3))
    square = S[..., p, p].trace(axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(placed) if placed else S[..., p, p]
    mixed = 2 * S[..., p, R].reshape(rows, count, placed, 3, 3)  # [place, column of R, row of R]
    along = mixed.trace(axis1=-3, axis2=-1) / 3  # of Rᵀp: what is left where place and row are one
    twice = S[..., R, R].reshape(rows, count, 3, 3, 3, 3)  # [column, row, column, row]
    inner = twice.trace(axis1=-3, axis2=-1) / 3  # of Σ_i R_ik R_il, which is 1 or 0
    kept = np.einsum("rekl,ij->rekilj", inner, np.eye(3))
    held = np.einsum("rek,ij->reikj", along, np.eye(3)) if placed else mixed
    misfit = [
        np.abs(a - b).max(axis=(0, *range(2, a.ndim)), initial=0.0)
        for a, b in ((square, S[..., p, p]), (held, mixed), (kept, twice))
    ]
    if any((m > SAME * largest).any() for m in misfit):
        return None
    n = 8 if placed else 4
    made = np.zeros((rows, S.shape[1], n + 1, n + 1))
    made[..., 0, 0] = S[..., 0, 0] + inner.trace(axis1=-2, axis2=-1)
    axes = 2 * S[..., 0, R].reshape(rows, count, 3, 3)  # [column, row]
    made[..., 1:, 1:] = np.einsum("reki,ikab->reab", axes, ROTATION[:, :, :n, :n])
    if placed:
        made[..., 1:, 1:] += np.einsum("rei,iab->reab", 2 * S[..., 0, p], PLACE)
        made[..., 1:, 1:] += np.einsum("rek,kab->reab", along, OWN_PLACE)
        made[..., 1:, 1:] += square[..., 0, 0][..., None, None] * SQUARE
    part = pose(0) if placed else quaternion(0)
    made[..., 1:5, 1:5] += made[..., :1, :1] * np.eye(4)  # 1 = e·e: everything is of degree two
    made[..., 0, 0] = 0.0
    common = np.broadcast_to(np.array(part.equations(n)), (rows, n // 4, n + 1, n + 1))
    return Study(np.concatenate([made, common], axis=1), (part,), S.shape[1])


def _form(*terms: tuple[int, int, float]) -> Form:
    made = np.zeros((8, 8))
    for i, j, c in terms:
        made[i, j] += c / 2
        made[j, i] += c / 2
    return made


def _rotation() -> Doubles:
    """R_ij as forms of e = (w, x, y, z)."""
    made = np.zeros((3, 3, 8, 8))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        w, a, b, c = 0, 1 + i, 1 + j, 1 + k
        made[i, i] = _form((w, w, 1.0), (a, a, 1.0), (b, b, -1.0), (c, c, -1.0))
        made[i, j] = _form((a, b, 2.0), (w, c, -2.0))
        made[j, i] = _form((a, b, 2.0), (w, c, 2.0))
    return made


def _places(turned: float) -> Doubles:
    """2 (e0 g − g0 e ∓ g × e), the sign of the last by `turned`."""
    made = []
    for i in range(3):
        j, k = 1 + (i + 1) % 3, 1 + (i + 2) % 3
        w, a = 0, 1 + i
        cross = ((4 + j, k, 2.0 * turned), (4 + k, j, -2.0 * turned))
        made.append(_form((w, 4 + a, 2.0), (4 + w, a, -2.0), *cross))
    return np.stack(made)


ROTATION = _rotation()
PLACE = _places(-1.0)  # p = 2 Im(g ē)
OWN_PLACE = _places(1.0)  # Rᵀp = 2 Im(ē g)
SQUARE = _form(*((4 + i, 4 + i, 4.0) for i in range(4)))
NATURAL = np.stack([*PLACE, *(ROTATION[i, k] for k in range(3) for i in range(3))])  # p, then R column by column
