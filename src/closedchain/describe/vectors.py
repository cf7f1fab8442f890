"""Tuples of expressions as vectors of the plane or of space."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from closedchain.describe.expressions import Expr, Scalar, expr, total

Vector = tuple[Expr, ...]


def vector(values: Iterable[Scalar]) -> Vector:
    """A tuple of expressions from numbers or expressions."""
    return tuple(expr(v) for v in values)


def plus(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return tuple(u + v for u, v in zip(a, b, strict=True))


def minus(a: Vector, b: Vector) -> Vector:
    """a − b."""
    return tuple(u - v for u, v in zip(a, b, strict=True))


def times(factor: Scalar, a: Vector) -> Vector:
    """factor a."""
    return tuple(expr(factor) * u for u in a)


def dot(a: Vector, b: Vector) -> Expr:
    """a · b."""
    return total(u * v for u, v in zip(a, b, strict=True))


def square(a: Vector) -> Expr:
    """a · a."""
    return total(u**2 for u in a)


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    """The plane's scalar cross product."""
    return a[0] * b[1] - a[1] * b[0]


def outer(a: Vector, b: Vector) -> Vector:
    """The cross product a × b of space."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
