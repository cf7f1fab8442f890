"""`map` and `aspects`: a quantity, or the aspects, over a window of the output's plane."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.singularity import aspects as parts
from closedchain.singularity import beginning
from closedchain.singularity.maps import Map, map_grid
from closedchain.singularity.reach import Window, check_window, edges_of, slice_of, window_of
from closedchain.singularity.streaming import Planes
from closedchain.studio.operations.loading import model_of
from closedchain.studio.tables import Framed

MOST = 2_000_000  # points of a map
WIDE = 1.0  # how much is searched beyond the robot's usual window on each side, where the reach has no end
DEPTH = 3  # of the search for aspects: 512 cells along a side


def map_(body: dict[str, Any], tell: Any) -> Framed:
    """values (rows, columns) as float32, the lowest y first; NaN where a leg does not reach, but for the reach."""
    model = model_of(body["robot"])
    rows, columns = shape_of(body)
    reach = body["quantity"] == "reach"
    quantity = "slack" if reach else body["quantity"]
    third = {"hold": body["hold"]} if body["hold"] else held(model, body["orientation"])
    done = map_grid(
        model,
        asked_window(body),
        (rows, columns),
        [quantity],
        working=body["working"],
        progress=tell_share(tell),
        **third,
    )
    inside = done.reachable
    plane = done.slack if reach else np.where(inside, done.plane(quantity, done.working[0]), np.nan)
    known = plane[np.isfinite(plane)]
    x0, x1, y0, y1 = (float(v) for v in (done.x[0], done.x[-1], done.y[0], done.y[-1]))
    meta = {
        "window": [x0, x1, y0, y1],
        "quantity": body["quantity"],
        "working": done.working[0],
        "low": float(known.min()) if known.size else None,
        "high": float(known.max()) if known.size else None,
        "area": float(inside.mean()) * (x1 - x0) * (y1 - y0),
    }
    return Framed({"values": np.asarray(plane, np.float32), "slack": np.asarray(done.slack, np.float32)}, meta)


def aspects(body: dict[str, Any], tell: Any) -> Framed:
    """The aspects of the whole reach, with their areas; over the window det_A, slack and labels, −1 for none."""
    model = model_of(body["robot"])
    shape, third = shape_of(body), held(model, body["orientation"])
    found = whole(model, body["working"], body["orientation"])
    asked = asked_window(body) or found.window
    window = check_window(model, asked, edges_of(model, slice_of(model, **third))[0])
    done = map_grid(model, window, shape, ["det_A"], working=body["working"], **third)
    det_A = np.where(done.reachable, done.plane("det_A", done.working[0]), np.nan)
    arrays = {"labels": labels(found, done, det_A), "det_A": det_A, "slack": done.slack}
    ends = reach_of(model, body["orientation"])[1]
    told = [{"sign": a.sign, "area": a.area if ends else None, "x": a.x.tolist(), "decided": a.decided} for a in found]
    meta = {"window": list(window), "count": len(found), "aspects": told}
    return Framed({name: np.asarray(values, np.float32) for name, values in arrays.items()}, meta)


@lru_cache(maxsize=16)
def whole(model: Model, working: str, third: float | None) -> parts.Aspects:
    """The aspects of a mode in all of its reach: what they are does not depend on what is seen of them."""
    return parts.aspects(model, reach_of(model, third)[0], working=working, depth=DEPTH, **held(model, third))


def reach_of(model: Model, third: float | None) -> tuple[Window | None, bool]:
    """The window of the whole reach, None for its own box, and whether it ends; of an endless one, a wide window."""
    try:
        window_of(model, edges_of(model, slice_of(model, **held(model, third)))[0])
    except BadInput:
        x0, x1, y0, y1 = beginning.window(model, *beginning.begin(model))
        dx, dy = WIDE * (x1 - x0), WIDE * (y1 - y0)
        return (x0 - dx, x1 + dx, y0 - dy, y1 + dy), False
    return None, True


def labels(found: parts.Aspects, done: Map, det_A: Planes) -> Doubles:
    """The aspect of each point of a grid; next to an edge that is finer than the search, the nearest with its sign."""
    mode = done.working[0]
    points = np.stack(np.meshgrid(done.x, done.y), axis=-1)
    known = np.asarray(found.at(points, mode), float)
    cells, centres = found.cells[mode], np.stack(found.cells[mode].centres(), axis=-1)
    for sign in (1, -1):
        open_ = (known < 0) & (np.sign(np.nan_to_num(det_A)) == sign)
        own = cells.settled & (cells.sign == sign) & (found.labels[mode] >= 0)
        if open_.any() and own.any():
            nearest = cKDTree(centres[own]).query(points[open_])[1]
            known[open_] = found.labels[mode][own][nearest]
    return known


def held(model: Model, third: float | None) -> dict[str, Any]:
    """The third coordinate of the output as what it is: a plate's angle or a height."""
    units = [c.unit for c in model.equations.x]
    turns = len(units) == 3 and units[2] == "rad"
    return {"orientation": third if turns else None, "height": None if turns else third}


def shape_of(body: dict[str, Any]) -> tuple[int, int]:
    """Rows and columns."""
    shape = body["shape"]
    if len(shape) != 2 or min(shape) < 2 or shape[0] * shape[1] > MOST:
        raise BadInput(f"shape is {shape[:4]}; two whole numbers from 2 are needed, at most {MOST} points in all")
    return shape[0], shape[1]


def asked_window(body: dict[str, Any]) -> Window | None:
    """The window asked for."""
    window = body["window"]
    if window is None:
        return None
    if len(window) != 4:
        raise BadInput(f"window has {len(window)} numbers; write [x0, x1, y0, y1]")
    return window[0], window[1], window[2], window[3]


def tell_share(tell: Any) -> Any:
    """Progress as maps tell it."""
    return lambda share: tell(share, "")
