"""A grid over the output's space, anchored at the start, and what every working mode is worth on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.elements import Bar, Carried, Crank
from closedchain.errors import BadInput
from closedchain.planning.measure import Flags, Index, Setting
from closedchain.policy import EDGE

NODES = {1: 400, 2: 10_000, 3: 30_000}  # of the grid, unless a step is given
MOST_NODES = 3_000_000
TURN = math.pi / 2  # a plate may turn this much further than start and goal do, unless bounds are given


@dataclass(frozen=True, eq=False)
class Grid:
    """Points start + k step, with k from `low` to `low + shape − 1` along each coordinate."""

    start: Doubles  # (nx,)
    step: Doubles  # (nx,) in the coordinates' own units
    low: Index  # (nx,)
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def x(self, index: Index) -> Doubles:
        """The output at grid points given by their flat indices."""
        k = np.stack(np.unravel_index(index, self.shape), axis=-1) + self.low
        return np.asarray(self.start + k * self.step)

    @property
    def origin(self) -> int:
        """The flat index of the start."""
        return int(np.ravel_multi_index(tuple(-self.low), self.shape))

    def around(self, x: Doubles) -> Index:
        """The grid points less than one step from x in every coordinate."""
        at = (x - self.start) / self.step - self.low
        sides = [sorted({math.floor(v), math.ceil(v)}) for v in at]
        inside = [k for k in product(*sides) if all(0 <= i < n for i, n in zip(k, self.shape, strict=True))]
        return np.array([np.ravel_multi_index(k, self.shape) for k in inside], dtype=np.intp)

    def neighbours(self) -> list[tuple[int, ...]]:
        """One of each two opposite steps to a neighbour, diagonals too."""
        return [k for k in product((-1, 0, 1), repeat=len(self.shape)) if k > (0,) * len(self.shape)]

    def pairs(self, offset: tuple[int, ...]) -> tuple[Index, Index]:
        """Flat indices of all pairs of grid points that differ by an offset."""
        flat = np.arange(self.size).reshape(self.shape)
        here = tuple(slice(max(0, -o), n - max(0, o)) for o, n in zip(offset, self.shape, strict=True))
        there = tuple(slice(max(0, o), n - max(0, -o)) for o, n in zip(offset, self.shape, strict=True))
        return flat[here].ravel(), flat[there].ravel()


def grid_over(
    setting: Setting, start: Doubles, goal: Doubles, resolution: float | None, bounds: ArrayLike | None
) -> Grid:
    """The grid with a step of `resolution` [m], an angle counted by the plate's size, within bounds (2, nx)."""
    lo, hi = _box(setting, start, goal) if bounds is None else _given(setting, start, goal, bounds)
    extent = np.maximum((hi - lo) * setting.metric, 1e-9 * setting.model.scale)
    count = NODES.get(len(start), NODES[3])
    step = float(np.prod(extent / count ** (1 / len(start))) ** (1 / len(start))) if resolution is None else resolution
    if not (np.isfinite(step) and step > 0.0):
        raise BadInput(f"{setting.model.name}: resolution is a step of the grid [m], not {resolution}")
    steps = step / setting.metric
    low, high = -np.floor((start - lo) / steps), np.floor((hi - start) / steps)
    shape = tuple(int(v) for v in high - low + 1)
    if math.prod(shape) > MOST_NODES:
        raise BadInput(
            f"{setting.model.name}: a step of {step:.3g} m makes {math.prod(shape)} grid points, more than "
            f"{MOST_NODES}; choose a coarser resolution or smaller bounds"
        )
    return Grid(start, steps, low.astype(np.intp), shape)


def _given(setting: Setting, start: Doubles, goal: Doubles, bounds: ArrayLike) -> tuple[Doubles, Doubles]:
    box = vectors(bounds, len(start), "bounds")
    if box.shape != (2, len(start)) or not (box[0] < box[1]).all():
        raise BadInput(f"{setting.model.name}: bounds are the lowest and the highest x, (2, {len(start)})")
    for name, x in (("start", start), ("goal", goal)):
        if (x < box[0]).any() or (x > box[1]).any():
            raise BadInput(f"{setting.model.name}: the {name} is outside the bounds")
    return box[0], box[1]


def _box(setting: Setting, start: Doubles, goal: Doubles) -> tuple[Doubles, Doubles]:
    """Start and goal, and the robot's own size around them, as far as cranks reach."""
    model = setting.model
    grow = np.array([TURN if c.unit == "rad" else model.scale for c in model.equations.x[: len(start)]])
    lo, hi = np.minimum(start, goal) - grow, np.maximum(start, goal) + grow
    if len(start) > 3 or (len(start) == 3 and model.equations.x[2].unit != "rad"):
        return lo, hi
    for leg in model.legs if model.outputs == model.nx else ():  # else no one body is what every leg reaches
        if isinstance(leg.drive, Crank) and isinstance(leg.link, Bar):
            arm = math.hypot(*(model.number(e) for e in leg.far.at)) if isinstance(leg.far, Carried) else 0.0
            reach = model.number(leg.drive.radius) + model.number(leg.link.length) + arm
            about = np.array([model.number(e) for e in leg.drive.about])
            lo[:2], hi[:2] = np.maximum(lo[:2], about - reach), np.minimum(hi[:2], about + reach)
    return np.minimum(lo, np.minimum(start, goal)), np.maximum(hi, np.maximum(start, goal))


@dataclass(frozen=True, eq=False)
class Nodes:
    """Grid points within reach, each in every working mode: node = row × modes + mode."""

    setting: Setting
    grid: Grid
    point: Index  # (rows,) flat indices of the grid points within reach
    slack: Doubles  # (grid size, legs) [m]
    kept: Flags  # (rows, modes) whether every constraint is kept
    side: Doubles  # (rows, modes) sign of det A
    clearance: Doubles  # (rows, modes) [m]
    margin: Doubles  # (rows, modes) the smaller of both

    @property
    def modes(self) -> int:
        return self.kept.shape[1]

    @cached_property
    def x(self) -> Doubles:
        """(rows, nx)"""
        return self.grid.x(self.point)

    @cached_property
    def row(self) -> Index:
        """The row of each grid point, −1 out of reach."""
        row = np.full(self.grid.size, -1, dtype=np.intp)
        row[self.point] = np.arange(len(self.point))
        return row

    @property
    def reached(self) -> Flags:
        """(grid size,)"""
        return np.asarray(self.row >= 0)


def nodes_of(setting: Setting, grid: Grid) -> Nodes:
    """Measure every grid point in every mode, in batches."""
    whole = np.arange(grid.size)
    slack = setting.reach(grid.x(whole))
    point = np.flatnonzero((slack >= -EDGE * setting.model.scale).all(axis=-1))
    modes = len(setting.sigma)
    m = setting.measure(np.repeat(grid.x(point), modes, axis=0), np.tile(setting.sigma, (len(point), 1)))
    table = (len(point), modes)
    return Nodes(
        setting=setting,
        grid=grid,
        point=point,
        slack=slack,
        kept=setting.kept(m).reshape(table),
        side=np.sign(m.det).reshape(table),
        clearance=m.clearance.reshape(table),
        margin=np.minimum(m.parallel, m.serial).reshape(table),
    )
