"""Some points of a study, ready to be computed: their parameters as one batch, and what was wrong with some of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.describe.elements import Carried
from closedchain.describe.expressions import Arithmetic, evaluate, evaluate_all, symbols
from closedchain.describe.parameters import values_of
from closedchain.errors import ClosedChainError
from closedchain.model.model import Model

POSITIVE = ("length", "radius", "resistance")
NOT_NEGATIVE = ("mass", "inertia", "base_mass", "tip_mass", "base_inertia", "tip_inertia", "stiffness", "damping")
MASSES = ("mass", "base_mass", "tip_mass")
LONGEST = 200  # characters of a reason

ARRAYS: Arithmetic = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "atan2": np.arctan2, "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "tanh": np.tanh, "abs": np.abs,
}  # fmt: skip


@dataclass(eq=False)
class Block:
    """Points start … start + n − 1: the varied numbers, every parameter, a reason for each point that has failed."""

    model: Model
    start: int
    varied: Mapping[str, Doubles]  # (n,) of each factor
    n: int
    failed: dict[int, str] = field(default_factory=dict)  # row → why

    def __post_init__(self) -> None:
        self._check()

    @cached_property
    def columns(self) -> dict[str, Any]:
        """Every parameter: a number, or (n,) where it varies."""
        own: dict[str, Any] = dict(self.model.values)
        own |= {name: values for name, values in self.varied.items() if name in own}
        parameters = self.model.equations.parameters
        fixed = {*self.model.given, *(self.model.recipe.presets[self.model.preset] if self.model.preset else ())}
        fixed |= set(self.varied)
        derived = [p for p in parameters if p.name not in fixed and symbols([p.value])]
        if derived:
            rows = [self._formulas(row) for row in range(self.n)]
            own |= {p.name: np.array([row[p.name] for row in rows]) for p in derived}
        return own

    def _formulas(self, row: int) -> dict[str, float]:
        """Parameters given by a formula, at one point, in Python's arithmetic: the batch cannot change their bits."""
        try:
            return values_of(self.model.equations.parameters, self._given(row))
        except ClosedChainError as error:
            self.fail(row, error)
            return dict(self.model.values)

    def _given(self, row: int) -> dict[str, float]:
        known = self.model.values
        preset = self.model.recipe.presets[self.model.preset] if self.model.preset else {}
        own = {name: float(values[row]) for name, values in self.varied.items() if name in known}
        return {**preset, **self.model.given, **own}

    @cached_property
    def p(self) -> Doubles:
        """The parameters as kernels take them, (n, np); those of a point that failed are the study's own."""
        p = np.empty((self.n, len(self.model.p)))
        for i, values in enumerate(self.columns.values()):
            p[:, i] = values
        if self.failed:
            p[sorted(self.failed)] = self.model.p
        return p

    @cached_property
    def alive(self) -> NDArray[np.intp]:
        """The rows that have not failed so far."""
        return np.array([i for i in range(self.n) if i not in self.failed], dtype=np.intp)

    def at(self, row: int) -> Model:
        """The robot of one point."""
        return self.model.with_values(**{n: float(v[row]) for n, v in self.varied.items() if n in self.model.values})

    def fail(self, row: int, why: object) -> None:
        """Mark a point; the first reason stays."""
        self.failed.setdefault(row, " ".join(str(why).split())[:LONGEST])
        self.__dict__.pop("alive", None)

    def forgive(self, failed: dict[int, str]) -> None:
        """Back to the failures of before."""
        self.failed = failed
        self.__dict__.pop("alive", None)

    # Checks and quantities of the description, for all points at once ------------------------------------------------

    def _check(self) -> None:
        """Mark the points whose values cannot be a robot: Model says why."""
        bad = np.zeros(self.n, dtype=bool)
        mechanism = self.model.mechanism
        with np.errstate(all="ignore"):
            if mechanism is None or any(not np.isfinite(v).all() for v in self.varied.values()):
                bad[:] = True
            else:
                for value, place in self._expressions():
                    quantity = place.rsplit(".", 1)[-1]
                    bad |= ~np.isfinite(value)
                    bad |= (value <= 0.0) if quantity in POSITIVE else False
                    bad |= (value < 0.0) if quantity in NOT_NEGATIVE else False
                    bad |= quantity in ("along", "plane") and np.ndim(value) > 0  # a direction that varies is looked at
        for row in np.nonzero(bad)[0]:
            try:
                self.at(int(row))
            except ClosedChainError as error:
                self.fail(int(row), error)

    def _expressions(self) -> list[tuple[Any, str]]:
        assert self.model.mechanism is not None
        pairs = list(self.model.mechanism.expressions())
        values = evaluate_all([e for e, _ in pairs], self.columns, ARRAYS)
        return [(value, place) for value, (_, place) in zip(values, pairs, strict=True)]

    def moving_mass(self) -> Doubles:
        """The sum of all masses that move [kg], (n,)."""
        total = np.zeros(self.n)
        for value, place in self._expressions():
            if place.rsplit(".", 1)[-1] in MASSES:
                total = total + value
        return total

    def lever(self) -> Doubles:
        """A plate's longest lever [m], (n,); 1 where there is none."""
        arms = np.zeros(self.n)
        for leg in self.model.legs:
            if isinstance(leg.far, Carried):
                x, y = (evaluate(e, self.columns, ARRAYS) for e in leg.far.at[:2])
                arms = np.maximum(arms, np.sqrt(x * x + y * y))
        return np.where(arms > 0.0, arms, 1.0)
