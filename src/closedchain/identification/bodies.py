"""Dynamic parameters that bodies can have, by free numbers: pseudo-inertias as L Lᵀ, what is alone as a square."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.identification.regressor import Column

FREE = ("offset", "parameter")  # of any sign
SPACE = ("Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")


@dataclass(frozen=True, eq=False)
class Part:
    """Parameters that hang together: a body's, or one alone; `count` free numbers make them."""

    places: list[int]
    count: int
    values: Callable[[Doubles], Doubles]
    slopes: Callable[[Doubles], Doubles]
    start: Callable[[tuple[Column, ...]], Doubles]


def parts_of(columns: tuple[Column, ...]) -> list[Part]:
    """Every column in the part it hangs together with."""
    bodies: dict[str, dict[str, int]] = {}
    for i, c in enumerate(columns):
        bodies.setdefault(c.body, {})[c.kind] = i
    parts = []
    for kinds in bodies.values():
        own = [*(k for k in ("m", "mx", "my", "mz") if k in kinds), *(k for k in ("J", *SPACE) if k in kinds)]
        if any(k.startswith("J") for k in own) and "m" in own:
            parts.append(_body([kinds[k] for k in own], own))
        else:
            parts += [_square(kinds[k]) for k in own]
        for kind, i in kinds.items():
            if kind not in own:
                parts.append(_free(i) if kind in FREE else _square(i))
    return parts


def _free(i: int) -> Part:
    return Part([i], 1, lambda u: u, lambda u: np.eye(1), lambda c: np.array([c[i].value]))


def _square(i: int) -> Part:
    start = lambda c: np.array([np.sqrt(max(c[i].value, 1e-3))])  # noqa: E731 (one of four alike)
    return Part([i], 1, lambda u: u**2, lambda u: np.diag(2 * u), start)


def _body(places: list[int], kinds: list[str]) -> Part:
    """P = L Lᵀ, read off as m, m c and J."""
    n = sum(k in ("mx", "my", "mz") for k in kinds)
    space = "Jxx" in kinds
    size = n + 1
    rows, columns = np.tril_indices(size)
    read = _reader(kinds, n, space)

    def lower(u: Doubles) -> Doubles:
        L = np.zeros((size, size))
        L[rows, columns] = u
        return L

    def values(u: Doubles) -> Doubles:
        L = lower(u)
        return read @ (L @ L.T).ravel()

    def slopes(u: Doubles) -> Doubles:
        L = lower(u)
        found = np.zeros((len(kinds), len(u)))
        for k, (i, j) in enumerate(zip(rows, columns, strict=True)):
            E = np.zeros((size, size))
            E[i, j] = 1.0
            found[:, k] = read @ (E @ L.T + L @ E.T).ravel()
        return found

    def start(given: tuple[Column, ...]) -> Doubles:
        value = dict(zip(kinds, (given[i].value for i in places), strict=True))
        P = _pseudo(value, n, space)
        least = 1e-3 * max(float(np.trace(P)), 1e-3) / size
        w, V = np.linalg.eigh(P)
        L = np.linalg.cholesky((V * np.maximum(w, least)) @ V.T)
        return np.asarray(L[rows, columns])

    return Part(places, len(rows), values, slopes, start)


def _pseudo(value: dict[str, float], n: int, space: bool) -> Doubles:
    """Second moments, first moments and mass."""
    P = np.zeros((n + 1, n + 1))
    P[n, n] = value["m"]
    P[:n, n] = P[n, :n] = [value[f"m{axis}"] for axis in "xyz"[:n]]
    if space:
        J = np.array([[value[f"J{min(a, b)}{max(a, b)}"] for b in "xyz"] for a in "xyz"])
        P[:3, :3] = np.trace(J) / 2 * np.eye(3) - J
    else:  # on a line the second moment is J; in the plane J is their sum
        P[:n, :n] = value["J"] / n * np.eye(n)
    return P


def _reader(kinds: list[str], n: int, space: bool) -> Doubles:
    """The matrix that reads parameters off P: m, m c, and J = tr(S) 1 − S in space, tr S else."""
    rows = []
    for kind in kinds:
        E = np.zeros((n + 1, n + 1))
        if kind == "m":
            E[n, n] = 1.0
        elif kind.startswith("m"):
            E["xyz".index(kind[1]), n] = 1.0
        elif not space:
            E[:n, :n] = np.eye(n)
        else:
            a, b = ("xyz".index(axis) for axis in kind[1:])
            if a == b:
                E[[k for k in range(3) if k != a], [k for k in range(3) if k != a]] = 1.0
            else:
                E[a, b] = -1.0
        rows.append(E.ravel())
    return np.array(rows)
