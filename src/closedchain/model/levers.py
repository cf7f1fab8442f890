"""By which length an angle counts beside lengths: the size of the body that it turns."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Body, Carried, Free, Plate
from closedchain.model.model import Model


def body_length(model: Model, body: Free | Plate | Body) -> float:
    """ℓ: the root mean square distance of a body's joints from their middle [m]; the robot's size where it has none."""
    assert model.mechanism is not None
    own = [p for p in model.mechanism.points if isinstance(p, Carried) and p.by is body]
    at = np.array([[model.number(e) for e in p.at] for p in own])
    spread = float(np.sqrt(((at - at.mean(axis=0)) ** 2).sum(axis=1).mean())) if len(own) else 0.0
    return spread or model.scale


def levers(model: Model) -> Doubles:
    """[m] per unit of each coordinate of x, (nx,): ℓ of its body for an angle, 1 for a length; found once."""
    if "_levers" not in model.__dict__:
        model.__dict__["_levers"] = _levers(model)
    found: Doubles = model.__dict__["_levers"]
    return found


def _levers(model: Model) -> Doubles:
    mechanism = model.mechanism
    if mechanism is None:
        return np.array([model.scale if c.unit == "rad" else 1.0 for c in model.equations.x])
    found: list[float] = []
    for body in mechanism.bodies:
        units = [unit for _, unit in mechanism.own_coordinates(body)]
        found += [body_length(model, body) if unit == "rad" else 1.0 for unit in units]
    return np.array(found)
