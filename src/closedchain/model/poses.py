"""The pose of a robot's output body in space: its frame's origin and orientation, whatever coordinates it has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.mechanics import Mechanics
from closedchain.describe.elements import Body
from closedchain.describe.expressions import evaluate_all
from closedchain.model.model import Model
from closedchain.model.orientation import quaternions
from closedchain.model.quadratics import ARRAYS


@dataclass(frozen=True)
class Poses:
    """A body's place is position + R point."""

    position: Doubles  # (*batch, 3) [m]
    R: Doubles  # (*batch, 3, 3)

    @property
    def quaternion(self) -> Doubles:
        """(*batch, 4): w, x, y, z."""
        return quaternions(self.R)


def output_poses(model: Model, q: Doubles, x: Doubles) -> Poses | None:
    """Of the output where it is a body of space; None for a point or a plate."""
    mechanism = model.mechanism
    if mechanism is None or not isinstance(mechanism.output, Body):
        return None
    frame = Mechanics(mechanism).frame(mechanism.output)
    z = np.concatenate([q, x], axis=-1)
    values = model.values | {c.name: z[..., i] for i, c in enumerate(model.equations.z)}
    told = evaluate_all([*frame.origin, *(e for axis in frame.axes for e in axis)], values, ARRAYS)
    numbers = np.stack([np.broadcast_to(np.asarray(v, dtype=np.float64), z.shape[:-1]) for v in told], axis=-1)
    axes = numbers[..., 3:].reshape(*z.shape[:-1], 3, 3)
    return Poses(numbers[..., :3], np.swapaxes(axes, -1, -2))
