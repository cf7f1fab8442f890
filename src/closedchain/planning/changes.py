"""Places near the grid where a leg comes to its end (Type 1), and with it the two working modes meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.planning.grid import Nodes
from closedchain.planning.measure import Flags, Index, Measures, Setting

BISECTIONS = 60
SCREEN = (1.0, 0.96, 0.84, 0.64, 0.36)  # samples of the way to a leg's end: even steps of the leg's own motion


@dataclass(frozen=True, eq=False)
class Changes:
    """Motions from a grid point to where a leg is at its end, and back in the other mode."""

    row: Index  # (k,) of Nodes
    mode: Index  # (k,) before, with the leg's sign +
    other: Index  # (k,) after, with the sign −
    leg: Index  # (k,)
    x: Doubles  # (k, nx) where the leg is at its end
    length: Doubles  # (k,) [m] there and back

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, keep: Flags) -> Changes:
        return Changes(**{name: value[keep] for name, value in vars(self).items()})


def changes_near(nodes: Nodes) -> Changes:
    """For each grid point and leg: the nearest end of the leg's reach along an axis, if all else is well there."""
    setting, grid = nodes.setting, nodes.grid
    found = [_along_axis(nodes, axis, way) for axis in range(len(grid.shape)) for way in (1, -1)]
    row, leg, x = (np.concatenate(column) for column in zip(*found, strict=True))
    there = np.linalg.norm((x - nodes.x[row]) * setting.metric, axis=-1)
    order = np.lexsort((there, leg, row))
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(row[order]) != 0) | (np.diff(leg[order]) != 0)
    nearest = order[first]
    return _in_modes(nodes, row[nearest], leg[nearest], x[nearest], 2 * there[nearest])


def _along_axis(nodes: Nodes, axis: int, way: int) -> tuple[Index, Index, Doubles]:
    """(row, leg, x) where one step along an axis takes a leg out of its reach, and no other before it."""
    setting, grid = nodes.setting, nodes.grid
    offset = tuple(way if k == axis else 0 for k in range(len(grid.shape)))
    here, there = grid.pairs(offset)
    out = nodes.reached[here] & ~nodes.reached[there]
    here, there = here[out], there[out]
    worst = nodes.slack[there].argmin(axis=-1)
    chosen = setting.model.leg_signs[worst] != 0
    here, there, leg = here[chosen], there[chosen], worst[chosen]
    near, far = grid.x(here), grid.x(there)
    lo, hi = np.zeros(len(leg)), np.ones(len(leg))
    rows = np.arange(len(leg))
    for _ in range(BISECTIONS):
        middle = 0.5 * (lo + hi)
        x = near + middle[:, None] * (far - near)
        inside = setting.reach(x)[rows, leg] >= 0.0
        lo, hi = np.where(inside, middle, lo), np.where(inside, hi, middle)
    return nodes.row[here], leg, near + lo[:, None] * (far - near)


def _in_modes(nodes: Nodes, row: Index, leg: Index, x: Doubles, length: Doubles) -> Changes:
    """Each place in every pair of modes that meet there, where the others' margins and the bodies' room are kept."""
    setting = nodes.setting
    modes = len(setting.sigma)
    place, mode = np.divmod(np.arange(len(row) * modes), modes)
    plus = setting.sigma[mode, leg[place]] > 0
    place, mode = place[plus], mode[plus]
    row, leg, length, x, sigma = row[place], leg[place], length[place], x[place], setting.sigma[mode]
    opposite = sigma.copy()
    opposite[np.arange(len(leg)), leg] = -1.0
    other = (opposite[:, None, :] == setting.sigma).all(axis=-1).argmax(axis=-1)
    found = Changes(row, mode, other, leg, x, length)[nodes.kept[row, mode] & nodes.kept[row, other]]
    for s in SCREEN:  # from the leg's end, where both modes are one, outwards: few are left to measure
        found = found[_plausible(nodes, found, s)]
    return found


def _plausible(nodes: Nodes, c: Changes, s: float) -> Flags:
    """Whether all is well at a sample of the way to the leg's end, in both modes, on one side of det A = 0."""
    setting = nodes.setting
    x = nodes.x[c.row] + s * (c.x - nodes.x[c.row])
    good = nodes.side[c.row, c.mode] == nodes.side[c.row, c.other]
    for mode in (c.mode, c.other):
        m = setting.measure(x, setting.sigma[mode])
        good &= _kept_but_one(setting, m, c.leg) & (np.sign(m.det) == nodes.side[c.row, mode])
    return np.asarray(good)


def _kept_but_one(setting: Setting, m: Measures, leg: Index) -> Flags:
    """Whether all constraints are kept but the margin of one leg."""
    left = setting.room_left(m)
    left[np.arange(len(leg)), leg] = np.inf
    return np.asarray(m.reached & (left >= 0.0).all(axis=-1))
