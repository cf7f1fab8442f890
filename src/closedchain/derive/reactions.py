"""The forces that bars and telescopes exert at their two ends: Lagrange's equations of each by itself.

A leg's energy is a function of its ends A and B (and of a telescope's length q). By itself it obeys

    d/dt ∂T/∂Ḃ − ∂T/∂B + ∂V/∂B − Q_B = 2 λ (B − A) − (the force on what B is joined to),

likewise at A with −2 λ (B − A), where λ is its closure's multiplier. Q is what springs and dampers on its angle and
forces from outside put on the leg itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca

from closedchain.derive.bearings import acceleration, bearing_programs
from closedchain.derive.mechanics import Mechanics
from closedchain.derive.models import Models
from closedchain.derive.symbolic import Symbols
from closedchain.describe.elements import Angle, Bar, Telescope
from closedchain.describe.equations import Equations
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace


def reaction_programs(equations: Equations) -> list[Program]:
    """ends: (q, x, q̇, ẋ, z̈, λ) → the force of each bar and telescope on what its ends are joined to; and bearings."""
    assert equations.mechanism is not None
    s = Symbols(equations)
    models, m = Models(s), Mechanics(equations.mechanism)
    z_ddot = ca.SX.sym("z_ddot", models.nq + models.nx)
    lam = ca.SX.sym("lam", len(equations.closures))
    legs: list[Bar | Telescope] = [*equations.mechanism.bars]
    legs += [d for d in equations.mechanism.drives if isinstance(d, Telescope)]  # as their closures are
    rows = [row.T for i, leg in enumerate(legs) for row in Ends(s, m, leg).forces(lam[i], z_ddot)]
    found = bearing_programs(equations)
    if not rows:
        return found
    forces = ca.densify(ca.vertcat(*rows))
    state = {**models.state, "z_ddot": z_ddot, "lam": lam, "p": s.p}
    given = {name: (value, (value.shape[0],)) for name, value in state.items() if value.numel()}
    return [trace("ends", given, {"forces": (forces, forces.shape)}), *found]


class Ends:
    """A bar or telescope by itself, in its ends a and b and, of a telescope, its length."""

    def __init__(self, s: Symbols, m: Mechanics, leg: Bar | Telescope) -> None:
        self.s, self.m, self.leg = s, m, leg
        ends = (leg.a, leg.b) if isinstance(leg, Bar) else (leg.base, leg.tip)
        self.a, self.b = (s.column(m.position(end)) for end in ends)
        self.n = self.a.numel()
        length = leg.length if isinstance(leg, Bar) else m.joint(leg).symbol
        self.length = s.column([length])

    def forces(self, lam: ca.SX, z_ddot: ca.SX) -> tuple[ca.SX, ca.SX]:
        """On what a and what b are joined to."""
        place = ca.vertcat(self.a, self.b, self.length)
        motion = ca.vertcat(place, self.s.rate(place), acceleration(self.s, place, z_ddot))
        y, v, w = (ca.SX.sym(name, place.numel()) for name in ("y", "v", "w"))
        kinetic, potential = self.energies(y, v)
        momentum = ca.gradient(kinetic, v)
        inertial = ca.jtimes(momentum, y, v) + ca.jtimes(momentum, v, w) - ca.gradient(kinetic, y)
        own = ca.substitute(inertial + ca.gradient(potential, y), ca.vertcat(y, v, w), motion)
        pull = 2 * lam * (self.b - self.a)
        on_a, on_b = -own[: self.n] - pull, -own[self.n : 2 * self.n] + pull
        for share, force in self.pushes():
            on_a, on_b = on_a + (1 - share) * force, on_b + share * force
        twist = self.torque() * _across(self.b - self.a) if self.n == 2 else ca.SX.zeros(self.n, 1)
        return on_a - twist, on_b + twist

    def energies(self, y: ca.SX, v: ca.SX) -> tuple[ca.SX, ca.SX]:
        """T and V; a bar turns with its ends, (B − A)/l, a telescope with (B − A)/q."""
        n, leg = self.n, self.leg
        a, b, a_dot, b_dot = y[:n], y[n : 2 * n], v[:n], v[n : 2 * n]
        l = self.length if isinstance(leg, Bar) else y[-1]
        u = (b - a) / l
        u_dot = (b_dot - a_dot) / l - (u * v[-1] / l if isinstance(leg, Telescope) else 0)
        gravity = self.m.mechanism.gravity
        g = self.s.column(gravity) if gravity else ca.SX.zeros(n, 1)
        kinetic, potential = ca.SX(0), ca.SX(0)
        for mass, centre, inertia, end in self.bodies():
            at, rate = (
                (a + centre * u, a_dot + centre * u_dot) if end == "a" else (b - centre * u, b_dot - centre * u_dot)
            )
            kinetic += (mass * ca.sumsqr(rate) + inertia * ca.sumsqr(u_dot)) / 2
            potential -= mass * ca.dot(g, at)
        return kinetic, potential

    def bodies(self) -> Iterator[tuple[ca.SX, ca.SX, ca.SX, str]]:
        """Mass, distance of its centre from an end, inertia, and which end."""
        leg = self.leg
        if isinstance(leg, Bar):
            assert leg.centre is not None
            assert leg.inertia is not None
            rows = [(leg.mass, leg.centre, leg.inertia, "a")]
        else:
            rows = [(leg.base_mass, leg.base_centre, leg.base_inertia, "a")]
            rows += [(leg.tip_mass, leg.tip_centre, leg.tip_inertia, "b")]
        for mass, centre, inertia, end in rows:
            yield self.s.column([mass]), self.s.column([centre]), self.s.column([inertia]), end

    def pushes(self) -> Iterator[tuple[ca.SX, ca.SX]]:
        """External forces on places of the leg: the share of b in each, and the force."""
        parameters = {p.name: p for p in self.s.equations.parameters}
        for load in self.s.equations.loads:
            name, at, place = load.on.partition("@")
            if load.kind == "force" and at and name == self.leg.name:
                yield float(place) / self.length, self.s.column([parameters[n] for n in load.names])

    def torque(self) -> ca.SX:
        """Of what acts on the leg's angle, and from outside: it passes them on as ∓T n / l at its ends."""
        leg, m = self.leg, self.m
        ends = {id(p) for p in ((leg.a, leg.b) if isinstance(leg, Bar) else (leg.base, leg.tip))}

        def turns(between: object) -> bool:
            return isinstance(between, Angle) and {id(between.tail), id(between.tip)} == ends

        torques = [-s.stiffness * m.stretch(s) - s.preload for s in m.mechanism.springs if turns(s.between)]
        torques += [-d.damping * m.rate(m.extent(d)) for d in m.mechanism.dampers if turns(d.between)]
        for friction, dry in zip(m.mechanism.frictions, m.resistances(), strict=True):
            torques += [-dry.force - friction.viscous * dry.rate] if turns(friction.between) else []
        torques += [p.force for p in m.pressed() if turns(p.stop.between)]
        parameters = {p.name: p for p in self.s.equations.parameters}
        loads = (load for load in self.s.equations.loads if load.kind == "torque" and load.on == leg.name)
        torques += [parameters[name] for load in loads for name in load.names]
        return ca.sum1(self.s.column(torques)) if torques else ca.SX(0)


def _across(along: ca.SX) -> ca.SX:
    return ca.vertcat(-along[1], along[0]) / ca.sumsqr(along)
