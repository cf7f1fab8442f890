"""Programs with numbers in the place of inputs: a target has one robot, and its constants are part of the code."""

from __future__ import annotations

from collections.abc import Mapping

from closedchain.arrays import Doubles
from closedchain.kernels.build import Builder
from closedchain.kernels.program import Program


def baked(program: Program, constants: Mapping[str, Doubles], name: str = "") -> Program:
    """The same program without these inputs; what they alone decide is computed now, to the same bits."""
    builder, place = Builder(), list[int]()
    kept = [o for o in program.inputs if o.name not in constants]
    where = {o.name: i for i, o in enumerate(kept)}
    for line in program.code:
        if line.op == "const":
            place.append(builder.const(line.value))
        elif line.op == "input":
            operand, element = program.inputs[line.args[0]], line.args[1]
            given = constants.get(operand.name)
            found = builder.input(where[operand.name], element) if given is None else builder.const(given.flat[element])
            place.append(found)
        else:
            place.append(builder.emit(line.op, *(place[a] for a in line.args)))
    return builder.finish(name or program.name, kept, program.outputs, [place[r] for r in program.results])
