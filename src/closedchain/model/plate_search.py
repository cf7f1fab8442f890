"""Poses from the roots of the eliminant: all of them, proven, where its six discs are disjoint; nearly always."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from closedchain.model.eliminant import Complex, Real, TrigPolynomial, eliminant
from closedchain.model.plate_closure import (
    RESIDUAL,
    Index,
    Mask,
    Plates,
    certify,
    crossing,
    out_of_reach,
    polish,
    refine_fold,
    stretch,
)
from closedchain.model.plate_roots import real_angles

MERGE = 1e-4  # uncertified poses this close are one: separate ones would have been certified (they need about √eps)
NEAR_FOLD = 1e-2  # a candidate further than this from its singular pose is not a merged pair
GRID = 256  # angles at which an identically vanishing eliminant is tested for reach


class Verdict(IntEnum):
    """What is known about the number of poses of an element."""

    PROVEN = 0
    NOT_ASKED = 1
    DOUBLE = 2
    MOBILE = 3
    UNRESOLVED = 4
    CLUSTERS = 5


@dataclass(frozen=True)
class Candidates:
    """Poses (U, φ) of scaled plates."""

    row: Index  # (m,) the plate
    U: Complex  # (m,)
    phi: Real  # (m,)
    double: Mask  # (m,) several poses merged, within rounding
    certified: Mask  # (m,)
    radius: Real  # (m,) of uniqueness
    roots: Index  # (m,) poses that the row stands for, complex ones too, with multiplicity; 0 where not known
    spread: Real  # (m,) all of them lie within √(|ΔU|² + ℓ²|Δφ|²) of the row; 0 for a single one

    @classmethod
    def single(cls, row: Index, U: Complex, phi: Real, double: Mask, certified: Mask, radius: Real) -> Candidates:
        """Poses of which only those marked double may stand for several."""
        return cls(row, U, phi, double, certified, radius, np.where(double, 0, 1), np.zeros(len(row)))

    @classmethod
    def joined(cls, parts: Sequence[Candidates]) -> Candidates:
        """All rows of several."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, which: Index | Mask | slice) -> Candidates:
        return Candidates(*(values[which] for values in vars(self).values()))


@dataclass(frozen=True)
class Found:
    """The poses of a block of plates and a Verdict per plate."""

    poses: Candidates
    verdict: NDArray[np.int8]  # (nb,)


def search(plates: Plates) -> Found:
    """All poses of the plates whose six angles are told apart; of the others what is seen, and that it may be less."""
    f = eliminant(plates.d, plates.e, plates.rho)
    row, phi, told = real_angles(f)
    poses, settled = _settled(plates, row[told[row]], phi[told[row]], told)
    verdict = np.full(len(settled), Verdict.PROVEN, np.int8)
    if settled.all():
        return Found(poses, verdict)
    curve, drift = _turning_curve(plates, f), _translation_curve(plates)
    seen = ~settled[row] & ~curve[row]
    more = _poses(plates, drift, *_starts(plates, row[seen], phi[seen]))
    number = np.bincount(more.row, weights=1.0 + more.double, minlength=len(settled))
    crowd = number > 6  # more than a sextic has: points of a curve, within rounding
    verdict[~settled] = Verdict.UNRESOLVED
    verdict[~settled & f.flat & ~curve] = Verdict.PROVEN  # it vanishes, and no angle is within reach
    verdict[~settled & (curve | crowd | np.isfinite(drift))] = Verdict.MOBILE
    return Found(Candidates.joined([poses, more[more.certified | ~crowd[more.row]]]), verdict)


def _settled(plates: Plates, row: Index, phi: Real, told: Mask) -> tuple[Candidates, Mask]:
    """The poses of plates whose angles are all told apart, each certified; and which plates these are."""
    own = plates[row]
    U, _, good = crossing(own, phi)
    U, phi = polish(own, np.where(good, U, 0.0), phi, 2)
    certified, radius = certify(own, U, phi)
    poses = Candidates.single(row, U, phi, np.zeros(len(row), bool), certified, radius)
    kept = _distinct(plates, poses, np.full(len(told), np.nan))
    number = np.bincount(row, minlength=len(told))
    settled = told & (np.bincount(kept.row, weights=kept.certified, minlength=len(told)) == number)
    settled &= ~np.isfinite(_translation_curve(plates))
    return kept[settled[kept.row]], settled


def _poses(plates: Plates, drift: Real, row: Index, U: Complex, phi: Real) -> Candidates:
    """Starting points → distinct poses."""
    U, phi = polish(plates[row], U, phi)
    return _distinct(plates, _tested(plates, row, U, phi), drift)


def _turning_curve(plates: Plates, f: TrigPolynomial) -> Mask:
    """Plates with poses at every angle of some interval: f vanishes identically and some angle is within reach."""
    curve = f.flat.copy()
    k = np.repeat(np.nonzero(curve)[0], GRID)
    phi = np.tile(2 * np.pi * np.arange(GRID) / GRID, np.count_nonzero(curve))
    out = out_of_reach(plates[k], phi, np.full(len(phi), np.pi / GRID))
    curve[curve] = ~out.reshape(-1, GRID).all(axis=1)
    return curve


def _translation_curve(plates: Plates) -> Real:
    """The angle at which a plate congruent with its base circles on equal legs without turning; NaN for none."""
    inner = (plates.d.conj() * plates.e).sum(axis=1)
    phi = np.angle(inner)
    apart = np.abs(plates.d * np.exp(1j * phi)[:, None] - plates.e).max(axis=1, initial=0.0)
    unequal = np.abs(plates.rho - plates.rho[:, :1]).max(axis=1, initial=0.0)
    curve = (apart <= 4 * RESIDUAL) & (unequal <= 4 * RESIDUAL) & (plates.rho[:, 0] > RESIDUAL) & (np.abs(inner) > 0)
    return np.where(curve, phi, np.nan)


def _starts(plates: Plates, row: Index, phi: Real) -> tuple[Index, Complex, Real]:
    """U at each angle, by `crossing`; for a small D, where 2U·n = w meets circle 1."""
    U, (n, w, D), good = crossing(plates[row], phi)
    size, m, larger = np.abs(n).max(axis=1, initial=0.0), np.arange(len(row)), np.abs(n).argmax(axis=1)
    line = np.nonzero((np.abs(D) <= 1e-2 * size**2) | ~good)[0]
    n_l, w_l, r_l = n[m, larger][line], w[m, larger][line], plates.rho[row[line], 0]
    length = np.where(np.abs(n_l) > 0, np.abs(n_l), 1.0)
    along = np.clip(w_l / (2 * length), -r_l, r_l)
    across = np.sqrt(np.maximum(r_l**2 - along**2, 0.0))
    unit = np.where(np.abs(n_l) > 0, n_l / length, 1.0)
    U = np.concatenate([U[good], unit * (along + 1j * across), unit * (along - 1j * across)])
    return np.concatenate([row[good], row[line], row[line]]), U, np.concatenate([phi[good], phi[line], phi[line]])


def _tested(plates: Plates, row: Index, U: Complex, phi: Real) -> Candidates:
    """The starting points that are poses; uncertified ones are sharpened as merged pairs."""
    certified, radius = certify(plates[row], U, phi)
    double = np.zeros(len(row), bool)
    j = np.nonzero(~certified & (_error(plates, row, U, phi) <= 1e-4))[0]
    if not len(j):
        return Candidates.single(row, U, phi, double, certified, radius)[certified]
    fold_U, fold_phi = refine_fold(plates[row[j]], U[j], phi[j])
    near = (np.abs(fold_U - U[j]) <= NEAR_FOLD) & (np.abs(fold_phi - phi[j]) <= NEAR_FOLD)
    near &= _error(plates, row[j], fold_U, fold_phi) <= RESIDUAL
    U, phi = U.copy(), phi.copy()
    U[j], phi[j], double[j] = np.where(near, fold_U, U[j]), np.where(near, fold_phi, phi[j]), near
    pose = certified | (_error(plates, row, U, phi) <= RESIDUAL)
    return Candidates.single(row, U, phi, double, certified, radius)[pose]


def _distinct(plates: Plates, poses: Candidates, drift: Real) -> Candidates:
    """One row per pose: certified ones first, then those away from every earlier one; no points of a curve."""
    error = _error(plates, poses.row, poses.U, poses.phi)
    poses = poses[np.lexsort((error, ~poses.double, ~poses.certified, poses.row))]
    row, phi = poses.row, poses.phi
    repeated = np.zeros(len(row), bool)
    reach = np.where(poses.certified, poses.radius / 2, MERGE)
    for back in range(1, int(np.bincount(row).max(initial=0))):
        first, second = np.arange(len(row) - back), np.arange(back, len(row))
        turn = np.abs(_wrapped(phi[second] - phi[first])) * plates.arm[row[first]]
        distance = np.hypot(np.abs(poses.U[second] - poses.U[first]), turn)
        repeated[second] |= (row[first] == row[second]) & (distance <= reach[first])
    drifting = np.isfinite(drift[row]) & (np.abs(_wrapped(phi - np.nan_to_num(drift[row]))) <= NEAR_FOLD)
    return poses[~repeated & ~(drifting & ~poses.certified)]


def _error(plates: Plates, row: Index, U: Complex, phi: Real) -> Real:
    """The largest error of a leg's length, (m,)."""
    return np.abs(stretch(plates[row], U, phi)).max(axis=1, initial=0.0)


def _wrapped(angle: Real) -> Real:
    """The angle in [−π, π]."""
    return np.angle(np.exp(1j * angle))
