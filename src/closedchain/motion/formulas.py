"""Motions by formula: each coordinate an expression of t, its rates by exact differentiation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.describe.formulas import Formula, assignments
from closedchain.describe.formulas import formula as read
from closedchain.describe.parse import BadExpression
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.motion.reference import Reference, Space, end_of, held, instants, positive

ORDERS = 3  # of derivatives that a motion has
LOOKED_AT = 1001  # instants at which a formula must have values before it is used


@dataclass(frozen=True, eq=False)
class ByFormula:
    """x(t) = the formulas' values from `start` on for `duration`; at rest outside."""

    formulas: tuple[Formula, ...]
    duration: float
    start: float = 0.0
    space: Space = "output"

    @property
    def dimension(self) -> int:
        return len(self.formulas)

    @cached_property
    def breaks(self) -> Doubles:
        return np.array([self.start, end_of(self)])

    def __call__(self, t: ArrayLike) -> Reference:
        t = instants(t)
        inside = np.clip(t, self.start, end_of(self))
        try:
            rates = np.stack([formula(inside) for formula in self.formulas], axis=-1)  # (4, *t.shape, n)
        except BadExpression as error:
            raise BadInput(str(error)) from None
        return held(t, self.start, end_of(self), Reference(*rates))


def formula(
    formulas: str | float | Sequence[str | float],
    duration: float,
    *,
    start: float = 0.0,
    space: Space = "output",
    values: Mapping[str, float] | None = None,
) -> ByFormula:
    """A motion by formula, one for each coordinate: `formula(["0.1*sin(t)", "-0.1*sin(t)"], 3.0, space="joint")`.

    A formula is arithmetic of t [s], pi, deg and the names in `values`, with sin, cos, tan, asin, acos, atan, atan2,
    sqrt, exp, log and tanh. It is parsed, never executed; velocity, acceleration and jerk are its exact derivatives.
    """
    if space not in ("output", "joint"):
        raise BadInput(f'space is {space!r:.30}; "output" or "joint" is needed')
    given = [formulas] if isinstance(formulas, str | float | int) else list(formulas)
    if not given:
        raise BadInput("no formula was given; one for each coordinate is needed")
    try:
        parts = tuple(read(source, values, orders=ORDERS) for source in given)
    except (BadExpression, TypeError, ValueError) as error:
        raise BadInput(str(error)) from None
    made = ByFormula(parts, positive(duration, "duration"), float(instants(start)), space)
    at = np.linspace(made.start, end_of(made), LOOKED_AT)
    made(at)  # refuses a root or a logarithm of something negative
    try:
        for part in parts:
            part.check_poles(at)
    except BadExpression as error:
        raise BadInput(str(error)) from None
    return made


def formula_of(model: Model, formulas: str | Mapping[str, str | float], duration: float) -> ByFormula:
    """A robot's motion by its coordinates' own names: `formula_of(robot, "q1 = 0.1*sin(t); q2 = -0.1*sin(t)", 3.0)`.

    All drives make a motion of the drives, all coordinates of the output one of the output. The robot's parameters may
    stand in the formulas by name; t is the time.
    """
    try:
        given = assignments(formulas) if isinstance(formulas, str) else dict(formulas)
    except BadExpression as error:
        raise BadInput(f"{model.name}: {error}") from None
    spaces: dict[Space, tuple[str, ...]] = {
        "joint": tuple(c.name for c in model.equations.q),
        "output": tuple(c.name for c in model.equations.x),
    }
    for space, names in spaces.items():
        if names and set(given) == set(names):
            return formula([given[name] for name in names], duration, space=space, values=model.values)
    choices = " or ".join(f"{', '.join(names)} (the {_WORDS[space]})" for space, names in spaces.items() if names)
    raise BadInput(
        f"{model.name}: formulas of {', '.join(given) or 'nothing'}; one is needed for each of {choices:.200}"
    )


_WORDS = {"joint": "drives", "output": "output"}
