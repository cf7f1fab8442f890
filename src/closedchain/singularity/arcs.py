"""The region within several discs and half planes: its edge as arcs and segments, its area by Green's theorem."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from closedchain.arrays import Doubles
from closedchain.singularity.reach import Disc, Edge, HalfPlane, Window

TOUCH = 1e-12  # of the region's size: closer than this a point is on an edge
PROBES = (0.276, 0.5, 0.838)  # along a piece: another edge may touch it in one of these, not in all
STEP = math.radians(1.0)  # of an arc drawn as a polyline


@dataclass(frozen=True)
class Piece:
    """A part of an edge with the region on its left: an arc over angles, or a segment over lengths along the line."""

    edge: Edge
    start: float
    stop: float

    def point(self, at: float) -> tuple[float, float]:
        """Where the parameter is `at`."""
        edge = self.edge
        if isinstance(edge, Disc):
            return edge.x + edge.radius * math.cos(at), edge.y + edge.radius * math.sin(at)
        return edge.nx * edge.offset - edge.ny * at, edge.ny * edge.offset + edge.nx * at

    @property
    def swept(self) -> float:
        """½ ∫ (x dy − y dx), its part of the area."""
        edge, (x0, y0), (x1, y1) = self.edge, self.point(self.start), self.point(self.stop)
        if isinstance(edge, Disc):
            turn = edge.radius**2 * (self.stop - self.start)
            return (turn + edge.x * (y1 - y0) - edge.y * (x1 - x0)) / 2
        return (x0 * y1 - x1 * y0) / 2

    def drawn(self) -> Doubles:
        """Points along the piece, both ends included, (n, 2)."""
        steps = max(1, math.ceil(abs(self.stop - self.start) / STEP)) if isinstance(self.edge, Disc) else 1
        return np.array([self.point(at) for at in np.linspace(self.start, self.stop, steps + 1)])


@dataclass(frozen=True)
class Region:
    """The points on the right side of every edge; `pieces` go round it, holes the other way."""

    pieces: tuple[Piece, ...]
    area: float  # [m²]
    error: float  # [m²] rounding

    def boundary(self) -> tuple[Doubles, ...]:
        """Closed polylines, (n, 2) each."""
        return tuple(np.concatenate([piece.drawn() for piece in loop]) for loop in _loops(self.pieces))

    @property
    def box(self) -> Window:
        """The smallest window that holds the drawn edge."""
        points = np.concatenate([piece.drawn() for piece in self.pieces])
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        return float(x0), float(x1), float(y0), float(y1)


def region(edges: Sequence[Edge], window: Window | None = None) -> Region:
    """The region within all edges and the window, to rounding. Without a window it must be bounded."""
    every = _different([*edges, *(_sides(window) if window else ())])
    touch = TOUCH * _size(every)
    pieces = tuple(piece for edge in every for piece in _kept(edge, [e for e in every if e is not edge], touch))
    parts = [piece.swept for piece in pieces]
    rounding = 16 * np.finfo(float).eps * (math.fsum(map(abs, parts)) + _size(every) ** 2 * len(pieces))
    return Region(pieces, max(math.fsum(parts), 0.0), float(rounding))


def _sides(window: Window) -> tuple[HalfPlane, ...]:
    x0, x1, y0, y1 = window
    names = ((-1.0, 0.0, -x0), (1.0, 0.0, x1), (0.0, -1.0, -y0), (0.0, 1.0, y1))
    return tuple(HalfPlane("window", *values) for values in names)


def _size(edges: Sequence[Edge]) -> float:
    return max((e.radius + math.hypot(e.x, e.y) if isinstance(e, Disc) else abs(e.offset) for e in edges), default=1.0)


def _different(edges: Sequence[Edge]) -> list[Edge]:
    """Edges without those that lie on an earlier one."""
    touch, kept = TOUCH * _size(edges), list[Edge]()
    for edge in edges:
        numbers = _numbers(edge)
        same = (k for k in kept if type(k) is type(edge) and np.abs(_numbers(k) - numbers).max() <= touch)
        if next(same, None) is None:
            kept.append(edge)
    return kept


def _numbers(edge: Edge) -> Doubles:
    if isinstance(edge, Disc):
        return np.array([edge.x, edge.y, edge.radius, -edge.radius if edge.hole else edge.radius])
    return np.array([edge.nx, edge.ny, edge.offset, 0.0])


def _kept(edge: Edge, others: Sequence[Edge], touch: float) -> Iterator[Piece]:
    """The pieces of an edge that lie within all others."""
    cuts = sorted({at for other in others for at in _meet(edge, other)})
    if isinstance(edge, Disc):
        cuts = [*cuts, cuts[0] + 2 * math.pi] if cuts else [0.0, 2 * math.pi]
    for start, stop in pairwise(cuts):
        piece = Piece(edge, start, stop)
        x, y = np.array([piece.point(start + part * (stop - start)) for part in PROBES]).T
        if all((other.room(x, y) >= -touch).all() for other in others):
            backwards = isinstance(edge, Disc) and edge.hole
            yield Piece(edge, stop, start) if backwards else piece


def _meet(edge: Edge, other: Edge) -> tuple[float, ...]:
    """The parameters on `edge` where it crosses `other`."""
    if isinstance(edge, Disc):
        if isinstance(other, Disc):
            away = math.hypot(other.x - edge.x, other.y - edge.y)
            along = (
                (away**2 + (edge.radius - other.radius) * (edge.radius + other.radius)) / (2 * away)
                if away
                else math.inf
            )
            towards = math.atan2(other.y - edge.y, other.x - edge.x)
        else:
            along = other.offset - other.nx * edge.x - other.ny * edge.y
            towards = math.atan2(other.ny, other.nx)
        if abs(along) >= edge.radius:
            return ()
        half = math.acos(along / edge.radius)
        return (towards - half) % (2 * math.pi), (towards + half) % (2 * math.pi)
    if isinstance(other, Disc):
        across = edge.nx * other.x + edge.ny * other.y - edge.offset
        if abs(across) >= other.radius:
            return ()
        middle, half = (
            edge.nx * other.y - edge.ny * other.x,
            math.sqrt((other.radius - across) * (other.radius + across)),
        )
        return middle - half, middle + half
    turn = edge.nx * other.ny - edge.ny * other.nx
    if abs(turn) <= TOUCH:
        return ()
    return ((other.offset - edge.offset * (edge.nx * other.nx + edge.ny * other.ny)) / turn,)


def _loops(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Pieces one after another, each beginning where the last ended."""
    left = list(pieces)
    while left:
        loop = [left.pop(0)]
        start = loop[0].point(loop[0].start)
        while left and math.dist(loop[-1].point(loop[-1].stop), start) > 1e-9 * (1 + abs(loop[0].swept)) ** 0.5:
            end = loop[-1].point(loop[-1].stop)
            best = min(left, key=lambda piece: math.dist(piece.point(piece.start), end))
            left.remove(best)
            loop.append(best)
        yield loop
