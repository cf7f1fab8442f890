"""The angles of plates whose six complex ones are proven to differ, each in a disc of its own: eight plates at a time.

P(z) = z³ f has the roots 1/z̄ with its roots z, because f is real. A disc that holds one root, meets the unit circle and
whose mirror image meets no other disc holds a root that is its own image, so its angle is real; one off the circle is
not. A simple root of f is exactly one pose: so the number of poses is proven as well.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from closedchain.kernels.loops import compile_module, in_lanes
from closedchain.model.eliminant import Complex, Real, TrigPolynomial
from closedchain.model.plate_closure import Index, Mask
from closedchain.solver import sextics

NEAR = 0.02  # of |log |z||: a root this near to the circle may be one of two that meet on it
# Where the iteration begins: off the circle, or it would never leave it, and at angles of no symmetry.
START = np.array([1.3, 0.6, 1.5, 0.75, 1.1, 0.55]) * np.exp(1j * (np.pi / 3 * np.arange(6) + 0.4))


@cache
def _isolate() -> Any:
    return compile_module(sextics)["isolate"]


def real_angles(f: TrigPolynomial) -> tuple[Index, Real, Mask]:
    """Rows and angles φ of all roots that may be real, and the polynomials of which these are exactly those, (nb,)."""
    Z, radius = discs(f)
    apart = np.abs(Z[:, :, None] - Z[:, None]) + np.diag(np.full(6, np.inf))
    told = (apart > radius[:, :, None] + radius[:, None]).all(axis=(1, 2))
    size = np.abs(Z)
    on = np.abs(size - 1.0) <= radius
    with np.errstate(all="ignore"):
        image, reach = Z / size**2, radius / (size * (size - radius))
        beside = np.abs(image[:, :, None] - Z[:, None]) + np.diag(np.full(6, np.inf))
        alone = (size > radius) & (beside > reach[:, :, None] + radius[:, None]).all(axis=2)
        off = np.abs(np.log(size))
    told &= (alone | ~on).all(axis=1)
    row, column = np.nonzero(np.where(told[:, None], on, off <= NEAR))
    phi, off = np.angle(Z[row, column]), off[row, column]
    pair = np.nonzero(~told[row] & (off > 1e-10))[0]  # both neighbours of two that rounding has moved off the circle
    angles = np.concatenate([phi, phi[pair] + off[pair], phi[pair] - off[pair]])
    return np.concatenate([row, row[pair], row[pair]]), angles, told


def discs(f: TrigPolynomial) -> tuple[Complex, Real]:
    """All roots of z³ f with the radii of discs that hold them, (nb, 6)."""
    count = len(f.c)
    Z, radius = np.zeros((count, 6), np.complex128), np.zeros((count, 6))
    room = in_lanes(7, 2), in_lanes(6, 2), in_lanes(6), in_lanes(2)
    _isolate()(count, np.ascontiguousarray(f.c), f.slack(0), START, Z, radius, *room)
    return Z, radius
