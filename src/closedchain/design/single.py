"""One goal: differential evolution over the whole box, then SLSQP and a pattern search from the best design.

Bounds are kept by order: any design that keeps them all is better than any that does not, and of two that do not, the
one that breaks them less. SLSQP is quick and exact where measures are smooth; the pattern search, which only compares,
ends the work where they have edges.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import differential_evolution, minimize
from scipy.stats.qmc import LatinHypercube

from closedchain.arrays import Doubles
from closedchain.design.goals import NoDesign, Problem, Spread, Trial

FORBIDDEN = 1e30  # a design that cannot be computed
BROKEN = 1e20  # one that breaks a bound, plus how far
KEPT = 1e-9  # of a bound's size: broken by less is rounding
POPULATION = 15  # designs for each dimension
EVALUATIONS = 20_000
FINEST = 1e-11  # of a dimension's range: the pattern search's last step
SLOPE = 1e-7  # of a dimension's range: finite differences


@dataclass(frozen=True)
class Best:
    """The best design found; `evaluations` counts every design tried."""

    problem: Problem
    x: Doubles  # (dimensions,)
    values: dict[str, float]  # of every measure
    evaluations: int

    @property
    def dimensions(self) -> dict[str, float]:
        """By name."""
        return {f.name: float(v) for f, v in zip(self.problem.study.factors, self.x, strict=True)}

    def __str__(self) -> str:
        goal = self.problem.goals[0]
        lines = [f"{self.problem.ready.model.name}: {goal} = {self.values[goal.name]:.9g}"]
        lines += [f"  {name} = {value:.9g}" for name, value in self.dimensions.items()]
        for bound in self.problem.bounds:
            lines.append(f"  {bound}: it is {self.values[bound.name]:.9g}")
        return "\n".join([*lines, f"  {self.evaluations} designs tried"])


@dataclass(eq=False)
class Search:
    """Every design tried so far, as one number to make small."""

    problem: Problem
    tried: int = 0
    closest: tuple[float, Trial] | None = None  # how far the least broken design breaks a bound
    sizes: Doubles = field(default_factory=lambda: np.ones(0))

    def __post_init__(self) -> None:
        self.spread = Spread(self.problem)
        self.sizes = np.array([max(abs(b.value), 1e-12) for b in self.problem.bounds])

    def rank(self, x: Doubles) -> Doubles:
        """The goal, or far more where a bound is broken, (n,); never NaN."""
        trial = self.problem.evaluate(x)
        self.tried += len(trial.x)
        broken = np.maximum(trial.excess / self.sizes - KEPT, 0.0).sum(axis=-1) if len(self.sizes) else np.zeros(len(x))
        ranks = np.where(broken > 0.0, BROKEN * (1.0 + broken), trial.costs[:, 0])
        ranks = np.where(trial.there, ranks, FORBIDDEN)
        self._remember(trial, np.where(trial.there, broken, np.inf))
        self.spread.add(trial, trial.there & (broken == 0.0))
        return ranks

    def blind(self) -> bool:
        """Whether nothing tried so far is better than anything else."""
        return bool(self.spread.flat) or (self.closest is not None and not np.isfinite(self.closest[0]))

    def _remember(self, trial: Trial, broken: Doubles) -> None:
        i = int(np.argmin(broken))
        if self.closest is None or broken[i] < self.closest[0]:
            one = Trial(trial.problem, trial.x[i : i + 1], trial.values[i : i + 1], {0: trial.reasons.get(i, "")})
            self.closest = float(broken[i]), one


def optimise(problem: Problem, *, evaluations: int | None = None) -> Best:
    """The best design of a problem with one goal; raises NoDesign where none keeps the bounds, or none is better."""
    search = Search(problem)
    most = evaluations or EVALUATIONS
    x = evolve(search, most)
    if search.blind() and search.tried < most:  # evolution stops at once where all it sees is equal: look everywhere
        first = scattered(search, most - search.tried)
        x = evolve(search, most, first) if not search.blind() else x
    if float(search.rank(x[None])[0]) >= BROKEN:
        raise NoDesign(_why_none(search))
    if search.spread.flat:
        raise search.spread.refuse(0)
    x = pattern(search, smooth(search, x))
    trial = problem.evaluate(x)
    values = {name: float(trial.values[0, i]) for i, name in enumerate(problem.names)}
    return Best(problem, trial.x[0], values, search.tried)


def evolve(search: Search, evaluations: int, first: Doubles | None = None) -> Doubles:
    """Differential evolution, from designs spread over the box unless the first ones are given."""
    problem = search.problem
    rounds = max(1, evaluations // (POPULATION * len(problem.box)) - 1)
    found = differential_evolution(
        lambda x: search.rank(x.T),
        [tuple(row) for row in problem.box],
        init="latinhypercube" if first is None else first,
        popsize=POPULATION,
        maxiter=rounds,
        tol=1e-10,
        atol=0.0,
        polish=False,
        vectorized=True,
        updating="deferred",
        rng=np.random.default_rng(problem.study.seed),
    )
    return np.asarray(found.x)


def scattered(search: Search, count: int) -> Doubles:
    """The best few of many designs all over the box."""
    low, high = search.problem.box.T
    unit = LatinHypercube(len(low), rng=np.random.default_rng(search.problem.study.seed)).random(count)
    designs = low + unit * (high - low)
    return designs[np.argsort(search.rank(designs), kind="stable")[: POPULATION * len(low)]]


def smooth(search: Search, x: Doubles) -> Doubles:
    """SLSQP in the unit box; what it finds is taken only if it ranks better."""
    problem = search.problem
    low, span = problem.box[:, 0], problem.box[:, 1] - problem.box[:, 0]
    start = (x - low) / span
    size = max(abs(float(search.rank(x[None])[0])), 1e-12)

    def both(u: Doubles) -> Doubles:
        trial = problem.evaluate(low + np.atleast_2d(u) * span)
        search.tried += len(trial.x)
        rows = np.concatenate([trial.costs[:, :1] / size, trial.excess / search.sizes], axis=-1)
        return np.where(np.isfinite(rows), rows, 1e6)

    def slopes(u: Doubles) -> Doubles:
        steps = np.where(u + SLOPE <= 1.0, SLOPE, -SLOPE)
        rows = both(np.concatenate([u[None], u + np.diag(steps)]))
        return np.asarray((rows[1:] - rows[0]) / steps[:, None])

    kept = {"type": "ineq", "fun": lambda u: -both(u)[0, 1:], "jac": lambda u: -slopes(u)[:, 1:].T}
    found = minimize(
        lambda u: both(u)[0, 0],
        start,
        jac=lambda u: slopes(u)[:, 0],
        bounds=[(0.0, 1.0)] * len(x),
        constraints=[kept] if problem.bounds else [],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 200},
    )
    better = low + np.clip(np.asarray(found.x), 0.0, 1.0) * span
    if not np.isfinite(better).all():
        return x
    ranks = search.rank(np.stack([x, better]))
    return better if ranks[1] <= ranks[0] else x


def pattern(search: Search, x: Doubles) -> Doubles:
    """Steps along and between the axes, halved when none is better, down to rounding."""
    problem = search.problem
    low, high = problem.box.T
    d = len(x)
    rng = np.random.default_rng(problem.study.seed)
    rank, step = float(search.rank(x[None])[0]), 1e-3
    while step > FINEST:
        more = rng.standard_normal((2 * d, d))
        ways = np.concatenate([np.eye(d), -np.eye(d), more / np.linalg.norm(more, axis=-1, keepdims=True)])
        tries = np.clip(x + step * ways * (high - low), low, high)
        ranks = search.rank(tries)
        i = int(np.argmin(ranks))
        if ranks[i] < rank:
            x, rank, step = tries[i], float(ranks[i]), step * 1.5
        else:
            step /= 2
    return x


def _why_none(search: Search) -> str:
    """Which bound is kept least, by how much, where it comes closest."""
    problem = search.problem
    assert search.closest is not None
    _, trial = search.closest
    name = problem.ready.model.name
    if not trial.there[0]:
        return f"{name}: none of {search.tried} designs can be computed: {trial.reasons[0]}; try other dimensions"
    worst = int(np.argmax(trial.excess[0] / search.sizes))
    bound = problem.bounds[worst]
    where = ", ".join(f"{f.name} = {v:.6g}" for f, v in zip(problem.study.factors, trial.x[0], strict=True))
    return (
        f"{name}: none of {search.tried} designs keeps {bound}; the closest, {where}, has "
        f"{float(trial.column(bound.name)[0]):.6g}. Loosen the bound or widen the dimensions."
    )
