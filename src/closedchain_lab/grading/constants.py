"""The lab's two robots in numbers, and the lengths and masses that a submission works with, found from its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from closedchain import load
from closedchain.arrays import Doubles
from closedchain.model import Model
from closedchain_lab.grading.answers import Answers
from closedchain_lab.grading.mutation import formulas
from closedchain_lab.grading.question import Question, sizes

# The lab's names of a robot's lengths and masses, and ours; the five-bar's bars are all alike.
PARAMETERS: dict[str, dict[str, tuple[str, ...]]] = {
    "biglide": {"l": ("l",), "d": ("d",), "mf": ("m_f",), "mp": ("m_p",)},
    "fivebar": {"l": ("l1", "l2"), "d": ("d",), "ZZ1R": ("zz_1",), "ZZ2R": ("zz_2",), "mR": ("m_r",)},
}
UNITS = {"l": "m", "d": "m", "mf": "kg", "mp": "kg", "mR": "kg", "ZZ1R": "kg m²", "ZZ2R": "kg m²"}
ROUNDED_INERTIA = 0.002  # [kg m²] of the handout; the model file has 1.0·0.045²
FOUND_IN = {"dgm": ("l", "d"), "igm": ("l", "d"), "dynamic_model": ("mf", "mp", "mR", "ZZ1R", "ZZ2R")}
STARTS = (1.0, 0.5, 2.0)  # times what is right
FITS = 1e-7  # of an answer: what a fit leaves
CHANGED = 1e-6  # of a constant: less is the same
ROUND = 1e-9  # of a constant: closer to a number of few digits it is that number
FEW = 8  # answers that determine nothing


@dataclass(frozen=True)
class Constants:
    """Lengths and masses of a robot with two legs, in the order of the lab's names."""

    robot: str
    numbers: tuple[float, ...]

    @property
    def named(self) -> dict[str, float]:
        """By the lab's names."""
        return dict(zip(PARAMETERS[self.robot], self.numbers, strict=True))

    @property
    def bars(self) -> float:
        """[m] the length of those that meet at the tip."""
        return self.named["l"]

    @property
    def turns(self) -> bool:
        """Whether the drives are cranks."""
        return self.robot == "fivebar"

    def but(self, **changed: float) -> Constants:
        """The same with other numbers, by the lab's names."""
        return Constants(self.robot, tuple((self.named | changed).values()))

    def model(self) -> Model:
        """The exact model with these numbers."""
        names = zip(PARAMETERS[self.robot].values(), self.numbers, strict=True)
        values: dict[str, Any] = {name: value for ours, value in names for name in ours}
        return load(self.robot, **values)


LAB = {
    "biglide": Constants("biglide", (0.2828427, 0.4, 1.0, 3.0)),
    "fivebar": Constants("fivebar", (0.09, 0.118, 1.0 * 0.045**2, 1.0 * 0.045**2, 0.5)),
}
SEEDS = {"biglide": LAB["biglide"].but(l=0.3606)}  # the bars of seeds 000, 001 and 004


def fit(k: Constants, question: Question, answers: Answers) -> Constants | None:
    """Other constants with which the right formula gives these answers; None where there are none."""
    rows = answers.finite
    names = [name for name in FOUND_IN.get(question.name, ()) if name in k.named]
    if rows.sum() < FEW or not names:
        return None
    values, size = answers.values[rows], np.array([k.named[name] for name in names])
    scale = sizes(values)
    for factors, _ in question.variants:
        asked = question.inputs[rows] * (factors or 1.0)

        def residual(share: Doubles, asked: Doubles = asked) -> Doubles:
            constants = k.named | dict(zip(names, (share * size).tolist(), strict=True))
            made = formulas(k.robot).answers(question.name, asked, constants)
            assert made is not None
            off = question.apart(values, made[:, None]) / scale
            return np.nan_to_num(off, nan=10.0, posinf=10.0, neginf=-10.0).ravel()

        for start in STARTS:
            found = least_squares(residual, np.full(len(names), start), xtol=1e-15, ftol=1e-15, gtol=1e-15)
            if np.abs(residual(found.x)).max() <= FITS and (found.x > CHANGED).all():
                return k.but(**dict(zip(names, map(_written, found.x * size), strict=True)))
    return None


def _written(value: float) -> float:
    """The number of few digits that it is, if it is one."""
    short = float(f"{value:.7g}")
    return short if abs(short - value) <= ROUND * abs(value) else float(value)


def told(k: Constants, fitted: Constants) -> tuple[str, ...]:
    """Which constants differ, in words: mp = 2 kg where it is 3 kg."""
    return tuple(
        f"{name} = {value:.7g} {UNITS[name]} where it is {k.named[name]:.7g} {UNITS[name]}"
        for name, value in fitted.named.items()
        if abs(value - k.named[name]) > CHANGED * k.named[name]
    )
