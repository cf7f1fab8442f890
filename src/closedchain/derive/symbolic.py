"""Expressions in CasADi: exact derivatives of closures and energies."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import casadi as ca

from closedchain.describe.elements import Carried, Crank
from closedchain.describe.equations import Equations
from closedchain.describe.expressions import FUNCTIONS, Arithmetic, Expr, evaluate_all, is_number, multiply, total

CASADI: Arithmetic = {name: ca.fabs if name == "abs" else getattr(ca, name) for name in FUNCTIONS}


def nearest_turn(angle: ca.SX, middle: ca.SX) -> ca.SX:
    """An angle less the whole turns that take it nearest to another."""
    return angle - 2 * ca.pi * ca.floor((angle - middle) / (2 * ca.pi) + 0.5)


class Symbols:
    """The coordinates, rates and parameters of one set of equations as CasADi symbols, and what follows from them."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self.q = ca.SX.sym("q", len(equations.q))
        self.x = ca.SX.sym("x", len(equations.x))
        self.q_dot = ca.SX.sym("q_dot", len(equations.q))
        self.x_dot = ca.SX.sym("x_dot", len(equations.x))
        self.p = ca.SX.sym("p", len(equations.parameters))
        self.z, self.z_dot = ca.vertcat(self.q, self.x), ca.vertcat(self.q_dot, self.x_dot)
        names = {c.name: self.z[i] for i, c in enumerate(equations.z)}
        names |= {c.rate.name: self.z_dot[i] for i, c in enumerate(equations.z)}
        names |= {parameter.name: self.p[i] for i, parameter in enumerate(equations.parameters)}
        self.names = names

    def column(self, exprs: Iterable[Expr]) -> ca.SX:
        """Expressions as a column of CasADi expressions."""
        values = evaluate_all(exprs, self.names, CASADI)
        return ca.vertcat(*values) if values else ca.SX(0, 1)

    # Sizes --------------------------------------------------------------------------------------

    @property
    def levers(self) -> list[ca.SX]:
        """How far [m] each coordinate of z moves points: 1 for a length; a crank's radius, how far a plate reaches."""
        mechanism = self.equations.mechanism
        if mechanism is None:
            return [ca.SX(1)] * len(self.equations.z)
        found = [self.column([d.radius]) if isinstance(d, Crank) else ca.SX(1) for d in mechanism.drives]
        for body in mechanism.bodies:
            units = [unit for _, unit in mechanism.own_coordinates(body)]
            own = [p.at for p in mechanism.points if isinstance(p, Carried) and p.by is body]
            reach = ca.sumsqr(self.column(e for at in own for e in at)) if own else ca.SX(0)
            arm = ca.SX(1) if reach.is_zero() else ca.sqrt(reach)
            found += [arm if unit == "rad" else ca.SX(1) for unit in units]
        return found

    @property
    def slopes(self) -> list[ca.SX]:
        """How steep each closure is along one of its points: 2 l for a bar's |P − A|² − l², 1 for a length itself."""
        lengths = [c.length for c in self.equations.closures]
        return [ca.SX(1) if is_number(e, 0.0) else 2 * self.column([e]) for e in lengths]

    # Closures -----------------------------------------------------------------------------------

    @property
    def phi(self) -> ca.SX:
        return self.column(c.residual for c in self.equations.closures)

    @property
    def gap(self) -> ca.SX:
        """The closures' residuals in metres: |P − A| − l for a bar, φ itself for a linear closure."""
        rows = []
        for closure in self.equations.closures:
            phi, length = self.column([closure.residual]), self.column([closure.length])
            reach = ca.sqrt(ca.fmax(phi + length**2, 0))
            if is_number(closure.length, 0.0):
                rows.append(phi)
            elif ca.depends_on(length, self.q):
                rows.append(reach - length)  # a telescope may be as short as nothing
            else:
                rows.append(phi / (reach + length))
        return ca.vertcat(*rows)

    @property
    def joints(self) -> tuple[ca.SX, ca.SX]:
        """The joints that have limits, and the room of each within them [m, rad]; negative beyond.

        An angle counts by where it points: its turn that is nearest to the middle of its limits.
        """
        values, rooms = [], []
        for limit in self.equations.limits:
            value, low, high = (self.column([e]) for e in (limit.value, limit.low, limit.high))
            middle, half = (low + high) / 2, (high - low) / 2
            value = nearest_turn(value, middle) if limit.unit == "rad" else value
            values.append(value)
            rooms.append(half - ca.fabs(value - middle))
        return (ca.vertcat(*values), ca.vertcat(*rooms)) if values else (ca.SX(0, 1), ca.SX(0, 1))

    @property
    def room(self) -> ca.SX:
        """The least room of a joint within its limits as a length [m]; infinite without limits."""
        least = ca.SX(ca.inf)
        for i, limit in enumerate(self.equations.limits):
            least = ca.fmin(least, self.joints[1][i] * self.column([limit.lever]))
        return least

    def rate(self, e: ca.SX) -> ca.SX:
        """d/dt of expressions of z, of any shape."""
        if e.numel() == 0:
            return e
        return ca.reshape(ca.jtimes(ca.vec(ca.densify(e)), self.z, self.z_dot), *e.shape)

    # Mechanics ----------------------------------------------------------------------------------

    @property
    def kinetic_energy(self) -> Expr:
        """T with the motors' rotors."""
        rates = {c.name: c.rate for c in self.equations.q}
        rotors = (multiply(m.inertia, (m.ratio * rates[m.drive]) ** 2) / 2 for m in self.equations.motors)
        return total([self.equations.kinetic, *rotors])

    @property
    def kinetic(self) -> ca.SX:
        return self.column([self.kinetic_energy])

    @property
    def potential(self) -> ca.SX:
        return self.column([self.equations.potential])

    @property
    def friction(self) -> ca.SX:
        """∂D/∂ż and dry friction, force ∂rate/∂ż."""
        return self.resisting(self.column, self.z_dot)

    def resisting(self, column: Callable[[list[Expr]], ca.SX], v: ca.SX) -> ca.SX:
        """The same by any velocities v that `column` writes rates in."""
        e = self.equations
        whole = ca.gradient(column([e.dissipation]), v)
        if not e.resistances:
            return whole
        rates, forces = column([r.rate for r in e.resistances]), column([r.force for r in e.resistances])
        return whole + ca.mtimes(ca.jacobian(rates, v).T, forces)

    @property
    def applied(self) -> ca.SX:
        """Q_z, the generalised force of external forces and torques: ∂(their power)/∂ż."""
        return ca.gradient(self.column([self.equations.applied]), self.z_dot)

    @property
    def lost(self) -> ca.SX:
        """The power that dampers and friction take less what external forces put in [W]."""
        return ca.dot(self.friction - self.applied, self.z_dot)

    @property
    def gravity(self) -> ca.SX:
        """∂V/∂z: weights and springs."""
        return ca.gradient(self.potential, self.z)

    def mass(self) -> ca.SX:
        """M_z = ∂²T/∂ż²."""
        return ca.jacobian(ca.gradient(self.kinetic, self.z_dot), self.z_dot)

    def bias(self) -> ca.SX:
        """h_z = Ṁ ż − ∂T/∂z + ∂V/∂z + ∂D/∂ż + dry friction − Q_z."""
        momentum = ca.gradient(self.kinetic, self.z_dot)
        inertial = ca.jtimes(momentum, self.z, self.z_dot) - ca.gradient(self.kinetic, self.z)
        return ca.densify(inertial + self.gravity + self.friction - self.applied)

    def selection(self) -> ca.SX:
        """Sᵀ: efforts → generalised forces, one column per driven coordinate."""
        names = [c.name for c in self.equations.z]
        matrix = ca.SX(len(names), len(self.equations.driven))
        for j, name in enumerate(self.equations.driven):
            matrix[names.index(name), j] = 1
        return matrix
