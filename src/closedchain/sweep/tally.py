"""One compiled loop over many places of the output: how many are reached, how well, for a batch of robots.

The program of a map gives slack and 1/κ at a place. Here it is followed by running sums and minima, and repeated over
the places as a scan, so that a robot of the batch costs no more memory than its six results:

    cells     Σ clamp(½ + slack/h, 0, 1)    cells of width h within reach; exact for an edge along the grid
    reached   Σ [slack ≥ 0]                 places within reach
    good      Σ the same clamp where 1/κ ≥ the bound
    total     Σ 1/κ over the places reached
    least     min 1/κ over the places reached; infinite where there are none
    room      min slack over all places [m]
"""

from __future__ import annotations

import hashlib
import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.kernels import Operand, Program, Scan
from closedchain.kernels import load as load_kernels
from closedchain.kernels.build import Builder
from closedchain.model.model import Model

SUMS = ("cells", "reached", "good", "total", "least", "room")
START = (0.0, 0.0, 0.0, 0.0, np.inf, np.inf)
PLACE = ("x", "y", "third")


@dataclass(frozen=True, eq=False)
class Tally:
    """The results of one loop, one row per robot."""

    cells: Doubles  # (n,)
    reached: Doubles  # (n,)
    good: Doubles  # (n,)
    total: Doubles  # (n,)
    least: Doubles  # (n,)
    room: Doubles  # (n,) [m]


def tally(
    model: Model, working: str, places: Doubles, p: Doubles, lever: Doubles, *, cell: float = 0.0, bound: float = 0.0
) -> Tally:
    """Count over places (T, 2 or 3), or (n, T, …), in one working mode, for parameters p (n, np) and levers (n,).

    `cell` is the width of a grid's cell [m], 0 for a path; `bound` is of 1/κ.
    """
    source = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()  # new source, new code
    library = load_kernels(f"sweep tally {source} {working} {model.equations.key}", lambda: _build(model, working))
    routine, takes = library["tally"], library.signatures["tally"].inputs
    given: dict[str, Any] = {name: places[..., i] for i, name in enumerate(PLACE[: places.shape[-1]])}
    given |= {"lever": lever, "p": p, "per_cell": np.float64(1.0 / cell if cell else 0.0), "bound": np.float64(bound)}
    given |= {"state": np.array(START)}
    made = np.asarray(routine(*(given[a.name] for a in takes)))  # (n, 6)
    return Tally(*np.moveaxis(np.broadcast_to(made, (len(p), len(SUMS))), -1, 0))


def _build(model: Model, working: str) -> list[Scan]:
    mapping = importlib.import_module("closedchain.derive.mapping")  # brings CasADi, only to compile anew
    program = mapping.map_programs(model.equations, ("condition",), (working,))[0]
    stepped = tuple(o.name for o in program.inputs if o.name in PLACE)
    return [Scan(followed(program), (("state", "next"),), stepped)]


def followed(program: Program) -> Program:
    """A map's program, slack and 1/κ of one mode, with the sums that go round after it."""
    b = Builder()
    inputs = (*program.inputs, Operand("per_cell"), Operand("bound"), Operand("state", (len(SUMS),)))
    place: list[int] = []
    for line in program.code:
        if line.op == "const":
            place.append(b.const(line.value))
        elif line.op == "input":
            place.append(b.input(*line.args))
        else:
            place.append(b.emit(line.op, *(place[a] for a in line.args)))
    slack, condition = (place[r] for r in program.results)
    n = len(program.inputs)
    per_cell, bound = b.input(n, 0), b.input(n + 1, 0)
    before = dict(zip(SUMS, (b.input(n + 2, i) for i in range(len(SUMS))), strict=True))
    zero, half, one = b.const(0.0), b.const(0.5), b.const(1.0)
    inside = b.emit("le", zero, slack)
    part = b.emit("max", zero, b.emit("min", one, b.emit("add", half, b.emit("mul", slack, per_cell))))
    after = {
        "cells": b.emit("add", before["cells"], part),
        "reached": b.emit("add", before["reached"], inside),
        "good": b.emit("add", before["good"], b.emit("select", b.emit("le", bound, condition), part, zero)),
        "total": b.emit("add", before["total"], condition),  # 0 where it is not reached
        "least": b.emit("select", inside, b.emit("min", condition, before["least"]), before["least"]),
        "room": b.emit("min", slack, before["room"]),
    }
    results = [after[name] for name in SUMS]
    return b.finish("tally", inputs, (Operand("next", (len(SUMS),)),), results)
