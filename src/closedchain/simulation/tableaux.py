"""Coefficients of explicit Runge–Kutta methods, rows of stages and weights, and of an implicit Rosenbrock method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Kutta's classical method, and Butcher's of order 6 in seven stages (J. Austral. Math. Soc. 4, 1964).
TABLEAUX: dict[str, tuple[list[list[float]], list[float]]] = {
    "rk4": ([[], [1 / 2], [0, 1 / 2], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6]),
    "rk6": (
        [
            [],
            [1 / 3],
            [0, 2 / 3],
            [1 / 12, 1 / 3, -1 / 12],
            [-1 / 16, 9 / 8, -3 / 16, -3 / 8],
            [0, 9 / 8, -3 / 8, -3 / 4, 1 / 2],
            [9 / 44, -9 / 11, 63 / 44, 18 / 11, 0, -16 / 11],
        ],
        [11 / 120, 0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120],
    ),
}
# RODAS of Hairer and Wanner (Solving Ordinary Differential Equations II, IV.7): order 4, L-stable and stiffly accurate.
GAMMA = 0.25
LAST = [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895]
STAGES: list[list[float]] = [
    [],
    [1.544],
    [0.9466785280815826, 0.2557011698983284],
    [3.314825187068521, 2.896124015972201, 0.9986419139977817],
    LAST,
    [*LAST, 1.0],
]
COUPLED: list[list[float]] = [
    [],
    [-5.6688],
    [-2.430093356833875, -0.2063599157091915],
    [-0.1073529058151375, -9.594562251023355, -20.47028614809616],
    [7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616],
    [8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054],
]
ORDERS = {"rk4": 4, "rk6": 6, "gauss4": 4, "rodas": 4}


def rosenbrock(f: Callable[[Any], Any], solve: Callable[[Any], Any], y: Any, h: Any) -> Any:
    """y after a step h of RODAS; solve(r) is the u with (1/(γ h) − f'(y)) u = r, and y may be of any arithmetic."""
    increments: list[Any] = []
    for place, coupled in zip(STAGES, COUPLED, strict=True):
        at = y + sum(a * u for a, u in zip(place, increments, strict=True))
        increments.append(solve(f(at) + sum(c * u for c, u in zip(coupled, increments, strict=True)) / h))
    return y + sum(a * u for a, u in zip([*LAST, 1.0, 1.0], increments, strict=True))
