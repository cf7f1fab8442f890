"""Proofs that exactly k solutions lie near a place where J is singular: one that is multiple, or some that merge.

With J(z) = U Σ Vᴴ and σₙ small write z + v s + W w, v the last column of V and W the others, and split F by U: f, all
but the last, and g = uₙᴴ F. A polynomial w̃(s) of degree k solves f = 0 as a series. F is quadratic, so along
p(s) = z + v s + W w̃(s) it is a polynomial in s, T(s) = Uᴴ F(p(s)), with coefficients whose rounding is bounded. For
|s| = ρ the map w ↦ w − Σ⁻¹ f contracts the ball of radius r about w̃(s) when

    b + L r ≤ r,     b = ‖Σ⁻¹ T_f‖,     L = ‖I − Σ⁻¹ Uᴴ J W‖ + 2 q |W| R < 1,     q = ‖Σ⁻¹ |Uᴴ| h‖ / 2,

R bounding the way from z to p(s) + W (w − w̃) (norms of rows, h_e = 2 Σ |C_k| as in `certificate`). Then w is an
analytic function of s, and g(s) = Σ g_j s^j + E with |E| ≤ ‖∂g/∂w‖ r. Where |g_k| ρ^k is larger than all else together
g has exactly k zeros within |s| < ρ (Rouché), and so has F in the ball of radius R.
"""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Complex, Doubles
from closedchain.solver.certificate import COEFFICIENTS, UNIT, UP
from closedchain.solver.quadrics import Pattern

GROWTH = 2.0  # from one radius that is tried to the next
LARGEST = 3e-2  # of the solution's size
CENTRED = 6  # steps to the middle


@np.errstate(over="ignore", invalid="ignore")  # far out the series overflows: nothing is proven there
def middle(shape: Pattern, C: Complex, z: Complex, count: int) -> Complex:
    """The middle of `count` solutions that meet near z: where g_{count − 1}, minus their sum in s, vanishes."""
    Q = shape.dense(C)
    for _ in range(CENTRED):
        try:
            U, sigma, V = np.linalg.svd(2.0 * (Q @ z)[:, : shape.n])
        except np.linalg.LinAlgError:
            return z
        if not (len(sigma) > 1 and sigma[-2] > 0.0):
            return z
        P = _series(Q, z, U.conj().T, sigma, V.conj().T, count)
        g = _along(Q, P) @ U[:, -1].conj()
        if not (np.isfinite(g).all() and abs(g[count]) > 0.0):
            return z
        s = -g[count - 1] / (count * g[count])
        if not abs(s) <= LARGEST * np.abs(z).max():
            return z
        z = s ** np.arange(count + 1) @ P
    return z


@np.errstate(over="ignore", invalid="ignore")
def parted(shape: Pattern, C: Complex, z: Complex, count: int) -> Complex:
    """About where each of `count` solutions near z lies, (count, n + 1): p(s) at the zeros of g; fewer where it has."""
    Q = shape.dense(C)
    U, sigma, V = np.linalg.svd(2.0 * (Q @ z)[:, : shape.n])
    P = _series(Q, z, U.conj().T, sigma, V.conj().T, count)
    g = (_along(Q, P) @ U[:, -1].conj())[: count + 1]
    if not (np.isfinite(P).all() and np.isfinite(g).all()):
        return z[None][:0]
    return np.roots(g[::-1])[:, None] ** np.arange(count + 1) @ P


@np.errstate(over="ignore", invalid="ignore")
def together_within(shape: Pattern, C: Complex, z: Complex, spread: float, count: int) -> float:
    """A radius (largest component) about z within which `count` solutions lie, the only ones of a neighbourhood.

    Infinite where none is proven. z ends in 1, and radii from the spread of what was found there are tried.
    """
    n, Q = shape.n, shape.dense(C)
    J = 2.0 * (Q @ z)[:, :n]
    try:
        U, sigma, V = np.linalg.svd(J)
    except np.linalg.LinAlgError:
        return np.inf
    if n < 2 or not sigma[-2] > 0.0:
        return np.inf
    left, right = U.conj().T, V.conj().T
    W = right[:, :-1]
    P = _series(Q, z, left, sigma, right, count)
    if not np.isfinite(P).all():
        return np.inf
    size, magnitude = np.abs(Q), np.abs(z)
    depth, long = (n + 1) ** 2 + 2.0 * count + 8.0, np.abs(P)
    F, F_size = _along(Q, P), _along(size, long)  # (2 count + 1, n)
    error = (2.0 * depth * UNIT + COEFFICIENTS) * F_size + 8 * n * UNIT * np.abs(F)
    T, T_error = np.abs(F @ left.T), error @ np.abs(left).T
    J_error = (4.0 * depth * UNIT + 2.0 * COEFFICIENTS) * (size @ magnitude)[:, :n] + 32 * n * UNIT * np.abs(J).max()
    slopes = left @ J @ W
    slopes_error = np.abs(left) @ J_error @ np.abs(W) + 32 * n * UNIT * np.abs(slopes).max()
    bend = np.abs(left) @ (2.0 * size[:, :n, :n].sum(axis=(1, 2))) / 2.0  # |quadratic part| ≤ bend |δz|²
    inverse = 1.0 / sigma[:-1]
    defect = np.abs(np.eye(n - 1) - inverse[:, None] * slopes[:-1]) + inverse[:, None] * slopes_error[:-1]
    least = UP * float(defect.sum(axis=1).max())
    q, wide = UP * float((inverse * bend[:-1]).max()), UP * float(np.abs(W).sum(axis=1).max())
    crossed = float((np.abs(slopes[-1]) + slopes_error[-1]).sum())
    rho = max(GROWTH * spread, 1e-12 * float(magnitude.max()))
    while rho <= LARGEST * float(magnitude.max()):
        powers = rho ** np.arange(2 * count + 1)
        most = (T + T_error) * powers[:, None]
        b = UP * float((inverse * most[:, :-1].sum(axis=0)).max())
        offset = long[: count + 1, :n].copy()
        offset[0] = np.abs(P[0, :n] - z[:n])
        r = 2.0 * b
        reach = UP * (float((offset * powers[: count + 1, None]).sum(axis=0).max()) + wide * r)
        contraction = least + 2.0 * q * wide * reach
        rest = float(np.delete(most[:, -1], count).sum()) + (crossed + 2.0 * bend[-1] * wide * reach) * r
        if contraction < 0.5 and UP * rest < (T[count, -1] - T_error[count, -1]) * powers[count]:
            return float(reach)
        rho *= GROWTH
    return np.inf


def _along(Q: Complex | Doubles, P: Complex | Doubles) -> Complex:
    """The coefficients (2 d + 1, n) of F(p(s)) for a polynomial p of coefficients P (d + 1, n + 1)."""
    made = np.zeros((2 * len(P) - 1, len(Q)), np.result_type(Q, P))
    for a, row in enumerate(P):
        made[a : a + len(P)] += (Q @ row @ P.T).T
    return made


def _series(Q: Complex, z: Complex, left: Complex, sigma: Doubles, right: Complex, count: int) -> Complex:
    """p(s) = z + v s + W w̃(s) up to s^count, so that f vanishes to that order but for rounding, (count + 1, n + 1)."""
    n = len(sigma)
    P = np.zeros((count + 1, n + 1), np.complex128)
    P[0] = z
    P[1, :n] = right[:, -1]
    for order in range(count + 1):
        f = (_along(Q, P)[order] @ left.T)[:-1]
        P[order, :n] -= right[:, :-1] @ (f / sigma[:-1])
    return P
