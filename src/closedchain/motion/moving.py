"""Drives and output moving together, either seen as a motion of its own; how the jerk of one follows from the other."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.kernels import load
from closedchain.model.course import Course
from closedchain.model.model import Model
from closedchain.motion.reference import Reference, Space, Trajectory

PROGRAMS = "closedchain.motion.third_order"


@dataclass(frozen=True, eq=False)
class Side:
    """The drives or the output, as `space` says, of a motion of both, which `whole` gives; timed as its source is."""

    model: Model
    source: Trajectory

    @property
    def space(self) -> Space:
        raise NotImplementedError

    def whole(self, t: ArrayLike) -> Course:
        """Drives and output with three rates of both."""
        raise NotImplementedError

    @property
    def start(self) -> float:
        return self.source.start

    @property
    def duration(self) -> float:
        return self.source.duration

    @property
    def breaks(self) -> Doubles:
        return self.source.breaks

    @property
    def dimension(self) -> int:
        return self.model.nq if self.space == "joint" else self.model.nx

    def __call__(self, t: ArrayLike) -> Reference:
        made = self.whole(t)
        if self.space == "joint":
            return Reference(made.q, made.q_dot, made.q_ddot, made.q_dddot)
        return Reference(made.x, made.x_dot, made.x_ddot, made.x_dddot)


def drives_only(given: Reference) -> Course:
    """A robot without an output."""
    none = given.x[..., :0]
    return Course(given.x, none, given.x_dot, none, given.x_ddot, none, given.x_dddot, none)


def third_order(model: Model, program: str) -> Callable[..., Doubles]:
    """q⃛ or x⃛ as a function of q, x, q̇, ẋ, q̈, ẍ and the other jerk; CasADi is imported only to compile it anew."""
    other = "x_dddot" if program == "inverse_jerk" else "q_dddot"
    names = ("q", "x", "q_dot", "x_dot", "q_ddot", "x_ddot", other)
    equations = model.equations
    source = hashlib.sha256(Path(__file__).with_name("third_order.py").read_bytes()).hexdigest()  # new source, new code
    library = load(
        f"third_order {source} {equations.key}", lambda: importlib.import_module(PROGRAMS).programs(equations)
    )

    def jerk(*given: Doubles) -> Doubles:
        (made,) = library.run(program, {"p": model.p} | dict(zip(names, given, strict=True))).values()
        return made

    return jerk


def hermite(t: Doubles, times: Doubles, x: Doubles, x_dot: Doubles) -> Doubles:
    """The cubic through positions and rates at `times`."""
    i = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    h = (times[i + 1] - times[i])[:, None]
    r = ((t - times[i])[:, None]) / h
    left = (1 + 2 * r) * (1 - r) ** 2 * x[i] + r * (1 - r) ** 2 * h * x_dot[i]
    return left + r**2 * (3 - 2 * r) * x[i + 1] - r**2 * (1 - r) * h * x_dot[i + 1]
