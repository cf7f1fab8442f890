"""The grade of a control script: does it track, with what errors and efforts."""

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
from closedchain.lab.grading.tracking import Tracking, from_fit, from_scopes
from closedchain.lab.sandbox.limits import Limits
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.simulation.run import Run

GOOD, BAD = 1e-3, 1e-1  # [m, rad] largest errors that give the whole score, and none
MOVED = 5e-3  # [m] a motion is at least this long
SAME = 1e-9  # [m] a length that is the same
NAMES = {"biglide": "biglide", "five_bar": "fivebar"}


def grade_control(
    files: Sequence[tuple[Path, str]],
    name: str,
    *,
    duration: float = 10.0,
    bars: float | None = None,
    limits: Limits = LIMITS,
) -> ControlGrade:
    """Run the script against the exact robot and measure; `bars` [m] is the biglide's l in the group's own models."""
    models: dict[str, Model] = {}
    notes: tuple[str, ...] = ()
    if bars is not None and abs(bars - LAB["biglide"].l) > SAME:
        models, notes = {"biglide": load("biglide", l=bars)}, (f"The robot has the models' own bars of {bars:.7g} m.",)
    played = play(files, name, duration=duration, models=models, limits=limits)
    moved = [(robot, kind) for robot, kind in zip(played.robots, played.kinds, strict=True) if robot.steps > 1]
    if not moved:
        return _untried(name, played)
    robot, kind = max(moved, key=lambda one: one[0].steps)
    run = robot.run
    found = from_scopes(run, played.scopes)
    fitted = from_fit(run)
    chosen = found or ([fitted] if fitted else [])
    verdict, score = _judge(run, chosen)
    measured = _measured(run, chosen, fitted)
    return ControlGrade(
        name, NAMES[kind], score, verdict, measured, (*notes, *_notes(played, found)), played.protections, played.output
    )


def _judge(run: Run, tracked: Sequence[Tracking]) -> tuple[str, float]:
    way = float(np.linalg.norm(np.diff(run.x, axis=0), axis=1).sum())
    if way < MOVED:
        return f"does not move: the tip's way is {way * 1e3:.3g} mm", 0.0
    if not tracked:
        return "does not track: it ends where it began, and no scope shows a reference", 0.0
    worst = max(t.largest for t in tracked)
    if worst <= GOOD:
        return "tracks", 100.0
    share = max(0.0, 1 - math.log10(worst / GOOD) / math.log10(BAD / GOOD))
    return f"does not track: {worst * 1e3:.3g} mm or mrad off where {GOOD * 1e3:g} are the most", 100 * share


def _measured(run: Run, tracked: Sequence[Tracking], fitted: Tracking | None) -> dict[str, Any]:
    tau = run.command[:-1] if len(run.command) > 1 else run.command
    return {
        "duration": float(run.t[-1]),
        "start": [float(v) for v in run.x[0]],
        "end": [float(v) for v in run.x[-1]],
        "end_speed": float(np.linalg.norm(run.x_dot[-1])),
        "tracking": [asdict(t) for t in tracked],
        "fit": asdict(fitted) if fitted else None,
        "effort_largest": [float(v) for v in np.abs(tau).max(axis=0)],
        "effort_rms": [float(v) for v in np.sqrt((tau**2).mean(axis=0))],
    }


def _notes(played: Played, found: Sequence[Tracking]) -> tuple[str, ...]:
    notes = [] if found else ["No scope shows a recorded signal beside its reference, so the reference is a fit."]
    if played.ending not in ("finished", "interrupted", "exit"):
        notes.append(f"The script ended early: {played.ending}.")
    return tuple(notes)


def _untried(name: str, played: Played) -> ControlGrade:
    fine = played.ending in ("finished", "interrupted", "exit")
    why = "applied no effort to a robot" if fine else played.ending
    return ControlGrade(name, "", 0.0, f"could not be tried: {why}", {}, (), played.protections, played.output)
