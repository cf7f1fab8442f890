"""What a page draws of a robot, for any values of its parameters: parts by their points, and a program for the rest.

Numbers that parameters change (pivots, rails, weights) are not in the scene: it holds places in the program's `values`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from closedchain.derive.symbolic import Symbols
from closedchain.describe.elements import Carried, Crank, Plate, Telescope
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import ONE, ZERO, Expr, Number, expr
from closedchain.describe.mechanism import Mechanism
from closedchain.describe.vectors import Vector
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.model.layout import Drive, Rail, layout
from closedchain.model.model import Model

Row = dict[str, Any]


class Slots:
    """Expressions of the parameters, each vector known by the place of its first number."""

    def __init__(self) -> None:
        self.exprs: list[Expr] = []
        self.known: dict[tuple[str, ...], int] = {}

    def place(self, vector: Vector) -> int:
        """Where a vector's numbers begin; equal ones share them."""
        key = tuple(map(repr, vector))
        if key not in self.known:
            self.known[key] = len(self.exprs)
            self.exprs += vector
        return self.known[key]

    def at(self, vector: Vector | None) -> int | None:
        """The place of a vector that may be absent."""
        return None if vector is None else self.place(vector)


def scene(model: Model) -> tuple[Row, Program]:
    """The scene, and `frame`: p → values of its slots, weights of q and x, rows' lengths, lever, formulas."""
    drawn, slots, e = layout(model), Slots(), model.equations
    parts = [{"kind": part.kind, "points": list(part.points), "fixed": part.fixed} for part in drawn.parts]
    found: Row = {"names": list(drawn.names), "parts": parts, "tip": drawn.tip, "plate": drawn.plate}
    found["constants"] = [slots.place(at) for at in drawn.pivots]
    found["rails"] = [_rail(rail, slots) for rail in drawn.rails]
    found["drives"] = [_drive(drive, slots) for drive in drawn.drives]
    found["formulas"] = [i for i, p in enumerate(e.parameters) if not isinstance(p.value, Number)]
    return found, _frame(e, slots.exprs)


def _rail(rail: Rail, slots: Slots) -> Row:
    row = {"carriage": rail.carriage, "fixed": rail.fixed, "angle": rail.angle, "point": rail.point}
    return row | {"through": slots.at(rail.through), "along": slots.at(rail.along)}


def _drive(drive: Drive, slots: Slots) -> Row:
    row = {"name": drive.name, "kind": drive.kind, "point": drive.point, "base": drive.base}
    return row | {"at": slots.at(drive.at), "along": slots.at(drive.along)}


# The program ---------------------------------------------------------------------------------------


def _frame(e: Equations, exprs: Sequence[Expr]) -> Program:
    """p → the slots' numbers; by_q, by_x, rows [m] as `singularity.pose.weights` has them, a row 0 for a telescope."""
    s = Symbols(e)
    drives = e.mechanism.drives if e.mechanism else ()
    arms = {d.name: d.radius for d in drives if isinstance(d, Crank)}
    telescopes = {d.name for d in drives if isinstance(d, Telescope)}
    lengths = [ZERO if c.name in telescopes else c.length for c in e.closures]
    by_q = s.column([arms.get(c.name, ONE) for c in e.q])
    size, lever = _plate_sizes(e, s)
    by_x = ca.vertcat(
        *(
            _levers(e.mechanism, s)
            if e.mechanism and e.mechanism.solids
            else [size if c.unit == "rad" else ca.SX(1) for c in e.x]
        )
    )
    outputs = {"values": s.column(exprs), "by_q": by_q, "by_x": by_x, "rows": s.column(lengths)}
    outputs |= {"lever": lever, "formulas": s.column([p.value for p in e.parameters])}
    made = {n: (ca.densify(v), () if n == "lever" else v.shape[:1]) for n, v in outputs.items() if v.numel()}
    return trace("frame", {"p": (s.p, s.p.shape[:1])} if s.p.numel() else {}, made)


def _plate_sizes(e: Equations, s: Symbols) -> tuple[ca.SX, ca.SX]:
    """The characteristic length of the output plate, and its longest lever [m]; 1 for a point."""
    if e.mechanism is None or not isinstance(e.mechanism.output, Plate):
        return ca.SX(1), ca.SX(1)
    at = _carried(e.mechanism, e.mechanism.output, s)
    lever = ca.SX(0)
    for v in at:
        lever = ca.fmax(lever, ca.sqrt(ca.sumsqr(v)))
    return _spread(at), lever


def _levers(mechanism: Mechanism, s: Symbols) -> list[ca.SX]:
    """[m] per unit of each coordinate of bodies in space; 0 where that is the robot's size, as a body has one joint."""
    units = [(body, unit) for body in mechanism.bodies for _, unit in mechanism.own_coordinates(body)]
    return [_spread(_carried(mechanism, body, s)) if unit == "rad" else ca.SX(1) for body, unit in units]


def _carried(mechanism: Mechanism, body: object, s: Symbols) -> list[ca.SX]:
    """Where a body's points are in its frame."""
    return [s.column(map(expr, p.at)) for p in mechanism.points if isinstance(p, Carried) and p.by is body]


def _spread(at: list[ca.SX]) -> ca.SX:
    """The root mean square distance of points from their middle; 0 for one or none."""
    if len(at) < 2:
        return ca.SX(0)
    middle = sum(at, ca.SX.zeros(*at[0].shape)) / len(at)
    return ca.sqrt(sum((ca.sumsqr(v - middle) for v in at), ca.SX(0)) / len(at))
