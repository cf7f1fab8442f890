"""One goal with exact derivatives: from a design to the nearest best one, in few evaluations.

A goal of size t is a set of conditions g(u, t) ≥ 0 on the design u, as a workspace is one at each of its places. With
their exact derivatives the best step within reach Δ is a small linear program, bounds being conditions as well:

    largest t + δt − w e   such that   g + ∂g/∂u d + ∂g/∂t δt ≥ −e,   |d|, |δt| ≤ Δ,   0 ≤ u + d ≤ 1,   e ≥ 0

A step that brings less than a tenth of what was promised is not made, and Δ is cut; one that keeps its promise doubles
it. Some such steps lead from afar to where conditions meet; along curved ones they would crawl, so that SLSQP, which
learns how they bend, ends the work with the same derivatives. It is a local search: the best in reach of its start.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog, minimize

from closedchain.arrays import Doubles
from closedchain.design.goals import NoDesign, Problem
from closedchain.design.single import KEPT, Best
from closedchain.errors import BadInput
from closedchain.sweep.block import Block
from closedchain.sweep.slopes import REGULAR, Conditions, at_least

EVALUATIONS = 200
ROUGH = 12  # of them by linear programs
WEIGHT = 5.0  # of broken conditions against the goal, in its size
FIRST, LAST = 0.1, 1e-9  # of a dimension's range: the reach of the first step, and of the last one
ENOUGH = 1e-8  # of the goal's size: a smaller promise ends the search
KEEPS, GOOD = 0.1, 0.7  # shares of the promise below which a step is not made, above which the reach grows


class Local:
    """What the conditions promise around a design u with the goal at t: rows g and their slopes, all to be kept."""

    def __init__(self, problem: Problem, u: Doubles, t: float) -> None:
        self.problem, self.u, self.t = problem, u, t
        goal, ready = problem.goals[0], problem.ready
        span = problem.box[:, 1] - problem.box[:, 0]
        x = np.clip(problem.box[:, 0] + u * span, *problem.box.T)
        varied = {f.name: x[i : i + 1] for i, f in enumerate(problem.study.factors)}
        block = Block(ready.model, 0, varied, 1)
        if block.failed:
            raise NoDesign(f"{ready.model.name}: {block.failed[0]}; the search came to a design that is none")
        asked = [(goal.name, goal.largest, t, 1.0), *((b.name, b.least, b.value, 0.0) for b in problem.bounds)]
        rows = [self._rows(at_least(ready, block, name, value), name, up, own) for name, up, value, own in asked]
        self.g, slopes, self.by_t = (np.concatenate(part) for part in zip(*rows, strict=True))
        self.slopes = slopes * span

    def _rows(self, found: Conditions, name: str, up: bool, own: float) -> Conditions:
        """At least, or at most; by t only for the goal itself, whose size is t."""
        if up:
            return Conditions(found.g, found.by_dimensions, own * found.by_t)
        if len(found.g) > 1:
            raise BadInput(f"{name} at most a number is no smooth condition: it can only be made large with --gradient")
        return Conditions(-found.g, -found.by_dimensions, -own * found.by_t)

    @property
    def sign(self) -> float:
        return 1.0 if self.problem.goals[0].largest else -1.0

    @property
    def broken(self) -> float:
        """How far the worst condition is broken."""
        return max(0.0, -float(self.g.min()))

    def merit(self, size: float) -> float:
        """The goal in its size, less what broken conditions cost."""
        return self.sign * self.t / size - WEIGHT * self.broken

    def step(self, reach: float, size: float) -> tuple[Doubles, float, float]:
        """The best step of u and t within reach by the linear program, and what it promises."""
        n = len(self.u)
        rows = np.concatenate([self.slopes, size * self.by_t[:, None], np.ones((len(self.g), 1))], axis=1)
        low, high = np.maximum(-reach, -self.u), np.minimum(reach, 1.0 - self.u)
        found = linprog(
            np.concatenate([np.zeros(n), [-self.sign, WEIGHT]]),
            A_ub=-rows,
            b_ub=self.g,
            bounds=[*zip(low, high, strict=True), (-reach, reach), (0.0, None)],
        )
        if found.x is None:
            return np.zeros(n), 0.0, 0.0
        promised = self.sign * self.t / size - float(found.fun) - self.merit(size)
        return np.asarray(found.x[:n]), size * float(found.x[n]), promised


def descend(problem: Problem, *, start: Sequence[float] | None = None, evaluations: int | None = None) -> Best:
    """The best design near `start` (the robot's own dimensions unless given), by exact derivatives."""
    low, span = problem.box[:, 0], problem.box[:, 1] - problem.box[:, 0]
    own = [problem.ready.model.values.get(f.name, np.nan) for f in problem.study.factors]
    u = np.clip((np.asarray(own if start is None else start, dtype=np.float64) - low) / span, 0.0, 1.0)
    first, goal = u, problem.goals[0]
    t = float(problem.evaluate(low + u * span).column(goal.name)[0])
    size = problem.ready.model.scale if goal.name == REGULAR else max(abs(t), 1e-9)
    most = evaluations or EVALUATIONS
    here, tried = approach(Local(problem, u, t), size, min(ROUGH, most))
    last, more = settle(here, size, most - tried) if tried < most else (here, 0)
    return _best(problem, tried + more, first, here.u, last.u)


def approach(here: Local, size: float, most: int) -> tuple[Local, int]:
    """Steps of linear programs, at most so many designs of them; how many there were."""
    reach, tried = FIRST, 1
    while reach > LAST and tried < most:
        step, rise, promise = here.step(reach, size)
        if promise <= ENOUGH:
            break
        there, tried = Local(here.problem, here.u + step, here.t + rise), tried + 1
        share = (there.merit(size) - here.merit(size)) / promise
        here = there if share >= KEEPS else here
        reach = min(2.0 * reach, 1.0) if share > GOOD else reach / 3.0 if share < KEEPS else reach
    return here, tried


def settle(here: Local, size: float, most: int) -> tuple[Local, int]:
    """SLSQP with the same conditions and derivatives; how many designs it tried."""
    n, made = len(here.u), dict[bytes, Local]()

    def at(v: Doubles) -> Local:
        if v.tobytes() not in made:
            made[v.tobytes()] = Local(here.problem, np.clip(v[:-1], 0.0, 1.0), float(v[-1]) * size)
        return made[v.tobytes()]

    def slopes(v: Doubles) -> Doubles:
        return np.column_stack([at(v).slopes, size * at(v).by_t])

    found = minimize(
        lambda v: -here.sign * v[-1],
        np.append(here.u, here.t / size),
        jac=lambda v: np.append(np.zeros(n), -here.sign),
        bounds=[(0.0, 1.0)] * n + [(None, None)],
        constraints=[{"type": "ineq", "fun": lambda v: at(v).g, "jac": slopes}],
        method="SLSQP",
        options={"ftol": ENOUGH, "maxiter": max(1, most // 2)},
    )
    return (at(found.x) if np.isfinite(found.x).all() else here), len(made)


def _best(problem: Problem, tried: int, *units: Doubles) -> Best:
    """The best of these designs by the measures themselves; of those that keep the bounds."""
    low, span = problem.box[:, 0], problem.box[:, 1] - problem.box[:, 0]
    trial = problem.evaluate(low + np.stack(units) * span)
    sizes = np.array([max(abs(b.value), 1e-12) for b in problem.bounds])
    kept = trial.there & (trial.excess <= KEPT * np.maximum(sizes, 1.0) * 1e3).all(axis=-1)
    if not kept.any():
        raise NoDesign(
            f"{problem.ready.model.name}: the search from here ended at a design that breaks a bound; begin elsewhere, "
            "or search the whole box without --gradient"
        )
    row = int(np.argmin(np.where(kept, trial.costs[:, 0], np.inf)))
    values = {name: float(trial.values[row, i]) for i, name in enumerate(problem.names)}
    return Best(problem, trial.x[row], values, tried + len(units))
