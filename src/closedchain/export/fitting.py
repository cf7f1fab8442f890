"""A first guess for a map: polynomials in what is known, fitted to configurations of one branch.

Newton's steps from the guess need no history, so that one straight line of code serves any input of the range. The fit
is judged on all samples: how far the guess is at most, and that A changes by less than itself within that distance,
where only one solution can be.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, NoSolution, numbers
from closedchain.model.transmission import Transmission

SAMPLES = 8_000  # configurations that a fit is made and judged by, about
DEGREES = range(2, 9)
SLACK = 3.0  # the guess may be so much further away than on any sample
LEAST = 1e-3  # of 1: a range that comes nearer to a Type 2 singularity is refused


@dataclass(frozen=True, eq=False)
class Samples:
    """Configurations of one branch with the joints in a range."""

    t: Transmission
    low: Doubles  # (n,) of the joints
    high: Doubles
    q: Doubles  # (m, n)
    x: Doubles  # (m, nx)
    reached: float  # the part of the range's samples that the branch reaches


@dataclass(frozen=True, eq=False)
class Fit:
    """guess = Σ c ∏ uᵏ,  u = (known − middle) / half."""

    middle: Doubles  # (n,)
    half: Doubles
    powers: tuple[tuple[int, ...], ...]
    coefficients: Doubles  # (unknowns, powers)
    away: Doubles  # (unknowns,) how far the guess is at most, with some slack


def sampled(t: Transmission, low: Doubles, high: Doubles) -> Samples:
    """The range's corners, and points between them as dense as Chebyshev's."""
    home, n = t.x_home[: len(low)], len(low)
    if not ((low < high).all() and (low <= home).all() and (home <= high).all()):
        raise BadInput(f"{t.model.name}: the range must hold its home {numbers(home)}, each low below its high")
    m = max(2, int(SAMPLES ** (1 / n)))
    if n <= 3:
        nodes = np.cos(np.pi * (np.arange(m) + 0.5) / m)
        unit = np.array(list(product(nodes, repeat=n)))
    else:
        unit = np.cos(np.pi * np.random.default_rng(0).random((SAMPLES, n)))
    unit = np.concatenate([unit, list(product((-1.0, 1.0), repeat=n))])
    y = (low + high) / 2 + unit * (high - low) / 2
    made, done = t.follow_joints(y)
    there = done >= 1.0
    if there.mean() < 0.5:
        raise NoSolution(
            f"{t.model.name}: its home's branch reaches {100 * there.mean():.0f} % of the range; give a smaller one"
        )
    q, x = made[there, :n], np.concatenate([y[there], made[there, n:]], axis=-1)
    margins = t.library.run("transmit", {"q": q, "x": x, "q_dot": np.zeros(n), "p": t.model.p})["margin_joint"]
    worst, signs = int(np.argmin(margins)), np.linalg.slogdet(t.model.call("closures", q=q, x=x)["A"])[0]
    if not margins[worst] > LEAST or signs.min() < signs.max():
        raise NoSolution(
            f"{t.model.name}: the range comes to a Type 2 singularity at {numbers(y[there][worst])}, "
            f"{margins[worst]:.1e} of 1 there; give a smaller one, on one side of it"
        )
    return Samples(t, low, high, q, x, float(there.mean()))


def fitted(known: Doubles, unknown: Doubles, degree: int) -> Fit:
    """Least squares in all monomials of so high a degree."""
    low, high = known.min(axis=0), known.max(axis=0)
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-300)
    powers = tuple(p for p in product(range(degree + 1), repeat=known.shape[1]) if sum(p) <= degree)
    u = (known - middle) / half
    columns = np.stack([np.prod(u ** np.array(p), axis=1) for p in powers], axis=1)
    found = np.linalg.lstsq(columns, unknown, rcond=None)[0].T
    away = SLACK * np.abs(columns @ found.T - unknown).max(axis=0) + 1e-12
    return Fit(middle, half, powers, found, away)


def one_solution(s: Samples, fit: Fit) -> bool:
    """Whether ‖A(x)⁻¹ (A(x + δ) − A(x))‖ < 1 for every sample and every corner δ of how far the guess may be."""
    model = s.t.model
    A = model.call("closures", q=s.q, x=s.x)["A"]
    corners = product((-1.0, 1.0), repeat=model.nx) if model.nx <= 6 else [np.ones(model.nx), -np.ones(model.nx)]
    for corner in corners:
        near = s.x + 2.0 * np.array(corner) * fit.away  # from one end to the other
        change = np.linalg.solve(A, model.call("closures", q=s.q, x=near)["A"] - A)
        scaled = np.abs(change) * fit.away / fit.away[:, None]
        if not scaled.sum(axis=-1).max() < 1.0:
            return False
    return True
