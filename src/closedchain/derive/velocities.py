"""The equations of motion in velocities w: rates of z, but for bodies that turn in space their angular velocities.

Roll, pitch and yaw make long equations, and none at a pitch of ±90°. Written in y = (z, axes a₁, a₂, a₃ of such bodies,
points P on bodies of space) closures and energies are short polynomials. In w the angular velocities ω, along the axes
of what carries the body, stand in the place of the rates of roll, pitch and yaw. Let Ω be the same along the body's own
axes, and u the velocities of the points:

    w = S ż        Ωⱼ = aⱼ · ω        u = G w        ȧⱼ = ω × aⱼ        ẏ = W(y) v,   v = (w, Ω, u)

With v as if it were free, the closures and the energies give

    Φᵥ = ∂φ/∂y W,     π = ∂T/∂v,   Mᵥ = ∂π/∂v,     hᵥ = ∂π/∂y W v + Ω × π_Ω − Wᵀ ∂(T − V)/∂y + ∂D/∂v − Q

which are Lagrange's equations for the rates and Euler's for Ω (Euler and Poincaré's, where T depends on where the body
is turned to). As v = N w, and v̇ = N ẇ + Ṅ w, what is left in w is

    Φ = Φᵥ N        M = Nᵀ Mᵥ N        h = Nᵀ (hᵥ + Mᵥ Ṅ w)        M ẇ + h = Sᵀτ + Φᵀλ

Without bodies of space w = ż, and this is what `Symbols` has.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from closedchain.derive.linear import solve
from closedchain.derive.mechanics import Mechanics, axis_names, place_names, spin_names, velocity_names
from closedchain.derive.symbolic import CASADI, Symbols
from closedchain.describe.elements import Ball, Body, Carried
from closedchain.describe.expressions import Expr, evaluate_all


class Velocities:
    """M, h, Φ and (Φ w)˙ as expressions of z and w."""

    def __init__(self, s: Symbols) -> None:
        self.s, self.n = s, s.z.shape[0]
        mechanism = s.equations.mechanism
        self.solid = mechanism is not None and bool(mechanism.solids)
        self.bodies: dict[Body, tuple[str, ...]] = mechanism.orientations if mechanism else {}
        self.points = [p for p in mechanism.points if isinstance(p, Carried) and _turning(p.by)] if mechanism else []
        self.w = ca.SX.sym("w", self.n) if self.solid else s.z_dot
        self.axes, self.P = ca.SX.sym("axes", 9 * len(self.bodies)), ca.SX.sym("P", 3 * len(self.points))
        self.spins, self.u = ca.SX.sym("spin", 3 * len(self.bodies)), ca.SX.sym("u", self.P.shape[0])
        self.y, self.v = ca.vertcat(s.z, self.axes, self.P), ca.vertcat(self.w, self.spins, self.u)

    @cached_property
    def mechanics(self) -> Mechanics:
        assert self.s.equations.mechanism is not None
        return Mechanics(self.s.equations.mechanism)

    # What stands for what -----------------------------------------------------------------------

    @cached_property
    def columns(self) -> dict[Body, list[int]]:
        """The places of each body's roll, pitch and yaw in z, and of its angular velocity in w."""
        names = [c.name for c in self.s.equations.z]
        return {body: [names.index(name) for name in turns] for body, turns in self.bodies.items()}

    @cached_property
    def names(self) -> dict[str, ca.SX]:
        """The values of names: z, w and, as symbols of their own, axes and spins."""
        rates = self.rates(self.w)
        found = dict(self.s.names) | {c.rate.name: rates[i] for i, c in enumerate(self.s.equations.z)}
        for k, body in enumerate(self.bodies):
            found |= {name: self.axes[9 * k + i] for i, name in enumerate(axis_names(body))}
            found |= {name: self.spins[3 * k + i] for i, name in enumerate(spin_names(body))}
        return found

    @cached_property
    def all_names(self) -> dict[str, ca.SX]:
        """The same with points and their velocities as symbols of their own, too."""
        found = dict(self.names)
        for k, point in enumerate(self.points):
            found |= {name: self.P[3 * k + i] for i, name in enumerate(place_names(point))}
            found |= {name: self.u[3 * k + i] for i, name in enumerate(velocity_names(point))}
        return found

    def column(self, exprs: list[Expr]) -> ca.SX:
        """Expressions of y and v."""
        return _column(evaluate_all(exprs, self.all_names, CASADI))

    @cached_property
    def S(self) -> ca.SX:
        """w = S ż: the identity but for the places of roll, pitch and yaw."""
        S = ca.SX.eye(self.n)
        for body, at in self.columns.items():
            own = ca.jacobian(self.s.column(self.mechanics.turned_spin(body)), self.s.z_dot[at])
            S[at, at] = ca.mtimes(self.turned(body), own)
        return S

    def turned(self, body: Body) -> ca.SX:
        """R of roll, pitch and yaw."""
        return ca.horzcat(*[self.s.column(axis) for axis in self.mechanics.turned_axes(body)])

    def rates(self, w: ca.SX) -> ca.SX:
        """ż of w."""
        z_dot = ca.SX(w)
        for at in self.columns.values():
            z_dot[at] = solve(self.S[at, at], w[at])
        return z_dot

    def rates_of(self, J: ca.SX, first: int) -> ca.SX:
        """ẋ = J q̇ of the output's part of w; x begins at the `first` coordinate of z."""
        J = ca.SX(J)
        for at in self.columns.values():
            rows = [i - first for i in at]
            J[rows, :] = solve(self.S[at, at], J[rows, :])
        return J

    def spun(self, z_dot: ca.SX) -> ca.SX:
        """w of ż."""
        return ca.mtimes(self.S, z_dot) if self.bodies else z_dot

    @cached_property
    def turning(self) -> ca.SX:
        """Ṡ ż: the part of ẇ that the rates ż make."""
        return ca.densify(ca.mtimes(self.s.rate(self.S), self.s.z_dot)) if self.bodies else ca.SX.zeros(self.n)

    @cached_property
    def w_dot_symbol(self) -> ca.SX:
        """A symbol for ẇ."""
        return ca.SX.sym("w_dot", self.n)

    def second_rates(self, w_dot: ca.SX) -> ca.SX:
        """z̈ of ẇ."""
        return self.rates(w_dot - self.turning) if self.bodies else w_dot

    def at(self, e: ca.SX, w: ca.SX) -> ca.SX:
        """An expression of z and w, at other velocities."""
        return ca.substitute(e, self.w, ca.densify(w))

    def told(self, e: ca.SX) -> ca.SX:
        """An expression of y and v as one of z and w."""
        if not self.solid:
            return e
        e = ca.substitute(e, self.u, self.of_points)
        e = ca.substitute(e, self.P, self.places)
        e = ca.substitute(e, self.spins, self.own_spins)
        return ca.substitute(e, self.axes, _column([ca.vec(self.turned(body)) for body in self.bodies]))

    @cached_property
    def own_spins(self) -> ca.SX:
        """Ω of ω."""
        frames = [ca.reshape(self.axes[9 * k : 9 * k + 9], 3, 3) for k in range(len(self.bodies))]
        return _column([ca.mtimes(R.T, self.w[at]) for R, at in zip(frames, self.columns.values(), strict=True)])

    @cached_property
    def places(self) -> ca.SX:
        """P as expressions of z and axes."""
        found = [e for point in self.points for e in self.mechanics.position(point)]
        return _column(evaluate_all(found, self.names, CASADI))

    # Equations, in y and v ----------------------------------------------------------------------

    @cached_property
    def W(self) -> ca.SX:
        """ẏ = W v; what depends on roll, pitch or yaw themselves, as a coupling may, and not on axes, is told, too."""
        n, first, after = self.n, self.n + self.axes.shape[0], self.n + self.spins.shape[0]
        W = ca.SX(self.y.shape[0], self.v.shape[0])
        turning = {i for at in self.columns.values() for i in at}
        for i in range(n):
            if i not in turning:
                W[i, i] = 1
        for i in range(self.u.shape[0]):
            W[first + i, after + i] = 1
        for k, at in enumerate(self.columns.values()):
            W[at, at] = solve(self.S[at, at], ca.SX.eye(3))
            for j in range(3):
                axis = slice(9 * k + 3 * j, 9 * k + 3 * j + 3)
                W[n + axis.start : n + axis.stop, at] = -ca.skew(self.axes[axis])
        return ca.sparsify(W)

    def slope(self, e: ca.SX) -> ca.SX:
        """∂e/∂y W."""
        return ca.mtimes(ca.jacobian(e, self.y), self.W)

    def rate(self, e: ca.SX) -> ca.SX:
        """ė at v held."""
        return ca.jtimes(e, self.y, ca.mtimes(self.W, self.v)) if e.numel() else e

    @cached_property
    def N(self) -> ca.SX:
        """v = N w."""
        return ca.sparsify(ca.jacobian(ca.vertcat(self.w, self.own_spins, self.of_points), self.w))

    @cached_property
    def of_points(self) -> ca.SX:
        """u as an expression of y and w: that of the body's origin, if it is free, and ω × (P − origin)."""
        found = []
        for k, point in enumerate(self.points):
            body = point.by
            assert isinstance(body, Body)
            place, at = self.P[3 * k : 3 * k + 3], self.columns[body]
            if body.joint is None:
                origin = [i - 3 for i in at]  # x, y, z stand before roll, pitch, yaw
                found.append(self.w[origin] + ca.cross(self.w[at], place - self.s.z[origin]))
            else:
                found.append(ca.cross(self.w[at], place - self.s.column(body.joint.at)))
        return _column(found)

    @cached_property
    def swung(self) -> ca.SX:
        """Ṅ w: the part of v̇ that velocities make; Ω̇ = Rᵀ ω̇ has none."""
        return ca.vertcat(ca.SX(self.n + self.spins.shape[0], 1), ca.densify(self.rate(self.of_points)))

    @cached_property
    def slopes(self) -> ca.SX:
        """Φᵥ."""
        return self.slope(self.column([c.residual for c in self.s.equations.closures]))

    @cached_property
    def energy(self) -> ca.SX:
        """T."""
        return self.column([self.s.kinetic_energy])

    @cached_property
    def inertia(self) -> ca.SX:
        """Mᵥ."""
        return ca.jacobian(ca.gradient(self.energy, self.v), self.v)

    # Equations, in z and w ----------------------------------------------------------------------

    @cached_property
    def Phi(self) -> ca.SX:
        return ca.sparsify(self.told(ca.mtimes(self.slopes, self.N)))

    @cached_property
    def drift(self) -> ca.SX:
        """(Φ w)˙ at w held: the part of φ̈ that velocities make."""
        slip = ca.densify(ca.mtimes(self.slopes, self.v))
        return self.told(ca.densify(self.rate(slip) + ca.mtimes(self.slopes, self.swung)))

    @cached_property
    def mass(self) -> ca.SX:
        """M; its upper half is the lower one's."""
        if not self.solid:
            return self.s.mass()
        whole = ca.mtimes(self.N.T, ca.mtimes(self.inertia, self.N))
        return self.told(ca.tril2symm(ca.tril(whole)))

    @cached_property
    def bias(self) -> ca.SX:
        """h."""
        if not self.solid:
            return self.s.bias()
        e, momentum = self.s.equations, ca.gradient(self.energy, self.v)
        potential, applied = (self.column([term]) for term in (e.potential, e.applied))
        h = self.rate(momentum) - self.slope(self.energy - potential).T + ca.mtimes(self.inertia, self.swung)
        h += self.s.resisting(self.column, self.v) - ca.gradient(applied, self.v)
        for k in range(len(self.bodies)):
            own = slice(self.n + 3 * k, self.n + 3 * k + 3)
            h[own] += ca.cross(self.v[own], momentum[own])
        return self.told(ca.densify(ca.mtimes(self.N.T, h)))


def _turning(body: object) -> bool:
    """Whether a body turns in every way, free or on a ball that stands still."""
    if not isinstance(body, Body):
        return False
    return body.joint is None or (isinstance(body.joint, Ball) and body.joint.by is None)


def _column(values: list[ca.SX]) -> ca.SX:
    return ca.densify(ca.vertcat(*values)) if values else ca.SX(0, 1)
