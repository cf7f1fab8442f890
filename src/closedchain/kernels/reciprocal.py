"""Quotients that share a divisor: one division, and a product for each.

    x / d, y / d  →  r = 1 / d, x · r, y · r

A division takes a processor five times as long as a product, and CasADi writes every product with a reciprocal as a
quotient. Each result is off by less than 1.5 ulp instead of 0.5, where d and 1/d are normal numbers.
"""

from __future__ import annotations

from collections import Counter

from closedchain.kernels.build import Builder, rewrite
from closedchain.kernels.program import Instruction, Program


def share_reciprocals(program: Program) -> Program:
    """The same program with one division for each divisor that several quotients have."""
    divisors = Counter(line.args[1] for line in program.code if line.op == "div")

    def rule(builder: Builder, _: int, line: Instruction, args: tuple[int, ...]) -> int | None:
        if line.op != "div" or divisors[line.args[1]] == 1:
            return None
        return builder.emit("mul", args[0], builder.emit("div", builder.const(1.0), args[1]))

    return rewrite(program, Builder(), rule)
