"""What a scenario says of a linkage's start."""

from __future__ import annotations

from collections.abc import Mapping

from closedchain.arrays import Doubles
from closedchain.describe.tables import Problem, Table, suggest
from closedchain.model.model import Model
from closedchain.scenarios.scenario import Start
from closedchain.scenarios.values import check_quantity, vector


def read_linkage_start(table: Table, model: Model) -> Start:
    """Where it is: q and x, or what is near; how it moves: all rates, or some by name."""
    for key in ("assembly", "working"):
        if key in table:
            raise Problem(table.at(key), f"{model.name} is a linkage without such modes; give x, or near in its file")
    q, x = [c.unit for c in model.equations.q], [c.unit for c in model.equations.x]
    return Start(
        q=vector(table, "q", q) if "q" in table else None,
        x=vector(table, "x", x) if "x" in table else None,
        q_dot=vector(table, "q_dot", [f"{unit}/s" for unit in q]) if "q_dot" in table else None,
        x_dot=_read_rates(table, model, x) if "x_dot" in table else None,
    )


def _read_rates(table: Table, model: Model, units: list[str]) -> Doubles | Mapping[str, float]:
    if not isinstance(table.items["x_dot"], dict):
        return vector(table, "x_dot", [f"{unit}/s" for unit in units])
    rows, known = table.table("x_dot"), {c.name: f"{c.unit}/s" for c in model.equations.z}
    for name in rows.items:
        if name not in known:
            raise Problem(rows.at(name), f"no coordinate {name[:40]!r}; {suggest(name, known)}")
    return {name: check_quantity(value, rows.at(name), known[name]) for name, value in rows.items.items()}
