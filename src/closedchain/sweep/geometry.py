"""Measures of reach and conditioning: through one compiled loop over a grid, exact by arcs, or along rays."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError, numbers
from closedchain.singularity.arcs import region
from closedchain.singularity.maps import Kernel
from closedchain.singularity.reach import edges_of
from closedchain.sweep.block import Block
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.motions import paths
from closedchain.sweep.prepared import Prepared
from closedchain.sweep.tally import Tally, tally

RAYS, STEPS, HALVINGS = 64, 48, 44  # of the regular workspace
NOWHERE = "no place of the grid is within reach of all legs"


def over_grid(ready: Prepared, block: Block) -> Tally:
    """The grid's counts, made once for all measures of a block."""
    kept: dict[str, Tally] = block.__dict__.setdefault("_tallies", {})
    if "grid" not in kept:
        bound = ready.study.place.condition
        kept["grid"] = tally(
            ready.model, ready.working, ready.places, block.p, block.lever(), cell=ready.cell, bound=bound
        )
    return kept["grid"]


def along_path(ready: Prepared, block: Block) -> Tally:
    """The same over the places of the trajectory."""
    kept: dict[str, Tally] = block.__dict__.setdefault("_tallies", {})
    places = paths(ready, block).x
    if "path" not in kept:
        kept["path"] = tally(ready.model, ready.working, places, block.p, block.lever())
    return kept["path"]


def workspace_area(ready: Prepared, block: Block) -> Doubles:
    """The area reached within the window [m²]: by arcs, exact to rounding; with a grid, or in space, by its cells."""
    _, exact = edges_of(ready.model, ready.slice)
    if exact and ready.study.place.grid is None:
        return _by_arcs(ready, block)
    return over_grid(ready, block).cells * ready.cell**2


def _by_arcs(ready: Prepared, block: Block) -> Doubles:
    areas = np.full(block.n, np.nan)
    for row in block.alive:
        try:
            areas[row] = region(edges_of(block.at(int(row)), ready.slice)[0], ready.window).area
        except ClosedChainError as error:
            block.fail(int(row), error)
    return areas


def min_conditioning(ready: Prepared, block: Block) -> Doubles:
    """The smallest 1/κ at the grid's places that are reached."""
    found = over_grid(ready, block)
    _fail(block, found.reached == 0.0, NOWHERE)
    return found.least


def dexterity(ready: Prepared, block: Block) -> Doubles:
    """The mean of 1/κ over the grid's places that are reached."""
    found = over_grid(ready, block)
    _fail(block, found.reached == 0.0, NOWHERE)
    return found.total / np.maximum(found.reached, 1.0)


def dexterous_area(ready: Prepared, block: Block) -> Doubles:
    """The area where 1/κ is at least the bound [m²], by the grid's cells."""
    return over_grid(ready, block).good * ready.cell**2


def singularity_margin(ready: Prepared, block: Block) -> Doubles:
    """The smallest 1/κ along the trajectory."""
    found = along_path(ready, block)
    _fail(block, found.room < 0.0, "a leg does not reach all of the trajectory")
    return found.least


def reach_margin(ready: Prepared, block: Block) -> Doubles:
    """The smallest slack of a leg along the trajectory [m]; negative where it misses."""
    return along_path(ready, block).room


def centre_conditioning(ready: Prepared, block: Block) -> Doubles:
    """1/κ at the centre of the regular workspace; 0 out of reach."""
    slack, condition = _at(ready, block, np.broadcast_to(centre_of(ready), (block.n, 1, 2)))
    return np.where(slack >= 0.0, condition, 0.0)[:, 0]


def regular_workspace(ready: Prepared, block: Block) -> Doubles:
    """The side of the largest square, or the diameter of the largest disc, about the centre where all is well [m].

    All is well where every leg reaches and 1/κ is at least the bound. Each of 64 rays is walked in 48 steps to the end
    of the window, then halved 44 times between the last good place and the first bad one.
    """
    (x0, x1, y0, y1), centre, rays = ready.window, centre_of(ready), rays_of(ready)
    most = min(centre[0] - x0, x1 - centre[0], centre[1] - y0, y1 - centre[1])
    if not most > 0.0:
        raise BadStudy(f"--centre {numbers(centre)} is not within the window {numbers(ready.window)}; move one of them")
    low = np.zeros((block.n, RAYS))
    walking = np.ones((block.n, RAYS), dtype=bool)
    high = np.full((block.n, RAYS), most)
    for k in range(STEPS + 1):
        r = most * k / STEPS
        well = _well(ready, block, np.broadcast_to(centre + r * rays, (block.n, RAYS, 2)))
        high = np.where(walking & ~well, r, high)
        walking &= well
        low = np.where(walking, r, low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        well = _well(ready, block, centre + middle[..., None] * rays)
        low, high = np.where(well, middle, low), np.where(well, high, middle)
    return 2.0 * low.min(axis=-1)


def rays_of(ready: Prepared) -> Doubles:
    """From the centre to the edge of the shape of half-width 1, (RAYS, 2)."""
    turns = np.arange(RAYS) * (2 * np.pi / RAYS)
    rays = np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    if ready.study.place.shape == "square":
        rays /= np.abs(rays).max(axis=-1, keepdims=True)
    return rays


def centre_of(ready: Prepared) -> Doubles:
    """What the regular workspace is about."""
    x0, x1, y0, y1 = ready.window
    return np.array(ready.study.place.centre or ((x0 + x1) / 2, (y0 + y1) / 2))


def _well(ready: Prepared, block: Block, plane: Doubles) -> np.ndarray:
    slack, condition = _at(ready, block, plane)
    return np.asarray((slack >= 0.0) & (condition >= ready.study.place.condition))


def _at(ready: Prepared, block: Block, plane: Doubles) -> tuple[Doubles, Doubles]:
    """Slack and 1/κ at places (n, k, 2), one row of them for each point."""
    kernel = _kernel(ready)
    given = {"third": ready.slice.third, "lever": block.lever()[:, None], "p": block.p[:, None, :]}
    takes = [name for name in ("third", "lever", "p") if not (name == "third" and ready.slice.third is None)]
    takes = [name for name in takes if not (name == "lever" and ready.slice.lever is None)]
    made = np.asarray(kernel.function(plane[..., 0], plane[..., 1], *(given[name] for name in takes)))
    return made[..., 0], made[..., 1]


@lru_cache(maxsize=4)
def _kernel(ready: Prepared) -> Kernel:
    return Kernel.of(ready.model, ("condition",), ready.working, ready.slice)


def _fail(block: Block, rows: np.ndarray, why: str) -> None:
    for row in np.nonzero(rows)[0]:
        block.fail(int(row), why)
