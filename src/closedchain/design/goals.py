"""A design problem: dimensions within bounds, measures to make small or large, measures to keep within limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import NoSolution
from closedchain.sweep.asking import study
from closedchain.sweep.block import Block
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.measures import measure
from closedchain.sweep.prepared import Prepared, prepare
from closedchain.sweep.study import Study
from closedchain.sweep.task import measured

ROWS = 2048  # designs computed at once
FLAT = 1e-12  # of a goal's size: rounding of the few hundred operations of a measure
_BOUND = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(>=|<=|≥|≤)\s*([-+0-9.eE]+)\s*")


@dataclass(frozen=True)
class Goal:
    """A measure to make as small or as large as can be."""

    name: str
    largest: bool

    def __str__(self) -> str:
        return f"{'largest' if self.largest else 'smallest'} {self.name}"


@dataclass(frozen=True)
class Bound:
    """A measure that must be at least, or at most, a number."""

    name: str
    least: bool
    value: float

    def __str__(self) -> str:
        return f"{self.name} {'≥' if self.least else '≤'} {self.value:g}"

    def excess(self, values: Doubles) -> Doubles:
        """How far beyond the bound, positive where it is broken."""
        return self.value - values if self.least else values - self.value


class NoDesign(NoSolution):
    """No design that was tried keeps every bound, or all are equally good."""


@dataclass(frozen=True)
class Problem:
    """Goals and bounds over the factors of a study, whose numbers are the bounds of the dimensions."""

    study: Study
    goals: tuple[Goal, ...]
    bounds: tuple[Bound, ...] = ()

    @cached_property
    def ready(self) -> Prepared:
        return prepare(self.study)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every measure that is needed, once."""
        return tuple(dict.fromkeys([*(g.name for g in self.goals), *(b.name for b in self.bounds)]))

    @cached_property
    def box(self) -> Doubles:
        """(dimensions, 2)."""
        return np.array([f.numbers for f in self.study.factors])

    def evaluate(self, x: Doubles) -> Trial:
        """Goals and excesses of designs x (n, dimensions)."""
        x = np.clip(np.atleast_2d(x), self.box[:, 0], self.box[:, 1])
        parts = [self._measured(x[first : first + ROWS]) for first in range(0, len(x), ROWS)]
        values = np.concatenate([values for values, _ in parts])
        reasons = {k * ROWS + row: why for k, (_, found) in enumerate(parts) for row, why in found.items()}
        return Trial(self, x, values, reasons)

    def _measured(self, x: Doubles) -> tuple[Doubles, dict[int, str]]:
        varied = {f.name: np.ascontiguousarray(x[:, i]) for i, f in enumerate(self.study.factors)}
        return measured(self.ready, Block(self.ready.model, 0, varied, len(x)), self.names)


@dataclass(frozen=True, eq=False)
class Trial:
    """Designs that were computed."""

    problem: Problem
    x: Doubles  # (n, dimensions)
    values: Doubles  # (n, names); NaN where there is none
    reasons: Mapping[int, str]

    def column(self, name: str) -> Doubles:
        """(n,) of a measure."""
        return self.values[:, self.problem.names.index(name)]

    @cached_property
    def there(self) -> Any:
        """(n,) whether every measure has a value."""
        return ~np.isnan(self.values).any(axis=-1)

    @cached_property
    def costs(self) -> Doubles:
        """What is to be made small, (n, goals)."""
        return np.stack(
            [-self.column(g.name) if g.largest else self.column(g.name) for g in self.problem.goals], axis=-1
        )

    @cached_property
    def excess(self) -> Doubles:
        """How far each bound is broken, (n, bounds); ≤ 0 is kept."""
        rows = [b.excess(self.column(b.name)) for b in self.problem.bounds]
        return np.stack(rows, axis=-1) if rows else np.zeros((len(self.x), 0))


class Spread:
    """The least and the largest cost of each goal among the designs that keep the bounds."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.kept = problem, 0
        self.least = np.full(len(problem.goals), np.inf)
        self.most = np.full(len(problem.goals), -np.inf)

    def add(self, trial: Trial, kept: Any) -> None:
        """Designs that were tried, and which of them keep the bounds (n,)."""
        costs = trial.costs[kept]
        self.kept += len(costs)
        self.least = np.minimum(self.least, costs.min(axis=0, initial=np.inf))
        self.most = np.maximum(self.most, costs.max(axis=0, initial=-np.inf))

    @property
    def flat(self) -> list[int]:
        """The goals that no design changes by more than rounding."""
        if not self.kept:
            return []
        size = np.maximum(np.abs(self.least), np.abs(self.most))
        return [int(i) for i in np.flatnonzero(self.most - self.least <= FLAT * size)]

    def refuse(self, goal: int) -> NoDesign:
        """That a goal is the same for every design, with what it measures."""
        asked = self.problem.goals[goal]
        value = -self.most[goal] if asked.largest else self.most[goal]
        kept = " that keep the bounds" if self.problem.bounds else ""
        return NoDesign(
            f"{self.problem.ready.model.name}: {asked} chooses nothing: it is {value + 0.0:.6g} for each of "
            f"{self.kept} designs{kept}. It is {measure(asked.name).about}: vary a dimension that changes "
            "it, or move the place, the window or the condition that it is taken at"
        )


def problem(
    robot: str | Path,
    vary: Mapping[str, str],
    *,
    minimise: Sequence[str] = (),
    maximise: Sequence[str] = (),
    subject_to: Sequence[str] = (),
    **options: Any,
) -> Problem:
    """problem("biglide", {"d": "0.1:0.8", "l": "0.2:0.5"}, maximise=["regular_workspace"], condition=0.5)."""
    goals = [Goal(n, False) for n in _names(minimise)] + [Goal(n, True) for n in _names(maximise)]
    bounds = tuple(read_bound(text) for text in _names(subject_to))
    if not goals:
        raise BadStudy("what is the best? Give --maximise or --minimise a measure")
    names = [*(g.name for g in goals), *(b.name for b in bounds)]
    for name in names:
        measure(name)
    made = study(robot, vary, tuple(dict.fromkeys(names)), points=1, sample="random", **options)
    if not made.factors:
        raise BadStudy("which dimensions may change? Give --param l=0.2:0.5")
    for factor in made.factors:
        if factor.kind != "between":
            raise BadStudy(
                f"--param {factor.name}: a dimension to choose lies between two numbers; write {factor.name}=0.2:0.5"
            )
    found = Problem(made, tuple(goals), bounds)
    found.evaluate(found.box.mean(axis=1))  # what all designs share is refused here, once
    return found


def read_bound(text: str) -> Bound:
    """`min_conditioning>=0.3`."""
    match = _BOUND.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        return Bound(match[1], match[2] in (">=", "≥"), float(match[3]))
    except ValueError:
        raise BadStudy(
            f"the bound {text[:40]!r} is not understood; write min_conditioning>=0.3 or moving_mass<=4"
        ) from None


def with_seed(given: Problem, seed: int) -> Problem:
    """The same problem searched from elsewhere."""
    return replace(given, study=replace(given.study, seed=seed))


def _names(given: Sequence[str]) -> Sequence[str]:
    return (given,) if isinstance(given, str) else given
