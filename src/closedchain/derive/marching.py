"""The two programs that a compiled march repeats: a stage, and the beginning of a step back on the closures."""

from __future__ import annotations

import casadi as ca

from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import is_number
from closedchain.kernels.program import Program


class Marching:
    """z, ż and the held command u → what a step needs, by one elimination."""

    def __init__(self, models: Models, augmented: bool, voltage: bool) -> None:
        self.models = models
        s, m, v = models.s, models, models.v
        self.u = ca.SX.sym("u", len(m.driven))
        self.current = ca.SX.sym("current", len(m.driven) if voltage and s.equations.inductive else 0)
        tau, self.current_rate = self.u, ca.SX(0, 1)
        if voltage and all(motor.linear for motor in s.equations.motors):
            gain, back = m.motor_constants()
            tau = gain * self.u - back * s.q_dot[m.driven]
        elif voltage:
            tau, self.current_rate = m.driven_by(self.u, self.current if s.equations.inductive else 0 * self.u)
        given = ca.dot(tau, s.q_dot[m.driven]) if m.driven else ca.SX(0)
        force = ca.mtimes(s.selection(), tau) - v.bias
        values = [v.at(e, v.spun(s.z_dot)) for e in (force, -v.drift, given - s.lost)]
        self.right = ca.Function("right", [s.z, s.z_dot, self.u, self.current, s.p], [ca.densify(e) for e in values])
        self.slip = ca.Function("slip", [s.z, s.z_dot, s.p], [ca.densify(ca.mtimes(m.Phi, s.z_dot))])
        self.back = ca.Function("back", [s.z, s.z_dot, v.w_dot_symbol, s.p], [v.second_rates(v.w_dot_symbol)])
        self.system = m.eliminated(augmented)
        self.given = {"z": s.z, "z_dot": s.z_dot, "u": self.u}

    def programs(self) -> list[Program]:
        return [self.flow(), self.settle()]

    def flow(self) -> Program:
        """(z, ż, u) → z̈ and the power put in."""
        s = self.models.s
        z_ddot, power = self.accelerations(s.z, s.z_dot)
        return self.models.program("flow", self.given, {"z_ddot": z_ddot, "power": power})

    def accelerations(self, z: ca.SX, z_dot: ca.SX) -> tuple[ca.SX, ca.SX]:
        """z̈ and power for forces and closures of (z, ż), with the elimination where it was made."""
        p = self.models.s.p
        force, r, power = self.right(z, z_dot, self.u, self.current, p)
        return self.back(z, z_dot, self.system.solve(force, r, passing=True)[0], p), power

    def settle(self) -> Program:
        """(z, ż, u) → z on φ = 0 and ż on Φ ż = 0, by the smallest steps weighed by mass, with z̈ and power there.

        One factorisation serves all three, the one at the z that came in: closures and forces are those of the z that
        goes out, so that both conditions hold to the product of two small steps. Besides: the widest gap that came in,
        the rank of Φ, margin and hold.
        """
        s, v = self.models.s, self.models.v
        z = s.z + v.rates(self.system.correct(s.phi))
        z_dot = s.z_dot + v.rates(self.system.correct(self.slip(z, s.z_dot, s.p)))
        z_ddot, power = self.accelerations(z, z_dot)
        gap = ca.norm_inf(self.gaps()) if s.equations.closures else ca.SX(0)
        outputs = {"z": z, "z_dot": z_dot, "z_ddot": z_ddot, "power": power, "gap_max": gap}
        outputs |= {"rank": ca.densify(self.system.rank), "margin": self.system.margin, "hold": self.system.hold}
        return self.models.program("settle", self.given, outputs)

    def gaps(self) -> ca.SX:
        """The gaps in metres, to first order: φ / 2 l for a bar."""
        s = self.models.s
        lengths = [s.column([c.length]) for c in s.equations.closures]
        plain = [is_number(c.length, 0.0) for c in s.equations.closures]
        return ca.vertcat(*[s.phi[i] if plain[i] else s.phi[i] / (2 * l) for i, l in enumerate(lengths)])


def marching_programs(equations: Equations, augmented: bool, voltage: bool) -> list[Program]:
    """The programs of a march; compiled together with its loop."""
    return Marching(Models(Symbols(equations)), augmented, voltage).programs()
