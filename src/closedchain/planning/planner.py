"""From one pose to another: the straight motion where a working mode allows it, else a way around, proven like it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.planning.answer import found_plan, no_plan
from closedchain.planning.bodies import bodies
from closedchain.planning.grid import grid_over
from closedchain.planning.measure import Setting
from closedchain.planning.proof import Prover
from closedchain.planning.result import Plan
from closedchain.planning.route import Piece, straight_route
from closedchain.planning.search import search
from closedchain.planning.several import Sampler, Several, check_several
from closedchain.planning.shapes import Obstacle
from closedchain.planning.straight import Straight, straight
from closedchain.planning.task import Task, task_of
from closedchain.singularity.closed_form import check_free_output
from closedchain.singularity.reach import several

OBJECTIVES = ("shortest", "clearance")


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
    modes is searched, modes changing where a leg is at its end unless `changes` is False. The objective "clearance"
    wants the most room between bodies, or the largest margin where nothing can meet.

    Where other bodies follow from the output, start and goal are the output's own coordinates, modes name the branches
    of the others, too, modes do not change on the way, and the motion is checked at samples but not proven.
    """
    _check(model, objective, margin)
    kind, proving = (Several, Sampler) if several(model) else (Setting, Prover)
    setting = kind(model, bodies(model, width, obstacles, ignore), float(margin))
    task = task_of(setting, start, goal, working, goal_working)
    prover = proving(setting)
    changes = changes and proving is Prover
    verdicts = straight(setting, task.start, task.goal, prover)
    made = _Answers(prover, objective, {v.working: v for v in verdicts})
    best = _best(task, verdicts)
    direct = None if best is None else made.found(straight_route(best, task.start, task.goal), "straight")
    if direct is not None and (objective == "shortest" or made.worth(direct) >= _most(task) * (1 - 1e-9)):
        return direct
    blocked = task.blocked()
    if blocked:
        return made.nothing(blocked)
    grid = grid_over(setting, task.start, task.goal, resolution, bounds)
    step = float((grid.step * setting.metric)[0])
    pieces, reason = search(prover, task, grid, widest=objective == "clearance", changes=changes)
    if pieces is None:
        return direct or made.nothing(reason, step)
    around = made.found(pieces, "roadmap", step)
    return direct if direct is not None and made.worth(direct) >= made.worth(around) else around


def _check(model: Model, objective: str, margin: float) -> None:
    if several(model):
        check_several(model)
    else:
        check_free_output(model)
    if objective not in OBJECTIVES:
        raise BadInput(f"{model.name}: objective {objective!r:.20} is neither of {', '.join(OBJECTIVES)}")
    if not 0.0 <= margin < 1.0:
        raise BadInput(f"{model.name}: a margin is between 0 (singular) and 1, not {margin}")


def _best(task: Task, verdicts: Sequence[Straight]) -> int | None:
    """The possible straight motion with the most room; all are equally long."""
    able = [i for i in task.modes if verdicts[i].possible]
    return max(able, key=lambda i: (verdicts[i].clearance, verdicts[i].parallel)) if able else None


def _most(task: Task) -> float:
    """The most a motion can be worth: what its own two ends are."""
    m = task.ends()
    worth = (m.clearance if task.setting.bodies.pairs else np.minimum(m.parallel, m.serial)).reshape(2, -1)
    return float(min(worth[0, list(task.from_modes)].max(), worth[1, list(task.to_modes)].max()))


class _Answers:
    """Makes plans that share what was asked and what the straight motions are."""

    def __init__(self, prover: Prover, objective: str, why: Mapping[str, Straight]) -> None:
        self.prover, self.objective, self.why = prover, objective, why

    def found(self, pieces: tuple[Piece, ...], kind: str, step: float = 0.0) -> Plan:
        return found_plan(self.prover, pieces, kind, step, self.objective, self.why)

    def nothing(self, message: str, step: float = 0.0) -> Plan:
        return no_plan(self.prover.setting, message, step, self.objective, self.why)

    def worth(self, plan_: Plan) -> float:
        """What the objective "clearance" compares."""
        return plan_.clearance if self.prover.setting.bodies.pairs else min(plan_.parallel, plan_.serial)
