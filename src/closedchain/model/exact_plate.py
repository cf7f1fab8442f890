"""The real poses of one plate on three circles, its numbers taken as the exact doubles they are.

The eliminant of `eliminant`, with z = ζ (1 + it)/(1 − it) and a rational rotation ζ = (g + ik)²/(g² + k²) that keeps
its degree, is a polynomial of degree 6 in t with integer coefficients once the lengths are integers:

    Q_i = |n_i|² N,  W_i = w_i N,  G = n_2·n_3 N,  D = n_2 × n_3 N,     N = (g² + k²)(1 + t²), all quadratic in t
    F = W_2² Q_3 + W_3² Q_2 − 2 W_2 W_3 G − 4 ρ_1² N D²

A real root of F with D ≠ 0 is one pose. Where D = 0 too, U lies on the line 2 U·n = w: none, one or two poses.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt, tan

import numpy as np

from closedchain.model.eliminant import Complex, Real
from closedchain.model.sturm import Polynomial, combination, divisor, product, quotient, real_roots, square_free

GRAIN = 16  # rotations are by 2 atan(k / GRAIN)
TRIES = 8  # rotations, should half a turn from one of them be a root
FINE = Fraction(1, 2**140)  # width of a root's interval: φ and U come out as the nearest doubles, or next to them

Vector = tuple[int, int]
Point = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class ExactPoses:
    """Every real pose of a plate, and the polynomial in t of which they are roots."""

    t: Real  # (k,)
    phi: Real  # (k,) [rad]
    U: Complex  # (k,) P_1 − a_1, divided by `scale`
    middle: float  # [rad] φ = middle + 2 atan t
    sextic: list[Fraction]  # (7,) its coefficients, highest power first, of the lengths divided by `scale`


@dataclass(frozen=True)
class Quadratics:
    """What F is made of, for legs 2 and 3; polynomials in t."""

    Q: list[Polynomial]
    W: list[Polynomial]
    G: Polynomial
    D: Polynomial
    N: Polynomial
    four_rho: int  # 4 ρ_1²

    def polynomial(self) -> Polynomial:
        """F; [] where it vanishes identically."""
        (Q2, Q3), (W2, W3) = self.Q, self.W
        return combination(
            (1, product(W2, W2, Q3)),
            (1, product(W3, W3, Q2)),
            (-2, product(W2, W3, self.G)),
            (-self.four_rho, product(self.N, self.D, self.D)),
        )


class WholePlate:
    """One plate in whole numbers of a unit of length that is a power of two."""

    def __init__(self, centre: Real, radius: Real, local: Real, far: float) -> None:
        numbers = [Fraction(float(v)) for v in (*centre.ravel(), *local.ravel(), *radius)]
        self.unit = Fraction(1, max(v.denominator for v in numbers))  # all denominators are powers of two
        whole = [int(v / self.unit) for v in numbers]
        a, p, self.rho = whole[:6], whole[6:12], whole[12:]
        self.e, self.d = ([(v[i] - v[0], v[i + 1] - v[1]) for i in (2, 4)] for v in (a, p))
        self.k = round(GRAIN * max(-64.0, min(64.0, tan((far + np.pi) / 2))))

    def quadratics(self) -> Quadratics:
        """Q, W, G, D and N of the present rotation; (g + ik)² (1 + it)² = N z."""
        (d2, d3), (e2, e3) = self.d, self.e
        m = GRAIN**2 + self.k**2
        Q = [self._times_N(_dot(d, d) + _dot(e, e), _times(-2, e, d)) for d, e in zip(self.d, self.e, strict=True)]
        squares = [r**2 - self.rho[0] ** 2 for r in self.rho[1:]]
        W = [combination((m * s, [1, 0, 1]), (-1, q)) for s, q in zip(squares, Q, strict=True)]
        one, other = _times(1, e3, d2), _times(1, e2, d3)
        G = self._times_N(_dot(d2, d3) + _dot(e2, e3), (-one[0] - other[0], -one[1] - other[1]))
        D = self._times_N(_cross(d2, d3) + _cross(e2, e3), (one[1] - other[1], other[0] - one[0]))
        return Quadratics(Q, W, G, D, [m, 0, m], 4 * self.rho[0] ** 2)

    def _times_N(self, constant: int, u: Vector) -> Polynomial:
        """N (constant + Re u z)."""
        m, turn = GRAIN**2 + self.k**2, (GRAIN**2 - self.k**2, 2 * GRAIN * self.k)
        x, y = u[0] * turn[0] - u[1] * turn[1], u[0] * turn[1] + u[1] * turn[0]
        return combination((m * constant, [1, 0, 1]), (1, [x, -2 * y, -x]))

    def legs_at(self, t: Fraction) -> list[tuple[Point, Fraction]]:
        """n_i and w_i of legs 2 and 3."""
        c, s = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
        turn = [Fraction(v, GRAIN**2 + self.k**2) for v in (GRAIN**2 - self.k**2, 2 * GRAIN * self.k)]
        z = (c * turn[0] - s * turn[1], c * turn[1] + s * turn[0])
        n = [
            (d[0] * z[0] - d[1] * z[1] - e[0], d[0] * z[1] + d[1] * z[0] - e[1])
            for d, e in zip(self.d, self.e, strict=True)
        ]
        return [(v, r**2 - self.rho[0] ** 2 - v[0] ** 2 - v[1] ** 2) for v, r in zip(n, self.rho[1:], strict=True)]


def exact_poses(centre: Real, radius: Real, local: Real, *, far: float, scale: float) -> ExactPoses | None:
    """All real poses of centre (3, 2), radius (3,), local (3, 2); None where a whole curve of them may close.

    `far` is an angle that is no root.
    """
    plate = WholePlate(centre, radius, local, far)
    for _ in range(TRIES):
        parts = plate.quadratics()
        F = parts.polynomial()
        if len(F) == 7:
            break
        plate.k += 1  # half a turn away was a root
    else:
        return None
    simple = square_free(F)
    on_line = divisor(simple, parts.D) if parts.D else simple
    unit = plate.unit / Fraction(scale)
    pairs = _on_line(plate, parts, on_line, unit)
    if pairs is None:
        return None
    poses = _off_line(plate, quotient(simple, on_line), unit) + pairs
    middle, t = 2 * float(np.arctan2(plate.k, GRAIN)), np.array([t for t, _ in poses])
    size = Fraction(parts.N[0]) ** 3 / unit**6
    phi = np.angle(np.exp(1j * (middle + 2 * np.arctan(t))))
    return ExactPoses(t, phi, np.array([u for _, u in poses], complex), middle, [c / size for c in reversed(F)])


def _off_line(plate: WholePlate, simple: Polynomial, unit: Fraction) -> list[tuple[float, complex]]:
    """t and U of the roots with D ≠ 0: U = −i (w_2 n_3 − w_3 n_2) / (2 n_2 × n_3)."""
    poses = []
    for found in real_roots(simple):
        root = found.within(FINE)
        (n2, w2), (n3, w3) = plate.legs_at(root.middle)
        while (area := n2[0] * n3[1] - n2[1] * n3[0]) == 0:
            root = root.halved()
            (n2, w2), (n3, w3) = plate.legs_at(root.middle)
        x, y = (unit * (w2 * n3[j] - w3 * n2[j]) / (2 * area) for j in (0, 1))
        poses.append((float(root.middle), complex(float(y), float(-x))))
    return poses


def _on_line(
    plate: WholePlate, parts: Quadratics, simple: Polynomial, unit: Fraction
) -> list[tuple[float, complex]] | None:
    """t and U of the roots with D = 0: where the line 2 U·n = w meets circle 1; None where there is no line."""
    poses = []
    for found in real_roots(simple):
        legs = [i for i in (0, 1) if found.sign_of(parts.Q[i])]
        if not legs and not any(found.sign_of(w) for w in parts.W):
            return None  # every U on circle 1 is a pose
        for i in legs[:1]:
            room = combination((parts.four_rho, product(parts.N, parts.Q[i])), (-1, product(parts.W[i], parts.W[i])))
            side, root = found.sign_of(room), found.within(FINE)
            n, w = plate.legs_at(root.middle)[i]
            square = n[0] ** 2 + n[1] ** 2
            direction = complex(*(float(v * unit) for v in n)) / sqrt(float(square * unit**2))
            along = float(w * unit**2 / 2) / sqrt(float(square * unit**2))
            across = sqrt(max(float((plate.rho[0] ** 2 - w**2 / (4 * square)) * unit**2), 0.0))
            offsets = (across, -across) if side > 0 else (0.0,) * (side == 0)
            poses += [(float(root.middle), direction * (along + 1j * offset)) for offset in offsets]
    return poses


def _times(factor: int, e: Vector, d: Vector) -> Vector:
    """factor · ē d."""
    return factor * (e[0] * d[0] + e[1] * d[1]), factor * (e[0] * d[1] - e[1] * d[0])


def _dot(a: Vector, b: Vector) -> int:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: Vector, b: Vector) -> int:
    return a[0] * b[1] - a[1] * b[0]
