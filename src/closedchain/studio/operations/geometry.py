"""`solve`: every branch at a target; out of reach, the branches at the boundary and the leg that stops the robot.

A linkage has no branches to choose from: it goes to the configuration next to the target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, Unreachable
from closedchain.model.assembling import assemble, starting
from closedchain.model.geometry import direct, inverse
from closedchain.model.model import Model
from closedchain.model.solutions import Solutions
from closedchain.studio.failures import words
from closedchain.studio.operations.drawing import points
from closedchain.studio.operations.loading import model_of

STEPS = 33  # points tried at once on the way to a target
ROUNDS = 6  # 32⁶: the boundary to 1e-9 of the way

Solver = Callable[[Model, Doubles], Solutions]


def solve(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """Branches with the output at x, or with the drives at q."""
    model = model_of(body["robot"])
    if (body["x"] is None) == (body["q"] is None):
        raise BadInput(f"{model.name}: give x or q, one of them")
    given = "x" if body["x"] is not None else "q"
    find: Solver = inverse if given == "x" else direct
    target = vectors(body[given], model.nx if given == "x" else model.nq, given)
    near = None if body["near"] is None else _near(model, body["near"])
    if model.linkage:
        return _linkage(model, given, target, near)
    found = find(model, target)
    if len(found):
        return {"branches": branches(model, found, near), "why": None}
    reason = found.reasons[0]
    edge = None if near is None else boundary(model, find, near[given], target)
    leg, miss = (reason.leg, reason.miss) if isinstance(reason, Unreachable) else ("", 0.0)
    why = {"leg": leg, "short_by": float(miss), "message": words(reason), "boundary": None}
    if edge is None:
        return {"branches": [], "why": why}
    there = branches(model, find(model, edge), near)
    here = next((b["x"] for b in there if b["nearest"]), None)
    return {"branches": there, "why": why | {"boundary": edge.tolist() if given == "x" else here}}


def _near(model: Model, place: dict[str, Any]) -> dict[str, Doubles]:
    return {"q": vectors(place["q"], model.nq, "near.q"), "x": vectors(place["x"], model.nx, "near.x")}


def _linkage(model: Model, given: str, target: Doubles, near: dict[str, Doubles] | None) -> dict[str, Any]:
    """Where a linkage closes with its drives held, or else, for an output, with its drives following."""
    start = starting(model, None)
    place = near or {"q": start[: model.nq], "x": start[model.nq :]}
    place = place | {given: target}
    guess, drives = np.concatenate([place["q"], place["x"]]), [c.name for c in model.equations.q]
    made = assemble(model, guess, held=drives)
    if not made.converged and given == "x" and drives:
        made = assemble(model, guess)
    if not made.converged:
        why = {"leg": made.closure, "short_by": made.residual, "message": made.message, "boundary": None}
        return {"branches": [], "why": why}
    q, x = made.z[: model.nq], made.z[model.nq :]
    row = {"q": q.tolist(), "x": x.tolist(), "points": points(model, q[None], x[None])[0].tolist(), "working": ""}
    row |= {"assembly": "", "residual": made.residual, "condition": None, "double": False, "nearest": True}
    return {"branches": [row], "why": None}


def boundary(model: Model, find: Solver, start: Doubles, target: Doubles) -> Doubles | None:
    """The last point from start on the way to a target that has a solution; None where start has none."""
    low, high = 0.0, 1.0
    for _ in range(ROUNDS):
        s = np.linspace(low, high, STEPS)
        tried = find(model, start + s[:, None] * (target - start))
        reached = np.isin(np.arange(STEPS), tried.index)
        if not reached[0]:
            return None
        last = int(np.argmin(reached)) - 1 if not reached.all() else STEPS - 1
        low, high = float(s[last]), float(s[min(last + 1, STEPS - 1)])
        if high - low <= 1e-15:
            break
    return np.asarray(start + low * (target - start))


def branches(model: Model, found: Solutions, near: dict[str, Doubles] | None) -> list[dict[str, Any]]:
    """Every solution with its points; the one that is nearest to where the robot is, is marked."""
    drawn = points(model, found.q, found.x)
    closest = nearest(model, found, near)
    rows = []
    for i, s in enumerate(found):
        row = {"q": s.q.tolist(), "x": s.x.tolist(), "points": drawn[i].tolist(), "working": s.working}
        row |= {"assembly": s.assembly, "residual": s.residual, "double": s.double, "nearest": i == closest}
        rows.append(row | {"condition": s.condition if np.isfinite(s.condition) else None})
    return rows


def nearest(model: Model, found: Solutions, near: dict[str, Doubles] | None) -> int | None:
    """The row that continues a configuration: angles count modulo a turn, lengths by the robot's size."""
    if near is None or not len(found):
        return None
    z = np.concatenate([found.q, found.x], axis=1) - np.concatenate([near["q"], near["x"]])
    for i, c in enumerate(model.equations.z):
        z[:, i] = np.remainder(z[:, i] + np.pi, 2 * np.pi) - np.pi if c.unit == "rad" else z[:, i] / model.scale
    return int(np.argmin(np.linalg.norm(z, axis=1)))
