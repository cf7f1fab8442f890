"""Errors say what, where, how much against which tolerance, and what to try; they carry their data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any


class ClosedChainError(Exception):
    """Base of every error this package raises on purpose.

    It is pickled by its message and data, so that it comes back from another process whatever its arguments were.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args), vars(self)


def _again(kind: type[ClosedChainError], args: tuple[Any, ...]) -> ClosedChainError:
    return kind.__new__(kind, *args)


class NoSolution(ClosedChainError, ValueError):
    """There is no configuration of the kind that was asked for."""


class Unreachable(NoSolution):
    """A leg is too short or too long for this pose."""

    def __init__(self, robot: str, leg: str, miss: float, at: str, hint: str = "") -> None:
        self.leg, self.miss = leg, miss
        hint = hint or "Move the target by that much, or change the leg's length with --set."
        super().__init__(f"{robot}: {leg} misses {at} by {length(miss)}. {hint}")


class Singular(NoSolution):
    """A model that does not exist at a singular configuration."""

    def __init__(self, robot: str, what: str, margin: float, tolerance: float, hint: str) -> None:
        self.margin, self.tolerance = margin, tolerance
        super().__init__(f"{robot}: {what}: {margin:.1e} of 1 where {tolerance:.0e} is the least. {hint}")


class BadInput(ClosedChainError, ValueError):
    """Numbers of the wrong shape or not finite."""


class MissingPackage(ClosedChainError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, what: str, package: str, bring: Sequence[str], extra: str) -> None:
        self.package, self.extra = package, extra
        how = f"pip install {' '.join(bring)}, the extra [{extra}] of closedchain"
        super().__init__(f"{what} needs the package {package!r}, which is not installed: {how}")


class BrokenOff(ClosedChainError):
    """Work that ended before its time, by no fault of what was asked."""


def length(metres: float) -> str:
    """A length as people say it."""
    if not math.isfinite(metres):
        return "a length beyond double precision"
    for unit, factor in (("m", 1.0), ("mm", 1e3), ("µm", 1e6)):
        if metres * factor >= 1.0:
            return f"{metres * factor:.4g} {unit}"
    return f"{metres:.2e} m"


def numbers(values: Any) -> str:
    """A vector as people write it."""
    return "(" + ", ".join(f"{v:.6g}" for v in _flat(values)) + ")"


def _flat(values: Any) -> Iterator[float]:
    """Every number of an array, a list or a list of them; without NumPy, so that errors can be told where it is not."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, list | tuple):
        yield values
        return
    for value in values:
        yield from _flat(value)
