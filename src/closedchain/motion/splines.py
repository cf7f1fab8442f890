"""Splines through given points at given times."""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput
from closedchain.extras import Late
from closedchain.motion.polynomials import PiecewisePolynomial
from closedchain.motion.reference import Space, instants

interpolate = Late("scipy.interpolate")

ORDERS = {  # the derivatives that each kind of end fixes
    (3, "natural"): (2,),
    (3, "clamped"): (1,),
    (5, "natural"): (3, 4),
    (5, "clamped"): (1, 2),
    (3, "free"): (),
    (5, "free"): (),
}


def spline(
    through: ArrayLike,
    times: ArrayLike,
    *,
    degree: int = 3,
    ends: str = "natural",
    velocity: ArrayLike = 0.0,
    acceleration: ArrayLike = 0.0,
    space: Space = "output",
) -> PiecewisePolynomial:
    """The interpolating spline: cubic with continuous accelerations, or quintic (degree=5) with x⁗ continuous.

    "natural" ends bend no further: the cubic's x″, the quintic's x‴ and x⁗ vanish there. "clamped" ends have the given
    velocity, and for the quintic acceleration: zero, one vector for both ends, or one row (2, n) for each. "free" ends
    are told nothing: the polynomials of the first and the last pieces go on through their neighbours.
    """
    t = instants(times)
    x = _through(through, t)
    if (degree, ends) not in ORDERS:
        raise BadInput(
            f"degree {degree!r:.20}, ends {ends!r:.20}: there are degree 3 and 5 and natural, clamped and free ends"
        )
    if not (np.diff(t) > 0).all():
        i = int(np.argmax(np.diff(t) <= 0))
        raise BadInput(f"times must increase, but {t[i]:.6g} s is followed by {t[i + 1]:.6g} s")
    if ends == "free" and len(t) <= degree:
        raise BadInput(f"{len(t)} points; free ends of degree {degree} need {degree + 1}: give more, or natural ends")
    n = x.shape[1]
    given = {1: _pair(velocity, n, "velocity"), 2: _pair(acceleration, n, "acceleration")} if ends == "clamped" else {}
    span = t[-1] - t[0]
    local = (t - t[0]) / span  # a scaled time keeps the system's rows of one size
    zero = np.zeros((2, n))
    at_ends = tuple([(j, given.get(j, zero)[side] * span**j) for j in ORDERS[degree, ends]] for side in (0, 1))
    fitted = interpolate.make_interp_spline(local, x, k=degree, bc_type=None if ends == "free" else at_ends)
    powers = np.stack([fitted(local[:-1], nu=j) / (factorial(j) * span**j) for j in range(degree + 1)], axis=1)
    return PiecewisePolynomial(t, powers, space)


def _through(values: ArrayLike, t: Doubles) -> Doubles:
    if t.ndim != 1 or t.size < 2:
        raise BadInput(f"times have shape {t.shape}; a list of two or more is needed")
    array = np.asarray(values, dtype=np.float64)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or len(array) != len(t):
        raise BadInput(f"{len(t)} times need points of shape ({len(t)}, n), not {array.shape}")
    return vectors(array, array.shape[1], "points")


def _pair(values: ArrayLike, n: int, what: str) -> Doubles:
    """(2, n): one row for each end."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape not in ((), (n,), (2, n)):
        raise BadInput(f"{what} has shape {array.shape}; a number, ({n},) or (2, {n}) is needed")
    return vectors(np.broadcast_to(array, (2, n)), n, what)
