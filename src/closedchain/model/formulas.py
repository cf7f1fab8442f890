"""Forces written as text: numbers with units, or formulas of the time, the coordinates and their rates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.expressions import FUNCTIONS, Arithmetic, Expr, Number, Symbol, evaluate_all
from closedchain.describe.parse import parse
from closedchain.errors import BadInput
from closedchain.model.forces import Value
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.units import BadQuantity, quantity

_WITH_UNIT = re.compile(r"\s*[-+]?[\d.]+(?:[eE][-+]?\d+)?\s*[A-Za-z]")
_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
ARRAYS: Arithmetic = {name: getattr(np, _NUMPY.get(name, name)) for name in FUNCTIONS}


@dataclass(frozen=True, eq=False)
class Formula:
    """A force or torque as expressions of t, z, ż and the robot's parameters."""

    model: Model
    components: tuple[Expr, ...]

    def __call__(self, t: Any, state: State) -> Doubles:
        e = self.model.equations
        values: dict[str, Any] = {"t": t, **self.model.values}
        values |= {c.name: state.z[..., i] for i, c in enumerate(e.z)}
        values |= {c.rate.name: state.z_dot[..., i] for i, c in enumerate(e.z)}
        try:
            with np.errstate(all="ignore"):  # what is not finite is refused where it is used
                made = evaluate_all(self.components, values, ARRAYS)
        except ArithmeticError:  # of plain numbers, 1/0
            return np.full(len(self.components), np.nan)
        return np.stack(np.broadcast_arrays(*made), axis=-1)


def read_load(model: Model, texts: Sequence[str | float], kind: str) -> Value:
    """[0, "2 N"] are numbers, ["2*sin(3*t)", "-5*y_dot"] are formulas; BadExpression where it is neither."""
    wanted = 1 if kind == "torque" else model.mechanism.dimension if model.mechanism is not None else 0
    if wanted and len(texts) != wanted:
        raise BadInput(f"{len(texts)} numbers; a {kind} needs {wanted}")
    known = {name: Symbol(name) for c in model.equations.z for name in (c.name, c.rate.name)}
    known |= {"t": Symbol("t"), **{name: Symbol(name) for name in model.values}}
    found = [_component(text, "N" if kind == "force" else "N m", known) for text in texts]
    if all(isinstance(e, Number) for e in found):
        return [e.value for e in found if isinstance(e, Number)]
    return Formula(model, tuple(found))


def _component(text: str | float, unit: str, known: dict[str, Symbol]) -> Expr:
    if not isinstance(text, str):
        return Number(float(text))
    try:
        return Number(quantity(text, unit))
    except BadQuantity:
        if _WITH_UNIT.match(text):  # a number with a unit that is not the right one
            raise
    return parse(text, known)
