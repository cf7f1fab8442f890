"""Solutions carried from one member of a family to another, by the compiled tracker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedchain.kernels.loops import compile_module
from closedchain.solver import tracking
from closedchain.solver.quadrics import Complex, Doubles, Integers, Pattern
from closedchain.solver.tracking import ARRIVED, LOST_FAR, ORDER

Flags = NDArray[np.bool_]


@cache
def compiled() -> dict[str, Callable[..., Any]]:
    """The tracker's functions."""
    return compile_module(tracking)


@dataclass(frozen=True, eq=False)
class Ends:
    """Where paths ended, one row each."""

    Z: Complex  # (paths, n + 1)
    codes: Integers
    t: Doubles  # 1 where it arrived

    @property
    def arrived(self) -> Flags:
        return np.asarray(self.codes == ARRIVED)

    @property
    def far(self) -> Flags:
        """Gone to infinity."""
        return np.asarray(self.codes == LOST_FAR)


def follow(shape: Pattern, start: Complex, goal: Complex, Z: Complex, tightness: float = 1.0) -> Ends:
    """Carry solutions Z of the coefficients `start` to those of `goal`, along the straight line between them."""
    n, m, paths = shape.n, len(shape.terms), len(Z)
    Z = np.array(Z, dtype=np.complex128, order="C")
    start, goal = np.ascontiguousarray(start), np.ascontiguousarray(goal)
    codes, t = np.zeros(paths, dtype=np.int64), np.zeros(paths)
    work, rows = np.zeros((n + ORDER + 4, n + 1), np.complex128), np.zeros(n + 1, dtype=np.int64)
    held, change = np.zeros(m, np.complex128), np.zeros(m, np.complex128)
    compiled()["track"](n, m, shape.terms, start, goal, paths, Z, tightness, codes, t, work, held, change, rows)
    return Ends(Z, codes, t)


def polish(shape: Pattern, C: Complex, Z: Complex) -> tuple[Complex, Doubles]:
    """Newton's method to the last digit; the length of its last step, negative where the solution is singular."""
    n = shape.n
    Z = np.array(Z, dtype=np.complex128, order="C")
    lengths, rows = np.zeros(len(Z)), np.zeros(n + 1, dtype=np.int64)
    work = np.zeros((n + 2, n + 1), np.complex128)
    compiled()["polish"](n, len(shape.terms), shape.terms, np.ascontiguousarray(C), len(Z), Z, lengths, work, rows)
    return Z, lengths


def distinct(Z: Complex, among: Complex | None = None, near: float = 1e-7) -> Integers:
    """The rows that differ from all earlier ones and from those of another set, relative to their size."""
    kept: list[int] = []
    pool = np.empty((0, Z.shape[1]), np.complex128) if among is None else among
    sizes = 1.0 + np.abs(Z).max(axis=-1, initial=0.0)
    for k, z in enumerate(Z):
        if not len(pool) or np.abs(pool - z).max(axis=-1).min() > near * sizes[k]:
            kept.append(k)
            pool = np.concatenate([pool, z[None]])
    return np.array(kept, dtype=np.int64)
