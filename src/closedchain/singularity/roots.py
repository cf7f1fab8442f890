"""Every zero of a function of one variable, isolated by bounds of its values and of its slopes.

A part of the domain is settled when its values cannot vanish, or when it is monotone and its ends tell whether it
crosses. What stays unsettled (a double zero, a function that vanishes on a whole stretch) is reported with its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.singularity.interval import Interval, exact

Tasks = NDArray[np.intp]
Bounded = Callable[[Tasks, Interval], tuple[Interval, Interval]]  # (which function, where) -> bounds of value, slope

FINEST = 2.0**-44  # of the domain: parts smaller than this stay unsettled
MOST_PARTS = 4000  # per function
CUT = 0.4871  # not the middle: zeros at round numbers are not cut in two
OVERLAP = 1e-3  # of a part, by which it is widened where a zero may lie on its end
REFINEMENTS = 60
GAP = 1e-7  # stretches closer than this are reported as one


@dataclass(frozen=True)
class Zeros:
    """Simple zeros, each alone between `lo` and `hi`, and stretches about which nothing was shown."""

    task: Tasks  # (k,) which function
    lo: Doubles  # (k,)
    hi: Doubles  # (k,)
    open_task: Tasks  # (m,)
    open_lo: Doubles  # (m,)
    open_hi: Doubles  # (m,)

    @property
    def at(self) -> Doubles:
        """The middle of each enclosure."""
        return Interval(self.lo, self.hi).mid

    def of(self, task: int) -> Zeros:
        """Those of one function."""
        a, b = self.task == task, self.open_task == task
        return Zeros(self.task[a], self.lo[a], self.hi[a], self.open_task[b], self.open_lo[b], self.open_hi[b])


@dataclass(frozen=True)
class _Parts:
    task: Tasks
    lo: Doubles
    hi: Doubles

    def __getitem__(self, keep: NDArray[np.bool_]) -> _Parts:
        return _Parts(self.task[keep], self.lo[keep], self.hi[keep])

    def __len__(self) -> int:
        return len(self.task)

    @property
    def where(self) -> Interval:
        return Interval(self.lo, self.hi)


def isolate(f: Bounded, lo: Doubles, hi: Doubles) -> Zeros:
    """Every zero of f(task, ·) in [lo[task], hi[task]], for all tasks at once."""
    parts = _Parts(np.arange(len(lo)), np.array(lo, float), np.array(hi, float))
    found: list[_Parts] = []
    unsettled: list[_Parts] = []
    while len(parts):
        value, slope = f(parts.task, parts.where)
        value = value.meet(_mean_value(f, parts, slope))
        parts, slope = parts[~value.nonzero], slope[~value.nonzero]
        monotone = slope.nonzero
        crossing, none = _decide(f, parts[monotone], lo, hi)
        found.append(crossing[0])
        undecided = parts[monotone][~(crossing[1] | none)]
        left = _joined([parts[~monotone], undecided])
        small = (left.hi - left.lo) <= FINEST * (hi - lo)[left.task]
        crowded = np.bincount(left.task, minlength=len(lo))[left.task] > MOST_PARTS
        unsettled.append(left[small | crowded])
        parts = _halved(left[~(small | crowded)])
    roots = _refined(f, _joined(found))
    return Zeros(*_distinct(roots), *_merged(_joined(unsettled)))


def _mean_value(f: Bounded, parts: _Parts, slope: Interval) -> Interval:
    """f(m) + f'(X)(X − m)."""
    middle = parts.where.mid
    at, _ = f(parts.task, exact(middle))
    made = at + slope * (parts.where - exact(middle))
    return Interval(np.where(np.isfinite(made.lo), made.lo, -np.inf), np.where(np.isfinite(made.hi), made.hi, np.inf))


def _decide(
    f: Bounded, parts: _Parts, lo: Doubles, hi: Doubles
) -> tuple[tuple[_Parts, NDArray[np.bool_]], NDArray[np.bool_]]:
    """Monotone parts: ((those with their one zero, which they are), which have none)."""
    crossing, none = _ends(f, parts)
    unclear = ~(crossing | none)
    wide = _Parts(parts.task, parts.lo.copy(), parts.hi.copy())
    by = OVERLAP * (parts.hi - parts.lo)
    wide.lo[unclear] = np.maximum(parts.lo - by, lo[parts.task])[unclear]
    wide.hi[unclear] = np.minimum(parts.hi + by, hi[parts.task])[unclear]
    if unclear.any():
        again = wide[unclear]
        still = f(again.task, again.where)[1].nonzero
        crosses, misses = _ends(f, again)
        crossing[unclear], none[unclear] = crosses & still, misses & still
    return (wide[crossing], crossing), none


def _ends(f: Bounded, parts: _Parts) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(the ends have opposite signs, the ends have one sign)."""
    if not len(parts):
        return np.zeros(0, bool), np.zeros(0, bool)
    (a, _), (b, _) = f(parts.task, exact(parts.lo)), f(parts.task, exact(parts.hi))
    opposite = (a.positive & b.negative) | (a.negative & b.positive)
    return opposite, (a.positive & b.positive) | (a.negative & b.negative)


def _halved(parts: _Parts) -> _Parts:
    cut = parts.lo + CUT * (parts.hi - parts.lo)
    return _Parts(np.tile(parts.task, 2), np.concatenate([parts.lo, cut]), np.concatenate([cut, parts.hi]))


def _joined(groups: list[_Parts]) -> _Parts:
    none = _Parts(np.zeros(0, np.intp), np.zeros(0), np.zeros(0))
    columns = zip(*((g.task, g.lo, g.hi) for g in [none, *groups]), strict=True)
    return _Parts(*(np.concatenate(column) for column in columns))


def _refined(f: Bounded, parts: _Parts) -> _Parts:
    """Newton's interval step N = m − f(m) / f'(X), met with X, until nothing shrinks."""
    for _ in range(REFINEMENTS):
        if not len(parts):
            break
        _, slope = f(parts.task, parts.where)
        middle = parts.where.mid
        at, _ = f(parts.task, exact(middle))
        step = (exact(middle) - at / slope).meet(parts.where)
        good = step.lo <= step.hi
        lo, hi = np.where(good, step.lo, parts.lo), np.where(good, step.hi, parts.hi)
        done = (hi - lo) >= 0.9 * (parts.hi - parts.lo)
        parts = _Parts(parts.task, lo, hi)
        if done.all():
            break
    return parts


def _distinct(parts: _Parts) -> tuple[Tasks, Doubles, Doubles]:
    """Sorted; a zero that two overlapping parts both found is one: their union is monotone."""
    order = np.lexsort((parts.lo, parts.task))
    rows: list[tuple[int, float, float]] = []
    for task, lo, hi in zip(parts.task[order], parts.lo[order], parts.hi[order], strict=True):
        if rows and rows[-1][0] == task and lo <= rows[-1][2]:
            rows[-1] = (task, max(lo, rows[-1][1]), min(hi, rows[-1][2]))
        else:
            rows.append((task, lo, hi))
    return _columns(rows)


def _merged(parts: _Parts) -> tuple[Tasks, Doubles, Doubles]:
    """Neighbouring stretches as one, with the little that was settled between them."""
    order = np.lexsort((parts.lo, parts.task))
    rows: list[tuple[int, float, float]] = []
    for task, lo, hi in zip(parts.task[order], parts.lo[order], parts.hi[order], strict=True):
        if rows and rows[-1][0] == task and lo <= rows[-1][2] + GAP:
            rows[-1] = (task, rows[-1][1], max(hi, rows[-1][2]))
        else:
            rows.append((task, lo, hi))
    return _columns(rows)


def _columns(rows: list[tuple[int, float, float]]) -> tuple[Tasks, Doubles, Doubles]:
    table = np.array(rows, float).reshape(-1, 3)
    return table[:, 0].astype(np.intp), table[:, 1], table[:, 2]
