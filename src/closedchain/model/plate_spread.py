"""How far the poses of a cluster can be from the one that is told, when the eliminant only bounds their angles."""

from __future__ import annotations

import numpy as np

from closedchain.model.eliminant import EPS, Complex, Real
from closedchain.model.plate_closure import Plates
from closedchain.model.root_discs import Disc

INPUT = 4 * EPS  # by which the coordinates may be off, relative to the largest length: a drive's sine and a product
WIDEST = 3.0  # [rad] turns beyond this bound nothing


def spread(plate: Plates, disc: Disc, middle: float, U: complex, phi: float) -> float:
    """A bound of √(|ΔU|² + ℓ²|Δφ|²) from the row (U, φ) to every pose, complex ones too, whose t is in the disc."""
    centre, far = disc.centre.real, float(np.sqrt(1 + disc.centre.real**2)) - disc.radius
    if far <= 0:
        return np.inf
    off = abs(float(np.angle(np.exp(1j * (phi - middle - 2 * np.arctan(centre))))))
    turn = off + 2 * disc.radius / far**2  # |dφ/dt| = 2/|1 + t²|
    if turn > WIDEST:
        return np.inf
    shift = min(_by_determinant(plate, U, phi, turn), _by_line(plate, U, phi, turn))
    return float(np.hypot(shift, plate.arm[0] * turn)) * (1 + 1e-9)


def _by_determinant(plate: Plates, U: complex, phi: float, turn: float) -> float:
    """|ΔU| from 2 U·n_i = w_i: |U'| turn and the rest of Taylor's series, by Cauchy's bound on a wider disc.

    U' solves n_i·U' = w_i'/2 − n_i'·U, with n_i' = i d_i z and w_i' = −2 n_i·n_i'. Infinite where n_2 × n_3 may vanish.
    """
    n, w, _, _ = _terms(plate, phi, 0.0)
    if (n[0].conjugate() * n[1]).imag == 0:
        return np.inf
    rows, slope = np.stack([n.real, n.imag], axis=1), 1j * (n + plate.e[0, 1:])
    here = np.linalg.solve(rows, w / 2)
    turned = np.linalg.solve(rows, -(n.conj() * slope).real - slope.real * here[0] - slope.imag * here[1])
    begin = abs(complex(*here) - U) + _moved(plate, phi, 0.0)
    wider = [R for R in turn * 2.0 ** np.arange(1, 60) if R < WIDEST]
    rest = min((_moved(plate, phi, R) * (turn / R) ** 2 / (1 - turn / R) for R in wider), default=np.inf)
    return float(begin + np.linalg.norm(turned) * turn + rest)


def _moved(plate: Plates, phi: float, turn: float) -> float:
    """|ΔU| by Cramer's rule, U = −i (w_2 n_3 − w_3 n_2) / (2 n_2 × n_3), every term at its worst."""
    n, w, dn, dw = _terms(plate, phi, turn)
    size, level = np.abs(n) + dn, np.abs(w) + dw
    area = (n[0].conjugate() * n[1]).imag
    change = 2 * float(dn[0] * size[1] + np.abs(n[0]) * dn[1])
    least = abs(area) - change
    if least <= 0:
        return np.inf
    here = abs(w[0] * n[1] - w[1] * n[0]) / (2 * abs(area))
    numerator = dw[0] * size[1] + level[0] * dn[1] + dw[1] * size[0] + level[1] * dn[0]
    return float((np.sqrt(2) * numerator + 2 * change * here) / (2 * least))


def _terms(plate: Plates, phi: float, turn: float) -> tuple[Complex, Real, Real, Real]:
    """n_i, w_i of legs 2 and 3 at φ and how far they may move within |Δφ| ≤ turn, where |e^{iΔφ} − 1| ≤ e^turn − 1."""
    d, e, rho = plate.d[0, 1:], plate.e[0, 1:], plate.rho[0]
    grow = float(np.expm1(turn))
    n = d * np.exp(1j * phi) - e
    w = (rho[1:] - rho[0]) * (rho[1:] + rho[0]) - np.abs(n) ** 2
    return n, w, np.abs(d) * grow + 4 * INPUT, 2 * np.abs(d) * np.abs(e) * grow + 32 * INPUT


def _by_line(plate: Plates, U: complex, phi: float, turn: float) -> float:
    """|ΔU| from the longer n alone: U = (α + iβ) n/|n|, α by 2 U·n = w, β² = ρ_1² − α²."""
    n, w, dn, dw = _terms(plate, phi, turn)
    i = int(np.abs(n).argmax())
    long, bend, rho = float(np.abs(n[i])), 2 * float(dn[i]), float(plate.rho[0, 0]) + INPUT
    if long <= np.sqrt(2) * bend:
        return np.inf
    level = abs(float(w[i])) / (2 * long)
    most = (np.sqrt(2) * (level + float(dw[i]) / (2 * long)) + rho) / (1 - np.sqrt(2) * bend / long)  # of |U|
    row = U * complex(n[i]).conjugate() / long  # α + iβ of the row
    along = (float(dw[i]) / 2 + bend * most) / long + abs(row.real - float(w[i]) / (2 * long))
    across = np.sqrt(abs(rho**2 - row.real**2) + 2 * abs(row.real) * along + along**2 + 4 * INPUT)
    return float(np.hypot(along, across + abs(row.imag)))
