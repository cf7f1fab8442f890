"""The laws of physics, tried on random states of every branch. Users run this on their own mechanism.

Each law compares two things that were computed in different ways: rates with differences of the closures, a motor's
power with the rate of energy by the chain rule, a closed-form solution with a configuration found by iteration. How
far they may differ follows from the condition of the state; where rounding alone could hide a fault of 0.1 %, a state
tells nothing and others are taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from closedchain.model.model import Model
from closedchain.model.sampling import sample
from closedchain.shown import Shown
from closedchain.verify.force_laws import force_laws
from closedchain.verify.motion_laws import motion_laws
from closedchain.verify.trial import Law, Trial

ATTEMPTS = 4  # samples of states, each larger than the one before, until every law has a state that tells


@dataclass(frozen=True)
class Row:
    """One law: the misfit that comes nearest to its limit, or passes it most, and where."""

    law: str
    worst: float
    limit: float  # at that state
    where: str
    states: int  # tried
    told: int | None = None  # of them, those at which rounding could not hide a fault; all unless given

    @property
    def untold(self) -> bool:
        """Whether no state could tell."""
        return self.told == 0

    @property
    def ok(self) -> bool:
        return not self.untold and bool(self.worst <= self.limit)

    @property
    def broken(self) -> bool:
        return not self.untold and not self.ok


@dataclass(frozen=True)
class Report(Shown):
    """What `check` found."""

    robot: str
    rows: tuple[Row, ...]

    @property
    def ok(self) -> bool:
        """Every law was tried and holds."""
        return all(row.ok for row in self.rows)

    @property
    def broken(self) -> bool:
        """A law does not hold."""
        return any(row.broken for row in self.rows)

    @property
    def verdict(self) -> str:
        """ "holds", "broken", or "untold" where rounding hides whether a law holds."""
        return "holds" if self.ok else "broken" if self.broken else "untold"

    def __str__(self) -> str:
        words = {"holds": "every law holds", "broken": "a law is broken"}
        words["untold"] = "no law is broken, but rounding hides whether all hold"
        lines = [f"{self.robot}: {words[self.verdict]}"]
        for row in self.rows:
            mark = "ok  " if row.ok else "FAIL" if row.broken else "?   "
            told = f"{row.states} states" if row.told in (None, row.states) else f"{row.told} of {row.states} states"
            lines.append(f"  {mark} {row.law:<58} worst {row.worst:.1e}  limit {row.limit:.0e}  {told}")
            if row.broken:
                lines.append(f"       at {row.where}")
            elif row.untold:
                lines.append(f"       too near a singularity at every state tried: {row.where}")
        return "\n".join(lines)


def check(model: Model, *, states: int = 2000, seed: int = 0) -> Report:
    """Try every law on random states of all branches; on a linkage those that hold without drives."""
    attempts = (_tried(model, states * 2**k, seed + k) for k in range(ATTEMPTS))
    report = next(attempts)
    while any(row.untold for row in report.rows) and (more := next(attempts, None)):
        report = more
    return report


def _tried(model: Model, states: int, seed: int) -> Report:
    trial = Trial(model, sample(model, states, seed), np.random.default_rng(seed + 1))
    return Report(model.name, tuple(_rows(trial)))


def _rows(trial: Trial) -> Iterator[Row]:
    for laws in (motion_laws, force_laws):
        for law in laws(trial):
            yield judged(trial, law)


def judged(trial: Trial, law: Law) -> Row:
    """The state that comes nearest to its limit among those that tell."""
    misfit, limit = law.misfit, law.limit
    telling = law.telling
    if not telling.any():
        best = int(np.argmin(limit)) if len(limit) else 0
        least = float(limit[best]) if len(limit) else np.inf
        return Row(law.name, 0.0, least, trial.where(best) if len(limit) else law.why, len(limit), told=0)
    share = np.where(telling, misfit / np.maximum(limit, 1e-300), -1.0)
    worst = int(np.argmax(share))
    where = law.why or trial.where(worst)
    return Row(law.name, float(misfit[worst]), float(limit[worst]), where, len(misfit), told=int(telling.sum()))
