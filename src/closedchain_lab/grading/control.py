"""The grade of a control script: what its robot did, and where a task is set, whether that is what was asked for.

Errors are those of the plant's own record, never of what the script shows.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from closedchain import load
from closedchain.arrays import Doubles
from closedchain.simulation import Run
from closedchain_lab.grading.asking import LIMITS, Played, play
from closedchain_lab.grading.constants import LAB
from closedchain_lab.grading.results import ControlGrade
from closedchain_lab.grading.task import LAWS, Task
from closedchain_lab.sandbox.allowance import Files, Limits

NONE, APART = 100.0, 0.1  # times the tolerance, and of the way: an error that large gives nothing
MOVED = 5e-3  # [m] a motion is at least this long
SAME = 1e-9  # [m] a length that is the same
ENOUGH = 20  # rows of a record that say something
NAMES = {"biglide": "biglide", "five_bar": "fivebar"}
UNTOLD = "no task was set (--task), so nothing says whether it tracks"


@dataclass(frozen=True)
class Tracking:
    """The errors of the tip against a reference."""

    source: str  # where the reference comes from
    largest: float  # [m]
    at: float  # [s]
    rms: float
    final: float
    delay: float = 0.0  # [s] after which the motion began


def grade_control(
    files: Files,
    name: str,
    *,
    tasks: Sequence[Task] = (),
    duration: float = 10.0,
    bars: float | None = None,
    limits: Limits = LIMITS,
) -> ControlGrade:
    """Run the script against the exact robot and measure; `bars` [m] is the biglide's l in the group's own models."""
    own = bars if bars and abs(bars - LAB["biglide"].bars) > SAME else None
    models = {"biglide": load("biglide", l=own)} if own else {}
    played = play(files, name, duration=duration, models=models, limits=limits)
    notes = [f"The robot has the models' own bars of {own:.7g} m."] if own else []
    notes += [f"The script {played.ending}."] if not _fine(played) and not played.stopped else []
    notes += [f"The robot stopped: {played.broken}"] if played.broken else []
    stopped = f"not graded: {played.stopped}" if played.stopped else ""
    held: dict[str, Any] = {"protections": played.protections, "output": played.output, "tried": played.tried}
    made = ControlGrade(name, "", None, "", notes=tuple(notes), **held)
    robot = max(played.robots, key=lambda one: one.steps, default=None)
    if robot is None or robot.steps < 2:
        why = "applied no effort to a robot" if _fine(played) else played.ending
        return replace(made, verdict=stopped or f"could not be tried: {why}", score=None if stopped else 0.0)
    runs = [*robot.bench.earlier, robot.bench.run]
    fitting = [task for task in tasks if task.robot == robot.kind]
    tracked = [(one, task, against(one, task)) for one in runs for task in fitting if len(one.t) > 1]
    run, found, score = runs[-1], None, None
    if tracked:
        run, task, found = min(tracked, key=lambda one: one[2].largest / one[1].tolerance)
        verdict, score = _judge(run, task, found)
    elif tasks:
        verdict = f"not graded: the task is for {tasks[0].robot!r}, and the script moves {robot.kind!r}"
    else:
        verdict = f"moved: {UNTOLD}"
    verdict, score = (stopped, None) if stopped else (verdict, score)
    return replace(made, verdict=verdict, score=score, robot=NAMES[robot.kind], measured=_measured(run, found))


def _fine(played: Played) -> bool:
    return played.ending.startswith(("ended by itself", "was ended"))


def _judge(run: Run, task: Task, found: Tracking) -> tuple[str, float]:
    way = float(np.linalg.norm(np.diff(run.x, axis=0), axis=1).sum())
    if way < MOVED:
        return f"does not move: the tip's way is {way * 1e3:.3g} mm", 0.0
    if found.largest <= task.tolerance:
        return "tracks", 100.0
    said = f"does not track: {found.largest * 1e3:.3g} mm off where {task.tolerance * 1e3:g} are the most"
    length = math.dist(task.start, task.end)
    if found.largest >= APART * length:  # as a push without a look at the robot comes to
        return f"{said}, {found.largest / length:.0%} of the way: this is not the motion that was asked for", 0.0
    nothing = min(NONE, APART * length / task.tolerance)
    return said, 100 * max(0.0, 1 - math.log(found.largest / task.tolerance) / math.log(nothing))


def against(run: Run, task: Task) -> Tracking:
    """The tip against the task, from the instant at which it fits best: a script may begin when it likes. A record
    that ends early stays where it is.
    """
    h = run.interval
    last = max(0.0, run.t[-1] - task.duration)
    t = np.arange(round((last + task.duration) / h) + 1) * h
    x = np.stack([np.interp(t, run.t, run.x[:, i]) for i in (0, 1)], -1)  # beyond its end the last place

    def errors(delay: float) -> Doubles:
        rows = t <= delay + task.duration + h / 2
        return task.errors(t[rows] - delay, x[rows])

    delays = np.arange(0.0, last + h / 2, h)
    delay = min(delays.tolist(), key=lambda one: float(errors(one).max()))
    return _told("task " + task.name, errors(delay), t, delay)


def from_fit(run: Run) -> Tracking | None:
    """The tip against the straight, rest-to-rest quintic between its ends that comes closest to its motion."""
    t, x = run.t, run.x
    across = x[-1] - x[0]
    if len(t) < ENOUGH or np.linalg.norm(across) < SAME:
        return None

    def errors(duration: float) -> Doubles:
        s = np.clip(t / duration, 0.0, 1.0)
        return np.linalg.norm(x - x[0] - LAWS["quintic"](s)[:, None] * across, axis=1)

    def size(duration: float) -> float:
        return float((errors(duration) ** 2).mean())

    grid = np.linspace(0.05, 1.0, 96) * t[-1]
    start, width = min(grid, key=size), grid[1] - grid[0]
    best = minimize_scalar(size, bounds=(max(start - width, 1e-3), start + width), method="bounded")
    return _told(f"straight quintic of {best.x:.3g} s between its ends, fitted", errors(float(best.x)), t)


def _told(source: str, off: Doubles, t: Doubles, delay: float = 0.0) -> Tracking:
    worst, rms = int(off.argmax()), float(np.sqrt((off**2).mean()))
    return Tracking(source, float(off[worst]), float(t[worst]), rms, float(off[-1]), delay)


def _measured(run: Run, found: Tracking | None) -> dict[str, Any]:
    tau, fitted = run.command[:-1] if len(run.command) > 1 else run.command, from_fit(run)
    return {
        "duration": float(run.t[-1]),
        "start": run.x[0].tolist(),
        "end": run.x[-1].tolist(),
        "end_speed": float(np.linalg.norm(run.x_dot[-1])),
        "tracking": [asdict(t) for t in (found or fitted,) if t],
        "fit": asdict(fitted) if fitted else None,
        "effort_largest": np.abs(tau).max(axis=0).tolist(),
        "effort_rms": np.sqrt((tau**2).mean(axis=0)).tolist(),
    }
