"""The range in which a parameter is tried out."""

from __future__ import annotations

import math

from closedchain.describe.parameters import Parameter
from closedchain.model.model import Model

LESS, MORE = 0.25, 3.0  # of a parameter's value


def slider(model: Model, parameter: Parameter) -> tuple[float, float]:
    """From a quarter of its value to thrice; an angle all the way round, a sign from −1 to 1."""
    value = model.values[parameter.name]
    if parameter.unit == "rad":
        return -math.pi, math.pi
    if not parameter.unit and abs(value) == 1.0:
        return -1.0, 1.0
    low, high = sorted((LESS * value, MORE * value)) if value else (0.0, 1.0)
    return low, high
