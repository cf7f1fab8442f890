"""The clock of a run: control intervals cut into equal integration steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput

LONGEST = 50_000_000  # steps


@dataclass(frozen=True, eq=False)
class Clock:
    """Integration steps and control instants of a run."""

    interval: float  # [s] between commands
    substeps: int  # integration steps in each
    periods: int  # commands in all

    @property
    def h(self) -> float:
        return self.interval / self.substeps

    @property
    def steps(self) -> int:
        return self.periods * self.substeps

    @property
    def instants(self) -> Doubles:
        return np.asarray(np.arange(self.periods) * self.interval, dtype=np.float64)

    @property
    def t(self) -> Doubles:
        """Every step's beginning, and the end."""
        fine = (np.arange(self.periods)[:, None] * self.interval + np.arange(self.substeps) * self.h).ravel()
        return np.append(fine, self.periods * self.interval)


def clock(duration: float, interval: float, step: float | None) -> Clock:
    """Whole numbers of steps: the interval is cut into equal ones not longer than `step` (1 ms unless given)."""
    if not (np.isfinite(duration) and duration > 0.0):
        raise BadInput(f"duration = {duration} s; it must be positive")
    if not (np.isfinite(interval) and interval > 0.0):
        raise BadInput(f"interval = {interval} s; it must be positive")
    if interval > duration * (1 + 1e-12):
        raise BadInput(f"the interval of {interval:g} s is longer than the run of {duration:g} s")
    longest = step if step is not None else 1e-3
    if not longest > 0.0:
        raise BadInput(f"step = {longest} s; it must be positive")
    if not (interval / longest) * (duration / interval) < 2.0 * LONGEST:
        raise BadInput(f"{duration / longest:.3g} steps; at most {LONGEST} are run: take a longer step or interval")
    substeps = max(1, int(np.ceil(interval / longest * (1 - 1e-9))))
    periods = (
        int(np.round(duration / interval))
        if abs(duration / interval - round(duration / interval)) < 1e-9
        else int(duration / interval) + 1
    )
    if periods * substeps > LONGEST:
        raise BadInput(f"{periods * substeps} steps; at most {LONGEST} are run: take a longer step or interval")
    return Clock(interval, substeps, periods)
