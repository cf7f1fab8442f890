"""The unknowns of a calibration: the robot's parameters that vary, and the sensors' offsets and gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.parameters import BadParameter, slopes_of, unknown_parameter, values_of
from closedchain.errors import BadInput
from closedchain.model.model import Model

OFFSET, GAIN = ".offset", ".gain"  # true value = gain × reading + offset


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Names and scales of what is to be found; a step of one scale is as large as a metre or a radian at the lever."""

    model: Model
    varied: tuple[str, ...]  # parameters of the robot
    offsets: tuple[str, ...]  # quantities whose sensors have one
    gains: tuple[str, ...]
    lever: float  # [m] at which an angle counts

    def __post_init__(self) -> None:
        known = self.model.values
        for name in self.varied:
            if name not in known:
                raise BadParameter(unknown_parameter(name, known), name)
        if not self.names:
            raise BadInput(f"{self.model.name}: nothing is left to be found; name parameters with vary or offsets")

    @cached_property
    def names(self) -> tuple[str, ...]:
        return (*self.varied, *(q + OFFSET for q in self.offsets), *(q + GAIN for q in self.gains))

    @cached_property
    def units(self) -> dict[str, str]:
        own = {p.name: p.unit for p in self.model.equations.parameters}
        return {name: own[name] for name in self.varied} | {q + GAIN: "" for q in self.gains}

    def unit(self, name: str, units: Mapping[str, str]) -> str:
        """An unknown's unit; an offset has its quantity's."""
        return self.units[name] if name in self.units else units[name.removesuffix(OFFSET)]

    def start(self, given: Mapping[str, float]) -> Doubles:
        """Where the search begins: the robot's numbers, offsets of 0, gains of 1, or as given."""
        usual = {q + GAIN: 1.0 for q in self.gains}
        own = {**dict.fromkeys(self.names, 0.0), **usual, **{n: self.model.values[n] for n in self.varied}}
        unknown = [name for name in given if name not in own]
        if unknown:
            raise BadInput(f"{unknown[0]!r:.40} is not among what is to be found: {', '.join(self.names)}")
        return np.array(list((own | dict(given)).values()), dtype=np.float64)

    def robot(self, theta: Doubles) -> Model:
        """The robot with these numbers."""
        return self.model.with_values(**dict(zip(self.varied, theta[: len(self.varied)].tolist(), strict=True)))

    def parameters(self, theta: Doubles) -> Doubles:
        """p of the kernels; formulas in what varies follow."""
        given = dict(zip(self.varied, theta[: len(self.varied)].tolist(), strict=True))
        return np.array(list(values_of(self.model.equations.parameters, self._given | given).values()))

    @cached_property
    def _given(self) -> dict[str, float]:
        preset = self.model.recipe.presets[self.model.preset] if self.model.preset else {}
        return {**preset, **self.model.given}

    @cached_property
    def moved(self) -> tuple[str, ...]:
        """The parameters that move with what varies: themselves, and formulas in them."""
        moved = slopes_of(self.model.equations.parameters, self._given, self.varied)
        return tuple(p.name for p in self.model.equations.parameters if p.name in moved)

    def chain(self, theta: Doubles) -> Doubles:
        """∂(moved parameters)/∂(varied ones), exact: rows of ones, and of formulas by the chain rule."""
        given = self._given | dict(zip(self.varied, theta[: len(self.varied)].tolist(), strict=True))
        slopes = slopes_of(self.model.equations.parameters, given, self.varied)
        rows = [[slopes[name].get(by, 0.0) for by in self.varied] for name in self.moved]
        return np.array(rows).reshape(len(self.moved), len(self.varied))

    def scales(self, units: Mapping[str, str]) -> Doubles:
        """A metre of each: of an angle what moves the lever's end by one, of a gain what moves a size by one."""
        kinds = {"rad": 1.0 / self.lever, "m": 1.0}
        return np.array([kinds.get(self.unit(n, units), 1.0 / self.model.scale) for n in self.names])


def unknowns(
    model: Model, vary: Sequence[str], hold: Sequence[str], offsets: Sequence[str], gains: Sequence[str], lever: float
) -> Unknowns:
    """What is to be found, less what is held."""
    for name in hold:
        if name not in model.values:
            raise BadParameter(unknown_parameter(name, model.values), name)
    return Unknowns(model, tuple(n for n in vary if n not in hold), tuple(offsets), tuple(gains), lever)
