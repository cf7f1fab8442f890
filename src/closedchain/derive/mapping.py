"""The program of a map: singularity measures at a point of the output, for several working modes at once.

    x → q by closed form → A, B → det A, det B, conditioning, effort, and the slack that says whether x is reached

A crank enters by the cosine and sine of its angle, which are algebraic in x: no angle is computed. What two working
modes share is computed once. No value is ever a NaN; where a leg misses, every value but the slack is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca

from closedchain.derive.geometry import Geometry, Operands
from closedchain.derive.linear import determinant, regularity
from closedchain.derive.negations import share_negations
from closedchain.derive.structure import Leg, legs
from closedchain.derive.symbolic import Symbols
from closedchain.derive.turning import TURNING, Turn
from closedchain.derive.twists import twist_jacobian
from closedchain.describe.elements import Crank
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import evaluate_all, is_number, symbols
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace

PER_MODE = ("det_A", "det_B", "condition", "effort")
SMALLEST = 1e-290  # keeps a quotient of two zeros from being a NaN


def map_programs(
    equations: Equations, quantities: Sequence[str], modes: Sequence[str], rounded: bool = False
) -> list[Program]:
    """`map`: (x, y[, third][, lever], p) → values: the slack, then each quantity for each working mode.

    With limits of joints the slack is that of the mode with the most room, a quantity 0 where its own mode has none.
    `rounded` to float32, or as doubles.
    """
    return [replace(share_negations(Mapping(equations).plain(quantities, modes)), rounded=rounded)]


def map_slope_programs(equations: Equations, mode: str) -> list[Program]:
    """`map_slopes`: (place, p) → slack and conditioning of a point in one working mode, and their derivatives."""
    return [Mapping(equations).slopes(mode)]


class Mapping:
    """What the values of a map are made of, at one point of the output."""

    def __init__(self, equations: Equations) -> None:
        assert equations.mechanism is not None
        self.s = Symbols(equations)
        self.legs: tuple[Leg, ...] = legs(equations.mechanism) or ()
        self.plate = bool(equations.mechanism.plates)
        self.lever = ca.SX.sym("lever")
        self.geometry = Geometry(self.s, equations.mechanism)
        n = len(self.legs)
        self.c, self.sn = ca.SX.sym("c", n), ca.SX.sym("s", n)
        self.A, self.B = self._jacobians()

    def plain(self, quantities: Sequence[str], modes: Sequence[str]) -> Program:
        """The program as it is derived, mode by mode."""
        slack = self.slack()
        at = [self.at(mode) for mode in modes]
        slacks = [slack for _ in modes]
        if self.s.equations.limits:  # joints leave them at other places in other modes
            slacks = [ca.fmin(slack, self.room(mode)) for mode in modes]
            slack = slacks[0]
            for other in slacks[1:]:
                slack = ca.fmax(slack, other)
        rows = [slack]
        for quantity in quantities:
            rows += [ca.if_else(s >= 0, getattr(self, quantity)(*AB), 0) for s, AB in zip(slacks, at, strict=True)]
        names = ("x", "y", "third")[: self.s.x.numel()]
        given: Operands = {name: (self.s.x[i], ()) for i, name in enumerate(names)}
        given |= {"lever": (self.lever, ())} if self.plate else {}
        given |= {"p": (self.s.p, self.s.p.shape[:1])} if self.s.p.numel() else {}
        return trace("map", given, {"values": (ca.vertcat(*rows), (len(rows),))})

    def slopes(self, mode: str) -> Program:
        """Slack and condition of one mode with their derivatives by the place and by p, where every leg reaches."""
        s, both = self.s, ca.vertcat(self.slack(), self.condition(*self.at(mode)))
        inputs = {"place": (s.x, s.x.shape[:1]), "p": (s.p, s.p.shape[:1])}
        slopes = {"by_place": ca.jacobian(both, s.x), "by_p": ca.jacobian(both, s.p)}
        outputs: Operands = {"values": (both, (2,))}
        outputs |= {name: (ca.densify(e), tuple(e.shape)) for name, e in slopes.items()}
        return trace("map_slopes", inputs, outputs)

    def _jacobians(self) -> tuple[ca.SX, ca.SX]:
        """A and B with a crank's cosine and sine for its angle: ∂/∂q = c ∂/∂s − s ∂/∂c."""
        e = self.s.equations
        cranks = [isinstance(leg.drive, Crank) for leg in self.legs]
        q = [Turn(self.c[i], self.sn[i]) if crank else self.s.q[i] for i, crank in enumerate(cranks)]
        names = {coordinate.name: value for coordinate, value in zip(e.q, q, strict=True)}
        names |= {coordinate.name: self.s.x[i] for i, coordinate in enumerate(e.x)}
        names |= {parameter.name: self.s.p[i] for i, parameter in enumerate(e.parameters)}
        phi = ca.vertcat(*evaluate_all([closure.residual for closure in e.closures], names, TURNING))
        turns = ca.jacobian(phi, self.sn) @ ca.diag(self.c) - ca.jacobian(phi, self.c) @ ca.diag(self.sn)
        A = twist_jacobian(ca.jacobian(phi, self.s.x), e, names, TURNING)
        return A, ca.jacobian(phi, self.s.q) + turns

    def slack(self) -> ca.SX:
        """The smallest slack of all legs; it is the same for every working mode."""
        found = ca.SX(ca.inf)
        for leg in self.legs:
            found = ca.fmin(found, self.geometry.leg(leg, ca.SX(1))[1])
        return found

    def room(self, mode: str) -> ca.SX:
        """The least room of a joint within its limits, as a length, in one working mode."""
        signs = iter(mode)
        sigma = [1 if leg.branches == 1 or next(signs) == "+" else -1 for leg in self.legs]
        q = [self.geometry.leg(leg, ca.SX(sign))[0] for leg, sign in zip(self.legs, sigma, strict=True)]
        return ca.substitute(self.s.room, self.s.q, ca.densify(ca.vertcat(*q)))

    def at(self, mode: str) -> tuple[ca.SX, ca.SX]:
        """A and B at x in one working mode."""
        signs = iter(mode)
        symbols, values, steps = ca.vertcat(self.s.q, self.c, self.sn), [], ca.SX.sym("step", len(self.legs))
        halves = []
        for i, leg in enumerate(self.legs):
            sigma = 1 if leg.branches == 1 or next(signs) == "+" else -1
            middle, half, turn = self.solve(leg, sigma)
            values.append((middle + steps[i], turn.c, turn.s))
            halves.append(half)
        found = ca.vertcat(*[value for column in zip(*values, strict=True) for value in column])
        A, B = (ca.substitute(matrix, symbols, found) for matrix in (self.A, self.B))
        A, B = (ca.substitute(matrix, steps, ca.vertcat(*halves)) for matrix in (A, B))
        return A, B

    def solve(self, leg: Leg, sigma: int) -> tuple[ca.SX, ca.SX, Turn]:
        """A drive's value as middle + σ half, which cancels out of y − q without rounding; or a crank's direction."""
        zero = ca.SX(0)
        if isinstance(leg.drive, Crank):
            return zero, zero, _turn(self.geometry.leg(leg, ca.SX(sigma))[0])
        sign = ca.SX.sym("sign")
        value = self.geometry.leg(leg, sign)[0]
        half = ca.densify(ca.jacobian(value, sign))
        return ca.substitute(value, sign, zero), sigma * half, Turn(zero, zero)

    # Quantities ---------------------------------------------------------------------------------

    def det_A(self, A: ca.SX, B: ca.SX) -> ca.SX:
        return determinant(A)

    def det_B(self, A: ca.SX, B: ca.SX) -> ca.SX:
        return determinant(B)

    def condition(self, A: ca.SX, B: ca.SX) -> ca.SX:
        """1/κ₂ of A with rows of length one for a point of the plane; |det A| over the rows' lengths for three rows.

        Two unit rows with the dot product c have singular values √(1 ± |c|), so 1/κ = |det| / (|r₁||r₂| + |r₁ · r₂|).
        A plate's turning is measured at its lever, so that all columns have one unit.
        """
        if self.plate:
            A = ca.horzcat(A[:, :2], A[:, 2] / self.lever)
        if A.shape[0] == 2:
            lengths = self.row_length(A, 0) * self.row_length(A, 1)
            along = ca.fabs(ca.dot(ca.densify(A[0, :]), ca.densify(A[1, :])))
            return ca.fabs(determinant(A)) / ca.fmax(lengths + along, SMALLEST)
        singular = determinant(A) == 0
        return ca.if_else(singular, 0, regularity(A))

    def row_length(self, A: ca.SX, i: int) -> ca.SX:
        """|row i| of A for a point: on its closure |P − A| = l a bar's row 2 (P − A) has the length 2 l."""
        closure = self.s.equations.closures[i]
        driven = symbols([closure.length]).keys() & {c.name for c in self.s.equations.q}  # a telescope
        if driven or is_number(closure.length, 0.0):
            return ca.norm_2(ca.densify(A[i, :]))
        return 2 * self.s.column([closure.length])

    def effort(self, A: ca.SX, B: ca.SX) -> ca.SX:
        """The largest |τᵢ| that holds a unit force on the output, whatever its direction: max |column of J|, τ = −Jᵀ f.

        A plate's force acts at its origin, without a moment. Infinite on a Type 2 singularity.
        """
        forces = 2 if self.plate else A.shape[0]
        columns = ca.densify(ca.mtimes(ca.adj(A), B))[:forces, :]
        det = ca.fabs(determinant(A))
        longest = ca.SX(0)
        for i in range(columns.shape[1]):
            longest = ca.fmax(longest, ca.sumsqr(columns[:, i]))
        return ca.if_else(det == 0, ca.inf, ca.sqrt(longest) / det)


def _turn(angle: ca.SX) -> Turn:
    """Cosine and sine of an angle that is written atan2(y, x), without the angle; both 0 where it has no direction."""
    assert angle.is_op(ca.OP_ATAN2)
    y, x = angle.dep(0), angle.dep(1)
    length = ca.fmax(ca.sqrt(x * x + y * y), SMALLEST)
    return Turn(x / length, y / length)
