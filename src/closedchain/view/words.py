"""Names and numbers as people read them: θ₁, 12.3 mm, µJ."""

from __future__ import annotations

import math
import re
import unicodedata

_GREEK = {
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "theta",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
}
_GREEK |= {"phi", "psi", "omega", "eta", "zeta", "kappa", "chi"}
_NAME = re.compile(r"([A-Za-z]+?)_?(\d*)")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_PREFIXES = {6: "M", 3: "k", 0: "", -3: "m", -6: "µ", -9: "n", -12: "p", -15: "f"}
_SCALED = ("m", "rad", "N", "N m", "J", "W", "V", "A", "s", "m/s", "rad/s")


def pretty(name: str) -> str:
    """theta1 → θ₁, q11 → q₁₁; any other name as it is."""
    match = _NAME.fullmatch(name)
    if match is None:
        return name
    letter, digits = match[1], match[2].translate(_SUBSCRIPTS)
    if letter.lower() in _GREEK:
        size = "CAPITAL" if letter[0].isupper() else "SMALL"
        letter = unicodedata.lookup(f"GREEK {size} LETTER {'LAMDA' if letter.lower() == 'lambda' else letter.upper()}")
    elif len(letter) > 2:
        return name
    return letter + digits


def prefixed(largest: float, unit: str) -> tuple[float, str]:
    """A factor and the unit it leads to, so that the largest value reads between 1 and 1000: (1e6, "µm")."""
    spelled = unit.replace(" ", "·").replace("^2", "²")
    if unit not in _SCALED or not math.isfinite(largest) or largest <= 0.0:
        return 1.0, spelled
    power = 3 * math.floor(math.log10(largest * (1 + 1e-9)) / 3)
    top = 0 if unit in ("m", "rad", "s") else 6  # nobody says kilometres of a robot, or kiloradians
    power = min(max(power, -15), top)
    return 10.0**-power, _PREFIXES[power] + spelled


def nice_length(span: float) -> float:
    """The largest 1, 2 or 5 × 10ⁿ not above span: a scale bar's length."""
    power = 10.0 ** math.floor(math.log10(span))
    return max(m for m in (1.0, 2.0, 5.0) if m * power <= span * (1 + 1e-9)) * power


def metres(value: float) -> str:
    """0.05 → 50 mm."""
    factor, unit = prefixed(value, "m")
    return f"{value * factor:g} {unit}"
