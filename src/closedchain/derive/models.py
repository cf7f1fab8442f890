"""The programs of kinematics and dynamics, for any set of equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import casadi as ca

from closedchain.derive.linear import Positive, augmentation, determinant, regularity, solve
from closedchain.derive.symbolic import Symbols
from closedchain.describe.expressions import ZERO
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.kernels.tune import quicken

SINGLE = {"inverse_dynamics", "forward_dynamics", "forward_dynamics_augmented"}  # called for one state at a time, too


class Models:
    """The expressions every program below is made of, each derived once."""

    def __init__(self, symbols: Symbols) -> None:
        self.s = symbols
        self.nq, self.nx = len(symbols.equations.q), len(symbols.equations.x)
        self.driven = [i for i, c in enumerate(symbols.equations.q) if c.name in symbols.equations.driven]
        self.q_ddot = ca.SX.sym("q_ddot", self.nq)
        self.tau = ca.SX.sym("tau", len(self.driven))
        self.place = {"q": symbols.q, "x": symbols.x}
        self.state = self.place | {"q_dot": symbols.q_dot, "x_dot": symbols.x_dot}

    # Kinematics ---------------------------------------------------------------------------------

    @cached_property
    def A(self) -> ca.SX:
        return ca.jacobian(self.s.phi, self.s.x)

    @cached_property
    def B(self) -> ca.SX:
        return ca.jacobian(self.s.phi, self.s.q)

    @cached_property
    def A_dot(self) -> ca.SX:
        return self.s.rate(self.A)

    @cached_property
    def B_dot(self) -> ca.SX:
        return self.s.rate(self.B)

    @cached_property
    def J(self) -> ca.SX:
        return solve(self.A, -self.B)

    @cached_property
    def drift(self) -> ca.SX:
        """Φ̇ ż, the part of φ̈ that velocities make."""
        return ca.mtimes(self.A_dot, self.s.x_dot) + ca.mtimes(self.B_dot, self.s.q_dot)

    @cached_property
    def leg_rows(self) -> list[int]:
        """The closure each drive is found from: all, or the first it occurs in where closures outnumber drives."""
        pattern = self.B.sparsity()
        if self.B.shape[0] == self.B.shape[1]:
            return list(range(self.B.shape[0]))
        return [next(i for i in range(self.B.shape[0]) if pattern.has_nz(i, j)) for j in range(self.nq)]

    @property
    def det_B(self) -> ca.SX:
        """det of B's leg rows."""
        return determinant(self.B[self.leg_rows, :])

    @property
    def margin_A(self) -> ca.SX:
        """|det A| over its rows' lengths, in metres: 1 for perpendicular closures, 0 at a Type 2 singularity."""
        return regularity(self.A, self.s.levers[self.nq :])

    def moving(self, e: ca.SX) -> ca.SX:
        """An expression of the velocities, with x_dot = J q_dot."""
        return ca.substitute(e, self.s.x_dot, ca.densify(ca.mtimes(self.J, self.s.q_dot))) if self.nx else e

    def readouts(self, z_ddot: ca.SX) -> dict[str, ca.SX]:
        """r, ṙ and r̈ for given accelerations."""
        values = self.s.column(r.value for r in self.s.equations.readouts)
        if not values.numel():
            return {}
        gradient = ca.jacobian(values, self.s.z)
        first = ca.mtimes(gradient, self.s.z_dot)
        second = ca.mtimes(gradient, z_ddot) + self.s.rate(first)
        return {"passive": values, "passive_dot": first, "passive_ddot": second}

    # Programs -----------------------------------------------------------------------------------

    def program(self, name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> Program:
        """Traced, with vectors as vectors even when they have one element and absent ones left out."""
        given = {k: (v, (v.shape[0],)) for k, v in {**inputs, "p": self.s.p}.items() if v.numel()}
        scalars = {"det_A", "det_B", "margin", "kinetic", "potential", "power", "applied_power", "energy_rate", "slack"}
        matrices = {"A", "B", "A_dot", "B_dot", "J", "M", "M_z", "C_z", "K_z", "points", "J_q", "J_q_dot"}
        matrices |= {f"{side}_{kind}{dot}" for side in "AB" for kind in "qup" for dot in ("", "_dot")}
        wanted = {}
        for key, value in outputs.items():
            if value.numel():
                shape = () if key in scalars else tuple(value.shape) if key in matrices else (value.shape[0],)
                wanted[key] = (ca.densify(value), shape)
        return replace(trace(name, given, wanted), single=name in SINGLE)

    def closures(self) -> Program:
        outputs = {"gap": self.s.gap, "phi": self.s.phi, "A": self.A, "B": self.B}
        return self.program("closures", self.place, outputs)

    def direct_rates(self) -> Program:
        """First- and second-order direct kinematics: ẋ = J q̇, ẍ = J q̈ + b."""
        drift = self.moving(self.drift)
        x_ddot = solve(self.A, -(ca.mtimes(self.B, self.q_ddot) + drift))
        outputs = {"x_dot": ca.mtimes(self.J, self.s.q_dot), "x_ddot": x_ddot, "margin": self.margin_A}
        return self.program("direct_rates", self.place | {"q_dot": self.s.q_dot, "q_ddot": self.q_ddot}, outputs)

    def inverse_rates(self) -> Program:
        """First- and second-order inverse kinematics: B q̇ = −A ẋ, B q̈ = −(A ẍ + Φ̇ ż), from the legs' rows.

        `slip` is what remains of all rows: it vanishes for motions that the mechanism can make.
        """
        x_dot, x_ddot, rows = self.s.x_dot, ca.SX.sym("x_ddot", self.nx), self.leg_rows
        B = self.B[rows, :]
        q_dot = solve(B, -ca.mtimes(self.A, x_dot)[rows])
        drift = ca.substitute(self.drift, self.s.q_dot, ca.densify(q_dot))
        q_ddot = solve(B, -(ca.mtimes(self.A, x_ddot) + drift)[rows])
        slip = ca.mtimes(self.A, x_dot) + ca.mtimes(self.B, q_dot)
        slip_dot = ca.mtimes(self.A, x_ddot) + ca.mtimes(self.B, q_ddot) + drift
        outputs = {"q_dot": q_dot, "q_ddot": q_ddot, "slip": slip, "slip_dot": slip_dot, "margin": regularity(B)}
        return self.program("inverse_rates", self.place | {"x_dot": x_dot, "x_ddot": x_ddot}, outputs)

    def evaluate(self) -> Program:
        """Every model at a state given by the drives: the whole of `closedchain evaluate` in one pass."""
        return self.program("evaluate", self.place | self.given_rates, self.everything)

    @property
    def given_rates(self) -> dict[str, ca.SX]:
        return {"q_dot": self.s.q_dot, "q_ddot": self.q_ddot}

    @cached_property
    def everything(self) -> dict[str, ca.SX]:
        """Every model by name, as expressions of q, x, q̇ and q̈."""
        s, q_ddot = self.s, self.q_ddot
        x_dot = ca.mtimes(self.J, s.q_dot)
        b = solve(self.A, -self.moving(self.drift))
        x_ddot = ca.mtimes(self.J, q_ddot) + b
        M_z, h_z = s.mass(), self.moving(s.bias())
        T = ca.vertcat(ca.SX.eye(self.nq), self.J)
        force = ca.mtimes(M_z, ca.vertcat(q_ddot, x_ddot)) + h_z
        tau, lam = self.held(force)
        c = ca.mtimes(T.T, ca.mtimes(M_z, ca.vertcat(ca.SX(self.nq, 1), b)) + h_z)
        outputs = {"x_dot": x_dot, "x_ddot": x_ddot, "b": b, "A": self.A, "B": self.B, "J": self.J}
        outputs |= {"A_dot": self.moving(self.A_dot), "B_dot": self.moving(self.B_dot)}
        outputs |= {k: self.moving(v) for k, v in self.readouts(ca.vertcat(q_ddot, x_ddot)).items()}
        outputs |= {"M": ca.mtimes(T.T, ca.mtimes(M_z, T)), "c": c, "tau": tau, "lam": lam}
        outputs |= {"kinetic": self.moving(s.kinetic), "potential": s.potential}
        if self.nx:
            outputs |= {"det_A": determinant(self.A), "det_B": self.det_B, "margin": self.margin_A}
        return outputs

    def from_drives(self, pose: ca.SX, slack: ca.SX, signs: ca.SX, only: Sequence[str]) -> list[Program]:
        """Chosen models from q alone: x is replaced by its closed form.

        The least of slack and margin tells whether a state needs a closer look, for which the second program is; so
        do rates that are not finite.
        """
        chosen = {"x": self.s.x, **self.everything}
        outputs = {name: chosen[name] for name in only} | {"margin": chosen["margin"]}
        outputs = {name: ca.substitute(ca.densify(e), self.s.x, ca.densify(pose)) for name, e in outputs.items()}
        look = {"slack": slack, "margin": outputs["margin"]}
        rates = ca.fabs(ca.sum1(ca.vertcat(*self.given_rates.values())))
        least = ca.if_else(slack < 0, slack, outputs["margin"])
        outputs["margin"] = ca.if_else(rates < ca.inf, least, -ca.inf)
        place = {"q": self.s.q, "s": signs}
        whole = self.program("from_drives", place | self.given_rates, outputs)
        return [quicken(whole), self.program("from_drives_closely", place, look)]

    def inverse_dynamics(self) -> Program:
        """The efforts on every q for q̈, and the multipliers."""
        x_ddot = solve(self.A, -(ca.mtimes(self.B, self.q_ddot) + self.moving(self.drift)))
        force = ca.mtimes(self.s.mass(), ca.vertcat(self.q_ddot, x_ddot)) + self.moving(self.s.bias())
        tau, lam = self.held(force)
        inputs = self.place | {"q_dot": self.s.q_dot, "q_ddot": self.q_ddot}
        margin = self.margin_A if self.nx else ca.SX(1)
        return self.program("inverse_dynamics", inputs, {"tau": tau, "lam": lam, "margin": margin})

    def held(self, force: ca.SX) -> tuple[ca.SX, ca.SX]:
        """τ and λ that make a generalised force: Aᵀλ its part on x, τ what is left on q."""
        if not self.nx:
            return force, ca.SX(0, 1)
        lam = solve(self.A.T, force[self.nq :])
        return force[: self.nq] - ca.mtimes(self.B.T, lam), lam

    def efforts(self) -> Program:
        """The same with all rates of z given: near Type 2 it loses one cond A where q̈ → ẍ → τ loses three."""
        x_ddot = ca.SX.sym("x_ddot", self.nx)
        force = ca.mtimes(self.s.mass(), ca.vertcat(self.q_ddot, x_ddot)) + self.s.bias()
        tau, lam = self.held(force)
        outputs = {"tau": tau, "lam": lam, "margin": self.margin_A}
        return self.program("efforts", self.state | {"q_ddot": self.q_ddot, "x_ddot": x_ddot}, outputs)

    def forward_dynamics(self, augmented: bool = False) -> Program:
        """Accelerations and multipliers for given efforts."""
        name = "forward_dynamics_augmented" if augmented else "forward_dynamics"
        return self.program(name, self.state | {"tau": self.tau}, self.accelerations(self.tau, augmented))

    def accelerations(self, tau: ca.SX, augmented: bool) -> dict[str, ca.SX]:
        """M z̈ − Φᵀλ = Sᵀτ − h, Φ z̈ = −Φ̇ ż, by M = L D Lᵀ and then Φ M⁻¹ Φᵀ = L D Lᵀ.

        Augmented, M + Φᵀ ρ Φ takes the place of M: the same z̈ for any ρ, and regular with massless bodies.
        """
        Phi, drift = ca.horzcat(self.B, self.A), self.drift
        inertia, rho = self.inertia(augmented)
        force = ca.mtimes(self.s.selection(), tau) - self.s.bias() - ca.mtimes(Phi.T, rho * drift)
        free = inertia.solve(force)
        if not self.nx:
            return {"q_ddot": free, "margin": inertia.margin}
        response = inertia.solve(Phi.T)
        compliance = Positive(ca.mtimes(Phi, response))
        lam = compliance.solve(-(drift + ca.mtimes(Phi, free)))
        z_ddot = free + ca.mtimes(response, lam)
        outputs = {"q_ddot": z_ddot[: self.nq], "x_ddot": z_ddot[self.nq :], "lam": lam}
        return outputs | {"margin": ca.fmin(inertia.margin, compliance.margin)}

    def inertia(self, augmented: bool) -> tuple[Positive, ca.SX]:
        """M_z, or M_z + Φᵀ ρ Φ, factored; and ρ of each closure."""
        M, Phi = self.s.mass(), ca.horzcat(self.B, self.A)
        if not augmented:
            return Positive(M), ca.SX(Phi.shape[0], 1)
        rho = augmentation(M, self.s.slopes, self.s.levers)
        return Positive(M + ca.mtimes(Phi.T, ca.mtimes(ca.diag(rho), Phi))), rho

    def correction(self, error: ca.SX, augmented: bool) -> ca.SX:
        """The smallest change of z, weighed by mass, that takes a closures' error away: −M⁻¹Φᵀ(Φ M⁻¹ Φᵀ)⁻¹ error."""
        Phi = ca.horzcat(self.B, self.A)
        response = self.inertia(augmented)[0].solve(Phi.T)
        return -ca.mtimes(response, Positive(ca.mtimes(Phi, response)).solve(error))

    def mass(self) -> Program:
        """M_z alone."""
        return self.program("mass", self.place, {"M_z": self.s.mass()})

    def energy(self) -> Program:
        """T, V, the dissipated power and, where there are any, what external forces put in."""
        outputs = {"kinetic": self.s.kinetic, "potential": self.s.potential} | self.powers()
        return self.program("energy", self.state, outputs)

    def powers(self) -> dict[str, ca.SX]:
        """What dampers take, and what external forces put in [W]."""
        found = {"power": ca.dot(self.s.friction, self.s.z_dot)}
        return found | ({"applied_power": ca.dot(self.s.applied, self.s.z_dot)} if self.s.equations.external else {})

    def terms(self) -> Program:
        """M_z, Christoffel's C_z, friction, gravity and Q_z: h_z = C_z ż + friction + gravity − applied."""
        M, z, z_dot = self.s.mass(), self.s.z, self.s.z_dot
        n = M.shape[0]
        slopes = [ca.jacobian(M[:, k], z) for k in range(n)]  # slopes[k][i, j] = ∂M_ik/∂z_j
        C = ca.SX(n, n)
        for i in range(n):
            for j in range(n):
                terms = [(slopes[j][i, k] + slopes[k][i, j] - slopes[k][j, i]) * z_dot[k] for k in range(n)]
                C[i, j] = sum(terms, ca.SX(0)) / 2
        outputs = {"M_z": M, "C_z": C, "friction": self.s.friction, "gravity": self.s.gravity, "h_z": self.s.bias()}
        outputs["applied"] = ca.densify(self.s.applied)
        return self.program("terms", self.state, outputs)

    def power(self) -> Program:
        """The rate of T + V along given accelerations, and what is lost: by the chain rule, not through h_z."""
        z_ddot = ca.SX.sym("z_ddot", self.nq + self.nx)
        total = self.s.kinetic + self.s.potential
        rate = ca.jtimes(total, self.s.z, self.s.z_dot) + ca.jtimes(total, self.s.z_dot, z_ddot)
        outputs = {"energy_rate": rate} | self.powers()
        return self.program("power", self.state | {"z_ddot": z_ddot}, outputs)

    def stiffness(self) -> Program:
        """∂(h_z − Φᵀλ)/∂z and ∂h_z/∂ż: what a linearisation needs besides M."""
        lam = ca.SX.sym("lam", self.A.shape[0])
        held = self.s.bias() - ca.mtimes(ca.horzcat(self.B, self.A).T, lam)
        outputs = {"K_z": ca.jacobian(held, self.s.z), "C_z": ca.jacobian(held, self.s.z_dot)}
        return self.program("stiffness", self.state | {"lam": lam}, outputs)

    def readings(self) -> Program | None:
        """Passive joints for any velocities and accelerations of z."""
        z_ddot = ca.SX.sym("z_ddot", self.nq + self.nx)
        outputs = self.readouts(z_ddot)
        return self.program("readings", self.state | {"z_ddot": z_ddot}, outputs) if outputs else None

    def limits(self) -> Program | None:
        """The joints that have limits, angles by their nearest turn, and the room of each."""
        joints, room = self.s.joints
        return self.program("limits", self.place, {"joints": joints, "room": room}) if joints.numel() else None

    def points(self) -> Program | None:
        """Where every named point is."""
        rows_ = [self.s.column(v).T for _, v in self.s.equations.points]
        return self.program("points", self.place, {"points": ca.vertcat(*rows_)}) if rows_ else None

    def motors(self) -> Program | None:
        """effort = gain u − back q̇ on each driven coordinate."""
        if not self.s.equations.motors:
            return None
        gain, back = self.motor_constants()
        return self.program("motors", {}, {"gain": gain, "back": back})

    def motor_constants(self) -> tuple[ca.SX, ca.SX]:
        """gain and back of each driven coordinate; zero where there is no motor."""
        motors = {m.drive: m for m in self.s.equations.motors}
        found = [motors.get(name) for name in self.s.equations.driven]
        gains = [m.ratio * m.kt * m.efficiency / m.resistance if m else ZERO for m in found]
        backs = [g * m.kv * m.ratio if m else ZERO for m, g in zip(found, gains, strict=True)]
        return self.s.column(gains), self.s.column(backs)
