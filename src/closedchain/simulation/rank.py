"""Where along a run the closures of a linkage depended on one another."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.model import Model
from closedchain.simulation.compiled import History
from closedchain.simulation.record import Marched

WEAK = 0.2  # of a closure's usual hold: minima below it are looked at
STRAIGHT = 0.25  # how well the hold before and after must lie on two straight lines down to zero


def found_on(model: Model, history: History) -> dict[str, Any]:
    """Findings and remarks for a run: the least rank, and the instants at which closures were lost."""
    if not isinstance(history, Marched) or not model.equations.closures:
        return {}
    closures = len(model.equations.closures)
    lost = losses(history.t, history.hold)
    ranks = history.rank[np.isfinite(history.rank)]
    least = int(ranks.min(initial=closures))
    findings = {"closures": closures, "least_rank": least, "losses": [float(t) for t in lost]}
    if not len(lost):
        always = least < closures and float(np.nanmax(history.rank)) < closures
        return {"findings": findings, "remarks": _always(closures, least) if always else ()}
    times = ", ".join(f"{t:.3f}" for t in lost[:12]) + (", …" if len(lost) > 12 else "")
    kept = f"{least} of {closures} closures held well there" if least < closures else "between the rows recorded"
    return {
        "findings": findings,
        "remarks": (f"closures became dependent {len(lost)} times ({kept}): t = {times} s",),
    }


def _always(closures: int, least: int) -> tuple[str, ...]:
    return (f"{closures - least} of {closures} closures hold little or nothing: others imply them",)


def losses(t: Doubles, hold: Doubles) -> Doubles:
    """The instants at which the hold passes through zero: minima whose neighbours lie on a V that reaches it."""
    found = []
    for k in range(2, len(t) - 2):
        if not (hold[k] < WEAK and hold[k] <= hold[k - 1] and hold[k] < hold[k + 1]):
            continue
        side = -1 if hold[k - 1] <= hold[k + 1] else 1  # the vertex lies between k and this neighbour
        near, step = k + side, t[k + side] - t[k]
        slope = 0.5 * ((hold[k - side] - hold[k]) + (hold[near + side] - hold[near]))  # over one row
        if abs(hold[k] + hold[near] - slope) <= STRAIGHT * slope:
            found.append(t[k] + step * hold[k] / (hold[k] + hold[near]))
    return np.array(found)
