"""The programs of kinematics and dynamics, for any set of equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import casadi as ca

from closedchain.derive.elimination import Elimination, Scales, rows_of
from closedchain.derive.linear import Square, determinant, regularity, solve
from closedchain.derive.mechanics import Mechanics
from closedchain.derive.structure import body_of
from closedchain.derive.symbolic import Symbols
from closedchain.derive.twists import twist_jacobian
from closedchain.derive.velocities import Velocities
from closedchain.describe.elements import Body, Fixed, Free, Motor, Telescope
from closedchain.describe.expressions import ZERO
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.kernels.tune import quicken
from closedchain.policy import ROUNDED

UPRIGHT = 1e-9  # |cos pitch| below this leaves roll and yaw no rates of their own
SINGLE = {"inverse_dynamics", "forward_dynamics", "track"}  # called for one state at a time, too

NEWTON = 4  # steps of `track`
SURE = 0.3  # of A's relative change: with less there is one solution only
LARGE = 1000  # elements of a matrix


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

    @cached_property
    def v(self) -> Velocities:
        """The equations in velocities, with angular ones for bodies of space."""
        return Velocities(self.s)

    # Kinematics ---------------------------------------------------------------------------------

    @cached_property
    def A(self) -> ca.SX:
        return ca.jacobian(self.s.phi, self.s.x)

    @cached_property
    def Phi(self) -> ca.SX:
        """Φ = (B, A)."""
        return ca.sparsify(ca.horzcat(self.B, self.A))

    @cached_property
    def A_twist(self) -> ca.SX:
        """A by twists: A itself where no body turns in space."""
        return twist_jacobian(self.A, self.s.equations, self.s.names)

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
        return self.v.rates_of(self.J_w, self.nq)

    @cached_property
    def drift(self) -> ca.SX:
        """Φ̇ ż, the part of φ̈ that velocities make."""
        return ca.mtimes(self.A_dot, self.s.x_dot) + ca.mtimes(self.B_dot, self.s.q_dot)

    @property
    def A_w(self) -> ca.SX:
        """A by the velocities w."""
        return self.v.Phi[:, self.nq :]

    @cached_property
    def closing(self) -> Square:
        """The same, factored."""
        return Square(self.A_w)

    @cached_property
    def J_w(self) -> ca.SX:
        """The output's part of w for the drives' rates."""
        return self.closing.solve(-self.B)

    @cached_property
    def T(self) -> ca.SX:
        """w = T q̇."""
        return ca.vertcat(ca.SX.eye(self.nq), self.J_w)

    def driven_at(self, e: ca.SX) -> ca.SX:
        """An expression of the velocities w, with w = T q̇."""
        if not self.nx:
            return self.v.at(e, self.s.q_dot)
        return self.v.at(e, ca.vertcat(self.s.q_dot, self.closing.solve(-ca.mtimes(self.B, self.s.q_dot))))

    def driven_on(self, q_ddot: ca.SX) -> ca.SX:
        """ẇ for the drives' accelerations, at w = T q̇."""
        if not self.nx:
            return q_ddot
        rest = self.closing.solve(-(ca.mtimes(self.B, q_ddot) + self.driven_at(self.v.drift)))
        return ca.vertcat(q_ddot, rest)

    def output_accelerations(self, w_dot: ca.SX) -> ca.SX:
        """ẍ of ẇ, at ẋ = J q̇."""
        return self.moving(self.v.second_rates(w_dot))[self.nq :] if self.nx else ca.SX(0, 1)

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
        """|det A| over its rows' lengths, in metres: 1 for perpendicular closures, 0 at a Type 2 singularity.

        It is −1 where a body's pitch is ±90°: what is solved for rates of roll, pitch and yaw does not exist there.
        """
        margin = regularity(self.A_twist, self.s.levers[self.nq :])
        mechanism = self.s.equations.mechanism
        for _, pitch, _ in mechanism.orientations.values() if mechanism else ():
            margin = ca.if_else(ca.fabs(ca.cos(self.s.names[pitch])) > UPRIGHT, margin, -1)
        return margin

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
        scalars |= {"rank", "kept", "hold", "gap_max"}
        matrices = {"A", "A_twist", "B", "A_dot", "B_dot", "J", "M", "M_z", "C_z", "K_z", "points", "J_q", "J_q_dot"}
        matrices |= {"G", "Y", "W"}
        matrices |= {f"{side}_{kind}{dot}" for side in "AB" for kind in "qup" for dot in ("", "_dot")}
        wanted = {}
        for key, value in outputs.items():
            if value.numel():
                shape = () if key in scalars else tuple(value.shape) if key in matrices else (value.shape[0],)
                wanted[key] = (ca.densify(value), shape)
        return replace(trace(name, given, wanted), single=name in SINGLE)

    def closures(self) -> Program | None:
        """Gaps in metres, φ and its slopes."""
        if not self.nx and not self.s.equations.closures:
            return None
        outputs = {"gap": self.s.gap, "phi": self.s.phi, **self.stored("A", self.A), **self.stored("B", self.B)}
        if self.A_twist is not self.A:
            outputs["A_twist"] = self.A_twist
        return self.program("closures", self.place, outputs)

    def direct_rates(self) -> Program:
        """First- and second-order direct kinematics: ẋ = J q̇, ẍ = J q̈ + b."""
        x_ddot = self.output_accelerations(self.driven_on(self.q_ddot))
        outputs = {"x_dot": ca.mtimes(self.J, self.s.q_dot), "x_ddot": x_ddot, "margin": self.margin_A}
        return self.program("direct_rates", self.place | {"q_dot": self.s.q_dot, "q_ddot": self.q_ddot}, outputs)

    def track(self) -> Program:
        """The output for other drives on the same branch, from where it was, and the margin by which that is sure.

        Newton's steps lead from x to x₁. Two solutions for the same drives have A̅ (x₁ − x₁′) = 0 with A̅ the mean of A
        between them: where ‖A(x)⁻¹ A − I‖ stays below 1 there is one solution only. The margin is what A's change on
        the way leaves of a bound below that, or less where the loops are not closed to rounding at the end.
        """
        s, nx = self.s, self.nx
        size = ca.SX.sym("size", 1)
        at = ca.Function("at", [s.q, s.x, s.p], [s.phi, ca.densify(self.A), s.gap])
        _, A, _ = at(s.q, s.x, s.p)
        x = s.x
        for _ in range(NEWTON):
            phi, slopes, _ = at(s.q, x, s.p)
            x = x - solve(slopes, phi)
        _, slopes, gap = at(s.q, x, s.p)
        levers = ca.vertcat(*s.levers[self.nq :])
        change = ca.fabs(solve(A, slopes - A)) * ca.mtimes(levers, (1 / levers).T)
        most, open_ = ca.mmax(ca.mtimes(change, ca.SX.ones(nx, 1))), ca.mmax(ca.fabs(ca.densify(gap)))
        margin = ca.fmin(SURE - most, 1 - open_ / (ROUNDED * size))
        return self.program("track", self.place | {"size": size}, {"x": x, "margin": margin})

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
        T, M_w, h = self.T if self.nx else ca.SX.eye(self.nq), self.v.mass, self.driven_at(self.v.bias)
        drifting = self.driven_on(ca.SX(self.nq, 1))
        b = self.output_accelerations(drifting)
        x_ddot = ca.mtimes(self.J, q_ddot) + b
        tau, lam = self.held(ca.mtimes(M_w, ca.mtimes(T, q_ddot) + drifting) + h)
        c = ca.mtimes(T.T, ca.mtimes(M_w, drifting) + h)
        outputs = {"x_dot": x_dot, "x_ddot": x_ddot, "b": b, "A": self.A, "B": self.B, "J": self.J}
        outputs |= {"A_dot": self.moving(self.A_dot), "B_dot": self.moving(self.B_dot)}
        outputs |= {k: self.moving(v) for k, v in self.readouts(ca.vertcat(q_ddot, x_ddot)).items()}
        outputs |= {"M": ca.mtimes(T.T, ca.mtimes(M_w, T)), "c": c, "tau": tau, "lam": lam}
        outputs |= {"kinetic": self.moving(s.kinetic), "potential": s.potential}
        if self.nx:
            outputs |= {"det_A": determinant(self.A_twist), "det_B": self.det_B, "margin": self.margin_A}
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
        inputs = self.place | {"q_dot": self.s.q_dot, "q_ddot": self.q_ddot}
        margin = self.margin_A if self.nx else ca.SX(1)
        return self.program("inverse_dynamics", inputs, self.needed | {"margin": margin})

    @property
    def needed(self) -> dict[str, ca.SX]:
        """τ and λ for q̈, with every passive joint free."""
        tau, lam = self.held(ca.mtimes(self.v.mass, self.driven_on(self.q_ddot)) + self.driven_at(self.v.bias))
        return {"tau": tau, "lam": lam}

    def held(self, force: ca.SX) -> tuple[ca.SX, ca.SX]:
        """τ and λ that make a generalised force on w: Aᵀλ its part on x, τ what is left on q."""
        if not self.nx:
            return force, ca.SX(0, 1)
        lam = self.closing.solve_transposed(force[self.nq :])
        return force[: self.nq] - ca.mtimes(self.B.T, lam), lam

    def efforts(self) -> Program:
        """The same with all rates of z given: near Type 2 it loses one cond A where q̈ → ẍ → τ loses three."""
        x_ddot = ca.SX.sym("x_ddot", self.nx)
        tau, lam = self.held(self.force(ca.vertcat(self.q_ddot, x_ddot)))
        outputs = {"tau": tau, "lam": lam, "margin": self.margin_A}
        return self.program("efforts", self.state | {"q_ddot": self.q_ddot, "x_ddot": x_ddot}, outputs)

    def force(self, z_ddot: ca.SX) -> ca.SX:
        """M ẇ + h for z̈, the generalised force on w that a motion needs."""
        v, s = self.v, self.s
        w_dot = ca.mtimes(v.S, z_ddot) + v.turning if v.bodies else z_ddot
        return ca.mtimes(v.mass, w_dot) + v.at(v.bias, v.spun(s.z_dot))

    # Forward dynamics ---------------------------------------------------------------------------

    def forward_dynamics(self, augmented: bool) -> Program:
        """Accelerations and multipliers for given efforts."""
        return self.program("forward_dynamics", self.state | {"tau": self.tau}, self.accelerations(self.tau, augmented))

    def accelerations(self, tau: ca.SX, augmented: bool) -> dict[str, ca.SX]:
        """M ẇ − Φᵀλ = Sᵀτ − h, Φ ẇ = −(Φ w)˙; the least margin and, where closures may be dependent, what holds."""
        system, force = self.eliminated(augmented), ca.mtimes(self.s.selection(), tau) - self.v.bias
        w_dot, others = system.solve(force, -self.v.drift)
        lam = system.multipliers(w_dot, others, force)
        w_dot, lam = (self.v.at(e, self.v.spun(self.s.z_dot)) for e in (w_dot, lam))
        z_ddot = self.v.second_rates(w_dot)
        outputs = {"q_ddot": z_ddot[: self.nq], "x_ddot": z_ddot[self.nq :], "lam": lam, "margin": system.margin}
        return outputs | ({"hold": system.hold, "kept": ca.densify(system.kept)} if system.dependent else {})

    def eliminated(self, augmented: bool) -> Elimination:
        """The system of forward dynamics; augmented it is regular with massless bodies, too."""
        scales, lengths = Scales(self.s.levers, self.s.slopes) if augmented else None, self.telescopes
        return Elimination(self.v.mass, self.v.Phi, scales, self.sizes, lengths, self.s.equations.linkage)

    @property
    def telescopes(self) -> dict[int, int]:
        """The closure of each telescope, which alone knows its length, and the column of that."""
        mechanism = self.s.equations.mechanism
        rows = {c.name: i for i, c in enumerate(self.s.equations.closures)}
        drives = mechanism.drives if mechanism else ()
        return {rows[d.name]: i for i, d in enumerate(drives) if isinstance(d, Telescope) and self._alone(i)}

    def _alone(self, column: int) -> bool:
        return int(self.v.Phi[:, column].nnz()) == 1

    @property
    def sizes(self) -> list[ca.SX | None]:
        """The squared length of Φ's row for each bar between free points or one and the ground: 4 l² for each point."""
        mechanism = self.s.equations.mechanism
        found: list[ca.SX | None] = []
        for bar in mechanism.bars if mechanism else ():  # whose closures come first
            free = [isinstance(body_of(p), Free) for p in (bar.a, bar.b)]
            known = all(f or isinstance(p, Fixed) for f, p in zip(free, (bar.a, bar.b), strict=True))
            found.append(self.s.column([4 * sum(free) * bar.length**2]) if known else None)
        return found

    def correction(self, error: ca.SX, augmented: bool) -> ca.SX:
        """The smallest change of z, weighed by mass, that takes a closures' error away."""
        return self.v.rates(self.eliminated(augmented).correct(error))

    def mass(self) -> Program:
        """M_z alone."""
        return self.program("mass", self.place, self.stored("M_z", self.s.mass()))

    def stored(self, name: str, matrix: ca.SX) -> dict[str, ca.SX]:
        """A matrix as an output: large ones by their nonzeros, whose places `pattern` tells.

        A chain of 40 loops has 6642 elements in Φ, 242 of them not zero.
        """
        if matrix.numel() < LARGE or matrix.nnz() > matrix.numel() / 8:
            return {name: matrix}
        return {f"{name}_nonzeros": ca.vertcat(*[e for row in rows_of(matrix) for _, e in row])}

    def pattern(self) -> Program | None:
        """Where the nonzeros of large matrices are: row and column of each."""
        outputs = {}
        for name, matrix in (("A", self.A), ("B", self.B), ("M_z", self.s.mass())):
            if name in self.stored(name, matrix):
                continue
            places = [(i, j) for i, row in enumerate(rows_of(matrix)) for j, _ in row]
            for k, which in enumerate(("rows", "columns")):
                outputs[f"{name}_{which}"] = (ca.SX([place[k] for place in places]), (len(places),))
        return trace("pattern", {}, outputs) if outputs else None

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

    def twist(self) -> Program | None:
        """How the output moves where it is a body of space: velocity of its origin, angular velocity, ground's axes."""
        mechanism = self.s.equations.mechanism
        if mechanism is None or not isinstance(mechanism.output, Body):
            return None
        m = Mechanics(mechanism)
        frame, own = m.frame(mechanism.output), m.twist(mechanism.output)
        twist = self.s.column([*frame.along(own.velocity), *frame.along(own.spin)])
        return self.program("twist", self.state, {"twist": twist})

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

    def driving(self) -> Program | None:
        """The efforts of motors with limits, or losses both ways, at a voltage; di/dt where the current is a state."""
        motors = self.s.equations.motors
        if all(m.linear for m in motors):
            return None
        u, current = ca.SX.sym("u", len(self.driven)), ca.SX.sym("current", len(self.driven))
        tau, rate = self.driven_by(u, current)
        return self.program("driving", {"u": u, "q_dot": self.s.q_dot, "current": current}, {"tau": tau, "rate": rate})

    def driven_by(self, u: ca.SX, current: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Efforts at a voltage, and di/dt of the currents; that of a motor without inductance follows from u and q̇."""
        motors = {m.drive: m for m in self.s.equations.motors}
        rows = [
            self._driven_by(motors.get(name), u[k], current[k], k) for k, name in enumerate(self.s.equations.driven)
        ]
        return ca.vertcat(*[tau for tau, _ in rows]), ca.vertcat(*[rate for _, rate in rows])

    def _driven_by(self, motor: Motor | None, u: ca.SX, current: ca.SX, k: int) -> tuple[ca.SX, ca.SX]:
        if motor is None:
            return ca.SX(0), ca.SX(0)
        v = self.s.q_dot[self.driven[k]]
        if motor.most_voltage is not None:
            most = self.s.column([motor.most_voltage])
            u = ca.fmin(ca.fmax(u, -most), most)
        numbers = self.s.column([motor.resistance, motor.inductance, motor.ratio, motor.kt, motor.kv])
        R, L, ratio, kt, kv = (numbers[n] for n in range(5))
        left = u - kv * ratio * v
        i, rate = (current, (left - R * current) / L) if motor.inductive else (left / R, ca.SX(0))
        if motor.most_current is not None:
            most = self.s.column([motor.most_current])
            rate = ca.if_else(ca.logic_and(ca.fabs(i) >= most, rate * i > 0), 0, rate)  # the amplifier holds it there
            i = ca.fmin(ca.fmax(i, -most), most)
        torque, ahead = ratio * kt * i, self.s.column([motor.efficiency])
        if motor.back_efficiency is None or motor.width is None:
            return torque * ahead, rate
        back, width = 1 / self.s.column([motor.back_efficiency]), self.s.column([motor.width])
        sense = v / ca.sqrt(v**2 + width**2)
        # where torque and rate agree the motor drives, at `ahead`; where they do not, the load does, at `back`
        return torque * (ahead + back) / 2 + ca.fabs(torque) * sense * (ahead - back) / 2, rate

    def most_currents(self) -> ca.SX:
        """What the amplifiers let through."""
        motors = {m.drive: m.most_current for m in self.s.equations.motors}
        found = [motors.get(name) for name in self.s.equations.driven]
        return ca.vertcat(*[ca.SX(ca.inf) if most is None else self.s.column([most]) for most in found])

    def motor_constants(self) -> tuple[ca.SX, ca.SX]:
        """gain and back of each driven coordinate; zero where there is no motor."""
        motors = {m.drive: m for m in self.s.equations.motors}
        found = [motors.get(name) for name in self.s.equations.driven]
        gains = [m.ratio * m.kt * m.efficiency / m.resistance if m else ZERO for m in found]
        backs = [g * m.kv * m.ratio if m else ZERO for m, g in zip(found, gains, strict=True)]
        return self.s.column(gains), self.s.column(backs)
