"""Formulas of time: text such as "0.1*sin(2*pi*t)" → numbers at any instants, and exact derivatives; nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.expressions import (
    FUNCTIONS,
    Arithmetic,
    Expr,
    Number,
    Operation,
    Symbol,
    cos,
    derivative,
    evaluate_all,
    symbols,
)
from closedchain.describe.parse import BadExpression, parse

TIME = "t"
NUMPY: Arithmetic = {name: getattr(np, name) for name in FUNCTIONS}
ORDERS = ("value", "first derivative", "second derivative", "third derivative")


@dataclass(frozen=True, eq=False)
class Formula:
    """An expression of t and as many of its derivatives as were asked for."""

    text: str
    rates: tuple[Expr, ...]  # the expression itself comes first

    def __call__(self, t: Doubles) -> Doubles:
        """(orders, *t.shape); a formula without a finite value somewhere is refused, with the instant."""
        try:
            with np.errstate(all="ignore"):  # what overflows or has no value is told below
                made = evaluate_all(self.rates, {TIME: t}, NUMPY)
        except (ArithmeticError, ValueError) as error:  # of constants alone: 1/0, 10**400, (-8)**0.5
            raise BadExpression(f"{self.shown} has no value: {error}") from None
        values = np.stack([np.broadcast_to(np.asarray(v, dtype=np.float64), t.shape) for v in made])
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            order, *place = bad[0]
            at = float(t[tuple(place)])
            raise BadExpression(f"{self.shown} has no finite {ORDERS[order]} at t = {at:.6g} s")
        return values

    def check_poles(self, t: Doubles) -> None:
        """Refuse a division by something that changes its sign between increasing instants (k,)."""
        for factor in _divisors(self.rates[0]):
            values = np.broadcast_to(
                np.asarray(evaluate_all((factor,), {TIME: t}, NUMPY)[0], dtype=np.float64), t.shape
            )
            passed = np.flatnonzero(values[:-1] * values[1:] <= 0.0)
            if len(passed):
                at = float(t[passed[0]])
                raise BadExpression(f"{self.shown} has no finite value near t = {at:.4g} s, where {factor!r} is zero")

    @property
    def shown(self) -> str:
        return repr(self.text if len(self.text) <= 60 else self.text[:57] + "...")


def formula(source: str | float, values: Mapping[str, float] | None = None, *, orders: int = 0) -> Formula:
    """The formula that a text spells, of t, pi, deg, functions and the names in `values`; with `orders` derivatives."""
    text = source if isinstance(source, str) else repr(float(source))
    known: dict[str, Expr] = {name: Number(value) for name, value in (values or {}).items()}
    known[TIME] = Symbol(TIME)
    rates = [parse(text, known)]
    kink = _kink(rates[0]) if orders else None
    if kink is not None:
        raise BadExpression(
            f"{kink!r} has a corner where its argument is zero, and a motion needs derivatives; "
            "make two parts of it, or round it: sqrt(u**2 + 1e-6)"
        )
    for _ in range(orders):
        rates.append(derivative(rates[-1], TIME))
    return Formula(text, tuple(rates))


def _kink(e: Expr) -> Expr | None:
    """An absolute value of something that depends on time."""
    if not isinstance(e, Operation):
        return None
    if e.op == "abs" and symbols([e]):
        return e
    return next((found for found in map(_kink, e.args) if found is not None), None)


def _divisors(e: Expr) -> list[Expr]:
    """What must not be zero: factors of denominators, bases of negative powers, the cosine under a tangent."""
    if not isinstance(e, Operation):
        return []
    found = [factor for part in e.args for factor in _divisors(part)]
    if e.op == "/":
        found += _factors(e.args[1])
    if e.op == "tan":
        found.append(cos(e.args[0]))
    if e.op == "**" and isinstance(e.args[1], Number) and e.args[1].value < 0.0:
        found += _factors(e.args[0])
    return [factor for factor in found if symbols([factor])]


def _factors(e: Expr) -> list[Expr]:
    """Expressions one of which is zero where e is."""
    match e:
        case Operation(op="*", args=(a, b)):
            return _factors(a) + _factors(b)
        case Operation(op="neg" | "sqrt" | "**" | "/", args=(a, *_)):
            return _factors(a)
    return [e]


def assignments(text: str) -> dict[str, str]:
    """`q1 = 0.1*sin(t); q2 = 0` → what each name is; also with commas, as far as no bracket is open."""
    found: dict[str, str] = {}
    for part in separate(text):
        name, equals, source = (word.strip() for word in part.partition("="))
        if not equals or not name or not source:
            raise BadExpression(f"{part.strip()[:60]!r} is no `name = formula`; several are separated by ;")
        if name in found:
            raise BadExpression(f"{name[:40]!r} is given twice")
        found[name] = source
    return found


def separate(text: str) -> list[str]:
    """The text cut at ; and at commas outside of brackets; empty parts are dropped."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == ";" or (letter == "," and depth == 0):
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]
