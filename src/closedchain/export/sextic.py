"""The polynomial of degree 6 whose roots are the angles of a plate on three legs, in SymPy.

With d_i = p_i − p_1 of the plate, e_i = a_i − a_1 of the legs' feet and t = tan(φ/2), multiplied by 1 + t² each (see
`model.eliminant`), these are quadratic in t:

    Q_i = |d_i + e_i|² t² + 4 (e_i × d_i) t + |d_i − e_i|²,        W_i = (ρ_i² − ρ_1²)(1 + t²) − Q_i
    G = (d_2 + e_2)·(d_3 + e_3) t² + 2 (e_3 × d_2 + e_2 × d_3) t + (d_2 − e_2)·(d_3 − e_3)
    D = (d_2 + e_2) × (d_3 + e_3) t² + 2 (e_3·d_2 − e_2·d_3) t + (d_2 − e_2) × (d_3 − e_3)
    f = W_2² Q_3 + W_3² Q_2 − 2 W_2 W_3 G − 4 ρ_1² (1 + t²) D²
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from closedchain.derive.mechanics import Mechanics
from closedchain.derive.structure import Group, ends, groups
from closedchain.describe.elements import Bar, Carried, Telescope
from closedchain.export.formulas import Formulas

POWERS = (2, 1, 0)


def entry(part: str, power: int) -> str:
    """The name of a quadratic's coefficient, as no parameter can be called: Q[2,1] is that of t in Q_2."""
    return f"{part[:-1]},{power}]" if part.endswith("]") else f"{part}[{power}]"


QUADRATICS = tuple(entry(part, power) for part in ("Q[2]", "Q[3]", "G", "D") for power in POWERS)
DIFFERENCES = tuple(entry(part, power) for part in ("W[2]", "W[3]") for power in POWERS)
COEFFICIENTS = tuple(f"c[{power}]" for power in range(6, -1, -1))


@dataclass(frozen=True)
class Sextic:
    """The formulas of one plate."""

    of: Formulas
    group: Group

    @property
    def angle(self) -> str:
        """The name of the plate's angle."""
        assert self.of.equations.mechanism is not None
        return Mechanics(self.of.equations.mechanism).body_coordinates[id(self.group.body)][2].name

    @cached_property
    def quadratics(self) -> sp.Matrix:
        """The coefficients named QUADRATICS, of the robot's own symbols, (12, 1)."""
        a, p, _ = zip(*self._circles(), strict=True)
        (d2, d3), (e2, e3) = ([v[i] - v[0] for i in (1, 2)] for v in (p, a))
        Q = [[_dot(d + e, d + e), 4 * _cross(e, d), _dot(d - e, d - e)] for d, e in ((d2, e2), (d3, e3))]
        G = [_dot(d2 + e2, d3 + e3), 2 * (_cross(e3, d2) + _cross(e2, d3)), _dot(d2 - e2, d3 - e3)]
        D = [_cross(d2 + e2, d3 + e3), 2 * (_dot(e3, d2) - _dot(e2, d3)), _cross(d2 - e2, d3 - e3)]
        return sp.Matrix([sp.factor_terms(v) for row in (*Q, G, D) for v in row])

    @cached_property
    def differences(self) -> sp.Matrix:
        """The coefficients named DIFFERENCES, of those of Q and the legs' lengths, (6, 1)."""
        rho = [row[2] for row in self._circles()]
        rows = []
        for i in (2, 3):
            Q = [_symbol(f"Q[{i}]", power) for power in POWERS]
            change = rho[i - 1] ** 2 - rho[0] ** 2
            rows += [change - Q[0], -Q[1], change - Q[2]]
        return sp.Matrix(rows)

    @cached_property
    def coefficients(self) -> sp.Matrix:
        """The polynomial's, named COEFFICIENTS, of the quadratics' coefficients and ρ_1, (7, 1)."""
        t, parts = sp.Symbol("t[]", real=True), ("Q[2]", "Q[3]", "W[2]", "W[3]", "G", "D")
        Q2, Q3, W2, W3, G, D = (sum(_symbol(part, power) * t**power for power in POWERS) for part in parts)
        rho = self._circles()[0][2]
        f = W2**2 * Q3 + W3**2 * Q2 - 2 * W2 * W3 * G - 4 * rho**2 * (1 + t**2) * D**2
        return sp.Matrix(sp.Poly(sp.expand(f), t).all_coeffs())

    def _circles(self) -> list[tuple[sp.Matrix, sp.Matrix, sp.Expr]]:
        """Foot, point of the plate and length of each leg."""
        assert self.of.equations.mechanism is not None
        mechanics, rows = Mechanics(self.of.equations.mechanism), []
        for link in self.group.links:
            own, foot = ends(link) if _is_on(ends(link)[0], self.group) else ends(link)[::-1]
            assert isinstance(own, Carried)
            assert isinstance(link, Bar | Telescope)
            length = link.length if isinstance(link, Bar) else mechanics.joint(link).symbol
            rows.append((self.of.column(mechanics.position(foot)), self.of.column(own.at), self.of.scalar(length)))
        return rows


def sextics(f: Formulas) -> Iterator[Sextic]:
    """That of each plate on three legs, in the order in which they are found."""
    mechanism = f.equations.mechanism
    for group in (groups(mechanism) or ()) if mechanism is not None and not f.equations.linkage else ():
        if group.is_triad and all(isinstance(link, Bar | Telescope) for link in group.links):
            yield Sextic(f, group)


def _symbol(part: str, power: int) -> sp.Symbol:
    return sp.Symbol(entry(part, power), real=True)


def _is_on(point: object, group: Group) -> bool:
    return isinstance(point, Carried) and point.by is group.body


def _dot(a: sp.Matrix, b: sp.Matrix) -> sp.Expr:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: sp.Matrix, b: sp.Matrix) -> sp.Expr:
    return a[0] * b[1] - a[1] * b[0]
