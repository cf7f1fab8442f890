"""One division for all values with the same denominator.

A division costs as much as five to ten products, and dynamics divide by the same few determinants and pivots again and
again. x · (1/d) is within 1.5 ulp of x/d, where a division is within 0.5.
"""

from __future__ import annotations

from collections import Counter

from closedchain.kernels.build import Builder
from closedchain.kernels.program import Program

SHARED = 2  # divisions by one denominator from which its reciprocal is taken


def share_reciprocals(program: Program) -> Program:
    """The same program where a denominator of several values is inverted once and then multiplied with."""
    divisions = Counter(line.args[1] for line in program.code if line.op == "div")
    if not any(count >= SHARED for count in divisions.values()):
        return program
    builder = Builder()
    number: list[int] = []
    for line in program.code:
        if line.op == "const":
            number.append(builder.const(line.value))
        elif line.op == "input":
            number.append(builder.input(*line.args))
        elif line.op == "div" and divisions[line.args[1]] >= SHARED:
            top, bottom = (number[a] for a in line.args)
            number.append(builder.emit("mul", top, builder.emit("div", builder.const(1.0), bottom)))
        else:
            number.append(builder.emit(line.op, *(number[a] for a in line.args)))
    return builder.finish(program.name, program.inputs, program.outputs, [number[r] for r in program.results])
