"""A proof that one branch of poses leads along a path of the drives, with a lower bound of |det A| on it.

On each piece of the path a box around its poses is shown to hold exactly one pose for every q of the piece (Krawczyk's
test in x with q an interval), and det A is bounded on that box. Neighbouring boxes share the proven pose between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.model.dynamics import coordinate_sizes
from closedchain.model.model import Model
from closedchain.singularity.interval import Interval, bounds, exact
from closedchain.singularity.krawczyk import Bounded, krawczyk
from closedchain.singularity.systems import closure_program

HALVINGS = 14
MOST_PIECES = 20_000
POINT = 1e-9  # of the robot's size: the box of a pose at one q
ROOM = 1.5  # a piece's box over what its poses are expected to need
NEWTON = 4


@dataclass(frozen=True)
class Proof:
    """Whether the branch is proven, the least |det A| on it, and how many pieces it took."""

    proven: bool
    least: float  # of |det A|; 0 when not proven
    sign: int  # of det A; 0 when not proven
    pieces: int


@dataclass(frozen=True)
class _Pieces:
    """Ends of pieces of the path with the poses there, (k, nq) and (k, nx)."""

    q_a: Doubles
    q_b: Doubles
    x_a: Doubles
    x_b: Doubles

    def __getitem__(self, keep: NDArray[np.bool_]) -> _Pieces:
        return _Pieces(*(v[keep] for v in (self.q_a, self.q_b, self.x_a, self.x_b)))

    @property
    def q(self) -> Interval:
        return Interval(np.minimum(self.q_a, self.q_b), np.maximum(self.q_a, self.q_b))


def prove_branch(model: Model, q: Doubles, x: Doubles) -> Proof:
    """Along the polygon q (k, nq) with the poses x (k, nx) at its corners."""
    prover = _Prover(model)
    left, dets, count = _Pieces(q[:-1], q[1:], x[:-1], x[1:]), [], 0
    for _ in range(HALVINGS):
        proven, det = prover.test(left)
        dets.append(det[proven])
        count += int(proven.sum())
        left = left[~proven]
        if not len(left.q_a):
            break
        if len(left.q_a) > MOST_PIECES:
            return Proof(False, 0.0, 0, count)
        left = prover.halved(left)
    else:
        return Proof(False, 0.0, 0, count)
    lo, hi = (np.concatenate([getattr(d, side) for d in dets]) for side in ("lo", "hi"))
    if not ((lo > 0).all() or (hi < 0).all()):
        return Proof(False, 0.0, 0, count)
    return Proof(True, float(lo.min() if lo[0] > 0 else -hi.max()), 1 if lo[0] > 0 else -1, count)


class _Prover:
    """The tests on many pieces at once."""

    def __init__(self, model: Model) -> None:
        self.model, self.program = model, closure_program(model)
        self.unit = coordinate_sizes(model)[model.nq :]

    def _closures(self, q: Interval) -> Bounded:
        def G(box: Interval) -> tuple[Interval, Interval]:
            phi, A, _, _ = bounds(self.program, q, box, exact(self.model.p))
            return phi, A

        return G

    def test(self, pieces: _Pieces) -> tuple[NDArray[np.bool_], Interval]:
        """(which pieces are proven, bounds of det A on their boxes)."""
        middle = self._newton(pieces.q.mid, 0.5 * (pieces.x_a + pieces.x_b))
        made = self.model.call("closures", q=pieces.q.mid, x=middle)
        half = 0.5 * (pieces.q.hi - pieces.q.lo)
        spread = np.einsum("kij,kj->ki", np.abs(np.linalg.solve(made["A"], made["B"])), half)
        away = np.maximum(np.abs(pieces.x_a - middle), np.abs(pieces.x_b - middle))
        radius = ROOM * np.maximum(spread, away) + 4 * POINT * self.unit
        proven, _ = krawczyk(self._closures(pieces.q), middle, radius)
        box = Interval(middle - radius, middle + radius)
        for q, x in ((pieces.q_a, pieces.x_a), (pieces.q_b, pieces.x_b)):
            known, where = krawczyk(self._closures(exact(q)), x, np.broadcast_to(POINT * self.unit, x.shape))
            proven &= known & (where.lo > box.lo).all(axis=-1) & (where.hi < box.hi).all(axis=-1)
        return proven, bounds(self.program, pieces.q, box, exact(self.model.p))[3]

    def halved(self, pieces: _Pieces) -> _Pieces:
        """Each piece as two, with the pose between them."""
        q = 0.5 * (pieces.q_a + pieces.q_b)
        x = self._newton(q, 0.5 * (pieces.x_a + pieces.x_b))
        first, second = (pieces.q_a, q, pieces.x_a, x), (q, pieces.q_b, x, pieces.x_b)
        return _Pieces(*(np.concatenate([a, b]) for a, b in zip(first, second, strict=True)))

    def _newton(self, q: Doubles, x: Doubles) -> Doubles:
        for _ in range(NEWTON):
            made = self.model.call("closures", q=q, x=x)
            x = x - np.linalg.solve(made["A"], made["phi"][..., None])[..., 0]
        return x
