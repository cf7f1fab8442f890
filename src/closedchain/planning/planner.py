"""From one pose to another: the straight motion where a working mode allows it, else a way around, proven like it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, length, numbers
from closedchain.model.geometry import inverse
from closedchain.model.model import Model
from closedchain.planning.bodies import bodies
from closedchain.planning.grid import Grid, grid_over
from closedchain.planning.measure import Index, Measures, Setting
from closedchain.planning.proof import Prover
from closedchain.planning.result import ModeChange, Plan
from closedchain.planning.roadmap import Roadmap
from closedchain.planning.route import Piece, length_of, prove_route, route_of, sample, shorten, straight_route
from closedchain.planning.shapes import Obstacle
from closedchain.planning.straight import Straight, straight
from closedchain.singularity.closed_form import check_free_output

OBJECTIVES = ("shortest", "clearance")
SHARES = (0.9, 0.75, 0.5, 0.25)  # of the widest way's worth, which is known at grid points only, to prove between them


def plan(
    model: Model,
    start: ArrayLike,
    goal: ArrayLike,
    *,
    working: str | None = None,
    goal_working: str | None = None,
    margin: float = 0.02,
    width: float = 0.0,
    obstacles: Collection[Obstacle] = (),
    ignore: Collection[str] = (),
    objective: str = "shortest",
    changes: bool = True,
    resolution: float | None = None,
    bounds: ArrayLike | None = None,
) -> Plan:
    """A motion of the output from start to goal that keeps σ_min/σ_max of A and every leg's sine above a margin, and
    the robot's bodies, with links of a width [m], apart from each other and from obstacles.

    Start and goal may be in any working mode unless one is named. The straight motion is tried first; if none is
    possible, a grid with a step of `resolution` [m] over the output's space (within `bounds`, (2, nx)) and all working
    modes is searched, modes changing where a leg is at its end unless `changes` is False.
    """
    task = _task(model, start, goal, margin, working, goal_working, objective)
    setting = Setting(model, bodies(model, width, obstacles, ignore), float(margin))
    return _Planner(setting, task, objective).run(changes, resolution, bounds)


@dataclass(frozen=True, eq=False)
class _Task:
    start: Doubles
    goal: Doubles
    from_modes: tuple[int, ...]
    to_modes: tuple[int, ...]


def _task(
    model: Model,
    start: ArrayLike,
    goal: ArrayLike,
    margin: float,
    working: str | None,
    goal_working: str | None,
    objective: str,
) -> _Task:
    check_free_output(model)
    if objective not in OBJECTIVES:
        raise BadInput(f"{model.name}: objective {objective!r:.20} is neither of {', '.join(OBJECTIVES)}")
    if not 0.0 <= margin < 1.0:
        raise BadInput(f"{model.name}: a margin is between 0 (singular) and 1, not {margin}")
    ends = []
    for name, x in (("start", start), ("goal", goal)):
        value = vectors(x, model.nx, name)
        if value.ndim != 1:
            raise BadInput(f"{model.name}: the {name} is one pose, ({model.nx},), not {value.shape}")
        found = inverse(model, value)
        if not len(found):
            raise found.reasons[0]
        ends.append(value)
    modes = Setting(model, bodies(model), 0.0).modes
    return _Task(ends[0], ends[1], _chosen(model, modes, working), _chosen(model, modes, goal_working))


def _chosen(model: Model, modes: Sequence[str], asked: str | None) -> tuple[int, ...]:
    if asked is None:
        return tuple(range(len(modes)))
    name = asked.replace("−", "-").replace(" ", "").replace(",", "")
    if name not in modes:
        raise BadInput(f"{model.name}: no working mode {asked!r:.20}; there are {', '.join(modes)}")
    return (modes.index(name),)


class _Planner:
    """One task under one setting."""

    def __init__(self, setting: Setting, task: _Task, objective: str) -> None:
        self.setting, self.task, self.objective = setting, task, objective
        self.prover = Prover(setting)

    def run(self, changes: bool, resolution: float | None, bounds: ArrayLike | None) -> Plan:
        verdicts = straight(self.setting, self.task.start, self.task.goal, self.prover)
        why = {v.working: v for v in verdicts}
        best = self._best_straight(verdicts)
        direct = None if best is None else straight_route(best, self.task.start, self.task.goal)
        if direct is not None and (self.objective == "shortest" or self._cannot_widen(verdicts)):
            return self._plan(direct, "straight", 0.0, why)
        blocked = self._blocked_ends()
        if blocked:
            return self._nothing(blocked, 0.0, why)
        grid = grid_over(self.setting, self.task.start, self.task.goal, resolution, bounds)
        step = float((grid.step * self.setting.metric)[0])
        found, tried = self._search(grid, changes)
        if found is None:
            return self._plan(direct, "straight", step, why) if direct else self._nothing(tried, step, why)
        plan_ = self._plan(found, "roadmap", step, why)
        if direct is not None and self._worth(plan_) <= self._worth(straight_ := self._plan(direct, "straight", step, why)):
            return straight_
        return plan_

    # The straight motion ------------------------------------------------------------------------

    def _best_straight(self, verdicts: Sequence[Straight]) -> int | None:
        """The possible mode with the most room; all are equally long."""
        allowed = set(self.task.from_modes) & set(self.task.to_modes)
        able = [i for i, v in enumerate(verdicts) if v.possible and i in allowed]
        return max(able, key=lambda i: (verdicts[i].clearance, verdicts[i].parallel)) if able else None

    def _cannot_widen(self, verdicts: Sequence[Straight]) -> bool:
        """Whether the straight motion has as much room as its own ends leave."""
        best = self._best_straight(verdicts)
        assert best is not None
        ends = self._ends()
        if not self.setting.bodies.pairs:
            limit = np.minimum(ends.parallel, ends.serial).reshape(2, -1)
            has = min(verdicts[best].parallel, verdicts[best].serial)
        else:
            limit, has = ends.clearance.reshape(2, -1), verdicts[best].clearance
        room = min(limit[0, list(self.task.from_modes)].max(), limit[1, list(self.task.to_modes)].max())
        return bool(has >= room * (1 - 1e-9))

    def _ends(self) -> Measures:
        """Start, then goal, in every mode."""
        x = np.repeat(np.stack([self.task.start, self.task.goal]), len(self.setting.modes), axis=0)
        return self.setting.measure(x, np.tile(self.setting.sigma, (2, 1)))

    def _blocked_ends(self) -> str:
        """Why no mode is allowed at the start or at the goal; empty when there is one at both."""
        m = self._ends()
        left = self.setting.room_left(m).reshape(2, len(self.setting.modes), -1)
        kept = self.setting.kept(m).reshape(2, -1)
        said = []
        for end, name, allowed in ((0, "start", self.task.from_modes), (1, "goal", self.task.to_modes)):
            if not kept[end, list(allowed)].any():
                worst = [f"{self.setting.modes[i]}: {self._broken(left[end, i])}" for i in allowed]
                said.append(f"the {name} itself is not allowed in any working mode asked for ({'; '.join(worst)})")
        return ", and ".join(said)

    def _broken(self, left: Doubles) -> str:
        legs, worst = len(self.setting.model.legs), int(np.nanargmin(left))
        name = self.setting.constraints[worst]
        if worst < legs:
            return f"leg {name} is at its end or beyond it"
        return f"A is within {left[worst] + self.setting.margin:.3g} of singular" if worst == legs else f"{name} meet"

    # The way around -----------------------------------------------------------------------------

    def _search(self, grid: Grid, changes: bool) -> tuple[tuple[Piece, ...] | None, str]:
        """A route through the grid, shortened; or what was tried."""
        impossible = self._opposite_sides(changes)
        if impossible:
            return None, impossible
        roadmap = Roadmap(self.prover, grid, self._goals(grid), changes)
        sources = [n for m in self.task.from_modes if roadmap.kept.flat[n := roadmap.node(roadmap.start, m)]]
        targets = [n for r in roadmap.goal_rows for m in self.task.to_modes if roadmap.kept.flat[n := roadmap.node(r, m)]]
        for prover, least in self._demands(roadmap, sources, targets):
            roadmap.demand(prover)
            way = roadmap.shortest(sources, targets, least)
            if way is not None:
                return shorten(prover, route_of(roadmap, way)), ""
        step = length(float((grid.step * self.setting.metric)[0]))
        return None, (
            f"no path at this resolution: a grid of {grid.size} poses with a step of {step} "
            f"({roadmap.size} allowed configurations, {len(roadmap.changes)} places to change the mode) joins start and "
            f"goal in no way that could be proven. A finer resolution or wider bounds may find one; a smaller margin or "
            f"width allows more"
        )

    def _demands(self, roadmap: Roadmap, sources: list[int], targets: list[int]) -> Iterator[tuple[Prover, float]]:
        """What to ask of the way, the most first: for the objective "clearance" shares of what the widest one has."""
        if self.objective == "clearance":
            widest = roadmap.widest(sources, targets)
            for share in SHARES if np.isfinite(widest) else ():
                name, base = ("room", 0.0) if self.setting.bodies.pairs else ("margin", self.setting.margin)
                demand = base + share * (widest - base)
                yield self.prover.under(self.setting.demanding(**{name: demand})), widest
        yield self.prover, -np.inf

    def _goals(self, grid: Grid) -> Doubles:
        """The goal, and for a plate also after whole turns, as far as the grid goes."""
        angle = [i for i, c in enumerate(self.setting.model.equations.x) if c.unit == "rad"]
        goals = [self.task.goal]
        for i in angle:
            lo, hi = (grid.start + k * grid.step for k in (grid.low, grid.low + np.array(grid.shape) - 1))
            for turns in (-1, 1):
                other = self.task.goal + 2 * np.pi * turns * np.eye(len(self.task.goal))[i]
                if lo[i] <= other[i] <= hi[i]:
                    goals.append(other)
        return np.array(goals)

    def _opposite_sides(self, changes: bool) -> str:
        """Where no leg can change its mode, det A cannot change its sign: then some pairs of poses are never joined."""
        if changes and self.setting.model.leg_signs.any():
            return ""
        side = np.sign(self._ends().det).reshape(2, -1)
        both = sorted(set(self.task.from_modes) & set(self.task.to_modes))
        if any(side[0, i] == side[1, i] for i in both):
            return ""
        return (
            "no path exists: without a change of working mode every motion from start to goal crosses a Type 2 "
            "singularity, because det A has opposite signs there"
        )

    # The answer ---------------------------------------------------------------------------------

    def _worth(self, plan_: Plan) -> float:
        return plan_.clearance if self.setting.bodies.pairs else min(plan_.parallel, plan_.serial)

    def _plan(self, pieces: tuple[Piece, ...], kind: str, step: float, why: Mapping[str, Straight]) -> Plan:
        proofs = prove_route(self.prover, pieces)
        assert proofs.proven.all()
        s, x, mode, q = sample(self.setting, pieces)
        m = self.setting.measure(x, self.setting.sigma[mode])
        names = tuple(self.setting.modes[p.mode] for p in pieces)
        ways = {"straight": "straight", "roadmap": f"around, found on a grid with a step of {length(step)}"}
        ends = f"from {numbers(self.task.start)} to {numbers(self.task.goal)}"
        return Plan(
            robot=self.setting.model.name,
            found=True,
            message=f"{ends} {ways[kind]}, in {' → '.join(names)}; proven from end to end",
            kind=kind,
            objective=self.objective,
            margin=self.setting.margin,
            width=self.setting.bodies.width,
            resolution=step,
            corners=tuple(p.corners for p in pieces),
            modes=names,
            changes=self._mode_changes(pieces, s, x, q, mode),
            s=s,
            x=x,
            q=q,
            working=tuple(self.setting.modes[i] for i in mode),
            length=length_of(self.setting, pieces),
            clearance=float(min(proofs.clearance.min(), m.clearance.min())),
            parallel=float(min(proofs.parallel.min(), m.parallel.min())),
            serial=0.0 if len(pieces) > 1 else float(min(proofs.serial.min(), m.serial.min())),
            why=why,
        )

    def _mode_changes(
        self, pieces: Sequence[Piece], s: Doubles, x: Doubles, q: Doubles, mode: Index
    ) -> tuple[ModeChange, ...]:
        found = []
        for before, after, k in zip(pieces, pieces[1:], np.flatnonzero(np.diff(mode)), strict=False):
            leg = self.setting.model.legs[before.exit].name
            names = self.setting.modes[before.mode], self.setting.modes[after.mode]
            found.append(ModeChange(leg, *names, x[k], q[k], float(s[k])))
        return tuple(found)

    def _nothing(self, message: str, step: float, why: Mapping[str, Straight]) -> Plan:
        model = self.setting.model
        return Plan(
            robot=model.name,
            found=False,
            message=message,
            kind="",
            objective=self.objective,
            margin=self.setting.margin,
            width=self.setting.bodies.width,
            resolution=step,
            corners=(),
            modes=(),
            changes=(),
            s=np.zeros(0),
            x=np.zeros((0, model.nx)),
            q=np.zeros((0, model.nq)),
            working=(),
            length=np.inf,
            clearance=-np.inf,
            parallel=0.0,
            serial=0.0,
            why=why,
        )
