"""Drives and output moving together, and how the jerk of one follows from that of the other."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from closedchain.arrays import Doubles
from closedchain.kernels import load
from closedchain.model.model import Model
from closedchain.motion.reference import Reference

PROGRAMS = "closedchain.motion.third_order"


@dataclass(frozen=True, eq=False)
class Whole:
    """Drives and output together, with rates and accelerations of both; each (*t.shape, n)."""

    q: Doubles
    x: Doubles
    q_dot: Doubles
    x_dot: Doubles
    q_ddot: Doubles
    x_ddot: Doubles


def drives_only(given: Reference) -> Whole:
    """A robot without an output."""
    empty = given.x[..., :0]
    return Whole(given.x, empty, given.x_dot, empty, given.x_ddot, empty)


def third_order(model: Model, program: str) -> Callable[[Whole, Doubles], Doubles]:
    """q⃛ of x⃛ or x⃛ of q⃛, compiled; CasADi is imported only to make it anew."""
    equations = model.equations
    source = hashlib.sha256(Path(__file__).with_name("third_order.py").read_bytes()).hexdigest()  # new source, new code
    library = load(
        f"third_order {source} {equations.key}", lambda: importlib.import_module(PROGRAMS).programs(equations)
    )
    kernel = library[program]

    def jerk(made: Whole, given: Doubles) -> Doubles:
        return np.asarray(kernel(made.q, made.x, made.q_dot, made.x_dot, made.q_ddot, made.x_ddot, given, model.p))

    return jerk


def hermite(t: Doubles, times: Doubles, x: Doubles, x_dot: Doubles) -> Doubles:
    """The cubic through positions and rates at `times`."""
    i = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    h = (times[i + 1] - times[i])[:, None]
    r = ((t - times[i])[:, None]) / h
    left = (1 + 2 * r) * (1 - r) ** 2 * x[i] + r * (1 - r) ** 2 * h * x_dot[i]
    return left + r**2 * (3 - 2 * r) * x[i + 1] - r**2 * (1 - r) * h * x_dot[i + 1]
