"""Scenario → Run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import NoSolution
from closedchain.model.evaluation import evaluate
from closedchain.motion import joint
from closedchain.scenarios.library import find
from closedchain.scenarios.scenario import Context, Scenario
from closedchain.simulation.endings import Progress
from closedchain.simulation.run import Run
from closedchain.simulation.simulate import simulate


def run(scenario: Scenario | str | Path, *, progress: Progress | None = None) -> Run:
    """Simulate a scenario, or one by its name or file. What ends it early is in the run's `ended`."""
    s = scenario if isinstance(scenario, Scenario) else find(scenario)
    working = working_mode(s)
    controller = s.make(Context(s.model, s.reference, working, s.interval))
    try:
        return simulate(
            s.model,
            controller,
            duration=s.duration if s.duration is not None else getattr(s.reference, "duration", None),
            interval=s.interval,
            step=s.step,
            method=s.method,
            plant=s.plant,
            limits=_limits(s),
            title=s.name,
            progress=progress,
            **_start(s, working),
        )
    except NoSolution:
        _explain_branch(s, working)
        raise


def working_mode(s: Scenario) -> str | None:
    """The mode on which the reference is followed: the one named, else the one that the robot starts in."""
    named = s.working if s.working is not None else s.start.working
    if s.start.q is None or not s.model.nx:
        return named
    found = evaluate(s.model, q=s.start.q, assembly=s.start.assembly).working
    if named is not None and named != found:
        raise NoSolution(
            f'{s.name}: the start q = {np.array2string(s.start.q, precision=6)} is in working mode "{found}", the '
            f'trajectory in "{named}"; a Type 1 singularity lies between them: change one of the two'
        )
    return str(found)


def _start(s: Scenario, working: str | None) -> dict[str, Any]:
    start = s.start
    given: dict[str, Any] = {"q": start.q, "x": start.x, "q_dot": start.q_dot, "assembly": start.assembly}
    return given | {"working": working if start.q is None else None}


def _limits(s: Scenario) -> tuple[Doubles, Doubles] | None:
    if not s.limits:
        return None
    bounds = [s.limits.get(c.name, (-np.inf, np.inf)) for c in s.model.equations.q]
    low, high = np.array(bounds).T
    return low, high


def _explain_branch(s: Scenario, working: str | None) -> None:
    """Where along the trajectory its branch ends, if that is why there is no solution."""
    if s.reference is not None and s.reference.space == "output":
        try:
            joint(s.model, s.reference, working=working)
        except NoSolution as error:
            raise NoSolution(f"{s.name}: {error}") from None
