"""All poses of a planar plate whose three points must lie on three circles: up to six, each proven, and their number.

This is the direct geometry of the 3-RPR, 3-RRR, 3-PRR and of any plate on three bars: with the drives held, every
leg is a circle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.errors import ClosedChainError
from closedchain.model.eliminant import Real, TrigPolynomial, eliminant, half_angle_coefficients
from closedchain.model.nearest_miss import nearest_miss
from closedchain.model.plate_closure import Index, Mask, Plates, normalise
from closedchain.model.plate_merging import settle, unsettled
from closedchain.model.plate_search import Candidates, Found, Verdict, search

SETTLE_UP_TO = 500  # elements of a batch whose merging poses are counted without being asked: 10 ms each
BLOCK = 4096  # elements at a time, to bound memory


class BadPlate(ClosedChainError, ValueError):
    """The centres, radii or plate points are not those of plates on three circles."""


@dataclass(frozen=True)
class PlatePoses:
    """Every pose of a batch of plates, one row per pose, sorted by batch element and then by angle."""

    index: Index  # (m,) flat batch index of each row
    x: Real  # (m, 3) [m, m, rad] plate origin and angle in (−π, π]
    residual: Real  # (m,) [m] max_i ||P_i − a_i| − ρ_i|
    condition: Real  # (m,) of A = ∂φ/∂x, φ_i = |P_i − a_i|² − ρ_i²; infinite at a Type 2 singularity
    det: Real  # (m,) of A
    double: Mask  # (m,) two or more poses merged here, within rounding
    certified: Mask  # (m,) existence and local uniqueness proven (Newton–Kantorovich)
    radius_of_uniqueness: (
        Real  # (m,) [m] no other pose within √(|ΔP_1|² + ℓ²Δφ²), ℓ = max |p_i − p_1|; 0 if not certified
    )
    roots: (
        Index  # (m,) poses that the row stands for, complex ones too, with multiplicity; 1 unless double, 0 if unknown
    )
    spread: Real  # (m,) [m] all of them lie within this √(|ΔP_1|² + ℓ²|Δφ|²) of the row; 0 for a single pose
    shape: tuple[int, ...]  # the batch, nb elements in all
    verdict: NDArray[np.int8]  # (nb,) a Verdict: whether the number of poses is proven
    miss_leg: Index  # (nb,) for an element without poses the leg to change, else −1
    miss: Real  # (nb,) [m] by how much that leg must become longer (shorter if negative), else 0
    miss_partner: Index  # (nb,) second leg if no single leg is enough: these two never meet; else −1

    @property
    def complete(self) -> Mask:
        """Elements whose number of poses is proven, those of clusters included, (nb,)."""
        return (self.verdict == Verdict.PROVEN) | (self.verdict == Verdict.CLUSTERS)

    @property
    def mobile(self) -> Mask:
        """Elements that a whole curve of poses closes, (nb,)."""
        return np.equal(self.verdict, Verdict.MOBILE)

    @property
    def count(self) -> Index:
        """Number of rows of each element, (nb,); a cluster counts once."""
        return np.bincount(self.index, minlength=len(self.verdict))

    def explain(self, element: int = 0) -> str:
        """One sentence on what was found for an element, and why there is nothing or no proof."""
        count, verdict = int(self.count[element]), Verdict(int(self.verdict[element]))
        if verdict is Verdict.MOBILE:
            return f"mobile: the closures leave a whole curve of poses; {count} isolated pose(s) besides it are listed."
        if verdict is Verdict.CLUSTERS:
            return f"{count} pose(s), {'; '.join(self._clusters(element))}; {_BECAUSE[verdict]}"
        if count:
            return f"{count} pose(s); {_BECAUSE[verdict]}"
        leg, by, partner = int(self.miss_leg[element]), float(self.miss[element]), int(self.miss_partner[element])
        if partner >= 0:
            pair = f"legs {leg + 1} and {partner + 1}"
            return f"no pose: {pair} miss each other by {by:.6g} m at every angle; {_BECAUSE[verdict]}"
        word = "short" if by > 0 else "long"
        return f"no pose: leg {leg + 1} is too {word} by {abs(by):.6g} m, the other legs kept; {_BECAUSE[verdict]}"

    def _clusters(self, element: int) -> list[str]:
        """What each merged row of an element stands for."""
        rows = np.nonzero((self.index == element) & (self.roots > 1))[0]
        told = "poses that merge within rounding"
        return [f"one of them {self.roots[i]} {told}, within {self.spread[i]:.1e} m" for i in rows]


_BECAUSE = {
    Verdict.PROVEN: "the number is proven.",
    Verdict.CLUSTERS: "there is no other, proven.",
    Verdict.NOT_ASKED: "the number was not to be proven (prove=True does).",
    Verdict.DOUBLE: "poses merge within rounding, so their number cannot be proven.",
    Verdict.UNRESOLVED: "rounding hides whether there are more; try lengths of similar size.",
}


def three_circles(centre: ArrayLike, radius: ArrayLike, local: ArrayLike, *, prove: bool | None = None) -> PlatePoses:
    """All poses x = (x, y, φ) with |(x, y) + R(φ) p_i − a_i| = ρ_i, i = 1..3.

    centre (*b, 3, 2) are a_i [m], radius (*b, 3) are ρ_i [m], local (*b, 3, 2) or (3, 2) are p_i [m]; batches
    broadcast. Where the six complex angles differ by more than rounding, the number of poses is proven at once. Where
    poses merge, that takes the complete solver and 10 ms: done up to 500 such elements, for all of them with `prove`,
    for none with `prove=False`; `complete` says of which elements the number is proven.
    """
    a, rho, p, shape = _checked(centre, radius, local)
    plates = normalise(a, rho, p)
    parts = [search(plates[start : start + BLOCK]) for start in range(0, max(len(rho), 1), BLOCK)]
    found = _joined(parts)
    if prove or (prove is None and len(unsettled(found)) <= SETTLE_UP_TO):
        found = settle(a, rho, p, plates, found)
    else:
        found.verdict[unsettled(found)] = Verdict.NOT_ASKED
    return _report(a, rho, p, shape, plates, found)


def half_angle_sextic(centre: ArrayLike, radius: ArrayLike, local: ArrayLike) -> Real:
    """The polynomial of degree 6 in t = tan(φ/2) whose real roots are the poses, highest power first, (*b, 7).

    It is monic; where φ = π is a pose, so that the leading coefficient is lost in rounding, that one is exactly 0 and
    the largest is ±1. The coefficients do not depend on the unit of length.
    """
    a, rho, p, shape = _checked(centre, radius, local)
    plates = normalise(a, rho, p)
    f: TrigPolynomial = eliminant(plates.d, plates.e, plates.rho)
    t = half_angle_coefficients(f)
    lost = np.abs(t[:, 0]) <= f.slack(0)
    t[lost, 0] = 0.0
    largest = np.abs(t).max(axis=1, initial=0.0)
    unit = np.where(lost, np.where(largest > 0, largest, 1.0), t[:, 0])
    return (t / unit[:, None]).reshape(*shape, 7)


def _checked(centre: ArrayLike, radius: ArrayLike, local: ArrayLike) -> tuple[Real, Real, Real, tuple[int, ...]]:
    """Contiguous (nb, 3, 2), (nb, 3), (nb, 3, 2) and the batch shape, or an error that says what is wrong."""
    a, rho, p = (np.asarray(value, float) for value in (centre, radius, local))
    if a.shape[-2:] != (3, 2) or p.shape[-2:] != (3, 2) or rho.shape[-1:] != (3,):
        raise BadPlate(
            f"three_circles: centre {a.shape}, radius {rho.shape} and local {p.shape} must end in "
            "(3, 2), (3,) and (3, 2): three legs, two coordinates each."
        )
    try:
        shape = np.broadcast_shapes(a.shape[:-2], rho.shape[:-1], p.shape[:-2])
    except ValueError:
        raise BadPlate(
            f"three_circles: the batches {a.shape[:-2]} of centre, {rho.shape[:-1]} of radius and "
            f"{p.shape[:-2]} of local do not broadcast; give equal batches, or none."
        ) from None
    for name, value in (("centre", a), ("radius", rho), ("local", p)):
        if not np.isfinite(value).all():
            raise BadPlate(
                f"three_circles: {name} has {np.count_nonzero(~np.isfinite(value))} value(s) that are not finite."
            )
    if (rho < 0).any():
        where = tuple(int(k) for k in np.argwhere(rho < 0)[0])
        raise BadPlate(f"three_circles: radius{list(where)} = {rho[where]:.6g} m is negative; give a length ≥ 0.")
    nb = int(np.prod(shape))
    a, p = (np.ascontiguousarray(np.broadcast_to(v, (*shape, 3, 2)).reshape(nb, 3, 2)) for v in (a, p))
    return a, np.broadcast_to(rho, (*shape, 3)).reshape(nb, 3), p, shape


def _joined(parts: list[Found]) -> Found:
    """The findings of consecutive blocks as one."""
    if len(parts) == 1:
        return parts[0]
    poses = [replace(part.poses, row=part.poses.row + k * BLOCK) for k, part in enumerate(parts)]
    return Found(Candidates.joined(poses), np.concatenate([part.verdict for part in parts]))


def _report(a: Real, rho: Real, p: Real, shape: tuple[int, ...], plates: Plates, found: Found) -> PlatePoses:
    """Poses in metres, with residual, Jacobian and the reasons of the elements that have none."""
    k, z = found.poses.row, np.exp(1j * found.poses.phi)
    phi = np.angle(z)
    phi = np.where(phi < -np.pi + 1e-14, np.minimum(phi + 2 * np.pi, np.pi), phi)  # one side for half a turn
    origin = a[k, 0] @ [1, 1j] + found.poses.U * plates.scale[k] - z * (p[k, 0] @ [1, 1j])
    order = np.lexsort((origin.imag, origin.real, np.round(phi, 9), k))  # equal angles: by x, not by rounding
    k, z, phi, origin = k[order], z[order], phi[order], origin[order]
    turned = z[:, None] * (p[k] @ [1, 1j])  # (m, 3) R p_i
    leg = origin[:, None] + turned - a[k] @ [1, 1j]  # (m, 3) P_i − a_i
    A = 2 * np.stack([leg.real, leg.imag, (leg.conj() * 1j * turned).real], axis=2)  # (m, 3, 3)
    poses = found.poses[order]
    empty = np.nonzero((np.bincount(k, minlength=len(rho)) == 0) & (found.verdict != Verdict.MOBILE))[0]
    miss = nearest_miss(plates[empty])
    miss_leg, miss_by, partner = np.full(len(rho), -1), np.zeros(len(rho)), np.full(len(rho), -1)
    miss_leg[empty], miss_by[empty], partner[empty] = miss.leg, miss.by * plates.scale[empty], miss.partner
    return PlatePoses(
        index=k,
        x=np.stack([origin.real, origin.imag, phi], axis=1),
        residual=np.abs(np.abs(leg) - rho[k]).max(axis=1, initial=0.0),
        condition=_condition(A, poses.double),
        det=np.linalg.det(A),
        double=poses.double,
        certified=poses.certified,
        radius_of_uniqueness=poses.radius * plates.scale[k],
        roots=poses.roots,
        spread=poses.spread * plates.scale[k],
        shape=shape,
        verdict=found.verdict,
        miss_leg=miss_leg,
        miss=miss_by,
        miss_partner=partner,
    )


def _condition(A: Real, singular: Mask) -> Real:
    """σ_max / σ_min, infinite where A is singular."""
    sigma = np.linalg.svd(A, compute_uv=False)  # (m, 3)
    singular = singular | (sigma[:, 2] == 0)
    return np.where(singular, np.inf, sigma[:, 0] / np.where(singular, 1.0, sigma[:, 2]))
