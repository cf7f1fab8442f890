"""A configuration that is known: q and x together, brought onto the loops exactly where they are close to that."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import NoSolution, length
from closedchain.model.closing import close, gaps
from closedchain.model.dynamics import coordinate_sizes
from closedchain.model.model import Model
from closedchain.policy import ROUNDED

CLOSE = 1e-3  # of the robot's size, or rad: what typing a few digits moves; what is further away is not meant


def known(model: Model, q: ArrayLike, x: ArrayLike) -> tuple[Doubles, Doubles]:
    """(q, x) that close the loops: as given where they do, else the nearest, x moving before q; NoSolution if far."""
    parts = vectors(q, model.nq, "q"), vectors(x, model.nx, "x")
    shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    z = np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1)
    rows = z.reshape(-1, model.nq + model.nx)
    gap = gaps(model, rows).max(initial=0.0)
    made = np.array([_closed(model, row) for row in rows]).reshape(z.shape) if gap > ROUNDED * model.scale else z
    return made[..., : model.nq], made[..., model.nq :]


def _closed(model: Model, z: Doubles) -> Doubles:
    """The configuration nearest to z, q held if that is enough; Newton's steps to where rounding ends them."""
    sizes, gap = coordinate_sizes(model), float(gaps(model, z).max(initial=0.0))
    if gap <= ROUNDED * model.scale:
        return z
    tries = []
    for moving in (np.arange(len(z)) >= model.nq, np.ones(len(z), bool)):
        (there,), left = close(model, z[None], moving)
        away = float((np.abs(there - z) / sizes).max(initial=0.0))
        if left.max(initial=0.0) <= 10 * ROUNDED * model.scale:
            if away <= CLOSE:
                return there
            tries.append(there)
    if not tries:
        raise NoSolution(
            f"{model.name}: q and x do not close the loops: the gap is {length(gap)}, and no configuration near them "
            f"closes; give q or x and a mode, or `assemble` it"
        )
    there = tries[0]
    worst = int(np.argmax(np.abs(there - z) / sizes))
    c = model.equations.z[worst]
    raise NoSolution(
        f"{model.name}: q and x do not close the loops: the gap is {length(gap)}. The nearest configuration found has "
        f"{c.name} = {there[worst]:.9g} {c.unit}, {abs(there[worst] - z[worst]):.3g} {c.unit} away, more than typing "
        f"explains; give that, or q or x and a mode"
    )
