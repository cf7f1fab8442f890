"""Coordinates that name one and the same place twice: angles that can be changed while every point stays where it is.

A tool whose joints lie on one line does not care how it is turned about that line: (yaw, pitch) and
(yaw + 180°, 180° − pitch) put all of its points in the same places. Such changes are found once for a robot, by moving
each unknown angle θ to θ + π, −θ or π − θ and looking at where points and directions go; an assembly is then told once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.blocks import Block, blocks
from closedchain.derive.mechanics import Mechanics
from closedchain.describe.expressions import Expr, evaluate_all
from closedchain.model.dynamics import coordinate_sizes
from closedchain.model.model import Model
from closedchain.model.polynomials import task_of
from closedchain.model.quadratics import ARRAYS
from closedchain.model.reduction import Flags

MOST = 4  # angles of a block
ROWS = 3  # places at which a change is tried
SAME = 1e-11  # of the robot's size
Change = tuple[tuple[float, float], ...]  # θ → sign θ + offset, of each unknown angle


def renamings(model: Model, block: Block) -> tuple[Change, ...]:
    """The changes of a block's angles that move no point, without the one that changes nothing."""
    found: dict[Block, tuple[Change, ...]] = model.__dict__.setdefault("_renamings", {})
    if block not in found:
        found[block] = _renamings(model, block)
    return found[block]


def told_once(model: Model, block: Block, z: Doubles) -> Flags:
    """Rows of z whose angles are the smallest among the names of their place."""
    kept, columns = np.ones(len(z), bool), _angles(model, block)
    for change in renamings(model, block):
        kept &= _order(z[:, columns]) <= _order(_changed(z[:, columns], change))
    return kept


def other_names(model: Model, x: Doubles) -> Iterator[Doubles]:
    """The same outputs by each of their other names."""
    for block in (blocks(model.equations, range(model.nq, model.nq + model.nx)) or ()) if model.mechanism else ():
        columns = [i - model.nq for i in _angles(model, block)]
        for change in renamings(model, block):
            other = x.copy()
            other[:, columns] = _changed(x[:, columns], change)
            yield other


def _order(angles: Doubles) -> Doubles:
    """What is smallest for one of the names: the sum of the angles' sizes, and where two have the same, the first."""
    weights = 1.0 + 1e-9 * np.arange(angles.shape[1])
    return np.asarray(np.abs(angles) @ weights - 1e-9 * np.sign(angles[:, 0]))


def _changed(angles: Doubles, change: Change) -> Doubles:
    signs, offsets = np.array(change).T
    return np.asarray((angles * signs + offsets + np.pi) % (2 * np.pi) - np.pi)


def _angles(model: Model, block: Block) -> list[int]:
    """Unknown angles; roll, pitch and yaw of a body that turns in every way follow from its axes, by one name."""
    unknown = (block.unknowns[k] for k in task_of(model, block).columns)
    return [i for i in unknown if model.equations.z[i].unit == "rad"]


def _renamings(model: Model, block: Block) -> tuple[Change, ...]:
    columns = _angles(model, block)
    if model.mechanism is None or not 1 < len(columns) <= MOST:
        return ()
    z = np.random.default_rng(0).uniform(-3.0, 3.0, (ROWS, len(model.equations.z))) * coordinate_sizes(model)
    seen = _seen(model)
    here, made = _places(model, seen, z), list[Change]()
    for change in product(((1.0, 0.0), (1.0, np.pi), (-1.0, 0.0), (-1.0, np.pi)), repeat=len(columns)):
        other = z.copy()
        other[:, columns] = _changed(z[:, columns], change)
        moved = np.abs(_places(model, seen, other) - here).max(initial=0.0)
        if moved <= SAME and any(c != (1.0, 0.0) for c in change):
            made.append(change)
    return tuple(made)


def _seen(model: Model) -> list[Expr]:
    """Every point's place and centre of mass in the robot's size, and every direction that a closure speaks of."""
    assert model.mechanism is not None
    m = Mechanics(model.mechanism)
    places = [m.position(point) for point in model.mechanism.points] + [centre for _, centre in m.centres()]
    directions = [d for c in model.mechanism.inclines for d in (c.a, c.b)]
    directions += [d for c in model.mechanism.coplanars for d in (c.u, c.v)]
    return [e / model.scale for place in places for e in place] + [e for d in directions for e in m.pointing(d)]


def _places(model: Model, seen: list[Expr], z: Doubles) -> Doubles:
    values = model.values | {c.name: z[:, i] for i, c in enumerate(model.equations.z)}
    return np.stack([np.broadcast_to(v, len(z)) for v in evaluate_all(seen, values, ARRAYS)], axis=-1)
