"""What a scenario is known to end with, from somewhere else, and how far a run is from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from closedchain.describe.tables import Problem, Table, suggest
from closedchain.model.model import Model
from closedchain.scenarios.values import check_quantity, number
from closedchain.simulation.run import Run

COMPUTED = ("interval", "step", "method", "tolerance", "about", "origin")


@dataclass(frozen=True)
class Expected:
    """Coordinates, readouts and rates (NAME_dot) at the end of the run, and how well they are to be met."""

    values: Mapping[str, float]
    tolerance: float  # [m, rad, m/s, rad/s]
    source: str
    differs: tuple[str, ...] = ()  # what was changed in the scenario, of which the values are therefore not

    def compared(self, run: Run) -> Run:
        """The same run, with its errors among the findings; one that ended early, or of another scenario, has none."""
        if self.differs:
            remark = f"not compared with {self.source}, which is for another {', '.join(self.differs)}"
            return replace(run, findings=run.findings | {"expected": None}, remarks=(*run.remarks, remark))
        if not run.finished:
            found: dict[str, Any] = {"error": None, "errors": {}, "tolerance": self.tolerance, "ok": False}
            return replace(run, findings=run.findings | {"expected": found | {"source": self.source}})
        reached = ends(run)
        errors = {name: reached[name] - value for name, value in self.values.items()}
        worst = max(map(abs, errors.values()))
        met = bool(worst <= self.tolerance)
        found = {"error": worst, "errors": errors, "tolerance": self.tolerance, "ok": met, "source": self.source}
        remark = f"{worst:.2e} from {self.source} ({'within' if met else 'NOT within'} {self.tolerance:g})"
        return replace(run, findings=run.findings | {"expected": found}, remarks=(*run.remarks, remark))


def with_changes(expected: Expected | None, changes: Mapping[str, Any]) -> Expected | None:
    """What is expected of a scenario in which `changes` are other values by their places.

    Interval, step, method and tolerance say how a motion is computed: it is to end where it did. Anything else makes
    another motion, whose end is not known unless it was given with the changes.
    """
    places = tuple(place for place in changes if place not in COMPUTED)
    if expected is None or any(place.partition(".")[0] == "expected" for place in places):
        return expected
    return replace(expected, differs=places)


def ends(run: Run) -> dict[str, float]:
    """Every coordinate, readout and rate at the run's end, by name; angles of bars are counted on through turns."""
    equations = run.model.equations
    found: dict[str, float] = {}
    for coordinates, value, rate in ((equations.q, run.q, run.q_dot), (equations.x, run.x, run.x_dot)):
        found |= {c.name: float(value[-1, i]) for i, c in enumerate(coordinates)}
        found |= {f"{c.name}_dot": float(rate[-1, i]) for i, c in enumerate(coordinates)}
    if equations.readouts:
        nz = run.model.nq + run.model.nx
        state = {"q": run.q, "x": run.x, "q_dot": run.q_dot, "x_dot": run.x_dot, "z_ddot": np.zeros((len(run.t), nz))}
        made = run.model.call("readings", **state)
        for i, readout in enumerate(equations.readouts):
            value = np.unwrap(made["passive"][:, i]) if readout.unit == "rad" else made["passive"][:, i]
            found |= {readout.name: float(value[-1]), f"{readout.name}_dot": float(made["passive_dot"][-1, i])}
    return found


def read_expected(root: Table, model: Model) -> Expected | None:
    """The table [expected] of a scenario file."""
    if "expected" not in root:
        return None
    table = root.table("expected").only("values", "tolerance", "source")
    table.need("values")
    rows = table.table("values")
    units = _units(model)
    values = {}
    for name, given in rows.items.items():
        if name not in units:
            raise Problem(rows.at(name), f"no coordinate, readout or rate {name[:40]!r}; {suggest(name, units)}")
        values[name] = check_quantity(given, rows.at(name), units[name])
    if not values:
        raise Problem(rows.place, "is empty; write x = 0.5, or leave [expected] out")
    return Expected(values, number(table, "tolerance", "", above=0.0), table.text("source"))


def _units(model: Model) -> dict[str, str]:
    named: list[Any] = [*model.equations.z, *model.equations.readouts]
    return {c.name: c.unit for c in named} | {f"{c.name}_dot": f"{c.unit}/s" for c in named}
