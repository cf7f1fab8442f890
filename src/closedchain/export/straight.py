"""Programs as straight-line source text, for languages whose expressions are C's.

Every operation is written as it is compiled, trigonometry included, so that IEEE arithmetic gives the same bits. Calls
of the C library (exp, log, tanh, …) are the other language's own and may differ in the last digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from closedchain.errors import ClosedChainError
from closedchain.kernels.lower import lower
from closedchain.kernels.program import Instruction, Program

ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
COMPARE = {"lt": "<", "le": "<="}
LOGIC = {"and": "&&", "or": "||"}
DEEPEST = 24  # operations nested in one expression


class CannotWrite(ClosedChainError, ValueError):
    """An operation that the other language has no word for."""


@dataclass(frozen=True)
class Language:
    """How one language says what is not the same in all of them."""

    name: str
    number: str  # the declaration of a double: "const double"
    truth: str  # the declaration of a truth
    equal: str
    unequal: str
    literal: Callable[[float], str]
    functions: Mapping[str, str]  # operation → function
    nested: bool = False  # whether values that are used once stand where they are used
    operators: Mapping[str, str] = field(default_factory=dict)  # further operations that are operators here


def body(program: Program, language: Language, read: Callable[[int, int], str]) -> tuple[list[str], list[str]]:
    """The lines that compute a program, and the expression of each result.

    `read(operand, element)` is the text of an input's element.
    """
    writer = _Writer(lower(program), language, read)
    return writer.lines, [writer.value(r) for r in writer.program.results]


class _Writer:
    """One program: a name or an expression for each value, as a number and, where it is one, as a truth."""

    def __init__(self, program: Program, language: Language, read: Callable[[int, int], str]) -> None:
        self.program, self.language, self.read = program, language, read
        self.lines: list[str] = []
        self._value: dict[int, str] = {}
        self._truth: dict[int, str] = {}
        self._depth: dict[int, int] = {}
        self._again: dict[int, str] = {}
        self._uses = Counter(a for line in program.code if line.op != "input" for a in line.args)
        self._uses.update(program.results)
        for number, line in enumerate(program.code):
            self._write(number, line)

    def value(self, number: int) -> str:
        """The text of a value as a double."""
        if number not in self._value:
            one, zero = self.language.literal(1.0), self.language.literal(0.0)
            return f"({self._truth[number]} ? {one} : {zero})"
        return self._value[number]

    def truth(self, number: int) -> str:
        """The text of a value as a truth: anything but ±0 is true, NaN too."""
        if number not in self._truth:
            return f"({self._value[number]} {self.language.unequal} {self.language.literal(0.0)})"
        return self._truth[number]

    def _write(self, number: int, line: Instruction) -> None:
        if line.op == "const":
            self._value[number] = self.language.literal(line.value)
        elif line.op == "input":
            self._keep(number, self.read(*line.args), ())
        elif line.op in COMPARE or line.op in LOGIC or line.op in ("eq", "ne", "not"):
            self._keep(number, self._condition(line), line.args, truth=True)
        else:
            self._keep(number, self._expression(line), line.args)

    def _keep(self, number: int, text: str, args: tuple[int, ...], truth: bool = False) -> None:
        """Name a value, or hold its text for the one place where it is used."""
        depth = 1 + max((self._depth.get(a, 0) for a in args), default=0)
        held = self._truth if truth else self._value
        repeats = self.program.code[number].op in ("min", "max", "input")  # written twice, or to be read first
        if self.language.nested and self._uses[number] == 1 and depth < DEEPEST and not repeats:
            held[number], self._depth[number] = f"({text})", depth
            return
        name = f"{'b' if truth else 'v'}{number}"
        self.lines.append(f"{self.language.truth if truth else self.language.number} {name} = {text};")
        held[number] = name

    def _condition(self, line: Instruction) -> str:
        args, say = line.args, self.language
        if line.op == "not":
            return f"!{self.truth(args[0])}"
        if line.op in LOGIC:
            return f"{self.truth(args[0])} {LOGIC[line.op]} {self.truth(args[1])}"
        sign = {"eq": say.equal, "ne": say.unequal, **COMPARE}[line.op]
        if line.op in ("eq", "ne") and all(a in self._truth for a in args):
            return f"{self._truth[args[0]]} {sign} {self._truth[args[1]]}"
        return f"{self.value(args[0])} {sign} {self.value(args[1])}"

    def _expression(self, line: Instruction) -> str:
        op, say = line.op, self.language
        if op == "select":
            return f"{self.truth(line.args[0])} ? {self.value(line.args[1])} : {self.value(line.args[2])}"
        if op in ("min", "max"):  # the first if it is beyond the second or NaN, else the second
            a, b = self._named(line.args[0]), self._named(line.args[1])
            return f"({a} {'<' if op == 'min' else '>'} {b} || {a} {say.unequal} {a}) ? {a} : {b}"
        args = [self.value(a) for a in line.args]
        if op in ARITHMETIC or op in say.operators:
            return f"{args[0]} {ARITHMETIC.get(op) or say.operators[op]} {args[1]}"
        if op == "neg":
            return f"-{args[0]}"
        if op not in say.functions:
            raise CannotWrite(f"program {self.program.name!r}: {say.name} has no function {op!r}")
        return f"{say.functions[op]}({', '.join(args)})"

    def _named(self, number: int) -> str:
        """The value under a name of its own, since it is written more than once."""
        text = self.value(number)
        if not text.startswith("("):
            return text
        if number not in self._again:
            self._again[number] = f"w{number}"
            self.lines.append(f"{self.language.number} w{number} = {text};")
        return self._again[number]


def results_by_output(program: Program, results: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(name of an output, the expressions of its elements)."""
    start = 0
    for o in program.outputs:
        yield o.name, results[start : start + o.size]
        start += o.size
