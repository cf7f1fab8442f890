"""What is varied: a parameter or a place of the scenario, over a range, a list or a distribution.

0.30:0.50:21         21 numbers from 0.30 to 0.50      normal(0.36, 1mm)           mean and standard deviation
0.30:0.50            anywhere between                  uniform(0.35, 0.37)         anywhere between
0.30, 0.36, 400mm    these                             triangular(0.3, 0.36, 0.4)  least, most likely, largest
"""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.units import BadQuantity, quantity

KINDS = {"normal": 2, "uniform": 2, "triangular": 3}
MOST = 10_000_000  # numbers of one range
SPREAD = 3.0  # standard deviations that count as the ends of a normal distribution
TINY = 2.0**-53  # a share of exactly 0 or 1 has no number in a normal distribution

_CALL = re.compile(r"\s*([a-z]+)\s*\((.*)\)\s*")


class BadStudy(ClosedChainError, ValueError):
    """A study that asks for something there is not."""


@dataclass(frozen=True)
class Factor:
    """A name and its numbers: `levels` of a range or list, else a distribution by its kind and numbers."""

    name: str  # a parameter, or a place of the scenario such as controller.kp
    unit: str
    kind: str  # "levels", "between", "normal", "uniform", "triangular"
    numbers: tuple[float, ...]

    @property
    def column(self) -> str:
        """With its unit, as files call it."""
        return f"{self.name}_{self.unit}" if self.unit else self.name

    @property
    def listed(self) -> bool:
        """Whether it has levels, which a grid takes in turn."""
        return self.kind == "levels"

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest number; of a normal distribution, SPREAD deviations each way."""
        if self.kind == "normal":
            mean, deviation = self.numbers
            return mean - SPREAD * deviation, mean + SPREAD * deviation
        return min(self.numbers), max(self.numbers)

    def at(self, u: Doubles) -> Doubles:
        """The numbers whose share below is u, from 0 to 1: the inverse of the distribution."""
        a = self.numbers
        if self.kind == "levels":
            place = np.minimum((u * len(a)).astype(np.intp), len(a) - 1)
            return np.array(a)[place]
        if self.kind == "normal":
            inside = np.clip(u, TINY, 1.0 - TINY).tolist()
            return np.array([*map(statistics.NormalDist(*a).inv_cdf, inside)])
        if self.kind == "triangular":
            low, mode, high = a
            rising = low + np.sqrt(u * (high - low) * (mode - low))
            falling = high - np.sqrt((1.0 - u) * (high - low) * (high - mode))
            return np.where(u * (high - low) < mode - low, rising, falling)
        return a[0] + u * (a[1] - a[0])


def read_factor(name: str, text: str, unit: str) -> Factor:
    """The factor that a text such as `0.30:0.50:21` means; numbers may have units."""
    call = _CALL.fullmatch(text)
    if call:
        return _distribution(name, unit, call[1], _numbers(name, call[2].split(","), unit))
    if ":" in text:
        return _range(name, unit, text)
    return levels(name, unit, _numbers(name, text.split(","), unit))


def levels(name: str, unit: str, numbers: tuple[float, ...]) -> Factor:
    """The numbers of a list, each once."""
    if not numbers or len(set(numbers)) < len(numbers):
        raise BadStudy(
            f"--param {name}: {'there is no number' if not numbers else 'a number is given twice'}; list each once"
        )
    return Factor(name, unit, "levels", numbers)


def _range(name: str, unit: str, text: str) -> Factor:
    words = text.split(":")
    if len(words) not in (2, 3):
        raise BadStudy(f"--param {name}={text[:40]!r}: write from:to:count, such as 0.30:0.50:21, or from:to")
    low, high = _numbers(name, words[:2], unit)
    if not low < high:
        raise BadStudy(f"--param {name}: from {low:g} to {high:g} is an empty range; the smaller number comes first")
    if len(words) == 2:
        return Factor(name, unit, "between", (low, high))
    count = words[2].strip()
    if not (count.isascii() and count.isdigit() and 2 <= int(count[:9]) <= MOST):
        raise BadStudy(f"--param {name}: a range has a whole number of points from 2 to {MOST}, not {count[:20]!r}")
    return Factor(name, unit, "levels", tuple(np.linspace(low, high, int(count)).tolist()))


def _distribution(name: str, unit: str, kind: str, numbers: tuple[float, ...]) -> Factor:
    if kind not in KINDS:
        raise BadStudy(f"--param {name}: no distribution {kind[:20]!r}; there are {', '.join(KINDS)}")
    if len(numbers) != KINDS[kind]:
        raise BadStudy(f"--param {name}: {kind} takes {KINDS[kind]} numbers, not {len(numbers)}")
    if kind == "normal" and not numbers[1] > 0.0:
        raise BadStudy(
            f"--param {name}: a standard deviation of {numbers[1]:g} leaves nothing to vary; use one above 0"
        )
    rising = all(a <= b for a, b in pairwise(numbers))
    if kind != "normal" and not (rising and numbers[0] < numbers[-1]):
        raise BadStudy(f"--param {name}: {kind}{numbers} is empty; its numbers rise from the least to the largest")
    return Factor(name, unit, kind, numbers)


def _numbers(name: str, words: list[str], unit: str) -> tuple[float, ...]:
    try:
        return tuple(quantity(word, unit) for word in words)
    except BadQuantity as error:
        raise BadStudy(f"--param {name}: {error}") from None
