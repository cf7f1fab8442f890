"""All models of the biglide in vectorised NumPy: structure of arrays, chunks that stay in cache, answers in place."""

from __future__ import annotations

import numpy as np

from .biglide import BAR, FOOT_MASS, GAUGE, TIP_MASS, Array

CHUNK = 16384  # states; the fastest of 1024, 2048, ... 32768 (0.5 MB of L2 cache a core, 32 MB of L3)
SIDES = np.array([[GAUGE / 2], [-GAUGE / 2]])  # (2, 1) from the tip's x to the legs' r_x


def all_models(inputs: Array, sign: float, outputs: Array) -> None:
    """Fill outputs (36, n) from inputs (6, n), rows as in biglide.py."""
    for start in range(0, inputs.shape[1], CHUNK):
        chunk = slice(start, start + CHUNK)
        _models_of_chunk(inputs[:, chunk], sign, outputs[:, chunk])


def _models_of_chunk(inputs: Array, sign: float, out: Array) -> None:
    q, v, a = inputs[0:2], inputs[2:4], inputs[4:6]  # (2, m) each
    rx, ry = _geometry(q, sign, out)
    inv, J11, J2 = _jacobian(rx, ry, out)
    ux, wy, b = _rates(rx, ry, v, a, inv, J11, J2, out)
    _angles(rx, ry, ux, wy, a, out)
    _dynamics(rx, ry, a, inv, J11, J2, b, out)


def _geometry(q: Array, sign: float, out: Array) -> tuple[Array, Array]:
    """The tip, and r_i from foot i to it."""
    D = q[0] - q[1]
    k = D * D
    k += GAUGE * GAUGE
    np.divide(BAR * BAR, k, out=k)
    k -= 0.25
    np.sqrt(k, out=k)
    k *= sign
    np.multiply(k, D, out=out[0])
    np.add(0.5 * (q[0] + q[1]), k * GAUGE, out=out[1])
    return out[0] + SIDES, out[1] - q


def _jacobian(rx: Array, ry: Array, out: Array) -> tuple[Array, Array, Array]:
    """A, B, their determinants and J = -A⁻¹B; J's first row is (J11, -J11)."""
    np.multiply(rx, 2.0, out=out[12:16:2])
    np.multiply(ry, 2.0, out=out[13:16:2])
    np.multiply(ry, -2.0, out=out[16:20:3])
    out[17:19] = 0.0
    det, product = rx[0] * ry[1] - ry[0] * rx[1], ry[0] * ry[1]
    np.multiply(det, 4.0, out=out[32])
    np.multiply(product, 4.0, out=out[33])
    inv = np.divide(1.0, det, out=det)
    J11, J2 = out[20], out[22:24]
    np.multiply(product, inv, out=J11)
    np.negative(J11, out=out[21])
    np.multiply(rx[::-1], ry, out=J2)
    J2 *= inv
    np.negative(J2[0], out=J2[0])
    return inv, J11, J2


def _rates(
    rx: Array, ry: Array, v: Array, a: Array, inv: Array, J11: Array, J2: Array, out: Array
) -> tuple[Array, Array, Array]:
    """x_dot = J q_dot, x_ddot = J q_ddot + b with b = -A⁻¹(A_dot x_dot + B_dot q_dot)."""
    u, b = out[2:4], np.empty_like(v)
    np.multiply(J11, v[0] - v[1], out=u[0])
    np.add(J2[0] * v[0], J2[1] * v[1], out=u[1])
    wy = u[1] - v  # (2, m) rate of r_i, whose x part is u[0]
    w = wy * wy
    w += u[0] * u[0]
    w *= inv
    np.subtract(ry[0] * w[1], ry[1] * w[0], out=b[0])
    np.subtract(rx[1] * w[0], rx[0] * w[1], out=b[1])
    np.add(J11 * (a[0] - a[1]), b[0], out=out[4])
    np.add(J2[0] * a[0] + J2[1] * a[1], b[1], out=out[5])
    return u[0], wy, b


def _angles(rx: Array, ry: Array, ux: Array, wy: Array, a: Array, out: Array) -> None:
    """The bars' angles and their rates: l² phi_dot = r × r_dot, l² phi_ddot = r × r_ddot."""
    np.arctan2(ry, rx, out=out[6:8])
    rate, acceleration = out[8:10], out[10:12]
    np.subtract(rx * wy, ry * ux, out=rate)
    rate *= 1.0 / (BAR * BAR)
    np.subtract(rx * (out[5] - a), ry * out[4], out=acceleration)
    acceleration *= 1.0 / (BAR * BAR)


def _dynamics(rx: Array, ry: Array, a: Array, inv: Array, J11: Array, J2: Array, b: Array, out: Array) -> None:
    """M = m_f I + m_p JᵀJ, c = m_p Jᵀb, tau = m_f q_ddot + m_p Jᵀx_ddot, lam = m_p A⁻ᵀx_ddot."""
    square = J11 * J11
    diagonal = out[24:28:3]
    np.add(J2 * J2, square, out=diagonal)
    diagonal *= TIP_MASS
    diagonal += FOOT_MASS
    np.subtract(J2[0] * J2[1], square, out=out[25])
    out[25] *= TIP_MASS
    out[26] = out[25]
    _project(J11, J2, b, out[28:30])
    x_ddot, tau, lam = out[4:6], out[30:32], out[34:36]
    _project(J11, J2, x_ddot, tau)
    tau += FOOT_MASS * a
    inv *= 0.5 * TIP_MASS
    np.subtract(ry[1] * x_ddot[0], rx[1] * x_ddot[1], out=lam[0])
    np.subtract(rx[0] * x_ddot[1], ry[0] * x_ddot[0], out=lam[1])
    lam *= inv


def _project(J11: Array, J2: Array, tip: Array, out: Array) -> None:
    """m_p Jᵀ tip, with J = [[J11, -J11], [J2]]."""
    np.multiply(J2, tip[1], out=out)
    along = J11 * tip[0]
    out[0] += along
    out[1] -= along
    out *= TIP_MASS
