"""Curves G(z) = 0, one equation fewer than unknowns, followed by predictor and corrector to rounding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles

Rows = Callable[[Doubles], tuple[Doubles, Doubles]]  # z -> (G (n,), dG in scaled coordinates (n, nz))

STRAIGHT = np.cos(0.12)  # a step may turn the tangent by this much
NEWTON = 8
SETTLED = 2e-14  # of the size: a corrector step this small ends it
HALVINGS = 40
MOST_STEPS = 20_000


@dataclass(frozen=True)
class Traced:
    """Points of a curve in order; `ended` says why it ends there."""

    z: Doubles  # (k, nz)
    closed: bool
    ended: str  # "closed", "left the window", "too many steps", "cannot continue"


class Tracer:
    """Follows the curve of one system; lengths are in the system's scaled coordinates [m]."""

    def __init__(
        self, system: Rows, scales: Doubles, size: float, longest: float, wraps: Doubles, mirrors: NDArray[np.bool_]
    ) -> None:
        self.system, self.scales, self.size, self.longest = system, scales, size, longest
        self.wraps = wraps  # (nz,) period of each coordinate, 0 without one
        self.mirrors = mirrors  # (nz,) coordinates whose sign means nothing: a telescope that shrinks through 0

    def trace(self, start: Doubles, inside: Callable[[Doubles], bool]) -> Traced:
        """The whole curve through a point: around if it closes, else both ways."""
        first = self.onto(start)
        if first is None:
            return Traced(np.empty((0, len(start))), False, "cannot continue")
        forth = self._walk(first, +1.0, inside)
        if forth.closed:
            return forth
        back = self._walk(first, -1.0, inside)
        ended = forth.ended if forth.ended != "left the window" else back.ended
        return Traced(np.concatenate([back.z[:0:-1], forth.z]), False, ended)

    def onto(self, z: Doubles, rows: Rows | None = None) -> Doubles | None:
        """Gauss–Newton with least steps onto the curve (or onto the zero of other rows); None if it does not settle."""
        rows, last = rows or self.system, np.inf
        for k in range(NEWTON + 4):
            G, dG = rows(z)
            step = -np.linalg.lstsq(dG, G, rcond=None)[0]
            z = z + step / self.scales
            size = float(np.abs(step).max())
            if not np.isfinite(size) or (k > 2 and size > 0.5 * last and size > 1e-9 * self.size):
                return None
            if size <= SETTLED * self.size or (k > 3 and size >= last and size <= 1e-11 * self.size):
                return z
            last = size
        return None

    def tangent(self, z: Doubles) -> Doubles:
        """A unit tangent in scaled coordinates."""
        return np.asarray(np.linalg.svd(self.system(z)[1])[2][-1])

    def _walk(self, start: Doubles, sense: float, inside: Callable[[Doubles], bool]) -> Traced:
        points, t = [start], sense * self.tangent(start)
        t0, h, travelled = t, 0.1 * self.longest, 0.0
        for _ in range(MOST_STEPS):
            made = self._step(points[-1], t, h)
            if made is None:
                return Traced(np.array(points), False, "cannot continue")
            z, t_next, h_used = made
            travelled += h_used
            if travelled > 3 * h_used and self._passes(points[-1], z, start, t0):
                return Traced(np.array([*points, self._same_turn(start, points[-1])]), True, "closed")
            if not inside(z):
                return Traced(np.array([*points, z]), False, "left the window")
            points.append(z)
            h = min(1.5 * h_used if float(t @ t_next) > 0.997 else h_used, self.longest)
            t = t_next
        return Traced(np.array(points), False, "too many steps")

    def _step(self, z: Doubles, t: Doubles, h: float) -> tuple[Doubles, Doubles, float] | None:
        for _ in range(HALVINGS):
            there = self.onto(z + h * t / self.scales)
            if there is not None:
                moved = (there - z) * self.scales
                t_next = self.tangent(there)
                t_next = t_next if float(t_next @ t) > 0 else -t_next
                straight = float(t_next @ t) > STRAIGHT and float(moved @ t) > 0.9 * float(np.linalg.norm(moved))
                if straight and abs(float(np.linalg.norm(moved)) - h) < 0.2 * h:
                    return there, t_next, h
            h /= 2
        return None

    def difference(self, a: Doubles, b: Doubles) -> Doubles:
        """a − b in metres, the short way round and on one side of the mirrors, (*k, nz)."""
        a = np.where(self.mirrors & (a * b < 0), -a, a)
        return self.step(a, b)

    def step(self, a: Doubles, b: Doubles) -> Doubles:
        """a − b in metres, the short way round, (*k, nz)."""
        d = a - b
        turn = np.where(self.wraps > 0, self.wraps, 1.0)
        return np.asarray(np.where(self.wraps > 0, d - turn * np.round(d / turn), d) * self.scales)

    def _passes(self, a: Doubles, b: Doubles, start: Doubles, t0: Doubles) -> bool:
        """Whether the step from a to b goes past the start, in its direction."""
        before, after = self.difference(a, start), self.difference(b, start)
        length = float(np.linalg.norm(self.step(b, a)))
        near = min(float(np.linalg.norm(before)), float(np.linalg.norm(after))) <= length
        return near and float(before @ t0) < 0.0 <= float(after @ t0)

    def _same_turn(self, z: Doubles, near: Doubles) -> Doubles:
        """z with its angles in the turn of a neighbour."""
        return np.asarray(near + self.difference(z, near) / self.scales)
