"""The loop with Pinocchio's constraintDynamics: RK4 written in NumPy around it, the law in plain floats."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

from .biglide import Array, in_tree
from .loop import INTERVAL, bars, law, table, tip
from .pinocchio_biglide import ACCURACY, ITERATIONS, MU, describe

TOLERANCE = 1e-9  # [m] of the tip at the end: it keeps accelerations of the loop only, so that positions drift a little


def loop(steps: int) -> Callable[[], Array]:
    """A call that runs `steps` periods and returns the tip at the end."""
    model, closure = describe()
    data = model.createData()
    loops, loops_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    loops.append(closure)
    loops_data.append(closure.createData())
    pin.initConstraintDynamics(model, data, loops, loops_data)
    settings = pin.ProximalSettings(ACCURACY, MU, ITERATIONS)
    rows = table()[:steps]
    begin, listed = in_tree(rows[0, :2], bars(rows[0, :2])), rows.tolist()
    h, forward = INTERVAL, pin.constraintDynamics

    def accelerate(q: Array, v: Array, tau: Array) -> Array:
        return forward(model, data, q, v, tau, loops, loops_data, settings).copy()

    def run() -> Array:
        q, v, tau = begin.copy(), np.zeros(4), np.zeros(4)
        for row in listed:
            tau[0], tau[2] = law(row, q[0], q[2], v[0], v[2])
            a1 = accelerate(q, v, tau)
            v2 = v + h / 2 * a1
            a2 = accelerate(q + h / 2 * v, v2, tau)
            v3 = v + h / 2 * a2
            a3 = accelerate(q + h / 2 * v2, v3, tau)
            v4 = v + h * a3
            a4 = accelerate(q + h * v3, v4, tau)
            q = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4)
            v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return tip(q[0], q[2])

    return run
