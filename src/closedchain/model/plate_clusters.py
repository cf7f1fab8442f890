"""Poses that rounding does not let apart: how many of them lie within which distance, and how many are real.

Where the search leaves the number of poses open, the eliminant is formed again in whole numbers. Its real roots are
counted by Sturm's theorem, the numbers taken as given; all six are enclosed in discs that stay valid when the lengths
move by rounding. A disc that certified poses do not account for is a cluster: one row stands for it.
"""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np

from closedchain.model.eliminant import Complex, Real, eliminant, far_angle, half_angle_coefficients
from closedchain.model.exact_plate import ExactPoses, exact_poses
from closedchain.model.plate_closure import Index, Mask, Plates, certify
from closedchain.model.plate_search import MERGE, Candidates, Found, Verdict
from closedchain.model.plate_spread import INPUT, spread
from closedchain.model.root_discs import Disc, root_discs

OPEN = (Verdict.DOUBLE, Verdict.UNRESOLVED)


def settle(centre: Real, radius: Real, local: Real, plates: Plates, found: Found) -> Found:
    """The findings with every element whose number was open decided, save those that a whole curve may close."""
    verdict, parts = found.verdict.copy(), [found.poses]
    open_ = unsettled(found)
    if not len(open_):
        return found
    f = eliminant(plates.d[open_], plates.e[open_], plates.rho[open_])
    far, settled = far_angle(f), np.zeros(len(verdict), bool)
    for j, k in enumerate(open_.tolist()):
        exact = exact_poses(centre[k], radius[k], local[k], far=far[j], scale=float(plates.scale[k]))
        rows = None if exact is None else _rows(plates[k : k + 1], found.poses[found.poses.row == k], exact, k)
        if rows is not None:
            settled[k], verdict[k] = True, Verdict.CLUSTERS if (rows.roots > 1).any() else Verdict.PROVEN
            parts.append(rows)
    parts[0] = found.poses[~settled[found.poses.row]]
    return Found(Candidates.joined(parts), verdict)


def unsettled(found: Found) -> Index:
    """The elements whose number of poses is open."""
    return np.nonzero(np.isin(found.verdict, OPEN))[0]


def _rows(plate: Plates, poses: Candidates, exact: ExactPoses, k: int) -> Candidates | None:
    """One row per certified pose and one per cluster; None if they do not add up to what the discs hold."""
    told = root_discs(exact.sextic, *_uncertainty(plate, exact.middle)) or root_discs(exact.sextic)
    discs = [disc for disc in told.discs if disc.on_axis] if told is not None else []
    firm, loose = poses[poses.certified], poses[~poses.certified]
    matched = _matched(plate, firm, exact)
    place = np.tan((poses.phi - exact.middle) / 2)
    of_firm, of_loose = _disc_of(discs, place[poses.certified]), _disc_of(discs, place[~poses.certified])
    of_exact = _disc_of(discs, exact.t)
    if told is None or matched is None or (of_exact < 0).any() or (of_firm < 0).any():
        return None
    rows = [firm]
    for number, disc in enumerate(discs):
        left = disc.count - int(np.count_nonzero(of_firm == number))
        here = np.nonzero((of_exact == number) & ~matched)[0]
        if left < len(here):
            return None
        rows.append(_cluster(plate, loose[of_loose == number], exact, here, disc, left, k))
    return Candidates.joined(rows)


def _uncertainty(plate: Plates, middle: float) -> tuple[Real, Real]:
    """Slack (7,) and generators (11, 7) of the sextic for errors of INPUT in each coordinate of d, e and each radius.

    The generators are central differences. What these neglect, h² of the terms, is the slack.
    """
    h = 2.0**-10
    moves = h * np.concatenate([np.eye(11), -np.eye(11)])  # (22, 11)
    d, e = (np.repeat(v, 22, axis=0) for v in (plate.d, plate.e))
    d[:, 1:] += moves[:, 0:2] + 1j * moves[:, 2:4]
    e[:, 1:] += moves[:, 4:6] + 1j * moves[:, 6:8]
    f = eliminant(d * np.exp(1j * middle), e, plate.rho + moves[:, 8:])
    t = half_angle_coefficients(f)  # (22, 7)
    slack = INPUT * 32 * h**2 * f.magnitude.max() * np.array([comb(6, j) for j in range(7)])
    return slack, INPUT * (t[:11] - t[11:]) / (2 * h)


def _cluster(
    plate: Plates, loose: Candidates, exact: ExactPoses, here: Index, disc: Disc, left: int, k: int
) -> Candidates:
    """The rows that stand for `left` roots in a disc, of which the exact poses `here` are real."""
    if not left or not (len(here) or len(loose)):
        return loose[:0]
    if left == 1 or not len(loose):  # one root is its exact pose; a cluster without a row gets one
        U, phi = exact.U[here[:1]], exact.phi[here[:1]]
        certified, radius = certify(plate, U, phi)
        loose = Candidates.single(np.array([k]), U, phi, np.zeros(1, bool), certified & (left == 1), radius)
    if left == 1:
        return loose
    away = _distance(plate, exact.U[here, None], exact.phi[here, None], loose.U, loose.phi)
    return replace(
        loose,
        double=np.ones(len(loose), bool),
        roots=np.full(len(loose), left),
        real=np.bincount(away.argmin(axis=1), minlength=len(loose)),
        spread=np.array([spread(plate, disc, exact.middle, *row) for row in zip(loose.U, loose.phi, strict=True)]),
    )


def _disc_of(discs: list[Disc], t: Real) -> Index:
    """The disc that each t belongs to: the nearest, unless it is further off than merged poses may be; −1 for none."""
    if not discs:
        return np.full(len(t), -1)
    centre, radius = np.array([[d.centre.real, d.radius] for d in discs]).T
    off = np.abs(t[:, None] - centre) - radius
    best = off.argmin(axis=1)
    return np.where(off.min(axis=1) <= MERGE * (1 + t**2), best, -1)


def _matched(plate: Plates, firm: Candidates, exact: ExactPoses) -> Mask | None:
    """Which exact poses certified rows stand for, (k,); None unless each row has exactly one of its own."""
    matched = np.zeros(len(exact.t), bool)
    if not len(firm.row):
        return matched
    away = _distance(plate, firm.U[:, None], firm.phi[:, None], exact.U, exact.phi)
    inside = away < firm.radius[:, None]
    matched[away.argmin(axis=1) if len(exact.t) else []] = True
    return matched if (inside.sum(axis=1) == 1).all() and matched.sum() == len(firm.row) else None


def _distance(plate: Plates, U: Complex, phi: Real, other_U: Complex, other_phi: Real) -> Real:
    """√(|ΔU|² + ℓ²Δφ²)."""
    turn = np.angle(np.exp(1j * (phi - other_phi)))
    return np.hypot(np.abs(U - other_U), plate.arm * turn)
