"""The values of a map at points of the output where other bodies follow from it: solved point by point, block by block.

    x → every (q, rest of x) → A, B → det A, det B, conditioning, effort, and the slack that says whether x is reached

det B is that of ∂φ/∂(q, rest of x), which vanishes where a branch ends (Type 1). A mode that does not reach a point has
the values 0 there. The slack is an estimate that vanishes at the edge of reach.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Carried
from closedchain.errors import BadInput
from closedchain.model.blocks import solve_blocks
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.solutions import Index, Signs, mode_name
from closedchain.singularity.reach import Slice

REACH = "reach"  # the slack of each mode
ROWS = 20_000  # points solved at once, so that the arrays between stay small


class Sampled:
    """(x, y) → values: the slack, then each quantity for each mode; called as a compiled map is."""

    def __init__(self, model: Model, quantities: Sequence[str], modes: Sequence[str], plane: Slice) -> None:
        self.model, self.quantities, self.modes, self.plane = model, tuple(quantities), tuple(modes), plane
        n, own = model.nq, model.outputs
        self.unknown = [*range(n), *range(n + own, n + model.nx)]
        self.levers = levers(model)

    def __call__(self, x: Doubles, y: Doubles, out: Doubles) -> None:
        """Fill `out`, (*batch, planes)."""
        shape = np.broadcast_shapes(x.shape, y.shape)
        places = np.stack([np.broadcast_to(v, shape).ravel() for v in (x, y)], axis=-1)
        values = [self._values(places[i : i + ROWS]) for i in range(0, len(places), ROWS)]
        out[...] = np.concatenate(values).reshape(*shape, -1) if values else 0.0

    def _values(self, places: Doubles) -> Doubles:
        model, count = self.model, len(self.modes)
        z = np.zeros((len(places), model.nq + model.nx))
        z[:, model.nq :] = self.plane.filled(places, model.nx)
        found = solve_blocks(model, z, self.unknown, "x", tell=False)
        rows = Configurations(model, found.z[:, : model.nq], found.z[:, model.nq :])
        mode = self._modes(rows.block_signs(found.double))
        self._check(found.index, mode)
        kept = mode >= 0
        values = np.zeros((len(places), 1 + count * len(self.quantities)))
        named = np.full(len(places), -np.inf)
        np.maximum.at(named, found.index[kept], found.room[kept])
        elsewhere = np.where(found.slack >= 0.0, -model.scale, found.slack)  # another mode reaches it
        values[:, 0] = np.where(np.isfinite(named), named, elsewhere)
        for k, quantity in enumerate(self.quantities):
            if quantity == REACH:
                values[:, 1 + k * count : 1 + (k + 1) * count] = elsewhere[:, None]
            made = found.room if quantity == REACH else getattr(self, f"_{quantity}")(rows)
            values[found.index[kept], 1 + k * count + mode[kept]] = made[kept]
        return values

    def _modes(self, signs: Signs) -> Index:
        """Which of the modes asked for each row is in; −1 for another. Where two branches meet, the one with "+"."""
        bits = 1 << np.arange(signs.shape[1])
        codes = (signs < 0) @ bits
        table = np.full(1 << signs.shape[1], -1, dtype=np.intp)
        for row in itertools.product((1, -1), repeat=signs.shape[1]):
            if (name := mode_name(row)) in self.modes:
                table[int((np.array(row) < 0) @ bits)] = self.modes.index(name)
        return np.asarray(table[codes])

    def _check(self, index: Index, mode: Index) -> None:
        """Refuse a robot whose signs do not tell its branches apart: a map has one value for each."""
        pairs = np.stack([index, mode], axis=-1)[mode >= 0]
        if len(np.unique(pairs, axis=0)) < len(pairs):
            name = self.model.name
            raise BadInput(f"{name}: several branches have the same signs, and a map has one value for each mode")

    # Quantities ---------------------------------------------------------------------------------

    def _det_A(self, rows: Configurations) -> Doubles:
        return rows.det_A()

    def _det_B(self, rows: Configurations) -> Doubles:
        return np.asarray(np.linalg.det(np.concatenate([rows.B, rows.A], axis=-1)[:, :, self.unknown]))

    def _condition(self, rows: Configurations) -> Doubles:
        """|det A| over the rows' lengths, angles counted by their plates' levers."""
        A = rows.A_twist / self.levers
        size = np.prod(np.linalg.norm(A, axis=-1), axis=-1)
        return np.asarray(np.abs(np.linalg.det(A)) / np.where(size > 0.0, size, 1.0))

    def _effort(self, rows: Configurations) -> Doubles:
        """The largest |τ| that holds a unit force on the output, whatever its direction: max |column of J|."""
        singular = rows.det_A() == 0.0
        A = np.where(singular[:, None, None], np.eye(self.model.nx), rows.A_twist)
        forces = 2 if self.model.mechanism is not None and self.model.mechanism.dimension == 2 else 3
        J = np.linalg.solve(A, rows.B)[:, :forces]
        return np.where(singular, np.inf, np.linalg.norm(J, axis=1).max(axis=-1, initial=0.0))


def levers(model: Model) -> Doubles:
    """[m] per unit of each coordinate of x: a plate's angle counts by its longest lever."""
    mechanism = model.mechanism
    found = []
    for body in mechanism.bodies if mechanism else ():
        points, units = (mechanism.points, mechanism.own_coordinates(body)) if mechanism else ((), ())
        own = [p for p in points if isinstance(p, Carried) and p.by is body]
        arm = max((math.hypot(*(model.number(e) for e in p.at)) for p in own), default=0.0) or 1.0
        found += [arm if unit == "rad" else 1.0 for _, unit in units]
    return np.array(found or [1.0 if c.unit == "m" else model.scale for c in model.equations.x])
