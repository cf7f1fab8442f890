"""Solutions carried from one member of a family to another, by the compiled tracker."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Complex, Doubles, Integers
from closedchain.kernels.loops import LANES, address_of, compile_module, in_lanes
from closedchain.solver import tracking
from closedchain.solver.quadrics import Pattern
from closedchain.solver.tracking import ARRIVED, LOST_FAR, LOST_SINGULAR, ORDER, STATES

Flags = NDArray[np.bool_]
OUT = 50.0  # a solution beyond this is far out
REFINEMENTS = 5
TRACKED = ("J", "series", "ahead", "F", "W", "V", "pivots", "swapped", "state", "held")  # room that `track` needs
STILL = 1e-14  # coefficients are of size 1
LARGE = 1e2  # a path lost at this size is asked whether it grows without bound
GROWS = 1.15  # by so much at least each time that the way left is halved: a power of it, 1/5 or more
NEAR_END = 0.99  # of the way


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
    steps: int = 0  # of all

    @property
    def arrived(self) -> Flags:
        return np.asarray(self.codes == ARRIVED)

    @property
    def far(self) -> Flags:
        """Gone to infinity."""
        return np.asarray(self.codes == LOST_FAR)


class Room:
    """Memory for the tracker's lanes, of systems of n equations in so many products."""

    def __init__(self, n: int, pairs: int) -> None:
        self.arrays: dict[str, NDArray[Any]] = {name: in_lanes(n, n + 1, 2) for name in ("J", "A", "slopes")} | {
            "series": in_lanes(ORDER + 1, n + 1, 2),
            "W": in_lanes(pairs, 2),
            "V": in_lanes(pairs, 2),
        }
        self.arrays |= {name: in_lanes(n + 1, 2) for name in ("ahead", "F")}
        self.arrays |= {name: in_lanes(n + 1) for name in ("pivots", "size", "F_size")}
        self.arrays |= {"J_size": in_lanes(n, n + 1), "state": in_lanes(STATES), "h": np.zeros(n)}
        self.arrays |= {"swapped": np.zeros(n, np.int64), "held": np.zeros(LANES, np.int64)}
        self.places = {name: address_of(array) for name, array in self.arrays.items()}

    def __call__(self, *names: str) -> list[Any]:
        return [self.places[name] for name in names]


_ROOMS = threading.local()  # compiled code runs beside other threads


def _room(n: int, pairs: int) -> Room:
    rooms: dict[tuple[int, int], Room] = _ROOMS.__dict__.setdefault("made", {})
    if (n, pairs) not in rooms:
        rooms[n, pairs] = Room(n, pairs)
    return rooms[n, pairs]


def system_of(shape: Pattern, C: Complex, goal: Complex) -> tuple[Room, list[Any]]:
    """Room, and the arguments that tell a system: its products, terms that stay and are real, and those that move.

    A term that moves by rounding alone has its value at the goal all the way.
    """
    left, right, of = shape.products
    order, n = shape.order, shape.n
    C, goal = C[order], goal[order]
    D = goal - C
    e, of = shape.terms[order, 0], of[order]
    still = (np.abs(D) <= STILL) & (goal.imag == 0.0)
    kept, moves, every = np.flatnonzero(still & (goal.real != 0.0)), np.flatnonzero(~still), np.arange(n + 1)
    fixed = [np.searchsorted(e[kept], every), of[kept], np.ascontiguousarray(goal.real[kept])]
    moving = [np.searchsorted(e[moves], every), of[moves], C[moves], D[moves]]
    driven = np.zeros(len(left), np.int64)
    driven[of[moves]] = 1
    return _room(n, len(left)), [n, len(left), left, right, driven, *fixed, *moving]


def _placed(system: list[Any]) -> list[Any]:
    """The arguments for compiled code; the arrays are kept by the list they come from."""
    return [a if isinstance(a, int) else address_of(a) for a in system]


def follow(shape: Pattern, start: Complex, goal: Complex, Z: Complex, tightness: float = 1.0) -> Ends:
    """Carry solutions Z of the coefficients `start` to those of `goal`, along the straight line between them."""
    ends = _tracked(shape, start, goal, Z, tightness)
    stalled = np.flatnonzero((ends.codes == LOST_SINGULAR) & (ends.t > NEAR_END) & (_sizes(ends.Z) > LARGE))
    for k in stalled:  # rounding keeps paths that grow from the size at which they count as far
        sizes = []
        for left in (1.0 - ends.t[k]) * np.array([8.0, 4.0, 2.0]):
            there = _tracked(shape, start, start + (1.0 - left) * (goal - start), Z[k : k + 1], tightness)
            sizes.append(_sizes(there.Z)[0] if there.arrived.all() else 0.0)
        if sizes[0] > 0.0 and sizes[1] > GROWS * sizes[0] and sizes[2] > GROWS * sizes[1]:
            ends.codes[k] = LOST_FAR
    arrived = ends.arrived
    ends.Z[arrived] = refine(shape, goal, ends.Z[arrived])
    return ends


def _tracked(shape: Pattern, start: Complex, goal: Complex, Z: Complex, tightness: float) -> Ends:
    """The same as the compiled tracker leaves it."""
    Z = np.array(Z, dtype=np.complex128, order="C")
    codes, t, steps = np.zeros(len(Z), dtype=np.int64), np.zeros(len(Z)), 0
    if len(Z):
        room, system = system_of(shape, start, goal)
        steps = compiled()["track"](*system, len(Z), Z, tightness, codes, t, *room(*TRACKED))
    return Ends(Z, codes, t, steps)


def _sizes(Z: Complex) -> Doubles:
    return np.asarray(np.abs(Z).max(axis=-1, initial=1.0))


class Member:
    """One system, ready for Newton's method and for proofs."""

    def __init__(self, shape: Pattern, C: Complex) -> None:
        self.shape, self.C = shape, C
        self.is_real = bool((C.imag == 0.0).all())
        self._room, self._arrays = system_of(shape, C, C)
        self._system = _placed(self._arrays)

    def polish(self, Z: Complex) -> tuple[Complex, Doubles]:
        """Newton's method to the last digit; the length of its last step, negative where the solution is singular."""
        Z = np.array(Z, dtype=np.complex128, order="C")
        lengths = np.zeros(len(Z))
        if len(Z):
            work = self._room("J", "series", "F", "W", "pivots", "swapped", "state")
            compiled()["polish"](*self._system, len(Z), Z, lengths, *work)
        return Z, lengths

    def contraction(self, Z: Complex, F: float, J: float, other: float) -> tuple[Doubles, ...]:
        """η, δ, κ of Newton's map at approximate solutions, with sums' relative rounding errors F, J and other."""
        made = np.zeros(len(Z)), np.full(len(Z), np.inf), np.zeros(len(Z))
        if len(Z):
            work = self._room("J", "A", "slopes", "series", "F", "W", "size", "F_size", "J_size", "h")
            work += self._room("pivots", "swapped", "state")
            compiled()["bounds"](*self._system, len(Z), np.ascontiguousarray(Z), F, J, other, *made, *work)
        return made


def refine(shape: Pattern, C: Complex, Z: Complex) -> Complex:
    """Solutions far out once more, residuals in extended precision: their last digits tell them from each other."""
    rows = np.flatnonzero(np.abs(Z).max(axis=-1, initial=0.0) > OUT)
    if not len(rows):
        return Z
    Z, (e, i, j) = Z.copy(), shape.terms.T
    W, exact, Q = Z[rows].astype(np.clongdouble), C.astype(np.clongdouble), shape.dense(C)
    for _ in range(REFINEMENTS):
        F = np.zeros((len(rows), shape.n), np.clongdouble)
        np.add.at(F.T, e, (exact * W[:, i] * W[:, j]).T)
        J = 2.0 * np.einsum("eij,pj->pei", Q, W.astype(np.complex128))[:, :, : shape.n]
        try:
            W[:, : shape.n] -= np.linalg.solve(J, F.astype(np.complex128)[..., None])[..., 0]
        except np.linalg.LinAlgError:
            return Z
    Z[rows] = W.astype(np.complex128)
    return Z


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
