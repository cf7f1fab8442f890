"""`analyse`: how many ways a linkage can move, which closures say nothing new, and whether that is so only here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.arrays import Doubles, vectors
from closedchain.model.closing import close
from closedchain.model.dynamics import coordinate_sizes, free_motions, scaled_jacobian
from closedchain.model.model import Model
from closedchain.model.sharing import internal_efforts
from closedchain.model.state import State
from closedchain.policy import RANK, ROUNDED

NEIGHBOURS = 12  # assembled configurations nearby, whose rank is the usual one
NEAR = 10  # times AWAY: what closes farther off is another assembly
AWAY = 0.005  # of the linkage's size: how far they are sought
WIDE = 1e-5  # of the largest singular value; closing a loop that is only just closed leaves 1e-7
SHARE = 1e-6  # of the largest: smaller parts of a combination of closures are none


@dataclass(frozen=True)
class Redundant:
    """A closure that others imply here."""

    closure: str
    implied_by: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Mobility:
    """What a linkage can do at one configuration, and what it can do nearby."""

    linkage: str
    coordinates: int  # of z
    closures: int
    rank: int  # of Φ here
    usual_rank: int  # the largest at assembled configurations nearby
    redundant: tuple[Redundant, ...]
    passive: int  # freedoms that are left when every drive stands still
    motions: Doubles  # (mobility, nz) an orthonormal basis of the velocities that keep the loops closed
    driven: tuple[str, ...]
    internal: Doubles  # (k, drives) efforts that move nothing here: drives that strain against each other

    @property
    def drives(self) -> int:
        return len(self.driven)

    @property
    def grubler(self) -> int:
        """Freedoms by counting: coordinates less closures."""
        return self.coordinates - self.closures

    @property
    def mobility(self) -> int:
        """Freedoms here: coordinates less independent closures."""
        return self.coordinates - self.rank

    @property
    def usual(self) -> int:
        """Freedoms nearby."""
        return self.coordinates - self.usual_rank

    @property
    def singular(self) -> bool:
        """Whether closures depend on one another here that do not nearby."""
        return self.rank < self.usual_rank

    def __str__(self) -> str:
        rows = [
            f"{self.linkage}: {_many(self.mobility, 'freedom')} here, {self.usual} nearby",
            f"  {self.coordinates} coordinates, {_many(self.closures, 'closure')}, {self.rank} independent here; "
            f"counting alone says {_many(self.grubler, 'freedom')}",
            f"  {_many(self.drives, 'drive')}; {_many(self.passive, 'freedom')} left when drives stand still",
        ]
        for row in self.internal:
            parts = ", ".join(f"{name} {value:+.3f}" for name, value in zip(self.driven, row, strict=True))
            rows.append(f"  internal, moves nothing: {parts}")
        if self.singular:
            lost = _many(self.usual_rank - self.rank, "closure")
            rows.append(f"  singular: {lost} lost here, not nearby; branches may meet")
        for r in self.redundant:
            rows.append(f"  {r.closure} is implied by {', '.join(r.implied_by) or 'nothing: it cannot move anything'}")
        return "\n".join(rows)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def analyse(model: Model, at: State | ArrayLike, *, seed: int = 0) -> Mobility:
    """The mobility at a state or a configuration z, by the rank of Φ, and by counting."""
    z = at.z if isinstance(at, State) else vectors(at, model.nq + model.nx, "z")
    Phi = scaled_jacobian(model, z)
    names = [c.name for c in model.equations.closures]
    rank, motions = _rank(Phi), free_motions(model, z).T
    passive = model.nx - _rank(Phi[:, model.nq :])
    return Mobility(
        linkage=model.name,
        coordinates=model.nq + model.nx,
        closures=len(names),
        rank=rank,
        usual_rank=max(rank, int(usual_ranks(model, z[None], seed)[0])),
        redundant=_redundant(Phi, names, rank),
        passive=passive,
        motions=motions / np.maximum(np.linalg.norm(motions, axis=-1, keepdims=True), 1e-300),
        driven=model.equations.driven,
        internal=internal_efforts(model, z),
    )


def ranks_here(model: Model, z: Doubles) -> NDArray[np.intp]:
    """How many closures are independent at each row of z, by a wide margin, (n,)."""
    sigma = np.linalg.svd(scaled_jacobian(model, z), compute_uv=False)
    largest = np.maximum(sigma.max(axis=-1, initial=0.0, keepdims=True), 1e-300)
    return np.asarray(np.count_nonzero(sigma > WIDE * largest, axis=-1))


def usual_ranks(model: Model, z: Doubles, seed: int = 0) -> NDArray[np.intp]:
    """The largest rank of Φ at assembled configurations near each row of z, (n,); 0 where none was reached.

    A start may close in another assembly, whose closures may hold more or less: what is far from z does not count.
    """
    rng, sizes = np.random.default_rng(seed), coordinate_sizes(model)
    away = AWAY * sizes * rng.standard_normal((NEIGHBOURS, 1, z.shape[-1]))
    starts = (z + away).reshape(-1, z.shape[-1])
    found, gap = close(model, starts)
    ok = gap.max(axis=-1, initial=0.0) <= ROUNDED * model.scale
    ok &= (np.abs(found - np.tile(z, (NEIGHBOURS, 1))) / sizes).max(axis=-1, initial=0.0) <= NEAR * AWAY
    ranks = np.where(ok, ranks_here(model, found), 0)
    return np.asarray(ranks.reshape(NEIGHBOURS, -1).max(axis=0))


def _rank(Phi: Doubles) -> int:
    sigma = np.linalg.svd(Phi, compute_uv=False)
    return int(np.count_nonzero(sigma > RANK * max(sigma[0], 1e-300))) if len(sigma) else 0


def _redundant(Phi: Doubles, names: list[str], rank: int) -> tuple[Redundant, ...]:
    """Closure after closure in their order: one that adds no direction to those before is a combination of them."""
    if rank == len(names):
        return ()
    kept: list[int] = []
    basis = np.zeros((0, Phi.shape[1]))  # orthonormal
    found: list[Redundant] = []
    for i, row in enumerate(Phi):
        left = row - basis.T @ (basis @ row)
        left -= basis.T @ (basis @ left)  # once more, for what rounding left
        if np.linalg.norm(left) > RANK:
            kept.append(i)
            basis = np.vstack([basis, left / np.linalg.norm(left)])
            continue
        shares = np.linalg.lstsq(Phi[kept].T, row, rcond=None)[0] if kept else np.zeros(0)
        used = np.abs(shares) > SHARE * np.abs(shares).max(initial=0.0)
        found.append(Redundant(names[i], tuple(names[k] for k, u in zip(kept, used, strict=True) if u)))
    return tuple(found)
