"""Scenario → Run, or many of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, NoSolution
from closedchain.model.evaluation import evaluate
from closedchain.model.solutions import same_mode
from closedchain.model.state import State
from closedchain.motion import joint
from closedchain.scenarios.library import find
from closedchain.scenarios.scenario import Context, Scenario, Start
from closedchain.simulation.endings import Progress
from closedchain.simulation.rollouts import Rollouts
from closedchain.simulation.rollouts import rollouts as many_runs
from closedchain.simulation.run import Run
from closedchain.simulation.simulate import plant_model, simulate
from closedchain.simulation.starting import Beginning, starting_state

VARIED = ("values", "gains", "q", "x", "q_dot", "count", "threads")


def run(scenario: Scenario | str | Path, *, progress: Progress | None = None) -> Run:
    """Simulate a scenario, or one by its name or file. What ends it early is in the run's `ended`."""
    s = scenario if isinstance(scenario, Scenario) else find(scenario)
    working = working_mode(s)
    controller = s.make(Context(s.model, s.reference, working, s.interval))
    x_dot = s.start.x_dot if s.model.linkage else None
    try:
        done = simulate(
            s.model,
            controller,
            title=s.name,
            progress=progress,
            tolerance=s.tolerance,
            x_dot=x_dot,
            **_loop(s, working),
        )
        return done if s.expected is None else s.expected.compared(done)
    except NoSolution:
        _explain_branch(s, working)
        raise


def controller(scenario: Scenario) -> tuple[Any, State]:
    """The controller of a scenario, and the state that its run begins in."""
    s, working = scenario, working_mode(scenario)
    law = s.make(Context(s.model, s.reference, working, s.interval))
    begin = Beginning(s.start.q, s.start.x, s.start.q_dot, s.start.assembly, working if s.start.q is None else None)
    return law, starting_state(plant_model(s.model, s.plant), law, begin)


def rollouts(scenario: Scenario | str | Path, **varied: Any) -> Rollouts:
    """Many runs of a scenario in one call, or of one by its name or file.

    `values` are parameters of the plant by name, (n,) each; `gains` (n, k) of the controller; `q` or `x`, and `q_dot`,
    (n, …) the starts; `count` the number of runs where only noise differs; `threads` changes no bit.
    """
    s = scenario if isinstance(scenario, Scenario) else find(scenario)
    unknown = [name for name in varied if name not in VARIED]
    if unknown:
        raise BadInput(f"rollouts of a scenario vary {', '.join(VARIED)}; {unknown[0]!r:.30} is none of them")
    if s.tolerance is not None:
        raise BadInput(f"{s.name}: rollouts do not repeat a run until its end stays; leave tolerance out")
    if varied.get("q") is not None or varied.get("x") is not None:
        s = replace(s, start=Start(assembly=s.start.assembly, working=s.start.working))
    working = working_mode(s)
    controller = s.make(Context(s.model, s.reference, working, s.interval))
    return many_runs(s.model, controller, **(_loop(s, working) | varied))


def _loop(s: Scenario, working: str | None) -> dict[str, Any]:
    """What one run and many have in common: the clock, the plant, the start."""
    start = s.start
    return {
        "duration": s.duration if s.duration is not None else getattr(s.reference, "duration", None),
        "interval": s.interval,
        "step": s.step,
        "method": s.method,
        "plant": s.plant,
        "limits": _limits(s),
        "forces": s.forces,
        "torques": s.torques,
        "q": start.q,
        "x": start.x,
        "q_dot": start.q_dot,
        "assembly": start.assembly,
        "working": working if start.q is None else None,
    }


def working_mode(s: Scenario) -> str | None:
    """The mode on which the reference is followed: the one named, else the one that the robot starts in."""
    named = s.working if s.working is not None else s.start.working
    if s.start.q is None or not s.model.nx or s.model.linkage:
        return named
    found = evaluate(s.model, q=s.start.q, x=s.start.x, assembly=s.start.assembly).working
    if found is None:  # the output does not tell the drives
        return named
    if named is not None and not same_mode(found, named):
        raise NoSolution(
            f'{s.name}: the start q = {np.array2string(s.start.q, precision=6)} is in working mode "{found}", the '
            f'trajectory in "{named}"; a Type 1 singularity lies between them: write trajectory.working = "{found}", '
            "or another start"
        )
    return str(found)


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
