"""Third-order kinematics as programs: A x⃛ + B q⃛ + ψ = 0, where ψ holds all that z, ż and z̈ make of φ⃛."""

from __future__ import annotations

import casadi as ca

from closedchain.derive.linear import solve
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe.equations import Equations
from closedchain.kernels import Program


def programs(equations: Equations) -> list[Program]:
    """`inverse_jerk` and `direct_jerk`: q⃛ of x⃛ from the legs' rows, and x⃛ of q⃛."""
    s = Symbols(equations)
    models = Models(s)
    q_ddot, x_ddot = ca.SX.sym("q_ddot", models.nq), ca.SX.sym("x_ddot", models.nx)
    q_dddot, x_dddot = ca.SX.sym("q_dddot", models.nq), ca.SX.sym("x_dddot", models.nx)
    second = ca.mtimes(models.A, x_ddot) + ca.mtimes(models.B, q_ddot) + models.drift  # φ̈
    z_ddot = ca.vertcat(q_ddot, x_ddot)
    psi = ca.jtimes(second, s.z, s.z_dot) + ca.jtimes(second, s.z_dot, z_ddot)
    rows = models.leg_rows
    joint = solve(models.B[rows, :], -(ca.mtimes(models.A, x_dddot) + psi)[rows])
    output = solve(models.A, -(ca.mtimes(models.B, q_dddot) + psi))
    given = models.state | {"q_ddot": q_ddot, "x_ddot": x_ddot}
    return [
        models.program("inverse_jerk", given | {"x_dddot": x_dddot}, {"q_dddot": joint}),
        models.program("direct_jerk", given | {"q_dddot": q_dddot}, {"x_dddot": output}),
    ]
