"""The files that `closedchain export` writes: a model → its files by ending, the main one first, and notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from closedchain.export.c99 import c99
from closedchain.export.c99_controller import c99_controller
from closedchain.export.controllers import controller
from closedchain.export.fmu import NO_BINARY, default_start, packed
from closedchain.export.fmu_controller import packed_controller
from closedchain.export.functions import casadi_functions, serialised
from closedchain.export.javascript import javascript
from closedchain.export.programs import natural_inputs
from closedchain.model.model import Model
from closedchain.model.state import State

Written = tuple[dict[str, str | bytes], Sequence[str]]


def c_files(model: Model) -> Written:
    """C99: the source and its header."""
    source = c99(model)
    return {".c": source.source, ".h": source.header}, ["compile it with -ffp-contract=off, and link with -lm"]


def fmu_files(model: Model) -> Written:
    """An FMU that starts at rest on the first configuration found."""
    content, where = packed(model, natural_inputs(model), default_start(model))
    return {".fmu": content}, [f"with a binary for {where}" if where else NO_BINARY]


def c_controller_files(model: Model, law: Any, start: State, interval: float) -> Written:
    """C99 of a law, and the interval it is meant for."""
    source = c99_controller(controller(model, law, start))
    return {".c": source.source, ".h": source.header}, [f"call it every {interval:g} s; compile with -ffp-contract=off"]


def fmu_controller_files(model: Model, law: Any, start: State, interval: float) -> Written:
    """An FMU of a law."""
    content, where = packed_controller(controller(model, law, start), interval)
    return {".fmu": content}, [f"with a binary for {where}" if where else NO_BINARY]


def casadi_files(model: Model) -> Written:
    """CasADi's own serialised form."""
    return {".casadi": serialised(casadi_functions(model))}, []


def js_files(model: Model) -> Written:
    """One ES module."""
    return {".mjs": javascript(model)}, []
