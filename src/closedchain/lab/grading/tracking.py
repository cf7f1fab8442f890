"""How well a recorded motion follows its reference, which is found in the script's scopes or fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from closedchain.arrays import Doubles
from closedchain.lab.plant import INTERVAL
from closedchain.simulation.run import Run

ENOUGH = 20  # points of a scope that say something
SAME = 1e-9  # [m, rad] a plotted value that is the plant's own


@dataclass(frozen=True)
class Tracking:
    """The errors of one signal against its reference."""

    signal: str
    source: str  # where the reference comes from
    largest: float  # [m, rad]
    at: float  # [s]
    rms: float
    final: float


def from_scopes(run: Run, scopes: Mapping[str, Sequence[Sequence[float]]]) -> list[Tracking]:
    """Scopes of which one curve is the recorded signal: the other one is what the script wanted it to be."""
    found = []
    signals = {"q11": run.q[:, 0], "q21": run.q[:, 1], "x": run.x[:, 0], "y": run.x[:, 1]}
    for title, points in scopes.items():
        rows = np.array(points, dtype=np.float64).reshape(-1, 3)
        rows = rows[np.isfinite(rows).all(axis=1)]
        if len(rows) < ENOUGH or (rows[:, 1] == rows[:, 2]).all():
            continue
        for name, signal in signals.items():
            error = _error(rows, signal)
            if error is not None:
                worst = int(np.abs(error).argmax())
                source = f"scope {title!r}"
                numbers = (abs(error[worst]), rows[worst, 0], np.sqrt((error**2).mean()), abs(error[-1]))
                found.append(Tracking(name, source, *(float(v) for v in numbers)))
                break
    return found


def _error(rows: Doubles, signal: Doubles) -> Doubles | None:
    """Wanted minus recorded, where one curve is the recorded signal now or one step ago; None where neither is."""
    step = np.rint(rows[:, 0] / INTERVAL).astype(int)
    if np.ptp(signal) < SAME:
        return None
    for lag in (0, 1):
        inside = (step >= lag) & (step < len(signal))
        recorded = signal[step[inside] - lag]
        if inside.sum() >= ENOUGH:
            for mine, other in ((1, 2), (2, 1)):
                if np.abs(rows[inside, mine] - recorded).max() <= SAME:
                    return rows[:, other] - rows[:, mine]
    return None


def from_fit(run: Run) -> Tracking | None:
    """The tip against the straight, rest-to-rest quintic between its ends that comes closest to its motion."""
    t, x = run.t, run.x
    across = x[-1] - x[0]
    if len(t) < ENOUGH or np.linalg.norm(across) < SAME:
        return None

    def errors(duration: float) -> Doubles:
        s = np.clip(t / duration, 0.0, 1.0)
        return np.linalg.norm(x - x[0] - (s**3 * (10 - 15 * s + 6 * s**2))[:, None] * across, axis=1)

    grid = np.linspace(0.05, 1.0, 96) * t[-1]
    start = min(grid, key=lambda T: float((errors(T) ** 2).mean()))
    width = grid[1] - grid[0]
    best = minimize_scalar(
        lambda T: float((errors(T) ** 2).mean()), bounds=(max(start - width, 1e-3), start + width), method="bounded"
    )
    off = errors(float(best.x))
    worst = int(off.argmax())
    source = f"straight quintic of {best.x:.3g} s between its ends, fitted"
    return Tracking("tip", source, float(off[worst]), float(t[worst]), float(np.sqrt((off**2).mean())), float(off[-1]))
