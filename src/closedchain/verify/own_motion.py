"""A motion of the user's own: states along it, as exact as its formulas, and a run that follows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.model.course import Course
from closedchain.model.model import Model
from closedchain.motion.conversion import joint, whole
from closedchain.motion.reference import Reference, Trajectory, end_of
from closedchain.simulation.run import Run
from closedchain.verify.motions import INTERVAL, Branch, Tracking, simulated, tempo
from closedchain.verify.samples import Samples

NAME = "own"
INSTANTS = 201


@dataclass(frozen=True, eq=False)
class Own:
    """The states of a motion, when they are, and the run that follows it; without one, the reason."""

    samples: Samples
    t: Doubles  # (n,) [s]
    run: Run | None
    note: str = ""


@dataclass(frozen=True, eq=False)
class FromZero:
    """The same motion of the drives, begun at t = 0."""

    source: Trajectory

    def __call__(self, t: ArrayLike) -> Reference:
        return self.source(self.source.start + np.asarray(t, dtype=np.float64))


def along(model: Model, trajectory: Trajectory, branch: Branch) -> Own:
    """States at even instants of a motion of the drives or of the output, on the branch asked for."""
    t = np.linspace(trajectory.start, end_of(trajectory), INSTANTS)
    course = whole(model, trajectory, working=branch.working, assembly=branch.assembly)(t)
    made = model.call("evaluate", q=course.q, x=course.x, q_dot=course.q_dot, q_ddot=course.q_ddot)
    tau = np.asarray(made["tau"])[:, list(model.driven)]
    samples = Samples(course.q, course.x, course.q_dot, course.q_ddot, tau, (NAME,) * len(t))
    try:
        return Own(samples, t, _followed(model, trajectory, branch, course))
    except ClosedChainError as error:
        return Own(samples, t, None, f"no engine is driven along the motion: {error}")


def _followed(model: Model, trajectory: Trajectory, branch: Branch, course: Course) -> Run | None:
    """Computed torque along it, which begins in it; None where something is not driven."""
    if len(model.driven) != model.nq:
        return None
    drives: Any = FromZero(joint(model, trajectory, working=branch.working))
    faster = tempo(model, np.concatenate([course.q, course.x], axis=-1))
    interval = INTERVAL / faster
    duration = max(1.0, np.floor(trajectory.duration / interval * (1 + 1e-9))) * interval
    law = Tracking(model, drives, faster)
    return simulated(model, law, course[0].state, duration * faster, NAME, faster)
