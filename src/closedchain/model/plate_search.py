"""Search and proof: candidates from the eliminant, polished, tested singly and counted against the isolated roots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from closedchain.model.cover import covered, tabulate
from closedchain.model.eliminant import Complex, Real, TrigPolynomial, circle_roots, eliminant
from closedchain.model.isolate import Isolation, bisect, isolate
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
GRID_ANGLES, GRID_TURNS = 5, 24  # starting points per interval that the eliminant leaves open
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
    real: Index  # (m,) how many of these are real and distinct
    spread: Real  # (m,) all of them lie within √(|ΔU|² + ℓ²|Δφ|²) of the row; 0 for a single one

    @classmethod
    def single(cls, row: Index, U: Complex, phi: Real, double: Mask, certified: Mask, radius: Real) -> Candidates:
        """Poses of which only those marked double may stand for several."""
        roots = np.where(double, 0, 1)
        return cls(row, U, phi, double, certified, radius, roots, roots, np.zeros(len(row)))

    @classmethod
    def joined(cls, parts: Sequence[Candidates]) -> Candidates:
        """All rows of several."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, which: Index | Mask | slice) -> Candidates:
        return Candidates(*(getattr(self, field.name)[which] for field in fields(self)))


@dataclass(frozen=True)
class Found:
    """The poses of a block of plates and a Verdict per plate."""

    poses: Candidates
    verdict: NDArray[np.int8]  # (nb,)


def search(plates: Plates, prove: bool) -> Found:
    """All poses of the plates, and with `prove` a verdict on their number."""
    f = eliminant(plates.d, plates.e, plates.rho)
    poses, settled = _settled(plates, f)
    rest = np.nonzero(~settled)[0]
    if not len(rest):
        return Found(poses, np.full(len(settled), Verdict.PROVEN, np.int8))
    found = _searched(plates[rest], TrigPolynomial(f.c[rest], f.magnitude[rest]), prove)
    verdict = np.full(len(settled), Verdict.PROVEN, np.int8)
    verdict[rest] = found.verdict
    return Found(Candidates.joined([poses, replace(found.poses, row=rest[found.poses.row])]), verdict)


def _settled(plates: Plates, f: TrigPolynomial) -> tuple[Candidates, Mask]:
    """The poses of plates whose angles are all told apart, each certified; and which plates these are."""
    row, phi, told = real_angles(f)
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


def _searched(plates: Plates, f: TrigPolynomial, prove: bool) -> Found:
    """The same for plates whose poses merge, move on, or are told by no other way."""
    curve, drift = _turning_curve(plates, f), _translation_curve(plates)
    row, phi = _angles(f)
    boxes = isolate(f, lambda k, middle, half: out_of_reach(plates[k], middle, half)) if prove else None
    if boxes is not None:
        row, phi = _with_missed(f, boxes, row, phi)
    on = ~curve[row]
    poses = _poses(plates, drift, *_starts(plates, row[on], phi[on]))
    verdict = np.full(len(plates.rho), Verdict.NOT_ASKED, np.int8)
    if boxes is not None:
        verdict = _verdicts(plates, boxes, poses)
        left = np.nonzero((verdict == Verdict.UNRESOLVED)[boxes.row] & ~curve[boxes.row] & ~boxes.sure)[0]
        if len(left):
            poses = _poses(plates, drift, *_grid(plates, boxes, left, poses))
            verdict = _verdicts(plates, boxes, poses)
    number = np.bincount(poses.row, weights=1.0 + poses.double, minlength=len(plates.rho))
    crowd = number > 6  # more than a sextic has: points of a curve, within rounding
    verdict[curve | crowd | np.isfinite(drift)] = Verdict.MOBILE
    return Found(poses[poses.certified | ~crowd[poses.row]], verdict)


def _angles(f: TrigPolynomial) -> tuple[Index, Real]:
    """Starting angles: roots near the unit circle, and both neighbours of a pair that rounding has moved off it."""
    row, phi, off = circle_roots(f)
    pair = np.nonzero(off > 1e-10)[0]
    angles = np.concatenate([phi, phi[pair] + off[pair], phi[pair] - off[pair]])
    return np.concatenate([row, row[pair], row[pair]]), angles


def _poses(plates: Plates, drift: Real, row: Index, U: Complex, phi: Real) -> Candidates:
    """Starting points → distinct poses."""
    U, phi = polish(plates[row], U, phi)
    return _distinct(plates, _tested(plates, row, U, phi), drift)


def _grid(plates: Plates, boxes: Isolation, which: Index, poses: Candidates) -> tuple[Index, Complex, Real]:
    """The poses and starting points spread over circle 1 and over intervals that the eliminant cannot resolve."""
    place = np.linspace(0, 1, GRID_ANGLES)
    theta = 2 * np.pi * np.arange(GRID_TURNS) / GRID_TURNS
    row = np.repeat(boxes.row[which], GRID_ANGLES * GRID_TURNS)
    phi = (boxes.lo[which, None] + (boxes.hi - boxes.lo)[which, None] * place).repeat(GRID_TURNS)
    U = plates.rho[row, 0] * np.exp(1j * np.tile(theta, len(which) * GRID_ANGLES))
    return np.concatenate([poses.row, row]), np.concatenate([poses.U, U]), np.concatenate([poses.phi, phi])


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


def _with_missed(f: TrigPolynomial, boxes: Isolation, row: Index, phi: Real) -> tuple[Index, Real]:
    """The starting angles and those of isolated roots that none of them is near."""
    seen = np.zeros(len(boxes.row), bool)
    where = boxes.locate(row, phi)
    seen[where[where >= 0]] = True
    root = bisect(f, boxes.row[~seen], boxes.lo[~seen], boxes.hi[~seen])
    return np.concatenate([row, boxes.row[~seen]]), np.concatenate([phi, root])


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


def _verdicts(plates: Plates, boxes: Isolation, poses: Candidates) -> NDArray[np.int8]:
    """PROVEN where every interval holds exactly the poses it can hold and none lies outside; DOUBLE where some merge.

    An interval that the eliminant leaves open is settled if certified poses cover it in the plane of (θ, φ).
    """
    row, certified, nb = poses.row, poses.certified, len(boxes.seam)
    where = boxes.locate(row, poses.phi)
    inside = where >= 0
    got = np.bincount(where[inside], minlength=len(boxes.row))
    firm = np.bincount(where[inside & certified], minlength=len(boxes.row))
    settled = np.where(boxes.sure, got == 1, (firm == boxes.most) & (got == firm))
    hopeless = np.zeros(nb, bool)
    hopeless[row[~inside | ~certified]] = True
    j = np.nonzero(~settled & ~hopeless[boxes.row] & (boxes.hi - boxes.lo < np.pi))[0]
    firm_poses = poses[certified]
    known = tabulate(nb, firm_poses.row, firm_poses.U, firm_poses.phi, firm_poses.radius)
    settled[j] = covered(plates, known, boxes.row[j], boxes.lo[j], boxes.hi[j])
    verdict = np.full(nb, Verdict.PROVEN, np.int8)
    verdict[boxes.row[~settled]] = Verdict.UNRESOLVED
    verdict[row[~inside]] = Verdict.UNRESOLVED
    verdict[row[poses.double]] = Verdict.DOUBLE
    return verdict


def _error(plates: Plates, row: Index, U: Complex, phi: Real) -> Real:
    """The largest error of a leg's length, (m,)."""
    return np.abs(stretch(plates[row], U, phi)).max(axis=1, initial=0.0)


def _wrapped(angle: Real) -> Real:
    """The angle in [−π, π]."""
    return np.angle(np.exp(1j * angle))
