"""What a motion with set-valued friction and firm stops needs at a state: rates along them, and what forces there do.

The rows are the frictions that are set-valued at rest, then the stops' gaps. With G = ∂(rates)/∂ż a unit of force along
row i is the generalised force Gᵢᵀ. The elimination that gives accelerations also gives the answer to it with every loop
closed, Y; so that for forces f along the rows

    z̈ = z̈₀ + Y f        d/dt rates = G z̈ + drift = (G z̈₀ + drift) + W f        W = G Y

W, Delassus' matrix, is symmetric and not negative: what M⁻¹ would be along these rows, the closures' forces included.
"""

from __future__ import annotations

import casadi as ca

from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe.equations import Equations
from closedchain.kernels.program import Program


def touching_program(equations: Equations, augmented: bool) -> list[Program]:
    """touching: (q, x, q̇, ẋ) → rates, drift, G, Y, W; of frictions their force, of gaps how wide they are."""
    m = Models(Symbols(equations))
    s, v, dry = m.s, m.v, equations.exact
    rows = [r.rate for r in dry] + [b.rate for b in equations.barriers]
    rates = s.column(rows)
    G = ca.jacobian(rates, s.z_dot)
    push = v.told(ca.densify(ca.mtimes(v.N.T, ca.jacobian(v.column(rows), v.v).T))) if v.solid else G.T
    system, still = m.eliminated(augmented), ca.SX(len(equations.closures), 1)
    Y = ca.horzcat(*[v.rates(system.solve(push[:, i], still)[0]) for i in range(len(rows))])
    outputs = {"rates": rates, "drift": ca.jtimes(rates, s.z, s.z_dot), "G": G, "Y": Y, "W": ca.mtimes(G, Y)}
    outputs |= {"level": s.column([r.level for r in dry]), "sliding": s.column([r.force for r in dry])}
    outputs |= {"holding": s.column([r.holding for r in dry if r.holding is not None])}
    outputs |= {"gap": s.column([b.gap for b in equations.barriers])}
    outputs |= {"restitution": s.column([b.restitution for b in equations.barriers])}
    return [m.program("touching", m.state, outputs)]
