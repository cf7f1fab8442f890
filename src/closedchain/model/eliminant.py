"""A plate on three circles reduced to one real trigonometric polynomial of degree 3 in the plate's angle.

Points of the plane are complex numbers. Leg 1 is the reference: U = P_1 − a_1, d_i = p_i − p_1, e_i = a_i − a_1,
z = e^{iφ}, n_i = d_i z − e_i. The closures |U|² = ρ_1², |U + n_i|² = ρ_i² give 2 U·n_i = w_i, linear in U, and hence

    f(φ) = |w_2 n_3 − w_3 n_2|² − 4 ρ_1² (n_2 × n_3)²,      w_i = ρ_i² − ρ_1² − |n_i|²
         = w_2² |n_3|² + w_3² |n_2|² − 2 w_2 w_3 n_2·n_3 − 4 ρ_1² (n_2 × n_3)²

whose factors all have degree 1 in (cos φ, sin φ). Every pose has f = 0; a simple root of f is exactly one pose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

EPS = float(np.finfo(float).eps)
ROUNDING = 64 * EPS  # of f and its coefficients, relative to the sum of the magnitudes that enter them

Real = NDArray[np.float64]
Complex = NDArray[np.complex128]


@dataclass(frozen=True)
class TrigPolynomial:
    """f(φ) = Re c_0 + 2 Re Σ_k c_k e^{ikφ}, one per row, with the magnitude that its rounding is relative to."""

    c: Complex  # (nb, n+1)
    magnitude: Real  # (nb,)

    def derivative(self, order: int, row: NDArray[np.intp], phi: Real) -> Real:
        """The order-th derivative of polynomial row[j] at phi[j]."""
        k = np.arange(self.c.shape[1])
        weight = np.where(k == 0, 1.0, 2.0) * (1j * k) ** order
        c = self.c[row] * weight
        z = np.exp(1j * phi)
        total = c[:, -1]
        for j in range(c.shape[1] - 2, -1, -1):
            total = total * z + c[:, j]
        return total.real

    def bound(self, order: int) -> Real:
        """A bound of |f^(order)| over all angles, (nb,)."""
        k = np.arange(self.c.shape[1])
        return (np.abs(self.c) * np.where(k == 0, 1.0, 2.0) * k**order).sum(axis=1) + self.slack(order)

    def slack(self, order: int) -> Real:
        """The rounding error that a computed f^(order) may carry, (nb,)."""
        return ROUNDING * self.magnitude * float(self.c.shape[1] - 1) ** order

    @property
    def flat(self) -> NDArray[np.bool_]:
        """Where f vanishes identically, within rounding."""
        return np.abs(self.c).sum(axis=1) <= self.slack(0)


def eliminant(d: Complex, e: Complex, rho: Real) -> TrigPolynomial:
    """The polynomial f of plates d (nb, 3), bases e (nb, 3), radii rho (nb, 3); d and e relative to leg 1."""
    d2, d3, e2, e3 = d[:, 1], d[:, 2], e[:, 1], e[:, 2]
    N2, N3 = (
        _linear(abs(d2) ** 2 + abs(e2) ** 2, -e2.conj() * d2),
        _linear(abs(d3) ** 2 + abs(e3) ** 2, -e3.conj() * d3),
    )
    inner = d2.conj() * d3 + e2.conj() * e3
    g = _linear(inner.real, -(e3.conj() * d2 + e2.conj() * d3) / 2)
    D = _linear(inner.imag, (e3.conj() * d2 - e2.conj() * d3) / 2j)
    w2, w3 = -N2, -N3
    w2[:, 0] += (rho[:, 1] - rho[:, 0]) * (rho[:, 1] + rho[:, 0])
    w3[:, 0] += (rho[:, 2] - rho[:, 0]) * (rho[:, 2] + rho[:, 0])
    c = _product(_product(w2, w2), N3) + _product(_product(w3, w3), N2) - 2 * _product(_product(w2, w3), g)
    c[:, :3] -= 4 * rho[:, :1] ** 2 * _product(D, D)
    c[:, 0] = c[:, 0].real
    return TrigPolynomial(c, _magnitude(d, e, rho))


def half_angle_coefficients(f: TrigPolynomial) -> Real:
    """The polynomial (1 + t²)ⁿ f in t = tan(φ/2), highest power first, (nb, 2n+1): z = (1 + it)/(1 − it)."""
    n = f.c.shape[1] - 1
    total = np.zeros((len(f.c), 2 * n + 1))
    for k in range(n + 1):
        basis = np.ones(1, complex)
        for factor in [(1, 1j)] * (n + k) + [(1, -1j)] * (n - k):  # lowest power first
            basis = np.convolve(basis, factor)
        total += (1.0 if k == 0 else 2.0) * (f.c[:, k : k + 1] * basis).real
    return total[:, ::-1]


def _magnitude(d: Complex, e: Complex, rho: Real) -> Real:
    """Sum of the absolute values of all terms of f: every subtraction of `eliminant` made an addition."""
    D, E = np.abs(d), np.abs(e)
    N2, N3 = (D[:, 1] + E[:, 1]) ** 2, (D[:, 2] + E[:, 2]) ** 2
    n2n3 = (D[:, 1] + E[:, 1]) * (D[:, 2] + E[:, 2])
    w2, w3 = rho[:, 1] ** 2 + rho[:, 0] ** 2 + N2, rho[:, 2] ** 2 + rho[:, 0] ** 2 + N3
    total: Real = w2**2 * N3 + w3**2 * N2 + 2 * w2 * w3 * n2n3 + 4 * rho[:, 0] ** 2 * n2n3**2
    return total


def _linear(c0: Real, c1: Complex) -> Complex:
    """Coefficients (nb, 2) of c_0 + 2 Re(c_1 z)."""
    return np.stack([c0.astype(complex), c1], axis=1)


def _product(a: Complex, b: Complex) -> Complex:
    """Coefficients of the product of two real trigonometric polynomials, (nb, n+1) × (nb, m+1) → (nb, n+m+1)."""
    n, m = a.shape[1] - 1, b.shape[1] - 1
    left = np.concatenate([a[:, :0:-1].conj(), a], axis=1)  # (nb, 2n+1), powers −n..n
    right = np.concatenate([b[:, :0:-1].conj(), b], axis=1)
    out = np.zeros((len(a), 2 * (n + m) + 1), complex)
    for j in range(2 * m + 1):
        out[:, j : j + 2 * n + 1] += left * right[:, j : j + 1]
    return out[:, n + m :]
