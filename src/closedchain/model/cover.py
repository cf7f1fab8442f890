"""A second proof that nothing was missed, in the plane of (θ, φ), where the eliminant drowns in rounding.

With U = ρ_1 e^{iθ} the closures of legs 2 and 3 are G_i(θ, φ) = 2 U·n_i + |n_i|² − (ρ_i² − ρ_1²). Boxes of that plane
are discarded where G cannot vanish or where they lie in the ball of uniqueness of a pose already certified. A nearly
congruent plate and base need this: there the eliminant is tiny over a whole range of angles while G is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.model.certify import EPS
from closedchain.model.eliminant import Complex, Real
from closedchain.model.plate_closure import Index, Mask, Plates, out_of_reach

FIRST_BOXES = 16
HALVINGS = 48
MOST_BOXES = 2000  # per strip; more means that the question is left open
BLOCK = 64  # strips at a time, to bound memory


@dataclass(frozen=True)
class Known:
    """Certified poses per plate, padded with radius 0 to k columns."""

    U: Complex  # (nb, k)
    phi: Real  # (nb, k)
    radius: Real  # (nb, k)


def tabulate(nb: int, row: Index, U: Complex, phi: Real, radius: Real) -> Known:
    """Poses sorted by row as a padded table."""
    start = np.searchsorted(row, row)
    column = np.arange(len(row)) - start
    width = int(column.max(initial=0)) + 1
    table = Known(np.zeros((nb, width), complex), np.zeros((nb, width)), np.zeros((nb, width)))
    table.U[row, column], table.phi[row, column], table.radius[row, column] = U, phi, radius
    return table


def covered(plates: Plates, known: Known, row: Index, lo: Real, hi: Real) -> Mask:
    """Which strips lo ≤ φ ≤ hi of plates `row` hold no pose but the known ones, (k,); False is not a disproof."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(row), BLOCK)]
    return np.concatenate([np.zeros(0, bool), *(_covered(plates, known, row[b], lo[b], hi[b]) for b in blocks)])


def _covered(plates: Plates, known: Known, row: Index, lo: Real, hi: Real) -> Mask:
    """`covered` for one block of strips."""
    strip = np.repeat(np.arange(len(row)), FIRST_BOXES)
    theta = np.tile(2 * np.pi * np.arange(FIRST_BOXES) / FIRST_BOXES, len(row))
    phi, h_phi = ((lo + hi) / 2)[strip], ((hi - lo) / 2)[strip] + 1e-15
    h_theta = np.full(len(strip), np.pi / FIRST_BOXES + 1e-15)
    proven = np.ones(len(row), bool)
    for _ in range(HALVINGS):
        k = row[strip]
        empty, tall = _empty(plates[k], theta, phi, h_theta, h_phi)
        empty |= out_of_reach(plates[k], phi, h_phi)
        on = ~(empty | _in_a_ball(plates[k], known, k, theta, phi, h_theta, h_phi))
        proven &= np.bincount(strip[on], minlength=len(row)) <= MOST_BOXES
        on &= proven[strip]
        if not on.any():
            return proven
        side = np.tile([-1.0, 1.0], np.count_nonzero(on))
        strip, tall = np.repeat(strip[on], 2), np.repeat(tall[on], 2)
        theta, phi, h_theta, h_phi = (np.repeat(v[on], 2) for v in (theta, phi, h_theta, h_phi))
        h_theta, h_phi = np.where(tall, h_theta, h_theta / 2), np.where(tall, h_phi / 2, h_phi)
        theta, phi = theta + np.where(tall, 0.0, side * h_theta), phi + np.where(tall, side * h_phi, 0.0)
        h_theta, h_phi = h_theta + 1e-15, h_phi + 1e-15  # overlap by more than the rounding of the middles
    proven[strip] = False
    return proven


def _empty(plates: Plates, theta: Real, phi: Real, h_theta: Real, h_phi: Real) -> tuple[Mask, Mask]:
    """(boxes in which G_2 and G_3 cannot both vanish, boxes that are better halved in φ than in θ).

    A root at m + s has J s = −G(m) − r with |r_i| ≤ the second-order bound; its rows and those of J⁻¹ of it are tried.
    """
    rho1, z = plates.rho[:, :1], np.exp(1j * phi)[:, None]
    d, e, U = plates.d[:, 1:], plates.e[:, 1:], rho1 * np.exp(1j * theta)[:, None]
    n, square = d * z - e, (plates.rho[:, 1:] - rho1) * (plates.rho[:, 1:] + rho1)  # (m, 2)
    G = 2 * (U.conj() * n).real + np.abs(n) ** 2 - square
    by_theta, by_phi = 2 * ((1j * U).conj() * n).real, 2 * ((U + n).conj() * (1j * d * z)).real
    t, p = h_theta[:, None], h_phi[:, None]
    widest = np.abs(n) + np.abs(d) * p
    rest = rho1 * widest * t**2 + 2 * rho1 * np.abs(d) * t * p + np.abs(d) * (rho1 + np.abs(e)) * p**2
    rest = rest + 32 * EPS * ((rho1 + np.abs(n)) * (np.abs(d) + np.abs(e)) + np.abs(square) + rho1 * np.abs(d))
    wide, high = np.abs(by_theta) * t, np.abs(by_phi) * p
    empty = (np.abs(G) > wide + high + rest).any(axis=1)
    det = by_theta[:, 0] * by_phi[:, 1] - by_theta[:, 1] * by_phi[:, 0]
    side = rho1[:, 0] * h_theta > plates.arm * h_phi
    bound = np.abs(det)[:, None] * np.concatenate([t, p], axis=1) * (1 + 1e-9)
    cross = np.stack(
        [by_phi[:, 1] * G[:, 0] - by_phi[:, 0] * G[:, 1], by_theta[:, 0] * G[:, 1] - by_theta[:, 1] * G[:, 0]], axis=1
    )
    first = np.abs(by_phi[:, 1]) * rest[:, 0] + np.abs(by_phi[:, 0]) * rest[:, 1]
    second = np.abs(by_theta[:, 0]) * rest[:, 1] + np.abs(by_theta[:, 1]) * rest[:, 0]
    empty |= (np.abs(cross) > bound + np.stack([first, second], axis=1) * (1 + 1e-9)).any(axis=1)
    steep = high.sum(axis=1) > wide.sum(axis=1)
    return empty, np.where(np.abs(det) > 0, steep, ~side)


def _in_a_ball(plates: Plates, known: Known, row: Index, theta: Real, phi: Real, h_theta: Real, h_phi: Real) -> Mask:
    """Boxes inside the ball √(|ΔU|² + ℓ²Δφ²) < radius of a known pose."""
    U = plates.rho[:, 0] * np.exp(1j * theta)
    away = np.abs(U[:, None] - known.U[row]) + (plates.rho[:, 0] * h_theta)[:, None]
    turn = np.abs(np.angle(np.exp(1j * (phi[:, None] - known.phi[row])))) + h_phi[:, None]
    inside: Mask = np.hypot(away, plates.arm[:, None] * turn) * (1 + 1e-9) < known.radius[row]
    return np.any(inside, axis=1)
