"""What a motion is: a callable from time to positions and their first three rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput

Space = Literal["output", "joint"]


@dataclass(frozen=True, eq=False)
class Reference:
    """Where to be at an instant, and how to move; in joint space x stands for q."""

    x: Doubles  # (*t.shape, n) [m, rad]
    x_dot: Doubles  # (*t.shape, n) [1/s]
    x_ddot: Doubles  # (*t.shape, n) [1/s²]
    x_dddot: Doubles  # (*t.shape, n) [1/s³]


class Trajectory(Protocol):
    """A motion over [start, start + duration]; before and after it rests at its end positions.

    A path is the same thing read in s instead of t: `along` composes the two.
    """

    @property
    def start(self) -> float:
        """The first instant [s]; 0 unless said otherwise."""

    @property
    def duration(self) -> float:
        """How long it takes [s]."""

    @property
    def dimension(self) -> int:
        """How many coordinates move."""

    @property
    def space(self) -> Space:
        """Whether the coordinates are the output's or the drives'."""

    @property
    def breaks(self) -> Doubles:
        """(k + 1,) start, end and every instant between them where some derivative may jump."""

    def __call__(self, t: ArrayLike) -> Reference:
        """The reference at one instant or at an array of them; at a break, what follows it."""


def end_of(trajectory: Trajectory) -> float:
    """The last instant [s]."""
    return trajectory.start + trajectory.duration


def instants(t: ArrayLike) -> Doubles:
    """Times as finite doubles of any shape."""
    try:
        array = np.asarray(t, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"times must be numbers, got {t!r:.60}") from None
    if not np.isfinite(array).all():
        raise BadInput(f"a time is {array[~np.isfinite(array)].flat[0]}; finite numbers are needed")
    return array


def held(t: Doubles, start: float, end: float, reference: Reference) -> Reference:
    """The same positions, and no rates outside [start, end]."""
    outside = (t < start) | (t > end)
    if not outside.any():
        return reference
    rates = (reference.x_dot, reference.x_ddot, reference.x_dddot)
    return Reference(reference.x, *(np.where(outside[..., None], 0.0, r) for r in rates))


def point(values: ArrayLike, what: str) -> Doubles:
    """One position: a finite vector, (n,); a number is a vector of one."""
    try:
        array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise BadInput(f"{what} must be numbers, got {values!r:.60}") from None
    if array.ndim != 1 or not array.size:
        raise BadInput(f"{what} has shape {array.shape}; a vector (n,) is needed")
    if not np.isfinite(array).all():
        raise BadInput(f"{what} is {array[~np.isfinite(array)][0]}; finite numbers are needed")
    return array


def points(named: dict[str, ArrayLike]) -> list[Doubles]:
    """Several positions of one dimension."""
    found = {name: point(value, name) for name, value in named.items()}
    (first, reference), *others = found.items()
    for name, value in others:
        if value.shape != reference.shape:
            raise BadInput(f"{first} has {reference.size} coordinates but {name} has {value.size}")
    return list(found.values())


def positive(value: float, what: str) -> float:
    """A finite number above zero."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadInput(f"{what} must be a number, got {value!r:.60}") from None
    if not (np.isfinite(number) and number > 0.0):
        raise BadInput(f"{what} must be above zero and finite, got {value!r:.60}")
    return number


def space_of(parts: Sequence[Trajectory]) -> Space:
    """The space that all parts share."""
    if not parts:
        raise BadInput("no trajectory was given; at least one is needed")
    spaces = {part.space for part in parts}
    if len(spaces) > 1:
        raise BadInput(
            "some parts are in output space and some in joint space; convert them with `joint` or `output` first"
        )
    return parts[0].space
