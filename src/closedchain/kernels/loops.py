"""A small Python for loops, compiled: functions of a module over integers, doubles, complex numbers and their arrays.

What is written is Python and runs as such, so an algorithm can be read, tested and traced; compiled it runs as C would.
The words: assignments, `for … in range(…)`, `while`, `if`, `break`, `continue`, `return`, arithmetic, comparisons,
conditional expressions, `abs`, `min`, `max`, `sqrt`, `abs2`, calls of other functions of the module. Arguments are
annotated `int`, `float`, or as arrays, those with several axes with the lengths of all but the first:

    def product(n: int, A: Annotated[Reals, "n"], x: Reals, y: Reals) -> None:

`A[i, j]` is a number; as arguments `A[i]` is a row and `A[i:]` are the rows from there on. Arrays must not overlap.

Each element of `RealLanes` and `ComplexLanes` is LANES numbers side by side, on which arithmetic, `sqrt`, `abs` and
`abs2` act at once, in one instruction where the processor has it. Comparisons give masks, joined by `&` and `|`;
`where(mask, a, b)` chooses lane by lane, `some(mask)` asks for any, `lanes(a)` repeats a number; `z[i, lane]` is one of
them. As Python these arrays have a last axis of LANES; compiled code takes complex ones as `in_lanes` makes them.
"""

from __future__ import annotations

import ast
import ctypes
import importlib
import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedchain.errors import ClosedChainError
from closedchain.kernels.objects import load_object

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]
Complexes = NDArray[np.complex128]
RealLanes = NDArray[np.float64]
ComplexLanes = NDArray[np.complex128]

LANES = 8
ARRAYS = {
    "Integers": "int",
    "Reals": "float",
    "Complexes": "complex",
    "RealLanes": "floats",
    "ComplexLanes": "complexes",
}
PLAIN = {"int": ctypes.c_int64, "float": ctypes.c_double}
RETURNED = {"None": None, "int": ctypes.c_int64, "float": ctypes.c_double}


class CannotCompile(ClosedChainError, ValueError):
    """A function uses a word that the small Python does not have."""


def abs2(z: complex) -> float:
    """|z|²."""
    return z.real * z.real + z.imag * z.imag


def sqrt(x: Any) -> Any:
    """√x, of a number or of lanes."""
    return np.sqrt(x)


def where(mask: Any, a: Any, b: Any) -> Any:
    """a where the mask holds, b elsewhere."""
    return np.where(mask, a, b)


def some(mask: Any) -> bool:
    """Whether a mask holds in any lane."""
    return bool(np.any(mask))


def lanes(x: Any) -> Any:
    """A number in every lane."""
    return np.full(LANES, x)


def in_lanes(*shape: int) -> Reals:
    """Room for lanes as compiled code lays them out, (*shape, LANES); complex ones are real parts, then imaginary ones.

    It begins where a line of the processor's cache does: a load across two lines costs twice.
    """
    count = math.prod(shape) * LANES
    memory = np.zeros(count + LANES)
    start = -(memory.__array_interface__["data"][0] // 8) % LANES
    return memory[start : start + count].reshape(*shape, LANES)


@dataclass(frozen=True)
class Argument:
    """A number, or an array with the lengths of its axes after the first, as expressions."""

    name: str
    kind: str  # int, float, complex, floats or complexes
    axes: tuple[str, ...] | None  # None for a number


@dataclass(frozen=True)
class Function:
    """A function's tree, its arguments and what it returns."""

    name: str
    tree: ast.FunctionDef
    arguments: tuple[Argument, ...]
    returns: str


def functions_of(source: str) -> dict[str, Function]:
    """Every function of a module's text."""
    trees = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return {tree.name: _signature(tree) for tree in trees}


def _signature(tree: ast.FunctionDef) -> Function:
    arguments = tuple(_argument(tree.name, a) for a in tree.args.args)
    returns = ast.unparse(tree.returns) if tree.returns else "None"
    if returns not in RETURNED:
        raise CannotCompile(f"{tree.name}: it returns {returns}; int, float and None are known")
    return Function(tree.name, tree, arguments, returns)


def _argument(function: str, argument: ast.arg) -> Argument:
    match argument.annotation:
        case ast.Name(id=kind) if kind in PLAIN:
            return Argument(argument.arg, kind, None)
        case ast.Name(id=kind) if kind in ARRAYS:
            return Argument(argument.arg, ARRAYS[kind], ())
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Name(id=kind), *axes])) if kind in ARRAYS:
            lengths = tuple(str(a.value) for a in axes if isinstance(a, ast.Constant))
            return Argument(argument.arg, ARRAYS[kind], lengths)
    raise CannotCompile(f"{function}: the argument {argument.arg} has no annotation that is known")


def constants_of(source: str) -> dict[str, float | int]:
    """The module's numbers, assigned once."""
    found: dict[str, float | int] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign):
            for name, value in _assigned(node):
                match name, value:
                    case ast.Name(id=word), ast.Constant(value=int() | float() as number):
                        found[word] = number
    return found


def _assigned(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def compile_module(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions of a module, compiled (once; kept in the user's cache folder); arrays are passed as they are."""
    source = inspect.getsource(module)
    functions = functions_of(source)
    symbols = {name: f"{module.__name__}.{name}" for name in functions}

    def compile_now() -> bytes:
        writer = importlib.import_module("closedchain.kernels.loops_ir")  # brings llvmlite's writer of IR
        code: bytes = writer.compile_object(source, module.__name__)
        return code

    addresses = load_object(f"loops {module.__name__} {source}", compile_now, tuple(symbols.values()))
    return {name: _callable(f, addresses[symbols[name]]) for name, f in functions.items()}


def address_of(array: NDArray[Any]) -> ctypes.c_void_p:
    """Where an array lies, for many calls: whoever takes it keeps the array alive."""
    address: ctypes.c_void_p = _Address.from_param(array)
    return address


def _callable(function: Function, address: int) -> Callable[..., Any]:
    kinds: list[Any] = [_Address if a.axes is not None else PLAIN[a.kind] for a in function.arguments]
    return ctypes.CFUNCTYPE(RETURNED[function.returns], *kinds)(address)


class _Address(ctypes.c_void_p):
    """An array's address."""

    @classmethod
    def from_param(cls, array: Any) -> Any:
        if isinstance(array, ctypes.c_void_p):
            return array
        if not array.flags.c_contiguous:
            raise ValueError("an array whose numbers do not lie one after another has no place for compiled code")
        return ctypes.c_void_p(array.__array_interface__["data"][0])
