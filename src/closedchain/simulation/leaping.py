"""The programs of a march by implicit steps: a whole step written out, and the beginning of the next."""

from __future__ import annotations

import casadi as ca

from closedchain.derive.marching import Marching
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe.equations import Equations
from closedchain.kernels.program import Program
from closedchain.simulation.integrators import rodas


def leaping_programs(equations: Equations, augmented: bool, voltage: bool) -> list[Program]:
    """`leap`: (z, ż, u, work, h) → z, ż and work after a step of RODAS; and `settle`, as for explicit steps."""
    models = Models(Symbols(equations))
    marching, s = Marching(models, augmented, voltage), models.s
    n, work, h = s.z.shape[0], ca.SX.sym("work"), ca.SX.sym("h")
    slopes = ca.Function("slopes", [s.z, s.z_dot, marching.u, s.p], [*marching.accelerations(s.z, s.z_dot)])

    def flow(y: ca.SX) -> ca.SX:
        return ca.vertcat(y[n : 2 * n], *slopes(y[:n], y[n : 2 * n], marching.u, s.p))

    after = rodas(flow, ca.vertcat(s.z, s.z_dot, work), h)
    outputs = {"z": after[:n], "z_dot": after[n : 2 * n], "work": after[2 * n :]}
    leap = models.program("leap", marching.given | {"work": work, "h": h}, outputs)
    return [leap, marching.settle()]
