"""Limits of joints: which configurations keep them, and by how much others do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.describe.equations import Limit
from closedchain.errors import NoSolution
from closedchain.model.model import Model
from closedchain.policy import LIMIT


class BeyondLimit(NoSolution):
    """The loops close only where a joint is beyond its limits."""

    def __init__(self, robot: str, told: str) -> None:
        super().__init__(f"{robot}: {told}. Move the target, or change `limits` in its description.")


@dataclass(frozen=True, eq=False)
class Kept:
    """Configurations against the limits of their joints."""

    model: Model
    joints: Doubles  # (m, limits) angles by the turn nearest to the middle of their limits
    room: Doubles  # (m, limits) [m, rad] negative beyond

    @property
    def within(self) -> NDArray[np.bool_]:
        """(m,) whether every joint keeps its limits."""
        sizes = np.array([self.model.scale if limit.unit == "m" else 1.0 for limit in self.model.equations.limits])
        return np.asarray((self.room >= -LIMIT * sizes).all(axis=-1))

    def told(self, row: int) -> str:
        """The joint that is furthest beyond its limits, as people say it."""
        i = int(np.argmin(self.room[row]))
        return beyond(self.model, self.model.equations.limits[i], float(self.joints[row, i]))


def keeping(model: Model, q: Doubles, x: Doubles) -> Kept:
    """Configurations (m, nq), (m, nx) of a robot whose joints have limits."""
    made = model.call("limits", q=q, x=x)
    return Kept(model, made["joints"], made["room"])


def beyond(model: Model, limit: Limit, value: float) -> str:
    """`q1 = 0.3 m is 0.05 m beyond its limits [0, 0.25]`; angles also in degrees."""
    low, high = bounds_of(model, limit)
    by = max(low - value, value - high)
    if limit.unit != "rad":
        return f"{limit.name} = {value:.6g} m is {by:.3g} m beyond its limits [{low:g}, {high:g}]"
    a, b, c, d = np.degrees([value, by, low, high])
    return f"{limit.name} = {a:.6g}° is {b:.3g}° beyond its limits [{c:g}°, {d:g}°]"


def bounds_of(model: Model, limit: Limit) -> tuple[float, float]:
    """The lowest and the highest value."""
    return model.number(limit.low), model.number(limit.high)


def drive_limits(model: Model) -> tuple[Doubles, Doubles]:
    """The lowest and the highest q, (nq,); infinite where the description has none."""
    low, high = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    order = [c.name for c in model.equations.q]
    for limit in model.equations.limits:
        if limit.name in order:
            low[order.index(limit.name)], high[order.index(limit.name)] = bounds_of(model, limit)
    return low, high
