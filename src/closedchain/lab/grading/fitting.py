"""The lengths and masses that a submission works with, found from its own answers."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

from closedchain.arrays import Doubles
from closedchain.lab.grading.answers import Answers
from closedchain.lab.grading.comparing import difference
from closedchain.lab.grading.constants import Constants
from closedchain.lab.grading.mutation import formulas
from closedchain.lab.grading.signatures import SIGNATURES
from closedchain.lab.grading.states import FLIPS

UNITS = {"l": "m", "d": "m", "mf": "kg", "mp": "kg", "mR": "kg", "ZZ1R": "kg m²", "ZZ2R": "kg m²"}
LENGTHS = ("l", "d")
FOUND_IN = {"dgm": LENGTHS, "igm": LENGTHS, "dynamic_model": ("mf", "mp", "mR", "ZZ1R", "ZZ2R")}
STARTS = (1.0, 0.5, 2.0)  # times what is right
FITS = 1e-7  # of an answer: what a fit leaves
CHANGED = 1e-6  # of a constant: less is the same
ROUND = 1e-9  # of a constant: closer to a number of few digits it is that number
FEW = 8  # answers that determine nothing


def fit(k: Constants, function: str, inputs: Doubles, answers: Answers) -> Constants | None:
    """Other constants with which the right formula gives these answers; None where there are none."""
    rows = answers.finite
    names = [name for name in FOUND_IN.get(function, ()) if name in k.named]
    if rows.sum() < FEW or not names:
        return None
    values = answers.values[rows]
    scale = np.maximum(np.median(np.abs(values), axis=0), 1e-12)
    right, size = k.named, np.array([k.named[name] for name in names])
    for flip in FLIPS if function == "igm" else (None,):
        asked = inputs[rows] * ((1.0, 1.0, *flip) if flip else 1.0)

        def residual(share: Doubles, asked: Doubles = asked) -> Doubles:
            constants = right | dict(zip(names, (share * size).tolist(), strict=True))
            made = formulas(k.robot).answers(function, asked, constants)
            assert made is not None
            off = difference(k.robot, SIGNATURES[function], values, made) / scale
            return np.nan_to_num(off, nan=10.0, posinf=10.0, neginf=-10.0).ravel()

        for start in STARTS:
            found = least_squares(residual, np.full(len(names), start), xtol=1e-15, ftol=1e-15, gtol=1e-15)
            if np.abs(residual(found.x)).max() <= FITS and (found.x > CHANGED).all():
                changed = dict(zip(names, map(_written, found.x * size), strict=True))
                return k.with_named(right | changed)
    return None


def _written(value: float) -> float:
    """The number of few digits that it is, if it is one."""
    short = float(f"{value:.7g}")
    return short if abs(short - value) <= 1e3 * ROUND * abs(value) else float(value)


def told(k: Constants, fitted: Constants) -> tuple[str, ...]:
    """Which constants differ, in words: mp = 2 kg where it is 3 kg."""
    return tuple(
        f"{name} = {value:.7g} {UNITS[name]} where it is {k.named[name]:.7g} {UNITS[name]}"
        for name, value in fitted.named.items()
        if abs(value - k.named[name]) > CHANGED * k.named[name]
    )
