"""The way around: a route through the roadmap of a grid, shortened, or what was tried."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import length
from closedchain.planning.grid import Grid
from closedchain.planning.proof import Prover
from closedchain.planning.roadmap import Roadmap
from closedchain.planning.route import Piece, route_of, shorten
from closedchain.planning.task import Task

SHARES = (0.9, 0.75, 0.5, 0.25)  # of the widest way's worth, which is known at grid points only, to prove between them


def search(
    prover: Prover, task: Task, grid: Grid, *, widest: bool, changes: bool
) -> tuple[tuple[Piece, ...] | None, str]:
    """(the shortest route, or the shortest of the widest; "") or (None, why there is none)."""
    impossible = opposite_sides(task, changes)
    if impossible:
        return None, impossible
    roadmap = Roadmap(prover, grid, _goals(task, grid), changes)
    sources = [roadmap.node(roadmap.start, m) for m in task.from_modes if roadmap.kept[roadmap.start, m]]
    targets = [roadmap.node(r, m) for r in roadmap.goal_rows for m in task.to_modes if roadmap.kept[r, m]]
    for demanding, least in _demands(prover, roadmap, sources, targets, widest):
        roadmap.demand(demanding)
        way = roadmap.shortest(sources, targets, least)
        if way is not None:
            return shorten(demanding, route_of(roadmap, way)), ""
    step = length(float((grid.step * task.setting.metric)[0]))
    return None, (
        f"no path at this resolution: on a grid of {grid.size} poses with a step of {step} ({roadmap.size} allowed "
        f"configurations, {len(roadmap.changes)} places to change the mode) no way from start to goal could be proven. "
        f"A finer resolution or wider bounds may find one; a smaller margin or width allows more"
    )


def _demands(
    prover: Prover, roadmap: Roadmap, sources: list[int], targets: list[int], widest: bool
) -> Iterator[tuple[Prover, float]]:
    """(prover, least worth of nodes), the highest demands first: shares of what the widest way has."""
    setting = prover.setting
    most = roadmap.widest(sources, targets) if widest else -np.inf
    for share in SHARES if np.isfinite(most) else ():
        if setting.bodies.pairs:
            yield prover.under(setting.demanding(room=share * most)), most
        else:
            yield prover.under(setting.demanding(margin=setting.margin + share * (most - setting.margin))), most
    yield prover, -np.inf


def _goals(task: Task, grid: Grid) -> Doubles:
    """The goal, and for a plate also after a whole turn, as far as the grid goes, (k, nx)."""
    lo, hi = (grid.start + k * grid.step for k in (grid.low, grid.low + np.array(grid.shape) - 1))
    goals = [task.goal]
    for i, coordinate in enumerate(task.setting.model.equations.x[: len(task.goal)]):
        for turn in (-2 * np.pi, 2 * np.pi) if coordinate.unit == "rad" else ():
            if lo[i] <= task.goal[i] + turn <= hi[i]:
                goals.append(task.goal + turn * np.eye(len(task.goal))[i])
    return np.array(goals)


def opposite_sides(task: Task, changes: bool) -> str:
    """Why no path can exist, if that is certain; else empty.

    det A is continuous along every motion, through changes of mode too, and vanishes at Type 2 singularities only: from
    a configuration where it is positive to one where it is negative there is no motion without one.
    """
    changing = changes and len(task.setting.modes) > 1
    ends = [(i, j) for i in task.from_modes for j in task.to_modes if changing or i == j]
    if not ends:
        return "no path exists: start and goal are in different working modes, and changes of mode are not allowed"
    side = np.sign(task.ends().det).reshape(2, -1)
    if any(side[0, i] == side[1, j] for i, j in ends):
        return ""
    return (
        "no path exists: every motion from start to goal crosses a Type 2 singularity, because det A has opposite "
        "signs there in the working modes asked for"
    )
