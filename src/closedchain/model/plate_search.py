"""Search and proof: candidates from the eliminant, polished, tested one by one and counted against the isolated roots."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from closedchain.model.cover import covered, tabulate
from closedchain.model.eliminant import Complex, Real, TrigPolynomial, circle_roots, eliminant
from closedchain.model.isolate import Isolation, bisect, isolate
from closedchain.model.plate_closure import RESIDUAL, Index, Mask, Plates, certify, out_of_reach, polish, refine_fold, stretch

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


@dataclass(frozen=True)
class Found:
    """Poses (U, φ) of scaled plates and a verdict per plate."""

    row: Index  # (m,)
    U: Complex  # (m,)
    phi: Real  # (m,)
    double: Mask  # (m,)
    certified: Mask  # (m,)
    radius: Real  # (m,)
    verdict: NDArray[np.int8]  # (nb,)


def search(plates: Plates, prove: bool) -> Found:
    """All poses of the plates, and with `prove` a verdict on their number."""
    f = eliminant(plates.d, plates.e, plates.rho)
    curve, drift = _turning_curve(plates, f), _translation_curve(plates)
    row, phi, off = circle_roots(f)
    extra = np.nonzero(off > 1e-10)[0]  # a pair that rounding moved off the circle: real roots may lie on either side
    row, phi = np.concatenate([row, row[extra], row[extra]]), np.concatenate([phi, phi[extra] + off[extra], phi[extra] - off[extra]])
    boxes = isolate(f, lambda k, middle, half: out_of_reach(plates[k], middle, half)) if prove else None
    if boxes is not None:
        row, phi = _with_missed(f, boxes, row, phi)
    on = ~curve[row]
    found = _poses(plates, drift, *_starts(plates, row[on], phi[on]))
    verdict = np.full(len(plates.rho), Verdict.NOT_ASKED, np.int8)
    if boxes is not None:
        verdict = _verdicts(plates, boxes, found)
        open_box = (verdict == Verdict.UNRESOLVED)[boxes.row] & ~curve[boxes.row] & ~boxes.sure
        if open_box.any():
            found = _poses(plates, drift, *_joined(found[:3], _grid(plates, boxes, np.nonzero(open_box)[0])))
            verdict = _verdicts(plates, boxes, found)
    row, _, _, double, certified, _ = found
    crowd = np.bincount(row, weights=1.0 + double, minlength=len(plates.rho)) > 6  # a curve within rounding: no sextic has so many
    found = tuple(column[certified | ~crowd[row]] for column in found)
    verdict[curve | crowd | np.isfinite(drift)] = Verdict.MOBILE
    return Found(*found, verdict)


def _poses(plates: Plates, drift: Real, row: Index, U: Complex, phi: Real) -> tuple[Index, Complex, Real, Mask, Mask, Real]:
    """Starting points → distinct poses (row, U, φ, double, certified, radius)."""
    U, phi = polish(plates[row], U, phi)
    return _distinct(plates, *_tested(plates, row, U, phi), drift)


def _grid(plates: Plates, boxes: Isolation, which: Index) -> tuple[Index, Complex, Real]:
    """Starting points spread over circle 1 and over intervals that the eliminant cannot resolve."""
    place = np.linspace(0, 1, GRID_ANGLES)
    theta = 2 * np.pi * np.arange(GRID_TURNS) / GRID_TURNS
    row = np.repeat(boxes.row[which], GRID_ANGLES * GRID_TURNS)
    phi = (boxes.lo[which, None] + (boxes.hi - boxes.lo)[which, None] * place).repeat(GRID_TURNS)
    return row, plates.rho[row, 0] * np.exp(1j * np.tile(theta, len(which) * GRID_ANGLES)), phi


def _joined(first: tuple[Index, Complex, Real], second: tuple[Index, Complex, Real]) -> tuple[Index, Complex, Real]:
    return (
        np.concatenate([first[0], second[0]]),
        np.concatenate([first[1], second[1]]),
        np.concatenate([first[2], second[2]]),
    )


def _turning_curve(plates: Plates, f: TrigPolynomial) -> Mask:
    """Plates with poses at every angle of some interval: f vanishes identically and some angle is within reach."""
    curve = f.flat.copy()
    k = np.repeat(np.nonzero(curve)[0], GRID)
    phi = np.tile(2 * np.pi * np.arange(GRID) / GRID, np.count_nonzero(curve))
    out = out_of_reach(plates[k], phi, np.full(len(phi), np.pi / GRID))
    curve[curve] = ~out.reshape(-1, GRID).all(axis=1)
    return curve


def _translation_curve(plates: Plates) -> Real:
    """The angle at which the plate is congruent with the base on equal legs, so that it can circle without turning; NaN for none."""
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
    """U at each angle: −i (w_2 n_3 − w_3 n_2)/(2D), and where D = n_2 × n_3 is small both points of the line 2U·n = w on circle 1."""
    d, e, rho = plates.d[row], plates.e[row], plates.rho[row]
    n = d[:, 1:] * np.exp(1j * phi)[:, None] - e[:, 1:]  # (m, 2)
    w = (rho[:, 1:] - rho[:, :1]) * (rho[:, 1:] + rho[:, :1]) - np.abs(n) ** 2
    D = (n[:, 0].conj() * n[:, 1]).imag
    size = np.abs(n).max(axis=1, initial=0.0)
    U = -1j * (w[:, 0] * n[:, 1] - w[:, 1] * n[:, 0]) / (2 * np.where(D == 0, 1e-300, D))
    good = np.isfinite(U) & (np.abs(U) <= 4)
    m, larger = np.arange(len(row)), np.abs(n).argmax(axis=1)
    line = np.nonzero((np.abs(D) <= 1e-2 * size**2) | ~good)[0]
    n_l, w_l, r_l = n[m, larger][line], w[m, larger][line], rho[line, 0]
    length = np.where(np.abs(n_l) > 0, np.abs(n_l), 1.0)
    along = np.clip(w_l / (2 * length), -r_l, r_l)
    across = np.sqrt(np.maximum(r_l**2 - along**2, 0.0))
    unit = np.where(np.abs(n_l) > 0, n_l / length, 1.0)
    U = np.concatenate([U[good], unit * (along + 1j * across), unit * (along - 1j * across)])
    return np.concatenate([row[good], row[line], row[line]]), U, np.concatenate([phi[good], phi[line], phi[line]])


def _tested(plates: Plates, row: Index, U: Complex, phi: Real) -> tuple[Index, Complex, Real, Mask, Mask, Real]:
    """Candidates that are poses: (row, U, φ, double, certified, radius); uncertified ones are sharpened as merged pairs."""
    certified, radius = certify(plates[row], U, phi)
    double = np.zeros(len(row), bool)
    j = np.nonzero(~certified & (np.abs(stretch(plates[row], U, phi)).max(axis=1, initial=0.0) <= 1e-4))[0]
    fold_U, fold_phi = refine_fold(plates[row[j]], U[j], phi[j])
    near = (np.abs(fold_U - U[j]) <= NEAR_FOLD) & (np.abs(fold_phi - phi[j]) <= NEAR_FOLD)
    near &= np.abs(stretch(plates[row[j]], fold_U, fold_phi)).max(axis=1, initial=0.0) <= RESIDUAL
    U, phi = U.copy(), phi.copy()
    U[j], phi[j], double[j] = np.where(near, fold_U, U[j]), np.where(near, fold_phi, phi[j]), near
    pose = certified | (np.abs(stretch(plates[row], U, phi)).max(axis=1, initial=0.0) <= RESIDUAL)
    return row[pose], U[pose], phi[pose], double[pose], certified[pose], radius[pose]


def _distinct(
    plates: Plates, row: Index, U: Complex, phi: Real, double: Mask, certified: Mask, radius: Real, drift: Real
) -> tuple[Index, Complex, Real, Mask, Mask, Real]:
    """One row per pose: certified ones first, then those that are not within reach of an earlier one; no points of a curve."""
    order = np.lexsort((np.abs(stretch(plates[row], U, phi)).max(axis=1, initial=0.0), ~double, ~certified, row))
    row, U, phi, double, certified, radius = (v[order] for v in (row, U, phi, double, certified, radius))
    repeated = np.zeros(len(row), bool)
    reach = np.where(certified, radius / 2, MERGE)
    longest = int(np.bincount(row).max(initial=0))
    for back in range(1, longest):
        first, second = np.arange(len(row) - back), np.arange(back, len(row))
        turn = np.abs(np.angle(np.exp(1j * (phi[second] - phi[first])))) * plates.arm[row[first]]
        distance = np.hypot(np.abs(U[second] - U[first]), turn)
        repeated[second] |= (row[first] == row[second]) & (distance <= reach[first])
    on_curve = ~certified & (np.abs(np.angle(np.exp(1j * (phi - np.nan_to_num(drift[row]))))) <= 1e-2) & np.isfinite(drift[row])
    keep = ~repeated & ~on_curve
    return row[keep], U[keep], phi[keep], double[keep], certified[keep], radius[keep]


def _verdicts(plates: Plates, boxes: Isolation, found: tuple[Index, Complex, Real, Mask, Mask, Real]) -> NDArray[np.int8]:
    """PROVEN where every interval holds exactly the poses it can hold and no pose lies outside; a merged pair makes it DOUBLE.

    An interval that the eliminant leaves open is settled if certified poses are shown to cover it in the plane of (θ, φ).
    """
    row, U, phi, double, certified, radius = found
    where = boxes.locate(row, phi)
    inside = where >= 0
    got = np.bincount(where[inside], minlength=len(boxes.row))
    firm = np.bincount(where[inside & certified], minlength=len(boxes.row))
    settled = np.where(boxes.sure, got == 1, (firm == boxes.most) & (got == firm))
    lost = np.zeros(len(boxes.seam), bool)
    lost[row[~inside | ~certified]] = True
    j = np.nonzero(~settled & ~lost[boxes.row] & (boxes.hi - boxes.lo < np.pi))[0]
    known = tabulate(len(boxes.seam), row[certified], U[certified], phi[certified], radius[certified])
    settled[j] = covered(plates, known, boxes.row[j], boxes.lo[j], boxes.hi[j])
    verdict = np.full(len(boxes.seam), Verdict.PROVEN, np.int8)
    verdict[boxes.row[~settled]] = Verdict.UNRESOLVED
    verdict[row[~inside]] = Verdict.UNRESOLVED
    verdict[row[double]] = Verdict.DOUBLE
    return verdict
