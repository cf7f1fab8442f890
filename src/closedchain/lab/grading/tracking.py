"""How well a recorded motion follows what was asked for: the plant's own record, never what the script shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from closedchain.arrays import Doubles
from closedchain.lab.grading.task import LAWS, Task
from closedchain.simulation.run import Run

ENOUGH = 20  # rows of a record that say something
SAME = 1e-9  # [m]


@dataclass(frozen=True)
class Tracking:
    """The errors of the tip against a reference."""

    signal: str
    source: str  # where the reference comes from
    largest: float  # [m]
    at: float  # [s]
    rms: float
    final: float
    delay: float = 0.0  # [s] after which the motion began


def against(run: Run, task: Task) -> Tracking:
    """The tip against the task, from the instant at which it fits best: a script may begin when it likes. A record
    that ends early stays where it is.
    """
    h = run.interval
    last = max(0.0, run.t[-1] - task.duration)
    count = round((last + task.duration) / h) + 1
    t = np.arange(count) * h
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

    grid = np.linspace(0.05, 1.0, 96) * t[-1]
    start = min(grid, key=lambda T: float((errors(T) ** 2).mean()))
    width = grid[1] - grid[0]
    best = minimize_scalar(
        lambda T: float((errors(T) ** 2).mean()), bounds=(max(start - width, 1e-3), start + width), method="bounded"
    )
    return _told(f"straight quintic of {best.x:.3g} s between its ends, fitted", errors(float(best.x)), t)


def _told(source: str, off: Doubles, t: Doubles, delay: float = 0.0) -> Tracking:
    worst, rms = int(off.argmax()), float(np.sqrt((off**2).mean()))
    return Tracking("tip", source, float(off[worst]), float(t[worst]), rms, float(off[-1]), delay)
