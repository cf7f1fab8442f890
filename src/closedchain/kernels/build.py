"""Write a program instruction by instruction; equal expressions get one value, dead ones are left out.

Simplifications are those which keep every bit (x·1, x−0, −(−x), constants of exact operations), so a built program
means what was written, in IEEE arithmetic.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeGuard, TypeVar

import numpy as np

from closedchain.kernels.program import EXACT, MEANING, Instruction, Operand, Program

COMMUTATIVE = frozenset({"add", "mul", "eq", "ne", "and", "or"})
_Key = tuple[str, tuple[int, ...], bytes]
B = TypeVar("B", bound="Builder")


class Builder:
    """An open program: `emit` returns value numbers, `finish` closes it."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self._seen: dict[_Key, int] = {}

    def const(self, value: float) -> int:
        """The number of a constant."""
        return self._number(Instruction("const", (), float(value)))

    def input(self, operand: int, element: int) -> int:
        """The number of one element of one input."""
        return self._number(Instruction("input", (operand, element)))

    def emit(self, op: str, *args: int) -> int:
        """The number of op(*args): an earlier equal value, a folded constant, or a new instruction."""
        constants = [self._constant(a) for a in args]
        if op in EXACT:
            if all(c is not None for c in constants):
                with np.errstate(all="ignore"):
                    return self.const(float(MEANING[op](*map(np.float64, constants))))
            same = self._simpler(op, args, constants)
            if same is not None:
                return same
        if op in COMMUTATIVE:
            args = tuple(sorted(args))
        return self._number(Instruction(op, args))

    def finish(
        self, name: str, inputs: Sequence[Operand], outputs: Sequence[Operand], results: Sequence[int]
    ) -> Program:
        """The program that computes `results`, without the instructions which nothing uses."""
        used = set(results)
        for number in range(len(self.code) - 1, -1, -1):
            if number in used and self.code[number].op != "input":
                used.update(self.code[number].args)
        place = {old: new for new, old in enumerate(sorted(used))}
        code = []
        for old in place:
            line = self.code[old]
            args = line.args if line.op == "input" else tuple(place[a] for a in line.args)
            code.append(Instruction(line.op, args, line.value))
        return Program(name, tuple(inputs), tuple(outputs), tuple(code), tuple(place[r] for r in results))

    def _constant(self, number: int) -> float | None:
        line = self.code[number]
        return line.value if line.op == "const" else None

    def _number(self, line: Instruction) -> int:
        key = (line.op, line.args, struct.pack("<d", line.value))  # bits: -0.0 is not 0.0, NaN is itself
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = len(self.code)
            self.code.append(line)
        return found

    def _simpler(self, op: str, args: tuple[int, ...], constants: list[float | None]) -> int | None:
        """An equal value, to the bit, that needs no new work or less."""
        if op == "neg" and self.code[args[0]].op == "neg":
            return self.code[args[0]].args[0]
        if op == "select" and constants[0] is not None:
            return args[1] if constants[0] != 0.0 else args[2]
        if op == "select" and args[1] == args[2]:
            return args[1]
        if op == "select" and self.code[args[0]].op == "not":
            return self.emit("select", self.code[args[0]].args[0], args[2], args[1])
        if op in ("mul", "div") and constants[1] == 1.0:
            return args[0]
        if op in ("mul", "div") and constants[1] == -1.0:
            return self.emit("neg", args[0])
        if op == "mul" and constants[0] in (1.0, -1.0):
            return self.emit("mul", args[1], args[0])
        if op == "div" and _is_power_of_two(constants[1]):
            return self.emit("mul", args[0], self.const(1.0 / constants[1]))
        if op == "sub" and _is_zero(constants[1], +1.0):
            return args[0]
        if op == "add":
            return self._simpler_sum(args, constants)
        if op == "sub" and self.code[args[1]].op == "neg":
            return self.emit("add", args[0], self.code[args[1]].args[0])
        return None

    def _simpler_sum(self, args: tuple[int, ...], constants: list[float | None]) -> int | None:
        a, b = args
        if _is_zero(constants[1], -1.0):
            return a
        if _is_zero(constants[0], -1.0):
            return b
        if self.code[b].op == "neg":
            return self.emit("sub", a, self.code[b].args[0])
        if self.code[a].op == "neg":
            return self.emit("sub", b, self.code[a].args[0])
        return None


Rule = Callable[[B, int, Instruction, tuple[int, ...]], int | None]
"""(builder, number, instruction, its arguments in the builder) → the value instead, or None to copy it."""


def rewrite(program: Program, builder: B, rule: Rule[B]) -> Program:
    """The program written anew by the builder, marks and all, with what a rule puts in the place of operations."""
    place: list[int] = []
    for number, line in enumerate(program.code):
        if line.op == "const":
            place.append(builder.const(line.value))
        elif line.op == "input":
            place.append(builder.input(*line.args))
        else:
            args = tuple(place[a] for a in line.args)
            found = rule(builder, number, line, args)
            place.append(builder.emit(line.op, *args) if found is None else found)
    made = builder.finish(program.name, program.inputs, program.outputs, [place[r] for r in program.results])
    return replace(made, single=program.single, rounded=program.rounded)


def _is_power_of_two(value: float | None) -> TypeGuard[float]:
    """Whether dividing by the value is, to the bit, a product with its reciprocal."""
    return value is not None and abs(math.frexp(value)[0]) == 0.5 and 2.0**-1022 <= abs(value) <= 2.0**1022


def _is_zero(value: float | None, sign: float) -> bool:
    return value == 0.0 and math.copysign(1.0, value) == sign
