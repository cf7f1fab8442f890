"""Where the output can go: the area that every leg reaches, and the part of it where A is well conditioned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.singularity.arcs import region
from closedchain.singularity.maps import Kernel, mode_names
from closedchain.singularity.reach import WHOLE, Slice, Window, check_window, edges_of, several, slice_of
from closedchain.singularity.sampled import REACH, Sampled
from closedchain.singularity.streaming import Planes
from closedchain.singularity.subdivision import Cells, Sample, subdivide

DEPTH = 6  # cuts of a 64 × 64 grid: 4096 cells along a side
COARSE = 2  # of what is solved point by point
ANY = "any"
Values = Callable[[Doubles, Doubles], Planes]


@dataclass(frozen=True)
class Area:
    """An area with what is known of its error."""

    value: float  # [m²]
    error: float  # [m²] rounding for arcs; for cells an estimate from how refinements changed it
    bound: float  # [m²] rounding for arcs; the area of all cells left undecided
    method: str  # "arcs" or "cells"
    unit: str = "m²"  # of a body in space that of its two coordinates

    def __str__(self) -> str:
        return f"{self.value:.9g} {self.unit} ± {self.error:.1g} ({self.method})"


@dataclass(frozen=True, eq=False)
class Workspace:
    """The reach of a robot in the plane of its output."""

    robot: str
    window: Window  # that was looked at [m]
    third: float | None  # a plate's angle [rad], a point's height [m]
    working: tuple[str, ...]
    area: Area  # reached, by every working mode alike, or by some mode
    boundary: tuple[Doubles, ...]  # closed polylines (n, 2) [m], arcs drawn every degree; none where cells were used
    condition: float | None = None
    dexterous: Mapping[str, Area] | None = None  # by working mode, and "any": 1/κ ≥ condition
    by_mode: Mapping[str, Area] | None = (
        None  # where modes differ: joints have limits, or bodies follow from the output
    )
    slice: Slice = WHOLE  # which coordinates vary, and what is held

    def __str__(self) -> str:
        modes = "in its working mode" if len(self.working) == 1 else f"in each of {len(self.working)} working modes"
        if self.by_mode is not None and len(self.working) > 1:
            modes = f"in some of {len(self.working)} working modes"
        lines = [f"{self.robot}: reaches {self.area}, {modes}"]
        lines += [f"  in mode {mode}: {area}" for mode, area in (self.by_mode or {}).items() if len(self.working) > 1]
        for mode, area in (self.dexterous or {}).items():
            lines.append(f"  1/κ ≥ {self.condition:g} in {'mode ' + mode if mode != ANY else 'some mode'}: {area}")
        return "\n".join(lines)


def workspace(
    model: Model,
    window: Window | None = None,
    *,
    condition: float | None = None,
    working: str | Sequence[str] | None = None,
    orientation: float | None = None,
    height: float | None = None,
    hold: Mapping[str, float] | None = None,
    depth: int | None = None,
) -> Workspace:
    """The area reached within a window (all of it unless given), and with `condition` the part where 1/κ is above it.

    In the plane the reach is bounded by arcs and lines and its area is exact to rounding. In space, for the
    conditioning, and where sliders, cranks or passive joints have limits, the window is cut into cells; so it is, and
    less finely unless `depth` is given, where other bodies follow from the output.
    """
    depth = (COARSE if several(model) else DEPTH) if depth is None else depth
    if condition is not None and not 0.0 < condition < 1.0:
        raise BadInput(f"{model.name}: condition is {condition}; 1/κ lies between 0 and 1")
    if not 0 <= depth <= 10:
        raise BadInput(f"{model.name}: depth is {depth}; it must be from 0 to 10 (each step doubles the resolution)")
    plane = slice_of(model, orientation, height, hold=hold, sampled=True)
    modes = mode_names(model, working)
    edges, exact = edges_of(model, plane)
    seen = check_window(model, window, edges)
    boundary: tuple[Doubles, ...] = ()
    by_mode = None
    if exact:
        found = region(edges, window and seen)
        area, boundary = Area(found.area, found.error, found.error, "arcs"), found.boundary()
    elif several(model):
        values = _by_mode(model, modes, plane)
        area = area_of(subdivide(_reach(values, 0), seen, depth))
        by_mode = {mode: area_of(subdivide(_reach(values, k), seen, depth)) for k, mode in enumerate(modes, start=1)}
    else:
        limited = bool(model.equations.limits)
        some = Kernel.of(model, (), modes if limited else modes[0], plane)
        area = area_of(subdivide(_reach(some, 0), seen, depth))
        each = {mode: Kernel.of(model, (), mode, plane) for mode in modes} if limited else {}
        by_mode = {mode: area_of(subdivide(_reach(k, 0), seen, depth)) for mode, k in each.items()} or None
    dexterous = None
    if condition is not None:
        kernel = Kernel.of(model, ("condition",), modes, plane)
        samples = {mode: _above(kernel, slice(k + 1, k + 2), condition) for k, mode in enumerate(modes)}
        samples |= {ANY: _above(kernel, slice(1, None), condition)}
        dexterous = {name: area_of(subdivide(sample, seen, depth)) for name, sample in samples.items()}
    area = replace(area, unit=plane.unit)
    by_mode, dexterous = (v and {m: replace(a, unit=plane.unit) for m, a in v.items()} for v in (by_mode, dexterous))
    return Workspace(model.name, seen, plane.third, modes, area, boundary, condition, dexterous, by_mode, plane)


def _by_mode(model: Model, modes: tuple[str, ...], plane: Slice) -> Values:
    """The slack, and that of each mode; points that are asked for again are not solved again."""
    kernel = Kernel(modes, (REACH,), plane, Sampled(model, (REACH,), modes, plane), (), np.dtype(np.float64))
    seen: dict[tuple[bytes, bytes], Planes] = {}

    def values(x: Doubles, y: Doubles) -> Planes:
        key = x.tobytes(), y.tobytes()
        if key not in seen:
            seen[key] = kernel(x, y)
        return seen[key]

    return values


def _reach(values: Values, plane: int) -> Sample:
    """A slack alone."""
    return lambda x, y: (values(x, y)[plane], np.ones_like(x))


def _above(kernel: Kernel, planes: slice, least: float) -> Sample:
    """Slack, and how much the best of some planes is above a bound."""

    def sample(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
        values = kernel(x, y)
        return values[0], values[planes].max(axis=0) - least

    return sample


def area_of(cells: Cells) -> Area:
    """The area where slack and value are positive.

    Where the edge is smooth a refinement changes the area by a quarter of what the one before did, and what is left is
    a third of the last change. Where two legs end together slivers are left that shrink with the cells or slower:
    twice the last change, and no less than the one before, is what is left even then.
    """
    found, undecided = cells.history[0], cells.area[~cells.settled].sum()
    changes = np.abs(np.diff(found))
    error = max([2.0 * changes[-1], *changes[-2:-1]]) if len(changes) else cells.area.sum()
    return Area(float(found[-1]), float(error), float(undecided), "cells")
