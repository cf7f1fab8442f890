"""Units at the edges: SI inside, `30 * deg` and "90 mm" where people write numbers.

A unit is a product of names with SI prefixes and whole powers: `kg cm^2`, `N·m`, `m/s^2`, `V/(rad/s)`, `rpm`. The
radian is kept as a mark of angles: `N m/rad` and `N m` are the same dimension, but an angle is not a plain number.
"""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache

from closedchain.errors import ClosedChainError

deg = math.pi / 180  # [rad]
mm = 1e-3  # [m]
cm = 1e-2  # [m]

BASES = ("kg", "m", "s", "A", "rad")
PREFIXES = {"p": -12, "n": -9, "u": -6, "µ": -6, "μ": -6, "m": -3, "c": -2, "d": -1, "": 0, "k": 3, "M": 6, "G": 9}
# name → (exponents of BASES, power of ten, further factor); these take prefixes
SCALED: dict[str, tuple[tuple[int, ...], int, float]] = {
    "m": ((0, 1, 0, 0, 0), 0, 1.0),
    "g": ((1, 0, 0, 0, 0), -3, 1.0),
    "s": ((0, 0, 1, 0, 0), 0, 1.0),
    "A": ((0, 0, 0, 1, 0), 0, 1.0),
    "rad": ((0, 0, 0, 0, 1), 0, 1.0),
    "Hz": ((0, 0, -1, 0, 0), 0, 1.0),
    "N": ((1, 1, -2, 0, 0), 0, 1.0),
    "Nm": ((1, 2, -2, 0, 0), 0, 1.0),
    "Pa": ((1, -1, -2, 0, 0), 0, 1.0),
    "J": ((1, 2, -2, 0, 0), 0, 1.0),
    "W": ((1, 2, -3, 0, 0), 0, 1.0),
    "V": ((1, 2, -3, -1, 0), 0, 1.0),
    "ohm": ((1, 2, -3, -2, 0), 0, 1.0),
    "Ω": ((1, 2, -3, -2, 0), 0, 1.0),
    "H": ((1, 2, -2, -2, 0), 0, 1.0),
    "F": ((-1, -2, 4, 2, 0), 0, 1.0),
    "C": ((0, 0, 1, 1, 0), 0, 1.0),
    "Wb": ((1, 2, -2, -1, 0), 0, 1.0),
    "T": ((1, 0, -2, -1, 0), 0, 1.0),
}
PLAIN: dict[str, tuple[tuple[int, ...], int, float]] = {  # these take none
    "1": ((0, 0, 0, 0, 0), 0, 1.0),
    "deg": ((0, 0, 0, 0, 1), 0, deg),
    "°": ((0, 0, 0, 0, 1), 0, deg),
    "rev": ((0, 0, 0, 0, 1), 0, math.tau),
    "rpm": ((0, 0, -1, 0, 1), 0, math.tau / 60.0),
    "min": ((0, 0, 1, 0, 0), 0, 60.0),
    "h": ((0, 0, 1, 0, 0), 0, 3600.0),
}
# How a dimension is told, each by its SI unit; `V s/rad` and `J` are kept where they were written so.
NAMES = (
    "m", "rad", "kg", "kg m^2", "s", "m/s", "m/s^2", "rad/s", "rad/s^2", "N", "N m", "N/m", "N s/m", "N m/rad",
    "N m s/rad", "V", "A", "ohm", "H", "N m/A", "V s/rad", "N/A", "V s/m", "J", "W", "kg/m", "kg/m^2", "kg/m^3", "m^2",
    "m^3", "1/s", "rad/m", "1/m", "kg m", "Pa",
)  # fmt: skip
COMMON = (*NAMES, "mm", "cm", "g", "deg", "ms", "rpm", "deg/s", "kg cm^2", "g cm^2", "kg mm^2")
HINT = "units are written like mm, kg cm^2, N m/rad, m/s^2, deg/s or V/(rad/s)"
LONGEST = 40  # characters of a unit
STEEPEST = 9  # power of one name

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_RAISED = re.compile("([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_TOKEN = re.compile(r"\s*(?:(\*\*|\^)\s*|([*·⋅/()])\s*|([A-Za-zµμΩ°]+)|([-+]?\d+))")
_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*")


class BadQuantity(ClosedChainError, ValueError):
    """A number with a unit that cannot be read, or that has another dimension than is needed."""


@dataclass(frozen=True)
class Dimension:
    """Exponents of kg, m, s, A and rad."""

    exponents: tuple[float, ...]

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(tuple(a + b for a, b in zip(self.exponents, other.exponents, strict=True)))

    def __pow__(self, power: float) -> Dimension:
        return Dimension(tuple(round(a * power, 9) for a in self.exponents))

    @property
    def size(self) -> tuple[float, ...]:
        """Without the mark of angles: arc length = angle × radius, so a radian is a number."""
        return self.exponents[:-1]

    @property
    def angle(self) -> bool:
        """An angle alone."""
        return not any(self.size) and self.exponents[-1] != 0.0

    def fits(self, wanted: Dimension) -> bool:
        """Whether a quantity of this dimension can stand where the other is wanted: an angle is not any number."""
        return self.size == wanted.size and (not self.angle or wanted.exponents[-1] != 0.0)

    def __str__(self) -> str:
        """Its SI unit."""
        return _names().get(self, "") or self._composed()

    def _composed(self) -> str:
        above = [_power(n, e) for n, e in zip(BASES, self.exponents, strict=True) if e > 0]
        below = [_power(n, -e) for n, e in zip(BASES, self.exponents, strict=True) if e < 0]
        under = f"({' '.join(below)})" if len(below) > 1 else "".join(below)
        return (" ".join(above) or "1") + (f"/{under}" if under else "")


NUMBER = Dimension((0.0,) * len(BASES))
ANGLE = Dimension((0.0, 0.0, 0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Unit:
    """A dimension, and how many of its SI unit one of it is: other × 10^ten."""

    dimension: Dimension
    ten: int = 0
    other: float = 1.0

    @property
    def factor(self) -> float:
        return self.other * float(f"1e{self.ten}")  # the double nearest to a power of ten

    def __mul__(self, other: Unit) -> Unit:
        return Unit(self.dimension * other.dimension, self.ten + other.ten, self.other * other.other)

    def __pow__(self, power: int) -> Unit:
        return Unit(self.dimension**power, self.ten * power, self.other**power)


@lru_cache(maxsize=1024)
def unit_of(source: str) -> Unit:
    """The unit that a text spells; none at all is a plain number."""
    if len(source) > LONGEST:
        raise BadQuantity(f"a unit of {len(source)} characters; at most {LONGEST} are read")
    unit = _Reader(source).read() if source.strip() else Unit(NUMBER)
    if not 1e-100 < unit.factor < 1e100:
        raise BadQuantity(f"{source!r} is {unit.factor:g} of its SI unit, beyond what double precision is good for")
    return unit


def dimension(source: str) -> Dimension:
    """The dimension of a unit."""
    return unit_of(source).dimension


def si_name(source: str) -> str:
    """The SI unit of the same dimension; one that is SI already, and usual, stays as it is written."""
    unit = unit_of(source)
    return source if source in NAMES or not source.strip() else "" if source == "1" else str(unit.dimension)


def si(value: float, unit: str) -> tuple[float, str]:
    """The value in SI and the SI unit."""
    return value * unit_of(unit).factor, si_name(unit)


def quantity(source: str, unit: str = "") -> float:
    """`"90 mm"` → 0.09; a bare number is in SI. `unit` is the SI unit it must have."""
    value, given = split(source)
    if given and not (found := dimension(given)).fits(dimension(unit)):
        raise BadQuantity(f"{source.strip()!r} is in {_told(found)}, but {unit or 'a plain number'} is needed")
    if not math.isfinite(value):
        raise BadQuantity(f"{source!r} is beyond the range of double precision")
    return value


def split(source: str) -> tuple[float, str]:
    """The number in SI and the unit as it is written, "" for none."""
    match = _QUANTITY.fullmatch(source) if len(source) <= 80 else None
    if match is None:
        raise BadQuantity(f"{source[:60]!r} is not a number with an optional unit, such as 0.09 or 90mm")
    return float(match[1]) * unit_of(match[2]).factor, match[2]


def _told(found: Dimension) -> str:
    return "no unit" if found == NUMBER else str(found)


def _power(name: str, exponent: float) -> str:
    whole = int(exponent) if exponent == int(exponent) else exponent
    return name if whole == 1 else f"{name}^{whole}"


@cache
def _names() -> dict[Dimension, str]:
    return {dimension(name): name for name in reversed(NAMES)}


class _Reader:
    """unit = factor { (space | · | * | /) factor };  factor = (name | 1 | "(" unit ")") [ ^ whole ]."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = self._split(_RAISED.sub(lambda m: "^" + m[1].translate(_SUPERSCRIPTS), source))
        self.at = 0

    def read(self) -> Unit:
        found = self._product()
        if self.at < len(self.tokens):
            raise self._bad()
        return found

    def _split(self, text: str) -> list[str]:
        tokens, at = [], 0
        text = text.strip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._bad()
            tokens.append("^" if match[1] else match[0].strip())
            at = match.end()
        return tokens

    def _product(self) -> Unit:
        found = self._factor()
        divided = False
        while self.at < len(self.tokens) and self.tokens[self.at] != ")":
            sign = self.tokens[self.at]
            if sign in "*·⋅/":
                self.at += 1
            if divided and sign != "/":
                raise BadQuantity(f"{self.source!r:.40}: what is divided by? Write N s/m or N/(m s), not N/m s")
            divided = divided or sign == "/"
            factor = self._factor()
            found = found * (factor**-1 if sign == "/" else factor)
        return found

    def _factor(self) -> Unit:
        if self.at >= len(self.tokens):
            raise self._bad()
        word = self.tokens[self.at]
        self.at += 1
        if word == "(":
            found = self._product()
            if self.at >= len(self.tokens):
                raise self._bad()
            self.at += 1
        else:
            found = self._named(word)
        if self.at < len(self.tokens) and self.tokens[self.at] == "^":
            power = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ""
            if not re.fullmatch(r"[-+]?\d+", power) or abs(int(power)) > STEEPEST:
                raise BadQuantity(f"{self.source!r:.40}: a power is a whole number from -{STEEPEST} to {STEEPEST}")
            self.at += 2
            found = found ** int(power)
        return found

    def _named(self, word: str) -> Unit:
        if word in PLAIN:
            return _unit(PLAIN[word], 0)
        for prefix in sorted(PREFIXES):
            name = word.removeprefix(prefix)
            if name in SCALED and word == prefix + name:
                return _unit(SCALED[name], PREFIXES[prefix])
        raise self._bad()

    def _bad(self) -> BadQuantity:
        near = difflib.get_close_matches(self.source, COMMON, n=1)
        hint = f"did you mean {near[0]!r}? {HINT[0].upper()}{HINT[1:]}" if near else HINT
        return BadQuantity(f"unknown unit {self.source!r:.40}; {hint}")


def _unit(row: tuple[tuple[int, ...], int, float], ten: int) -> Unit:
    exponents, own, other = row
    return Unit(Dimension(tuple(map(float, exponents))), own + ten, other)
