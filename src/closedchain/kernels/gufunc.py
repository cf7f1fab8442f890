"""Compiled loops as NumPy generalized ufuncs: batching, broadcasting, strides, casting and `out=` come from NumPy."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]
from numpy.typing import ArrayLike

from closedchain.errors import ClosedChainError
from closedchain.kernels.program import Doubles
from closedchain.kernels.signature import Array, Signature

FROM_LOOPS_AND_SIGNATURE = 31  # PyUFunc_FromFuncAndDataAndSignature in NumPy's _UFUNC_API table, part of its stable ABI
NO_IDENTITY = -1
DOUBLE: int = np.dtype(np.float64).num
FLOAT: int = np.dtype(np.float32).num
_KEPT: list[
    Any
] = []  # NumPy keeps bare pointers to these; a ufunc lives as long as the process, like any compiled function


class BadArguments(ClosedChainError, ValueError):
    """Arrays do not fit a routine."""


@dataclass(frozen=True)
class Routine:
    """A gufunc some of whose arguments have no elements: it checks and skips those, and gives empty outputs back."""

    signature: Signature
    ufunc: np.ufunc | None  # none if no output has elements

    def __call__(
        self, *arrays: ArrayLike, out: Doubles | tuple[Doubles | None, ...] | None = None
    ) -> Doubles | tuple[Doubles, ...]:
        wanted = self.signature.outputs
        outs = out if isinstance(out, tuple) else (out,) * len(wanted) if out is None else (out,)
        if len(outs) != len(wanted):
            raise BadArguments(f"{self.signature.name}: {len(outs)} arrays in `out` for {len(wanted)} outputs.")
        given = self._check(arrays)
        batch = np.broadcast_shapes(
            *(g.shape[: g.ndim - len(a.dims)] for g, a in zip(given, self.signature.inputs, strict=True))
        )
        steps = next(
            (g.shape[g.ndim - len(a.dims)] for g, a in zip(given, self.signature.inputs, strict=True) if "t" in a.dims),
            0,
        )
        made = iter(self._compiled(given, outs, batch))
        kind = np.dtype(np.float32 if self.signature.rounded else np.float64)
        results = tuple(
            _empty(a, batch, steps, o, kind) if a.empty else next(made) for a, o in zip(wanted, outs, strict=True)
        )
        return results[0] if len(results) == 1 else results

    def _check(self, arrays: Sequence[ArrayLike]) -> list[Doubles]:
        expected = self.signature.inputs
        if len(arrays) != len(expected):
            names = ", ".join(a.name for a in expected)
            raise BadArguments(f"{self.signature.name} takes {len(expected)} arrays ({names}), not {len(arrays)}.")
        given = [np.asarray(g, dtype=np.float64) for g in arrays]
        for g, a in zip(given, expected, strict=True):
            tail = g.shape[max(g.ndim - len(a.dims), 0) :]
            if len(tail) != len(a.dims) or any(
                isinstance(d, int) and d != n for d, n in zip(a.dims, tail, strict=True)
            ):
                raise BadArguments(f"{self.signature.name}: {a.name} has shape {g.shape}; it must end in {a.text}.")
        return given

    def _compiled(
        self, given: list[Doubles], outs: Sequence[Doubles | None], batch: tuple[int, ...]
    ) -> tuple[Doubles, ...]:
        if self.ufunc is None:
            return ()
        inputs = [g for g, a in zip(given, self.signature.inputs, strict=True) if not a.empty] or [np.zeros(())]
        first = self.signature.compiled_inputs[0]  # it stands for the batch of the empty ones
        inputs[0] = np.broadcast_to(inputs[0], batch + inputs[0].shape[inputs[0].ndim - len(first.dims) :])
        out = tuple(o for o, a in zip(outs, self.signature.outputs, strict=True) if not a.empty)
        made = self.ufunc(*inputs, out=out)
        return made if isinstance(made, tuple) else (made,)


def _empty(array: Array, batch: tuple[int, ...], steps: int, out: Doubles | None, kind: np.dtype[Any]) -> Doubles:
    shape = batch + tuple(steps if isinstance(d, str) else d for d in array.dims)
    if out is not None and out.shape != shape:
        raise BadArguments(f"`out` for {array.name} has shape {out.shape}; it must be {shape}.")
    return np.empty(shape, kind) if out is None else out


def make(signature: Signature, address: int, doc: str = "") -> np.ufunc | Routine:
    """The gufunc whose inner loop is the compiled function at `address`."""
    whole = not any(a.empty for a in signature.inputs + signature.outputs) and bool(signature.inputs)
    ufunc = _ufunc(signature, address, doc) if signature.compiled_outputs else None
    return ufunc if whole and ufunc is not None else Routine(signature, ufunc)


def _ufunc(signature: Signature, address: int, doc: str) -> np.ufunc:
    takes, gives = len(signature.compiled_inputs), len(signature.compiled_outputs)
    loops = (ctypes.c_void_p * 1)(address)
    data = (ctypes.c_void_p * 1)(None)
    kinds = [DOUBLE] * takes + [FLOAT if signature.rounded else DOUBLE] * gives
    types = (ctypes.c_ubyte * (takes + gives))(*kinds)
    texts = [text.encode() for text in (signature.name, doc, signature.text)]
    _KEPT.append((loops, data, types, texts))
    name, doc_text, signature_text = texts
    return cast(
        np.ufunc,
        _constructor()(loops, data, types, 1, takes, gives, NO_IDENTITY, name, doc_text, 0, signature_text),
    )


def _constructor() -> Any:
    """PyUFunc_FromFuncAndDataAndSignature, whose arguments are

    func, data, types, ntypes, nin, nout, identity, name, doc, unused, signature.
    """
    open_capsule = ctypes.pythonapi.PyCapsule_GetPointer
    open_capsule.restype, open_capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(open_capsule(_multiarray_umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    c_int, text = ctypes.c_int, ctypes.c_char_p
    pointer = ctypes.c_void_p
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object, pointer, pointer, pointer, c_int, c_int, c_int, c_int, text, text, c_int, text
    )
    return prototype(table[FROM_LOOPS_AND_SIGNATURE])
