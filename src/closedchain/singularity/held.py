"""The values of a map over two coordinates of a body in space, the others held, where each drive has its own leg.

x → q by closed form → A by twists, B → det A, det B, conditioning, effort, and the slack: whether x is reached
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.configurations import Configurations
from closedchain.model.levers import levers
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs
from closedchain.singularity.reach import Slice

ROWS = 20_000  # points computed at once, so that the arrays between stay small


class Held:
    """(a, b) → values: the slack, then each quantity for each mode; called as a compiled map is."""

    def __init__(self, model: Model, quantities: Sequence[str], modes: Sequence[str], plane: Slice) -> None:
        self.model, self.quantities, self.plane = model, tuple(quantities), plane
        self.signs = [leg_signs(model, mode) for mode in modes]
        self.levers = levers(model)

    def __call__(self, x: Doubles, y: Doubles, out: Doubles) -> None:
        """Fill `out`, (*batch, planes)."""
        shape = np.broadcast_shapes(x.shape, y.shape)
        places = np.stack([np.broadcast_to(v, shape).ravel() for v in (x, y)], axis=-1)
        values = [self._values(places[i : i + ROWS]) for i in range(0, len(places), ROWS)]
        out[...] = np.concatenate(values).reshape(*shape, -1) if values else 0.0

    def _values(self, places: Doubles) -> Doubles:
        x = self.plane.filled(places, self.model.nx)
        found = [self.model.call("inverse", x=x, sigma=np.broadcast_to(s, (len(x), len(s)))) for s in self.signs]
        columns = [np.min(found[0]["slack"], axis=-1)]
        if self.quantities:
            reached = columns[0] >= 0.0
            rows = [Configurations(self.model, np.where(reached[:, None], f["q"], 0.0), x) for f in found]
            for name in self.quantities:
                columns += [np.where(reached, getattr(self, f"_{name}")(row), 0.0) for row in rows]
        return np.stack(columns, axis=-1)

    def _det_A(self, rows: Configurations) -> Doubles:
        return rows.det_A()

    def _det_B(self, rows: Configurations) -> Doubles:
        return np.asarray(np.linalg.det(rows.B))

    def _condition(self, rows: Configurations) -> Doubles:
        """|det A| over its rows' lengths, a turn counted by the body's size."""
        A = rows.A_twist / self.levers
        size = np.prod(np.linalg.norm(A, axis=-1), axis=-1)
        return np.asarray(np.abs(np.linalg.det(A)) / np.where(size > 0.0, size, 1.0))

    def _effort(self, rows: Configurations) -> Doubles:
        """The largest |τ| that holds a unit force at the body's origin, whatever its direction."""
        singular = rows.det_A() == 0.0
        A = np.where(singular[:, None, None], np.eye(self.model.nx), rows.A_twist)
        J = np.linalg.solve(A, rows.B)[:, :3]
        return np.where(singular, np.inf, np.linalg.norm(J, axis=1).max(axis=-1, initial=0.0))
