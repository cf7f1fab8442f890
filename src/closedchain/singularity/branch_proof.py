"""A proof that one branch of poses leads along a path of the drives, with a lower bound of |det A| on it.

On each piece of the path a box around its poses is shown to hold exactly one pose for every q of the piece (Krawczyk's
test in x with q an interval), and det A is bounded on that box. Neighbouring boxes share the proven pose between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.kernels.program import Program
from closedchain.model.model import Model
from closedchain.singularity.interval import Interval, bounds, exact
from closedchain.singularity.krawczyk import krawczyk
from closedchain.singularity.systems import closure_program

HALVINGS = 8
POINT = 1e-9  # of the robot's size: the box of a pose at one q


@dataclass(frozen=True)
class Proof:
    """Whether the branch is proven, between which bounds |det A| stays, and how many pieces it took."""

    proven: bool
    least: float  # of |det A|; 0 when not proven
    sign: int  # of det A
    pieces: int


class _Prover:
    def __init__(self, model: Model, program: Program) -> None:
        self.model, self.program = model, program
        self.unit = np.array([1.0 if c.unit == "rad" else model.scale for c in model.equations.x])

    def _bounded(self, q: Interval):  # type: ignore[no-untyped-def]
        def G(box: Interval) -> tuple[Interval, Interval]:
            phi, A, _, _ = bounds(self.program, q, box, exact(self.model.p))
            return phi, A

        return G

    def pose(self, q: Doubles, x: Doubles) -> Interval | None:
        """The box of the one pose next to x."""
        proven, where = krawczyk(self._bounded(exact(q)), x, POINT * self.unit)
        return where if proven else None

    def refine(self, q: Doubles, x: Doubles) -> Doubles:
        for _ in range(6):
            made = self.model.call("closures", q=q, x=x)
            x = x - np.linalg.solve(made["A"], made["phi"])
        return x

    def piece(self, q_a: Doubles, q_b: Doubles, x_a: Doubles, x_b: Doubles) -> Interval | None:
        """A box that holds one pose for each q between two, found around the pose at their middle."""
        q = Interval(np.minimum(q_a, q_b), np.maximum(q_a, q_b))
        middle = self.refine(q.mid, 0.5 * (x_a + x_b))
        made = self.model.call("closures", q=q.mid, x=middle)
        spread = np.abs(np.linalg.solve(made["A"], made["B"])) @ (0.5 * (q.hi - q.lo))  # of the pose over the piece
        radius = 1.5 * np.maximum(spread, np.maximum(np.abs(x_a - middle), np.abs(x_b - middle))) + 4 * POINT * self.unit
        proven, _ = krawczyk(self._bounded(q), middle, radius)
        return Interval(middle - radius, middle + radius) if proven else None

    def edge(self, ends: tuple[Doubles, ...], depth: int) -> list[tuple[Interval, Interval]] | None:
        """Proven (q, x) boxes that cover an edge of the path, halved where one is not enough."""
        q_a, q_b, x_a, x_b = ends
        box = self.piece(q_a, q_b, x_a, x_b)
        joints = [self.pose(q_a, x_a), self.pose(q_b, x_b)]
        if box is not None and all(j is not None and _within(j, box) for j in joints):
            return [(Interval(np.minimum(q_a, q_b), np.maximum(q_a, q_b)), box)]
        if depth == 0:
            return None
        q_m = 0.5 * (q_a + q_b)
        x_m = self.refine(q_m, 0.5 * (x_a + x_b))
        first = self.edge((q_a, q_m, x_a, x_m), depth - 1)
        second = self.edge((q_m, q_b, x_m, x_b), depth - 1) if first is not None else None
        return first + second if first is not None and second is not None else None


def _within(inner: Interval, outer: Interval) -> bool:
    return bool((inner.lo > outer.lo).all() and (inner.hi < outer.hi).all())


def prove_branch(model: Model, q: Doubles, x: Doubles) -> Proof:
    """Along the polygon q (k, nq) with the poses x (k, nx) at its corners."""
    prover, least, sign, pieces = _Prover(model, closure_program(model)), np.inf, 0, 0
    for k in range(len(q) - 1):
        boxes = prover.edge((q[k], q[k + 1], x[k], x[k + 1]), HALVINGS)
        if boxes is None:
            return Proof(False, 0.0, 0, pieces)
        for q_box, x_box in boxes:
            det = bounds(prover.program, q_box, x_box, exact(model.p))[3]
            here = int(det.positive) - int(det.negative)
            if here == 0 or (sign and here != sign):
                return Proof(False, 0.0, 0, pieces)
            sign, pieces = here, pieces + 1
            least = min(least, float(np.minimum(np.abs(det.lo), np.abs(det.hi))))
    return Proof(True, least, sign, pieces)
