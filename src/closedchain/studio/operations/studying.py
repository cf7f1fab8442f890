"""`sweep` and `design`: a measure over two parameters, and the trade between goals."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from closedchain import design as designs  # pareto brings pymoo late
from closedchain.design import problem
from closedchain.errors import BadInput
from closedchain.studio.operations.loading import model_of
from closedchain.studio.operations.maps import held
from closedchain.studio.operations.staging import robot_of
from closedchain.studio.tables import Framed
from closedchain.sweep.asking import study
from closedchain.sweep.measures import measure
from closedchain.sweep.running import Progress
from closedchain.sweep.running import sweep as swept

POINTS = 10_000  # of a map
EVALUATIONS = (100, 20_000)


def sweep(body: dict[str, Any], tell: Any) -> Framed:
    """Every combination of two parameters."""
    axes = body["axes"]
    if len(axes) != 2 or axes[0]["name"] == axes[1]["name"]:
        raise BadInput(f"{len(axes)} axes; two different parameters make a map")
    first, second = (checked(axis) for axis in axes)
    if min(first["count"], second["count"]) < 2 or first["count"] * second["count"] > POINTS:
        raise BadInput(f"{first['count']} × {second['count']} points; from 2 along each axis, at most {POINTS} in all")
    lines = {a["name"]: np.linspace(a["low"], a["high"], a["count"]) for a in (first, second)}
    vary = {name: ",".join(map(repr, line.tolist())) for name, line in lines.items()}

    def told(progress: Progress) -> None:
        tell(progress.done / progress.total, f"{progress.done} of {progress.total}")

    with tempfile.TemporaryDirectory(prefix="closedchain-") as folder:
        made = study(robot_of(body["robot"], Path(folder)), vary, [body["compute"]], **common(body, set(vary)))
        done = swept(made, progress=told)
    values = np.full((second["count"], first["count"]), np.nan)
    place = [np.searchsorted(lines[a["name"]], done.column(a["name"]) - 1e-12 * span(a)) for a in (first, second)]
    values[place[1], place[0]] = done.values[:, 0]
    known, asked = values[np.isfinite(values)], measure(body["compute"])
    meta = {
        "compute": asked.name,
        "unit": asked.unit,
        "about": asked.about,
        "low": float(known.min()) if known.size else None,
        "high": float(known.max()) if known.size else None,
        "reasons": dict(done.reasons()[:3]),
    }
    return Framed({"values": values.astype(np.float32)}, meta)


def design(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The front between two goals."""
    if not EVALUATIONS[0] <= body["evaluations"] <= EVALUATIONS[1]:
        raise BadInput(f"{body['evaluations']} designs; from {EVALUATIONS[0]} to {EVALUATIONS[1]} are tried")
    if len(body["maximise"]) + len(body["minimise"]) != 2:
        raise BadInput("two goals make a trade; name one to be largest or smallest twice")
    vary = {a["name"]: f"{a['low']!r}:{a['high']!r}" for a in map(checked, body["vary"])}
    tell(None, "trying designs")
    with tempfile.TemporaryDirectory(prefix="closedchain-") as folder:
        goals = {"maximise": body["maximise"], "minimise": body["minimise"]}
        asked = problem(robot_of(body["robot"], Path(folder)), vary, **goals, **common(body, set(vary)))
        front = designs.pareto(asked, evaluations=body["evaluations"])
    names = [goal.name for goal in asked.goals]
    columns = np.stack([front.column(name) for name in names], axis=-1)
    return {
        "dimensions": list(vary),
        "goals": names,
        "units": [measure(name).unit for name in names],
        "rows": [{"values": x.tolist(), "goals": g.tolist()} for x, g in zip(front.x, columns, strict=True)],
        "evaluations": front.evaluations,
    }


def common(body: dict[str, Any], varied: set[str]) -> dict[str, Any]:
    """What both say of the robot: its other values, the mode, the third coordinate."""
    ref = body["robot"]
    third = {k: v for k, v in held(model_of(ref), body["orientation"]).items() if v is not None}
    own = {name: value for name, value in ref["values"].items() if name not in varied}
    return {"values": own, **third, **({"working": body["working"]} if body["working"] else {})}


def checked(axis: dict[str, Any]) -> dict[str, Any]:
    """An axis that goes upwards."""
    if not (np.isfinite([axis["low"], axis["high"]]).all() and axis["low"] < axis["high"]):
        raise BadInput(f"{axis['name'][:40]}: from {axis['low']:g} to {axis['high']:g}; the second must be larger")
    return axis


def span(axis: dict[str, Any]) -> float:
    """How long an axis is."""
    return float(axis["high"] - axis["low"])
