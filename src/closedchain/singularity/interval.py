"""Interval arithmetic on programs: bounds of every output, for all inputs within given bounds.

Every operation rounds outwards: +, −, ×, ÷ and √ by one unit in the last place (NumPy rounds them correctly), others by
`LIBRARY_ULPS`, which is more than any C library errs. A root of a negative number is left out of its interval, so a
program means its real function where that is defined. Bounds may be infinite, and are where a denominator may vanish.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.kernels.program import Program

LIBRARY_ULPS = 8
HALF_PI = float(np.pi / 2)
INFINITE = float("inf")


class NoBounds(ClosedChainError):
    """A program uses an operation that has no bounds here."""


@dataclass(frozen=True, eq=False)
class Interval:
    """lo ≤ value ≤ hi, element by element."""

    lo: Doubles
    hi: Doubles

    @property
    def mid(self) -> Doubles:
        """A number within, about the middle."""
        return np.asarray(np.clip(self.lo + 0.5 * (self.hi - self.lo), self.lo, self.hi))

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Where every value is above 0."""
        return np.asarray(self.lo > 0.0)

    @property
    def negative(self) -> NDArray[np.bool_]:
        """Where every value is below 0."""
        return np.asarray(self.hi < 0.0)

    @property
    def nonzero(self) -> NDArray[np.bool_]:
        """Where 0 is not among the values."""
        return self.positive | self.negative

    def __add__(self, other: Interval) -> Interval:
        return _outward(self.lo + other.lo, self.hi + other.hi)

    def __sub__(self, other: Interval) -> Interval:
        return _outward(self.lo - other.hi, self.hi - other.lo)

    def __mul__(self, other: Interval) -> Interval:
        with np.errstate(invalid="ignore", over="ignore"):
            ends = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        ends = [np.where(np.isnan(e), 0.0, e) for e in ends]  # 0 times an unbounded number is 0
        return _outward(np.minimum.reduce(ends), np.maximum.reduce(ends))

    def __truediv__(self, other: Interval) -> Interval:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            lo = np.where(other.hi == 0.0, -INFINITE, 1.0 / other.hi)
            hi = np.where(other.lo == 0.0, INFINITE, 1.0 / other.lo)
        across = (other.lo < 0.0) & (other.hi > 0.0) | ((other.lo == 0.0) & (other.hi == 0.0))
        lo, hi = np.where(across, -INFINITE, lo), np.where(across, INFINITE, hi)
        return self * _outward(lo, hi)

    def __neg__(self) -> Interval:
        return Interval(-self.hi, -self.lo)

    def meet(self, other: Interval) -> Interval:
        """The values in both; where bounds of one value disagree by rounding, the tighter of each."""
        return Interval(np.maximum(self.lo, other.lo), np.minimum(self.hi, other.hi))

    def __getitem__(self, key: Any) -> Interval:
        return Interval(self.lo[key], self.hi[key])


def exact(value: ArrayLike) -> Interval:
    """The interval of one number."""
    v = np.asarray(value, dtype=np.float64)
    return Interval(v, v)


def bounds(program: Program, *inputs: Interval) -> tuple[Interval, ...]:
    """Bounds of the program's outputs, (*batch, *shape), for all inputs within theirs, (*batch, *shape)."""
    done: list[Interval] = []
    sizes = [len(o.shape) for o in program.inputs]
    batch = np.broadcast_shapes(*(v.lo.shape[: v.lo.ndim - n] for v, n in zip(inputs, sizes, strict=True)))
    flat = [_flat(v, n) for v, n in zip(inputs, sizes, strict=True)]
    with np.errstate(all="ignore"):
        for line in program.code:
            if line.op == "const":
                done.append(exact(line.value))
            elif line.op == "input":
                done.append(flat[line.args[0]][..., line.args[1]])
            elif line.op in RULES:
                done.append(RULES[line.op](*(done[a] for a in line.args)))
            else:
                raise NoBounds(f"program {program.name!r}: {line.op} has no interval rule")
    outputs, start = [], 0
    for o in program.outputs:
        rows = [done[r] for r in program.results[start : start + o.size]]
        sides = [
            np.stack([np.broadcast_to(r, batch) for r in side], axis=-1).reshape(batch + o.shape)
            for side in ([r.lo for r in rows], [r.hi for r in rows])
        ]
        outputs.append(Interval(*sides))
        start += o.size
    return tuple(outputs)


def _flat(v: Interval, dims: int) -> Interval:
    """The core axes as one."""
    shape = v.lo.shape[: v.lo.ndim - dims]
    return Interval(v.lo.reshape(*shape, -1), v.hi.reshape(*shape, -1))


def _outward(lo: Doubles, hi: Doubles, ulps: int = 1) -> Interval:
    """One or more units in the last place further out; what is not a number is unbounded."""
    lo, hi = np.where(np.isnan(lo), -INFINITE, lo), np.where(np.isnan(hi), INFINITE, hi)
    if ulps > 1:
        return Interval(lo - ulps * np.spacing(np.abs(lo)), hi + ulps * np.spacing(np.abs(hi)))
    return Interval(np.nextafter(lo, -INFINITE), np.nextafter(hi, INFINITE))


def _sqrt(a: Interval) -> Interval:
    lo = np.sqrt(np.maximum(a.lo, 0.0))
    out = _outward(lo, np.sqrt(np.maximum(a.hi, 0.0)))
    return Interval(np.maximum(out.lo, 0.0), out.hi)


def _cos(a: Interval) -> Interval:
    """cos has a maximum at even and a minimum at odd multiples of π."""
    ends = np.cos(a.lo), np.cos(a.hi)
    out = _outward(np.minimum(*ends), np.maximum(*ends), LIBRARY_ULPS)
    slack = LIBRARY_ULPS * np.spacing(np.maximum(np.abs(a.lo), np.abs(a.hi)) + 1.0)
    first, last = np.ceil((a.lo - slack) / np.pi - 1e-12), np.floor((a.hi + slack) / np.pi + 1e-12)
    turns = last - first  # how many extrema lie within, less one
    even = (turns >= 1) | ((turns == 0) & (np.mod(first, 2.0) == 0.0))
    odd = (turns >= 1) | ((turns == 0) & (np.mod(first, 2.0) == 1.0))
    wild = ~(np.abs(a.lo) + np.abs(a.hi) < 1e6)  # beyond, rounding of π counts
    lo, hi = np.where(odd | wild, -1.0, out.lo), np.where(even | wild, 1.0, out.hi)
    return Interval(np.maximum(lo, -1.0), np.minimum(hi, 1.0))


def _sin(a: Interval) -> Interval:
    """sin x = cos(x − π/2)."""
    quarter = _outward(np.asarray(HALF_PI), np.asarray(HALF_PI))
    ends = np.sin(a.lo), np.sin(a.hi)
    tight = _outward(np.minimum(*ends), np.maximum(*ends), LIBRARY_ULPS)
    shifted = _cos(a - quarter)
    lo = np.where(shifted.lo == -1.0, -1.0, np.maximum(tight.lo, -1.0))
    return Interval(lo, np.where(shifted.hi == 1.0, 1.0, np.minimum(tight.hi, 1.0)))


def _atan(a: Interval) -> Interval:
    return _outward(np.arctan(a.lo), np.arctan(a.hi), LIBRARY_ULPS)


def _abs(a: Interval) -> Interval:
    least = np.where((a.lo <= 0.0) & (a.hi >= 0.0), 0.0, np.minimum(np.abs(a.lo), np.abs(a.hi)))
    return Interval(least, np.maximum(np.abs(a.lo), np.abs(a.hi)))


def _product(a: Interval, b: Interval) -> Interval:
    """a b; a square is not negative."""
    made = a * b
    return Interval(np.maximum(made.lo, 0.0), made.hi) if a is b else made


RULES: dict[str, Callable[..., Interval]] = {
    "add": Interval.__add__,
    "sub": Interval.__sub__,
    "mul": _product,
    "div": Interval.__truediv__,
    "neg": Interval.__neg__,
    "sqrt": _sqrt,
    "sin": _sin,
    "cos": _cos,
    "atan": _atan,
    "abs": _abs,
    "min": lambda a, b: Interval(np.minimum(a.lo, b.lo), np.minimum(a.hi, b.hi)),
    "max": lambda a, b: Interval(np.maximum(a.lo, b.lo), np.maximum(a.hi, b.hi)),
}
