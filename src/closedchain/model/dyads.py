"""Every assembly of a linkage that is found block by block: body after body, each from circles or lines already known.

What is not found so is said: the bodies left over are named, and nothing is claimed about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.derive.blocks import Block, blocks, has_choice, undetermined
from closedchain.describe.elements import Free
from closedchain.describe.expressions import evaluate_all, gradient
from closedchain.errors import BadInput, NoSolution
from closedchain.model.blocks import solve_block
from closedchain.model.closing import gaps
from closedchain.model.model import Model, NoClosedForm
from closedchain.model.quadratics import ARRAYS
from closedchain.policy import GAP

MOST = 4096  # assemblies


@dataclass(frozen=True, eq=False)
class Assemblies:
    """Every configuration that closes the loops with some points given."""

    linkage: str
    z: Doubles  # (k, nz)
    signs: tuple[str, ...]  # (k,) one letter for each block with a choice, in `order`; "0" where its two places are one
    order: tuple[str, ...]  # the bodies in the order in which they were found
    left: tuple[str, ...]  # bodies that are not found so; there are no z then
    loose: tuple[str, ...]  # bodies that somewhere could be anywhere on a circle or a line, so that z are not all
    message: str

    @property
    def complete(self) -> bool:
        """Whether these are all."""
        return not self.left and not self.loose

    def __len__(self) -> int:
        return len(self.z)


def assemblies(model: Model, known: Mapping[str, ArrayLike] | None = None, q: ArrayLike = ()) -> Assemblies:
    """Every way to close the loops with the drives at q and the `known` points where they are given, block by block."""
    mechanism = model.mechanism
    if mechanism is None or mechanism.dimension != 2:
        raise BadInput(f"{model.name}: dyads are of points and bars in the plane")
    names = [b.name for b in mechanism.bodies if isinstance(b, Free)]
    other = [name for name in known or {} if name not in names]
    if other:
        raise BadInput(f"{model.name} has no free point {other[0]!r:.40}; there are {', '.join(names)}")
    z = np.zeros((1, model.nq + model.nx))
    z[0, : model.nq] = vectors(q if model.nq else np.zeros(0), model.nq, "q")
    places = _columns(model)
    for name, at in (known or {}).items():
        z[0, places[name]] = vectors(at, 2, name)
    unknown = [i for name, columns in places.items() if name not in (known or {}) for i in columns]
    order = blocks(model.equations, unknown)
    if order is None:
        return _nothing(model, (), _bodies(model, undetermined(model.equations, unknown)))
    return _solved(model, order, z)


def _solved(model: Model, order: tuple[Block, ...], z: Doubles) -> Assemblies:
    """Every row once for each root of the next block; rows without one end here."""
    signs, found, loose = [""], list[str](), list[str]()
    for count, block in enumerate(order):
        own = _bodies(model, block.unknowns)
        try:
            roots = solve_block(model, block, z)
        except NoClosedForm:
            after = [i for later in order[count:] for i in later.unknowns]
            return _nothing(model, tuple(found), _bodies(model, after))
        found += own
        loose += own if roots.loose.any() else ()
        kept = ~roots.missed
        letters = _letters(model, block, roots.y[kept], roots.double[kept])
        signs = [signs[row] + letter for row, letter in zip(roots.row[kept], letters, strict=True)]
        z = roots.y[kept]
        rank = sorted(range(len(signs)), key=lambda i: [-"-0+".index(s) for s in signs[i]])  # "+" before "-"
        z, signs = z[rank], [signs[i] for i in rank]
        if len(signs) > MOST:
            raise NoSolution(f"{model.name}: more than {MOST} assemblies after {len(found)} dyads; give more points")
        if not signs:
            break
    closed = gaps(model, z).max(axis=-1, initial=0.0) <= GAP * model.scale
    kept_signs = tuple(s for s, ok in zip(signs, closed, strict=True) if ok)
    message = f"{len(kept_signs)} assemblies, found in the order {', '.join(found) or 'of the description'}"
    if not signs:
        message = "nothing found" if loose else f"no assembly: the circles or lines that hold {found[-1]} do not meet"
    if loose:
        message += f"; not all: {', '.join(dict.fromkeys(loose))} could be anywhere on a circle or a line"
    return Assemblies(model.name, z[closed], kept_signs, tuple(found), (), tuple(loose), message)


def _letters(model: Model, block: Block, z: Doubles, double: np.ndarray) -> list[str]:
    """The sign of det ∂φ/∂(what the block gives) on each row; "" where there is no choice."""
    if not has_choice(model.equations, block):
        return [""] * len(z)
    e, n = model.equations, len(block.unknowns)
    names = [e.z[i].name for i in block.unknowns]
    slopes = [d for i in block.closures for d in gradient(e.closures[i].residual, names)]
    values = model.values | {c.name: z[:, i] for i, c in enumerate(e.z)}
    columns = [np.broadcast_to(v, len(z)) for v in evaluate_all(slopes, values, ARRAYS)]
    det = np.linalg.det(np.stack(columns, axis=-1).reshape(len(z), n, n))
    return ["0" if twice else "+" if d > 0.0 else "-" for twice, d in zip(double, det, strict=True)]


def _nothing(model: Model, found: tuple[str, ...], left: tuple[str, ...]) -> Assemblies:
    message = f"{', '.join(left)} cannot be found by dyads from what is given; give a point, or `assemble` it"
    return Assemblies(model.name, np.zeros((0, model.nq + model.nx)), (), found, left, (), message)


def _columns(model: Model) -> dict[str, list[int]]:
    """Where each body stands in z."""
    assert model.mechanism is not None
    found, start = dict[str, list[int]](), model.nq
    for body in model.mechanism.bodies:
        size = len(model.mechanism.own_coordinates(body))
        found[body.name] = list(range(start, start + size))
        start += size
    return found


def _bodies(model: Model, columns: tuple[int, ...] | list[int]) -> tuple[str, ...]:
    """The bodies whose coordinates these are."""
    return tuple(name for name, own in _columns(model).items() if set(own) & set(columns))
