"""LLVM IR of straight-line code, `width` states at a time.

Arithmetic is strict: no flag allows reassociation or contraction, so a lane's bits do not depend on the width. `fma` is
an operation of its own.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Set

from closedchain.kernels.program import LIBRARY, Instruction, Program

BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
INTRINSIC = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "copysign": "copysign", "fma": "fma"}
COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
LOGIC = {"and": "and", "or": "or", "eq": "xor", "ne": "xor"}


def literal(value: float, width: int) -> str:
    """A vector constant, to the bit."""
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    return "<" + ", ".join([f"double 0x{bits:016X}"] * width) + ">"


def declarations(*widths: int) -> Iterator[str]:
    """Every external function that code of these different widths may call."""
    for width in widths:
        v = f"<{width} x double>"
        for name in ("sqrt", "fabs", "floor"):
            yield f"declare {v} @llvm.{name}.v{width}f64({v})"
        yield f"declare {v} @llvm.copysign.v{width}f64({v}, {v})"
        yield f"declare {v} @llvm.fma.v{width}f64({v}, {v}, {v})"
        yield f"declare i1 @llvm.vector.reduce.or.v{width}i1(<{width} x i1>)"
    for name, arity in LIBRARY.items():
        yield f"declare double @{name}({', '.join(['double'] * arity)}) nounwind willreturn memory(none) nobuiltin"


def end_to_end(program: Program) -> Code:
    """A program for one state at `ptr %in` and `ptr %out`, tables of its inputs' addresses and all outputs in a row."""

    def load(operand: int, element: int) -> list[str]:
        at = f"%l{operand}.{element}"
        return [f"  {at} = getelementptr double, ptr %in{operand}, i64 {element}", f"load <1 x double>, ptr {at}"]

    def store(result: int, value: str) -> list[str]:
        at = f"%o{result}"
        return [f"  {at} = getelementptr double, ptr %out, i64 {result}", f"  store <1 x double> {value}, ptr {at}"]

    code = Code(program, 1, load, store)
    opening = []
    for operand in range(len(program.inputs)):
        opening.append(f"  %place{operand} = getelementptr ptr, ptr %in, i64 {operand}")
        opening.append(f"  %in{operand} = load ptr, ptr %place{operand}")
    code.lines = opening + code.lines
    return code


class Code:
    """Lines of one straight-line block and the name of each value, as a number and, where it is one, as a truth."""

    def __init__(
        self,
        program: Program,
        width: int,
        load: Callable[[int, int], list[str]],
        store: Callable[[int, str], list[str]] | None = None,
        early: Set[int] = frozenset(),
    ) -> None:
        """`load(operand, element)` gives lines whose last one, without its `%name =`, is the vector's value.

        `store(result, value)` gives the lines that store a result, which follow at once: what is stored early need not
        be held to the end. The values numbered in `early`, which depend on one another only, are left to `self.early`,
        lines to put before the others.
        """
        self.width, self.load = width, load
        self.v, self.b = f"<{width} x double>", f"<{width} x i1>"
        self.lines: list[str] = []
        self._value: dict[int, str] = {}
        self._truth: dict[int, str] = {}
        self._logical: set[int] = set()  # values that are 0 or 1 by their own operation
        places: dict[int, list[int]] = {}
        for result, number in enumerate(program.results):
            places.setdefault(number, []).append(result)
        for number in sorted(early):
            self._write(number, program.code[number])
        self.early, self.lines = self.lines, []
        for number, line in enumerate(program.code):
            if number not in early:
                self._write(number, line)
            if store and number in places:
                name = self.value(number)
                self.lines += [text for result in places[number] for text in store(result, name)]

    def value(self, number: int) -> str:
        """The name of a value as doubles."""
        if number not in self._value:
            one, zero = literal(1.0, self.width), literal(0.0, self.width)
            self._value[number] = self._line(
                f"%v{number}", f"select {self.b} {self._truth[number]}, {self.v} {one}, {self.v} {zero}"
            )
        return self._value[number]

    def truth(self, number: int) -> str:
        """The name of a value as truths: anything but ±0 is true, NaN too."""
        if number not in self._truth:
            zero = literal(0.0, self.width)
            self._truth[number] = self._line(f"%truth{number}", f"fcmp une {self.v} {self.value(number)}, {zero}")
        return self._truth[number]

    def _line(self, name: str, text: str) -> str:
        self.lines.append(f"  {name} = {text}")
        return name

    def _write(self, number: int, line: Instruction) -> None:
        op, args, name = line.op, line.args, f"%v{number}"
        if op == "const":
            self._value[number] = literal(line.value, self.width)
        elif op == "input":
            *before, last = self.load(*args)
            self.lines += before
            self._value[number] = self._line(name, last)
        elif op in BINARY:
            a, b = map(self.value, args)
            self._value[number] = self._line(name, f"{BINARY[op]} {self.v} {a}, {b}")
        elif op == "neg":
            self._value[number] = self._line(name, f"fneg {self.v} {self.value(args[0])}")
        elif op in INTRINSIC:
            given = ", ".join(f"{self.v} {self.value(a)}" for a in args)
            self._value[number] = self._line(name, f"call {self.v} @llvm.{INTRINSIC[op]}.v{self.width}f64({given})")
        elif op in LIBRARY:
            self._value[number] = self._call(number, op, args)
        else:
            self._choose(number, op, args)

    def _choose(self, number: int, op: str, args: tuple[int, ...]) -> None:
        """Comparisons, logic, select, min and max."""
        name, truth = f"%v{number}", f"%truth{number}"
        if op in COMPARE or op in LOGIC or op == "not":
            self._logical.add(number)
        if op in LOGIC and (op in ("and", "or") or all(a in self._logical for a in args)):
            a, b = map(self.truth, args)
            if op == "eq":
                b = self._line(f"%n{number}", f"xor {self.b} {b}, {self._all_true()}")
            self._truth[number] = self._line(truth, f"{LOGIC[op]} {self.b} {a}, {b}")
        elif op in COMPARE:
            a, b = map(self.value, args)
            self._truth[number] = self._line(truth, f"fcmp {COMPARE[op]} {self.v} {a}, {b}")
        elif op == "not":
            self._truth[number] = self._line(truth, f"xor {self.b} {self.truth(args[0])}, {self._all_true()}")
        elif op == "select":
            c, a, b = self.truth(args[0]), self.value(args[1]), self.value(args[2])
            self._value[number] = self._line(name, f"select {self.b} {c}, {self.v} {a}, {self.v} {b}")
        else:  # min, max: the first if it is beyond the second, which is one instruction, or NaN; else the second
            a, b = map(self.value, args)
            beyond = self._line(f"%n{number}", f"fcmp {'olt' if op == 'min' else 'ogt'} {self.v} {a}, {b}")
            chosen = self._line(f"%m{number}", f"select {self.b} {beyond}, {self.v} {a}, {self.v} {b}")
            nan = self._line(f"%f{number}", f"fcmp uno {self.v} {a}, {a}")
            self._value[number] = self._line(name, f"select {self.b} {nan}, {self.v} {a}, {self.v} {chosen}")

    def _all_true(self) -> str:
        return "<" + ", ".join(["i1 true"] * self.width) + ">"

    def _call(self, number: int, op: str, args: tuple[int, ...]) -> str:
        """A C library function, lane by lane."""
        vectors = [self.value(a) for a in args]
        result = "poison"
        for lane in range(self.width):
            given = [
                "double " + self._line(f"%x{number}.{lane}.{k}", f"extractelement {self.v} {vector}, i32 {lane}")
                for k, vector in enumerate(vectors)
            ]
            y = self._line(f"%y{number}.{lane}", f"call double @{op}({', '.join(given)})")
            name = f"%v{number}" if lane == self.width - 1 else f"%w{number}.{lane}"
            result = self._line(name, f"insertelement {self.v} {result}, double {y}, i32 {lane}")
        return result
