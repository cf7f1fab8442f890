"""The closed loop of the benchmarks: 3 s of computed torque at 1 kHz on the biglide, and what its exact answer is."""

from __future__ import annotations

import math

import numpy as np

from .biglide import BAR, FOOT_MASS, GAUGE, TIP_MASS, Array

START, END = np.array([0.0, 0.3]), np.array([0.1, 0.5])  # the tip, rest to rest by a quintic [m]
DURATION, INTERVAL, STEPS = 3.0, 1e-3, 3000
KP = KD = 100.0
# The tip at 3 s in 30-digit arithmetic (tests/data/make_exact_loop.py), rounded to doubles.
EXACT_END = np.array([0.0999998488842506978967388, 0.4999997650877167725331957])

Pair = tuple[float, float]


def drives(t: float) -> tuple[Pair, Pair, Pair]:
    """q, q_dot, q_ddot of the reference at t: the tip's quintic, then each leg by itself, in plain floats."""
    s = t / DURATION
    p = s**3 * (10 - 15 * s + 6 * s * s)
    v = 30 * s * s * (1 - s) ** 2 / DURATION
    a = 60 * s * (1 - s) * (1 - 2 * s) / DURATION**2
    dx, dy = float(END[0] - START[0]), float(END[1] - START[1])
    y, u = float(START[1]) + dy * p, dx * v
    rows = []
    for side in (GAUGE / 2, -GAUGE / 2):
        w = float(START[0]) + dx * p + side
        r = math.sqrt(BAR * BAR - w * w)
        rows.append((y - r, dy * v + w * u / r, dy * a + (u * u + w * dx * a) / r + (w * u) ** 2 / r**3))
    (q1, v1, a1), (q2, v2, a2) = rows
    return (q1, q2), (v1, v2), (a1, a2)


def table() -> Array:
    """q, q_dot, q_ddot at the control instants, (3000, 6)."""
    return np.array([np.ravel(drives(k * INTERVAL)) for k in range(STEPS)])


def model(q1: float, q2: float, v1: float, v2: float) -> tuple[float, float, float, float, float]:
    """M11, M12, M22, c1, c2 in plain floats, the tip above the feet."""
    D = q1 - q2
    k = math.sqrt(BAR * BAR / (GAUGE * GAUGE + D * D) - 0.25)
    x, y = k * D, 0.5 * (q1 + q2) + k * GAUGE
    r1x, r1y, r2x, r2y = x + GAUGE / 2, y - q1, x - GAUGE / 2, y - q2
    inv = 1.0 / (r1x * r2y - r1y * r2x)
    J11, J21, J22 = r1y * r2y * inv, -r2x * r1y * inv, r1x * r2y * inv  # J12 = -J11
    vx, vy = J11 * (v1 - v2), J21 * v1 + J22 * v2
    w1, w2 = vx * vx + (vy - v1) ** 2, vx * vx + (vy - v2) ** 2
    bx, by = (r1y * w2 - r2y * w1) * inv * TIP_MASS, (r2x * w1 - r1x * w2) * inv * TIP_MASS
    M11, M22 = FOOT_MASS + TIP_MASS * (J11 * J11 + J21 * J21), FOOT_MASS + TIP_MASS * (J11 * J11 + J22 * J22)
    return M11, TIP_MASS * (J21 * J22 - J11 * J11), M22, J11 * bx + J21 * by, J22 * by - J11 * bx


def law(row: list[float], q1: float, q2: float, v1: float, v2: float) -> Pair:
    """The efforts of seed 000, eq 53, in plain floats: the quickest way to have a controller in Python."""
    M11, M12, M22, c1, c2 = model(q1, q2, v1, v2)
    a1 = row[4] + KD * (row[2] - v1) + KP * (row[0] - q1)
    a2 = row[5] + KD * (row[3] - v2) + KP * (row[1] - q2)
    return M11 * a1 + M12 * a2 + c1, M12 * a1 + M22 * a2 + c2


def tip(q1: float, q2: float) -> Array:
    """The tip above the feet."""
    D = q1 - q2
    k = math.sqrt(BAR * BAR / (GAUGE * GAUGE + D * D) - 0.25)
    return np.array([k * D, 0.5 * (q1 + q2) + k * GAUGE])


def bars(q: Array) -> Array:
    """The bars' angles, (2,)."""
    x, y = tip(*q)
    return np.arctan2(y - q, np.array([x + GAUGE / 2, x - GAUGE / 2]))
