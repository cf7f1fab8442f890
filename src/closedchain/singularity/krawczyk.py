"""Existence and uniqueness of a zero of n equations in n unknowns in a box, proven with bounds of the slopes.

K = m − C G(m) + (I − C G'(X)) (X − m),   C ≈ G'(m)⁻¹        K inside X  ⇒  X holds exactly one zero
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.singularity.interval import Interval, exact

Bounded = Callable[[Interval], tuple[Interval, Interval]]  # boxes (*b, n) -> bounds of G (*b, n), slopes (*b, n, n)


def product(M: Interval, v: Interval) -> Interval:
    """Bounds of the products of matrices and vectors, (*b, n, m) and (*b, m)."""
    terms = M * Interval(v.lo[..., None, :], v.hi[..., None, :])
    total = terms[..., 0]
    for j in range(1, M.lo.shape[-1]):
        total = total + terms[..., j]
    return total


def matrix_product(C: Doubles, M: Interval) -> Interval:
    """Bounds of C M for numbers C, (*b, n, n)."""
    columns = [product(exact(C), M[..., j]) for j in range(M.lo.shape[-1])]
    return Interval(*(np.stack([getattr(c, side) for c in columns], axis=-1) for side in ("lo", "hi")))


def krawczyk(G: Bounded, middle: Doubles, radius: Doubles) -> tuple[NDArray[np.bool_], Interval]:
    """(proven (*b,), where the zero is (*b, n)): whether middle ± radius holds exactly one zero of G, for each box.

    Where G depends on something known by bounds only, one zero is proven for each of its values.
    """
    box = Interval(middle - radius, middle + radius)
    value, _ = G(exact(middle))
    _, slopes = G(box)
    finite = np.asarray((np.isfinite(slopes.lo) & np.isfinite(slopes.hi)).all(axis=(-2, -1)))
    between = np.where(finite[..., None, None], 0.5 * (slopes.lo + slopes.hi), 0.0)
    regular = finite & (np.abs(np.linalg.det(between)) > 0.0)
    identity = np.eye(middle.shape[-1])
    C = np.linalg.inv(np.where(regular[..., None, None], between, identity))
    rest = exact(identity) - matrix_product(C, slopes)
    K = exact(middle) - product(exact(C), value) + product(rest, box - exact(middle))
    inside = (K.lo > box.lo).all(axis=-1) & (K.hi < box.hi).all(axis=-1)
    return np.asarray(regular & inside), K.meet(box)
