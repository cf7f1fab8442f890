"""What drives hand on to the ground: the force on a crank's bearing, across a slider's rail.

The points that cranks and sliders carry are set free: they become coordinates of their own, P, and the drives' masses
are left out. Lagrange's equations of what is left then miss just the forces F with which the drives hold their points,

    F = d/dt ∂T/∂Ṗ − ∂T/∂P + ∂V/∂P + ∂D/∂Ṗ − Q_P − Φ_Pᵀ λ,

whatever is attached there: bars, telescopes, pins, springs, plates on pins, forces from outside. Newton's law of the
drive itself gives what its bearing carries: the ground's force on it is F + m (a_c − g) − what acts on its own body.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import casadi as ca

from closedchain.derive.acting import Acting
from closedchain.derive.mechanics import Mechanics
from closedchain.derive.symbolic import Symbols
from closedchain.describe.elements import Crank, Drive, Point, Slider
from closedchain.describe.equations import Coordinate, Equations
from closedchain.describe.expressions import ZERO, Expr, total
from closedchain.describe.vectors import Vector
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace

FREED = "freed"


class Freed(Mechanics):
    """A mechanism whose sliders and cranks have let go of their points."""

    @cached_property
    def carried(self) -> tuple[Slider | Crank, ...]:
        """The drives that carry a point."""
        return tuple(d for d in self.mechanism.drives if isinstance(d, Slider | Crank))

    @cached_property
    def points(self) -> dict[int, tuple[Coordinate, ...]]:
        """The coordinates of each point that was let go."""
        axes = "xyz"[: self.mechanism.dimension]
        return {id(d): tuple(Coordinate(f"{FREED}_{axis}_{d.name}", "m") for axis in axes) for d in self.carried}

    @property
    def x(self) -> tuple[Coordinate, ...]:
        return (*super().x, *(c for d in self.carried for c in self.points[id(d)]))

    def _position(self, point: Point) -> Vector:
        if id(point) in self.points:
            return tuple(c.symbol for c in self.points[id(point)])
        return super()._position(point)

    def speed_squared(self, point: Point) -> Expr:
        if id(point) in self.points:
            return total(c.rate**2 for c in self.points[id(point)])
        return super().speed_squared(point)

    def drive_energy(self, drive: Drive) -> Expr:
        return ZERO if id(drive) in self.points else super().drive_energy(drive)

    def drive_centres(self, drive: Drive) -> list[tuple[Expr, Vector]]:
        return [] if id(drive) in self.points else super().drive_centres(drive)


def freed_equations(equations: Equations) -> tuple[Equations, Freed]:
    """The equations of what is left, in z and the freed points; closures in the order of the robot's own."""
    assert equations.mechanism is not None
    m = Freed(equations.mechanism)
    return Equations(
        equations.name,
        parameters=equations.parameters,
        q=m.q,
        x=m.x,
        driven=equations.driven,
        closures=m.closures(),
        kinetic=m.kinetic(),
        potential=m.potential(),
        dissipation=m.dissipation(),
        resistances=m.resistances(),
        applied=Acting(equations, m).power(equations.loads),
        linkage=True,
    ), m


def bearing_programs(equations: Equations) -> list[Program]:
    """bearings: (q, x, q̇, ẋ, z̈, λ) → the force of each slider and crank on the ground, and its moment.

    A slider's force is across its rail, its moment about where q = 0. A crank's is at its pivot; in space its bearing
    also carries the moment across its axis, in the plane none.
    """
    left, m = freed_equations(equations)
    if not m.carried:
        return []
    s, own = Symbols(left), Symbols(equations)
    z_ddot, lam = ca.SX.sym("z_ddot", own.z.numel()), ca.SX.sym("lam", len(equations.closures))
    places = ca.vertcat(*[own.column(d.position(m.joint(d).symbol)) for d in m.carried])
    missing = ca.mtimes(s.mass(), ca.vertcat(z_ddot, acceleration(own, places, z_ddot))) + s.bias()
    missing -= ca.mtimes(ca.jacobian(s.phi, s.z).T, lam) if lam.numel() else 0
    old = ca.vertcat(s.z, s.z_dot, s.p)
    new = ca.vertcat(own.z, places, own.z_dot, own.rate(places), own.p)
    held = ca.substitute(missing[own.z.numel() :], old, new)
    n, found = m.mechanism.dimension, []
    for k, drive in enumerate(m.carried):
        body = Body(own, m, drive, held[n * k : n * k + n], z_ddot)
        found.append(body.slider() if isinstance(drive, Slider) else body.crank())
    state = {"q": own.q, "x": own.x, "q_dot": own.q_dot, "x_dot": own.x_dot, "z_ddot": z_ddot, "lam": lam, "p": own.p}
    given = {name: (value, (value.shape[0],)) for name, value in state.items() if value.numel()}
    forces, moments = (ca.densify(ca.vertcat(*[row.T for row in rows])) for rows in zip(*found, strict=True))
    return [trace("bearings", given, {"force": (forces, forces.shape), "moment": (moments, moments.shape)})]


class Body:
    """A drive's own body: what it gives its point, and Newton's and Euler's laws for it."""

    def __init__(self, s: Symbols, m: Mechanics, drive: Slider | Crank, held: ca.SX, z_ddot: ca.SX) -> None:
        self.s, self.drive, self.held, self.z_ddot = s, drive, held, z_ddot
        self.q = s.column([m.joint(drive).symbol])
        self.arm = s.column(drive.along if isinstance(drive, Slider) else drive.direction(m.joint(drive).symbol))
        n = m.mechanism.dimension
        self.gravity = s.column(m.mechanism.gravity) if m.mechanism.gravity else ca.SX.zeros(n, 1)

    def slider(self) -> tuple[ca.SX, ca.SX]:
        """Across its rail, for the effort and whatever else acts on q is along it; the moment about where q = 0."""
        a = acceleration(self.s, self.q * self.arm, self.z_ddot)
        whole = self.held + self.s.column([self.drive.mass]) * (a - self.gravity)
        across = ca.dot(whole, self.arm) * self.arm - whole
        return across, _cross(self.q * self.arm, across)

    def crank(self) -> tuple[ca.SX, ca.SX]:
        """At its pivot; in space the moment about it, less that about its axis, which the drive gives."""
        drive = self.drive
        assert isinstance(drive, Crank)
        assert drive.plane is not None
        centre, mass = self.s.column([drive.centre or ZERO]) * self.arm, self.s.column([drive.mass])
        pulls = list(self.pulls())
        ground = self.held + mass * (acceleration(self.s, centre, self.z_ddot) - self.gravity)
        for _, f in pulls:
            ground -= f
        if self.held.numel() == 2:
            return -ground, ca.SX.zeros(1, 1)
        axis = ca.cross(self.s.column(drive.plane[0]), self.s.column(drive.plane[1]))
        moment = ca.cross(self.s.column([drive.radius]) * self.arm, self.held) - ca.cross(centre, mass * self.gravity)
        for at, f in pulls:
            moment -= ca.cross(at * self.arm, f)
        return -ground, ca.dot(moment, axis) * axis - moment

    def pulls(self) -> Iterator[tuple[float, ca.SX]]:
        """External forces on places of a crank's arm: how far from its pivot, and what."""
        parameters = {p.name: p for p in self.s.equations.parameters}
        for load in self.s.equations.loads:
            name, at, place = load.on.partition("@")
            if load.kind == "force" and at and name == self.drive.name:
                yield float(place), self.s.column([parameters[n] for n in load.names])


def _cross(a: ca.SX, b: ca.SX) -> ca.SX:
    return a[0] * b[1] - a[1] * b[0] if a.numel() == 2 else ca.cross(a, b)


def acceleration(s: Symbols, place: ca.SX, z_ddot: ca.SX) -> ca.SX:
    """Of places, when z moves with z̈."""
    return s.rate(s.rate(place)) + ca.mtimes(ca.jacobian(place, s.z), z_ddot)
