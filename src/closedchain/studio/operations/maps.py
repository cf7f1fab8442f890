"""`map` and `aspects`: a quantity, or the aspects, over a window of the output's plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.singularity import aspects as parts
from closedchain.singularity.maps import map_grid
from closedchain.singularity.reach import Window, check_window, edges_of, slice_of
from closedchain.studio.operations.loading import model_of
from closedchain.studio.tables import Framed

MOST = 2_000_000  # points of a map
DEPTH = 3  # of the search for aspects: 512 cells along a side


def map_(body: dict[str, Any], tell: Any) -> Framed:
    """values (rows, columns) as float32, the lowest y first; NaN where a leg does not reach, but for the reach."""
    model = model_of(body["robot"])
    rows, columns = shape_of(body)
    reach = body["quantity"] == "reach"
    quantity = "slack" if reach else body["quantity"]
    third = held(model, body["orientation"])
    done = map_grid(
        model, window_of(body), (rows, columns), [quantity], working=body["working"], progress=tell_share(tell), **third
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
    return Framed({"values": np.asarray(plane, np.float32)}, meta)


def aspects(body: dict[str, Any], tell: Any) -> Framed:
    """labels (rows, columns): the aspect's number, −1 for none or not decided."""
    model = model_of(body["robot"])
    rows, columns = shape_of(body)
    third = held(model, body["orientation"])
    found = parts.aspects(model, window_of(body), working=body["working"], depth=DEPTH, **third)
    asked = body["window"]
    window = (
        check_window(model, window_of(body), edges_of(model, slice_of(model, **third))[0]) if asked else found.window
    )
    x, y = np.linspace(window[0], window[1], columns), np.linspace(window[2], window[3], rows)
    labels = found.at(np.stack(np.meshgrid(x, y), axis=-1), found.working[0])
    told = [{"sign": a.sign, "area": a.area, "x": a.x.tolist(), "decided": a.decided} for a in found]
    return Framed({"labels": labels.astype(np.float32)}, {"window": list(window), "count": len(found), "aspects": told})


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


def window_of(body: dict[str, Any]) -> Window | None:
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
