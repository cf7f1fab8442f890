"""Base parameters: the combinations of dynamic parameters that efforts depend on, found at random states.

Columns of W that depend on those before them, W_d = W_i C, are left out, and their parameters counted with those:

    W χ = W_i (χ_i + C χ_d) = W_i β

The rank is found twice, by singular values and by orthogonalising column after column; both have to agree, and the gap
between what counts and what is rounding is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.identification.regressor import Regressor, stacked
from closedchain.model.sampling import sample
from closedchain.policy import RANK

STATES = 400  # random ones: many more rows than columns
ZERO = 1e-8  # a coefficient of rounding


class RankUnclear(ClosedChainError, ArithmeticError):
    """Two methods find another rank."""


@dataclass(frozen=True, eq=False)
class Base:
    """Which parameters count, and with which others they are one."""

    names: tuple[str, ...]  # of all dynamic parameters
    kept: tuple[int, ...]
    C: Doubles  # (kept, all): β = C χ, with 1 at its own parameter
    rank_svd: int
    rank_qr: int
    gap: tuple[float, float]  # the smallest singular value that counts and the largest that does not, of 1

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def labels(self) -> tuple[str, ...]:
        """Each base parameter by the first of its parts."""
        return tuple(self.names[k] for k in self.kept)

    @property
    def combinations(self) -> tuple[str, ...]:
        """Each as a sum of parameters; coefficients are made of the robot's lengths, in SI."""
        return tuple(_sum(self.names, row, k) for row, k in zip(self.C, self.kept, strict=True))

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Parameters that no effort depends on."""
        return tuple(n for i, n in enumerate(self.names) if not self.C[:, i].any())

    def __str__(self) -> str:
        lines = [
            f"{len(self)} base parameters of {len(self.names)}; rank {self.rank_svd} by singular values and "
            f"{self.rank_qr} by orthogonal columns, {self.gap[0]:.1e} counts and {self.gap[1]:.1e} does not"
        ]
        lines += [f"  {i:3d}  {words}" for i, words in enumerate(self.combinations, 1)]
        if self.without_effect:
            lines.append(f"  without effect: {', '.join(self.without_effect)}")
        return "\n".join(lines)


def _sum(names: tuple[str, ...], row: Doubles, own: int) -> str:
    words = names[own]
    for name, c in ((n, c) for i, (n, c) in enumerate(zip(names, row, strict=True)) if c and i != own):
        size = "" if abs(c) == 1.0 else f"{abs(c):.6g} "
        words += f" {'−' if c < 0 else '+'} {size}{name}"
    return words


def base_parameters(regressor: Regressor, *, seed: int = 0, states: int = STATES) -> Base:
    """The base parameters of a robot, at random states on all its branches."""
    at = sample(regressor.model, states, seed)
    q_ddot = np.random.default_rng(seed).standard_normal(at.q.shape) * np.abs(at.q_dot).max(initial=1.0)
    W = stacked(regressor(at.q, at.x, at.q_dot, q_ddot))
    return reduce(regressor.names, W, order=_order(regressor))


def _order(regressor: Regressor) -> list[int]:
    """Which columns are kept where one of several will do: the output's, the drives', then those of other bodies."""
    mechanism, drives = regressor.model.mechanism, {c.name for c in regressor.model.equations.q}
    output = mechanism.output.name if mechanism else ""
    ranks = [0 if c.body == output else 1 if c.body.partition(".")[0] in drives else 2 for c in regressor.columns]
    return sorted(range(len(ranks)), key=lambda k: ranks[k])


def reduce(names: tuple[str, ...], W: Doubles, order: Sequence[int] | None = None) -> Base:
    """The independent columns of W, the first in order, and how the others depend on them."""
    sizes = np.linalg.norm(W, axis=0)
    there = sizes > 1e-12 * max(float(sizes.max(initial=0.0)), 1e-300)
    unit = np.where(there, sizes, 1.0)
    scaled = np.where(there, W / unit, 0.0)
    sigma = np.linalg.svd(scaled, compute_uv=False)
    rank = int(np.count_nonzero(sigma > RANK * max(float(sigma[0]), 1e-300)))
    kept, left = independent(scaled, order or range(len(names)))
    below = float(sigma[rank]) if rank < len(sigma) else 0.0
    gap = float(sigma[rank - 1]) / float(sigma[0]), below / float(sigma[0])
    if len(kept) != rank:
        raise RankUnclear(
            f"singular values say {rank} base parameters, orthogonal columns {len(kept)}: {gap[0]:.1e} would count, "
            f"{gap[1]:.1e} would not, columns leave {left:.1e}. The robot's lengths or masses differ too much in size"
        )
    C = np.linalg.lstsq(scaled[:, kept], scaled, rcond=None)[0]
    C[np.abs(C) < ZERO] = 0.0
    C = C / unit[kept][:, None] * np.where(there, sizes, 0.0)
    C[:, kept] = np.eye(len(kept))
    return Base(names, tuple(kept), _rounded(C), rank, len(kept), gap)


def independent(W: Doubles, order: Iterable[int]) -> tuple[list[int], float]:
    """Columns that are not combinations of those before them, by Gram–Schmidt done twice; the least that one leaves."""
    Q = np.zeros((len(W), 0))
    kept: list[int] = []
    least = np.inf
    for k in order:
        v = W[:, k]
        for _ in range(2):
            v = v - Q @ (Q.T @ v)
        size = float(np.linalg.norm(v))
        if size > 1e2 * RANK:
            Q, kept, least = np.column_stack([Q, v / size]), [*kept, k], min(least, size)
    return sorted(kept), least


def _rounded(C: Doubles) -> Doubles:
    """Coefficients within rounding of a short number are that number."""
    short = np.round(C, 9)
    return np.where(np.abs(C - short) <= 1e-10 * np.maximum(np.abs(C), 1.0), short, C)
