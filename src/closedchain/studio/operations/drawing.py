"""What is drawn of a robot, for a page that computes the points itself; and the points of configurations."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.vectors import Vector
from closedchain.model.layout import Drive, Rail, layout, positions
from closedchain.model.model import Model

FURTHER = 0.04  # of the window: how far a rail goes on beyond it
Window = list[float]


def points(model: Model, q: Doubles, x: Doubles) -> Doubles:
    """Every point of configurations, (m, n, dim): the named ones, then the constant ones."""
    if not model.equations.points or not len(q):
        return np.zeros((len(q), 0, 2))
    return positions(model, layout(model), q, x)


def scene_row(model: Model, window: Window) -> dict[str, Any] | None:
    """The parts by their points' indices, rails and drives with what moves them."""
    if not model.equations.points:
        return None
    drawn = layout(model)
    return {
        "names": list(drawn.names),
        "constants": [_numbers(model, at) for at in drawn.pivots],
        "parts": [{"kind": p.kind, "points": list(p.points), "fixed": p.fixed} for p in drawn.parts],
        "rails": [_rail(model, rail, window) for rail in drawn.rails],
        "drives": [_drive(model, drive) for drive in drawn.drives],
        "tip": drawn.tip,
        "plate": drawn.plate,
    }


def _rail(model: Model, rail: Rail, window: Window) -> dict[str, Any]:
    through, along = _numbers(model, rail.through), _numbers(model, rail.along)
    row = {"carriage": rail.carriage, "fixed": rail.fixed, "through": through, "point": rail.point, "along": along}
    reach = [-1.5 * model.scale, 1.5 * model.scale]
    if through is not None and len(through) == 2:
        reach = _reach(np.array(through), np.array(along), window)
    return row | {"angle": rail.angle, "reach": reach}


def _reach(through: Doubles, along: Doubles, window: Window) -> list[float]:
    """From where to where a line lies in the window, [m] along it."""
    x0, x1, y0, y1 = window
    corners = np.array([(x0, y0), (x0, y1), (x1, y0), (x1, y1)])
    where = (corners - through) @ along
    more = FURTHER * float(np.ptp(where))
    return [float(where.min()) - more, float(where.max()) + more]


def _drive(model: Model, drive: Drive) -> dict[str, Any]:
    row = {"name": drive.name, "kind": drive.kind, "point": drive.point, "base": drive.base}
    radius = None if drive.radius is None else model.number(drive.radius)
    row |= {"at": _numbers(model, drive.at), "along": _numbers(model, drive.along), "radius": radius}
    return row | {"axis": _axis(model, drive)}


def _axis(model: Model, drive: Drive) -> list[float] | None:
    """Across the arm at two angles a quarter of a turn apart."""
    at = _numbers(model, drive.at)
    if drive.kind != "crank" or at is None or len(at) != 3:
        return None
    k = [c.name for c in model.equations.q].index(drive.name)
    q = np.zeros((2, model.nq))
    q[1, k] = np.pi / 2
    first, second = np.asarray(model.call("points", q=q, x=np.zeros((2, model.nx)))["points"])[:, drive.point] - at
    axis = np.cross(first, second)
    return (axis / np.linalg.norm(axis)).tolist()


def _numbers(model: Model, vector: Vector | None) -> list[float] | None:
    return None if vector is None else [float(model.number(e)) for e in vector]
