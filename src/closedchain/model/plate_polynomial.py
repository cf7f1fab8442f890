"""The polynomial whose real roots are the angles of a plate on three legs, with all its roots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.model.eliminant import Complex
from closedchain.model.geometry import Search
from closedchain.model.model import Model, NoClosedForm
from closedchain.model.solutions import Clusters
from closedchain.model.three_circles import half_angle_sextic


@dataclass(frozen=True, eq=False)
class AnglePolynomial:
    """c_6 t⁶ + … + c_0 of t = tan(angle / 2), for one place of the bodies that are found before the plate."""

    plate: str
    angle: str  # the coordinate's name
    coefficients: Doubles  # (7,) c_6 … c_0, monic; c_6 = 0 where the angle π is a pose
    roots: Complex  # (6,) by increasing real part; fewer where leading coefficients are 0

    @property
    def degree(self) -> int:
        return len(self.roots)


def angle_polynomials(model: Model, q: ArrayLike) -> tuple[AnglePolynomial, ...]:
    """That of each plate on three legs at the drives q, once for every place of the bodies found before it."""
    try:
        groups = model.groups
    except NoClosedForm:  # bodies that need each other
        return ()
    q = vectors(q, model.nq, "q").reshape(1, model.nq)
    nothing = np.zeros(1, bool), Clusters.none(1), np.ones(1, bool)
    search, found = Search(model, q, np.zeros(1, np.intp), np.zeros((1, model.nx)), *nothing, {}), []
    for index, group in enumerate(groups):
        if group.is_triad:
            made = model.call(f"group{index}", q=q[search.rows], x=search.x)
            angle = model.equations.x[search.columns(index)][2].name
            for sextic in half_angle_sextic(made["centre"], np.abs(made["radius"]), made["local"]):
                found.append(AnglePolynomial(group.body.name, angle, sextic, roots(sextic)))
        search = search.step(index, False)
    return tuple(found)


def roots(coefficients: Doubles) -> Complex:
    """All complex roots of a real polynomial, highest power first, by increasing real part, then imaginary."""
    c = np.trim_zeros(np.asarray(coefficients, float), "f")
    found = np.roots(c).astype(complex)
    for _ in range(2):  # Newton's steps, which take the companion matrix's rounding away
        slope = np.polyval(np.polyder(c), found)
        step = np.where(slope != 0, np.polyval(c, found) / np.where(slope != 0, slope, 1.0), 0.0)
        found = np.where(np.abs(step) < 1e-6 * (1 + np.abs(found)), found - step, found)
    found = np.where(found.imag == 0, found.real, found)
    return found[np.lexsort((found.imag, found.real))]
