"""Plates whose poses meet, or whose angles the sextic does not tell apart: all six poses by the complete solver.

    |U|² = ρ_1²,  2 U·(d_i z) − 2 U·e_i − 2 e_i·(d_i z) + |d_i|² + |e_i|² − ρ_i² + ρ_1² = 0,  c² + s² = 1,  z = c + i s

are quadratic in (Re U, Im U, c, s). Their coefficients are sums that may cancel: they are made in rational arithmetic
from the numbers as given, and rounded once. A ball of (U, c, s) is one of (U, φ): |Δc|, |Δs| ≤ |Δφ| within it, and
|Δφ| ≤ |Δz| / (1 − |Δz|) with |Δz| ≤ 2 max(|Δc|, |Δs|) from it, for complex poses too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.eliminant import Complex, Real
from closedchain.model.plate_closure import Index, Plates, certify, polish
from closedchain.model.plate_search import Candidates, Found, Verdict
from closedchain.solver import Cluster, Family, Roots, Space, circle, family_of, generic, roots, space_of, stored

KEY = "a plate on three circles of the plane"
SAMPLES = 60  # random plates, by which the family is told
NEAR_REAL = 1e-4  # a cluster whose imaginary parts are smaller than this may be real


@cache
def family() -> Family:
    """The six poses of a plate of random complex dimensions."""
    return family_of(KEY, lambda: stored(KEY, space()) or generic(space()))


def space() -> Space:
    """The equations of all plates."""
    numbers = np.random.default_rng(0).normal(size=(SAMPLES, 15))
    return space_of(np.array([_system(row) for row in numbers]).astype(complex), (circle(2),), 3)


def settle(centre: Real, radius: Real, local: Real, plates: Plates, found: Found) -> Found:
    """The findings with every element whose number was open decided, where all of its six paths are accounted for."""
    open_, verdict, made = unsettled(found).tolist(), found.verdict.copy(), list[Candidates]()
    if not open_:
        return found
    for k in open_:
        numbers = np.concatenate([part[k].ravel() for part in (centre, local, radius)]) / plates.scale[k]
        told = roots(family(), family().space.coefficients(_system(numbers)[None])[0])
        if told.complete:
            made += _rows(plates[k : k + 1], k, told)
            verdict[k] = _verdict(told)
    kept = found.poses[(verdict == found.verdict)[found.poses.row]]
    return Found(Candidates.joined([kept, *made]), verdict)


def unsettled(found: Found) -> Index:
    """The elements whose number of poses is open."""
    return np.nonzero(found.verdict == Verdict.UNRESOLVED)[0]


def _verdict(told: Roots) -> Verdict:
    near = [c for c in told.clusters if _is_near_real(c)]
    if not near:
        return Verdict.PROVEN
    return Verdict.CLUSTERS if all(c.proven for c in near) else Verdict.DOUBLE


def _rows(plate: Plates, k: int, told: Roots) -> Iterator[Candidates]:
    """One row for each real pose, with its certificate, and one for each cluster that may be real."""
    for z, radius in zip(told.Z[told.real].real, told.radius[told.real], strict=True):
        U, phi = polish(plate, *_pose(z), 2)
        done, alone = certify(plate, U, phi)
        within = radius * min(1.0, float(plate.arm[0]))
        yield Candidates.single(
            np.array([k]), U, phi, np.zeros(1, bool), np.ones(1, bool), np.where(done, alone, within)
        )
    for cluster in filter(_is_near_real, told.clusters):
        roots_, spread = (cluster.count, _spread(plate, cluster.radius)) if cluster.proven else (0, 0.0)
        one = Candidates.single(np.array([k]), *_pose(cluster.z.real), np.ones(1, bool), np.zeros(1, bool), np.zeros(1))
        yield replace(one, roots=np.array([roots_]), spread=np.array([spread]))


def _is_near_real(cluster: Cluster) -> bool:
    return bool(np.abs(cluster.z.imag).max() <= NEAR_REAL * np.abs(cluster.z).max())


def _pose(z: Doubles) -> tuple[Complex, Real]:
    return np.array([z[0] + 1j * z[1]]), np.array([np.arctan2(z[3], z[2])])


def _spread(plate: Plates, radius: float) -> float:
    """A bound of √(|ΔU|² + ℓ²|Δφ|²) where no component of (U, c, s) moves by more than the radius."""
    turn = 2.0 * radius / (1.0 - 2.0 * radius) if radius < 0.25 else np.inf
    return float(np.hypot(np.sqrt(2.0) * radius, plate.arm[0] * turn)) * (1 + 1e-9)


def _system(numbers: Doubles) -> Doubles:
    """The equations as symmetric matrices (4, 5, 5), index 0 standing for 1, from a_i, p_i and ρ_i."""
    exact = [Fraction(float(v)) for v in numbers]
    (a, p), rho = ([exact[start + 2 * i : start + 2 * i + 2] for i in range(3)] for start in (0, 6)), exact[12:]
    rows: list[dict[tuple[int, int], Fraction | int]] = [{(1, 1): 1, (2, 2): 1, (0, 0): -(rho[0] ** 2)}]
    for i in (1, 2):
        (dx, dy), (ex, ey) = ([v[i][j] - v[0][j] for j in (0, 1)] for v in (p, a))
        constant = dx**2 + dy**2 + ex**2 + ey**2 - rho[i] ** 2 + rho[0] ** 2
        turned = {(1, 3): 2 * dx, (1, 4): -2 * dy, (2, 3): 2 * dy, (2, 4): 2 * dx}
        straight = {(0, 1): -2 * ex, (0, 2): -2 * ey, (0, 3): -2 * (ex * dx + ey * dy), (0, 4): 2 * (ex * dy - ey * dx)}
        rows.append({**turned, **straight, (0, 0): constant})
    rows.append({(3, 3): 1, (4, 4): 1, (0, 0): -1})
    S = np.zeros((4, 5, 5))
    for e, row in enumerate(rows):
        for (i, j), value in row.items():
            S[e, i, j] = S[e, j, i] = float(value) / (1 if i == j else 2)
    return S
