"""Springs and dampers on angles that no joint of a tree is, from the engine's own places and Jacobians.

    θ = angle of (b − a) [− angle of the arm],    force = −(stiffness (θ − rest) + damping θ̇) ∂θ/∂v

No engine has such a thing; like Pinocchio's springs it is put in as a force. The spring acts the shorter way round.
"""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.tree import Twist


def twisted(twist: Twist, at: Doubles, J: Doubles, v: Doubles) -> tuple[Doubles, float]:
    """The force on the freedoms and the stored energy, from the places (k, 3) of `twist.frames` and J (k, 3, nv)."""
    angle, slope = 0.0, np.zeros(J.shape[-1])
    for sign, a, b in ((1.0, 0, 1), (-1.0, 2, 3))[: len(twist.frames) // 2]:
        along, rate = at[b] - at[a], J[b] - J[a]
        angle += sign * float(np.arctan2(along[1], along[0]))
        slope += sign * (along[0] * rate[1] - along[1] * rate[0]) / (along[0] ** 2 + along[1] ** 2)
    stretch = (angle - twist.rest + np.pi) % (2 * np.pi) - np.pi
    return -slope * (twist.stiffness * stretch + twist.damping * float(slope @ v)), twist.stiffness * stretch**2 / 2
