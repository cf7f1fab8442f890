"""A motion of drives and output together, with three rates of both: what passing a singularity has to be judged by."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, Unreachable, numbers
from closedchain.kernels import Library, load
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs
from closedchain.model.state import State
from closedchain.policy import EDGE

PROGRAMS = "closedchain.derive.crossing"


@dataclass(frozen=True, eq=False)
class Course:
    """z = (q, x) with velocities, accelerations and jerks; every array is (*t.shape, n)."""

    q: Doubles
    x: Doubles
    q_dot: Doubles
    x_dot: Doubles
    q_ddot: Doubles
    x_ddot: Doubles
    q_dddot: Doubles
    x_dddot: Doubles

    @property
    def state(self) -> State:
        return State(self.q, self.x, self.q_dot, self.x_dot)

    @property
    def z_ddot(self) -> Doubles:
        return np.concatenate([self.q_ddot, self.x_ddot], axis=-1)

    def __getitem__(self, rows: Any) -> Course:
        """The same motion at some of its instants."""
        return Course(*(getattr(self, f.name)[rows] for f in fields(self)))


Way = Callable[[ArrayLike], Course]  # t → the whole motion


def crossing_library(model: Model) -> Library:
    """The compiled programs of forces along a course."""
    equations = model.equations
    return load(f"crossing {equations.key}", lambda: importlib.import_module(PROGRAMS).crossing_programs(equations))


def chart_library(model: Model, leg: int) -> Library:
    """The compiled programs of one leg's coordinates."""
    equations = model.equations
    return load(
        f"chart {leg} {equations.key}", lambda: importlib.import_module(PROGRAMS).chart_programs(equations, leg)
    )


def run(model: Model, library: Library, kernel: str, given: dict[str, Doubles]) -> dict[str, Doubles]:
    """A program's outputs by name."""
    return library.run(kernel, {"p": model.p} | given)


def output_way(
    model: Model, motion: Callable[[Any], Any], working: str | Sequence[str], changes: ArrayLike = ()
) -> Way:
    """The whole motion of an output motion x(t): drives in closed form on a working mode.

    Several modes hold one after another; `changes` are the instants between them, Type 1 singularities of the legs that
    change. Exactly there the drives' rates are 0/0 and this way has no values: give instants beside it.
    """
    modes = (working,) if isinstance(working, str) else tuple(working)
    borders = np.asarray(changes, dtype=np.float64).reshape(-1)
    if len(borders) != len(modes) - 1:
        raise BadInput(f"{len(modes)} working modes have {len(modes) - 1} changes between them, not {len(borders)}")
    signs = np.array([leg_signs(model, mode) for mode in modes])
    library = crossing_library(model)

    def way(t: ArrayLike) -> Course:
        t = np.asarray(t, dtype=np.float64)
        given = motion(t)
        made = model.call("inverse", x=given.x, sigma=signs[np.searchsorted(borders, t, side="right")])
        q = _continuous(model, made["q"])
        _check_reach(model, t, given.x, made["slack"])
        rates = {"x_dot": given.x_dot, "x_ddot": given.x_ddot, "x_dddot": given.x_dddot}
        found = run(model, library, "drives_along", {"q": q, "x": given.x, **rates})
        jerks = found["q_dddot"], given.x_dddot
        return Course(q, given.x, found["q_dot"], given.x_dot, found["q_ddot"], given.x_ddot, *jerks)

    return way


def _continuous(model: Model, q: Doubles) -> Doubles:
    """Angles without jumps of a whole turn along the last batch axis."""
    if q.ndim < 2:
        return q
    angles = [i for i, c in enumerate(model.equations.q) if c.unit == "rad"]
    q = q.copy()
    q[..., angles] = np.unwrap(q[..., angles], axis=-2)
    return q


def _check_reach(model: Model, t: Doubles, x: Doubles, slack: Doubles) -> None:
    out = slack < -EDGE * model.scale
    if out.any():
        first = tuple(np.argwhere(out)[0])
        at = f"x = {numbers(x[first[:-1]])} at {t[first[:-1]]:.6g} s"
        raise Unreachable(model.name, f"leg {model.legs[first[-1]].name}", -float(slack[first]), at)
