"""Physical consistency: is there a set of bodies with positive masses and inertias behind the base parameters?

A body's parameters are those of some distribution of mass if its second moments S, first moments and mass are:

    P = [S  m c; (m c)ᵀ  m] ⪰ 0,        J = S on a line,  J = tr S in the plane,  J = tr S · 1 − S in space

Each P is written L Lᵀ, masses of points, rotors, friction and springs as squares. Then the base parameters nearest to
the estimate, in its own covariance, that such bodies can have are found by Gauss–Newton: no cone is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.extras import Late
from closedchain.identification.base import Base
from closedchain.identification.bodies import parts_of
from closedchain.identification.regressor import Column

optimize = Late("scipy.optimize")
PULL = 1e-4  # how much the description counts, beside a reading, for what efforts do not tell
ROUNDING = 1e-8  # of a parameter's size: what is nearer than that to a body is one, also without noise


@dataclass(frozen=True, eq=False)
class Physical:
    """Bodies that explain the efforts almost as well, and how far they are from the estimate."""

    chi: Doubles  # every dynamic parameter, consistent
    beta: Doubles  # the base parameters that these have
    distance: float  # |β − β̂| in its covariance, squared: χ² of as many freedoms as there are base parameters
    inconsistent: tuple[str, ...]  # base parameters that moved by more than two standard deviations

    def __str__(self) -> str:
        where = f"χ² = {self.distance:.3g}, 95 % at {self.usual:.3g}"
        if self.consistent:
            return f"physically consistent: bodies of positive masses and inertias are within its confidence ({where})"
        moved = f"; {', '.join(self.inconsistent)} move by more than two sd" if self.inconsistent else ""
        return f"not physically consistent: the nearest bodies of positive masses and inertias are far ({where}){moved}"

    @property
    def usual(self) -> float:
        """χ² of 95 %, by Wilson and Hilferty's cube."""
        k = len(self.beta)
        return float(k * (1 - 2 / (9 * k) + 1.6449 * np.sqrt(2 / (9 * k))) ** 3)

    @property
    def consistent(self) -> bool:
        """Whether bodies that can exist are within the estimate's 95 % ellipsoid."""
        return self.distance <= self.usual


def consistent(columns: tuple[Column, ...], base: Base, beta: Doubles, covariance: Doubles) -> Physical:
    """The nearest consistent parameters to an estimate."""
    parts = parts_of(columns)
    start = np.concatenate([part.start(columns) for part in parts])
    sizes = _sizes(columns, base, beta)
    lower = np.linalg.cholesky(covariance + np.diag((ROUNDING * sizes[list(base.kept)]) ** 2))
    prior = np.array([c.value for c in columns])

    def unknown(u: Doubles) -> tuple[Doubles, Doubles]:
        chi, slopes, at = np.zeros(len(columns)), np.zeros((len(columns), len(u))), 0
        for part in parts:
            own = u[at : at + part.count]
            chi[part.places], slopes[part.places, at : at + part.count] = part.values(own), part.slopes(own)
            at += part.count
        return chi, slopes

    def left(u: Doubles) -> Doubles:
        chi, _ = unknown(u)
        return np.concatenate([np.linalg.solve(lower, base.C @ chi - beta), PULL * (chi - prior) / sizes])

    def slopes(u: Doubles) -> Doubles:
        _, by = unknown(u)
        return np.concatenate([np.linalg.solve(lower, base.C @ by), PULL * by / sizes[:, None]])

    found = optimize.least_squares(left, start, slopes, method="trf", x_scale="jac", ftol=1e-10, max_nfev=300)
    chi, _ = unknown(found.x)
    moved = base.C @ chi - beta
    far = np.linalg.solve(lower, moved)
    sd = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    wrong = tuple(name for name, m, s in zip(base.labels, moved, sd, strict=True) if abs(m) > 2 * s)
    return Physical(chi, base.C @ chi, float(far @ far), wrong)


def _sizes(columns: tuple[Column, ...], base: Base, beta: Doubles) -> Doubles:
    """How large each parameter may be: as described, as estimated, or as the others of its unit."""
    told = np.abs([c.value for c in columns])
    told[list(base.kept)] = np.maximum(told[list(base.kept)], np.abs(beta))
    usual: dict[str, float] = {}
    for c, size in zip(columns, told, strict=True):
        usual[c.unit] = max(usual.get(c.unit, 0.0), float(size))
    return np.array([max(float(size), 0.1 * usual[c.unit]) or 1.0 for c, size in zip(columns, told, strict=True)])
