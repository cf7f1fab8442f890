"""Closures as polynomials of degree two in unknown lengths and in cosines and sines of unknown angles, on many rows.

    F(y) = [1, y]ᵀ S [1, y],    y = (lengths / size, …, cos ψ, sin ψ, …)

A closure of points, bars, plates, pins, rails and drives has this form. Angles enter as sums, ψ = Σ ± θ + what is
known; each sum that occurs is an unknown angle of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.equations import Coordinate
from closedchain.describe.expressions import FUNCTIONS, Arithmetic, Expr, evaluate_all

NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
ARRAYS: Arithmetic = {name: getattr(np, NUMPY.get(name, name)) for name in FUNCTIONS}  # of many rows at once
Form = tuple[tuple[str, int], ...]  # a sum of unknown angles: their names with whole factors


class NotQuadratic(Exception):
    """A closure that is not of degree two in these unknowns."""


class Poly:
    """A polynomial of degree 1 or 2 on many rows: (rows, n + 1) or (rows, n + 1, n + 1)."""

    __array_ufunc__ = None  # an array on the left leaves the operation to us

    def __init__(self, value: Doubles) -> None:
        self.value = value

    @property
    def degree(self) -> int:
        return self.value.ndim - 1

    def raised(self, degree: int) -> Doubles:
        """The coefficients as of a higher degree."""
        value = self.value
        if degree == 2:
            made = np.zeros((*value.shape, value.shape[-1]))
            made[:, 0, :] += value / 2
            made[:, :, 0] += value / 2
            return made
        return value

    def __add__(self, other: Any) -> Poly:
        if not isinstance(other, Poly):
            other = Poly(_constant(other, self.value))
        degree = max(self.degree, other.degree)
        pair = [p.value if p.degree == degree else p.raised(degree) for p in (self, other)]
        return Poly(pair[0] + pair[1])

    __radd__ = __add__

    def __neg__(self) -> Poly:
        return Poly(-self.value)

    def __sub__(self, other: Any) -> Poly:
        return self + (-other)

    def __rsub__(self, other: Any) -> Poly:
        return -self + other

    def __mul__(self, other: Any) -> Poly:
        if not isinstance(other, Poly):
            factor = np.asarray(other, dtype=np.float64).reshape(-1, *[1] * self.degree)
            return Poly(self.value * factor)
        if self.degree != 1 or other.degree != 1:
            raise NotQuadratic
        product = self.value[:, :, None] * other.value[:, None, :]
        return Poly((product + np.swapaxes(product, 1, 2)) / 2)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Poly:
        if isinstance(other, Poly | Angle):
            raise NotQuadratic
        return self * (1.0 / np.asarray(other, dtype=np.float64))

    def __rtruediv__(self, other: Any) -> Poly:
        raise NotQuadratic

    def __pow__(self, exponent: Any) -> Poly:
        if isinstance(exponent, float) and exponent == 2.0:
            return self * self
        if isinstance(exponent, float) and exponent == 1.0:
            return self
        raise NotQuadratic

    def __rpow__(self, base: Any) -> Poly:
        raise NotQuadratic


def _constant(number: Any, like: Doubles) -> Doubles:
    """A number, or one per row, as a polynomial of degree 1."""
    if isinstance(number, Angle):
        raise NotQuadratic
    made = np.zeros((like.shape[0], like.shape[-1]))
    made[:, 0] = number
    return made


@dataclass(frozen=True, eq=False)
class Angle:
    """A sum of unknown angles with whole factors, and what is known of it [rad]."""

    form: Form
    known: Any = 0.0

    __array_ufunc__ = None

    def __add__(self, other: Any) -> Angle:
        if isinstance(other, Poly):
            raise NotQuadratic
        if not isinstance(other, Angle):
            return Angle(self.form, self.known + other)
        factors = dict(self.form)
        for name, factor in other.form:
            factors[name] = factors.get(name, 0) + factor
        return Angle(tuple(sorted((n, k) for n, k in factors.items() if k)), self.known + other.known)

    __radd__ = __add__

    def __neg__(self) -> Angle:
        return Angle(tuple((n, -k) for n, k in self.form), -self.known)

    def __sub__(self, other: Any) -> Angle:
        return self + (-other)

    def __rsub__(self, other: Any) -> Angle:
        return -self + other

    def __mul__(self, other: Any) -> Angle:
        if not isinstance(other, float) or not other.is_integer():
            raise NotQuadratic
        return Angle(tuple((n, int(other) * k) for n, k in self.form if other), self.known * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Angle:
        raise NotQuadratic

    __rtruediv__ = __pow__ = __rpow__ = __truediv__


@dataclass(frozen=True, eq=False)
class Lifted:
    """Closures as polynomials, and how to go back from y to the coordinates."""

    S: Doubles  # (rows, closures and unit circles, n + 1, n + 1)
    lengths: tuple[int, ...]  # which of the unknowns are lengths
    angles: tuple[int, ...]  # and which are angles
    turning: Doubles  # (angles, sums): the angles of the sums
    size: float  # [m]

    def coordinates(self, y: Doubles) -> Doubles:
        """The unknowns in the order in which they were given, (rows, unknowns)."""
        made = np.zeros((len(y), len(self.lengths) + len(self.angles)))
        count = len(self.lengths)
        made[:, self.lengths] = y[:, :count] * self.size
        sums = np.arctan2(y[:, count + 1 :: 2], y[:, count::2])
        turned = sums @ self.turning.T
        made[:, self.angles] = np.remainder(turned + np.pi, 2 * np.pi) - np.pi
        return made


def lifted(
    residuals: Sequence[Expr], unknowns: Sequence[Coordinate], known: Mapping[str, Any], rows: int, size: float
) -> Lifted:
    """Residuals on `rows` rows as polynomials of the unknowns; NotQuadratic where they are none."""
    lengths = tuple(i for i, c in enumerate(unknowns) if c.unit != "rad")
    angles = tuple(i for i, c in enumerate(unknowns) if c.unit == "rad")
    n = len(lengths)
    forms: dict[Form, int] = {}
    turns = {unknowns[i].name: Angle(((unknowns[i].name, 1),)) for i in angles}
    one = {unknowns[i].name: Poly(np.zeros((rows, 1))) for i in lengths}
    evaluate_all(residuals, {**known, **turns, **one}, _arithmetic(lambda form, sine: _collect(forms, form, rows)))
    turning = _inverted(list(forms), [unknowns[i].name for i in angles])
    width = 1 + n + 2 * len(forms)

    def variable(column: int, factor: float = 1.0) -> Poly:
        value = np.zeros((rows, width))
        value[:, column] = factor
        return Poly(value)

    def turn(form: Form, sine: bool) -> Poly:
        key, sign = _leading(form)
        return variable(1 + n + 2 * forms[key] + sine, sign if sine else 1.0)

    values = {unknowns[i].name: variable(1 + k, size) for k, i in enumerate(lengths)}
    found = evaluate_all(residuals, {**known, **turns, **values}, _arithmetic(turn))
    circles = [turn(form, False) ** 2.0 + turn(form, True) ** 2.0 - 1.0 for form in forms]
    S = [p if isinstance(p, Poly) else variable(0) * p for p in (*found, *circles)]
    matrices = [p.value if p.degree == 2 else p.raised(2) for p in S]
    return Lifted(np.stack(matrices, axis=1), lengths, angles, turning, size)


def _collect(forms: dict[Form, int], form: Form, rows: int) -> Poly:
    forms.setdefault(_leading(form)[0], len(forms))
    return Poly(np.zeros((rows, 1)))


def _leading(form: Form) -> tuple[Form, int]:
    """The same sum with its first factor positive, and the sign that this took."""
    sign = 1 if form[0][1] > 0 else -1
    return tuple((n, sign * k) for n, k in form), sign


def _arithmetic(turn: Any) -> Arithmetic:
    """NumPy's functions; cosine and sine of a sum of unknown angles by the addition theorem."""

    def cosine(a: Any) -> Any:
        if not isinstance(a, Angle) or not a.form:
            return np.cos(_number(a))
        return turn(a.form, False) * np.cos(a.known) - turn(a.form, True) * np.sin(a.known)

    def sine(a: Any) -> Any:
        if not isinstance(a, Angle) or not a.form:
            return np.sin(_number(a))
        return turn(a.form, True) * np.cos(a.known) + turn(a.form, False) * np.sin(a.known)

    plain = {name: _plain(function) for name, function in ARRAYS.items()}
    return {**plain, "cos": cosine, "sin": sine}


def _plain(function: Any) -> Any:
    return lambda *values: function(*map(_number, values))


def _number(value: Any) -> Any:
    if isinstance(value, Angle) and not value.form:
        return value.known
    if isinstance(value, Poly | Angle):
        raise NotQuadratic
    return value


def _inverted(forms: Sequence[Form], names: Sequence[str]) -> Doubles:
    """The angles from the sums that occur; there must be as many, and no angle may be known up to half a turn only."""
    matrix = np.array([[dict(form).get(name, 0) for name in names] for form in forms], dtype=np.float64)
    if len(forms) != len(names) or (len(names) and abs(abs(np.linalg.det(matrix)) - 1.0) > 1e-9):
        raise NotQuadratic
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64) if len(names) else np.zeros((0, 0))
