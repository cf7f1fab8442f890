"""Motions made of motions: one after another, side by side, a path and its timing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.motion.reference import Reference, Space, Trajectory, end_of, held, instants, space_of

JUMP = 1e-9  # relative: a smaller jump is rounding
SLACK = 1e-12  # of a path's length: a timing law may pass its ends by rounding
RATES = ("position", "velocity", "acceleration", "jerk")


@dataclass(frozen=True, eq=False)
class Chain:
    """Parts one after another; each begins when the one before it ends."""

    parts: tuple[Trajectory, ...]
    continuity: int  # the highest derivative, up to 3, that is continuous where parts meet; −1 where positions jump

    @property
    def start(self) -> float:
        return self.parts[0].start

    @cached_property
    def starts(self) -> Doubles:
        """(k + 1,) when each part begins, and the end."""
        return self.start + np.concatenate([[0.0], np.cumsum([part.duration for part in self.parts])])

    @property
    def duration(self) -> float:
        return float(self.starts[-1] - self.starts[0])

    @property
    def dimension(self) -> int:
        return self.parts[0].dimension

    @property
    def space(self) -> Space:
        return self.parts[0].space

    @cached_property
    def breaks(self) -> Doubles:
        shifted = [part.breaks[:-1] - part.start + self.starts[i] for i, part in enumerate(self.parts)]
        return np.concatenate([*shifted, self.starts[-1:]])

    def __call__(self, t: ArrayLike) -> Reference:
        t = instants(t)
        flat = np.clip(t, self.starts[0], self.starts[-1]).ravel()
        index = np.clip(np.searchsorted(self.starts, flat, side="right") - 1, 0, len(self.parts) - 1)
        made = np.zeros((4, flat.size, self.dimension))
        for i in np.unique(index):
            part, rows = self.parts[i], index == i
            local = np.minimum(flat[rows] - self.starts[i] + part.start, end_of(part))  # rounding must not end it early
            made[:, rows] = rows_of(part(local))
        return held(t, self.starts[0], self.starts[-1], Reference(*made.reshape(4, *t.shape, self.dimension)))


@dataclass(frozen=True, eq=False)
class Stack:
    """Motions side by side: the coordinates of each, in order."""

    parts: tuple[Trajectory, ...]

    @property
    def start(self) -> float:
        return self.parts[0].start

    @property
    def duration(self) -> float:
        return self.parts[0].duration

    @property
    def dimension(self) -> int:
        return sum(part.dimension for part in self.parts)

    @property
    def space(self) -> Space:
        return self.parts[0].space

    @cached_property
    def breaks(self) -> Doubles:
        return np.unique(np.concatenate([part.breaks for part in self.parts]))

    def __call__(self, t: ArrayLike) -> Reference:
        made = [rows_of(part(t)) for part in self.parts]
        return Reference(*np.concatenate(made, axis=-1))


@dataclass(frozen=True, eq=False)
class Timed:
    """x(s(t)): a path run through by a timing law, with the chain rule up to the jerk.

    ẋ = x′ṡ,    ẍ = x′s̈ + x″ṡ²,    x⃛ = x′s⃛ + 3 x″ṡs̈ + x‴ṡ³
    """

    path: Trajectory
    timing: Trajectory  # (…, 1) s(t)

    @property
    def start(self) -> float:
        return self.timing.start

    @property
    def duration(self) -> float:
        return self.timing.duration

    @property
    def dimension(self) -> int:
        return self.path.dimension

    @property
    def space(self) -> Space:
        return self.path.space

    @cached_property
    def breaks(self) -> Doubles:
        """The timing's, and the instants at which s passes the path's (where s never turns back between breaks)."""
        t = self.timing.breaks
        s = self.timing(t).x[:, 0]
        found = [t]
        for inner in self.path.breaks[1:-1]:
            crossed = np.nonzero((s[:-1] - inner) * (s[1:] - inner) < 0)[0]
            found += [np.array([_crossing(self.timing, t[i], t[i + 1], inner)]) for i in crossed]
        return np.unique(np.concatenate(found))

    def __call__(self, t: ArrayLike) -> Reference:
        law = self.timing(t)
        low, high = self.path.start, end_of(self.path)
        beyond = np.maximum(low - law.x, law.x - high).max(initial=0.0)
        if beyond > SLACK * (high - low):
            raise BadInput(f"the timing law leaves the path's [{low:.6g}, {high:.6g}] by {beyond:.3g}; scale it to fit")
        shape = self.path(np.clip(law.x[..., 0], low, high))
        v, a, j = law.x_dot, law.x_ddot, law.x_dddot
        x_ddot = shape.x_dot * a + shape.x_ddot * v**2
        x_dddot = shape.x_dot * j + 3 * shape.x_ddot * v * a + shape.x_dddot * v**3
        return Reference(shape.x, shape.x_dot * v, x_ddot, x_dddot)


def piecewise(parts: Sequence[Trajectory], *, continuity: int = 2) -> Chain:
    """Parts one after another, of which the derivatives up to `continuity` must meet (2: no jump of acceleration)."""
    parts = tuple(parts)
    space_of(parts)
    if len({part.dimension for part in parts}) > 1:
        raise BadInput(f"the parts have {[part.dimension for part in parts]} coordinates; all need the same")
    if continuity not in (-1, 0, 1, 2, 3):
        raise BadInput(
            f"continuity is {continuity!r:.30}; from -1 (nothing must meet) to 3 (jerks meet) can be asked for"
        )
    reached = 3
    for i, (before, after) in enumerate(pairwise(parts)):
        left, right = rows_of(before(end_of(before))), rows_of(after(after.start))
        jumps = np.abs(right - left).max(axis=-1)  # (4,)
        sizes = np.maximum(_largest(before), _largest(after))
        open_ = np.nonzero(jumps > JUMP * sizes)[0]
        order = int(open_[0]) if open_.size else 4
        if order <= continuity:
            raise BadInput(
                f"between parts {i} and {i + 1} the {RATES[order]} jumps by {jumps[order]:.3g}; "
                f"let the parts meet, or claim less with continuity={order - 1}"
            )
        reached = min(reached, order - 1)
    return Chain(parts, reached)


def stack(parts: Sequence[Trajectory]) -> Stack:
    """Motions of single coordinates (or several) side by side; all over the same time."""
    parts = tuple(parts)
    space_of(parts)
    for i, part in enumerate(parts[1:], start=1):
        if abs(part.start - parts[0].start) + abs(part.duration - parts[0].duration) > SLACK * parts[0].duration:
            raise BadInput(
                f"part {i} runs from {part.start:.6g} for {part.duration:.6g} s, but part 0 from {parts[0].start:.6g} "
                f"for {parts[0].duration:.6g} s; side by side they need the same time"
            )
    return Stack(parts)


def along(path: Trajectory, timing: Trajectory) -> Timed:
    """The path x(s) run through by the law s(t), which must keep within the path's own range of s."""
    if timing.dimension != 1:
        raise BadInput(f"a timing law has one coordinate, s; this one has {timing.dimension}")
    made = Timed(path, timing)
    made(np.linspace(timing.start, end_of(timing), 65))  # refuses a law that leaves the path
    return made


def rows_of(reference: Reference) -> Doubles:
    """(4, *t.shape, n) x and its three rates."""
    return np.stack([reference.x, reference.x_dot, reference.x_ddot, reference.x_dddot])


def _largest(part: Trajectory) -> Doubles:
    """(4,) how large x and its rates become, on a few samples; at least what x over the duration gives."""
    rows = np.abs(rows_of(part(np.linspace(part.start, end_of(part), 33)))).max(axis=(1, 2))
    return np.maximum(rows, np.maximum(rows[0], 1e-12) / part.duration ** np.arange(4))


def _crossing(timing: Trajectory, before: float, after: float, s: float) -> float:
    """Bisection for the instant at which the law passes s."""
    rising = timing(after).x[0] > timing(before).x[0]
    while True:
        middle = 0.5 * (before + after)
        if not before < middle < after:
            return after
        if (timing(middle).x[0] < s) == rising:
            before = middle
        else:
            after = middle
