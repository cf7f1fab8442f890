"""A disturbance that was measured: a table of time and components, between whose rows lines are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.motion.tables import Table, read_table

ENDING = ".csv"


@dataclass(frozen=True, eq=False)
class Recorded:
    """A force or torque as `simulate` takes it: a function of (t, state). Before and after the table nothing acts."""

    table: Table  # t [s], then fx, fy, fz [N] or a torque [N m]

    def __call__(self, t: float, state: Any) -> Doubles:
        columns = self.table.values[:, 1:].T
        return np.array([np.interp(t, self.table.t, column, left=0.0, right=0.0) for column in columns])


def recorded(path: str | Path) -> Recorded:
    """The disturbance of a file of columns: t, then components."""
    return Recorded(read_table(path))
