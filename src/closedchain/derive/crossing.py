"""Programs for motions through singularities: forces and their rates, drives to the jerk, a leg's coordinates."""

from __future__ import annotations

import casadi as ca

from closedchain.derive.linear import solve
from closedchain.derive.mechanics import Mechanics
from closedchain.derive.models import Models
from closedchain.derive.structure import Leg, legs
from closedchain.derive.symbolic import Symbols
from closedchain.describe.elements import Slider
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import Expr, atan2
from closedchain.describe.vectors import dot, minus
from closedchain.kernels import Program


class Rates:
    """Symbols for z̈ and z⃛, and what they make of the closures and of the forces."""

    def __init__(self, equations: Equations) -> None:
        self.m = Models(Symbols(equations))
        self.s, nq, nx = self.m.s, self.m.nq, self.m.nx
        self.q_ddot, self.x_ddot = ca.SX.sym("q_ddot", nq), ca.SX.sym("x_ddot", nx)
        self.q_dddot, self.x_dddot = ca.SX.sym("q_dddot", nq), ca.SX.sym("x_dddot", nx)
        self.z_ddot = ca.vertcat(self.q_ddot, self.x_ddot)
        self.z_dddot = ca.vertcat(self.q_dddot, self.x_dddot)

    def rate(self, e: ca.SX) -> ca.SX:
        """d/dt of an expression of z and ż, along ż and z̈."""
        return ca.jtimes(e, self.s.z, self.s.z_dot) + ca.jtimes(e, self.s.z_dot, self.z_ddot)

    def after(self, slope: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Of rows G with G ż given: Ġ ż, and what z, ż, z̈ make of d²/dt² (G ż), so that G z⃛ is the rest of it."""
        first = ca.mtimes(self.s.rate(slope), self.s.z_dot)
        second = ca.mtimes(slope, self.z_ddot) + first
        return first, self.rate(second)


def crossing_programs(equations: Equations) -> list[Program]:
    """`passing`: M_z z̈ + h_z and its rate, A, Ȧ, B and φ̈; `drives_along`: q̇, q̈, q⃛ from those of the output."""
    r = Rates(equations)
    m, s = r.m, r.s
    force = ca.mtimes(s.mass(), r.z_ddot) + s.bias()
    force_dot = r.rate(force) + ca.mtimes(s.mass(), r.z_dddot)
    whole = m.state | {"q_ddot": r.q_ddot, "x_ddot": r.x_ddot, "q_dddot": r.q_dddot, "x_dddot": r.x_dddot}
    phi_ddot = ca.mtimes(m.A, r.x_ddot) + ca.mtimes(m.B, r.q_ddot) + m.drift
    outputs = {"force": force, "force_dot": force_dot, "A": m.A, "A_dot": m.A_dot, "B": m.B, "phi_ddot": phi_ddot}
    return [m.program("passing", whole, outputs), _drives_along(r)]


def _drives_along(r: Rates) -> Program:
    m, s = r.m, r.s
    B, rows = m.B[m.leg_rows, :], m.leg_rows
    first, second = r.after(ca.horzcat(m.B, m.A))
    q_dot = solve(B, -ca.mtimes(m.A, s.x_dot)[rows])
    q_ddot = solve(B, -(ca.mtimes(m.A, r.x_ddot) + first)[rows])
    q_dddot = solve(B, -(ca.mtimes(m.A, r.x_dddot) + second)[rows])
    q_ddot = ca.substitute(q_ddot, s.q_dot, q_dot)
    q_dddot = ca.substitute(ca.substitute(q_dddot, r.q_ddot, q_ddot), s.q_dot, q_dot)
    given = m.place | {"x_dot": s.x_dot, "x_ddot": r.x_ddot, "x_dddot": r.x_dddot}
    return m.program("drives_along", given, {"q_dot": q_dot, "q_ddot": q_ddot, "q_dddot": q_dddot})


def chart_programs(equations: Equations, index: int) -> list[Program]:
    """Coordinates u of one leg, regular at its Type 1 and at Type 2: `chart` gives u, `chart_rates` all rates of z.

    Φ ż = 0, G ż = u̇,    and their first two derivatives,    G = ∂u/∂z
    """
    r = Rates(equations)
    m, s = r.m, r.s
    assert equations.mechanism is not None
    found = legs(equations.mechanism)
    assert found is not None
    u = s.column(leg_coordinates(Mechanics(equations.mechanism), found[index]))
    G = ca.jacobian(u, s.z)
    rates = [ca.SX.sym(name, u.shape[0]) for name in ("u_dot", "u_ddot", "u_dddot")]
    whole, zero = ca.vertcat(ca.horzcat(m.B, m.A), G), ca.SX(m.A.shape[0], 1)
    first, second = r.after(whole)
    made = [solve(whole, ca.vertcat(zero, rates[0]))]
    made.append(solve(whole, ca.vertcat(zero, rates[1]) - first))
    made.append(solve(whole, ca.vertcat(zero, rates[2]) - second))
    made[1] = ca.substitute(made[1], s.z_dot, made[0])
    made[2] = ca.substitute(ca.substitute(made[2], r.z_ddot, made[1]), s.z_dot, made[0])
    outputs: dict[str, ca.SX] = {}
    for name, z in zip(("dot", "ddot", "dddot"), made, strict=True):
        outputs |= {f"q_{name}": z[: m.nq], f"x_{name}": z[m.nq :]}
    given = m.place | {"u_dot": rates[0], "u_ddot": rates[1], "u_dddot": rates[2]}
    return [m.program("chart", m.place, {"u": u}), m.program("chart_rates", given, outputs)]


def leg_coordinates(mechanics: Mechanics, leg: Leg) -> tuple[Expr, Expr]:
    """The bar's absolute angle, and the crank's angle or how far the tip is along the slider's rail."""
    bar = minus(mechanics.position(leg.far), mechanics.position(leg.drive))  # type: ignore[arg-type]
    angle = atan2(bar[1], bar[0])
    if isinstance(leg.drive, Slider):
        return angle, dot(leg.drive.along, minus(mechanics.position(leg.far), leg.drive.at))
    return angle, mechanics.joint(leg.drive).symbol
