"""The grade of a control script: what its robot did, and where a task is set, whether that is what was asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.lab.grading.constants import LAB
from closedchain.lab.grading.playing import LIMITS, Played, play
from closedchain.lab.grading.results import ControlGrade
from closedchain.lab.grading.task import Task
from closedchain.lab.grading.tracking import Tracking, against, from_fit
from closedchain.lab.sandbox.limits import Limits
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.simulation.run import Run

NONE = 100.0  # times the tolerance: an error that large gives nothing
MOVED = 5e-3  # [m] a motion is at least this long
SAME = 1e-9  # [m] a length that is the same
NAMES = {"biglide": "biglide", "five_bar": "fivebar"}
UNTOLD = "no task was set (--task), so nothing says whether it tracks"


def grade_control(
    files: Sequence[tuple[Path | bytes, str]],
    name: str,
    *,
    tasks: Sequence[Task] = (),
    duration: float = 10.0,
    bars: float | None = None,
    limits: Limits = LIMITS,
) -> ControlGrade:
    """Run the script against the exact robot and measure; `bars` [m] is the biglide's l in the group's own models."""
    models: dict[str, Model] = {}
    notes: list[str] = []
    if bars is not None and abs(bars - LAB["biglide"].l) > SAME:
        models, notes = {"biglide": load("biglide", l=bars)}, [f"The robot has the models' own bars of {bars:.7g} m."]
    played = play(files, name, duration=duration, models=models, limits=limits)
    notes += [f"The script {played.ending}."] if not _fine(played) and not played.stopped else []
    notes += [f"The robot stopped: {played.broken}"] if played.broken else []
    order = sorted(range(len(played.benches)), key=lambda i: -played.steps[i])
    made = ControlGrade(name, "", None, "", {}, tuple(notes), played.protections, played.output)
    if not order or played.steps[order[0]] < 2:
        return _with(made, *_unmoved(played))
    bench, kind = played.benches[order[0]], played.kinds[order[0]]
    runs = [*bench.earlier, bench.run]
    run, fitting = runs[-1], [task for task in tasks if task.robot == kind]
    tracked = [(one, task, against(one, task)) for one in runs for task in fitting if len(one.t) > 1]
    found = None
    if tracked:
        run, task, found = min(tracked, key=lambda one: one[2].largest / one[1].tolerance)
        verdict, score = _judge(run, task, found)
    elif tasks:
        verdict, score = f"not graded: the task is for {tasks[0].robot!r}, and the script moves {kind!r}", None
    else:
        verdict, score = f"moved: {UNTOLD}", None
    if played.stopped:
        verdict, score = f"not graded: {played.stopped}", None
    return _with(made, verdict, score, NAMES[kind], _measured(run, found, from_fit(run)))


def _with(
    made: ControlGrade, verdict: str, score: float | None, robot: str = "", measured: dict[str, Any] | None = None
) -> ControlGrade:
    return ControlGrade(made.file, robot, score, verdict, measured or {}, made.notes, made.protections, made.output)


def _fine(played: Played) -> bool:
    return played.ending.startswith(("ended by itself", "was ended"))


def _unmoved(played: Played) -> tuple[str, float | None]:
    if played.stopped:
        return f"not graded: {played.stopped}", None
    why = "applied no effort to a robot" if _fine(played) else played.ending
    return f"could not be tried: {why}", 0.0


def _judge(run: Run, task: Task, found: Tracking) -> tuple[str, float]:
    way = float(np.linalg.norm(np.diff(run.x, axis=0), axis=1).sum())
    if way < MOVED:
        return f"does not move: the tip's way is {way * 1e3:.3g} mm", 0.0
    if found.largest <= task.tolerance:
        return "tracks", 100.0
    share = max(0.0, 1 - math.log(found.largest / task.tolerance) / math.log(NONE))
    return f"does not track: {found.largest * 1e3:.3g} mm off where {task.tolerance * 1e3:g} are the most", 100 * share


def _measured(run: Run, found: Tracking | None, fitted: Tracking | None) -> dict[str, Any]:
    tau = run.command[:-1] if len(run.command) > 1 else run.command
    return {
        "duration": float(run.t[-1]),
        "start": [float(v) for v in run.x[0]],
        "end": [float(v) for v in run.x[-1]],
        "end_speed": float(np.linalg.norm(run.x_dot[-1])),
        "tracking": [asdict(t) for t in (found or fitted,) if t],
        "fit": asdict(fitted) if fitted else None,
        "effort_largest": [float(v) for v in np.abs(tau).max(axis=0)],
        "effort_rms": [float(v) for v in np.sqrt((tau**2).mean(axis=0))],
    }
