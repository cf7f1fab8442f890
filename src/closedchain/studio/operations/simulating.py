"""`simulate`: a scenario's run, with every history that the plots need."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from closedchain import scenarios
from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.scenarios import Scenario
from closedchain.simulation.run import Run
from closedchain.studio.operations.grading import plain
from closedchain.studio.operations.staging import staged
from closedchain.studio.tables import Framed

USUAL, MOST = 4000, 50_000  # rows that are sent, unless a time between them is asked for; and at most


def simulate(body: dict[str, Any], tell: Any) -> Framed:
    """Run it; the rows that are sent are thinned, those of a download are not."""
    with staged(body) as scenario:
        done = simulated(scenario, body["plant"], tell)
    kept = thinned(done.t, body["record"])
    meta = {
        "job": body["job"],
        "title": done.title,
        "robot": done.model.name,
        "controller": scenario.kind,
        "ended": done.ended,
        "finished": bool(done.finished),
        "text": str(done),
        "summary": plain(done.summary),
        "names": names(done),
        "units": units(done),
        "output": done.output,
    }
    return Framed({name: rows[kept] for name, rows in histories(done).items()}, meta)


def simulated(scenario: Scenario, plant: str, tell: Any) -> Run:
    """The run by the exact equations, or by MuJoCo from the same start under the same controller."""
    whole = scenario.duration or getattr(scenario.reference, "duration", None)

    def exact(t: float) -> None:
        tell(t / whole if whole else None, f"{t:.4g} s")

    done = scenarios.run(scenario, progress=exact)
    if plant == "exact":
        return done
    engine = importlib.import_module("closedchain.studio.operations.in_mujoco")  # brings MuJoCo
    run: Run = engine.moved(scenario, done, tell)
    return run


def thinned(t: Doubles, least: float | None) -> Doubles:
    """Which rows to send: at least `least` apart, and not too many; always the last."""
    every = max(1, -(-len(t) // (USUAL if least is None else MOST)))
    if least is not None and len(t) > 1:
        if least < 0:
            raise BadInput(f"record = {least}: a time between samples is not negative")
        every = max(every, round(min(least / max(float(np.median(np.diff(t))), 1e-12), len(t))))
    return np.unique(np.append(np.arange(0, len(t), every), len(t) - 1))


def histories(run: Run) -> dict[str, Doubles]:
    """Every history by name; time in double precision, the rest in single."""
    found: dict[str, Doubles | None] = {"q": run.q, "x": run.x, "q_dot": run.q_dot, "x_dot": run.x_dot}
    found |= {"tau": run.command, "x_ref": run.x_ref, "q_ref": run.q_ref, "error": run.error, "closure": run.closure}
    found |= {"kinetic": run.energies[0], "potential": run.energies[1], "balance": run.balance, "work": run.work}
    single: dict[str, Any] = {n: np.asarray(v, np.float32) for n, v in found.items() if v is not None and v.size}
    return {"t": run.t, **single}


def names(run: Run) -> dict[str, list[str]]:
    """What the columns are called."""
    e = run.model.equations
    followed = [c.name for c in (e.q if run.of_drives else e.x)]
    return {"q": [c.name for c in e.q], "x": [c.name for c in e.x], "tau": list(e.driven), "error": followed}


def units(run: Run) -> dict[str, list[str]]:
    """In which units they are."""
    e = run.model.equations
    followed = [c.unit for c in (e.q if run.of_drives else e.x)]
    return {"q": [c.unit for c in e.q], "x": [c.unit for c in e.x], "tau": list(run.units["tau"]), "error": followed}
