"""Units at the edges: SI inside, `30 * deg` and "90 mm" where people write numbers."""

from __future__ import annotations

import math
import re

from closedchain.errors import ClosedChainError

deg = math.pi / 180  # [rad]
mm = 1e-3  # [m]
cm = 1e-2  # [m]

# unit as written → (SI unit, factor)
UNITS: dict[str, tuple[str, float]] = {
    "": ("", 1.0),
    "1": ("", 1.0),
    "m": ("m", 1.0),
    "cm": ("m", cm),
    "mm": ("m", mm),
    "rad": ("rad", 1.0),
    "deg": ("rad", deg),
    "kg": ("kg", 1.0),
    "g": ("kg", 1e-3),
    "kg m^2": ("kg m^2", 1.0),
    "s": ("s", 1.0),
    "ms": ("s", 1e-3),
    "m/s": ("m/s", 1.0),
    "m/s^2": ("m/s^2", 1.0),
    "rad/s": ("rad/s", 1.0),
    "N": ("N", 1.0),
    "N m": ("N m", 1.0),
    "N/m": ("N/m", 1.0),
    "N s/m": ("N s/m", 1.0),
    "N m/rad": ("N m/rad", 1.0),
    "N m s/rad": ("N m s/rad", 1.0),
    "V": ("V", 1.0),
    "A": ("A", 1.0),
    "ohm": ("ohm", 1.0),
    "H": ("H", 1.0),
    "N m/A": ("N m/A", 1.0),
    "V s/rad": ("V s/rad", 1.0),
    "J": ("J", 1.0),
    "W": ("W", 1.0),
}

_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*")


class BadQuantity(ClosedChainError, ValueError):
    """A number with a unit that cannot be read."""


def si(value: float, unit: str) -> tuple[float, str]:
    """The value in SI and the SI unit."""
    if unit not in UNITS:
        raise BadQuantity(f"unknown unit {unit!r:.30}; known: {', '.join(u for u in UNITS if u)}")
    name, factor = UNITS[unit]
    return value * factor, name


def quantity(source: str, unit: str = "") -> float:
    """`"90 mm"` → 0.09; a bare number is in SI. `unit` is the SI unit it must have."""
    match = _QUANTITY.fullmatch(source) if len(source) <= 80 else None
    if match is None:
        raise BadQuantity(f"{source[:60]!r} is not a number with an optional unit, such as 0.09 or 90mm")
    value, name = si(float(match[1]), match[2])
    if match[2] and name != unit:
        raise BadQuantity(f"{source!r} is in {name or 'no unit'}, but {unit or 'a plain number'} is needed")
    if not math.isfinite(value):
        raise BadQuantity(f"{source!r} is beyond the range of double precision")
    return value
