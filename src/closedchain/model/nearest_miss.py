"""Why a plate does not reach its three circles: the smallest change of one radius that would let it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.model.eliminant import Complex, Real
from closedchain.model.plate_closure import PAIRS, Index, Plates, slide_to_extreme, stretch

SAMPLES = 48  # per branch of the curve that two legs let the plate follow
BLOCK = 2048  # rows at a time, to bound memory


@dataclass(frozen=True)
class Miss:
    """Leg `leg` must become longer by `by` (shorter if negative).

    With a `partner` no single leg is enough: these two never meet, by that gap.
    """

    leg: Index  # (nb,)
    by: Real  # (nb,) as plates are scaled
    partner: Index  # (nb,) −1 for none


def nearest_miss(plates: Plates) -> Miss:
    """The single leg whose length needs the smallest change for the plate to assemble, and that change.

    With the two other legs kept, |P_k − a_k| takes a range of values along the curve they allow; the distance
    from ρ_k to that range is the miss of leg k. It is found by sampling the curve and sharpened by Newton's method on
    det A = 0, which holds where |P_k − a_k| is extreme. If for every leg the other two do not meet at any angle, the
    pair of legs with the largest gap is named instead, with the gap.
    """
    parts = [_nearest(plates[start : start + BLOCK]) for start in range(0, len(plates.rho), BLOCK)]
    if not parts:
        return Miss(np.zeros(0, np.intp), np.zeros(0), np.zeros(0, np.intp))
    return Miss(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("leg", "by", "partner")))


def _nearest(plates: Plates) -> Miss:
    by = np.stack([_miss_of(plates, k) for k in range(3)], axis=1)  # (nb, 3), inf where the others do not meet
    leg = np.abs(by).argmin(axis=1)
    alone = np.isfinite(by).any(axis=1)
    gap, first, second = _worst_pair(plates)
    best = np.take_along_axis(by, leg[:, None], axis=1)[:, 0]
    return Miss(np.where(alone, leg, first), np.where(alone, best, gap), np.where(alone, -1, second))


def _miss_of(plates: Plates, k: int) -> Real:
    """By how much leg k is short (+) or long (−) on the curve of the two others, (nb,); inf without a curve."""
    i, j = (leg for leg in range(3) if leg != k)
    U, phi, meets = _curve(plates, i, j)
    z = np.exp(1j * phi)
    V = U + plates.d[:, k, None] * z - plates.e[:, k, None]
    best = np.abs(np.abs(V) - plates.rho[:, k, None]).argmin(axis=1)[:, None]
    U, phi = np.take_along_axis(U, best, axis=1)[:, 0], np.take_along_axis(phi, best, axis=1)[:, 0]
    sampled = stretch(plates, U, phi)[:, k]
    sharp = stretch(plates, *slide_to_extreme(plates, np.full(len(U), k), U, phi))
    closed = np.abs(sharp[:, [i, j]]).max(axis=1) <= 1e-13
    better = closed & (np.abs(sharp[:, k]) <= np.abs(sampled)) & (sharp[:, k] * sampled >= 0)
    return np.where(meets, np.where(better, sharp[:, k], sampled), np.inf)


def _curve(plates: Plates, i: int, j: int) -> tuple[Complex, Real, np.ndarray]:
    """Samples (nb, 4·SAMPLES) of (U, φ) with legs i and j closed, and where there are any (nb,).

    The angles are those with cos ψ between two bounds, ψ = φ + arg(d_j − d_i) − arg(e_j − e_i); both signs of ψ, both
    intersections of the circles, and samples that crowd at the ends where the intersections join.
    """
    d, e = plates.d[:, j] - plates.d[:, i], plates.e[:, j] - plates.e[:, i]
    total, product = np.abs(d) ** 2 + np.abs(e) ** 2, 2 * np.abs(d) * np.abs(e)
    far, near = plates.rho[:, i] + plates.rho[:, j], np.abs(plates.rho[:, i] - plates.rho[:, j])
    meets = (np.abs(np.abs(d) - np.abs(e)) <= far) & (np.abs(d) + np.abs(e) >= near)
    safe = np.where(product > 0, product, 1.0)
    low = np.where(product > 0, np.clip((total - far**2) / safe, -1, 1), -1.0)
    high = np.where(product > 0, np.clip((total - near**2) / safe, -1, 1), 1.0)
    ends = np.arccos(high)[:, None], np.arccos(low)[:, None]
    psi = ends[0] + (ends[1] - ends[0]) * (1 - np.cos(np.linspace(0, np.pi, SAMPLES))) / 2  # (nb, SAMPLES)
    phi = np.concatenate([psi, -psi, psi, -psi], axis=1) + (np.angle(e) - np.angle(d))[:, None]
    n = d[:, None] * np.exp(1j * phi) - e[:, None]
    size = np.abs(n)
    unit = np.where(size > 1e-15, n / np.where(size > 1e-15, size, 1.0), 1.0)
    ri, rj = plates.rho[:, i, None], plates.rho[:, j, None]
    along = np.where(size > 1e-15, ((rj - ri) * (rj + ri) / np.where(size > 1e-15, size, 1.0) - size) / 2, 0.0)
    across = np.sqrt(np.maximum(ri**2 - along**2, 0.0))
    side = np.repeat([1.0, 1.0, -1.0, -1.0], SAMPLES)
    V = unit * (np.clip(along, -ri, ri) + 1j * side * across)
    return V - plates.d[:, i, None] * np.exp(1j * phi) + plates.e[:, i, None], phi, meets


def _worst_pair(plates: Plates) -> tuple[Real, Index, Index]:
    """The pair of legs furthest from meeting at any angle: (gap to add to the first of them, that leg, the other)."""
    gaps = []
    for i, j in PAIRS:
        d, e = np.abs(plates.d[:, j] - plates.d[:, i]), np.abs(plates.e[:, j] - plates.e[:, i])
        apart = np.abs(d - e) - plates.rho[:, i] - plates.rho[:, j]
        inside = np.abs(plates.rho[:, i] - plates.rho[:, j]) - (d + e)
        gaps.append(np.maximum(apart, inside))
    gap = np.stack(gaps, axis=1)
    worst = gap.argmax(axis=1)
    pair = np.array(PAIRS)[worst]
    rows = np.arange(len(worst))
    swap = (
        plates.rho[rows, pair[:, 0]] > plates.rho[rows, pair[:, 1]]
    )  # the shorter leg is named: longer always helps it
    pair = np.where(swap[:, None], pair[:, ::-1], pair)
    return gap[rows, worst], pair[:, 0], pair[:, 1]
