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

from closedchain.arrays import Complex, Doubles
from closedchain.solver.paths import Member

UNIT = 2.0**-53
UP = 1.0 + 1e-9  # covers the rounding of the bounds themselves, sums of at most some thousand positive numbers
COEFFICIENTS = 8.0 * UNIT  # relative error that coefficients may have from being computed
REAL = 1e-6  # of its size: a solution this near to a real place is tried there first
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Certificates:
    """One row for each approximate solution."""

    proven: Flags  # exactly one solution lies within `radius`
    radius: Doubles  # infinite where nothing is proven
    alone: Doubles  # no other solution lies within this
    real: Flags  # proven, and real
    Z: Complex  # the centres: with zero imaginary parts where real


def certify(member: Member, Z: Complex) -> Certificates:
    """Certificates of approximate solutions Z (rows end in 1) of a system: about real centres where these are near."""
    centres = Z.copy()
    near = np.zeros(len(Z), dtype=bool)
    if member.is_real:
        near = np.abs(Z.imag).max(axis=-1) <= REAL * np.abs(Z).max(axis=-1)
        centres[near] = Z[near].real
    proven, radius, alone = _balls(member, centres)
    real = proven & near
    again = np.flatnonzero(near & ~proven)  # a pair of conjugate solutions may lie beside the real axis
    if len(again):
        centres[again] = Z[again]
        proven[again], radius[again], alone[again] = _balls(member, Z[again])
    return Certificates(proven, radius, alone, real, centres)


def _balls(member: Member, Z: Complex) -> tuple[Flags, Doubles, Doubles]:
    shape = member.shape
    depth = (shape.n + 1) ** 2 + 8.0  # of the sums
    F_rounding, J_rounding = 2.0 * depth * UNIT + COEFFICIENTS, 4.0 * depth * UNIT + 2.0 * COEFFICIENTS
    found = member.contraction(Z, F_rounding, J_rounding, 8 * shape.n * UNIT)
    with np.errstate(all="ignore"):
        eta, delta, kappa = (UP * v for v in found)
        radius = 2.0 * eta / (1.0 - delta)
        ok = (delta < 0.5) & (kappa * radius <= 0.5 * (1.0 - delta)) & np.isfinite(radius) & np.isfinite(kappa)
        alone = np.where(ok, (1.0 - delta) / np.maximum(kappa, 1e-300) / UP, 0.0)
    return ok, np.where(ok, UP * radius, np.inf), alone
