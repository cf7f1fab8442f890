"""Mistakes by mutation: the right formulas, changed in one place, that give exactly a submission's numbers.

The formulas are text: any function of numbers in the names of `PIECES` can be given, of any robot. Changed are signs,
legs, factors, powers, sine and cosine, constants, roots, transposes and inverses; arguments are exchanged or ignored.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from types import CodeType
from typing import Any

import numpy as np

from closedchain.arrays import Doubles

NEUTRAL = (ast.Constant(1.0), ast.Constant(0.0))
LONGEST = 100  # characters of a line that is quoted
CLAMPED = "the root of a negative number is taken as that of zero"
LEG = re.compile(r"(.*?)([123])(\d?D*)")  # q11D, gamma1, phi1, theta3


# Pieces that formulas are made of; (n,) numbers, (n, k) vectors, (n, k, k) matrices -------------------


def _vector(*entries: Doubles) -> Doubles:
    return np.stack(np.broadcast_arrays(*entries), -1)


def _table(rows: int, *entries: Doubles) -> Doubles:
    flat = _vector(*entries)
    return flat.reshape(*flat.shape[:-1], rows, -1)


def _matrix(*entries: Doubles) -> Doubles:
    return _table(math.isqrt(len(entries)), *entries)


def _slopes(rows: int, function: Any, *at: Doubles) -> list[Doubles]:
    """∂φ/∂z by complex steps, which lose no digits: those of the first `rows` arguments, then of the others."""
    columns = []
    for i in range(len(at)):
        made = function(*(a + (1e-30j if i == j else 0.0) for j, a in enumerate(at)))
        columns.append([np.imag(one) / 1e-30 for one in made])
    parts = columns[:rows], columns[rows:]
    return [column[i] for part in parts for i in range(rows) for column in part]


def _inverse(m: Doubles) -> Doubles:
    if m.shape[-1] != 2:
        return np.asarray(np.linalg.inv(m), dtype=np.float64)
    a, b, c, d = (m[..., i, j] for i in (0, 1) for j in (0, 1))
    return _matrix(d, -b, -c, a) / (a * d - b * c)[..., None, None]


PIECES: dict[str, Any] = {
    name: getattr(np, name) for name in ("sqrt", "sin", "cos", "tan", "arctan", "arctan2", "arccos", "arcsin")
} | {
    "atan2": np.arctan2,
    "matrix": _matrix,
    "diagonal": lambda a, b: _matrix(a, 0.0 * b, 0.0 * a, b),
    "vector": _vector,
    "table": _table,
    "slopes": _slopes,
    "times": lambda a, b: a @ b,
    "apply": lambda m, v: (m @ v[..., None])[..., 0],
    "inverse": _inverse,
    "transpose": lambda m: np.swapaxes(m, -1, -2),
    "clamped": lambda s: np.sqrt(np.maximum(s, 0.0)),
    "degrees": np.degrees,
    "radians": np.radians,
}


@dataclass(frozen=True)
class Mutant:
    """One change: what stands where, and where."""

    function: str  # that is changed
    line: str
    before: str
    after: str
    code: CodeType  # of the changed function

    @property
    def name(self) -> str:
        """Short, for tables."""
        return f"{self.before} → {self.after}"

    @property
    def says(self) -> str:
        """For the group."""
        if self.after.startswith("clamped("):
            return f"Out of reach an answer is given: {CLAMPED}."
        changed = f"with `{self.after}` in place of `{self.before}`"
        line = self.line if len(self.line) <= LONGEST else f"{self.line[:LONGEST]} …"
        return f"The right formula gives these numbers {changed}, as in `{line}`."


class Formulas:
    """Functions as text, and what they give; one of them may be changed."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.functions = {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}
        self.codes = {name: _compiled(node) for name, node in self.functions.items()}

    def answers(
        self, function: str, inputs: Doubles, constants: Mapping[str, float], mutant: Mutant | None = None
    ) -> Doubles | None:
        """All numbers of its answers, (n, outputs); None where the change makes no sense."""
        names: dict[str, Any] = PIECES | dict(constants)
        for name, code in self.codes.items():
            exec(mutant.code if mutant and mutant.function == name else code, names)  # noqa: S102 (our own text)
        try:
            with np.errstate(all="ignore"):
                made = names[function](*inputs.T)
                parts = made if isinstance(made, tuple) else (made,)
                flat = [np.broadcast_to(part, (len(inputs), *np.shape(part)[1:])) for part in parts]
                return np.concatenate([part.reshape(len(inputs), -1) for part in flat], -1)
        except (TypeError, ValueError, IndexError, FloatingPointError, np.linalg.LinAlgError):
            return None

    def arguments(self, function: str) -> list[str]:
        """Their names."""
        return [a.arg for a in self.functions[function].args.args]

    def uses(self, function: str) -> list[str]:
        """The function and those that it calls, nearest first."""
        found = [function]
        for name in found:
            called = dict.fromkeys(n.id for n in ast.walk(self.functions[name]) if isinstance(n, ast.Name))
            found += [c for c in called if c in self.functions and c not in found]
        return found

    @lru_cache(maxsize=64)  # noqa: B019 (there are two of them, kept for ever)
    def mutants(self, function: str, constants: tuple[str, ...]) -> tuple[Mutant, ...]:
        """Every change of a function and of those it calls, the likelier kinds first."""
        made: list[tuple[tuple[int, int, int], Mutant]] = []
        for name in self.uses(function):
            node = self.functions[name]
            known = {*self.arguments(name), *constants}
            for place, statement in enumerate(node.body):
                for owner, field, old in _places(statement):
                    for rank, new in _changes(old, known, constants):
                        if isinstance(statement, ast.Return) and owner is getattr(statement.value, "elts", None):
                            rank = min(rank, 4)  # a result as a whole
                        one = _mutant(node, statement, owner, field, old, new)
                        made.append(((rank, len(one.before), -place), one))
        seen: dict[tuple[str, str, str, str], Mutant] = {}
        for _, one in sorted(made, key=lambda pair: pair[0]):
            seen.setdefault((one.function, one.line, one.before, one.after), one)
        return tuple(seen.values())


@lru_cache(maxsize=4)
def formulas(robot: str) -> Formulas:
    """The right ones of a robot, written by hand."""
    text = resources.files("closedchain_lab.grading").joinpath("reference", f"{robot}.py.txt")
    return Formulas(text.read_text(encoding="utf-8"))


def _compiled(node: ast.FunctionDef) -> CodeType:
    return compile(ast.fix_missing_locations(ast.Module([node], [])), node.name, "exec")


def _mutant(node: ast.FunctionDef, statement: ast.stmt, owner: Any, field: Any, old: ast.expr, new: ast.expr) -> Mutant:
    line = ast.unparse(statement).removeprefix("return ")
    _put(owner, field, new)
    code = _compiled(node)
    _put(owner, field, old)
    return Mutant(node.name, line, ast.unparse(old), ast.unparse(new), code)


def _put(owner: Any, field: Any, value: ast.expr) -> None:
    if isinstance(owner, list):
        owner[field] = value
    else:
        setattr(owner, field, value)


def _places(statement: ast.stmt) -> Iterator[tuple[Any, Any, ast.expr]]:
    """Every expression that is read, with where it hangs; whole ones before their parts."""
    for node in ast.walk(statement):
        for field, value in ast.iter_fields(node):
            items = enumerate(value) if isinstance(value, list) else ((field, value),)
            for key, item in items:
                if (
                    isinstance(item, ast.expr)
                    and not isinstance(getattr(item, "ctx", None), ast.Store)
                    and key != "func"
                ):
                    yield (value if isinstance(value, list) else node), key, item


# What may be wrong with an expression: how likely (less is likelier), and what stands there instead ----


def _changes(node: ast.expr, known: set[str], constants: Sequence[str]) -> Iterator[tuple[int, ast.expr]]:
    if isinstance(node, ast.Name):
        yield from _of_a_name(node.id, known, constants)
    elif isinstance(node, ast.BinOp):
        yield from _of_a_sum_or_product(node, constants)
    elif isinstance(node, ast.UnaryOp):
        yield 1, node.operand
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from _of_a_call(node, node.func.id)
    elif isinstance(node, ast.Constant) and node.value == 2:
        yield from ((3, ast.Constant(value)) for value in (1, 4, 3))
    elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
        yield 4, ast.Tuple(node.elts[::-1], ast.Load())
        return
    if not isinstance(node, ast.Constant | ast.Tuple):
        yield from _scaled(node, constants, isinstance(node, ast.Name) and node.id in known)


def _of_a_name(name: str, known: set[str], constants: Sequence[str]) -> Iterator[tuple[int, ast.expr]]:
    if name in constants:
        yield from ((4, ast.Name(other, ast.Load())) for other in constants if other != name)
        return
    if name not in known:
        return
    plain = name.rstrip("D")
    orders = {plain + suffix for suffix in ("", "D", "DD")}
    others = orders | {re.sub("^x", "y", name) if name.startswith("x") else re.sub("^y", "x", name)}
    if found := LEG.fullmatch(name):
        first, leg, rest = found.groups()
        others |= {f"{first}{other}{rest}" for other in "123"}
        if rest[:1].isdigit():  # active and passive
            others |= {f"{first}{leg}{other}{rest[1:]}" for other in "12"}
    yield from ((0, ast.Name(other, ast.Load())) for other in sorted(others - {name}) if other in known)
    yield from ((3, value) for value in (*NEUTRAL, ast.UnaryOp(ast.USub(), ast.Constant(1.0))))
    yield 4, ast.BinOp(ast.Name(name, ast.Load()), ast.Pow(), ast.Constant(2))
    yield 5, ast.Call(ast.Name("radians", ast.Load()), [ast.Name(name, ast.Load())], [])


def _of_a_sum_or_product(node: ast.BinOp, constants: Sequence[str]) -> Iterator[tuple[int, ast.expr]]:
    left, right, kind = node.left, node.right, type(node.op)
    other = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}[kind]
    yield (1 if kind in (ast.Add, ast.Sub) else 3), ast.BinOp(left, other(), right)
    yield 2, left
    if kind in (ast.Sub, ast.Div):
        yield 3, ast.BinOp(right, node.op, left)
    if kind is not ast.Pow:
        yield 2, right if kind is not ast.Sub else ast.UnaryOp(ast.USub(), right)
        yield from ((3, ast.BinOp(_twice(left, f), node.op, right)) for f in (2.0, 0.5))
        yield from ((3, ast.BinOp(left, node.op, _twice(right, f))) for f in (2.0, 0.5))


def _of_a_call(node: ast.Call, name: str) -> Iterator[tuple[int, ast.expr]]:
    def called(function: str, *arguments: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(function, ast.Load()), list(arguments or node.args), [])

    first = node.args[0]
    if name in ("sin", "cos"):
        yield 1, called("cos" if name == "sin" else "sin")
        yield 4, called("tan")
    elif name == "sqrt":
        yield 0, called("clamped")
        yield 2, first
    elif name in ("arctan2", "atan2"):
        yield 0, called("arctan", ast.BinOp(node.args[0], ast.Div(), node.args[1]))
        yield 1, called("arctan2", *node.args[::-1])
    elif name == "arccos":
        yield 2, called("arcsin")
    elif name in ("transpose", "inverse"):
        yield 1, first
    elif name in ("times", "apply"):
        yield from ((2, called(name, called(f, first), *node.args[1:])) for f in ("transpose", "inverse"))
        if name == "times":
            yield from ((2, called(name, first, called(f, node.args[1]))) for f in ("transpose", "inverse"))
            yield 3, called(name, *node.args[::-1])
            yield 3, called("inverse", called(name))
            yield 3, called("transpose", called(name))
    elif name in ("vector", "diagonal") and len(node.args) == 2:
        yield 2, called(name, *node.args[::-1])
    elif name == "matrix":
        n = math.isqrt(len(node.args))
        yield 1, called(name, *(node.args[n * j + i] for i in range(n) for j in range(n)))


def _twice(node: ast.expr, factor: float) -> ast.expr:
    return ast.BinOp(ast.Constant(factor), ast.Mult(), node)


def _scaled(node: ast.expr, constants: Sequence[str], given: bool) -> Iterator[tuple[int, ast.expr]]:
    """Negated; unless it is an argument or a constant, also in degrees, or off by a factor: two, a constant, both."""
    yield 3, ast.UnaryOp(ast.USub(), node)
    if given:
        return
    yield 5, ast.Call(ast.Name("degrees", ast.Load()), [node], [])
    yield from ((5, _twice(node, factor)) for factor in (2.0, 0.5))
    for name in constants:
        constant = ast.Name(name, ast.Load())
        yield from ((6, ast.BinOp(node, ast.Div(), by)) for by in (constant, _twice(constant, 2.0)))
        yield from ((7, ast.BinOp(by, ast.Mult(), node)) for by in (constant, _twice(constant, 2.0)))
