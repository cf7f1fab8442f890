"""The description of a robot: points, drives, bars, plates; or its equations."""

from closedchain.describe.elements import (
    Angle,
    Bar,
    Carried,
    Coupling,
    Crank,
    Damper,
    Fixed,
    Free,
    Motor,
    Pin,
    Plate,
    Rail,
    Slider,
    Spring,
    Telescope,
)
from closedchain.describe.equations import Coordinate, Equations, Readout
from closedchain.describe.expressions import atan2, cos, sin, sqrt
from closedchain.describe.mechanism import BadMechanism, Mechanism
from closedchain.describe.parameters import BadParameter, Parameter
from closedchain.describe.recipe import Recipe, robot

__all__ = [
    "Angle",
    "BadMechanism",
    "BadParameter",
    "Bar",
    "Carried",
    "Coordinate",
    "Coupling",
    "Crank",
    "Damper",
    "Equations",
    "Fixed",
    "Free",
    "Mechanism",
    "Motor",
    "Parameter",
    "Pin",
    "Plate",
    "Rail",
    "Readout",
    "Recipe",
    "Slider",
    "Spring",
    "Telescope",
    "atan2",
    "cos",
    "robot",
    "sin",
    "sqrt",
]
