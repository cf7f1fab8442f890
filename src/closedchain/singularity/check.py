"""`check_crossing`: where a motion meets singularities, and whether the efforts stay bounded there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, numbers
from closedchain.model.course import Way, output_way
from closedchain.model.crossing import Passage, efforts_along, passage, room, type_1_instants, type_2_instants
from closedchain.model.folds import modes_through
from closedchain.model.model import Model
from closedchain.model.modes import working_names
from closedchain.singularity.type_1 import Type1, of_course, of_output

TOUCH = 1e-9  # |det A| over the product of its rows' lengths, at a least value without a change of sign
APART = 1e-6  # of the motion: where det A has the same sign on both sides it is touched
NEAR = 1e-2  # there a least value between samples is looked for
BESIDE = 1e-7  # of the duration, off a Type 1 instant
ASIDE = 1e-3  # of the duration: nearer to a Type 1 instant an output motion's efforts are not sampled: digits are lost


@dataclass(frozen=True, eq=False)
class Type2:
    """An instant at which the assembly modes meet."""

    t: float  # [s]
    q: Doubles
    x: Doubles
    crossed: bool  # det A changes its sign; otherwise it only touches zero
    passage: Passage

    @property
    def bounded(self) -> bool:
        return self.crossed and self.passage.bounded

    def __str__(self) -> str:
        p, where = self.passage, f"Type 2 at {self.t:.10g} s, x = {numbers(self.x)}"
        push = f"push {p.push:.3g} of {p.size:.3g} N along {numbers(p.free)}"
        if self.bounded:
            return f"{where}: crossed with bounded efforts, {numbers(p.tau)} there ({push})"
        if not self.crossed or p.speed == 0.0:
            return f"{where}: touched, not crossed; the efforts have no limit ({push})"
        return f"{where}: efforts grow as {numbers(p.growth)}/(t − t_s) ({push})"


@dataclass(frozen=True, eq=False)
class CrossingReport:
    """The singularities that a motion meets, from samples: what lies between two samples can be missed."""

    robot: str
    type_1: tuple[Type1, ...]
    type_2: tuple[Type2, ...]
    working: tuple[str, ...]  # one after another
    peak: float  # [N, N m] largest effort on the samples, beside the singular instants
    samples: int

    @property
    def bounded(self) -> bool:
        """Whether the efforts stay bounded at every singularity that was met."""
        return all(event.bounded for event in self.type_1) and all(event.bounded for event in self.type_2)

    def __str__(self) -> str:
        told = [(event.t, str(event)) for event in self.type_1] + [(event.t, str(event)) for event in self.type_2]
        modes = " → ".join(self.working)
        head = f"{self.robot}, {modes}: {len(told)} singular instant{'s' * (len(told) != 1)} met on "
        head += f"{self.samples} samples, largest effort beside them {self.peak:.4g}"
        return "\n".join([head, *(f"  {text}" for _, text in sorted(told))])


def check_crossing(model: Model, trajectory: Any, *, working: str | None = None, samples: int = 2001) -> CrossingReport:
    """Where a motion meets Type 1 and Type 2, whether the efforts stay bounded there, their limit or their growth.

    The motion is one of drives and output together (with `whole`, as `motion.cross` makes), or t → x and three rates of
    the output on the working mode it starts in; a leg that comes to its end there goes on in its other mode.
    Type 2 instants are found to the last bits of det A, Type 1 instants of an output motion to 1e-9 of its duration.
    """
    if samples < 10:
        raise BadInput(f"samples is {samples}; at least 10 are needed to find anything between them")
    start, end = float(trajectory.start), float(trajectory.start + trajectory.duration)
    times = np.unique(np.concatenate([np.linspace(start, end, samples), trajectory.breaks]))
    if hasattr(trajectory, "whole"):
        way: Way = trajectory.whole
        type_1 = [of_course(model, way, t, leg) for t, leg in type_1_instants(model, way, times)]
        modes = trajectory.working if isinstance(trajectory.working, tuple) else (trajectory.working,)
        stretches = [times]
    else:
        first, *others = working_names(model)
        if trajectory.space != "output" or (working is None and others):
            raise BadInput(f'{model.name}: give the working mode that the output motion starts in, working="{first}"')
        type_1 = of_output(model, trajectory, times)
        modes = modes_through(model, working or first, [event.index for event in type_1])
        way = output_way(model, trajectory, modes, [event.t for event in type_1])
        stretches = _stretches(times, [event.t for event in type_1], BESIDE * (end - start))
    type_2 = [event for part in stretches for event in _type_2(model, way, part)]
    aside = [] if hasattr(trajectory, "whole") else [event.t for event in type_1]
    peak = _peak(model, way, _stretches(times, aside, ASIDE * (end - start)), type_2, end - start)
    return CrossingReport(model.name, tuple(type_1), tuple(type_2), tuple(modes), peak, len(times))


def _stretches(times: Doubles, borders: list[float], gap: float) -> list[Doubles]:
    """The samples between Type 1 instants, ending a little beside them."""
    edges = [times[0] - 2 * gap, *borders, times[-1] + 2 * gap]
    parts = []
    for low, high in pairwise(edges):
        inside = times[(times > low + gap) & (times < high - gap)]
        ends = [t for t in (low + gap, high - gap) if times[0] <= t <= times[-1]]
        parts.append(np.unique(np.concatenate([inside, ends])))
    return parts


def _type_2(model: Model, way: Way, times: Doubles) -> list[Type2]:
    apart = APART * float(times[-1] - times[0])
    found: list[tuple[float, bool]] = []
    for t in type_2_instants(model, way, times).tolist():
        if not found or t - found[-1][0] > apart:  # a touch may show as two roots, by rounding
            before, after = room(model, way(np.clip([t - apart, t + apart], times[0], times[-1])))
            found.append((t, bool(before * after < 0)))
    margin = np.abs(room(model, way(times)))
    for i in range(1, len(times) - 1):
        low = margin[i] <= margin[i - 1] and margin[i] <= margin[i + 1] and margin[i] < NEAR
        if low and not any(times[i - 1] <= t <= times[i + 1] for t, _ in found):
            t = _least(lambda at: np.abs(room(model, way(at))), times[i - 1], times[i + 1])
            if abs(float(room(model, way(np.array([t])))[0])) < TOUCH:
                found.append((t, False))
    events = []
    for t, crossed in sorted(found):
        course = way(np.array([t]))[0]
        events.append(Type2(t, course.q, course.x, crossed, passage(model, course)))
    return events


def _least(value: Callable[[Doubles], Doubles], low: float, high: float) -> float:
    """Where a function is least between two instants, nine points at a time."""
    for _ in range(40):
        grid = np.linspace(low, high, 9)
        i = int(np.argmin(value(grid)))
        low, high = float(grid[max(i - 1, 0)]), float(grid[min(i + 1, 8)])
    return 0.5 * (low + high)


def _peak(model: Model, way: Way, stretches: list[Doubles], events: list[Type2], duration: float) -> float:
    """The largest effort on the samples, without those within 1e-4 of the duration of unbounded instants."""
    largest = 0.0
    instants = [event.t for event in events if event.bounded]
    for part in stretches:
        far = np.ones(len(part), dtype=bool)
        for event in events:
            far &= event.bounded | (np.abs(part - event.t) > 1e-4 * duration)
        if far.any():
            tau = efforts_along(model, way, part[far], instants=instants, scale=duration)
            largest = max(largest, float(np.abs(tau).max()))
    return largest
