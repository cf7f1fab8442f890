"""The programs of a general linkage: everything in z, whether closures are fewer or more than coordinates.

Matrices are given by their nonzeros, whose places `pattern` tells: a chain of 40 loops has 6642 elements in Φ, 242 of
them not zero.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from closedchain.derive.elimination import Elimination, Scales, rows_of
from closedchain.derive.models import Models
from closedchain.derive.structure import body_of
from closedchain.derive.symbolic import Symbols
from closedchain.describe.elements import Fixed, Free
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import is_number
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace


class Linkage(Models):
    """The expressions of a linkage's motion, each derived once."""

    def __init__(self, symbols: Symbols) -> None:
        super().__init__(symbols)
        self.nz = self.nq + self.nx

    @cached_property
    def Phi(self) -> ca.SX:
        return ca.sparsify(ca.jacobian(self.s.phi, self.s.z))

    @cached_property
    def drift(self) -> ca.SX:
        """Φ̇ ż, the part of φ̈ that velocities make."""
        slip = ca.mtimes(self.Phi, self.s.z_dot)
        return ca.densify(ca.jtimes(slip, self.s.z, self.s.z_dot)) if slip.numel() else ca.SX(0, 1)

    def eliminated(self, augmented: bool) -> Elimination:
        scales = Scales(self.s.levers, self.s.slopes) if augmented else None
        return Elimination(self.s.mass(), self.Phi, scales, self.sizes())

    def sizes(self) -> list[ca.SX | None]:
        """The squared length of Φ's row for each bar between free points or one and the ground: 4 l² for each point."""
        mechanism = self.s.equations.mechanism
        found: list[ca.SX | None] = []
        for bar in mechanism.bars if mechanism else ():  # whose closures come first
            free = [isinstance(body_of(p), Free) for p in (bar.a, bar.b)]
            known = all(f or isinstance(p, Fixed) for f, p in zip(free, (bar.a, bar.b), strict=True))
            found.append(self.s.column([4 * sum(free) * bar.length**2]) if known else None)
        return found

    def force(self, tau: ca.SX) -> ca.SX:
        """Sᵀτ − h_z."""
        return ca.densify(ca.mtimes(self.s.selection(), tau) - self.s.bias())

    def power_in(self, tau: ca.SX) -> ca.SX:
        """What efforts and external forces put in less what dampers take [W]."""
        given = ca.dot(tau, self.s.q_dot[self.driven]) if self.driven else ca.SX(0)
        return given - self.s.lost

    # Programs -----------------------------------------------------------------------------------

    def pattern(self) -> Program:
        """Where the nonzeros of Φ and M_z are: row and column of each."""
        outputs = {}
        for name, matrix in (("Phi", self.Phi), ("M", self.s.mass())):
            places = [(i, j) for i, row in enumerate(rows_of(matrix)) for j, _ in row]
            for k, which in enumerate(("rows", "columns")):
                outputs[f"{name}_{which}"] = (ca.SX([place[k] for place in places]), (len(places),))
        return trace("pattern", {}, outputs)

    def closures(self) -> Program:
        """Gaps in metres, φ, and the nonzeros of Φ."""
        outputs = {"gap": self.s.gap, "phi": self.s.phi, "Phi": _nonzeros(self.Phi)}
        return self.program("closures", self.place, outputs)

    def mass(self) -> Program:
        """The nonzeros of M_z."""
        return self.program("mass", self.place, {"M": _nonzeros(self.s.mass())})

    def forward_dynamics(self, augmented: bool = False) -> Program:
        """Accelerations and multipliers for given efforts; the least hold, and how many closures were not left out."""
        system, force = self.eliminated(augmented), self.force(self.tau)
        z_ddot, others = system.solve(force, -self.drift)
        outputs = {"z_ddot": z_ddot, "lam": system.multipliers(z_ddot, others, force)}
        outputs |= {"margin": system.margin, "hold": system.hold, "kept": ca.densify(system.kept)}
        return self.program("forward_dynamics", self.state | {"tau": self.tau}, outputs)

    def program(self, name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> Program:
        """As for any model; nonzeros are vectors, the rank a number."""
        given = {k: (v, (v.shape[0],)) for k, v in {**inputs, "p": self.s.p}.items() if v.numel()}
        scalars, matrices = {"margin", "rank", "kept", "hold", "gap_max"}, {"points"}
        scalars |= {"kinetic", "potential", "power", "applied_power", "energy_rate"}
        wanted = {}
        for key, value in outputs.items():
            if value.numel():
                shape = () if key in scalars else tuple(value.shape) if key in matrices else (value.shape[0],)
                wanted[key] = (ca.densify(value), shape)
        return trace(name, given, wanted)


class Marching:
    """The two programs that a compiled march repeats: a stage, and the beginning of a step back on the closures."""

    def __init__(self, linkage: Linkage, augmented: bool, voltage: bool) -> None:
        self.linkage = linkage
        s, m = linkage.s, linkage
        self.u = ca.SX.sym("u", len(m.driven))
        tau = self.u
        if voltage:
            gain, back = m.motor_constants()
            tau = gain * self.u - back * s.q_dot[m.driven]
        values = [m.force(tau), -m.drift, m.power_in(tau)]
        self.right = ca.Function("right", [s.z, s.z_dot, self.u, s.p], [ca.densify(v) for v in values])
        self.slip = ca.Function("slip", [s.z, s.z_dot, s.p], [ca.densify(ca.mtimes(m.Phi, s.z_dot))])
        self.system = m.eliminated(augmented)
        self.given = {"z": s.z, "z_dot": s.z_dot, "u": self.u}

    def programs(self) -> list[Program]:
        return [self.flow(), self.settle()]

    def flow(self) -> Program:
        """(z, ż, u) → z̈ and the power put in."""
        s = self.linkage.s
        z_ddot, power = self.accelerations(s.z, s.z_dot)
        return self.linkage.program("flow", self.given, {"z_ddot": z_ddot, "power": power})

    def accelerations(self, z: ca.SX, z_dot: ca.SX) -> tuple[ca.SX, ca.SX]:
        force, r, power = self.right(z, z_dot, self.u, self.linkage.s.p)
        return self.system.solve(force, r, passing=True)[0], power

    def settle(self) -> Program:
        """(z, ż, u) → z on φ = 0 and ż on Φ ż = 0, by the smallest steps weighed by mass, with z̈ and power there.

        One factorisation serves all three, the one at the z that came in: closures and forces are those of the z that
        goes out, so that both conditions hold to the product of two small steps. Besides: the widest gap that came in,
        the rank of Φ, margin and hold.
        """
        s, m = self.linkage.s, self.linkage
        z = s.z + self.system.correct(s.phi)
        z_dot = s.z_dot + self.system.correct(self.slip(z, s.z_dot, s.p))
        z_ddot, power = self.accelerations(z, z_dot)
        gap = ca.norm_inf(self.gaps()) if s.equations.closures else ca.SX(0)
        outputs = {"z": z, "z_dot": z_dot, "z_ddot": z_ddot, "power": power, "gap_max": gap}
        outputs |= {"rank": ca.densify(self.system.rank), "margin": self.system.margin, "hold": self.system.hold}
        return m.program("settle", self.given, outputs)

    def gaps(self) -> ca.SX:
        """The gaps in metres, to first order: φ / 2 l for a bar."""
        s = self.linkage.s
        lengths = [s.column([c.length]) for c in s.equations.closures]
        plain = [is_number(c.length, 0.0) for c in s.equations.closures]
        return ca.vertcat(*[s.phi[i] if plain[i] else s.phi[i] / (2 * l) for i, l in enumerate(lengths)])


def _nonzeros(A: ca.SX) -> ca.SX:
    values = [e for row in rows_of(A) for _, e in row]
    return ca.vertcat(*values) if values else ca.SX(0, 1)


def linkage_programs(equations: Equations) -> list[Program]:
    """What most work with a linkage needs."""
    m = Linkage(Symbols(equations))
    found = [m.pattern(), m.closures(), m.mass(), m.energy(), m.points(), m.motors(), m.readings(), m.limits()]
    return [program for program in found if program is not None]


def linkage_dynamics(equations: Equations, augmented: bool) -> list[Program]:
    """Forward dynamics, and the rate of energy by the chain rule."""
    m = Linkage(Symbols(equations))
    return [m.forward_dynamics(augmented), m.power()]


def marching_programs(equations: Equations, augmented: bool, voltage: bool) -> list[Program]:
    """The programs of a march; compiled together with its loop."""
    return Marching(Linkage(Symbols(equations)), augmented, voltage).programs()
