"""Expressions: the one symbolic form of lengths, masses, energies and closures.

A description is written with these (`-d / 2`), a file's text is parsed into them, and they are evaluated with
floats, CasADi symbols or SymPy symbols by naming the arithmetic to use. They are values: nothing here executes text.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Arithmetic = Mapping[str, Callable[..., Any]]


class Expr:
    """A number, a symbol, or an operation on expressions."""

    __slots__ = ()

    def __add__(self, other: Scalar) -> Expr:
        return add(self, expr(other))

    def __radd__(self, other: Scalar) -> Expr:
        return add(expr(other), self)

    def __sub__(self, other: Scalar) -> Expr:
        return add(self, -expr(other))

    def __rsub__(self, other: Scalar) -> Expr:
        return add(expr(other), -self)

    def __mul__(self, other: Scalar) -> Expr:
        return multiply(self, expr(other))

    def __rmul__(self, other: Scalar) -> Expr:
        return multiply(expr(other), self)

    def __truediv__(self, other: Scalar) -> Expr:
        return divide(self, expr(other))

    def __rtruediv__(self, other: Scalar) -> Expr:
        return divide(expr(other), self)

    def __pow__(self, other: Scalar) -> Expr:
        return power(self, expr(other))

    def __rpow__(self, other: Scalar) -> Expr:
        return power(expr(other), self)

    def __neg__(self) -> Expr:
        if isinstance(self, Number):
            return Number(-self.value)
        if isinstance(self, Operation) and self.op == "neg":
            return self.args[0]
        return Operation("neg", (self,))

    def __pos__(self) -> Expr:
        return self

    def __repr__(self) -> str:
        return text(self)


class Number(Expr):
    """A constant."""

    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = float(value)


class Quantity(Number):
    """A constant that was written with a unit, here in SI: the unit says what it may stand for."""

    __slots__ = ("unit",)

    def __init__(self, value: float, unit: str) -> None:
        super().__init__(value)
        self.unit = unit


class Symbol(Expr):
    """A name whose value is given later: a parameter, a coordinate, a rate."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Named(Expr):
    """An expression that has a name, as a body's axis: whoever evaluates may give the name a value of its own.

    So closures and energies in roll, pitch and yaw are read as polynomials in a body's axes, without a second form.
    """

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: Expr) -> None:
        self.name, self.value = name, value


class Operation(Expr):
    """An operator (+ - * / ** neg) or a function applied to expressions."""

    __slots__ = ("op", "args")

    def __init__(self, op: str, args: tuple[Expr, ...]) -> None:
        self.op = op
        self.args = args


Scalar = Expr | float | int
ZERO, ONE = Number(0.0), Number(1.0)


def expr(value: Scalar) -> Expr:
    """The expression of a number; an expression is returned as it is."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"an expression or a number is needed, got {value!r}")
    return Number(value)


def is_number(e: Expr, value: float) -> bool:
    """Whether e is the constant `value`."""
    return isinstance(e, Number) and e.value == value


def add(a: Expr, b: Expr) -> Expr:
    """a + b, with zeros dropped and constants folded."""
    if is_number(a, 0.0):
        return b
    if is_number(b, 0.0):
        return a
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value + b.value)
    if isinstance(b, Operation) and b.op == "neg":
        return Operation("-", (a, b.args[0]))
    if isinstance(b, Number) and b.value < 0:
        return Operation("-", (a, Number(-b.value)))
    return Operation("+", (a, b))


def multiply(a: Expr, b: Expr) -> Expr:
    """a b, with zeros and ones dropped and constants folded."""
    if is_number(a, 0.0) or is_number(b, 0.0):
        return ZERO
    if is_number(a, 1.0):
        return b
    if is_number(b, 1.0):
        return a
    if is_number(a, -1.0):
        return -b
    if is_number(b, -1.0):
        return -a
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value * b.value)
    if _negated(a):
        return -multiply(-a, b)
    if _negated(b):
        return -multiply(a, -b)
    return Operation("*", (a, b))


def divide(a: Expr, b: Expr) -> Expr:
    """a / b, with constants folded; a division by zero stays, to be found when it is evaluated."""
    if is_number(b, 1.0):
        return a
    if is_number(a, 0.0) and not is_number(b, 0.0):
        return ZERO
    if isinstance(a, Number) and isinstance(b, Number) and b.value != 0.0:
        return Number(a.value / b.value)
    if _negated(a):
        return -divide(-a, b)
    return Operation("/", (a, b))


def power(a: Expr, b: Expr) -> Expr:
    """a ** b; exponents 1 and 0 vanish."""
    if is_number(b, 1.0):
        return a
    if is_number(b, 0.0):
        return ONE
    if is_number(a, 0.0) and isinstance(b, Number) and b.value > 0.0:
        return ZERO
    return Operation("**", (a, b))


def _negated(e: Expr) -> bool:
    return isinstance(e, Operation) and e.op == "neg"


def apply(function: str, *args: Scalar) -> Expr:
    """A function of the table below, applied."""
    return Operation(function, tuple(expr(a) for a in args))


def sin(a: Scalar) -> Expr:
    """The sine of an angle [rad]."""
    return ZERO if is_number(expr(a), 0.0) else apply("sin", a)


def cos(a: Scalar) -> Expr:
    """The cosine of an angle [rad]."""
    return ONE if is_number(expr(a), 0.0) else apply("cos", a)


def sqrt(a: Scalar) -> Expr:
    """The square root."""
    return apply("sqrt", a)


def atan2(y: Scalar, x: Scalar) -> Expr:
    """The angle of the direction (x, y) [rad]."""
    return apply("atan2", y, x)


def total(terms: Iterable[Expr]) -> Expr:
    """The sum, as a balanced tree so that a thousand terms do not nest a thousand deep."""
    items = [t for t in terms if not is_number(t, 0.0)] or [ZERO]
    while len(items) > 1:
        items = [add(*items[i : i + 2]) if i + 1 < len(items) else items[i] for i in range(0, len(items), 2)]
    return items[0]


# name → (number of arguments, derivative with respect to each argument)
FUNCTIONS: dict[str, tuple[int, Callable[..., tuple[Expr, ...]]]] = {
    "sin": (1, lambda u: (cos(u),)),
    "cos": (1, lambda u: (-sin(u),)),
    "tan": (1, lambda u: (ONE + apply("tan", u) ** 2,)),
    "asin": (1, lambda u: (ONE / sqrt(ONE - u**2),)),
    "acos": (1, lambda u: (-ONE / sqrt(ONE - u**2),)),
    "atan": (1, lambda u: (ONE / (ONE + u**2),)),
    "atan2": (2, lambda y, x: (x / (x**2 + y**2), -y / (x**2 + y**2))),
    "sqrt": (1, lambda u: (ONE / (2 * sqrt(u)),)),
    "exp": (1, lambda u: (apply("exp", u),)),
    "log": (1, lambda u: (ONE / u,)),
    "tanh": (1, lambda u: (ONE - apply("tanh", u) ** 2,)),
    "abs": (1, lambda u: (u / apply("abs", u),)),
}


def _real_power(a: Any, b: Any) -> Any:
    """a**b; Python's complex number of (-8)**0.5 is a domain error here, as it is for sqrt."""
    result = a**b
    if isinstance(result, complex):
        raise ValueError("a negative number to a fractional power")
    return result


OPERATORS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": _real_power,
    "neg": lambda a: -a,
}

FLOATS: Arithmetic = {name: abs if name == "abs" else getattr(math, name) for name in FUNCTIONS}


def evaluate(e: Expr, values: Mapping[str, Any], arithmetic: Arithmetic = FLOATS) -> Any:
    """The value of an expression: symbols from `values`, functions from `arithmetic`."""
    return evaluate_all((e,), values, arithmetic)[0]


def evaluate_all(exprs: Iterable[Expr], values: Mapping[str, Any], arithmetic: Arithmetic = FLOATS) -> list[Any]:
    """Several values, each shared sub-expression computed once."""
    done: dict[int, Any] = {}

    def value(e: Expr) -> Any:
        key = id(e)
        if key not in done:
            if isinstance(e, Number):
                done[key] = e.value
            elif isinstance(e, Symbol):
                done[key] = values[e.name]
            elif isinstance(e, Named):
                done[key] = values[e.name] if e.name in values else value(e.value)
            else:
                assert isinstance(e, Operation)
                function = OPERATORS.get(e.op) or arithmetic[e.op]
                done[key] = function(*map(value, e.args))
        return done[key]

    return [value(e) for e in exprs]


def derivative(e: Expr, name: str) -> Expr:
    """∂e/∂name, exactly."""
    return gradient(e, (name,))[0]


def gradient(e: Expr, names: Iterable[str]) -> tuple[Expr, ...]:
    """The partial derivatives of e with respect to each name; what is named so itself is held by the others."""
    names = tuple(names)
    return tuple(_differentiate(e, name, names, {}) for name in names)


def _differentiate(e: Expr, name: str, names: tuple[str, ...], done: dict[int, Expr]) -> Expr:
    if id(e) in done:
        return done[id(e)]
    result: Expr
    if isinstance(e, Number):
        result = ZERO
    elif isinstance(e, Symbol) or (isinstance(e, Named) and e.name in names):
        result = ONE if e.name == name else ZERO
    elif isinstance(e, Named):
        result = _differentiate(e.value, name, names, done)
    else:
        assert isinstance(e, Operation)
        inner = [_differentiate(a, name, names, done) for a in e.args]
        outer = _partials(e) if any(not is_number(d, 0.0) for d in inner) else ()
        result = total(multiply(o, d) for o, d in zip(outer, inner, strict=False))
    done[id(e)] = result
    return result


def _partials(e: Operation) -> tuple[Expr, ...]:
    """∂(operation)/∂(each argument)."""
    match e.op, e.args:
        case "+", _:
            return ONE, ONE
        case "-", _:
            return ONE, Number(-1.0)
        case "neg", _:
            return (Number(-1.0),)
        case "*", (a, b):
            return b, a
        case "/", (a, b):
            return ONE / b, -a / b**2
        case "**", (a, b):
            if isinstance(b, Number):
                return b * a ** (b.value - 1.0), ZERO
            return b * a ** (b - 1), apply("log", a) * a**b
        case op, args:
            return FUNCTIONS[op][1](*args)


def symbols(exprs: Iterable[Expr]) -> dict[str, Symbol]:
    """Every symbol that occurs, by name, in order of first occurrence."""
    found: dict[str, Symbol] = {}
    seen: set[int] = set()
    stack = list(exprs)[::-1]
    while stack:
        e = stack.pop()
        if id(e) in seen:
            continue
        seen.add(id(e))
        if isinstance(e, Symbol):
            found.setdefault(e.name, e)
        elif isinstance(e, Named):
            stack.append(e.value)
        elif isinstance(e, Operation):
            stack.extend(e.args[::-1])
    return found


_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "**": 4}


def text(e: Expr) -> str:
    """The expression as it would be typed; `parse` reads it back to the same value."""
    return _text(e, 0)


def _text(e: Expr, outer: int) -> str:
    if isinstance(e, Number):
        shown = number_text(e.value)
        return f"({shown})" if shown.startswith("-") and outer else shown
    if isinstance(e, Symbol):
        return e.name
    if isinstance(e, Named):
        return _text(e.value, outer)
    assert isinstance(e, Operation)
    rank = _PRECEDENCE.get(e.op)
    if rank is None:
        return f"{e.op}({', '.join(_text(a, 0) for a in e.args)})"
    if e.op == "neg":
        shown = f"-{_text(e.args[0], rank)}"
    elif e.op == "**":
        shown = f"{_text(e.args[0], rank + 1)}**{_text(e.args[1], rank)}"
    else:
        space = " " if rank == 1 else ""
        shown = f"{_text(e.args[0], rank)}{space}{e.op}{space}{_text(e.args[1], rank + 1)}"
    return f"({shown})" if rank < outer else shown


def number_text(value: float) -> str:
    """The shortest text that reads back to the same double: 2, -0.0, 0.1, 1e+300."""
    whole = abs(value) < 1e15 and value == int(value) and not (value == 0.0 and math.copysign(1.0, value) < 0.0)
    return repr(int(value)) if whole else repr(value)


def digest(exprs: Iterable[Expr]) -> str:
    """A hash of the structure, each shared node counted once: what a compiled kernel is filed under."""
    numbers: dict[int, int] = {}
    rows: dict[str, int] = {}
    keep: list[Expr] = []

    def number(e: Expr) -> int:
        if id(e) not in numbers:
            if isinstance(e, Number):
                row = f"n {e.value.hex()}"
            elif isinstance(e, Symbol):
                row = f"s {e.name}"
            elif isinstance(e, Named):
                row = f"is {e.name} {number(e.value)}"
            else:
                assert isinstance(e, Operation)
                row = f"{e.op} {' '.join(str(number(a)) for a in e.args)}"
            keep.append(e)
            numbers[id(e)] = rows.setdefault(row, len(rows))
        return numbers[id(e)]

    roots = [number(e) for e in exprs]
    return hashlib.sha256("\n".join([*rows, str(roots)]).encode()).hexdigest()
