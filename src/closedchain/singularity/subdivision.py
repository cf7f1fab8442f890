"""A window cut into ever smaller cells where signs change: areas and connected parts of {slack > 0, ± value > 0}.

A cell is settled when nine samples of it have one sign and differ by less than their distance from zero. What changes
sign and back within a cell, and shows in none of its samples, is not seen: results hold at the resolution they state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.extras import Late
from closedchain.singularity.reach import Window

sparse, csgraph = Late("scipy.sparse"), Late("scipy.sparse.csgraph")
Sample = Callable[[Doubles, Doubles], tuple[Doubles, Doubles]]  # (x, y) → slack, value
Index = NDArray[np.int64]
Flags = NDArray[np.bool_]

BASE = 64  # cells along each side of the window before any cut
TRIANGLES = np.array([[4, a, b] for a, b in ((0, 1), (1, 2), (2, 5), (5, 8), (8, 7), (7, 6), (6, 3), (3, 0))])


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a window, settled ones of any level and unsettled ones of the last."""

    window: Window
    depth: int
    level: Index  # (m,) how often it was cut
    i: Index  # (m,) column, counted at its own level
    j: Index  # (m,) row
    sign: NDArray[np.int8]  # (m,) of the value; 0 out of reach
    settled: Flags  # (m,)
    share: Doubles  # (2, m) of the cell where slack and value, slack and −value, are positive
    value: Doubles  # (m,) at the centre
    history: Doubles  # (2, depth + 1) the two areas [m²] as found after each level

    @property
    def resolution(self) -> int:
        """Smallest cells along each side."""
        return BASE << self.depth

    @property
    def area(self) -> Doubles:
        """Of each cell [m²]."""
        x0, x1, y0, y1 = self.window
        return (x1 - x0) * (y1 - y0) / np.square(BASE * np.exp2(self.level), dtype=np.float64)

    def centres(self) -> tuple[Doubles, Doubles]:
        """x and y of each cell's centre."""
        return _points(self.window, self.level, 2 * self.i + 1, 2 * self.j + 1)

    def find(self, column: Index, row: Index) -> Index:
        """The cells that hold places counted at the last level; −1 outside."""
        found = np.full(column.shape, -1)
        for level in range(self.depth + 1):
            own = np.nonzero(self.level == level)[0]
            if not len(own):
                continue
            width, cut = BASE << level, self.depth - level
            keys = self.i[own] * width + self.j[own]
            order = np.argsort(keys)
            asked = (column >> cut) * width + (row >> cut)
            place = np.minimum(np.searchsorted(keys, asked, sorter=order), len(own) - 1)
            hit = keys[order[place]] == asked
            found[hit] = own[order[place[hit]]]
        inside = (column >= 0) & (row >= 0) & (column < self.resolution) & (row < self.resolution)
        return np.where(inside, found, -1)

    @cached_property
    def neighbours(self) -> tuple[Index, Index]:
        """Pairs of cells with a common edge; each pair at least once, from its smaller cell."""
        cut = self.depth - self.level
        left, low, size = self.i << cut, self.j << cut, np.int64(1) << cut
        middle_x, middle_y = left + size // 2, low + size // 2
        probes = [(left - 1, middle_y), (left + size, middle_y), (middle_x, low - 1), (middle_x, low + size)]
        others = np.concatenate([self.find(*probe) for probe in probes])
        own = np.tile(np.arange(len(self.i)), 4)
        return own[others >= 0], others[others >= 0]

    def parts(self, keep: Flags) -> Index:
        """The connected part each kept cell belongs to, −1 for the others."""
        a, b = self.neighbours
        joined = keep[a] & keep[b]
        graph = sparse.coo_array((np.ones(joined.sum(), np.int8), (a[joined], b[joined])), shape=(len(keep),) * 2)
        labels = csgraph.connected_components(graph, directed=False)[1].astype(np.int64)
        _, labels[keep] = np.unique(labels[keep], return_inverse=True)
        labels[~keep] = -1
        return labels


def subdivide(sample: Sample, window: Window, depth: int) -> Cells:
    """Cut every cell that is not settled, `depth` times."""
    grid = np.arange(BASE)
    i, j = (v.ravel() for v in np.meshgrid(grid, grid, indexing="ij"))
    done: list[tuple[np.ndarray, ...]] = []
    settled_area, history, scale = np.zeros(2), [], np.ones(2)
    for level in range(depth + 1):
        slack, value = _nine(sample, window, level, i, j)
        if level == 0:
            scale = np.array([np.abs(slack).max() or 1.0, np.abs(value).max() or 1.0])
        reach, side = _settled(slack), _settled(value)
        fixed = (reach < 0) | ((reach > 0) & (side != 0))
        sign = np.where(reach < 0, 0, np.where(fixed, side, np.sign(value[:, 4]))).astype(np.int8)
        share = np.stack([_share(_both(slack / scale[0], s * value / scale[1])) for s in (1.0, -1.0)])
        cell = (window[1] - window[0]) * (window[3] - window[2]) / (BASE << level) ** 2
        history.append(settled_area + cell * share.sum(axis=1))
        settled_area = settled_area + cell * share[:, fixed].sum(axis=1)
        out = fixed if level < depth else np.ones_like(fixed)
        levels = np.full(int(out.sum()), level)
        done.append((levels, i[out], j[out], sign[out], fixed[out], share[:, out], value[out, 4]))
        i, j = _cut(i[~out], j[~out])
        if not len(i):
            break
    level_, i, j, sign, fixed, share, value = (np.concatenate(column, axis=-1) for column in zip(*done, strict=True))
    return Cells(window, depth, level_, i, j, sign, fixed, share, value, np.array(history).T)


def _nine(sample: Sample, window: Window, level: int, i: Index, j: Index) -> tuple[Doubles, Doubles]:
    """Slack and value at the corners, edges' middles and centre of each cell, (m, 9)."""
    di, dj = (v.ravel() for v in np.meshgrid(np.arange(3), np.arange(3), indexing="ij"))
    x, y = _points(window, np.asarray(level), 2 * i[:, None] + di, 2 * j[:, None] + dj)
    return sample(x, y)


def _points(window: Window, level: Index, column: Index, row: Index) -> tuple[Doubles, Doubles]:
    """Places counted in half cells of a level."""
    x0, x1, y0, y1 = window
    halves = 2.0 * BASE * 2.0**level
    return x0 + (x1 - x0) * (column / halves), y0 + (y1 - y0) * (row / halves)


def _settled(values: Doubles) -> NDArray[np.int8]:
    """±1 where all samples have that sign and are further from zero than from each other; 0 else."""
    low, high = values.min(axis=1), values.max(axis=1)
    spread = high - low
    return (low > spread).astype(np.int8) - (-high > spread).astype(np.int8)


def _both(slack: Doubles, value: Doubles) -> Doubles:
    """Positive where both are; the slack alone out of reach, where the value means nothing."""
    return np.where(slack < 0.0, slack, np.minimum(slack, value))


def _share(values: Doubles) -> Doubles:
    """The part of each cell where values (m, 9), linear over its eight triangles, are positive."""
    positive = (values >= 0.0).sum(axis=1)
    share = (positive == 9).astype(float)
    mixed = (positive > 0) & (positive < 9)
    share[mixed] = _triangles(values[mixed][:, TRIANGLES]).mean(axis=1)
    return share


def _triangles(corners: Doubles) -> Doubles:
    """The part of triangles where values at their corners (..., 3), linear between them, are positive."""
    negative = corners < 0.0
    many = negative.sum(axis=-1)
    odd = np.where(many == 1, negative.argmax(axis=-1), (~negative).argmax(axis=-1))[..., None] + np.arange(3)
    apex, one, two = np.moveaxis(np.take_along_axis(corners, odd % 3, axis=-1), -1, 0)
    crossed = (many == 1) | (many == 2)
    fall = (apex - one) * (apex - two)  # positive where crossed, for the apex is alone on its side of zero
    corner = np.divide(apex * apex, fall, out=np.zeros_like(fall), where=crossed & (fall > 0.0))
    return np.select([many == 0, many == 1, many == 2], [1.0, 1.0 - corner, corner], 0.0)


def _cut(i: Index, j: Index) -> tuple[Index, Index]:
    """Four cells of the next level for each."""
    return np.concatenate([2 * i, 2 * i + 1, 2 * i, 2 * i + 1]), np.concatenate([2 * j, 2 * j, 2 * j + 1, 2 * j + 1])
