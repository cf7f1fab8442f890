"""Measures with exact derivatives by the dimensions, as conditions g(dimensions, t) ≥ 0 that a measure is at least t.

Most are one number, g = measure − t. A regular workspace of size t is one where all is well at places c + t/2 s, all
over the shape and not only on its edge, so that what happens inside has a derivative too: there g are the slack of the
legs, as a share of the robot's size, and the conditioning less its bound, and s is what their slope by t is along.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.expressions import evaluate, gradient
from closedchain.kernels import Library
from closedchain.model.derivatives import formula_slopes
from closedchain.model.model import Model
from closedchain.sweep.block import MASSES, Block
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.geometry import RAYS, centre_of, rays_of
from closedchain.sweep.motions import differentiated, evaluated, pick, state_of
from closedchain.sweep.prepared import Prepared


class Conditions(NamedTuple):
    """That a measure of one design is at least t: all g are 0 or more; and how they move."""

    g: Doubles  # (k,)
    by_dimensions: Doubles  # (k, dimensions)
    by_t: Doubles  # (k,)


def at_least(ready: Prepared, block: Block, name: str, t: float) -> Conditions:
    """The conditions that a measure of a block of one design is at least t."""
    foreign = [f.name for f in ready.study.factors if f.name not in ready.model.values]
    if foreign:
        raise BadStudy(f"{foreign[0]} is none of the robot's parameters: leave --gradient out to search")
    head, _, rest = name.partition(".")
    if name == REGULAR:
        return _regular(ready, block, t)
    if name in NUMBERS or (head == "evaluate" and rest):
        value, slopes = _evaluated(ready, block, rest) if rest else NUMBERS[name](ready, block)
        return Conditions(np.array([value - t]), slopes[None], np.array([-1.0]))
    known = ", ".join([REGULAR, *NUMBERS, "evaluate.…"])
    raise BadStudy(f"{name} has no derivative by dimensions here; {known} have one. Leave --gradient out to search")


def _chosen(ready: Prepared, model: Model, by_p: Doubles) -> Doubles:
    """Columns of the dimensions, of derivatives by all parameters, with formulas following."""
    columns = [list(model.values).index(f.name) for f in ready.study.factors]
    return (by_p @ formula_slopes(model))[..., columns]


def _regular(ready: Prepared, block: Block, t: float) -> Conditions:
    model, parts = block.at(0), np.linspace(0.0, 1.0, RINGS + 1)
    shape = (parts[:, None, None] * rays_of(ready)).reshape(-1, 2)[RAYS - 1 :]  # the centre once
    values, by_place, by_p = _map(ready, model, centre_of(ready) + t / 2 * shape)
    finite = (np.isfinite(part).all(axis=-1) for part in (by_place, by_p))
    idle = ~np.logical_and.reduce([np.isfinite(values), *finite])  # a leg at its very end
    idle[:, 1] |= values[:, 0] < 0.0  # nothing is conditioned where a leg misses: its slack says enough
    by_place, by_p = (np.where(idle[..., None], 0.0, part) for part in (by_place, by_p))
    sizes = np.array([ready.model.scale, 1.0])
    g = np.where(idle, 1.0, (values - [0.0, ready.study.place.condition]) / sizes)
    by_t = np.einsum("kci,ki->kc", by_place, shape) / 2 / sizes
    by_dimensions = _chosen(ready, model, by_p) / sizes[:, None]
    return Conditions(g.ravel(), by_dimensions.reshape(-1, by_dimensions.shape[-1]), by_t.ravel())


def _centre_conditioning(ready: Prepared, block: Block) -> tuple[float, Doubles]:
    values, _, by_p = _map(ready, block.at(0), centre_of(ready)[None])
    if values[0, 0] < 0.0:
        return 0.0, np.zeros(len(ready.study.factors))
    return float(values[0, 1]), _chosen(ready, block.at(0), by_p[0, 1])


def _moving_mass(ready: Prepared, block: Block) -> tuple[float, Doubles]:
    model = block.at(0)
    assert model.mechanism is not None
    names = list(model.values)
    by_p = np.zeros(len(names))
    for e, place in model.mechanism.expressions():
        if place.rsplit(".", 1)[-1] in MASSES:
            by_p += [float(evaluate(d, model.values)) for d in gradient(e, names)]
    return float(block.moving_mass()[0]), _chosen(ready, model, by_p)


def _evaluated(ready: Prepared, block: Block, name: str) -> tuple[float, Doubles]:
    """A number of `evaluate` at the study's state: tau.0, M.0.1, margin."""
    of, _, rest = name.partition(".")
    made = differentiated(block.at(0), of, state_of(ready))
    slopes = [pick(made, f"{f.name}.{rest}".rstrip("."), f"gradient.{of}") for f in ready.study.factors]
    return float(evaluated(ready, block, name)[0]), np.array(slopes)


REGULAR = "regular_workspace"
RINGS = 12  # of places from the centre to the edge
NUMBERS: dict[str, Callable[[Prepared, Block], tuple[float, Doubles]]] = {
    "centre_conditioning": _centre_conditioning,
    "moving_mass": _moving_mass,
}


def _map(ready: Prepared, model: Model, plane: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Slack and condition at places of the plane, (k, 2), and their slopes by these two and by all parameters."""
    if ready.slice.lever is not None or ready.model.nx != 2 + (ready.slice.third is not None):
        raise BadStudy(f"{model.name}: a plate's workspace has no derivative here. Leave --gradient out to search")
    third = () if ready.slice.third is None else (np.full((len(plane), 1), ready.slice.third),)
    place = np.concatenate([plane, *third], axis=-1)
    made = _library(ready).run("map_slopes", {"place": place, "p": model.p})
    return made["values"], made["by_place"][..., :2], made["by_p"]


@lru_cache(maxsize=4)
def _library(ready: Prepared) -> Library:
    return ready.model.load("map_slope_programs", ready.working)
