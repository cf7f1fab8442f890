"""Shapes of the plane and the exact distance between them: discs, segments and polygons, each with a thickness.

A shape is its corners (one: a point, two: a segment, more: a closed polygon, filled) and a radius by which it is grown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Obstacle:
    """Something that stands still and must not be touched."""

    name: str
    corners: Doubles  # (k, 2) [m]
    radius: float = 0.0  # [m]


def disc(centre: ArrayLike, radius: float, name: str = "") -> Obstacle:
    """Everything within a radius of a centre [m]."""
    return _obstacle("disc", np.atleast_2d(vectors(centre, 2, "a disc's centre")), radius, name, 1)


def wall(a: ArrayLike, b: ArrayLike, thickness: float = 0.0, name: str = "") -> Obstacle:
    """A segment from a to b [m], grown by half its thickness on every side."""
    ends = np.stack([vectors(a, 2, "a wall's end"), vectors(b, 2, "a wall's end")])
    return _obstacle("wall", ends, thickness / 2, name, 2)


def polygon(corners: ArrayLike, name: str = "") -> Obstacle:
    """The inside of a closed line through corners, (k, 2) [m], convex or not."""
    return _obstacle("polygon", vectors(corners, 2, "a polygon's corners"), 0.0, name, 3)


def _obstacle(kind: str, corners: Doubles, radius: float, name: str, least: int) -> Obstacle:
    if corners.ndim != 2 or len(corners) < least:
        raise BadInput(f"a {kind} has {least} corner(s) or more, (k, 2), not {corners.shape}")
    if not (np.isfinite(radius) and radius >= 0.0):
        raise BadInput(f"a {kind}'s radius or thickness is a length [m], not {radius}")
    middle = corners.mean(axis=0)
    return Obstacle(name or f"{kind} at ({middle[0]:.4g}, {middle[1]:.4g})", corners, float(radius))


def distance(first: Doubles, second: Doubles) -> Doubles:
    """The distance of two shapes given by corners, (*batch, k, 2) and (*batch, m, 2); 0 where they touch or overlap."""
    apart = [
        _segments(a, b, c, d)
        for a, b in _edges(first)
        for c, d in _edges(second)
    ]  # fmt: skip
    least = np.minimum.reduce(np.broadcast_arrays(*apart))
    inside = _within(first[..., 0, :], second) | _within(second[..., 0, :], first)
    return np.where(inside, 0.0, least)


def _edges(corners: Doubles) -> Iterable[tuple[Doubles, Doubles]]:
    """The sides; a point is a side of no length."""
    count = corners.shape[-2]
    sides = [(0, 0)] if count == 1 else [(0, 1)] if count == 2 else [(i, (i + 1) % count) for i in range(count)]
    return [(corners[..., i, :], corners[..., j, :]) for i, j in sides]


def _segments(a: Doubles, b: Doubles, c: Doubles, d: Doubles) -> Doubles:
    """The distance of ab and cd: that of an end to the other segment, unless they cross."""
    ends = (_to_segment(a, c, d), _to_segment(b, c, d), _to_segment(c, a, b), _to_segment(d, a, b))
    least = np.minimum(np.minimum(ends[0], ends[1]), np.minimum(ends[2], ends[3]))
    ab, cd = b - a, d - c
    across = (_cross(ab, c - a) * _cross(ab, d - a) < 0) & (_cross(cd, a - c) * _cross(cd, b - c) < 0)
    return np.where(across, 0.0, least)


def _to_segment(p: Doubles, a: Doubles, b: Doubles) -> Doubles:
    """The distance of a point from a segment."""
    along, offset = b - a, p - a
    square = (along**2).sum(axis=-1)
    where = (offset * along).sum(axis=-1) / np.where(square > 0.0, square, 1.0)
    nearest = offset - np.clip(where, 0.0, 1.0)[..., None] * along
    return np.hypot(nearest[..., 0], nearest[..., 1])


def _cross(a: Doubles, b: Doubles) -> Doubles:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _within(p: Doubles, corners: Doubles) -> Flags:
    """Whether a point lies inside a polygon: a ray to the right meets its sides an odd number of times."""
    shape = np.broadcast_shapes(p.shape[:-1], corners.shape[:-2])
    odd = np.zeros(shape, dtype=bool)
    if corners.shape[-2] < 3:
        return odd
    for a, b in _edges(corners):
        straddles = (a[..., 1] > p[..., 1]) != (b[..., 1] > p[..., 1])
        side = _cross(b - a, p - a)
        odd ^= straddles & ((side > 0) == (b[..., 1] > a[..., 1]))
    return odd
