"""The loop by SciPy's solve_ivp, started anew for each control period, with a right side in plain Python floats.

In the drives' coordinates (two of them, no closures): the smallest system there is, which serves it best.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from .biglide import Array
from .loop import INTERVAL, law, model, table, tip

RTOL, ATOL = 1e-10, 1e-12  # the tip is then right to 1e-12 m


def loop(steps: int) -> Callable[[], Array]:
    """A call that runs `steps` periods and returns the tip at the end."""
    rows = table()[:steps].tolist()

    def run() -> Array:
        y = np.array([*rows[0][:2], 0.0, 0.0])
        for row in rows:
            t1, t2 = law(row, *y.tolist())

            def slope(_t: float, s: Array, t1: float = t1, t2: float = t2) -> list[float]:
                q1, q2, v1, v2 = s.tolist()
                M11, M12, M22, c1, c2 = model(q1, q2, v1, v2)
                f1, f2, inv = t1 - c1, t2 - c2, 1.0 / (M11 * M22 - M12 * M12)
                return [v1, v2, (M22 * f1 - M12 * f2) * inv, (M11 * f2 - M12 * f1) * inv]

            y = solve_ivp(slope, (0.0, INTERVAL), y, rtol=RTOL, atol=ATOL, first_step=INTERVAL).y[:, -1]
        return tip(*y[:2])

    return run
