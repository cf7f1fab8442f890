"""The maps of a transmission as programs: motors to joints, joints to motors, Jacobians with their rates, inertia."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from closedchain.derive.linear import regularity, solve
from closedchain.derive.models import NEWTON, SURE, Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe.equations import Equations
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace
from closedchain.policy import ROUNDED


class Transmitting:
    """One set of equations whose drives are the motors and whose output coordinates are the joints."""

    def __init__(self, equations: Equations) -> None:
        self.s = Symbols(equations)
        self.m = Models(self.s)
        nq, ny, nz = self.m.nq, equations.outputs, self.m.nq + self.m.nx
        self.motors, self.joints, self.rest = list(range(nq)), list(range(nq, nq + ny)), list(range(nq + ny, nz))

    def split(self, to_joint: bool) -> tuple[list[int], list[int]]:
        """What is known and what follows, as places in z."""
        return (self.motors, self.joints + self.rest) if to_joint else (self.joints, self.motors + self.rest)

    def slopes(self, unknown: Sequence[int]) -> ca.SX:
        """∂φ/∂(the unknown coordinates)."""
        return ca.jacobian(self.s.phi, self.s.z)[:, unknown]

    def at(self, known: Sequence[int], unknown: Sequence[int]) -> ca.Function:
        """(known, unknown, p) → φ, its slopes in what is unknown, the gaps in metres."""
        e = ca.densify(self.slopes(unknown))
        return ca.Function("at", [self.s.z[known], self.s.z[unknown], self.s.p], [self.s.phi, e, self.s.gap])

    def follow(self, to_joint: bool) -> Program:
        """What follows for other known values, on the branch of `near`, and the margin by which that is sure.

        Newton's steps, and the same guard as `Models.track`: where the slopes change by less than SURE of themselves
        between `near` and the answer there is one solution only.
        """
        known, unknown = self.split(to_joint)
        size, n = ca.SX.sym("size", 1), len(unknown)
        given, near = self.s.z[known], self.s.z[unknown]
        at = self.at(known, unknown)
        _, first, _ = at(given, near, self.s.p)
        found = newton(at, given, near, self.s.p, NEWTON)
        _, last, gap = at(given, found, self.s.p)
        levers = ca.vertcat(*[self.s.levers[i] for i in unknown])
        change = ca.fabs(solve(first, last - first)) * ca.mtimes(levers, (1 / levers).T)
        most, open_ = ca.mmax(ca.mtimes(change, ca.SX.ones(n, 1))), ca.mmax(ca.fabs(ca.densify(gap)))
        margin = ca.fmin(SURE - most, 1 - open_ / (ROUNDED * size))
        inputs = {"known": given, "near": near, "size": size}
        return self.program(
            "follow_joint" if to_joint else "follow_motor", inputs, {"found": found, "margin": (margin, ())}
        )

    def rates(self) -> dict[str, ca.SX]:
        """Jacobians of the joints by the motors and back, with their rates of time, and what they make of inertia.

        With T = ∂x/∂q = −A⁻¹B:  Ṫ = −A⁻¹(Ȧ T + Ḃ);  J is T's part of the joints, K = J⁻¹, K̇ = −K J̇ K. The inertia
        M = [I; T]ᵀ M_z [I; T] at the motors is Kᵀ M K at the joints.
        """
        m, ny = self.m, len(self.joints)
        moving = ca.vertcat(ca.SX.eye(m.nq), m.J)
        T_dot = solve(m.A, -(ca.mtimes(m.moving(m.A_dot), m.J) + m.moving(m.B_dot)))
        J, J_dot = m.J[:ny, :], T_dot[:ny, :]
        K = solve(ca.densify(J), ca.SX.eye(ny))
        M = ca.mtimes(moving.T, ca.mtimes(self.s.mass(), moving))
        found = {"J": J, "J_dot": J_dot, "K": K, "K_dot": -ca.mtimes(K, ca.mtimes(J_dot, K))}
        return found | {"M": M, "M_joint": ca.mtimes(K.T, ca.mtimes(M, K))}

    def transmit(self) -> Program:
        """The Jacobians, their rates and the inertias at a configuration; how far both singularities are."""
        margins = {name: (margin, ()) for name, margin in self.margins.items()}
        return self.program("transmit", self.moving, {**self.shaped, **margins})

    def guarded_rates(self, least: float) -> Program:
        """The same with one margin, above 0 where both singularities are further than `least`."""
        margin = ca.fmin(*self.margins.values()) - least
        told = ca.if_else(margin > -1, margin, -1)  # also where it is no number
        return self.program("rates", self.moving, {**self.shaped, "margin": (told, ())})

    @property
    def moving(self) -> dict[str, ca.SX]:
        return {"q": self.s.q, "x": self.s.x, "q_dot": self.s.q_dot}

    @property
    def shaped(self) -> dict[str, tuple[ca.SX, tuple[int, ...]]]:
        return {name: (value, tuple(value.shape)) for name, value in self.rates().items()}

    @property
    def margins(self) -> dict[str, ca.SX]:
        """Of the maps to the joints (0 at Type 2) and to the motors (0 at Type 1)."""
        back, levers = self.motors + self.rest, self.s.levers
        motor = regularity(self.slopes(back), [levers[i] for i in back])
        return {"margin_joint": self.m.margin_A, "margin_motor": motor}

    def program(
        self, name: str, inputs: dict[str, ca.SX], outputs: Mapping[str, ca.SX | tuple[ca.SX, tuple[int, ...]]]
    ) -> Program:
        """Traced; a value alone is a vector, with a shape it has that."""
        given = {k: (v, (v.shape[0],)) for k, v in {**inputs, "p": self.s.p}.items() if v.numel()}
        made = {k: v if isinstance(v, tuple) else (v, (v.shape[0],)) for k, v in outputs.items()}
        return trace(name, given, {k: (ca.densify(v), shape) for k, (v, shape) in made.items()})


def newton(at: ca.Function, known: ca.SX, unknown: ca.SX, p: ca.SX, steps: int) -> ca.SX:
    """Steps of Newton's towards φ = 0 in what is unknown."""
    for _ in range(steps):
        phi, slopes, _ = at(known, unknown, p)
        unknown = unknown - solve(slopes, phi)
    return unknown


def transmission_programs(equations: Equations) -> list[Program]:
    """Both maps, each on the branch of a configuration nearby, and what transmits rates and efforts."""
    t = Transmitting(equations)
    return [t.follow(True), t.follow(False), t.transmit()]
