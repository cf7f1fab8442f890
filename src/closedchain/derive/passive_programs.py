"""The matrices of the passive loops and of the legs' unit vectors, with their rates, compiled."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from closedchain.derive.linear import solve
from closedchain.derive.models import Models
from closedchain.derive.passive import PassiveLoops, passive_loops
from closedchain.derive.symbolic import CASADI, Symbols
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import Expr, evaluate_all
from closedchain.kernels.program import Program


def passive_programs(equations: Equations, legs: Sequence[str]) -> list[Program]:
    """One program, `passive`: A_q, B_q, J_q of h(q_d, q) = 0, and A_u, B_u, A_p, B_p of the legs; with their rates.

    A_q q̇_d + B_q q̇ = 0,   J_q = −A_q⁻¹B_q;   A_u ẋ = B_u q̇,   A_p ẋ = B_p q̇ + l φ̇
    """
    loops = passive_loops(equations.mechanism)
    assert loops is not None
    assert loops.key == tuple(legs)
    symbols = Symbols(equations)
    found = Passive(symbols, loops)
    return [Models(symbols).program("passive", found.inputs, found.outputs())]


class Passive:
    """Expressions in the joints' own symbols, which become their values of z in the end."""

    def __init__(self, symbols: Symbols, loops: PassiveLoops) -> None:
        self.s, self.loops = symbols, loops
        self.joints = ca.SX.sym("q_d", len(loops.joints))
        self.names = symbols.names | {c.name: self.joints[i] for i, c in enumerate(loops.joints)}
        self.values = symbols.column(loops.values)
        self.rates = ca.mtimes(ca.jacobian(self.values, symbols.z), symbols.z_dot)
        self.inputs = {"q": symbols.q, "x": symbols.x, "q_dot": symbols.q_dot, "x_dot": symbols.x_dot}

    def outputs(self) -> dict[str, ca.SX]:
        """Every matrix and rate, of q, x and their rates."""
        h = self.matrix([[c.residual] for c in self.loops.closures])
        A, B = ca.jacobian(h, self.joints), ca.jacobian(h, self.s.q)
        A_dot, B_dot = self.rate(A), self.rate(B)
        J = solve(A, -B)
        made = {"A_q": A, "B_q": B, "J_q": J, "A_q_dot": A_dot, "B_q_dot": B_dot}
        made["J_q_dot"] = solve(A, -(B_dot + ca.mtimes(A_dot, J)))
        made |= self.unit_vectors()
        return {name: ca.substitute(ca.densify(e), self.joints, self.values) for name, e in made.items()}

    def unit_vectors(self) -> dict[str, ca.SX]:
        """A_u ẋ = B_u q̇ and A_p ẋ = B_p q̇ + l φ̇; a second time, A_u ẍ = B_u q̈ − d_u, A_p ẍ = B_p q̈ + l φ̈ + d_p."""
        q, x = (tuple(c.name for c in part) for part in (self.s.equations.q, self.s.equations.x))
        lengths = self.matrix([[leg.length] for leg in self.loops.legs])
        grown = self.matrix(self.loops.lengthening(q))
        A_u, A_p = (self.matrix(self.loops.projected(unit, x)) for unit in "uv")
        B_u, B_p = (-self.matrix(self.loops.projected(unit, q)) for unit in "uv")
        B_u += grown
        rates = {"A_u_dot": A_u, "B_u_dot": B_u, "A_p_dot": A_p, "B_p_dot": B_p}
        rates = {name: self.rate(e) for name, e in rates.items()}
        q_dot, x_dot = self.s.q_dot, self.s.x_dot
        turning = (ca.mtimes(A_p, x_dot) - ca.mtimes(B_p, q_dot)) / lengths  # φ̇, from the x axis
        d_u = ca.mtimes(rates["A_u_dot"], x_dot) - ca.mtimes(rates["B_u_dot"], q_dot)
        d_p = ca.mtimes(rates["B_p_dot"], q_dot) - ca.mtimes(rates["A_p_dot"], x_dot)
        d_p += ca.mtimes(grown, q_dot) * turning
        return {"A_u": A_u, "B_u": B_u, "d_u": d_u, "A_p": A_p, "B_p": B_p, "d_p": d_p, "l_p": lengths} | rates

    def matrix(self, rows: list[list[Expr]]) -> ca.SX:
        """Expressions of z and the joints."""
        flat = evaluate_all([e for row in rows for e in row], self.names, CASADI)
        return ca.reshape(ca.vertcat(*flat), len(rows[0]), len(rows)).T

    def rate(self, e: ca.SX) -> ca.SX:
        """d/dt, the joints and z moving."""
        moving, rates = ca.vertcat(self.joints, self.s.z), ca.vertcat(self.rates, self.s.z_dot)
        return ca.reshape(ca.jtimes(ca.vec(ca.densify(e)), moving, rates), *e.shape)
