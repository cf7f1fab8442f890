"""The robot of the benchmarks: parameters, a state with known answers, random states, the layout of "all models"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]

GAUGE = 0.4  # d, distance between the rails [m]
BAR = 0.3606  # l [m]
TIP_MASS = 3.0  # m_p [kg]
FOOT_MASS = 1.0  # m_f [kg]

INPUTS = {"q": (2,), "q_dot": (2,), "q_ddot": (2,)}
MODELS: dict[str, tuple[int, ...]] = {
    "x": (2,),
    "x_dot": (2,),
    "x_ddot": (2,),
    "phi": (2,),
    "phi_dot": (2,),
    "phi_ddot": (2,),
    "A": (2, 2),
    "B": (2, 2),
    "J": (2, 2),
    "M": (2, 2),
    "c": (2,),
    "tau": (2,),
    "det_A": (),
    "det_B": (),
    "lam": (2,),
}
ROWS = sum(int(np.prod(shape)) for shape in MODELS.values())  # doubles a state, 36


@dataclass(frozen=True)
class State:
    """One state of the biglide with the efforts that belong to it."""

    q: Array  # (2,) [m]
    q_dot: Array  # (2,)
    q_ddot: Array  # (2,)
    sign: float  # of det A, the assembly mode
    x: Array  # (2,) [m]
    x_dot: Array  # (2,)
    x_ddot: Array  # (2,)
    phi: Array  # (2,) bars' angles from the x axis [rad]
    phi_dot: Array  # (2,)
    phi_ddot: Array  # (2,)
    tau: Array  # (2,) [N]
    lam: Array  # (2,) [N/m], m_p x_ddot = Aᵀ lam


def read_state(row: dict[str, ArrayLike]) -> State:
    """A State from plain lists, extra keys ignored."""
    vectors = {name: np.array(row[name], dtype=float) for name in State.__annotations__ if name != "sign"}
    return State(sign=float(np.asarray(row["sign"])), **vectors)


# 50-digit arithmetic, rounded to doubles (TRUTH.md §1, the test state of document 000).
KNOWN = read_state(
    {
        "q": [0.1, 0.02],
        "q_dot": [0.3, -0.2],
        "q_ddot": [1.0, -0.5],
        "sign": 1.0,
        "x": [0.05832019046080539, 0.35160095230402694],
        "x_dot": [0.34388702136216026, -0.05307084508936694],
        "x_ddot": [0.6576803160196204, -0.6407307119853161],
        "phi": [0.7722219117412508, 1.974579622148781],
        "phi_dot": [-1.3667953885429562, -1.0370507653031977],
        "phi_ddot": [-4.532001602040365, -1.5238415932259068],
        "tau": [1.792154217083325, -3.214346353039273],
        "lam": [1.5742273823473247, -4.092790346619144],
    }
)


def in_tree(feet: Array, bars: Array) -> Array:
    """Values at the feet and at the bars in the order of the engines' joints: foot 1, bar 1, foot 2, bar 2."""
    return np.array([feet[0], bars[0], feet[1], bars[1]])


def sample(n: int, seed: int = 0) -> Array:
    """n random states (6, n), rows q, q_dot, q_ddot, both bars well away from Type 2 (|q1 - q2| < 0.5 of 0.6 m)."""
    random = np.random.default_rng(seed)
    inputs = np.empty((6, n))
    middle, difference = random.uniform(-0.5, 0.5, (2, n))
    inputs[0], inputs[1] = middle + difference / 2, middle - difference / 2
    inputs[2:4] = random.normal(0.0, 0.5, (2, n))
    inputs[4:6] = random.normal(0.0, 2.0, (2, n))
    return inputs


def name_rows(rows: Array) -> dict[str, Array]:
    """Views of structure-of-arrays results (36, n) by name, batch first: x is (n, 2), A is (n, 2, 2)."""
    named, start = {}, 0
    for name, shape in MODELS.items():
        size = int(np.prod(shape))
        block = rows[start : start + size].reshape(*shape, rows.shape[1])
        named[name] = np.moveaxis(block, -1, 0)
        start += size
    return named


def worst_difference(a: dict[str, Array], b: dict[str, Array]) -> tuple[float, str]:
    """Largest |a - b| / (1 + |b|) over all models, and the model where it is."""
    differences = {name: float(np.max(np.abs(a[name] - b[name]) / (1.0 + np.abs(b[name])))) for name in MODELS}
    worst = max(differences, key=lambda name: (not np.isfinite(differences[name]), differences[name]))
    return differences[worst], worst
