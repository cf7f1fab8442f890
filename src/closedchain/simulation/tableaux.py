"""Coefficients of explicit Runge–Kutta methods: the rows of stages, and the weights."""

from __future__ import annotations

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
ORDERS = {"rk4": 4, "rk6": 6, "gauss4": 4}
