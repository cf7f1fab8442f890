"""A configuration that is known: q and x together, brought onto the loops exactly where they are close to that."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import NoSolution, length
from closedchain.model.dynamics import jacobian
from closedchain.model.model import Model

CLOSED = 1e-12  # of the robot's size: what rounding leaves of a closed loop
CLOSE = 1e-3  # of the robot's size, or rad: what typing a few digits moves; what is further away is not meant
STEPS = 12


def known(model: Model, q: ArrayLike, x: ArrayLike) -> tuple[Doubles, Doubles]:
    """(q, x) that close the loops: as given where they do, else the nearest, x moving before q; NoSolution if far."""
    parts = vectors(q, model.nq, "q"), vectors(x, model.nx, "x")
    shape = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    z = np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=-1)
    rows = z.reshape(-1, model.nq + model.nx)
    made = np.array([_closed(model, row) for row in rows]).reshape(z.shape) if _open(model, rows) else z
    return made[..., : model.nq], made[..., model.nq :]


def _open(model: Model, z: Doubles) -> bool:
    return bool(_gap(model, z).max(initial=0.0) > CLOSED * model.scale)


def _gap(model: Model, z: Doubles) -> Doubles:
    return np.abs(model.call("closures", q=z[..., : model.nq], x=z[..., model.nq :])["gap"]).max(axis=-1, initial=0.0)


def _closed(model: Model, z: Doubles) -> Doubles:
    """The configuration nearest to z, q held if that is enough; Newton's steps to where rounding ends them."""
    sizes = np.array([1.0 if c.unit == "rad" else model.scale for c in model.equations.z])
    gap = float(_gap(model, z))
    if gap <= CLOSED * model.scale:
        return z
    tries = []
    for moving in (np.arange(len(z)) >= model.nq, np.ones(len(z), bool)):
        there = _newton(model, z, np.where(moving, sizes, 0.0))
        away = float((np.abs(there - z) / sizes).max(initial=0.0))
        if _gap(model, there) <= 10 * CLOSED * model.scale:
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


def _newton(model: Model, z: Doubles, sizes: Doubles) -> Doubles:
    """Least-norm steps in coordinates of equal size; the best place reached."""
    best, least = z, float(_gap(model, z))
    for _ in range(STEPS):
        phi = model.call("closures", q=z[: model.nq], x=z[model.nq :])["phi"]
        step = np.linalg.lstsq(jacobian(model, z) * sizes, -phi, rcond=1e-12)[0]
        step *= min(1.0, 0.5 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        z = z + sizes * step
        gap = float(_gap(model, z))
        if gap < least:
            best, least = z, gap
        elif least <= CLOSED * model.scale:
            break
    return best
