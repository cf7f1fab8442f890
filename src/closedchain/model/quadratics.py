"""Closures as polynomials of degree two in their unknowns, on many rows.

    F(y) = [1, y]ᵀ S [1, y]

The unknowns y are lengths over a size, cosine and sine of each sum of unknown angles, ψ = Σ ± θ + what is known, and
the place and axes of bodies of space. What is of a higher degree is brought to two by products as further unknowns,
y_k = y_i y_j. Equations that hold for any closures follow them: unit circles, products, and what makes axes a frame.

`lifted` takes what is known as numbers. `moving` takes the coordinates among it as symbols of the same polynomials:

    S(z) = Σ_k w_k(z) S_k,     w_k products of lengths, cosines and sines of what is known

so that the S_k are made once, and an answer for other drives needs the w_k alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from closedchain.arrays import Doubles, Integers
from closedchain.describe.equations import Coordinate
from closedchain.describe.expressions import FUNCTIONS, Arithmetic, Expr, evaluate_all
from closedchain.solver import Part, circle, frame, product

NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
ARRAYS: Arithmetic = {name: getattr(np, NUMPY.get(name, name)) for name in FUNCTIONS}  # of many rows at once
MOST = 6  # a degree beyond this is not tried
NOTHING = 1e-13  # of the largest coefficient: what squares of sine and cosine leave of a sum that cancels
GIVEN = 1 << 20  # symbols from here on stand for what is known
Form = tuple[tuple[str, int], ...]  # a sum of unknown angles: their names with whole factors
Monomial = tuple[int, ...]  # unknowns, in order; () is 1


class NotQuadratic(Exception):
    """A closure that is no polynomial in these unknowns."""


class Ring:
    """The unknowns of polynomials; a sine's square is one minus its cosine's."""

    def __init__(self) -> None:
        self.size, self.known = 0, 0
        self.cosines: dict[int, int] = {}  # sine → its cosine

    def variable(self) -> int:
        self.size += 1
        return self.size - 1

    def symbol(self) -> int:
        """Of what is known."""
        self.known += 1
        return GIVEN + self.known - 1

    def circle(self, known: bool = False) -> int:
        """A new pair: the cosine's number; the sine's is the next."""
        new = self.symbol if known else self.variable
        cosine, sine = new(), new()
        self.cosines[sine] = cosine
        return cosine

    def normal(self, monomial: Monomial) -> dict[Monomial, float]:
        """A product of unknowns without squares of sines."""
        for k, (a, b) in enumerate(pairwise(monomial)):
            if a == b and a in self.cosines:
                rest, cosine = monomial[:k] + monomial[k + 2 :], self.cosines[a]
                made = dict(self.normal(rest))
                for m, c in self.normal(tuple(sorted((*rest, cosine, cosine)))).items():
                    made[m] = made.get(m, 0.0) - c
                return made
        return {monomial: 1.0}


class Poly:
    """A polynomial whose coefficients are numbers, or arrays of one for each row."""

    __array_ufunc__ = None  # an array on the left leaves the operation to us

    def __init__(self, ring: Ring, terms: dict[Monomial, Any]) -> None:
        self.ring, self.terms = ring, terms

    def _other(self, other: Any) -> dict[Monomial, Any]:
        if isinstance(other, Angle):
            raise NotQuadratic
        return other.terms if isinstance(other, Poly) else {(): other}

    def __add__(self, other: Any) -> Poly:
        made = dict(self.terms)
        for m, c in self._other(other).items():
            made[m] = made[m] + c if m in made else c
        return Poly(self.ring, made)

    __radd__ = __add__

    def __neg__(self) -> Poly:
        return Poly(self.ring, {m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Any) -> Poly:
        return self + (-other)

    def __rsub__(self, other: Any) -> Poly:
        return -self + other

    def __mul__(self, other: Any) -> Poly:
        made: dict[Monomial, Any] = {}
        for m, c in self.terms.items():
            for n, d in self._other(other).items():
                if len(m) + len(n) > MOST and sum(i < GIVEN for i in m + n) > MOST:
                    raise NotQuadratic
                for k, factor in self.ring.normal(tuple(sorted(m + n))).items():
                    made[k] = made.get(k, 0.0) + factor * (c * d)
        return Poly(self.ring, made)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Poly:
        if isinstance(other, Poly | Angle):
            raise NotQuadratic
        return self * (1.0 / np.asarray(other, dtype=np.float64))

    def __rtruediv__(self, other: Any) -> Poly:
        raise NotQuadratic

    def __pow__(self, exponent: Any) -> Poly:
        if isinstance(exponent, float) and exponent in (1.0, 2.0):
            return self if exponent == 1.0 else self * self
        raise NotQuadratic

    def __rpow__(self, base: Any) -> Poly:
        raise NotQuadratic


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

    S: Doubles  # (rows, closures and what holds for any of them, n + 1, n + 1)
    lengths: tuple[int, ...]  # which of the unknowns are lengths
    angles: tuple[int, ...]  # and which are angles
    sums: tuple[int, ...]  # where in y the cosine of each sum of angles stands; its sine follows
    turning: Doubles  # (angles, sums): the angles of the sums
    size: float  # [m]
    parts: tuple[Part, ...] = ()  # what unknowns have in common whatever the closures are
    closures: int = 0  # the first of the equations

    def coordinates(self, y: Doubles) -> Doubles:
        """The lengths and angles in the order in which they were given, (rows, unknowns)."""
        made = np.zeros((len(y), len(self.lengths) + len(self.angles)))
        made[:, self.lengths] = y[:, : len(self.lengths)] * self.size
        at = np.array(self.sums, dtype=np.intp)
        sums = np.arctan2(y[:, at + 1], y[:, at])
        made[:, self.angles] = np.remainder(sums @ self.turning.T + np.pi, 2 * np.pi) - np.pi
        return made


@dataclass
class Lift:
    """Polynomials being made: the sums of angles that were met, and the equations of what is common to all."""

    ring: Ring
    forms: dict[Form, int] = field(default_factory=dict)  # sum → its cosine
    known: frozenset[str] = frozenset()  # angles that are known, as symbols
    known_forms: dict[Form, int] = field(default_factory=dict)  # the same of these

    def turn(self, form: Form, sine: bool, known: bool = False) -> Poly:
        """Cosine or sine of a sum of unknown angles."""
        sign = 1 if form[0][1] > 0 else -1
        key = tuple((n, sign * k) for n, k in form)  # the same sum with its first factor positive
        forms = self.known_forms if known else self.forms
        cosine = forms.setdefault(key, -1)
        if cosine < 0:
            cosine = forms[key] = self.ring.circle(known)
        return Poly(self.ring, {(cosine + sine,): float(sign) if sine else 1.0})

    def arithmetic(self) -> Arithmetic:
        """NumPy's functions; cosine and sine of a sum of unknown angles by the addition theorem."""

        def both(a: Angle) -> tuple[Any, Any]:
            """Cosine and sine: those of unknown angles, of known ones that are symbols, and of numbers, one by one."""
            c, s = np.cos(a.known), np.sin(a.known)
            for known in (False, True):
                form = tuple((n, k) for n, k in a.form if (n in self.known) == known)
                if form:
                    own = self.turn(form, False, known), self.turn(form, True, known)
                    c, s = own[0] * c - own[1] * s, own[1] * c + own[0] * s
            return c, s

        def cosine(a: Any) -> Any:
            return both(a)[0] if isinstance(a, Angle) and a.form else np.cos(_number(a))

        def sine(a: Any) -> Any:
            return both(a)[1] if isinstance(a, Angle) and a.form else np.sin(_number(a))

        plain = {name: _plain(function) for name, function in ARRAYS.items()}
        return {**plain, "cos": cosine, "sin": sine}


def lifted(
    residuals: Sequence[Expr],
    unknowns: Sequence[Coordinate],
    known: Mapping[str, Any],
    rows: int,
    size: float,
    frames: Sequence[Sequence[str]] = (),
) -> Lifted:
    """Residuals on `rows` rows as polynomials of the unknowns; NotQuadratic where they are none.

    `frames` are the names of the nine components of each body's axes, column by column.
    """
    lift = Lift(Ring())
    values, starts = _symbols(lift, unknowns, size, frames)
    found = [_terms(p) for p in evaluate_all(residuals, {**known, **values}, lift.arithmetic())]
    return _system(lift, found, unknowns, starts, rows, size)


@dataclass(frozen=True, eq=False)
class Moving:
    """Closures as polynomials of what is known, too: S(z) = Σ w_k(z) S_k, the first w being 1."""

    lifted: Lifted  # one row for each k
    lengths: tuple[str, ...]  # symbols that are coordinates themselves
    turns: tuple[Form, ...]  # symbols that are cosine and sine of sums of them
    factors: Integers  # (k, degree) which symbols w_k is the product of; 0 stands for 1

    def weights(self, z: Mapping[str, Doubles]) -> Doubles:
        """w of coordinates by name, (rows, k)."""
        angles = [np.sum([k * z[name] for name, k in form], axis=0) for form in self.turns]
        first = next(iter(z.values()))
        v = [np.ones_like(first), *(z[name] for name in self.lengths)]
        v += [f(angle) for angle in angles for f in (np.cos, np.sin)]
        return np.stack(v, axis=-1)[:, self.factors].prod(axis=-1)


def moving(
    residuals: Sequence[Expr],
    unknowns: Sequence[Coordinate],
    given: Sequence[Coordinate],
    numbers: Mapping[str, Any],
    size: float,
    frames: Sequence[Sequence[str]] = (),
) -> Moving:
    """The same with the coordinates `given` as symbols; NotQuadratic where a closure is no polynomial of them."""
    angles = frozenset(c.name for c in given if c.unit == "rad")
    lift = Lift(Ring(), known=angles)
    values, starts = _symbols(lift, unknowns, size, frames)
    straight = {c.name: lift.ring.symbol() for c in given if c.unit != "rad"}
    values |= {name: Poly(lift.ring, {(k,): 1.0}) for name, k in straight.items()}
    values |= {name: Angle(((name, 1),)) for name in angles}
    split: list[dict[Monomial, dict[Monomial, float]]] = []
    index: dict[Monomial, int] = {(): 0}
    for p in evaluate_all(residuals, {**numbers, **values}, lift.arithmetic()):
        if isinstance(p, Angle):
            raise NotQuadratic
        made: dict[Monomial, dict[Monomial, float]] = {}
        for m, c in (p.terms if isinstance(p, Poly) else {(): p}).items():
            own, rest = tuple(i for i in m if i < GIVEN), tuple(i for i in m if i >= GIVEN)
            index.setdefault(rest, len(index))
            made.setdefault(own, {})[rest] = float(c)
        split.append(made)
    found = []
    for made in split:
        dense = {own: np.array([c.get(w, 0.0) for w in index]) for own, c in made.items()}
        found.append(_terms(Poly(lift.ring, dense)))
    system = _system(lift, found, unknowns, starts, len(index), size)
    places = {k: 1 + i for i, k in enumerate(straight.values())}
    for i, cosine in enumerate(lift.known_forms.values()):
        places |= {cosine + j: 1 + len(straight) + 2 * i + j for j in (0, 1)}
    most = max(1, *map(len, index))
    factors = [[*(places[i] for i in w), *[0] * (most - len(w))] for w in index]
    return Moving(system, tuple(straight), tuple(lift.known_forms), np.array(factors, dtype=np.int64))


def _symbols(
    lift: Lift, unknowns: Sequence[Coordinate], size: float, frames: Sequence[Sequence[str]]
) -> tuple[dict[str, Any], list[int]]:
    """The unknowns as polynomials or angles, and where the frames' components begin."""
    values: dict[str, Any] = {c.name: Angle(((c.name, 1),)) for c in unknowns if c.unit == "rad"}
    values |= {c.name: Poly(lift.ring, {(lift.ring.variable(),): size}) for c in unknowns if c.unit != "rad"}
    starts = []
    for names in frames:
        starts.append(lift.ring.size)
        values |= {name: Poly(lift.ring, {(lift.ring.variable(),): 1.0}) for name in names}
    return values, starts


def _system(
    lift: Lift,
    found: list[dict[Monomial, Any]],
    unknowns: Sequence[Coordinate],
    starts: Sequence[int],
    rows: int,
    size: float,
) -> Lifted:
    """Polynomials brought to degree two, with what holds for any of them."""
    lengths = tuple(i for i, c in enumerate(unknowns) if c.unit != "rad")
    angles = tuple(i for i, c in enumerate(unknowns) if c.unit == "rad")
    turning = _inverted(list(lift.forms), [unknowns[i].name for i in angles])
    pairs = _reduced(found, lift.ring)
    sums = tuple(lift.forms.values())
    parts = [*map(frame, starts), *map(circle, sums), *(product(k, *pair) for k, pair in pairs)]
    n = lift.ring.size
    S = np.zeros((rows, len(found) + sum(len(part.equations(n)) for part in parts), n + 1, n + 1))
    for e, terms in enumerate(found):
        for monomial, c in terms.items():
            i, j = ((0, 0) if not monomial else (0, monomial[0] + 1)) if len(monomial) < 2 else _up(monomial)
            S[:, e, i, j] += np.asarray(c) / 2
            S[:, e, j, i] += np.asarray(c) / 2
    common = [row.real for part in parts for row in part.equations(n)]
    S[:, len(found) :] = np.array(common).reshape(-1, n + 1, n + 1)
    return Lifted(S, lengths, angles, sums, turning, size, tuple(parts), len(found))


def _up(monomial: Monomial) -> tuple[int, int]:
    return monomial[0] + 1, monomial[1] + 1


def _terms(value: Any) -> dict[Monomial, Any]:
    """The terms of a polynomial; those of a higher degree that rounding alone left are none."""
    if isinstance(value, Angle):
        raise NotQuadratic
    terms = value.terms if isinstance(value, Poly) else {(): value}
    sizes = {m: float(np.abs(c).max()) for m, c in terms.items()}
    least = NOTHING * max(sizes.values(), default=0.0)
    return {m: c for m, c in terms.items() if len(m) < 3 or sizes[m] > least}


def _reduced(found: list[dict[Monomial, Any]], ring: Ring) -> list[tuple[int, tuple[int, int]]]:
    """Bring polynomials to degree two in place: the product met most often in what is higher is an unknown, in turn."""
    made = []
    while high := [m for terms in found for m in terms if len(m) > 2]:
        pair = Counter(p for m in high for p in set(_pairs(m))).most_common(1)[0][0]
        new = ring.variable()
        made.append((new, pair))
        for k, terms in enumerate(found):
            found[k] = {}
            for m, c in terms.items():
                if len(m) > 2 and pair in _pairs(m):
                    left = list(m)
                    left.remove(pair[0])
                    left.remove(pair[1])
                    m = tuple(sorted((*left, new)))
                found[k][m] = found[k][m] + c if m in found[k] else c
    return made


def _pairs(monomial: Monomial) -> Iterable[tuple[int, int]]:
    return {(a, b) for i, a in enumerate(monomial) for b in monomial[i + 1 :]}


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
