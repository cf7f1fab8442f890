"""The closures of a plate on three circles in the unknowns (U, φ), made dimensionless, with Newton's methods for them.

    V_i = U + d_i z − e_i,   z = e^{iφ},   F_i = |V_i|² − ρ_i²,   y = (Re U, Im U, ℓφ),   ℓ = max |d_i|

Lengths are divided by a power of two that makes all of them at most 1, so scaling costs no rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from closedchain.model.certify import EPS, kantorovich
from closedchain.model.eliminant import Complex, Real

RESIDUAL = 64 * EPS  # of |V_i| − ρ_i, relative to the largest length: what rounding alone can leave
CREEP = 1e-6  # what is left to go for a regular pose whose error is rounding only, with room for ill condition
PAIRS = ((0, 1), (0, 2), (1, 2))

Index = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Plates:
    """Plates on three circles, one per row, lengths divided by `scale`, all relative to leg 1."""

    d: Complex  # (nb, 3) plate points p_i − p_1
    e: Complex  # (nb, 3) centres a_i − a_1
    rho: Real  # (nb, 3) radii
    arm: Real  # (nb,) ℓ, 1 for a plate that is a point
    scale: Real  # (nb,) [m], a power of two

    def __getitem__(self, rows: Index | Mask | slice) -> Plates:
        return Plates(self.d[rows], self.e[rows], self.rho[rows], self.arm[rows], self.scale[rows])


def normalise(centre: Real, radius: Real, local: Real) -> Plates:
    """Plates of centres (nb, 3, 2), radii (nb, 3) and plate points (nb, 3, 2)."""
    plane = np.array([1, 1j])
    e, d = (centre - centre[:, :1]) @ plane, (local - local[:, :1]) @ plane  # (nb, 3)
    largest = np.max([np.abs(d), np.abs(e), radius], axis=(0, 2), initial=0.0)
    scale = np.where(largest > 0, np.ldexp(1.0, np.frexp(largest)[1]), 1.0)[:, None]
    arm = np.abs(d / scale).max(axis=1, initial=0.0)
    return Plates(d / scale, e / scale, radius / scale, np.where(arm > 0, arm, 1.0), scale[:, 0])


def legs(plates: Plates, U: Complex, phi: Real) -> Complex:
    """The leg vectors V_i = P_i − a_i, (m, 3)."""
    return U[:, None] + plates.d * np.exp(1j * phi)[:, None] - plates.e


def stretch(plates: Plates, U: Complex, phi: Real) -> Real:
    """Lengths by which the legs are too long, |V_i| − ρ_i, (m, 3)."""
    return np.abs(legs(plates, U, phi)) - plates.rho


def crossing(plates: Plates, phi: Real) -> tuple[Complex, tuple[Complex, Real, Real], Mask]:
    """U at each angle: −i (w_2 n_3 − w_3 n_2)/(2D), D = n_2 × n_3; (n, w, D); and whether U is within reach."""
    d, e, rho = plates.d, plates.e, plates.rho
    n = d[:, 1:] * np.exp(1j * phi)[:, None] - e[:, 1:]  # (m, 2)
    w = (rho[:, 1:] - rho[:, :1]) * (rho[:, 1:] + rho[:, :1]) - np.abs(n) ** 2
    D = (n[:, 0].conj() * n[:, 1]).imag
    U = -1j * (w[:, 0] * n[:, 1] - w[:, 1] * n[:, 0]) / (2 * np.where(D == 0, 1e-300, D))
    return U, (n, w, D), np.isfinite(U) & (np.abs(U) <= 4)


def out_of_reach(plates: Plates, phi: Real, half: Real) -> Mask:
    """Where |V_i − V_j| is outside [|ρ_i − ρ_j|, ρ_i + ρ_j] of some two legs, for every angle within `half` of phi."""
    z, out = np.exp(1j * phi), np.zeros(len(phi), bool)
    for i, j in PAIRS:
        d, e = plates.d[:, j] - plates.d[:, i], plates.e[:, j] - plates.e[:, i]
        gap, margin = np.abs(d * z - e), np.abs(d) * half + 16 * EPS
        out |= gap > plates.rho[:, i] + plates.rho[:, j] + margin
        out |= gap < np.abs(plates.rho[:, i] - plates.rho[:, j]) - margin
    return out


def residual_and_rows(plates: Plates, U: Complex, phi: Real) -> tuple[Real, Real]:
    """F (m, 3) and half its Jacobian ∂F/∂y (m, 3, 3), whose row i is (V_i, V_i·m_i/ℓ), m_i = i d_i z."""
    V = legs(plates, U, phi)
    length = np.abs(V)
    return (length - plates.rho) * (length + plates.rho), _rows(plates, V, phi)


def _rows(plates: Plates, V: Complex, phi: Real) -> Real:
    m = 1j * plates.d * np.exp(1j * phi)[:, None]
    return np.stack([V.real, V.imag, (V.conj() * m).real / plates.arm[:, None]], axis=2)


def polish(plates: Plates, U: Complex, phi: Real, steps: int = 10) -> tuple[Complex, Real]:
    """Newton's method on |V_i| = ρ_i, steps limited to half the largest length and 0.3 rad; returns the best iterate.

    From a singular pose a Newton step leaps to some other pose. A point whose error is rounding only may therefore
    still creep, by at most CREEP, but not leap.
    """
    best_U, best_phi, best = U, phi, np.full(len(phi), np.inf)
    for left in range(steps, -1, -1):
        V = legs(plates, U, phi)
        length = np.abs(V)
        error = np.abs(length - plates.rho).max(axis=1, initial=0.0)
        leap = (best <= RESIDUAL) & (np.maximum(np.abs(U - best_U), np.abs(phi - best_phi)) > CREEP)
        better = (error < best) & ~leap
        best_U, best_phi = np.where(better, U, best_U), np.where(better, phi, best_phi)
        best = np.where(better, error, best)
        if not left:
            break
        rows = _rows(plates, V, phi)
        cofactor = _cofactors(rows)  # (m, 3, 3), row i belongs to row i
        det = np.einsum("mj,mj->m", rows[:, 0], cofactor[:, 0])
        step = -np.einsum("mi,mij->mj", (length - plates.rho) * length, cofactor)
        U, phi = _move(plates, U, phi, step / np.where(det == 0, 1e-300, det)[:, None])
    return best_U, best_phi


def refine_fold(plates: Plates, U: Complex, phi: Real, steps: int = 40) -> tuple[Complex, Real]:
    """Gauss–Newton on F = 0 and det A = 0: the singular pose where two poses merge, to full accuracy if there is one.

    A leg of radius 0 (within rounding) has the gradient 0 at its root; the regular equations V_i = 0 are added for it.
    """
    pin = (plates.rho <= RESIDUAL).astype(float)  # (m, 3)
    for _ in range(steps):
        F, rows = residual_and_rows(plates, U, phi)
        det, slope = _determinant(plates, U, phi, rows)
        V = legs(plates, U, phi)
        m = 1j * plates.d * np.exp(1j * phi)[:, None] / plates.arm[:, None]
        one, zero = np.ones_like(pin), np.zeros_like(pin)
        value = np.concatenate([F / 2, det[:, None], pin * V.real, pin * V.imag], axis=1)  # (m, 10)
        real = pin[..., None] * np.stack([one, zero, m.real], axis=2)
        imag = pin[..., None] * np.stack([zero, one, m.imag], axis=2)
        jacobian = np.concatenate([rows, slope[:, None], real, imag], axis=1)  # (m, 10, 3)
        step = -np.einsum("mji,mi->mj", np.linalg.pinv(jacobian, rcond=1e-12), value)
        U, phi = _move(plates, U, phi, step)
    return U, phi


def slide_to_extreme(plates: Plates, leg: Index, U: Complex, phi: Real, steps: int = 12) -> tuple[Complex, Real]:
    """Newton on F_i = F_j = 0 of the two other legs and det A = 0: there |V_leg| is extreme."""
    m = np.arange(len(leg))
    for _ in range(steps):
        F, rows = residual_and_rows(plates, U, phi)
        det, slope = _determinant(plates, U, phi, rows)
        value, jacobian = F / 2, rows.copy()
        value[m, leg], jacobian[m, leg] = det, slope
        step = -np.einsum("mji,mi->mj", np.linalg.pinv(jacobian, rcond=1e-12), value)
        U, phi = _move(plates, U, phi, step)
    return U, phi


def certify(plates: Plates, U: Complex, phi: Real) -> tuple[Mask, Real]:
    """Newton–Kantorovich test of C F = 0, C ≈ A⁻¹: (certified, radius of uniqueness in √(|ΔP_1|² + ℓ²Δφ²), scaled).

    On a ball of radius ℓ, |∂²F_i/∂y²| ≤ H_i = 2(1 + δ_i²) + 2(|V_i| + 2ℓ)δ_i/ℓ with δ_i = |d_i|/ℓ ≤ 1, so that C A
    has the Lipschitz constant ‖|C| H‖. Multiplying by C makes the test independent of the units and sizes of the legs.
    """
    F, rows = residual_and_rows(plates, U, phi)
    A, arm = 2 * rows, plates.arm[:, None]
    cofactor = _cofactors(A)
    det = np.einsum("mj,mj->m", A[:, 0], cofactor[:, 0])
    regular = np.abs(det) > 1e-100  # beyond this no certificate is possible, and C would overflow
    C = np.where(regular[:, None, None], np.swapaxes(cofactor, 1, 2) / np.where(regular, det, 1.0)[:, None, None], 0.0)
    defect = np.linalg.norm(np.eye(3) - C @ A, axis=(1, 2)) + 8 * EPS * np.linalg.norm(abs(C) @ abs(A), axis=(1, 2))
    length, delta = np.abs(legs(plates, U, phi)), np.abs(plates.d) / arm
    second = 2 * (1 + delta**2) + 2 * (length + 2 * arm) * delta / arm  # (m, 3) H
    terms = np.abs(U)[:, None] + np.abs(plates.d) + np.abs(plates.e)
    rounding = 16 * EPS * (length * terms + plates.rho**2 + np.abs(F))  # (m, 3) of F
    weigh = np.abs(C)
    lipschitz = np.linalg.norm(np.einsum("mij,mj->mi", weigh, second), axis=1) * (1 + 16 * EPS)
    slack = np.linalg.norm(np.einsum("mij,mj->mi", weigh, rounding), axis=1)
    near_one = np.maximum(1 - defect, 0.0)[:, None, None] * np.eye(3)  # ‖C A w‖ ≥ (1 − defect) ‖w‖
    return kantorovich(near_one, np.einsum("mij,mj->mi", C, F), lipschitz, slack=slack, domain=plates.arm)


def _cofactors(rows: Real) -> Real:
    """Cofactor matrix (m, 3, 3): det = rows_i · cofactor_i for each i."""
    (x, y, z), (u, v, w) = (np.moveaxis(rows[:, turned], 2, 0) for turned in ([1, 2, 0], [2, 0, 1]))
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=2)  # without what np.cross asks of its shapes


def _determinant(plates: Plates, U: Complex, phi: Real, rows: Real) -> tuple[Real, Real]:
    """det of `rows` (m,) and its gradient in y (m, 3)."""
    V, arm = legs(plates, U, phi), plates.arm[:, None]
    dz = plates.d * np.exp(1j * phi)[:, None]
    m = 1j * dz / arm
    one, zero = np.ones_like(m.real), np.zeros_like(m.real)
    bend = (np.abs(m) ** 2) - (V.conj() * dz).real / arm**2
    rate = np.stack(
        [  # (m, leg, column, y)
            np.stack([one, zero, m.real], axis=2),
            np.stack([zero, one, m.imag], axis=2),
            np.stack([m.real, m.imag, bend], axis=2),
        ],
        axis=3,
    )
    cofactor = _cofactors(rows)
    return np.einsum("mj,mj->m", rows[:, 0], cofactor[:, 0]), np.einsum("mij,mijy->my", cofactor, rate)


def _move(plates: Plates, U: Complex, phi: Real, step: Real) -> tuple[Complex, Real]:
    """y + step, the step shortened to at most 0.5 in U and 0.3 rad."""
    turn = step[:, 2] / plates.arm
    size = np.maximum(np.hypot(step[:, 0], step[:, 1]) / 0.5, np.abs(turn) / 0.3)
    shorten = 1 / np.maximum(size, 1.0)
    moved = np.isfinite(size) & np.isfinite(shorten)
    return (
        U + np.where(moved, (step[:, 0] + 1j * step[:, 1]) * shorten, 0.0),
        phi + np.where(moved, turn * shorten, 0.0),
    )
