"""Mistakes by mutation: the right formulas, changed in one place, that give exactly a submission's numbers.

The formulas are text, made of the pieces that `reference/pieces.py.txt` defines: of any robot. Changed are signs,
legs, factors, powers, sine and cosine, constants, roots, transposes and inverses; arguments are exchanged or ignored.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from types import CodeType
from typing import Any

import numpy as np

from closedchain.arrays import Doubles

LONGEST, PART = 100, 30  # characters of a line that is quoted, and of a part that is told where nothing changes
CLAMPED = "the root of a negative number is taken as that of zero"
GENERAL, FEW = 5, 12  # changes of a higher rank are tried at one place only; so many constants, with any other
WORK, HUGE = 2_400_000, 4000  # parts of formulas that are tried, and of a function that is left alone
SENSELESS = (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError)  # or without an inverse
AXES = str.maketrans("xy", "yx")
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
DIGIT = re.compile(r"(?<=[A-Za-z_])[1-9]")  # of a leg
Place = tuple[ast.FunctionDef, ast.stmt, Any, Any, ast.expr]  # what is changed, where it hangs, what stands there
JOINT = re.compile(r"q\d+D*")
Given = Mapping[str, Any]
LEG = re.compile(r"(.*?)([1-6])(\d?D*)")  # q11D, gamma1, phi1, theta3


@dataclass(frozen=True, eq=False)
class Mutant:
    """One change, at one place or at all that are alike: what stands there, and instead."""

    places: tuple[tuple[Place, str], ...]
    scope: str  # " everywhere", " in every leg"
    far: int  # those of a large robot that are not tried have more

    @cached_property
    def before(self) -> str:
        """What stands at the first place."""
        return ast.unparse(self.places[0][0][-1])

    @cached_property
    def after(self) -> str:
        """What stands there instead."""
        return ast.unparse(_parsed(self.places[0][1]))

    @cached_property
    def brief(self) -> tuple[str, str]:
        """Both, without a long part that stands in both of them."""
        before, after, old = self.before, self.after, self.places[0][0][-1]
        for part in (ast.unparse(side) for side in ((old.left, old.right) if isinstance(old, ast.BinOp) else ())):
            if len(part) > PART and part in after:
                before, after = before.replace(part, "…"), after.replace(part, "…")
        return before, after

    @property
    def name(self) -> str:
        """Short, for tables."""
        return " → ".join(self.brief) + self.scope

    @property
    def kind(self) -> tuple[bool, str]:
        """At many places or at one, and what was done."""
        before, after = (re.sub(r"[-+ ()]", "", text) for text in (self.before, self.after))
        factor = bool(re.search(r"(2\.0|0\.5)\*", after))
        left = after in before or after in ("0.0", "1.0")
        return bool(self.scope), "sign" if before == after else "factor" if factor else "left out" if left else ""

    @cached_property
    def codes(self) -> dict[str, CodeType]:
        """Of the changed functions."""
        for (*_, owner, field, _), new in self.places:
            owner[field] = _parsed(new)
        made = {function.name: _compiled(function) for (function, *_), _ in self.places}
        for (*_, owner, field, old), _ in self.places:
            owner[field] = old
        return made

    @property
    def change(self) -> str:
        """As a part of a sentence."""
        line = ast.unparse(self.places[0][0][1]).removeprefix("return ")
        line = line if len(line) <= LONGEST else f"{line[:LONGEST]} …"
        return "with `{1}` in place of `{0}`".format(*self.brief) + f"{self.scope}, as in `{line}`"

    @property
    def says(self) -> str:
        """For the group."""
        if self.after.startswith("clamped("):
            return f"Out of reach an answer is given: {CLAMPED}."
        return f"The right formula gives these numbers {self.change}."


class Formulas:
    """Functions as text, and what they give; one of them may be changed."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.functions = {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}
        self.codes = {name: _compiled(node) for name, node in self.functions.items()}

    def answers(self, function: str, inputs: Doubles, given: Given, mutant: Mutant | None = None) -> Doubles | None:
        """All numbers of its answers, (n, outputs), with given constants or functions; None where it makes no sense."""
        names: dict[str, Any] = {**pieces()}
        for name, code in self.codes.items():
            exec(mutant.codes.get(name, code) if mutant else code, names)  # noqa: S102 (our own text)
        names |= given
        try:
            with np.errstate(all="ignore"):
                made = names[function](*inputs.T)
                parts = made if isinstance(made, tuple) else (made,)
                flat = [np.broadcast_to(part, (len(inputs), *np.shape(part)[1:])) for part in parts]
                return np.concatenate([part.reshape(len(inputs), -1) for part in flat], -1)
        except SENSELESS:
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
        """Every change of a function and of those it calls, the simplest first: at one place before many, in the
        function itself before others, then by kind.
        """
        used = [self.functions[name] for name in self.uses(function)]
        size = {node.name: sum(1 for _ in ast.walk(node)) for node in used}
        alike: dict[tuple[Any, ...], list[tuple[tuple[int, ...], str, tuple[Place, str]]]] = {}
        for node in (node for node in used if size[node.name] <= HUGE):
            known = {*self.arguments(node.name), *constants}
            near = known | {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            for row, statement in enumerate(node.body):
                line, value = ast.unparse(statement), getattr(statement, "value", None)
                target = DIGIT.sub("", line.partition(" = ")[0]) if isinstance(statement, ast.Assign) else ""
                handed = {id(part.elts) for part in ast.walk(statement) if isinstance(part, ast.List)}
                for k, (owner, field, old) in enumerate(_places(statement)):
                    before, result = ast.unparse(old), owner is getattr(value, "elts", None)
                    whole = result or old is value or isinstance(old, ast.Name)
                    found = _changes(old, known, near, constants, constants if whole else ())
                    for rank, new in found if before not in self.functions else ():
                        rank = min(rank, 3) if result and not target else rank  # a result as a whole
                        words, legs = (before, new), (DIGIT.sub("#", before), DIGIT.sub("#", new))
                        scopes = {
                            "": (*words, id(statement), k), " ": (*words, line, k), " everywhere": words,
                            f" everywhere in {node.name}": (*words, node.name), " in every leg": legs,
                            f" in every leg of {node.name}": (*legs, node.name), f" in every {target}": (*legs, target),
                        }  # fmt: skip
                        for wide, (scope, key) in enumerate(scopes.items()):
                            if wide < 2 or (rank <= GENERAL and (target or wide < 6)):
                                deep = node.name != function and rank > 0
                                order = wide > 1, deep, id(owner) in handed, rank, wide, len(before), -row
                                place = (node, statement, owner, field, old), new
                                alike.setdefault((wide, *key), []).append((order, scope, place))
        seen: dict[tuple[Any, ...], Mutant] = {}
        for group in sorted(alike.values(), key=lambda group: group[0][0]):
            (many, _, handed_on, rank, *_), scope, _ = group[0]
            places = tuple(place for *_, place in group)
            one = Mutant(places, scope.rstrip(), rank + 2 * (not many) + 2 * handed_on)
            seen.setdefault((places[0][1], *(id(place[-1]) for place, _ in places)), one)
        most, own = WORK // sum(size.values()), [m for m in seen.values() if m.places[0][0][0].name == function]
        kept = {id(one) for some in (own, seen.values()) for one in sorted(some, key=lambda one: one.far)[:most]}
        return tuple(one for one in seen.values() if id(one) in kept)


def written(name: str) -> str:
    """The text of formulas, or of what they are made of."""
    folder = resources.files("closedchain_lab.grading").joinpath("reference")
    return folder.joinpath(name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def pieces() -> dict[str, Any]:
    """What formulas are made of, by name."""
    names: dict[str, Any] = {}
    exec(written("pieces.py.txt"), names)  # noqa: S102 (our own text)
    return names


@lru_cache(maxsize=1)
def changes() -> dict[str, Any]:
    """What may stand in place of a sum, a product or a call, and how likely."""
    return tomllib.loads(written("changes.toml"))


@lru_cache(maxsize=4)
def formulas(robot: str) -> Formulas:
    """The right ones of a robot, written by hand."""
    return Formulas(written(f"{robot}.py.txt"))


@lru_cache(maxsize=65536)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _compiled(node: ast.FunctionDef) -> CodeType:
    return compile(ast.fix_missing_locations(ast.Module([node], [])), node.name, "exec")


def _places(statement: ast.stmt) -> Iterator[tuple[Any, Any, ast.expr]]:
    """Every expression that is read, with where it hangs; whole ones before their parts."""
    for node in ast.walk(statement):
        for field, value in ast.iter_fields(node):
            items = enumerate(value) if isinstance(value, list) else ((field, value),)
            for key, item in items:
                stored = isinstance(getattr(item, "ctx", None), ast.Store)
                if isinstance(item, ast.expr) and not stored and key != "func":
                    yield (value if isinstance(value, list) else vars(node)), key, item


# What may be wrong with an expression: how likely (less is likelier), and what stands there instead ----


def _changes(
    node: ast.expr, known: set[str], near: set[str], constants: Sequence[str], by: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """By its own kind; negated; unless it is an argument or a constant, also in degrees, or off by a factor."""
    if isinstance(node, ast.Constant):
        yield from ((4, value) for value in "143" if node.value == 2)
        return
    if isinstance(node, ast.Tuple):
        if len(node.elts) == 2:
            yield 4, f"({ast.unparse(node.elts[1])}, {ast.unparse(node.elts[0])})"
        return
    text, given = f"({ast.unparse(node)})", isinstance(node, ast.Name) and node.id in known
    if isinstance(node, ast.Name):
        yield from _of_a_name(node.id, near, constants)
    elif isinstance(node, ast.BinOp):
        sides = [f"({ast.unparse(side)})" for side in (node.left, node.right)]
        yield from ((rank, new.format(*sides)) for rank, new in changes()["signs"][SIGNS[type(node.op)]])
    elif isinstance(node, ast.UnaryOp):
        yield 1, ast.unparse(node.operand)
    elif isinstance(node, ast.Call):
        args, called = [ast.unparse(a) for a in node.args], f"{ast.unparse(node.func)}/{len(node.args)}"
        yield from ((rank, new.format(*args)) for rank, new in changes()["calls"].get(called, ()))
    yield 3, f"-{text}"
    if not given:
        yield from ((5, f"{words}{text}") for words in ("degrees", "2.0 * ", "0.5 * "))
        yield from ((6, f"{text} / ({many}{name})") for name in by for many in ("", "2.0 * "))
        yield from ((7, f"{many}{name} * {text}") for name in by for many in ("", "2.0 * "))


def _of_a_name(name: str, known: set[str], constants: Sequence[str]) -> Iterator[tuple[int, str]]:
    if name in constants:
        near = constants if len(constants) <= FEW else [c for c in constants if c[0] + c[2:] == name[0] + name[2:]]
        yield from ((4, other) for other in near if other != name)
        yield from ((3, new) for new in (f"2.0 * {name}", f"0.5 * {name}", "0.0"))
    elif name in known:
        others = {name.rstrip("D") + order for order in ("", "D", "DD")} | {name.translate(AXES)}
        if name[-2:-1] == "_":
            others |= {name[:-1] + axis for axis in "xyz"}
        if found := LEG.fullmatch(name):
            first, leg, rest = found.groups()
            others |= {f"{first}{other}{rest}" for other in "123456"}
            if rest[:1].isdigit():  # active and passive
                others |= {f"{first}{leg}{other}{rest[1:]}" for other in "12"}
        yield from ((0, other) for other in sorted((others & known) - {name}))
        if JOINT.fullmatch(name):  # any other drive or passive joint
            alike = {other for other in known if JOINT.sub("", other) == "" and other.count("D") == name.count("D")}
            yield from ((4, other) for other in sorted(alike - others))
        yield from ((3, new) for new in ("1.0", "0.0", "-1.0"))
        yield from ((4, f"{name} ** 2"), (5, f"radians({name})"))
