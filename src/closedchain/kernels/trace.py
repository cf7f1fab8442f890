"""From CasADi expressions to a program."""

from __future__ import annotations

import math
from collections.abc import Mapping

import casadi as ca

from closedchain.errors import ClosedChainError
from closedchain.kernels.build import Builder
from closedchain.kernels.program import Operand, Program

Shape = tuple[int, ...]
Symbols = ca.SX | tuple[ca.SX, Shape]

PLAIN = {  # operations that mean the same here
    ca.OP_ADD: "add", ca.OP_SUB: "sub", ca.OP_MUL: "mul", ca.OP_DIV: "div", ca.OP_NEG: "neg", ca.OP_SQRT: "sqrt",
    ca.OP_FABS: "abs", ca.OP_FMIN: "min", ca.OP_FMAX: "max", ca.OP_FLOOR: "floor", ca.OP_COPYSIGN: "copysign",
    ca.OP_LT: "lt", ca.OP_LE: "le", ca.OP_EQ: "eq", ca.OP_NE: "ne", ca.OP_AND: "and", ca.OP_OR: "or",
    ca.OP_NOT: "not", ca.OP_SIN: "sin", ca.OP_COS: "cos", ca.OP_TAN: "tan", ca.OP_ASIN: "asin", ca.OP_ACOS: "acos",
    ca.OP_ATAN: "atan", ca.OP_ATAN2: "atan2", ca.OP_EXP: "exp", ca.OP_EXPM1: "expm1", ca.OP_LOG: "log",
    ca.OP_LOG1P: "log1p", ca.OP_SINH: "sinh", ca.OP_COSH: "cosh", ca.OP_TANH: "tanh", ca.OP_ASINH: "asinh",
    ca.OP_ACOSH: "acosh", ca.OP_ATANH: "atanh", ca.OP_HYPOT: "hypot", ca.OP_FMOD: "fmod",
    ca.OP_REMAINDER: "remainder", ca.OP_ERF: "erf",
}  # fmt: skip
OP_NAMES = {getattr(ca, name): name for name in dir(ca) if name.startswith("OP_")}
LARGEST_POWER = 64  # integer powers up to here are products


class CannotTrace(ClosedChainError, ValueError):
    """An expression does not become a straight-line program."""


def trace(name: str, inputs: Mapping[str, Symbols], outputs: Mapping[str, Symbols]) -> Program:
    """The program computing `outputs` from `inputs`.

    A column of n symbols has shape (n,), a matrix (n, m), a single symbol (); give (symbols, shape) to say otherwise.
    Elements are row-major, structural zeros of outputs are 0.0.
    """
    given = [_with_shape(name, key, value) for key, value in inputs.items()]
    wanted = [_with_shape(name, key, value) for key, value in outputs.items()]
    function = _function(name, [sx for _, sx in given], [sx for _, sx in wanted])
    builder = Builder()
    work: dict[int, int] = {}  # CasADi's register -> our value
    found: dict[tuple[int, int], int] = {}  # (output, nonzero) -> our value
    places = [_row_major(function.sparsity_in(i)) for i in range(function.n_in())]
    for k in range(function.n_instructions()):
        op, args, to = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if op == ca.OP_INPUT:
            work[to[0]] = builder.input(args[0], places[args[0]][args[1]])
        elif op == ca.OP_OUTPUT:
            found[to[0], to[1]] = work[args[0]]
        elif op == ca.OP_CONST:
            work[to[0]] = builder.const(function.instruction_constant(k))
        else:
            work[to[0]] = _translate(builder, name, op, [work[a] for a in args])
    results = _results(builder, function, found)
    return builder.finish(name, [o for o, _ in given], [o for o, _ in wanted], results)


def _with_shape(program: str, key: str, value: Symbols) -> tuple[Operand, ca.SX]:
    sx, shape = value if isinstance(value, tuple) else (value, None)
    sx = ca.SX(sx)
    if shape is None:
        shape = () if sx.shape == (1, 1) else (sx.shape[0],) if sx.shape[1] == 1 else tuple(sx.shape)
    if math.prod(shape) != sx.numel() or (len(shape) == 2 and tuple(shape) != sx.shape):
        raise CannotTrace(f"program {program!r}: {key} is {sx.shape[0]}x{sx.shape[1]} and cannot have shape {shape}.")
    return Operand(key, tuple(shape)), sx


def _function(name: str, inputs: list[ca.SX], outputs: list[ca.SX]) -> ca.Function:
    for sx in inputs:
        if not sx.is_valid_input():
            raise CannotTrace(f"program {name!r}: input {sx} is not made of symbols only.")
    try:
        function = ca.Function("traced", inputs, outputs, {"allow_free": True})
    except RuntimeError as error:
        raise CannotTrace(f"program {name!r}: CasADi refuses the inputs: {str(error).splitlines()[-1]}") from error
    if function.has_free():
        raise CannotTrace(f"program {name!r}: {', '.join(function.get_free())} occur but are not inputs.")
    return function


def _row_major(sparsity: ca.Sparsity) -> list[int]:
    """For each nonzero, in CasADi's column-major order, its row-major element."""
    rows, columns = sparsity.get_triplet()
    return [r * sparsity.size2() + c for r, c in zip(rows, columns, strict=True)]


def _results(builder: Builder, function: ca.Function, found: dict[tuple[int, int], int]) -> list[int]:
    results: list[int] = []
    for i in range(function.n_out()):
        sparsity = function.sparsity_out(i)
        values = [-1] * sparsity.numel()
        for nonzero, element in enumerate(_row_major(sparsity)):
            values[element] = found[i, nonzero]
        results += [builder.const(0.0) if v < 0 else v for v in values]
    return results


def _translate(builder: Builder, name: str, op: int, args: list[int]) -> int:
    """The value of one CasADi operation."""
    emit, const = builder.emit, builder.const
    if op in PLAIN:
        return emit(PLAIN[op], *args)
    a = args[0]
    if op == ca.OP_ASSIGN:
        return a
    if op == ca.OP_SQ:
        return emit("mul", a, a)
    if op == ca.OP_TWICE:
        return emit("add", a, a)
    if op == ca.OP_INV:
        return emit("div", const(1.0), a)
    if op == ca.OP_CEIL:
        return emit("neg", emit("floor", emit("neg", a)))
    if op == ca.OP_SIGN:  # keeps ±0 and NaN
        negative = emit("select", emit("lt", a, const(0.0)), const(-1.0), a)
        return emit("select", emit("lt", const(0.0), a), const(1.0), negative)
    if op == ca.OP_IF_ELSE_ZERO:
        return emit("select", a, args[1], const(0.0))
    if op in (ca.OP_POW, ca.OP_CONSTPOW):
        return _power(builder, a, args[1])
    raise CannotTrace(
        f"program {name!r}: CasADi's {OP_NAMES.get(op, op)} has no straight-line form here; "
        f"write it with arithmetic, sqrt, trigonometry, exp, log, min, max and if_else."
    )


def _power(builder: Builder, base: int, exponent: int) -> int:
    """base^exponent; small whole and half exponents become products and square roots."""
    line = builder.code[exponent]
    if line.op != "const" or not (2 * line.value).is_integer() or abs(line.value) > LARGEST_POWER:
        return builder.emit("pow", base, exponent)
    whole, half = divmod(abs(line.value), 1.0)
    value = builder.emit("sqrt", base) if half else None
    square = base
    n = int(whole)
    while n:
        if n & 1:
            value = square if value is None else builder.emit("mul", value, square)
        n >>= 1
        if n:
            square = builder.emit("mul", square, square)
    if value is None:
        return builder.const(1.0)
    return builder.emit("div", builder.const(1.0), value) if line.value < 0 else value
