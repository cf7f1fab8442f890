"""Energy that nothing accounts for: a run that lost or gained it is no solution, however quietly it ended."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.run import Run
from closedchain.simulation.stiffness import CHOOSING, otherwise, too_long

ASTRAY = 1e-3  # of the energy that moved during a run: more than this missing is an error of the first digits
ROUNDING = float(np.finfo(float).eps)
LOOKS = 16  # states along a run at which its fastest motion is looked for


def accounted(run: Run, method: str, h: float) -> Run:
    """The same run; one whose energy does not balance says by how much, and which step would do."""
    moved, missing = exchanged(run), float(np.abs(run.balance).max(initial=0.0))
    if not missing > allowed(run, moved):
        return run
    said = f"limit: {missing:.2g} J are unaccounted for where {moved:.2g} J moved"
    advice = too_long(run.model, sampled(run), run.command[_rows(run)], run.output, method, h, float(run.t[-1]))
    return replace(run, ended=f"{said}: {advice or _unknown(run.model, method, h)}")


def exchanged(run: Run) -> float:
    """The energy that moved [J]: the largest kinetic energy, the range of the potential, the largest work."""
    kinetic, potential = run.energies
    work = np.abs(run.work - run.work[0]).max(initial=0.0)
    return float(kinetic.max(initial=0.0) + np.ptp(potential) + work)


def allowed(run: Run, moved: float) -> float:
    """What may be missing [J]: a share of what moved, and the rounding of the sums themselves."""
    kinetic, potential = run.energies
    rounding = ROUNDING * len(run.t) * np.abs(np.abs(kinetic) + np.abs(potential)).max(initial=0.0)
    return float(ASTRAY * moved + rounding)


def _unknown(model: Model, method: str, h: float) -> str:
    if method in CHOOSING:
        return "its motion is quicker somewhere than this method resolves; take a smaller precision, or mend the model"
    return f"steps of {h:.3g} s are too long for what happens on its way; take shorter ones{otherwise(model)}"


def _rows(run: Run) -> Doubles:
    """A few rows along a run, the first and the last among them."""
    rows: Doubles = np.unique(np.linspace(0, len(run.t) - 1, LOOKS).round().astype(int))
    return rows


def sampled(run: Run) -> State:
    """The states there."""
    rows = _rows(run)
    return State(run.q[rows], run.x[rows], run.q_dot[rows], run.x_dot[rows])
