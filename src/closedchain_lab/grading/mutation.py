"""Mistakes by mutation: the right formulas, changed in one place, that give exactly a submission's numbers.

The formulas are text: any function of numbers in the names of `PIECES` can be given, of any robot. Changed are signs,
legs, factors, powers, sine and cosine, constants, roots, transposes and inverses; arguments are exchanged or ignored.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from closedchain.arrays import Doubles

NEUTRAL = (ast.Constant(1.0), ast.Constant(0.0))
LONGEST = 100  # characters of a line that is quoted
CLAMPED = "the root of a negative number is taken as that of zero"
RADIUS = 0.1  # of the circle [m, rad over the rates]: exact to RADIUS**16
GENERAL = 5  # changes of a higher rank are tried at one place only
FEW = 12  # constants that may be exchanged with any other
WORK, LEAST = 3_000_000, 300  # parts of formulas that are tried, in changes that are at least so many
LARGE = 400  # parts of a statement in which only names are changed, all of one kind at once
DIGIT = re.compile(r"(?<=[A-Za-z_])[1-9]")  # of a leg
LEG = re.compile(r"(.*?)([123])(\d?D*)")  # q11D, gamma1, phi1, theta3


# Pieces that formulas are made of; (n,) numbers, (n, k) vectors, (n, k, k) matrices -------------------


def _vector(*entries: Doubles) -> Doubles:
    return np.stack(np.broadcast_arrays(*entries), -1)


def _matrix(*entries: Doubles) -> Doubles:
    flat, rows = _vector(*entries), math.isqrt(len(entries))
    return flat.reshape(*flat.shape[:-1], rows, -1)


def _slopes(function: Any, at: Sequence[Any]) -> Doubles:
    """∂f/∂z by complex steps, which lose no digits, (n, k, arguments)."""
    steps, at = 1e-30j * np.eye(len(at)), np.broadcast_arrays(*at)
    made = function(*(a[:, None] + step for a, step in zip(at, steps, strict=True)))
    return np.stack([np.broadcast_to(one, (len(at[0]), len(at))).imag for one in made], 1) / 1e-30


def _curved(function: Any, at: Sequence[Any], along: Doubles) -> Doubles:
    """∂²f/∂s² along a direction, by Cauchy's integral over a circle."""
    circle = RADIUS * np.exp(2j * np.pi * np.arange(16) / 16)
    made = function(*(a[:, None] + along[:, i, None] * circle for i, a in enumerate(at)))
    return np.stack([(one / circle**2).mean(-1).real * 2 for one in np.broadcast_arrays(*made)], 1)


def _masses(kinetic: Any, at: Sequence[Any]) -> Doubles:
    """M of T = żᵀM ż/2, from T(a + b) − T(a) − T(b) of unit rates, (n, nz, nz)."""
    n, unit = len(at), np.eye(len(at))
    pairs = np.stack([i + j for i in unit for j in unit], 1)  # (nz, nz²)
    energy = [kinetic(*(a[:, None] for a in at), *rates) + 0.0 * at[0][:, None] for rates in (pairs, unit)]
    both, alone = energy[0].reshape(-1, n, n), energy[1]
    return np.asarray(both - alone[:, :, None] - alone[:, None, :])


def _inverse(m: Doubles) -> Doubles:
    if m.shape[-1] != 2:
        return np.asarray(np.linalg.inv(m), dtype=np.float64)
    a, b, c, d = (m[..., i, j] for i in (0, 1) for j in (0, 1))
    return _matrix(d, -b, -c, a) / (a * d - b * c)[..., None, None]


PIECES: dict[str, Any] = (
    {name: getattr(np, name) for name in ("sqrt", "sin", "cos", "tan", "arctan", "arctan2", "arccos", "arcsin")}
    | {
        "atan2": np.arctan2,
        "matrix": _matrix,
        "diagonal": lambda a, b: _matrix(a, 0.0 * b, 0.0 * a, b),
        "vector": _vector,
        "slopes": _slopes,
        "at": lambda function, values: function(*values),
        "split": lambda J: (J[..., : J.shape[1]], J[..., J.shape[1] :]),
        "below": lambda J: np.concatenate([J, np.eye(J.shape[-1]) + 0.0 * J[:, :1]], 1),  # outputs, then drives
        "padded": lambda a, like: np.concatenate([a, 0.0 * like[:, a.shape[1] :]], 1),
        "curved": _curved,
        "masses": _masses,
        "growth": lambda T, at, v: _masses(T, [a + 1e-30j * v[:, i] for i, a in enumerate(at)]).imag / 1e-30,  # Ṁ
        "energy_slopes": lambda T, at, v: _slopes(lambda *z: (T(*z, *v.T[..., None]),), at)[:, 0],  # ∂T/∂z
        "times": lambda a, b: a @ b,
        "apply": lambda m, v: (m @ v[..., None])[..., 0],
        "inverse": _inverse,
        "transpose": lambda m: np.swapaxes(m, -1, -2),
        "clamped": lambda s: np.sqrt(np.maximum(s, 0.0)),
        "degrees": np.degrees,
        "radians": np.radians,
    }
)


class Place(NamedTuple):
    """An expression of a function that is changed, and where it hangs."""

    function: ast.FunctionDef
    statement: ast.stmt
    owner: Any
    field: Any
    old: ast.expr
    new: ast.expr


@dataclass(frozen=True)
class Mutant:
    """One change, at one place or at all that are alike: what stands there, and instead."""

    before: str
    after: str
    places: tuple[Place, ...]

    @property
    def name(self) -> str:
        """Short, for tables."""
        return f"{self.before} → {self.after}{' everywhere' if len(self.places) > 1 else ''}"

    @cached_property
    def codes(self) -> dict[str, CodeType]:
        """Of the changed functions."""
        for place in self.places:
            place.owner[place.field] = place.new
        made = {place.function.name: _compiled(place.function) for place in self.places}
        for place in self.places:
            place.owner[place.field] = place.old
        return made

    @property
    def says(self) -> str:
        """For the group."""
        if self.after.startswith("clamped("):
            return f"Out of reach an answer is given: {CLAMPED}."
        many = " wherever it stands" if len(self.places) > 1 else ""
        changed = f"with `{self.after}` in place of `{self.before}`{many}"
        line = ast.unparse(self.places[0].statement).removeprefix("return ")
        line = line if len(line) <= LONGEST else f"{line[:LONGEST]} …"
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
            exec(mutant.codes.get(name, code) if mutant else code, names)  # noqa: S102 (our own text)
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
        """Every change of a function and of those it calls, the likelier kinds first: at one place, and at all that are
        alike, or alike but for the number of a leg, in a function or in all.
        """
        used = [self.functions[name] for name in self.uses(function)]
        lines = Counter(ast.unparse(statement) for node in used for statement in node.body)
        alike: dict[tuple[Any, ...], list[tuple[tuple[int, ...], Place]]] = {}
        for node in used:
            known = {*self.arguments(node.name), *constants}
            for row, statement in enumerate(node.body):
                line, parts = ast.unparse(statement), list(ast.walk(statement))
                large, handed = len(parts) > LARGE, {id(part.elts) for part in parts if isinstance(part, ast.List)}
                for k, (owner, field, old) in enumerate(_places(statement)):
                    named, before = isinstance(old, ast.Name), ast.unparse(old)
                    if before in self.functions or (large and not named):
                        continue
                    for rank, new in _changes(old, known, constants):
                        if isinstance(statement, ast.Return) and owner is getattr(statement.value, "elts", None):
                            rank = min(rank, 4)  # a result as a whole
                        words = before, ast.unparse(new)
                        legs = tuple(DIGIT.sub("#", word) for word in words)
                        keys = (*words, id(old)), (*words, line, k), (*words, id(node)), words, (*legs, id(node)), legs
                        for wide, key in enumerate(keys[:2] if rank > GENERAL else keys):
                            later = id(owner) in handed or (wide == 0 and lines[line] > 1)  # half of what stands twice
                            order = rank + 2 * later, wide, len(before), -row
                            alike.setdefault(key, []).append((order, Place(node, statement, owner, field, old, new)))
        groups = [group for group in alike.values() if group[0][0][1] == 0 or len(group) > 1]
        most = max(LEAST, WORK // sum(1 for node in used for _ in ast.walk(node)))
        if len(groups) > most:  # of a large robot rather those of every leg
            groups = sorted(groups, key=lambda group: group[0][0][0] + 2 * (group[0][0][1] < 2))[:most]
        seen: dict[tuple[Any, ...], Mutant] = {}
        for group in sorted(groups, key=lambda group: group[0][0]):
            places = tuple(place for _, place in group)
            words = ast.unparse(places[0].old), ast.unparse(places[0].new)
            seen.setdefault((*words, *(id(place.old) for place in places)), Mutant(*words, places))
        return tuple(seen.values())


@lru_cache(maxsize=4)
def formulas(robot: str) -> Formulas:
    """The right ones of a robot, written by hand."""
    return Formulas(written(robot))


def written(name: str) -> str:
    """The text of formulas."""
    return (
        resources.files("closedchain_lab.grading").joinpath("reference", f"{name}.py.txt").read_text(encoding="utf-8")
    )


def _compiled(node: ast.FunctionDef) -> CodeType:
    return compile(ast.fix_missing_locations(ast.Module([node], [])), node.name, "exec")


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
                    yield (value if isinstance(value, list) else vars(node)), key, item


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
        own = ast.Name(name, ast.Load())
        near = constants if len(constants) <= FEW else [c for c in constants if c[0] + c[2:] == name[0] + name[2:]]
        yield from ((4, ast.Name(other, ast.Load())) for other in near if other != name)
        yield from ((5, one) for one in (_twice(own, 2.0), _twice(own, 0.5), NEUTRAL[1]))
        return
    if name not in known:
        return
    plain = name.rstrip("D")
    orders = {plain + suffix for suffix in ("", "D", "DD")}
    others = orders | {re.sub("^x", "y", name) if name.startswith("x") else re.sub("^y", "x", name)}
    if name[-2:-1] == "_":
        others |= {name[:-1] + axis for axis in "xyz"}
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
    for name in constants if len(constants) <= FEW else ():
        constant = ast.Name(name, ast.Load())
        yield from ((6, ast.BinOp(node, ast.Div(), by)) for by in (constant, _twice(constant, 2.0)))
        yield from ((7, ast.BinOp(by, ast.Mult(), node)) for by in (constant, _twice(constant, 2.0)))
