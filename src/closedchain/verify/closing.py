"""A tree's loops as engines can hold them: places that meet, and single rows that their solvers have no words for.

A hinge is two places that meet, a weld three. A row's gap and its derivatives follow from where the engine has the
frames of both sides and how they move:

    distance: |d| − l,    plane: n · d,    line: e₁ · d and e₂ · d,    incline: a · b − cosine
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.kinematics import sides
from closedchain.exchange.shapes import size
from closedchain.exchange.tree import Frame, Loop, Tree

MEETING = {"point": 0, "hinge": 1, "weld": 2}  # how many further places meet, along axes of both frames


@dataclass(frozen=True, eq=False)
class Meeting:
    """Two places that are one."""

    name: str
    a: Frame
    b: Frame


@dataclass(frozen=True, eq=False)
class Seen:
    """A frame as an engine has it."""

    R: Doubles  # (3, 3)
    p: Doubles  # (3,)
    turning: Doubles  # (3, nv) columns of its turning rate
    moving: Doubles  # (3, nv) columns of its origin's velocity
    omega: Doubles  # (3,) its turning rate
    turning_drift: Doubles  # (3,) its turning acceleration without v̇
    moving_drift: Doubles  # (3,) its origin's acceleration without v̇


@dataclass(frozen=True, eq=False)
class Row:
    """One equation: what it misses, its derivative by the freedoms, and the rate of that times v."""

    gap: float
    G: Doubles  # (nv,)
    drift: float


@dataclass(frozen=True, eq=False)
class Closing:
    """The meetings, where each loop's begin among them, and the loops that are rows."""

    meetings: tuple[Meeting, ...]
    rows: tuple[Loop, ...]
    first: dict[int, int]  # loop → its first meeting


def closing_of(tree: Tree) -> Closing:
    """What closes a tree; slides are of planar trees, and no mechanism of ours gives one."""
    meetings: list[Meeting] = []
    first = {}
    for i, loop in enumerate(tree.loops):
        if loop.kind in MEETING:
            first[i] = len(meetings)
            meetings += _meetings(loop, size(tree))
    return Closing(tuple(meetings), tuple(loop for loop in tree.loops if loop.kind not in MEETING), first)


def _meetings(loop: Loop, reach: float) -> list[Meeting]:
    shifts = [np.zeros(3), *([loop.axis] if loop.kind == "hinge" else np.eye(3)[: MEETING[loop.kind]])]
    frames = [[replace(f, at=f.at + f.rotation @ (reach * shift)) for f in (loop.a, loop.b)] for shift in shifts]
    return [Meeting(loop.name + (f" {k}" if k else ""), a, b) for k, (a, b) in enumerate(frames)]


def rows_of(loop: Loop, a: Seen, b: Seen, v: Doubles) -> list[Row]:
    """The equations of a loop that is no meeting."""
    d, d_G, d_dot = b.p - a.p, b.moving - a.moving, (b.moving - a.moving) @ v
    d_drift = b.moving_drift - a.moving_drift
    if loop.kind == "distance":
        length = float(np.linalg.norm(d))
        u = d / length
        swing = float(d_dot @ d_dot - (u @ d_dot) ** 2) / length
        return [Row(length - loop.length, u @ d_G, float(u @ d_drift) + swing)]
    if loop.kind == "incline":
        return [_product(_fixed(a, loop.axis), _fixed(b, np.array([0.0, 0.0, 1.0])), loop.cosine)]
    normals = [loop.axis] if loop.kind == "plane" else sides(loop.axis)
    return [_product(_fixed(a, normal), (d, d_G, d_dot, d_drift), 0.0) for normal in normals]


Moving = tuple[Doubles, Doubles, Doubles, Doubles]  # a vector, its columns, its rate, its acceleration without v̇


def _fixed(frame: Seen, local: Doubles) -> Moving:
    """A direction that turns with a frame."""
    n = frame.R @ local
    n_dot = np.cross(frame.omega, n)
    columns = np.cross(frame.turning, n, axisa=0, axisc=0)
    return n, columns, n_dot, np.cross(frame.turning_drift, n) + np.cross(frame.omega, n_dot)


def _product(one: Moving, other: Moving, value: float) -> Row:
    (a, a_G, a_dot, a_drift), (b, b_G, b_dot, b_drift) = one, other
    drift = float(a_drift @ b + 2 * a_dot @ b_dot + a @ b_drift)
    return Row(float(a @ b) - value, a @ b_G + b @ a_G, drift)


def stacked(rows: Sequence[Row], nv: int) -> tuple[Doubles, Doubles, Doubles]:
    """Gap (k,), G (k, nv) and drift (k,)."""
    return (
        np.array([row.gap for row in rows]),
        np.array([row.G for row in rows]).reshape(-1, nv),
        np.array([row.drift for row in rows]),
    )
