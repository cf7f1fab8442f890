"""Where a motion passed a singularity: from there on a fixed γ or assembly mode names another configuration."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from closedchain.model.configurations import Configurations
from closedchain.model.model import NoClosedForm
from closedchain.model.solutions import mode_name
from closedchain.simulation.run import Run

MOST = 5  # told of a motion


@dataclass(frozen=True)
class Passage:
    """A change of mode between two samples."""

    t: float  # [s]
    kind: str  # "Type 1" or "Type 2"
    before: str
    after: str

    def __str__(self) -> str:
        modes = "working" if self.kind == "Type 1" else "assembly"
        before, after = (mode.replace("-", "−") for mode in (self.before, self.after))
        return f"at {self.t:.6g} s it passed a {self.kind} singularity: {modes} mode {before} became {after}"


def passages(run: Run) -> list[Passage]:
    """The first changes of working and assembly mode of a motion, in time."""
    at = Configurations(run.model, run.q, run.x)
    found = _changes(run, "Type 2", np.sign(np.linalg.det(at.A))[:, None])
    with suppress(NoClosedForm):  # a drive that does not follow from one leg has no working mode to change
        found += _changes(run, "Type 1", at.working_signs())
    return sorted(found, key=lambda passage: passage.t)[:MOST]


def _changes(run: Run, kind: str, signs: np.ndarray) -> list[Passage]:
    """Where a row of signs differs from the one before."""
    signs = signs.astype(int)
    where = np.flatnonzero((np.diff(signs, axis=0) != 0).any(axis=1)) + 1
    return [Passage(float(run.t[k]), kind, mode_name(signs[k - 1]), mode_name(signs[k])) for k in where[:MOST].tolist()]
