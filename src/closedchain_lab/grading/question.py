"""What a function is asked, and the right answers: one row of numbers, or every solution in any order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain_lab.grading.mutation import Formulas

Flags = NDArray[np.bool_]
Shape = Callable[[Doubles], Doubles | None]  # all numbers of answers, (n, k) → (n, s, outputs); None: k is wrong
Variant = tuple[tuple[float, ...], Mapping[str, float]]  # factors of the arguments, and other constants
SAME: tuple[Variant, ...] = (((), {}),)
TURN = 2 * np.pi
BY_LEGS = ("by_cosines", "by_half_angles")  # how the angles of legs are found


@dataclass(frozen=True, eq=False)
class Question:
    """One function: its arguments, and for each row of them up to s solutions."""

    name: str
    arguments: tuple[str, ...]
    outputs: tuple[str, ...]  # what the numbers of a solution are
    inputs: Doubles  # (n, arguments)
    expected: Doubles  # (n, s, outputs); solutions that are not there are no numbers
    turning: tuple[str, ...] = ()  # outputs that count modulo a turn
    single: bool = True  # one answer; otherwise every solution, in any order
    shape: Shape | None = None
    tolerance: float = 0.0  # of a quantity's size, where no finer one makes sense
    modes: tuple[tuple[str, str], ...] = ()  # of each row: the lab's assembly mode, and its gammas
    near: Flags | None = None  # (n,) close to the border of the reach
    readings: tuple[tuple[str, Doubles], ...] = ()  # `expected` by other conventions, and their words
    variants: tuple[Variant, ...] = SAME  # how the right formula is asked by each convention
    formula: str = ""  # its name, if it is another; "closures" where the answers are the roots of these
    each: bool = False  # the solutions are all combinations of each output's values

    @property
    def reachable(self) -> Flags:
        """Where there is an answer."""
        return np.asarray(counted(self.expected) > 0)

    @property
    def close(self) -> Flags:
        """Rows near the border."""
        return np.zeros(len(self.inputs), dtype=bool) if self.near is None else self.near

    @cached_property
    def scale(self) -> Doubles:
        """(outputs,) the usual size of each."""
        return sizes(self.expected)

    @cached_property
    def by_legs(self) -> dict[str, Question]:
        """The same, answered leg by leg: two values of each drive."""
        return {name: replace(self, formula=name, each=True) for name in BY_LEGS}

    def rows(self, chosen: Flags) -> Question:
        """The same of some rows."""
        return replace(
            self,
            inputs=self.inputs[chosen],
            expected=self.expected[chosen],
            modes=tuple(mode for mode, keep in zip(self.modes, chosen, strict=True) if keep),
            near=self.close[chosen],
            readings=tuple((words, one[chosen]) for words, one in self.readings),
        )

    def apart(self, a: Doubles, b: Doubles) -> Doubles:
        """a − b, angles by the shorter way."""
        turns = np.isin(self.outputs, self.turning)
        with np.errstate(invalid="ignore"):
            return np.where(turns, np.remainder(a - b + np.pi, TURN) - np.pi, a - b)

    def matched(self, values: Doubles, expected: Doubles) -> Doubles:
        """Answers less expected ones, each of these with the nearest answer that is still free, (n, s, outputs); not
        numbers where they are not as many.
        """
        if values.shape[1] == expected.shape[1] == 1:
            return self.apart(values, expected)
        if self.each:
            return self._combined(values, expected)
        found, wanted = np.full(expected.shape, np.nan), counted(expected)
        for i in np.flatnonzero((counted(values) == wanted) & (wanted > 0)):
            k = wanted[i]
            off = self.apart(values[i, None, :k], expected[i, :k, None])
            size = np.abs(off / self.scale).max(axis=-1)
            for j in range(k):
                nearest = int(np.argmin(size[j]))
                found[i, j], size[:, nearest] = off[j, nearest], np.inf
        return found

    def _combined(self, values: Doubles, expected: Doubles) -> Doubles:
        """How far each output's values are from the nearest answer, or the farthest answer from them."""
        off = np.nan_to_num(np.abs(self.apart(values[:, :, None], expected[:, None])), nan=np.inf)  # (n, s, 2, outputs)
        answered, there = (np.isfinite(one.sum(axis=-1, keepdims=True)) for one in (values, expected))
        farthest = np.where(answered, off.min(axis=2), 0.0).max(axis=1, keepdims=True)
        sure = answered.any(axis=1, keepdims=True) & there.all(axis=1, keepdims=True)
        return np.where(sure, np.maximum(off.min(axis=1), farthest), np.nan)


@dataclass(frozen=True, eq=False)
class Exercise:
    """A robot's functions, and the right formulas of those that have some."""

    robot: str
    questions: Mapping[str, Question]
    formulas: Formulas
    constants: Mapping[str, float] = field(default_factory=dict)
    note: str = ""  # where its numbers follow another convention than ours


def counted(values: Doubles) -> NDArray[np.intp]:
    """How many solutions each row has, (n,)."""
    return np.asarray(np.isfinite(values).all(axis=-1).sum(axis=-1))


def sizes(values: Doubles) -> Doubles:
    """The usual size of each output."""
    rows = values[np.isfinite(values).all(axis=-1)]
    return np.maximum(np.median(np.abs(rows), axis=0), 1e-12) if len(rows) else np.ones(values.shape[-1])


def packed(solutions: Sequence[Doubles], width: int) -> Doubles:
    """Solutions of each row, (rows, width) each, as one array."""
    most = max([1, *map(len, solutions)])
    made = np.full((len(solutions), most, width), np.nan)
    for i, rows in enumerate(solutions):
        made[i, : len(rows)] = rows
    return made
