"""Proofs that exactly two solutions lie near a place where J is singular: a double one, or two that rounding merges.

With J(z) = U Σ Vᴴ and σₙ small write z + v s + W w, v the last column of V and W the others, and split F by U: f, all
but the last, and g = uₙᴴ F. For |s| ≤ ρ the map w ↦ w − Σ⁻¹ f contracts the ball |w| ≤ r when

    b + q R² ≤ r,     2 q |W| R < 1,     R = ρ |v| + |W| r,     q = ‖Σ⁻¹ |Uᴴ| h‖ / 2,

b bounding Σ⁻¹ times what of f is constant or linear in s (norms of rows, h_e = 2 Σ |C_k| as in `certificate`; what
rounding adds is bounded and added). Then w is an analytic function of s, and g(s) = c s² + E(s) with c = uₙᴴ (the
quadratic part of F at v). Where |E| < |c| ρ² on the circle |s| = ρ, g has as many zeros inside it as c s² has (Rouché):
two, and so has F in the ball of radius R.
"""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Complex
from closedchain.solver.certificate import COEFFICIENTS, UNIT, UP
from closedchain.solver.quadrics import Pattern

GROWTH = 2.0  # from one radius that is tried to the next
LARGEST = 1e-2  # of the solution's size


def two_within(shape: Pattern, C: Complex, z: Complex, spread: float) -> float:
    """A radius (largest component) about z within which two solutions lie, the only ones of a neighbourhood.

    Infinite where none is proven. z ends in 1, and radii from the spread of what was found there are tried.
    """
    n, Q = shape.n, shape.dense(C)
    size, magnitude = np.abs(Q), np.abs(z)
    J = 2.0 * (Q @ z)[:, :n]
    F = (Q @ z) @ z
    depth = (n + 1) ** 2 + 8.0
    F_error = (2.0 * depth * UNIT + COEFFICIENTS) * ((size @ magnitude) @ magnitude)
    J_error = (4.0 * depth * UNIT + 2.0 * COEFFICIENTS) * (size @ magnitude)[:, :n]
    try:
        U, sigma, V = np.linalg.svd(J)
    except np.linalg.LinAlgError:
        return np.inf
    if n < 2 or not sigma[-2] > 0.0:
        return np.inf
    left, right = U.conj().T, V.conj().T
    v, W = right[:, -1], right[:, :-1]
    # F in the new coordinates, each with a bound of its error: rounding, and U, V as they are in doubles.
    turned, turned_error = left @ F, np.abs(left) @ (F_error + 8 * n * UNIT * np.abs(F))
    slopes = left @ J @ right
    slopes_error = np.abs(left) @ (J_error + 32 * n * UNIT * np.abs(J).max()) @ np.abs(right)
    slopes_error = slopes_error + 32 * n * UNIT * np.abs(slopes).max()
    h = 2.0 * size[:, :n, :n].sum(axis=(1, 2))
    bend = np.abs(left) @ h / 2.0  # |quadratic part| ≤ bend |δz|²
    curvature = np.einsum("ei,eij,ej->e", np.broadcast_to(v, (n, n)), Q[:, :n, :n], np.broadcast_to(v, (n, n)))
    c = abs(complex(left[-1] @ curvature)) - float(64 * n**2 * UNIT * bend[-1])
    inverse = 1.0 / np.abs(np.diag(slopes)[:-1])
    off = np.abs(slopes[:-1, :-1] - np.diag(np.diag(slopes)[:-1])) + slopes_error[:-1, :-1]
    defect = UP * float((inverse * off.sum(axis=1)).max())
    q = UP * float((inverse * bend[:-1]).max())
    long, wide = UP * float(np.abs(v).max()), UP * float(np.abs(W).sum(axis=1).max())
    if not (c > 0.0 and defect < 0.25):
        return np.inf
    rho = max(GROWTH * spread, 1e-12 * float(magnitude.max()))
    while rho <= LARGEST * float(magnitude.max()):
        linear = np.abs(turned[:-1]) + turned_error[:-1] + (np.abs(slopes[:-1, -1]) + slopes_error[:-1, -1]) * rho
        b = UP * float((inverse * linear).max())
        r = 2.0 * (b + q * (long * rho) ** 2)
        reach = long * rho + wide * r
        inside = b + defect * r + q * reach**2 <= r and defect + 2.0 * q * wide * reach < 1.0
        constant = abs(turned[-1]) + turned_error[-1] + (abs(slopes[-1, -1]) + slopes_error[-1, -1]) * rho
        crossed = float((np.abs(slopes[-1, :-1]) + slopes_error[-1, :-1]).sum()) * r
        rest = constant + crossed + bend[-1] * (2.0 * long * rho * wide * r + (wide * r) ** 2)
        if inside and UP * rest < c * rho**2:
            return float(UP * reach)
        rho *= GROWTH
    return np.inf
