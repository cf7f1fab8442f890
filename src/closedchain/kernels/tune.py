"""A scan as it is compiled, and a program that is run very often: made cheap by rules that look at expressions only.

    x / d                      →  x · (1/d)      where d does not change from step to step: the reciprocal is made once
    (c ? a : 0) + (c ? 0 : b)  →  c ? a : b      CasADi's way to write a choice
    a·b + c                    →  fma(a, b, c)   one operation with one rounding, which every CPU gives alike

So a value of a scan depends on how it is defined, and neither on what else is computed nor on the width of vectors. A
program for very many states shares reciprocals besides, and fuses the sums of trigonometry, too. A quotient is off by
less than 1.5 ulp instead of 0.5, where d and 1/d are normal numbers; by 0 and by ∞ it is what it was.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace

from closedchain.kernels.build import Builder, Rule, rewrite
from closedchain.kernels.lower import lower
from closedchain.kernels.program import Instruction, Program
from closedchain.kernels.reciprocal import share_reciprocals
from closedchain.kernels.scan import Scan

CYCLES = {"add": 3, "sub": 3, "mul": 3, "div": 13, "sqrt": 20}  # typical delays; only their order of size matters
OTHER_CYCLES = 1


def tune(scan: Scan) -> Scan:
    """The same scan with cheaper steps, and trigonometry written out."""
    moving = _moving(scan)
    return replace(scan, program=lower(_ruled(_ruled(scan.program, moving, _simpler), moving, _fused)))


def quicken(program: Program, still: str = "p") -> Program:
    """The same program for very many states, between which one input, the parameters, hardly changes."""
    moving = {o.name for o in program.inputs} - {still}
    return _ruled(lower(_ruled(share_reciprocals(program), moving, _simpler)), moving, _fused)


def unchanging(scan: Scan) -> frozenset[int]:
    """The values of a scan's program that are the same at every step."""
    return _still(scan.program, _moving(scan))


def _moving(scan: Scan) -> set[str]:
    return {a for a, _ in scan.carry} | set(scan.stepped_inputs)


def _ruled(program: Program, moving: Set[str], rules: Callable[[Program, Set[int]], Rule[Builder]]) -> Program:
    return rewrite(program, Builder(), rules(program, _still(program, moving)))


def _still(program: Program, moving: Set[str]) -> frozenset[int]:
    """The values that no moving input has a part in."""
    found: set[int] = set()
    for number, line in enumerate(program.code):
        if line.op == "input":
            same = program.inputs[line.args[0]].name not in moving
        else:
            same = found.issuperset(line.args)
        if same:
            found.add(number)
    return frozenset(found)


def _simpler(program: Program, still: Set[int]) -> Rule[Builder]:
    """Choices, and quotients by what does not change."""

    def rule(builder: Builder, number: int, line: Instruction, args: tuple[int, ...]) -> int | None:
        if line.op == "div" and line.args[1] in still and number not in still:
            return builder.emit("mul", args[0], builder.emit("div", builder.const(1.0), args[1]))
        if line.op == "add":
            return _choice(builder, *args)
        return None

    return rule


def _choice(builder: Builder, *terms: int) -> int | None:
    """c ? a : b, if the two terms are c ? a : 0 and c ? 0 : b."""
    zero = builder.const(0.0)
    for first, second in (terms, terms[::-1]):
        s, t = builder.code[first], builder.code[second]
        if s.op == t.op == "select" and s.args[0] == t.args[0] and s.args[2] == zero and t.args[1] == zero:
            return builder.emit("select", s.args[0], s.args[1], t.args[2])
    return None


def _fused(program: Program, still: Set[int]) -> Rule[Builder]:
    """Sums with a product that is made at each step, as one operation; of two products the one that is ready later."""
    ready: list[int] = []  # [cycles] after the step's beginning
    for number, line in enumerate(program.code):
        before = max((ready[a] for a in line.args), default=0) if line.op != "input" else 0
        ready.append(0 if number in still else before + CYCLES.get(line.op, OTHER_CYCLES))

    def rule(builder: Builder, _: int, line: Instruction, args: tuple[int, ...]) -> int | None:
        products = [k for k, a in enumerate(line.args) if program.code[a].op == "mul" and a not in still]
        if line.op not in ("add", "sub") or not products:
            return None
        which = max(products, key=lambda k: ready[line.args[k]])
        product, c = builder.code[args[which]], args[1 - which]
        if product.op != "mul":  # simplified by the builder
            return None
        a, b = product.args
        if line.op == "sub" and which == 0:
            c = builder.emit("neg", c)
        elif line.op == "sub":
            a = builder.emit("neg", a)
        return builder.emit("fma", a, b, c)

    return rule
