"""Directions in the space of parameters, told by name: what data show well, badly or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.policy import RANK

SHOWN = 0.2  # of the largest share of a direction: smaller ones are not told
TERMS = 8  # of a combination that are told, the largest


@dataclass(frozen=True, eq=False)
class Combination:
    """A direction of unit length in scaled parameters, and how strongly data show a step along it."""

    names: tuple[str, ...]
    shares: Doubles  # (parameters,) of length one
    singular: float  # change of the data [in the data's scale] per unit along it
    sd: float  # standard deviation along it; infinite where nothing shows it

    def __str__(self) -> str:
        return named(self.names, self.shares)


def named(names: Sequence[str], shares: Doubles, *, least: float = SHOWN, terms: int = TERMS) -> str:
    """`0.18 radius + 0.57 arm_a − …`: a combination in words, its largest share positive."""
    largest = float(np.abs(shares).max(initial=0.0))
    if not largest:
        return "0"
    sign = np.sign(shares[int(np.argmax(np.abs(shares) > largest * (1 - 1e-6)))])
    told = np.flatnonzero(np.abs(shares) >= least * largest)
    chosen = set(told[np.argsort(-np.abs(shares[told]), kind="stable")][:terms].tolist())
    words = ""
    for i, (name, share) in enumerate(zip(names, sign * shares, strict=True)):
        if i not in chosen:
            continue
        size = "" if abs(abs(share) - 1.0) < 5e-7 else f"{abs(share):.4g} "
        words += f" {'−' if share < 0 else '+'} {size}{name}" if words else f"{'−' if share < 0 else ''}{size}{name}"
    return words + (" + …" if len(chosen) < len(told) else "")


def combinations(names: Sequence[str], J: Doubles, *, unit: float = 1.0) -> tuple[Combination, ...]:
    """Every singular direction of a whitened Jacobian, the best seen first; `unit` is the data's standard deviation."""
    _, sigma, V = np.linalg.svd(J, full_matrices=True)
    sigma = np.concatenate([sigma, np.zeros(len(names) - len(sigma))])
    seen = sigma > RANK * max(float(sigma[0]), 1e-300)
    found = []
    for s, v, see in zip(sigma, V, seen, strict=True):
        found.append(Combination(tuple(names), v, float(s * unit), float(1.0 / s) if see else float("inf")))
    return tuple(found)


def invisible(names: Sequence[str], directions: Doubles) -> tuple[str, ...]:
    """A space of unseen directions (k, n) by combinations of few parameters each: its reduced echelon form."""
    rows = np.array(directions, dtype=np.float64)
    pivots: list[int] = []
    for i in range(len(rows)):  # the largest element left is the next pivot
        left = np.abs(rows[i:]).copy()
        left[:, pivots] = 0.0
        row, column = divmod(int(np.argmax(left)), rows.shape[1])
        rows[[i, i + row]] = rows[[i + row, i]]
        rows[i] /= rows[i, column]
        others = [k for k in range(len(rows)) if k != i]
        rows[others] -= np.outer(rows[others, column], rows[i])
        pivots.append(column)
    rows[np.abs(rows) < 1e-7] = 0.0
    return tuple(named(names, row, least=1e-6, terms=len(names)) for row in rows)
