"""How exact a run is: the same again with every step halved, until its end no longer changes by more than asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from closedchain.simulation.run import Run

HALVINGS, FINER = 8, 3  # at most: of equal steps, of an adaptive method's tolerance
STEPS = 20_000_000  # of all attempts together
TOO_LONG = "take shorter ones"  # how a run ends that shorter steps may carry further


def assured(attempt: Callable[[int], Run], tolerance: float, steps: int, halvings: int = HALVINGS) -> Run:
    """The first run whose end differs by at most `tolerance` [m, rad] from that of the run before, made more coarsely.

    attempt(k) makes the run with its steps halved k times, `steps` · 2ᵏ of them (or, where it chooses its steps, each a
    hundred times more exact). Where the limit comes first the last run is returned, and says that it ended at a limit.
    """
    before = attempt(0)
    change, k = np.inf, 0
    while before.finished or TOO_LONG in before.ended:
        k += 1
        if k > halvings or steps * 2 ** (k + 1) > STEPS:
            remark = f"limit: the end still changes by {change:.2g} from refining the steps; {tolerance:g} was asked"
            return replace(before, ended=remark, findings=before.findings | _figures(change, k - 1))
        run = attempt(k)
        change = distance(before, run) if before.finished and run.finished else np.inf
        if change <= tolerance:
            times = "once" if k == 1 else f"{k} times"
            remark = f"its steps were refined {times}; the last time the end changed by {change:.1e}"
            return replace(run, findings=run.findings | _figures(change, k), remarks=(*run.remarks, remark))
        before = run
    return before


def distance(a: Run, b: Run) -> float:
    """The largest difference of a coordinate at the end [m, rad]."""
    return float(np.abs(a.final.z - b.final.z).max(initial=0.0))


def _figures(change: float, k: int) -> dict[str, object]:
    return {"error_estimate": change if np.isfinite(change) else None, "refinements": k}
