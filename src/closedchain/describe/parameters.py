"""Parameters: named numbers with a unit and a source, some given by a formula in the others."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from closedchain.describe.expressions import Expr, Number, Symbol, evaluate, gradient, symbols
from closedchain.errors import ClosedChainError
from closedchain.units import si_name, unit_of


class BadParameter(ClosedChainError, ValueError):
    """A parameter that is unknown, not finite, or defined in a circle; `name` is the one at fault, where one is."""

    def __init__(self, problem: str, name: str = "") -> None:
        self.problem, self.name = problem, name
        super().__init__(problem)


class Parameter(Symbol):
    """A symbol with a value: a number in its unit, kept in SI with the SI unit, or a formula in other parameters."""

    __slots__ = ("about", "source", "unit", "value")

    def __init__(
        self, value: float | Expr, unit: str = "", source: str = "", *, about: str = "", name: str = ""
    ) -> None:
        super().__init__(name)
        self.value: Expr = in_si(value, unit)
        self.unit, self.source, self.about = si_name(unit), source, about


def in_si(value: float | Expr, unit: str) -> Expr:
    """A number of some unit in SI; a formula is in SI as it stands."""
    factor = unit_of(unit).factor
    number = value.value if isinstance(value, Number) else None if isinstance(value, Expr) else value
    if number is not None:
        return Number(number * factor)
    if factor != 1.0:
        raise BadParameter(f"a formula is in SI; write unit = {si_name(unit)!r}")
    assert isinstance(value, Expr)
    return value


def values_of(parameters: Iterable[Parameter], given: Mapping[str, float] | None = None) -> dict[str, float]:
    """Every parameter's number: `given` ones first, formulas from the others."""
    by_name = {p.name: p for p in parameters}
    given = dict(given or {})
    for name, value in given.items():
        if name not in by_name:
            raise BadParameter(unknown_parameter(name, by_name), name)
        if not math.isfinite(value):
            raise BadParameter(f"parameter {name} = {value} is not a finite number", name)
    values: dict[str, float] = {}
    for name in _order(by_name):
        values[name] = float(given[name]) if name in given else _number(by_name[name], values)
    return {name: values[name] for name in by_name}


def slopes_of(
    parameters: Iterable[Parameter], given: Mapping[str, float], varied: Iterable[str]
) -> dict[str, dict[str, float]]:
    """∂(parameter)/∂(varied one) of each parameter that moves with those that vary: formulas follow, by the chain rule.

    What is `given` or varies itself follows no formula.
    """
    parameters = list(parameters)
    by_name, values = {p.name: p for p in parameters}, values_of(parameters, given)
    slopes = {name: {name: 1.0} for name in varied}
    for name in _order(by_name):
        inner = [n for n in symbols([by_name[name].value]) if n in slopes]
        if name in given or name in slopes or not inner:
            continue
        partials = [float(evaluate(e, values)) for e in gradient(by_name[name].value, inner)]
        row: dict[str, float] = {}
        for slope, n in zip(partials, inner, strict=True):
            for by, further in slopes[n].items():
                row[by] = row.get(by, 0.0) + slope * further
        slopes[name] = row
    return slopes


def unknown_parameter(name: str, known: Iterable[str]) -> str:
    """The message about a name that is none of the known parameters."""
    near = difflib.get_close_matches(name, list(known), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known) or 'none'}"
    return f"unknown parameter {name!r:.40}; {hint}"


def _order(by_name: Mapping[str, Parameter]) -> list[str]:
    needs = {name: [n for n in symbols([p.value]) if n in by_name] for name, p in by_name.items()}
    try:
        return list(TopologicalSorter(needs).static_order())
    except CycleError as cycle:
        circle = cycle.args[1][::-1]
        raise BadParameter(f"parameters defined in a circle: {' -> '.join(circle)}", circle[0]) from None


def _number(parameter: Parameter, values: Mapping[str, float]) -> float:
    try:
        number = float(evaluate(parameter.value, values))
    except (ArithmeticError, ValueError, TypeError):
        number = math.nan
    if not math.isfinite(number):
        raise BadParameter(f"parameter {parameter.name} = {parameter.value} is not a finite number", parameter.name)
    return number
