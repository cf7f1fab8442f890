"""Compiled programs as plain Python functions of one state, at the speed of a C extension.

A gufunc serves any batch, but NumPy spends 2 µs on finding out that there is none. A function made here takes arrays of
exactly the core shapes, reads them where they lie and returns new arrays; everything else it hands to a fallback.
It needs to know how CPython and NumPy lay out their objects: where a trial shows anything unexpected, the fallback
itself is returned.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from closedchain.errors import ClosedChainError
from closedchain.kernels.block import INSIDE, POINTER, Argument, Array, Block, Result
from closedchain.kernels.program import Doubles
from closedchain.kernels.signature import Array as Operand
from closedchain.kernels.signature import Signature

METH_FASTCALL = 0x80
ARRAY_TYPE, NEW_ARRAY = 2, 93  # PyArray_Type and PyArray_New in NumPy's _ARRAY_API table, part of its stable ABI
GUARD = "margin"  # the output that a guard looks at
MOST = 1024  # elements of all outputs, which lie on the stack


class CannotBind(ClosedChainError, ValueError):
    """The names or arrays given for a fast function do not fit its program."""


class _Method(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (("name", ctypes.c_char_p), ("function", POINTER), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


class _Bound(bytes):
    """A block of words, the `self` of a function; its attribute holds whatever the block points to."""

    held: tuple[object, ...]


@dataclass(frozen=True)
class Machine:
    """Machine code of one program: what it takes and gives, the function Python calls, and the code for one state."""

    signature: Signature
    function: int  # address
    kernel: int  # address
    doc: str = ""

    def bind(
        self,
        fallback: Callable[..., Any],
        *,
        constants: Mapping[str, Doubles],
        guard: float | None,
        takes: Sequence[str] | None,
        gives: Sequence[str] | None,
        result: type[tuple[Any, ...]] | None,
    ) -> Callable[..., Any]:
        """A function of the arrays `takes` giving `gives`; see Library.fast."""
        inputs, outputs = self.signature.inputs, self.signature.outputs
        takes = [a.name for a in inputs if a.name not in constants] if takes is None else takes
        gives = [a.name for a in outputs if guard is None or a.name != GUARD] if gives is None else gives
        self._check(takes, gives, constants, guard)
        if not usable() or sum(_size(a) for a in outputs) > MOST:
            return fallback
        bound = {name: _constant(self._input(name), value) for name, value in constants.items()}
        head = self._head(fallback, guard)
        head.tuples = result is not None or len(gives) > 1
        head.tuple_type = None if result in (None, tuple) else id(result)
        tables = _arguments(inputs, takes), _results(outputs, gives), _places(inputs, bound)
        block = _Bound(_join(head, *tables))
        method = _Method(self.signature.name.encode(), self.function, METH_FASTCALL, self.doc.encode())
        block.held = (fallback, result, bound, method)
        return _new_function()(ctypes.byref(method), block, None)

    def _check(
        self, takes: Sequence[str], gives: Sequence[str], constants: Mapping[str, Doubles], guard: float | None
    ) -> None:
        name, known = self.signature.name, {a.name for a in self.signature.inputs if not a.empty}
        twice = [n for n in (*takes, *constants) if [*takes, *constants].count(n) > 1]
        missing = known - set(takes) - set(constants)
        if twice or missing or not set(constants) <= {a.name for a in self.signature.inputs}:
            given = ", ".join((*takes, *constants))
            raise CannotBind(f"{name} takes {', '.join(sorted(known))}, each once; given and bound are {given}.")
        if not gives or len(set(gives)) != len(gives):
            raise CannotBind(f"{name}: results {list(gives)}; name one or more, each once.")
        if guard is not None and not any(a.name == GUARD and not a.dims for a in self.signature.outputs):
            raise CannotBind(f"{name} has no scalar output {GUARD!r} to guard.")

    def _input(self, name: str) -> Operand:
        return next(a for a in self.signature.inputs if a.name == name)

    def _head(self, fallback: object, guard: float | None) -> Block:
        outputs = self.signature.outputs
        total, at = sum(_size(a) for a in outputs), _firsts(outputs)
        api = ctypes.pythonapi
        table = _array_api()
        return Block(
            array_type=table[ARRAY_TYPE],
            double=id(np.dtype(np.float64)),
            new_array=table[NEW_ARRAY],
            new_tuple=_address(api.PyTuple_New),
            allocate=_address(api.PyType_GenericAlloc),
            set_item=_address(api.PyTuple_SetItem),
            new_float=_address(api.PyFloat_FromDouble),
            vectorcall=_address(api.PyObject_Vectorcall),
            release=_address(api.Py_DecRef),
            kernel=self.kernel,
            fallback=id(fallback),
            inputs=len(self.signature.inputs),
            outputs=total,
            guard=total if guard is None else at[GUARD],
            tolerance=0.0 if guard is None else guard,
        )


def _join(head: Block, arguments: Any, results: Any, places: Any) -> bytes:
    """The block's head and tables end to end."""
    head.arguments, head.results = len(arguments), len(results)
    head.arguments_at = ctypes.sizeof(Block)
    head.results_at = head.arguments_at + ctypes.sizeof(arguments)
    head.inputs_at = head.results_at + ctypes.sizeof(results)
    return bytes(head) + bytes(arguments) + bytes(results) + bytes(places)


def _arguments(inputs: Sequence[Operand], takes: Sequence[str]) -> Any:
    """What is expected of each argument; one that the program does not have must be an empty vector."""
    slots = {a.name: k for k, a in enumerate(inputs)}
    shapes = {a.name: a.dims for a in inputs}
    rows = [(shapes.get(name, (0,)), slots.get(name, len(inputs))) for name in takes]
    return (Argument * len(rows))(*(Argument(len(s), *_two(s), slot) for s, slot in rows))


def _results(outputs: Sequence[Operand], gives: Sequence[str]) -> Any:
    """What is made; a result that the program does not have is an empty vector."""
    found, at = {a.name: a for a in outputs}, _firsts(outputs)
    rows = []
    for name in gives:
        a = found.get(name, Operand(name, (0,)))
        rows.append(Result(len(a.dims) or -1, _two(a.dims), at.get(name, 0), _size(a)))
    return (Result * len(rows))(*rows)


def _places(inputs: Sequence[Operand], bound: Mapping[str, Doubles]) -> Any:
    """Addresses of the bound inputs, one for each input and one for what nobody reads."""
    return (POINTER * (len(inputs) + 1))(*(bound[a.name].ctypes.data if a.name in bound else None for a in inputs))


def _constant(operand: Operand, value: Doubles) -> Doubles:
    """A bound input, which nobody can change."""
    own = np.array(value, dtype=np.float64, order="C")
    if own.shape != operand.dims:
        raise CannotBind(f"{operand.name} has shape {own.shape}; it must be {operand.dims}.")
    own.setflags(write=False)
    return own


def _two(dims: Sequence[int | str]) -> tuple[int, int]:
    rows, columns = (*map(int, dims), 0, 0)[:2]
    return rows, columns


def _size(a: Operand) -> int:
    return int(np.prod([int(d) for d in a.dims], dtype=int))


def _firsts(outputs: Sequence[Operand]) -> dict[str, int]:
    ends = np.cumsum([0, *(_size(a) for a in outputs)])
    return {a.name: int(first) for a, first in zip(outputs, ends, strict=False)}


def _address(function: Any) -> int | None:
    return ctypes.cast(function, POINTER).value


def _array_api() -> Any:
    open_capsule = ctypes.pythonapi.PyCapsule_GetPointer
    open_capsule.restype, open_capsule.argtypes = POINTER, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(open_capsule(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(POINTER))


def _new_function() -> Any:
    """PyCFunction_NewEx(method, self, module); the function keeps its self, and that keeps the method."""
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.POINTER(_Method), ctypes.py_object, ctypes.py_object)
    return prototype(("PyCFunction_NewEx", ctypes.pythonapi))


@cache
def usable() -> bool:
    """Whether this interpreter and this NumPy are laid out as compiled functions expect."""
    cpython = sys.implementation.name == "cpython" and (3, 11) <= sys.version_info[:2] <= (3, 13)
    if not cpython or sysconfig.get_config_var("Py_GIL_DISABLED") or ctypes.sizeof(POINTER) != 8:
        return False
    word = b"closedchain"
    if object.__basicsize__ != 16 or ctypes.string_at(id(word) + INSIDE, len(word)) != word:
        return False
    return _array_api()[ARRAY_TYPE] == id(np.ndarray) and all(map(_as_expected, _trials()))


def _trials() -> list[Doubles]:
    whole = np.arange(6.0).reshape(2, 3)
    frozen = np.array(1.0)
    frozen.setflags(write=False)
    return [whole, whole.T, whole[:, 1], frozen]


def _as_expected(array: Doubles) -> bool:
    """Whether the words of an array object are what NumPy says of it."""
    seen = Array.from_address(id(array))
    address, flags = array.__array_interface__["data"][0], array.flags.num
    same = seen.type == id(np.ndarray) and seen.descr == id(np.dtype(np.float64)) and seen.data == address
    return same and seen.flags == flags and tuple(seen.dims[k] for k in range(seen.nd)) == array.shape
