"""Every isolated solution of one member of a family, each with its certificate, and what became of every path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.solver.certificate import Certificates, certify
from closedchain.solver.exact import certify_exactly
from closedchain.solver.family import Family
from closedchain.solver.paths import Ends, Flags, follow, polish
from closedchain.solver.quadrics import Complex, Doubles, Pattern

TIGHTER = (1.0, 0.1, 0.01)
DETOURS = 3
MET = 1e-5  # relative distance within which singular ends of paths are one solution


@dataclass(frozen=True, eq=False)
class Cluster:
    """Paths that meet in one singular solution: `count` solutions lie closer than doubles can tell."""

    z: Complex  # (n + 1,)
    count: int
    radius: float  # relative to the size of z, as seen by the paths; not proven


@dataclass(frozen=True, eq=False)
class Roots:
    """All solutions of a system; `complete` says that every path of its family is accounted for."""

    Z: Complex  # (found, n + 1) simple ones
    proven: Flags  # (found,)
    real: Flags  # (found,) proven real
    radius: Doubles  # (found,) in which exactly one solution lies
    clusters: tuple[Cluster, ...] = ()
    far: int = 0  # paths gone to infinity
    lost: int = 0  # paths of which nothing is known
    count: int = 0  # of the family
    undecided: int = 0  # simple solutions not proven

    @property
    def complete(self) -> bool:
        """Whether each path ends in a proven solution, a cluster or infinity, and no two in the same."""
        return not (self.lost or self.undecided)


def roots(family: Family, C: Complex, seed: int = 0) -> Roots:
    """The solutions of the member with coefficients C."""
    best: Roots | None = None
    for tightness in TIGHTER:
        made = _account(family, C, follow(family.shape, family.C, C, family.Z, tightness))
        if made.complete and not made.far and not made.clusters:
            return made
        best = _better(best, made)
    rng = np.random.default_rng(seed)
    for _ in range(DETOURS):  # another way to the same member: singularities met on one are not met on another
        made = _account(family, C, _detour(family, C, rng))
        best = _better(best, made)
        if made.complete and not made.far and not made.clusters:
            return made
    assert best is not None
    return best


def _better(a: Roots | None, b: Roots) -> Roots:
    return b if a is None or (b.lost + b.undecided, -len(b.Z)) < (a.lost + a.undecided, -len(a.Z)) else a


def _detour(family: Family, C: Complex, rng: np.random.Generator) -> Ends:
    middle = family.space.member(rng)
    first = follow(family.shape, family.C, middle, family.Z, 0.3)
    second = follow(family.shape, middle, C, first.Z, 0.1)
    codes = np.where(first.arrived, second.codes, first.codes)
    return Ends(second.Z, codes, np.where(first.arrived, second.t, 0.0))


def _account(family: Family, C: Complex, ends: Ends) -> Roots:
    """What became of each path."""
    shape = family.shape
    Z, _ = polish(shape, C, ends.Z[ends.arrived])
    proof = _reconsidered(shape, C, certify(shape, C, Z))
    simple = proof.proven
    near_end = ~ends.arrived & (ends.t > 1.0 - 1e-3)
    far = int((ends.far & near_end).sum())
    meeting = np.concatenate([proof.Z[~simple], ends.Z[near_end & ~ends.far]])
    clusters = _clusters(meeting)
    first = _apart(proof, simple)
    repeated = int(simple.sum() - len(first))
    lost = int((~ends.arrived & ~near_end).sum()) + repeated
    single = sum(c.count == 1 for c in clusters)
    return Roots(
        proof.Z[first],
        proof.proven[first],
        proof.real[first],
        proof.radius[first],
        tuple(c for c in clusters if c.count > 1),
        far,
        lost,
        family.count,
        single,
    )


def _reconsidered(shape: Pattern, C: Complex, proof: Certificates) -> Certificates:
    """The same, with rational arithmetic where rounding left a proof open."""
    for k in np.flatnonzero(~proof.proven):
        ok, radius, alone, centre = certify_exactly(shape, C, proof.Z[k])
        if ok:
            imaginary = float(np.abs(centre.imag).max())
            proof.proven[k], proof.radius[k], proof.alone[k], proof.Z[k] = True, radius, alone, centre
            proof.real[k] = bool(np.all(C.imag == 0.0)) and 2.0 * imaginary + radius < alone
    return proof


def _apart(proof: Certificates, simple: Flags) -> np.ndarray:
    """Rows of solutions proven to differ: their balls are disjoint."""
    rows = np.flatnonzero(simple)
    gaps = np.abs(proof.Z[rows, None] - proof.Z[None, rows]).max(axis=-1)
    reach = proof.radius[rows, None] + proof.radius[None, rows]
    kept: list[int] = []
    for k in range(len(rows)):
        if all(gaps[k, j] > reach[k, j] for j in kept):
            kept.append(k)
    return rows[kept]


def _clusters(Z: Complex) -> list[Cluster]:
    groups: list[list[Complex]] = []
    for z in Z:
        for group in groups:
            if np.abs(z - group[0]).max() <= MET * (1.0 + np.abs(z).max()) * 10:
                group.append(z)
                break
        else:
            groups.append([z])
    made = []
    for group in groups:
        middle = np.mean(group, axis=0)
        spread = max(float(np.abs(z - middle).max()) for z in group) / (1.0 + float(np.abs(middle).max()))
        made.append(Cluster(middle, len(group), spread))
    return made
