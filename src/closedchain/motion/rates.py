"""Rates of products, quotients, roots and angles of functions: rows are a value and its first three derivatives."""

from __future__ import annotations

from math import comb

import numpy as np

from closedchain.arrays import Doubles


def product(a: Doubles, b: Doubles) -> Doubles:
    """(a b)⁽ⁿ⁾ = Σ C(n, k) a⁽ᵏ⁾ b⁽ⁿ⁻ᵏ⁾."""
    return np.stack([sum(comb(n, k) * a[k] * b[n - k] for k in range(n + 1)) for n in range(len(a))])


def quotient(a: Doubles, b: Doubles) -> Doubles:
    """c = a/b from the product c b = a, the highest rate of c last."""
    rows: list[Doubles] = []
    for n in range(len(a)):
        known = sum((comb(n, k) * rows[k] * b[n - k] for k in range(n)), start=np.zeros_like(a[0]))
        rows.append((a[n] - known) / b[0])
    return np.stack(rows)


def root(a: Doubles) -> Doubles:
    """c = √a from c c = a."""
    rows = [np.sqrt(a[0])]
    for n in range(1, len(a)):
        known = sum((comb(n, k) * rows[k] * rows[n - k] for k in range(1, n)), start=np.zeros_like(a[0]))
        rows.append((a[n] - known) / (2 * rows[0]))
    return np.stack(rows)


def angle(y: Doubles, x: Doubles) -> Doubles:
    """θ = atan2(y, x), from θ′ (x² + y²) = x y′ − y x′."""
    turning = product(x[:-1], y[1:]) - product(y[:-1], x[1:])
    size = product(x[:-1], x[:-1]) + product(y[:-1], y[:-1])
    return np.concatenate([np.arctan2(y[0], x[0])[None], quotient(turning, size)])


def rolls_of(e: Doubles) -> Doubles:
    """Roll, pitch and yaw (R = Rz Ry Rx) of quaternions (w, x, y, z) of any length but 0.

    (4, *batch, 4) → (4, *batch, 3). Entries of |e|² R stand in the angles' ratios, so that the length of e drops out,
    with all its rates.
    """
    w, x, y, z = np.moveaxis(e, -1, 0)
    ww, xx, yy, zz = (product(a, a) for a in (w, x, y, z))
    forward, left = ww + xx - yy - zz, 2 * (product(x, y) + product(w, z))  # of the body's x axis, level
    level = root(product(forward, forward) + product(left, left))
    roll = angle(2 * (product(y, z) + product(w, x)), ww - xx - yy + zz)
    return np.stack([roll, angle(2 * (product(w, y) - product(x, z)), level), angle(left, forward)], axis=-1)
