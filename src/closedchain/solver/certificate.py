"""Proofs that a solution exists near an approximate one, is the only one there, and is real.

With A ≈ J(z)⁻¹ the map T(w) = w − A F(w) has the solutions of F as its fixed points. F is quadratic, so its second
derivative is constant and the bounds are exact: on the ball |w − z|∞ ≤ r

    |T′(w)| ≤ δ + κ r,     δ = ‖I − A J(z)‖,     κ = ‖ |A| h ‖,     h_e = 2 Σ |C_k| over the products of equation e,

and T maps the ball into itself, as a contraction, when η + (δ + κ r) r ≤ r and δ + κ r < 1 with η = ‖A F(z)‖. Then one
solution lies in the ball, and no other one in any ball of radius below (1 − δ) / κ. Norms are of rows; what rounding
adds to F, J, A F and I − A J is bounded term by term (standard model of floating-point arithmetic) and added. With real
coefficients and a real centre the conjugate solution lies in the same ball, so the solution is real.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from closedchain.solver.quadrics import Complex, Doubles, Pattern

UNIT = 2.0**-53
UP = 1.0 + 1e-9  # covers the rounding of the bounds themselves, sums of at most some thousand positive numbers
COEFFICIENTS = 8.0 * UNIT  # relative error that coefficients may have from being computed
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Certificates:
    """One row for each approximate solution."""

    proven: Flags  # exactly one solution lies within `radius`
    radius: Doubles  # infinite where nothing is proven
    alone: Doubles  # no other solution lies within this
    real: Flags  # proven, and real
    Z: Complex  # the centres: with zero imaginary parts where real


def certify(shape: Pattern, C: Complex, Z: Complex) -> Certificates:
    """Certificates of approximate solutions Z (rows end in 1) of a system with coefficients C."""
    given_real = bool(np.all(C.imag == 0.0))
    proven, radius, alone = _balls(shape, C, Z)
    real = np.zeros(len(Z), dtype=bool)
    centres = Z.copy()
    if given_real:
        near = np.abs(Z.imag).max(axis=-1) <= np.where(proven, alone, np.inf)
        if near.any():
            at = Z[near].real.astype(np.complex128)
            ok, r, a = _balls(shape, C, at)
            rows = np.flatnonzero(near)[ok]
            centres[rows], real[rows], proven[rows] = at[ok], True, True
            radius[rows], alone[rows] = r[ok], a[ok]
    return Certificates(proven, radius, alone, real, centres)


def _balls(shape: Pattern, C: Complex, Z: Complex) -> tuple[Flags, Doubles, Doubles]:
    n = shape.n
    Q = shape.dense(C)
    size = np.abs(Q)
    J = 2.0 * np.einsum("eij,pj->pei", Q, Z)[:, :, :n]
    F = np.einsum("pi,eij,pj->pe", Z, Q, Z)
    magnitude = np.abs(Z)
    depth = (n + 1) ** 2 + 8.0
    F_error = (2.0 * depth * UNIT + COEFFICIENTS) * np.einsum("pi,eij,pj->pe", magnitude, size, magnitude)
    J_error = (4.0 * depth * UNIT + 2.0 * COEFFICIENTS) * np.einsum("eij,pj->pei", size, magnitude)[:, :, :n]
    with np.errstate(all="ignore"):
        A = _inverse(J)
        A_size = np.abs(A)
        eta = np.abs(np.einsum("pij,pj->pi", A, F)) + np.einsum(
            "pij,pj->pi", A_size, F_error + 8 * n * UNIT * np.abs(F)
        )
        defect = np.abs(np.eye(n) - A @ J) + A_size @ (J_error + 8 * n * UNIT * np.abs(J))
        h = 2.0 * size[:, :n, :n].sum(axis=(1, 2))  # the products alone: linear terms have no second derivative
        eta, delta, kappa = (UP * v.max(axis=-1) for v in (eta, defect.sum(axis=-1), A_size @ h))
        radius = 2.0 * eta / (1.0 - delta)
        ok = (delta < 0.5) & (kappa * radius <= 0.5 * (1.0 - delta)) & np.isfinite(radius) & np.isfinite(kappa)
        alone = np.where(ok, (1.0 - delta) / np.maximum(kappa, 1e-300) / UP, 0.0)
    return ok, np.where(ok, UP * radius, np.inf), alone


def _inverse(J: Complex) -> Complex:
    """Approximate inverses; NaN where a matrix has none."""
    try:
        return np.asarray(np.linalg.inv(J), dtype=np.complex128)
    except np.linalg.LinAlgError:
        made = np.full_like(J, np.nan)
        for k, matrix in enumerate(J):
            try:
                made[k] = np.linalg.inv(matrix)
            except np.linalg.LinAlgError:
                continue
        return made
