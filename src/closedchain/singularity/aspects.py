"""Aspects: the largest connected parts of the output's plane, in one working mode, without a Type 2 singularity.

Within an aspect the robot moves between any two points without losing control and without changing its working mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.singularity.maps import Kernel, mode_names
from closedchain.singularity.reach import WHOLE, Slice, Window, check_window, edges_of, several, slice_of
from closedchain.singularity.sampled import Sampled
from closedchain.singularity.subdivision import BASE, Cells, Flags, Index, subdivide

DEPTH = 5  # cuts of a 64 × 64 grid at first: 2048 cells along a side
DEEPEST = 8  # where a neck is still open to doubt
COARSE = 2  # of what is solved point by point, first and last


@dataclass(frozen=True, eq=False)
class Aspect:
    """A connected part of the reach where det A keeps its sign."""

    working: str
    sign: int  # of det A
    area: float  # [m²]
    uncertain: float  # [m²] of cells at its edge that were not decided
    x: Doubles  # (2,) a point well inside [m]
    decided: bool  # connected without the help of undecided cells


@dataclass(frozen=True, eq=False)
class Aspects:
    """Every aspect of some working modes, largest first within each; iterating gives `Aspect`s."""

    robot: str
    window: Window
    third: float | None  # a plate's angle [rad], a point's height [m]
    working: tuple[str, ...]
    every: tuple[Aspect, ...]
    cells: dict[str, Cells]
    labels: dict[str, Index]  # of each cell, an index into `every`; −1 for none
    slice: Slice = WHOLE  # which coordinates vary, and what is held

    def __iter__(self) -> Iterator[Aspect]:
        return iter(self.every)

    def __len__(self) -> int:
        return len(self.every)

    def of(self, working: str) -> tuple[Aspect, ...]:
        """The aspects of one working mode."""
        return tuple(aspect for aspect in self.every if aspect.working == working)

    @property
    def decided(self) -> bool:
        """Whether the count is the same if undecided cells join what they touch and if they separate it."""
        return all(aspect.decided for aspect in self.every)

    def at(self, x: ArrayLike, working: str) -> Index:
        """Which aspect points (*batch, 2) lie in, an index into `every`; −1 for none or on an edge not decided."""
        if working not in self.cells:
            raise BadInput(f"{self.robot}: no mode {working!r:.30} here; there are {', '.join(self.working)}")
        points, cells = vectors(x, 2, "x"), self.cells[working]
        x0, x1, y0, y1 = self.window
        low, size = np.array([x0, y0]), np.array([x1 - x0, y1 - y0])
        column, row = np.moveaxis(np.floor((points - low) / size * cells.resolution).astype(np.int64), -1, 0)
        found = cells.find(column, row)
        known = (found >= 0) & cells.settled[found]
        return np.where(known, self.labels[working][found], -1)

    def __str__(self) -> str:
        lines = [f"{self.robot}: {len(self)} aspects at this resolution, not a proof"]
        for mode in self.working:
            own = self.of(mode)
            sizes = ", ".join(f"{'+' if a.sign > 0 else '-'} {a.area:.4g} {self.slice.unit}" for a in own)
            cells = self.cells[mode].resolution
            doubt = "" if all(a.decided for a in own) else "; a neck is not decided"
            lines.append(f"  {mode}: {len(own)} ({sizes}), cells of 1/{cells} of the window{doubt}")
        return "\n".join(lines)


def aspects(
    model: Model,
    window: Window | None = None,
    *,
    working: str | Sequence[str] | None = None,
    orientation: float | None = None,
    height: float | None = None,
    hold: Mapping[str, float] | None = None,
    depth: int | None = None,
) -> Aspects:
    """The aspects of each working mode in a window, the robot's whole reach unless given.

    Cells are cut where slack or det A change sign, `depth` times, and up to eight times where a neck is in doubt.
    """
    depth = (COARSE if several(model) else DEPTH) if depth is None else depth
    if not 0 <= depth <= 10:
        raise BadInput(f"{model.name}: depth is {depth}; it must be from 0 to 10 (each step doubles the resolution)")
    plane = slice_of(model, orientation, height, hold=hold, sampled=True)
    modes = mode_names(model, working)
    seen = _padded(check_window(model, window, edges_of(model, plane)[0])) if window is None else window
    seen = check_window(model, seen, ())
    every: list[Aspect] = []
    cells: dict[str, Cells] = {}
    labels: dict[str, Index] = {}
    for mode in modes:
        kernel = Kernel.of(model, ("det_A",), mode, plane)
        cells[mode], found, labels[mode] = _resolve(kernel, seen, depth, len(every))
        every += found
    return Aspects(model.name, seen, plane.third, modes, tuple(every), cells, labels, plane)


def _padded(window: Window) -> Window:
    """A little more than the reach, and not a round number of cells of it: edges do not fall on cells' edges."""
    x0, x1, y0, y1 = window
    dx, dy = (x1 - x0) / (BASE * 3), (y1 - y0) / (BASE * 3)
    return x0 - dx, x1 + 1.4 * dx, y0 - dy, y1 + 1.4 * dy


def _resolve(kernel: Kernel, window: Window, depth: int, first: int) -> tuple[Cells, list[Aspect], Index]:
    """The aspects of a kernel's one mode, from cells small enough to decide them, or as small as there are."""

    def sample(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
        slack, det_A = kernel(x, y)
        return slack, det_A

    cells = subdivide(sample, window, depth)
    found, labels = _collect(kernel.working[0], cells, first)
    deepest = COARSE if isinstance(kernel.function, Sampled) else DEEPEST
    if depth < deepest and not all(aspect.decided for aspect in found):
        return _resolve(kernel, window, depth + 1, first)
    return cells, found, labels


def _collect(mode: str, cells: Cells, first: int) -> tuple[list[Aspect], Index]:
    """The aspects of a mode, and of each cell the aspect's number, counted from `first`."""
    found: list[tuple[Aspect, Flags]] = []
    for k, sign in enumerate((1, -1)):
        own = cells.settled & (cells.sign == sign)
        doubt = ~cells.settled & (cells.share[k] > 0.0)
        joined, apart = cells.parts(own | doubt), cells.parts(own)
        cores = np.unique(apart[own & (cells.level < cells.depth)])  # parts with more than slivers of the last level
        for part in range(joined.max(initial=-1) + 1):
            inside = joined == part
            held = np.intersect1d(np.unique(apart[inside & own]), cores)
            if len(held):
                found.append((_aspect(mode, sign, cells, inside, inside & doubt, len(held) == 1), inside & own))
    found.sort(key=lambda pair: -pair[0].area)
    labels = np.full(len(cells.i), -1)
    for number, (_, own) in enumerate(found):
        labels[own] = first + number
    return [aspect for aspect, _ in found], labels


def _aspect(mode: str, sign: int, cells: Cells, inside: Flags, doubt: Flags, decided: bool) -> Aspect:
    share = cells.share[0 if sign > 0 else 1]
    core = inside & cells.settled
    coarsest = core & (cells.level == cells.level[core].min())
    best = np.where(coarsest, np.abs(cells.value), -1.0).argmax()
    x, y = cells.centres()
    area, uncertain = (float((cells.area * s)[inside].sum()) for s in (share, doubt.astype(float)))
    return Aspect(mode, sign, area, uncertain, np.array([x[best], y[best]]), decided)
