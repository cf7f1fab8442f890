"""Several goals: NSGA-II of pymoo, whole generations computed as one batch; the designs that no other one beats."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem as Pymoo
from pymoo.optimize import minimize

from closedchain.arrays import Doubles
from closedchain.design.goals import NoDesign, Problem, Spread
from closedchain.sweep.measures import measure

POPULATION = 100
EVALUATIONS = 10_000
FORBIDDEN = 1e9  # of a design that cannot be computed


@dataclass(frozen=True, eq=False)
class Front:
    """Designs of which none is better in every goal than another, in the order of the first goal."""

    problem: Problem
    x: Doubles  # (n, dimensions)
    values: Doubles  # (n, names)
    evaluations: int

    def __len__(self) -> int:
        return len(self.x)

    def column(self, name: str) -> Doubles:
        """(n,) of a dimension or a measure."""
        names = [f.name for f in self.problem.study.factors]
        return self.x[:, names.index(name)] if name in names else self.values[:, self.problem.names.index(name)]

    @property
    def header(self) -> list[str]:
        """The columns of the file, with units."""
        return [f.column for f in self.problem.study.factors] + [measure(n).column for n in self.problem.names]

    def csv(self) -> str:
        """Every design, numbers to the last digit."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows(map(repr, row) for row in np.concatenate([self.x, self.values], axis=1).tolist())
        return text.getvalue()


class _Batch(Pymoo):  # type: ignore[misc]
    """The problem as pymoo asks it: a generation at a time."""

    def __init__(self, problem: Problem) -> None:
        self.asked, self.spread = problem, Spread(problem)
        low, high = problem.box.T
        super().__init__(
            n_var=len(low), n_obj=len(problem.goals), n_ieq_constr=len(problem.bounds) + 1, xl=low, xu=high
        )

    def _evaluate(self, x: Doubles, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        trial = self.asked.evaluate(x)
        there = trial.there[:, None]
        sizes = np.array([max(abs(b.value), 1e-12) for b in self.asked.bounds])
        broken = np.where(there, trial.excess / sizes, FORBIDDEN)
        self.spread.add(trial, trial.there & (broken <= 0.0).all(axis=-1))
        out["F"] = np.where(there, trial.costs, FORBIDDEN)
        out["G"] = np.concatenate([broken, np.where(there, -1.0, FORBIDDEN)], axis=1)


def pareto(problem: Problem, *, evaluations: int | None = None, population: int = POPULATION) -> Front:
    """The front of a problem with several goals; raises NoDesign where no design keeps the bounds, or one is flat."""
    evaluations = evaluations or EVALUATIONS
    population = min(population, evaluations)
    rounds = evaluations // population
    batch = _Batch(problem)
    found = minimize(batch, NSGA2(pop_size=population), ("n_gen", rounds), seed=problem.study.seed, verbose=False)
    if found.X is None:
        bounds = ", ".join(map(str, problem.bounds)) or "what its measures need"
        raise NoDesign(
            f"{problem.ready.model.name}: none of {rounds * population} designs keeps {bounds}; loosen a bound or "
            "widen the dimensions"
        )
    if batch.spread.flat:
        raise batch.spread.refuse(batch.spread.flat[0])
    x = np.atleast_2d(found.X)
    trial = problem.evaluate(x)
    order = np.lexsort(trial.costs.T[::-1])
    return Front(problem, trial.x[order], trial.values[order], rounds * population)


def dominated(costs: Doubles, by: Doubles) -> NDArray[np.bool_]:
    """(n,) whether a row of costs is no better in any goal, and worse in one, than some row of `by`."""
    no_better = (by[None, :, :] <= costs[:, None, :]).all(axis=-1)
    worse = (by[None, :, :] < costs[:, None, :]).any(axis=-1)
    return np.any(no_better & worse, axis=1)
