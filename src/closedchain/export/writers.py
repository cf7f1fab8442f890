"""The files that `closedchain export` writes: a model → its files by ending, the main one first, and notes."""

from __future__ import annotations

from collections.abc import Sequence

from closedchain.export.c99 import c99
from closedchain.export.fmu import NO_BINARY, default_start, packed
from closedchain.export.functions import casadi_functions, serialised
from closedchain.export.javascript import javascript
from closedchain.export.programs import natural_inputs
from closedchain.model.model import Model

Written = tuple[dict[str, str | bytes], Sequence[str]]


def c_files(model: Model) -> Written:
    """C99: the source and its header."""
    source = c99(model)
    return {".c": source.source, ".h": source.header}, ["compile it with -ffp-contract=off, and link with -lm"]


def fmu_files(model: Model) -> Written:
    """An FMU that starts at rest on the first configuration found."""
    content, where = packed(model, natural_inputs(model), default_start(model))
    return {".fmu": content}, [f"with a binary for {where}" if where else NO_BINARY]


def casadi_files(model: Model) -> Written:
    """CasADi's own serialised form."""
    return {".casadi": serialised(casadi_functions(model))}, []


def js_files(model: Model) -> Written:
    """One ES module."""
    return {".mjs": javascript(model)}, []
