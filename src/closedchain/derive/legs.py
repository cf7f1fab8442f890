"""Legs as people write them, from the closures of a robot's loops: vectors, angles, lengths, and rows of Jacobians.

A closure |leg|² − l² = 0 has one drive: a crank at its foot, a slider that carries it, or its own length.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import mul

from closedchain.describe import Equations

Sum = dict[tuple[str, ...], float]  # products of factors, and how many of each
AXES, DIGITS, NOTHING = "xyz", 14, 1e-12
AWAY = ("out", "up", "side")  # of a crank's plane
PLACES = re.compile(r"\w+ \* 0\.\d{6,}")  # on a plate, used along both axes
FUNCTIONS = {"cos": math.cos, "sin": math.sin}


def expanded(node: ast.expr) -> Sum:
    """A sum of products, its numbers together."""
    if isinstance(node, ast.Constant):
        return {(): _number(node)}
    if isinstance(node, ast.UnaryOp):
        return _times(expanded(node.operand), {(): -1.0})
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        right = expanded(node.right)
        return _plus([expanded(node.left), right if isinstance(node.op, ast.Add) else _times(right, {(): -1.0})])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _times(expanded(node.left), expanded(node.right))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.right, ast.Constant):
        return _times(expanded(node.left), {(): 1.0 / _number(node.right)})
    if isinstance(node, ast.Call) and isinstance(node.args[0], ast.Constant):
        return {(): FUNCTIONS[ast.unparse(node.func)](_number(node.args[0]))}
    return {(ast.unparse(node),): 1.0}


def _number(node: ast.Constant) -> float:
    return float(ast.unparse(node))


def _plus(sums: Iterable[Sum]) -> Sum:
    made: Sum = {}
    for one in sums:
        for product, many in one.items():
            made[product] = made.get(product, 0.0) + many
    return {product: round(many, DIGITS) for product, many in made.items() if abs(many) > NOTHING}


def _times(a: Sum, b: Sum) -> Sum:
    return _plus({(*p, *r): m * n} for p, m in a.items() for r, n in b.items())


def written(terms: Sum) -> str:
    """As text."""
    made = ""
    for product, many in terms.items():
        factors = ([] if abs(many) == 1.0 and product else [repr(abs(many))]) + list(product)
        made += (" - " if many < 0 else " + ") + " * ".join(factors)
    return made.removeprefix(" + ").replace(" - ", "-", 1) if made.startswith(" - ") else made[3:] or "0.0"


def slope(terms: Sum, name: str) -> Sum:
    """Its derivative by a coordinate, which stands alone, in a sine or in a cosine."""
    by = {name: ("", 1.0), f"cos({name})": (f"sin({name})", -1.0), f"sin({name})": (f"cos({name})", 1.0)}
    return _plus(
        {(*product[:i], *filter(None, (by[factor][0],)), *product[i + 1 :]): many * by[factor][1]}
        for product, many in terms.items()
        for i, factor in enumerate(product)
        if factor in by
    )


@dataclass(frozen=True)
class Leg:
    """One bar, or one that changes its length: what it is along each axis, from its foot to its corner."""

    number: int
    sides: tuple[Sum, ...]
    length: str
    drive: str  # by which it moves
    angles: tuple[str, ...]  # among the outputs

    @cached_property
    def arms(self) -> tuple[Sum, ...]:
        """From the plate's origin to the corner, in the plane: turned by its angle."""
        if len(self.sides) != 2 or len(self.angles) != 1:
            return ({}, {})
        turning = {f"{function}({self.angles[0]})" for function in FUNCTIONS}
        x, y = ({product: n for product, n in side.items() if turning & {*product}} for side in self.sides)
        turned = all(_plus([slope(a, self.angles[0]), _times(b, {(): s})]) == {} for a, b, s in ((x, y, 1), (y, x, -1)))
        return (x, y) if turned and x else ({}, {})

    @cached_property
    def vector(self) -> tuple[Sum, ...]:
        """The sides, with their arms by name."""
        named = [f"arm{self.number}_{axis}" for axis in AXES]
        return tuple(
            {(name,) if product in arm else product: 1.0 if product in arm else n for product, n in side.items()}
            for name, side, arm in zip(named, self.sides, (*self.arms, {}), strict=False)
        )

    def named(self, axis: int) -> str:
        """Its side along an axis."""
        return f"leg{self.number}_{AXES[axis]}"

    @property
    def turning(self) -> list[str]:
        """Lines of its arms."""
        return [f"arm{self.number}_{axis} = {written(arm)}" for axis, arm in zip(AXES, self.arms, strict=False) if arm]

    @property
    def lines(self) -> list[str]:
        """Its arms and sides."""
        return [*self.turning, *(f"{self.named(j)} = {written(side)}" for j, side in enumerate(self.vector))]

    @property
    def closed(self) -> str:
        """|leg|² − l² by its sides."""
        squares = " + ".join(f"{self.named(j)}**2" for j in range(len(self.sides)))
        return f"{squares} - {self.length}**2"

    def entry(self, coordinate: str) -> str:
        """The slope of |leg|² / 2 − l² / 2 by a coordinate."""
        if coordinate == self.length:
            return f"-{coordinate}"
        if self.arms[0] and coordinate == self.angles[0]:
            return f"{self.named(1)} * arm{self.number}_x - {self.named(0)} * arm{self.number}_y"
        parts = [_times({(self.named(j),): 1.0}, slope(side, coordinate)) for j, side in enumerate(self.sides)]
        return written(_plus(parts))

    def solved(self, half: bool) -> tuple[list[str], str] | None:
        """Lines, and the drive by sign = 1 or -1; None where it is neither a crank nor a slider nor a length."""
        i, places = self.number, [self.named(j) for j in range(len(self.sides))]
        squares = " + ".join(f"{place}**2" for place in places)
        if self.length == self.drive:
            return [*self.lines, f"length{i} = sqrt({squares})"], f"length{i}"
        along, *others = ([self._share(factor, j) for j in range(len(places))] for factor in self._factors)
        return self._turned(along, others[0], half) if others else self._slid(along)

    def _turned(self, along: Sequence[Sum], across: Sequence[Sum], half: bool) -> tuple[list[str], str] | None:
        """A crank: the triangle that it makes with the bar, by the law of cosines or by half angles."""
        i, products = self.number, {product for share in (*along, *across) for product in share}
        u, w = ([sum(share.values()) for share in one] for one in (along, across))
        pairs = ((u, u, 1.0), (w, w, 1.0), (u, w, 0.0))
        if len(products) != 1 or any(abs(sum(map(mul, a, b)) - s) > NOTHING for a, b, s in pairs):
            return None
        frame = [u, w] if len(u) == 2 else [u, w, [u[k - 2] * w[k - 1] - u[k - 1] * w[k - 2] for k in range(3)]]
        straight = u[0] == w[1] == 1.0
        x, y, *side = (
            self.named(j) if straight else f"{name}{i}" for j, name in zip(range(len(u)), AWAY, strict=False)
        )
        crank, beside = " * ".join(products.pop()), "".join(f" + {name}**2" for name in side)
        lines = [*self.turning, *self._placed((x, y, *side), frame)]
        if half:
            lines += [f"E{i} = -2 * {crank} * {x}", f"F{i} = -2 * {crank} * {y}"]
            lines += [f"G{i} = {x}**2 + {y}**2{beside} + {crank}**2 - {self.length}**2"]
            lines += [f"root{i} = sqrt(E{i}**2 + F{i}**2 - G{i}**2)"]
            return lines, f"2 * arctan2(-F{i} + sign * root{i}, G{i} - E{i})"
        lines += [f"far{i} = sqrt({x}**2 + {y}**2)", f"toward{i} = arctan2({y}, {x})"]
        lines += [f"cosine{i} = ({crank}**2 + far{i}**2{beside} - {self.length}**2) / (2 * {crank} * far{i})"]
        return [*lines, f"turn{i} = arccos(cosine{i})"], f"toward{i} + sign * turn{i}"

    def _slid(self, along: Sequence[Sum]) -> tuple[list[str], str] | None:
        """A slider: by how much it goes before the foot is below the corner, and a root."""
        u, i = [sum(share.values()) for share in along], self.number
        if any({*share} - {()} for share in along) or abs(sum(a * a for a in u) - 1.0) > NOTHING:
            return None
        if len(u) == 2:
            frame = [u, [-u[1], u[0]]]
        elif sorted(map(abs, u)) == [0.0, 0.0, 1.0]:
            frame = [u, *([float(j == k) for j in range(3)] for k in range(3) if not u[k])]
        else:
            return None
        names = [f"along{i}", *(f"across{i}_{AXES[k]}" for k in range(len(u) - 1))]
        lines = [*self.turning, *self._placed(names, frame)]
        lines += [f"root{i} = sqrt({self.length}**2 - {' - '.join(f'{name}**2' for name in names[1:])})"]
        return lines, f"along{i} + sign * root{i}"

    @property
    def _factors(self) -> list[str]:
        """In which the drive stands: itself, or its cosine and sine."""
        there = {factor for side in self.sides for product in side for factor in product}
        return [self.drive] if self.drive in there else [f"{function}({self.drive})" for function in FUNCTIONS]

    def _share(self, factor: str, j: int) -> Sum:
        """What the drive moves the foot by along an axis."""
        return {tuple(f for f in p if f != factor): -n for p, n in self.sides[j].items() if factor in p}

    def _placed(self, names: Sequence[str], frame: Sequence[Sequence[float]]) -> list[str]:
        """From the foot at rest to the corner, along the directions of a frame."""
        still = [{p: n for p, n in side.items() if not {*p} & {*self._factors}} for side in self.vector]
        sums = (_plus(_times(side, {(): a}) for side, a in zip(still, axis, strict=True)) for axis in frame)
        return [f"{name} = {written(terms)}" for name, terms in zip(names, sums, strict=True)]


@dataclass(frozen=True)
class Legs:
    """A robot's closures as lines of formulas, leg by leg where each closure is one."""

    constants: tuple[str, ...]  # lines of them, named k1, k2, …
    residuals: tuple[str, ...]
    legs: tuple[Leg, ...]  # none where some closure is something else than a leg with one drive

    def closures(self) -> tuple[list[str], list[str]]:
        """Lines, and what is zero where the loops are closed."""
        lines = [line for leg in self.legs for line in leg.lines]
        return [*self.constants, *lines], [leg.closed for leg in self.legs] or list(self.residuals)

    def slopes(self, outputs: Sequence[str]) -> list[str]:
        """Lines of the Jacobians' entries, A11, A12, … by outputs and B1, B2, … by each leg's own drive."""
        lines = list(self.constants)
        for leg in self.legs:
            lines += [*leg.lines, *(f"A{leg.number}{j} = {leg.entry(name)}" for j, name in enumerate(outputs, start=1))]
            lines.append(f"B{leg.number} = {leg.entry(leg.drive)}")
        return lines

    def solved(self, half: bool) -> tuple[list[str], list[str]]:
        """Lines, and each drive, of which sign = 1 or -1 are two values; none where some leg is not solved by them."""
        found = [one for one in (leg.solved(half) for leg in self.legs) if one is not None]
        if len(found) < len(self.residuals):
            return [], []
        return [*self.constants, *(line for lines, _ in found for line in lines)], [drive for _, drive in found]


def legs_of(e: Equations) -> Legs:
    """The closures of a robot as legs."""
    residuals = [ast.unparse(ast.parse(str(closure.residual), mode="eval")) for closure in e.closures]
    places = dict.fromkeys(PLACES.findall("\n".join(residuals)))
    for k, place in enumerate(places, start=1):
        residuals = [text.replace(place, f"k{k}") for text in residuals]
    found = [_leg(i, text, e) for i, text in enumerate(residuals, start=1)]
    legs = tuple(leg for leg in found if leg is not None)
    constants = tuple(f"k{k} = {place}" for k, place in enumerate(places, start=1))
    return Legs(constants, tuple(residuals), legs if len(legs) == len(found) else ())


def _leg(number: int, residual: str, e: Equations) -> Leg | None:
    *sides, length = terms(ast.parse(residual, mode="eval").body)
    drives = [c.name for c in e.q if re.search(rf"\b{c.name}\b", residual)]
    if {one[:2] for one in sides} != {("+", "**2")} or length[:2] != ("-", "**2") or len(drives) != 1:
        return None
    along = tuple(expanded(ast.parse(text, mode="eval").body) for *_, text in sides)
    return Leg(number, along, length[2], drives[0], tuple(c.name for c in e.x if c.unit == "rad"))


def terms(node: ast.expr, sign: str = "+") -> Iterator[tuple[str, str, str]]:
    """The terms of a sum: sign, power (of squares), and what is squared."""
    kind = type(node.op) if isinstance(node, ast.BinOp) else None
    if isinstance(node, ast.BinOp) and kind in (ast.Add, ast.Sub):
        yield from terms(node.left, sign)
        yield from terms(node.right, sign if kind is ast.Add else "+-".replace(sign, ""))
    elif isinstance(node, ast.BinOp) and kind is ast.Pow and ast.unparse(node.right) == "2":
        yield sign, "**2", ast.unparse(node.left)
    else:
        yield sign, "", ast.unparse(node)
