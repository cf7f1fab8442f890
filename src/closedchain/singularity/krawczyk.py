"""Existence and uniqueness of a zero of n equations in n unknowns in a box, proven with bounds of the slopes.

    K = m − C G(m) + (I − C G'(X)) (X − m),   C ≈ G'(m)⁻¹        K inside X  ⇒  X holds exactly one zero
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from closedchain.arrays import Doubles
from closedchain.singularity.interval import Interval, exact

Bounded = Callable[[Interval], tuple[Interval, Interval]]  # box (n,) -> bounds of G (n,) and of its slopes (n, n)


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


def krawczyk(G: Bounded, middle: Doubles, radius: Doubles, about: Bounded | None = None) -> tuple[bool, Interval]:
    """(proven, where the zero is): whether middle ± radius holds exactly one zero of G.

    With equations that also depend on something known by bounds only, G bounds them for all of it and `about` at the
    middle; a zero is then proven for each value.
    """
    box = Interval(middle - radius, middle + radius)
    value, _ = (about or G)(exact(middle))
    _, slopes = G(box)
    if not (np.isfinite(slopes.lo).all() and np.isfinite(slopes.hi).all()):
        return False, box
    try:
        C = np.linalg.inv(0.5 * (slopes.lo + slopes.hi))
    except np.linalg.LinAlgError:
        return False, box
    rest = exact(np.eye(len(middle))) - matrix_product(C, slopes)
    K = exact(middle) - product(exact(C), value) + product(rest, box - exact(middle))
    return bool((K.lo > box.lo).all() and (K.hi < box.hi).all()), K.meet(box)
