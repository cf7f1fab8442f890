"""The IFToMM benchmarks' references, and what peers reported for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .biglide import Array

A01_END = np.array([-0.2750874625761169, -0.961419205099125])  # x, y at 10 s: elliptic functions, case P10
A02_ENDS = {  # x, y of the first top joint: elliptic functions
    (2, 10.0): np.array([0.3284581115408154, 0.944518538178601]),  # case P11
    (40, 20.0): np.array([0.4109011537629452, 0.9116799009719807]),
}
A03_END = 15.810771195153707  # β at 0.03 s: quadrature with 25 digits, case P09
A04_END = np.array([0.9999327423021, -0.9999999977384, -0.0000672554361])  # P3 at 5 s: another program, to 1e-13
A05_END = np.array([0.535563103722, 0.482874576587])  # s, beta at 5 s: Radau and DOP853 agree to 3e-13
CART_END = np.array([1.9997632824687277, 0.9999980002367175, -0.02166518967258637])  # s, x, y at 10 s, quadrature

REPORTED = {  # by others, on other machines or with other tools; quoted, not measured here
    "A02, N = 2": "Exudyn h = 1e-2: 0.13 s, 1.9e-2 m; h = 1e-3: 0.69 s, 1.9e-4 m",
    "A02, N = 40": "Exudyn h = 1e-2: 2.9 s, 4e-2 m; h = 1e-3: 13.4 s, 1.6e-3 m",
    "A03": "NumPy KKT + DOP853 rtol 1e-8: 0.15 s, 2.6e-8 rad; rtol 1e-10: 0.27 s",
    "light cart-pole": "solvers at default tolerances: success with errors of 0.1 to 4",
}


@dataclass(frozen=True)
class Squeezer:
    """Andrews' squeezer: parameters by name, bodies 1 to 7, the start's angles."""

    parameters: dict[str, float]
    masses: tuple[float, ...]
    inertias: tuple[float, ...]
    angles: tuple[float, ...]  # β, Θ, γ, φ, δ, Ω, ε
    torque: float = 0.033  # [N m]


def squeezer_data(model: Any) -> Squeezer:
    """From our own description, with the published start."""
    v = model.values
    angles = (-0.06171389001427645, 0.0, 0.4552798191630704, 0.22266839016588588, 0.48736497954384255)
    angles += (-0.22266839016588588, 1.2305474445498212)
    masses, inertias = (tuple(v[f"{letter}_{i}"] for i in range(1, 8)) for letter in "mI")
    return Squeezer(dict(v), masses, inertias, angles)


def growth(times: dict[int, float]) -> float:
    """The exponent of N in a time, from the smallest to the largest N."""
    small, large = min(times), max(times)
    return math.log(times[large] / times[small]) / math.log(large / small)


def distance(a: Array, b: Array) -> float:
    """The largest difference of a coordinate."""
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))
