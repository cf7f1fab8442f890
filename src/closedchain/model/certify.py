"""Existence and uniqueness of a root near a computed one, by the Newton–Kantorovich theorem."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

EPS = float(np.finfo(float).eps)


def kantorovich(
    A: ArrayLike, F: ArrayLike, lipschitz: ArrayLike, *, slack: ArrayLike = 0.0, domain: ArrayLike = np.inf
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether exactly one root of F lies near the point where F has the value F and the Jacobian A.

        β = ‖A⁻¹‖₂,   η = ‖A⁻¹F‖₂ + β slack,   h = β L η
        h < 1/2  ⇒  one root within (1 − √(1 − 2h)) / (βL),  and no other within (1 + √(1 − 2h)) / (βL)

    `lipschitz` is L in ‖A(y) − A(y')‖₂ ≤ L ‖y − y'‖₂ on the ball of radius `domain`, `slack` bounds the rounding error
    of F in the 2-norm. β and η are raised by the rounding error of the singular values of A, so that a certificate
    never rests on a lucky digit. Returns (certified (*b,), radius of uniqueness (*b,)), the radius 0 where not
    certified and at most `domain`; a linear F (L = 0) has the radius `domain`.
    """
    A, F = np.asarray(A, float), np.asarray(F, float)  # (*b, n, n), (*b, n)
    finite = np.isfinite(A).all(axis=(-2, -1)) & np.isfinite(F).all(axis=-1)
    left, sigma, _ = np.linalg.svd(np.where(finite[..., None, None], A, 0.0))
    F = np.where(finite[..., None], F, 0.0)
    rounding = 8 * A.shape[-1] * EPS
    sigma_min = sigma[..., -1] - rounding * sigma[..., 0]
    regular = finite & (sigma_min > 0)
    beta = 1 / np.where(regular, sigma_min, 1.0)
    newton = np.linalg.norm(np.einsum("...ji,...j->...i", left, F) / np.where(regular[..., None], sigma, 1.0), axis=-1)
    size = np.linalg.norm(F, axis=-1)
    L, slack, domain = (np.asarray(value, float) for value in (lipschitz, slack, domain))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        eta = newton * beta * sigma[..., -1] + beta * (slack + rounding * size)
        h = beta * L * eta
        root = np.sqrt(np.maximum(1 - 2 * h, 0.0))
        error = 2 * eta / (1 + root)  # = (1 − √(1 − 2h)) / (βL), without cancellation and for L = 0
        radius = np.minimum((1 + root) / (beta * L) * (1 - 1e-12), domain)
        certified = regular & (h < 0.5) & (error < domain)
    return certified, np.where(certified, radius, 0.0)


def spheres_lipschitz(n: int) -> float:
    """Lipschitz constant 2√n of A = ∂φ/∂x for n closures φ_i = |x − a_i|² − ρ_i² of one point.

    A(x) − A(x') repeats the row 2(x − x')ᵀ n times, so the bound is attained.
    """
    return 2.0 * float(np.sqrt(n))
