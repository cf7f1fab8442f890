"""Every quantity of a description has a dimension; a parameter in another one is refused where it is used.

The units that parameters declare are carried through the formulas: products multiply them, sums need one and the same.
Plain numbers are in SI, so that a number of its own may be anything: `m*9.81*y` has a gravity in it, and `l + 0.1` a
length. Only small whole numbers and simple fractions beside a declared parameter are mere factors: `m/2` is a mass.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from closedchain.describe.elements import Angle, Body, Crank, Element, Motor, OnMeasure, Plate, Slide, Turn
from closedchain.describe.expressions import Expr, Named, Number, Operation, Quantity, Symbol, symbols, text
from closedchain.describe.parameters import Parameter
from closedchain.errors import ClosedChainError
from closedchain.units import ANGLE, NUMBER, Dimension, dimension

# What each field of an element is in; more than one where several are right. A new field takes its unit here.
FIELDS: dict[str, tuple[str, ...]] = {
    "at": ("m",),
    "near": ("m",),
    "about": ("m",),
    "along": ("1",),
    "axis": ("1",),
    "axes": ("1",),
    "normal": ("1",),
    "cosine": ("1",),
    "plane": ("1",),
    "mass": ("kg",),
    "centre": ("m",),
    "inertia": ("kg m^2",),
    "radius": ("m",),
    "length": ("m",),
    "base_mass": ("kg",),
    "base_centre": ("m",),
    "base_inertia": ("kg m^2",),
    "tip_mass": ("kg",),
    "tip_centre": ("m",),
    "tip_inertia": ("kg m^2",),
    "stiffness": ("N/m",),
    "rotor": ("kg",),
    "rest": ("m",),
    "damping": ("N s/m",),
    "resistance": ("ohm",),
    "kt": ("N m/A",),
    "kv": ("V s/rad",),
    "ratio": ("1",),
    "efficiency": ("1",),
    "limits": ("m",),
    "terms": ("1", "m/rad", "m"),  # factors of a coupling: of angles and lengths alone, of an angle beside a length
    "equals": ("rad", "m"),
    "preload": ("N",),
    "coulomb": ("N",),
    "static": ("N",),
    "stribeck": ("m/s",),
    "viscous": ("N s/m",),
    "width": ("m/s",),
    "low": ("m",),
    "high": ("m",),
    "loss": ("s/m",),
    "restitution": ("1",),
    "inductance": ("H",),
    "most_current": ("A",),
    "most_voltage": ("V",),
    "back_efficiency": ("1",),
}
TURNING = {  # on, or of, a crank or an angle
    "stiffness": ("N m/rad",),
    "rest": ("rad",),
    "damping": ("N m s/rad",),
    "limits": ("rad",),
    "rotor": ("kg m^2",),
    "preload": ("N m",),
    "coulomb": ("N m",),
    "static": ("N m",),
    "stribeck": ("rad/s",),
    "viscous": ("N m s/rad",),
    "width": ("rad/s",),
    "low": ("rad",),
    "high": ("rad",),
    "loss": ("s/rad",),
}
SLIDING = {  # a motor that pushes: a rotary one with radians per metre as its ratio, or a linear one
    "kt": ("N m/A", "N/A"),
    "kv": ("V s/rad", "V s/m"),
    "ratio": ("1", "rad/m"),
    "inertia": ("kg m^2", "kg"),
}
GRAVITY = ("m/s^2",)
ENERGIES = {"kinetic": ("J",), "potential": ("J",), "dissipation": ("W",)}
POINT = CLOSURE_LENGTH = ("m",)

_ANGLES_TO_NUMBERS = ("sin", "cos", "tan")
_NUMBERS_TO_ANGLES = ("asin", "acos", "atan")
_FRACTIONS = {n / d for n in range(1, 5) for d in (1, 3, 6, 9, 12)} | {0.5}
SHOWN = 60  # characters of a formula in a message


class WrongUnit(ClosedChainError, ValueError):
    """A quantity of another dimension than its place needs."""


@dataclass(frozen=True)
class Reading:
    """A formula's dimension as far as it is known, and whether that can be held against it.

    `cos(a)` may be one metre times a cosine, for ones vanish from products: only a coordinate by itself, and what a
    declared parameter stands in, is firm.
    """

    dimension: Dimension | None = None  # none: numbers in it may have any
    firm: bool = False
    declared: bool = False  # with a parameter whose unit is stated

    def times(self, other: Reading, power: float = 1.0) -> Reading:
        if self.dimension is None or other.dimension is None:
            return ANYTHING
        declared = self.declared or other.declared
        return Reading(self.dimension * other.dimension**power, declared, declared)


ANYTHING = Reading()
FACTOR = Reading(NUMBER)


def stated(unit: str) -> Reading:
    """What a declared unit says."""
    return Reading(dimension(unit), firm=True, declared=True)


class Dimensions:
    """The dimensions of formulas in parameters with units, and in coordinates."""

    def __init__(self, coordinates: Mapping[str, str] | None = None) -> None:
        self.coordinates = coordinates or {}  # name → unit
        self.readings: dict[int, Reading] = {}
        self.kept: list[Expr] = []  # whose id is a key above

    def check(self, e: Expr, wanted: tuple[str, ...]) -> None:
        """Refuse a formula that is in none of the units wanted."""
        found = self.of(e)
        if found.dimension is None or not found.declared:
            return
        if wanted and not any(found.dimension.fits(dimension(unit)) for unit in wanted):
            hint = "; a number that has a unit of its own is to be a parameter" if isinstance(e, Operation) else ""
            needed = " or ".join(map(_word, wanted))
            raise WrongUnit(f"{_said(e)} is in {found.dimension}, but {needed} is needed{hint}")

    def of(self, e: Expr) -> Reading:
        if id(e) not in self.readings:
            self.kept.append(e)
            self.readings[id(e)] = ANYTHING  # while it is being read: a circle is told elsewhere
            self.readings[id(e)] = self._read(e)
        return self.readings[id(e)]

    def _read(self, e: Expr) -> Reading:
        if isinstance(e, Quantity):
            return stated(e.unit)
        if isinstance(e, Number):
            return FACTOR if _simple(e.value) else ANYTHING
        if isinstance(e, Parameter):
            return stated(e.unit) if e.unit else self.of(e.value)
        if isinstance(e, Symbol):
            return Reading(dimension(self.coordinates[e.name]), firm=True) if e.name in self.coordinates else ANYTHING
        if isinstance(e, Named):
            return self.of(e.value)
        assert isinstance(e, Operation)
        return self._operation(e)

    def _operation(self, e: Operation) -> Reading:
        inner = [self.of(a) for a in e.args]
        match e.op:
            case "neg" | "abs":
                return inner[0]
            case "+" | "-":
                return self._alike(e, "a sum")
            case "*":
                return inner[0].times(inner[1])
            case "/":
                return inner[0].times(_divisor(e.args[1]) or inner[1], -1.0)
            case "**":
                return self._power(e, inner[0])
            case "sqrt":
                return Reading(NUMBER).times(inner[0], 0.5)
            case "atan2":
                self._alike(e, "atan2")
                return Reading(ANGLE)
        return self._function(e, inner[0])

    def _function(self, e: Operation, argument: Reading) -> Reading:
        if argument.firm and argument.dimension is not None and any(argument.dimension.size):
            kind = "an angle" if e.op in _ANGLES_TO_NUMBERS else "a number"
            raise WrongUnit(f"{e.op} takes {kind}, but {_said(e.args[0])} is in {argument.dimension}")
        return Reading(ANGLE if e.op in _NUMBERS_TO_ANGLES else NUMBER)

    def _power(self, e: Operation, base: Reading) -> Reading:
        exponent = e.args[1]
        raised = self.of(exponent)
        if raised.firm and raised.dimension is not None and any(raised.dimension.size):
            raise WrongUnit(f"an exponent is a number, but {_said(exponent)} is in {raised.dimension}")
        if isinstance(e.args[0], Number) or not isinstance(exponent, Number):
            return ANYTHING  # 0.3**2 is a quantity squared; l**n has no one dimension
        return Reading(NUMBER).times(base, exponent.value)

    def _alike(self, e: Operation, what: str) -> Reading:
        first, second = (self.of(a) for a in e.args)
        if not (first.firm and second.firm):
            return first if first.firm else second if second.firm else ANYTHING
        assert first.dimension is not None
        assert second.dimension is not None
        if first.dimension.size != second.dimension.size:
            a, b = e.args
            raise WrongUnit(
                f"{what} of {_said(a)} in {first.dimension} and {_said(b)} in {second.dimension}; both need one unit"
            )
        return first


def field_units(element: Element, name: str, index: int, turning: Collection[str]) -> tuple[str, ...]:
    """The units that a field's number may be in; `turning` are the drives that turn."""
    if name == "near" and index == 2 and isinstance(element, Plate):
        return ("rad",)
    if name == "near" and isinstance(element, Body):
        return _joint_units(element, index)
    joint = element if name == "limits" or isinstance(element, Turn) else None
    on = element.between if isinstance(element, OnMeasure) else joint
    if isinstance(on, Crank | Angle | Turn):
        return TURNING.get(name, FIELDS.get(name, ()))
    if isinstance(element, Motor) and name == "width":
        return ("rad/s",) if element.drive in turning else ("m/s",)
    if isinstance(element, Motor) and element.drive not in turning:
        return SLIDING.get(name, FIELDS.get(name, ()))
    return FIELDS.get(name, ())


def _joint_units(body: Body, index: int) -> tuple[str, ...]:
    """Of one of a body's own coordinates."""
    if body.joint is None:
        return ("m",) if index < 3 else ("rad",)
    return ("m",) if isinstance(body.joint, Slide) else ("rad",)


def _simple(value: float) -> bool:
    """A whole number to 4, a half, thirds, sixths, ninths, twelfths, and these times π: factors, not quantities."""
    return any(math.isclose(abs(value) / unit, f, rel_tol=1e-14) for unit in (1.0, math.pi) for f in _FRACTIONS)


def _divisor(e: Expr) -> Reading | None:
    """A whole number below is a factor: m l²/12, l/100."""
    return FACTOR if isinstance(e, Number) and e.value == int(e.value) and 0 < abs(e.value) <= 1000 else None


def _said(e: Expr) -> str:
    """A formula, with the units that its parameters declare."""
    if isinstance(e, Symbol):
        return f"{'parameter ' * isinstance(e, Parameter)}{e.name}"
    if isinstance(e, Quantity):
        return f"{e.value:g} {e.unit}"
    shown = text(e)
    stated = [f"{n} in {s.unit}" for n, s in symbols([e]).items() if isinstance(s, Parameter) and s.unit]
    return (shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…") + (f" ({', '.join(stated)})" if stated else "")


def _word(unit: str) -> str:
    return "a plain number" if unit == "1" else unit
