"""Joints between two bodies of space, as people name them: each is a few of the closures that hold bodies.

a and b are points of the two bodies or of the ground, u and v directions in the frames of what carries them.

    joint         freedoms   rows
    spherical         3      a = b
    universal         2      a = b, u ⊥ v
    revolute          1      a = b, u ∥ v
    cylindrical       2      b on the line through a along u, u ∥ v
    prismatic         1      the same, s ⊥ t: a direction of each body that stay square to each other
    planar            3      b in the plane through a across u, u ∥ v
    weld              0      a = b, both frames turn alike
    parallelogram     3      both frames turn alike

u ∥ v are two rows, n₁ · v = n₂ · v = 0 with n₁, n₂ across u; frames that turn alike are three,
x · y′ = y · z′ = z · x′ = 0. v may point along u or against it: where a mechanism is assembled decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from closedchain.describe.elements import Body, Carried, Direction, Incline, Pin, Plane, Point
from closedchain.describe.expressions import Scalar, evaluate, sqrt, symbols
from closedchain.describe.parameters import Parameter, values_of
from closedchain.describe.vectors import Vector, square, vector

Closure = Pin | Plane | Incline
Along = Iterable[Scalar]
BASIS = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def Spherical(a: Point, b: Point, name: str = "") -> tuple[Closure, ...]:
    """A ball: the points meet."""
    return (Pin(a, b, name),)


def Universal(a: Point, b: Point, u: Along, v: Along, name: str = "") -> tuple[Closure, ...]:
    """A cross: the points meet, its two axes stay square."""
    pin = Pin(a, b, name)
    return pin, Incline(_of(a, u), _of(b, v), name=f"{pin.name}.cross")


def Revolute(a: Point, b: Point, u: Along, v: Along, name: str = "") -> tuple[Closure, ...]:
    """A hinge: the points meet, its axis is one for both."""
    pin = Pin(a, b, name)
    return pin, *_parallel(_of(a, u), _of(b, v), pin.name)


def Cylindrical(a: Point, b: Point, u: Along, v: Along, name: str = "") -> tuple[Closure, ...]:
    """A shaft in a bush: it turns and slides."""
    called = name or Plane(b, a, vector(u)).name
    normals = across(vector(u))
    guides = [Plane(b, a, n, name=f"{called}.beside{k}") for k, n in enumerate(normals, start=1)]
    return *guides, *_parallel(_of(a, u), _of(b, v), called)


def Prismatic(a: Point, b: Point, u: Along, v: Along, s: Along, t: Along, name: str = "") -> tuple[Closure, ...]:
    """A slide: s of the one body and t of the other stay square, so that it does not turn."""
    rows = Cylindrical(a, b, u, v, name)
    return *rows, Incline(_of(a, s), _of(b, t), name=f"{rows[0].name.removesuffix('.beside1')}.turn")


def Planar(a: Point, b: Point, u: Along, v: Along, name: str = "") -> tuple[Closure, ...]:
    """A foot on a floor: b stays in the plane through a across u."""
    plane = Plane(b, a, vector(u), name)
    return plane, *_parallel(_of(a, u), _of(b, v), plane.name)


def Weld(a: Point, b: Point, name: str = "") -> tuple[Closure, ...]:
    """One body: the points meet, the frames turn alike."""
    pin = Pin(a, b, name)
    return pin, *Parallelogram(a, b, pin.name)


def Parallelogram(a: Point, b: Point, name: str = "") -> tuple[Closure, ...]:
    """What parallelograms leave: the frames turn alike, and move apart in every way.

    x across y′ and z′ is x = ±x′, y across z′ is then y = ±y′: alike but for half turns. Each axis across the next one
    (x·y′ = y·z′ = z·x′ = 0) would also allow frames whose axes have changed places.
    """
    called = name or Pin(a, b).name
    x, y, z = BASIS
    pairs = ((x, y), (y, z), (x, z))
    return tuple(Incline(_of(a, u), _of(b, v), name=f"{called}.turn{k}") for k, (u, v) in enumerate(pairs, start=1))


KINDS: dict[str, tuple[Callable[..., tuple[Closure, ...]], int]] = {  # a file's word → joint, directions of each body
    "spherical": (Spherical, 0),
    "universal": (Universal, 1),
    "revolute": (Revolute, 1),
    "cylindrical": (Cylindrical, 1),
    "prismatic": (Prismatic, 2),
    "planar": (Planar, 1),
    "weld": (Weld, 0),
    "parallelogram": (Parallelogram, 0),
}


def across(u: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors across a unit vector and each other: e × u and u × (e × u), with e the axis furthest from u."""
    numbers = values_of([s for s in symbols(u).values() if isinstance(s, Parameter)])
    sizes = [abs(float(evaluate(c, numbers))) for c in u]
    e = BASIS[sizes.index(min(sizes))]
    first = _cross(vector(e), u)
    long = sqrt(square(first))
    first = tuple(c / long for c in first)
    return first, _cross(u, first)


def _parallel(u: Direction, v: Direction, name: str) -> list[Incline]:
    return [
        Incline(Direction(n, u.by), v, name=f"{name}.tilt{k}") for k, n in enumerate(across(vector(u.along)), start=1)
    ]


def _of(point: Point, along: Along) -> Direction:
    """A direction of what carries a point."""
    body = point.by if isinstance(point, Carried) and isinstance(point.by, Body) else None
    return Direction(vector(along), body)


def _cross(a: Sequence[Scalar], b: Vector) -> Vector:
    return tuple(a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3))
