"""Straight-line programs: what the symbolic side hands over and the compiler takes.

A program is a list of instructions in single-assignment form: an instruction's index is the number of its value, and
its arguments are smaller numbers. Everything is a double; a truth value is 0.0 or 1.0, and any nonzero double (NaN too)
counts as true.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.errors import ClosedChainError

Doubles = NDArray[np.float64]

EXACT = {  # correctly rounded or exact: the same bits on every machine
    "add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "sqrt": 1, "abs": 1, "min": 2, "max": 2, "floor": 1,
    "copysign": 2, "fma": 3, "lt": 2, "le": 2, "eq": 2, "ne": 2, "and": 2, "or": 2, "not": 1, "select": 3,
}  # fmt: skip
TRIGONOMETRIC = {"sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2}  # lowered to exact ones
LIBRARY = {  # calls of the C library, element by element
    "exp": 1, "expm1": 1, "log": 1, "log1p": 1, "pow": 2, "sinh": 1, "cosh": 1, "tanh": 1, "asinh": 1, "acosh": 1,
    "atanh": 1, "hypot": 2, "fmod": 2, "remainder": 2, "erf": 1,
}  # fmt: skip
ARITY = {"const": 0, "input": 2} | EXACT | TRIGONOMETRIC | LIBRARY


class BadProgram(ClosedChainError, ValueError):
    """A program breaks its own rules: an unknown operation, a wrong argument, a wrong number of results."""


@dataclass(frozen=True)
class Operand:
    """A named array of a program; its elements are counted in row-major order, a size may be 0."""

    name: str
    shape: tuple[int, ...] = ()  # (), (n,) or (n, m)

    @property
    def size(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation on earlier values; `input` takes (operand, element), `const` its value."""

    op: str
    args: tuple[int, ...] = ()
    value: float = 0.0


@dataclass(frozen=True)
class Program:
    """outputs = code(inputs), element by element."""

    name: str
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    code: tuple[Instruction, ...]
    results: tuple[int, ...]  # the values of all output elements, in order
    single: bool = False  # whether to compile it for one state, too, for `Library.fast`
    rounded: bool = False  # whether compiled code rounds the outputs to float32 as it stores them

    def __post_init__(self) -> None:
        check(self)

    @cached_property
    def text(self) -> str:
        """Canonical text, one line per operand and instruction; equal programs have equal texts."""
        lines = [f"program {self.name}{' single' * self.single}{' rounded' * self.rounded}"]
        lines += [f"in {o.name} {' '.join(map(str, o.shape))}".rstrip() for o in self.inputs]
        lines += [f"%{i} = {_words(line)}" for i, line in enumerate(self.code)]
        start = 0
        for o in self.outputs:
            values = " ".join(f"%{v}" for v in self.results[start : start + o.size])
            lines.append(f"out {o.name} {' '.join(map(str, o.shape))}: {values}".rstrip())
            start += o.size
        return "\n".join(lines) + "\n"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def _words(line: Instruction) -> str:
    if line.op == "const":
        return f"const {float(line.value).hex()}"
    if line.op == "input":
        return f"input {line.args[0]} {line.args[1]}"
    return " ".join([line.op, *(f"%{a}" for a in line.args)])


def check(program: Program) -> None:
    """Raise BadProgram unless names, shapes, operations and value numbers fit together."""
    where = f"program {program.name!r}"
    if not (program.name.isidentifier() and program.name.isascii()):
        raise BadProgram(f"{where}: a name must be a plain identifier such as 'forward_dynamics'.")
    if program.single and program.rounded:
        raise BadProgram(f"{where}: code for one state gives doubles; it cannot be rounded, too.")
    for group, operands in (("input", program.inputs), ("output", program.outputs)):
        names = [o.name for o in operands]
        if len(set(names)) != len(names):
            raise BadProgram(f"{where}: {group} names {names} are not all different.")
        for o in operands:
            if len(o.shape) > 2 or any(n < 0 for n in o.shape):
                raise BadProgram(f"{where}: {group} {o.name!r} has shape {o.shape}; use (), (n,) or (n, m).")
    for number, line in enumerate(program.code):
        _check_instruction(program, number, line, where)
    wanted = sum(o.size for o in program.outputs)
    if len(program.results) != wanted:
        raise BadProgram(f"{where}: {len(program.results)} results for {wanted} output elements.")
    if any(not 0 <= r < len(program.code) for r in program.results):
        raise BadProgram(f"{where}: a result names no value; values are 0..{len(program.code) - 1}.")


def _check_instruction(program: Program, number: int, line: Instruction, where: str) -> None:
    if line.op not in ARITY:
        raise BadProgram(f"{where}: %{number} uses {line.op!r}; known operations are {', '.join(ARITY)}.")
    if len(line.args) != ARITY[line.op]:
        raise BadProgram(f"{where}: %{number} = {line.op} takes {ARITY[line.op]} arguments, not {len(line.args)}.")
    if line.op == "input":
        operand, element = line.args
        if not (0 <= operand < len(program.inputs) and 0 <= element < program.inputs[operand].size):
            raise BadProgram(f"{where}: %{number} reads element {element} of input {operand}, which does not exist.")
    elif any(not 0 <= a < number for a in line.args):
        raise BadProgram(f"{where}: %{number} = {line.op} uses {line.args}; only earlier values exist.")


def _truth(x: Doubles) -> NDArray[np.bool_]:
    return np.not_equal(x, 0.0)


def _remainder(a: float, b: float) -> float:
    return math.remainder(a, b) if math.isfinite(a) and b != 0.0 else math.nan


def _fma(a: float, b: float, c: float) -> float:
    """a·b + c rounded once."""
    if not all(map(math.isfinite, (a, b, c))):
        return c if math.isfinite(a) and math.isfinite(b) else a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return 0.0 if a and b else a * b + c  # the sign of a zero
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _double(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: np.asarray(f(*args), dtype=np.float64)


MEANING: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "sqrt": np.sqrt,
    "abs": np.abs, "floor": np.floor, "copysign": np.copysign,
    "fma": np.vectorize(_fma, otypes=[float]),
    "min": lambda a, b: np.where((a < b) | (a != a), a, b),  # a NaN wins; of two equal zeros the second
    "max": lambda a, b: np.where((a > b) | (a != a), a, b),
    "lt": _double(np.less), "le": _double(np.less_equal), "eq": _double(np.equal), "ne": _double(np.not_equal),
    "and": _double(lambda a, b: _truth(a) & _truth(b)), "or": _double(lambda a, b: _truth(a) | _truth(b)),
    "not": _double(lambda a: a == 0.0), "select": lambda c, a, b: np.where(_truth(c), a, b),
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "atan2": np.arctan2, "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "pow": np.power,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "hypot": np.hypot, "fmod": np.fmod,
    "remainder": np.vectorize(_remainder, otypes=[float]), "erf": np.vectorize(math.erf, otypes=[float]),
}  # fmt: skip


def run(program: Program, *arrays: ArrayLike) -> tuple[Doubles, ...]:
    """Interpret a program with NumPy in doubles, for any batch: inputs (*batch, *shape) -> outputs (*batch, *shape)."""
    values = _bind(program, arrays)
    batch = np.broadcast_shapes(
        *(v.shape[: v.ndim - len(o.shape)] for v, o in zip(values, program.inputs, strict=True))
    )
    flat = [v.reshape(*v.shape[: v.ndim - len(o.shape)], o.size) for v, o in zip(values, program.inputs, strict=True)]
    done: list[Any] = []
    with np.errstate(all="ignore"):
        for line in program.code:
            if line.op == "const":
                done.append(np.float64(line.value))
            elif line.op == "input":
                done.append(flat[line.args[0]][..., line.args[1]])
            else:
                done.append(MEANING[line.op](*(done[a] for a in line.args)))
    outputs, start = [], 0
    for o in program.outputs:
        out = np.empty((*batch, o.size))
        for k, r in enumerate(program.results[start : start + o.size]):
            out[..., k] = done[r]
        outputs.append(out.reshape(batch + o.shape))
        start += o.size
    return tuple(outputs)


def _bind(program: Program, arrays: Sequence[ArrayLike]) -> list[Doubles]:
    if len(arrays) != len(program.inputs):
        names = ", ".join(o.name for o in program.inputs)
        raise BadProgram(f"program {program.name!r} takes {len(program.inputs)} arrays ({names}), not {len(arrays)}.")
    values = [np.asarray(a, dtype=np.float64) for a in arrays]
    for v, o in zip(values, program.inputs, strict=True):
        if v.shape[v.ndim - len(o.shape) :] != o.shape or v.ndim < len(o.shape):
            raise BadProgram(f"program {program.name!r}: {o.name} has shape {v.shape}; it must end in {o.shape}.")
    return values
