"""A route: straight pieces of known working modes, joined at corners and where a leg is at its end; its shortening."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.planning.measure import Index, Setting
from closedchain.planning.proof import Proofs, Prover, Segments, segments
from closedchain.planning.roadmap import Roadmap, Way

PASSES = 4  # of shortening, each with twice as many corners
SAMPLES = 400  # of a whole route, about


@dataclass(frozen=True, eq=False)
class Piece:
    """A polyline of the output in one working mode; a leg may come to its end at its first or last corner."""

    mode: int
    corners: Doubles  # (k, nx)
    entry: int = -1  # the leg at its end at the first corner; −1 if none
    exit: int = -1  # and at the last

    def free(self) -> slice:
        """The corners that may be moved: those next to a leg's end stay."""
        return slice(1 if self.entry >= 0 else 0, len(self.corners) - (1 if self.exit >= 0 else 0))


def route_of(roadmap: Roadmap, way: Way) -> tuple[Piece, ...]:
    """The pieces of a way through a roadmap."""
    row, mode = np.divmod(np.array(way.nodes), roadmap.modes)
    pieces: list[Piece] = []
    corners, entry = [roadmap.x[row[0]]], -1
    edges = roadmap.edges_of(list(way.nodes))
    for k, edge in enumerate(edges):
        if edge < roadmap.plain:
            corners.append(roadmap.x[row[k + 1]])
            continue
        change = int(edge) - roadmap.plain
        leg, x = int(roadmap.changes.leg[change]), roadmap.changes.x[change]
        pieces.append(Piece(int(mode[k]), np.array([*corners, x]), entry, leg))
        corners, entry = [x, roadmap.x[row[k + 1]]], leg
    return (*pieces, Piece(int(mode[-1]), np.array(corners), entry, -1))


def straight_route(mode: int, start: Doubles, goal: Doubles) -> tuple[Piece, ...]:
    """The straight motion as a route."""
    return (Piece(mode, np.stack([start, goal])),)


def shorten(prover: Prover, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Cut corners wherever the shortcut is proven too."""
    return tuple(_shorter(prover, piece) for piece in pieces)


def _shorter(prover: Prover, piece: Piece) -> Piece:
    free = piece.free()
    corners = piece.corners[free]
    for turn in range(PASSES):
        corners = _greedy(prover, _refined(corners) if turn else corners, piece.mode)
    head, tail = piece.corners[: free.start], piece.corners[free.stop :]
    return Piece(piece.mode, np.concatenate([head, corners, tail]), piece.entry, piece.exit)


def _refined(corners: Doubles) -> Doubles:
    """The same polyline with a corner more in the middle of every side."""
    if len(corners) < 3:
        return corners
    middle = 0.5 * (corners[1:] + corners[:-1])
    made = np.empty((2 * len(corners) - 1, corners.shape[1]))
    made[::2], made[1::2] = corners, middle
    return made


def _greedy(prover: Prover, corners: Doubles, mode: int) -> Doubles:
    """From each corner straight to the furthest later one that is proven."""
    kept, at, last = [0], 0, len(corners) - 1
    while at < last:
        later = np.arange(at + 1, last + 1)
        proven = prover.prove(segments(corners[at], corners[later], prover.setting.sigma[mode])).proven
        at = int(later[proven][-1]) if proven.any() else at + 1
        kept.append(at)
    return corners[kept]


def length_of(setting: Setting, pieces: Sequence[Piece]) -> float:
    """[m], a plate's angle counted by its characteristic length."""
    steps = [np.linalg.norm(np.diff(p.corners, axis=0) * setting.metric, axis=-1).sum() for p in pieces]
    return float(np.sum(steps))


def prove_route(prover: Prover, pieces: Sequence[Piece]) -> Proofs:
    """The proofs of every straight part of a route."""
    return prover.prove(_segments(prover.setting, pieces))


def _segments(setting: Setting, pieces: Sequence[Piece]) -> Segments:
    """A part beside a leg's end runs towards it."""
    start, end, sigma, changing = [], [], [], []
    for p in pieces:
        last = len(p.corners) - 2
        for k in range(last + 1):
            a, b, leg = p.corners[k], p.corners[k + 1], -1
            if k == 0 and p.entry >= 0:
                a, b, leg = b, a, p.entry
            elif k == last and p.exit >= 0:
                leg = p.exit
            start.append(a)
            end.append(b)
            sigma.append(setting.sigma[p.mode])
            changing.append(leg)
    return Segments(np.array(start), np.array(end), np.array(sigma), np.array(changing, dtype=np.intp))


def sample(setting: Setting, pieces: Sequence[Piece]) -> tuple[Doubles, Doubles, Index, Doubles]:
    """(s [m], x, mode, q) along a route, corners included; angles of q do not wrap."""
    whole = max(length_of(setting, pieces), 1e-300)
    rows: list[tuple[Doubles, int]] = []
    for p in pieces:
        for k, (a, b) in enumerate(zip(p.corners[:-1], p.corners[1:], strict=True)):
            count = 1 + int(np.ceil(SAMPLES * float(np.linalg.norm((b - a) * setting.metric)) / whole))
            s = np.linspace(0.0, 1.0, count + 1)
            if k == 0 and p.entry >= 0:
                s = s**2  # near its end a leg moves with the root of the distance
            elif k == len(p.corners) - 2 and p.exit >= 0:
                s = 1.0 - (1.0 - s) ** 2
            rows += [(a + v * (b - a), p.mode) for v in (s if not rows else s[1:])]
    x, mode = np.array([r[0] for r in rows]), np.array([r[1] for r in rows], dtype=np.intp)
    q = setting.measure(x, setting.sigma[mode]).q
    turning = np.array([c.unit == "rad" for c in setting.model.equations.q])
    q[:, turning] = np.unwrap(q[:, turning], axis=0)
    s = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(x, axis=0) * setting.metric, axis=-1))])
    return s, x, mode, q
