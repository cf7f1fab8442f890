"""Every isolated solution of one member of a family, each with its certificate, and what became of every path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from closedchain.arrays import Complex, Doubles
from closedchain.solver.certificate import COEFFICIENTS, Certificates, certify
from closedchain.solver.exact import certify_exactly
from closedchain.solver.family import MEMBERS, Family, NotCounted, Space
from closedchain.solver.merging import middle, parted, together_within
from closedchain.solver.paths import OUT, Ends, Flags, Member, follow

TIGHTER = (30.0, 3.0, 0.3, 0.03)  # a path that jumped to another one ends where that does, which is seen
DETOURS = 3
CLOSELY = 2  # attempts before one is followed closely enough to be believed where paths merge or go to infinity
REGULAR = 1e6  # Newton's last step times κ: far beyond this solutions meet, and exact arithmetic would not help
TRIED = 6  # systems to which the ways from a member are compared
MET = (1e-4, 1e-3, 1e-2, 5e-2)  # relative distances within which ends of paths are tried as one solution


@dataclass(frozen=True, eq=False)
class Cluster:
    """Paths that meet in one singular solution: `count` solutions lie closer than doubles can tell."""

    z: Complex  # (n + 1,)
    count: int
    radius: float  # of the largest component: proven, or as the paths saw it
    proven: bool = False  # that so many solutions, each counted as often as it is one, lie within the radius
    apart: Certificates | None = None  # of each of them, where they can be told apart after all


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
    undecided: int = 0  # simple solutions not proven, or not proven to be real or not
    agreed: bool = True  # whether what merges or goes to infinity was told twice

    @property
    def complete(self) -> bool:
        """Whether each path ends in a proven solution, a cluster or infinity, and no two in the same."""
        return self.agreed and not (self.lost or self.undecided)


def roots(family: Family, C: Complex, seed: int = 0) -> Roots:
    """The solutions of the member with coefficients C; what merges or goes to infinity is believed when seen twice.

    It must be seen on ways that were followed closely, and no attempt may have proven more solutions.
    """
    best: Roots | None = None
    seen: list[tuple[int, int, int]] = []
    for ends in _attempts(family, C, np.random.default_rng(seed)):
        made = _account(family, C, ends)
        told = (len(made.Z), made.far, sum(c.count for c in made.clusters))
        if made.complete and not (made.far or made.clusters):
            return made
        best = _better(best, made)
        most = len(best.Z) <= len(made.Z)  # what is proven once more is there: a path that slipped off told less
        if made.complete and most and told in seen and len(seen) >= CLOSELY:
            return made
        seen += [told] if made.complete else []
    assert best is not None
    return replace(best, agreed=False)


def narrowed(family: Family, S: Complex, seed: int = 0) -> Family:
    """The family that systems S span, with all solutions of one of its generic members; NotCounted if one was lost.

    Of some members, all with the same number of solutions, it is the one from which ways to the systems are shortest.
    """
    space, part, told, made = family.space.narrowed(S), family.space.projective, "", list[Family]()
    for attempt in range(2 * MEMBERS):
        C = space.member(np.random.default_rng((seed, attempt) if attempt else seed))
        found = roots(family, C)
        if found.complete and not found.clusters:
            made.append(Family(space, C, found.Z if part is None else part.patched(found.Z), family.misfit))
        merged, lost = sum(c.count for c in found.clusters), found.lost + found.undecided
        told = f"{len(found.Z)} end apart, {found.far} at infinity, {merged} merge, {lost} were lost"
        if len(made) == MEMBERS or (made and (attempt >= MEMBERS or found.far)):
            break
    if not made:
        raise NotCounted(f"of {family.count} paths to these dimensions {told}")
    most = max(one.count for one in made)
    return min((one for one in made if one.count == most), key=lambda one: _far(one, space.coefficients(S[:TRIED])))


def _far(family: Family, systems: Complex) -> int:
    """How many steps lead to some of the systems."""
    return sum(follow(family.shape, family.C, C, family.Z, TIGHTER[0]).steps for C in systems)


def _attempts(family: Family, C: Complex, rng: np.random.Generator) -> Iterator[Ends]:
    """Straight ways, followed more and more closely, then detours: singularities met on one are not met on another."""
    for tightness in TIGHTER:
        yield follow(family.shape, family.C, C, family.Z, tightness)
    for _ in range(DETOURS):
        yield _detour(family, C, rng)


def _better(a: Roots | None, b: Roots) -> Roots:
    return b if a is None or (-len(b.Z), b.lost + b.undecided) < (-len(a.Z), a.lost + a.undecided) else a


def _detour(family: Family, C: Complex, rng: np.random.Generator) -> Ends:
    middle = family.space.member(rng)
    first = follow(family.shape, family.C, middle, family.Z, 0.3)
    second = follow(family.shape, middle, C, first.Z, 0.1)
    codes = np.where(first.arrived, second.codes, first.codes)
    return Ends(second.Z, codes, np.where(first.arrived, second.t, 0.0))


def _account(family: Family, C: Complex, ends: Ends) -> Roots:
    """What became of each path."""
    space = family.space
    proof = _proven(Member(family.shape, C), ends.Z[ends.arrived])
    gone = _infinite(space, proof)
    vanishing = ends.far | _vanishes(space, ends.Z, 1e-4)
    near_end = ~ends.arrived & (ends.t > np.where(vanishing, 0.9, 1.0 - 1e-3))  # growing paths stall before the end
    simple = proof.proven & ~gone
    left = proof.Z[~proof.proven]
    lost_far = _vanishes(space, left, 1e-9)
    far = int((vanishing & near_end).sum() + gone.sum() + lost_far.sum())
    clusters = _clusters(space, C, np.concatenate([left[~lost_far], ends.Z[near_end & ~vanishing]]))
    first = _apart(proof, simple)
    repeated = int(simple.sum() - len(first))
    lost = int((~ends.arrived & ~near_end).sum()) + repeated
    single = sum(c.count == 1 for c in clusters)
    found, real, radius, unsure = _real(space, C, proof, first)
    told = tuple(c for c in clusters if c.count > 1 and c.apart is None)
    own = [c.apart for c in clusters if c.apart is not None]
    found, real, radius = (
        np.concatenate([first_ones, *(getattr(c, name) for c in own)])
        for first_ones, name in ((found, "Z"), (real, "real"), (radius, "radius"))
    )
    return Roots(found, np.ones(len(found), bool), real, radius, told, far, lost, family.count, single + unsure)


def _clusters(space: Space, C: Complex, Z: Complex) -> list[Cluster]:
    """Ends that are no simple solutions, put together as far as a proof tells; the nearest ones where none does.

    Paths to a solution of multiplicity k stall where they still are (1 − t)^(1/k) away from it, so the distances at
    which they are tried grow.
    """
    made, left = list[Cluster](), Z
    for near in MET:
        open_: list[Complex] = []
        for group in _groups(left, near):
            cluster = _certified(space, C, group) if len(group) > 1 else None
            if cluster is not None and cluster.proven:
                made.append(cluster)
            else:
                open_.append(group)
        left = np.concatenate([Z[:0], *open_])
    return made + [_certified(space, C, group) for group in _groups(left, MET[0])]


def _groups(Z: Complex, near: float) -> list[Complex]:
    """Rows that lie near the first of their group."""
    groups: list[list[Complex]] = []
    for z in Z:
        for group in groups:
            if np.abs(z - group[0]).max() <= near * (1.0 + np.abs(z).max()):
                group.append(z)
                break
        else:
            groups.append([z])
    return [np.array(group) for group in groups]


def _certified(space: Space, C: Complex, Z: Complex) -> Cluster:
    """Ends as one cluster, with e·e = 1 and a radius proven to hold its solutions; about a real place if near."""
    count, shape = len(Z), space.shape
    z = _normalised(space, Z.mean(axis=0))
    spread = float(np.abs(Z - Z.mean(axis=0)).max()) / (1.0 + float(np.abs(Z).max()))
    if count == 1:
        return Cluster(z, 1, spread)
    if space.projective is not None:
        shape, kept, length = space.of_unit_length
        C = np.concatenate([C[kept], length])
    z = middle(shape, C, z, count)
    if not C.imag.any() and np.abs(z.imag).max() <= 1e-3 * np.abs(z).max():
        z = z.real.astype(np.complex128)
    radius = together_within(shape, C, z, 1e-9, count)
    if not np.isfinite(radius):
        return Cluster(z, count, spread)
    return Cluster(z, count, radius, True, _told_singly(Member(shape, C), z, count))


def _told_singly(member: Member, z: Complex, count: int) -> Certificates | None:
    """The solutions of a cluster, each with its certificate; None where rounding does not let them apart."""
    own = _proven(member, parted(member.shape, member.C, z, count))
    rows = np.arange(len(own.Z))
    alone = len(own.Z) == count and own.proven.all() and len(_apart(own, own.proven)) == count
    return own if alone and not (member.is_real and _undecided(own, rows)) else None


def _normalised(space: Space, Z: Complex) -> Complex:
    """Solutions with their common factor chosen so that real ones are real."""
    part = space.projective
    return Z if part is None else part.normalised(Z)


def _vanishes(space: Space, Z: Complex, least: float) -> Flags:
    """Rows whose e·e is small: on their way to infinity."""
    part = space.projective
    if part is None:
        return np.zeros(len(Z), bool)
    own = Z[:, part.first : part.first + part.size]
    return np.asarray(np.abs(part.square(Z)) <= least * (np.abs(own) ** 2).sum(axis=-1))


def _infinite(space: Space, proof: Certificates) -> Flags:
    """Rows that are proven, with an e·e which may be 0 in their ball."""
    part = space.projective
    if part is None:
        return np.zeros(len(proof.Z), bool)
    e = np.abs(proof.Z[:, part.first : part.first + 4]).sum(axis=-1)
    reach = np.where(proof.proven, 2.0 * proof.radius * e + 4.0 * proof.radius**2, 0.0)
    return np.asarray(proof.proven & (np.abs(part.square(proof.Z)) <= reach))


def _real(space: Space, C: Complex, proof: Certificates, rows: np.ndarray) -> tuple[Complex, Flags, Doubles, int]:
    """Solutions with e·e = 1, which are proven real, their radii in these coordinates, and how many may be or not."""
    Z, real, radius = proof.Z[rows], proof.real[rows], proof.radius[rows].copy()
    part = space.projective
    if not len(Z):
        return Z, real, radius, 0
    if part is None:
        return Z, real, radius, _undecided(proof, rows) if not C.imag.any() else 0
    Z = part.normalised(Z)
    near = np.flatnonzero(np.abs(Z.imag).max(axis=-1) <= 1e-4 * np.abs(Z).max(axis=-1))
    shape, kept, length = space.of_unit_length
    member = Member(shape, np.concatenate([C[kept], length]))
    if not len(near) or not member.is_real:
        return Z, real, radius, 0
    own = _proven(member, Z[near])
    sure = own.proven & own.real
    Z[near[sure]], radius[near[sure]] = own.Z[sure], own.radius[sure]
    real[near[sure]] = True
    return Z, real, radius, _undecided(own, np.arange(len(near)))


def _undecided(proof: Certificates, rows: np.ndarray) -> int:
    """How many are neither proven real nor proven not to be: their ball keeps off the real places."""
    off = proof.proven & (np.abs(proof.Z.imag).max(axis=-1) > proof.radius)
    return int((~(proof.proven & proof.real) & ~off)[rows].sum())


def _proven(member: Member, Z: Complex) -> Certificates:
    """Solutions to their last digit with their certificates, in rational arithmetic where rounding leaves one open.

    A random complex member is the very system that its coefficients make. Those of a robot were computed, so the proof
    holds for all near them; one for the very doubles is enough for a solution far out, and for a lone one farther from
    the real places than any that may meet. Of some that might meet all are proven, or none is.
    """
    polished, steps = member.polish(Z)
    proof = certify(member, polished)
    open_ = np.flatnonzero(~proof.proven)
    kappa = member.contraction(proof.Z[open_], 0.0, 0.0, 0.0)[2]
    own = proof.Z[open_]
    gaps = np.abs(own[:, None] - own[None]).max(axis=-1)
    size = np.abs(own).max(axis=-1, initial=0.0)
    near = gaps <= MET[0] * (1.0 + size)
    imaginary = (np.abs(own.imag).max(axis=-1, initial=0.0) > MET[-1] * (1.0 + size)) & (near.sum(axis=1) == 1)
    as_written = (size > OUT) | imaginary | (not member.is_real)
    for k in np.flatnonzero((steps[open_] >= 0.0) & (steps[open_] * kappa < REGULAR)):
        if member.is_real:
            _prove_exactly(member, proof, int(open_[k]), COEFFICIENTS)
        if not proof.proven[open_[k]] and as_written[k]:
            _prove_exactly(member, proof, int(open_[k]), 0.0)
    meeting = open_[(near & ~proof.proven[open_]).any(axis=1)]
    proof.proven[meeting] = proof.real[meeting] = False
    return proof


def _prove_exactly(member: Member, proof: Certificates, k: int, error: float) -> None:
    """The certificate of one row in rational arithmetic."""
    ok, radius, alone, centre = certify_exactly(member.shape, member.C, proof.Z[k], error)
    if ok:
        imaginary = float(np.abs(centre.imag).max())
        proof.proven[k], proof.radius[k], proof.alone[k], proof.Z[k] = True, radius, alone, centre
        proof.real[k] = member.is_real and 2.0 * imaginary + radius < alone


def _apart(proof: Certificates, simple: Flags) -> np.ndarray:
    """Rows of solutions proven to differ: their balls are disjoint."""
    rows = np.flatnonzero(simple)
    if _told_apart(proof.Z[rows], proof.radius[rows]):
        return rows
    gaps = np.abs(proof.Z[rows, None] - proof.Z[None, rows]).max(axis=-1)
    reach = proof.radius[rows, None] + proof.radius[None, rows]
    meets = np.tril(gaps <= reach, -1)
    if not meets.any():
        return rows
    kept: list[int] = []
    for k in range(len(rows)):
        if not meets[k, kept].any():
            kept.append(k)
    return rows[kept]


def _told_apart(Z: Complex, radius: Doubles) -> bool:
    """Whether one number of each, a mean of its coordinates with fixed weights, tells that all balls are disjoint."""
    if len(Z) < 2:
        return True
    weights = np.exp(1j * np.arange(Z.shape[1]) ** 2) / Z.shape[1]
    told = Z @ weights
    gaps = np.abs(told[:, None] - told[None]) + np.diag(np.full(len(Z), np.inf))
    return bool((gaps > (radius[:, None] + radius[None]) + 1e-13 * np.abs(Z).max()).all())
