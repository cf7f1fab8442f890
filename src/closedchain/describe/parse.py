"""Text → expression, without executing anything: Python's own grammar, a whitelist of nodes, and limits on size."""

from __future__ import annotations

import ast
import difflib
import math
import re
from collections.abc import Mapping

from closedchain.describe.expressions import FUNCTIONS, Expr, Number, Operation, apply
from closedchain.errors import ClosedChainError

MAX_LENGTH = 2000  # characters
MAX_NODES = 500
MAX_DEPTH = 100  # a sum of n terms nests n deep
MAX_DIGITS = 40

CONSTANTS = {"pi": math.pi, "deg": math.pi / 180}
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_ALLOWED = (
    ast.Expression,
    ast.Constant,
    ast.Name,
    ast.Load,
    ast.Call,
    ast.UnaryOp,
    ast.USub,
    ast.UAdd,
    ast.BinOp,
    *_BINARY,
)
_ONLY = "only numbers, names, + - * / ** ( ) and functions"
# a number that no letter or further digit follows, a name, or an operator; of ASCII alone
_TOKEN = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?![\w.])|[A-Za-z_]\w*|\*\*|[-+*/(),]", re.ASCII)


class BadExpression(ClosedChainError, ValueError):
    """Text that is not an arithmetic expression of the names at hand."""


def parse(source: str, names: Mapping[str, Expr]) -> Expr:
    """The expression that `source` spells, with its symbols taken from `names`."""
    source = " ".join(source.split())
    if len(source) > MAX_LENGTH:
        raise BadExpression(f"an expression of {len(source)} characters; at most {MAX_LENGTH} are read")
    _check_tokens(source)
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadExpression(f"{_short(source)} is not an arithmetic expression") from None
    nodes = list(ast.walk(tree))
    if len(nodes) > MAX_NODES:
        raise BadExpression(f"an expression of {len(nodes)} parts; at most {MAX_NODES} are read")
    for node in nodes:
        if not isinstance(node, _ALLOWED):
            part = ast.get_source_segment(source, node) if isinstance(node, ast.expr) else None
            raise BadExpression(f"{_short(part or source)} is not allowed: {_ONLY}")
    return _convert(tree.body, names, 0)


def _check_tokens(source: str) -> None:
    """Refuse every character that arithmetic does not need, before Python's parser sees it."""
    position = 0
    while position < len(source):
        if source[position] == " ":
            position += 1
            continue
        token = _TOKEN.match(source, position)
        if token is None:
            raise BadExpression(f"{_short(source[position : position + 12])} is not allowed: {_ONLY}")
        if token[1] and len(token[1]) > MAX_DIGITS:
            raise BadExpression(f"a number of {len(token[1])} digits; at most {MAX_DIGITS} are read")
        position = token.end()


def _convert(node: ast.expr, names: Mapping[str, Expr], depth: int) -> Expr:
    if depth > MAX_DEPTH:
        raise BadExpression(f"an expression nested deeper than {MAX_DEPTH}")
    match node:
        case ast.Constant(value=bool() | str() | bytes() | complex() | None):
            raise BadExpression(f"{node.value!r:.40} is not a real number")
        case ast.Constant(value=int() | float() as value):
            return _number(value)
        case ast.Name(id=name):
            if name in names:
                return names[name]
            if name in CONSTANTS:
                return Number(CONSTANTS[name])
            raise BadExpression(_unknown(name, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_convert(operand, names, depth + 1)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _convert(operand, names, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            a, b = _convert(left, names, depth + 1), _convert(right, names, depth + 1)
            return _operation(_BINARY[type(op)], a, b)
        case ast.Call(func=ast.Name(id=function), args=args, keywords=[]) if function in FUNCTIONS:
            count = FUNCTIONS[function][0]
            if len(args) != count:
                raise BadExpression(f"{function} takes {count} argument{'s' * (count > 1)}, got {len(args)}")
            return apply(function, *(_convert(a, names, depth + 1) for a in args))
        case ast.Call(func=ast.Name(id=function)):
            raise BadExpression(f"no function {function!r:.40}; there are {', '.join(FUNCTIONS)}")
    raise BadExpression(f"only a function's name can be called; there are {', '.join(FUNCTIONS)}")


def _number(value: float) -> Number:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadExpression("a number beyond the range of double precision")
    return Number(number)


def _operation(op: str, a: Expr, b: Expr) -> Expr:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b
    return Operation("**", (a, b))


def _unknown(name: str, names: Mapping[str, Expr]) -> str:
    near = difflib.get_close_matches(name, [*names, *CONSTANTS], n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known names: {', '.join([*names, *CONSTANTS]) or 'none'}"
    return f"unknown name {name!r:.60}; {hint}"


def _short(source: str) -> str:
    return repr(source if len(source) <= 60 else source[:57] + "...")
