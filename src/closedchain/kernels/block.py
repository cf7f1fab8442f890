"""The words that a compiled Python function reads: what it calls, what it expects, what it makes; and NumPy's array."""

from __future__ import annotations

import ctypes

WORD, POINTER = ctypes.c_int64, ctypes.c_void_p
INSIDE = 32  # [bytes] from a bytes object to its content, in CPython


class Argument(ctypes.Structure):
    """The shape an argument must have, and the input it becomes; the one past the last is read by nobody."""

    _fields_ = (("ndim", WORD), ("rows", WORD), ("columns", WORD), ("slot", WORD))


class Result(ctypes.Structure):
    """A result's shape, ndim −1 for a Python float, and the outputs it consists of."""

    _fields_ = (("ndim", WORD), ("dims", WORD * 2), ("first", WORD), ("size", WORD))


class Block(ctypes.Structure):
    """The head of the block; tables of arguments, results and bound inputs follow at the given distances [bytes]."""

    _fields_ = (
        ("array_type", POINTER),  # numpy.ndarray
        ("double", POINTER),  # NumPy's native float64
        ("new_array", POINTER),  # PyArray_New
        ("new_tuple", POINTER),  # PyTuple_New, for plain tuples
        ("allocate", POINTER),  # PyType_GenericAlloc, for other types of tuples
        ("set_item", POINTER),  # PyTuple_SetItem
        ("new_float", POINTER),  # PyFloat_FromDouble
        ("vectorcall", POINTER),  # PyObject_Vectorcall
        ("release", POINTER),  # Py_DecRef
        ("kernel", POINTER),
        ("fallback", POINTER),
        ("tuples", WORD),  # whether results come in a tuple, not alone
        ("tuple_type", POINTER),  # null for a plain tuple
        ("arguments", WORD),
        ("arguments_at", WORD),
        ("results", WORD),
        ("results_at", WORD),
        ("inputs", WORD),
        ("inputs_at", WORD),
        ("outputs", WORD),  # elements of all outputs; one more holds 1.0
        ("guard", WORD),  # the element that must exceed the tolerance
        ("tolerance", ctypes.c_double),
    )


class Array(ctypes.Structure):
    """NumPy's array object, part of its stable ABI, behind CPython's two words for any object."""

    _fields_ = (
        ("count", WORD),
        ("type", POINTER),
        ("data", POINTER),
        ("nd", ctypes.c_int32),
        ("dims", ctypes.POINTER(WORD)),
        ("strides", ctypes.POINTER(WORD)),
        ("base", POINTER),
        ("descr", POINTER),
        ("flags", ctypes.c_int32),
    )
