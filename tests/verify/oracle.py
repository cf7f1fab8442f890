"""Forward dynamics with 50 digits, written out from a mechanism's elements: nothing of the package but its description.

Velocities are differences of positions, and Euler–Lagrange's terms are differences of T and V, over steps of 1e-15 in
50-digit arithmetic: right to about 25 digits.
"""

from mpmath import mp, mpf

from closedchain.describe import Carried, Crank, Fixed, Free, Plate, Slider, Telescope

mp.dps = 50
H = mpf(10) ** -15


class Exact:
    """A mechanism's positions, closures and energies as functions of z, in 50 digits."""

    def __init__(self, model):
        self.model, self.m = model, model.mechanism
        self.at = {}  # owner of coordinates → its first index in z
        index = 0
        for owner in (*self.m.drives, *self.m.bodies):
            self.at[owner] = index
            index += 3 if isinstance(owner, Plate) else owner.dimension if isinstance(owner, Free) else 1
        self.n = index

    def number(self, e):
        """The value of an expression of the parameters."""
        return mpf(self.model.number(e))

    def vector(self, es):
        """The values of several."""
        return [self.number(e) for e in es]

    def position(self, p, z):
        """Where a point is."""
        i = self.at.get(p)
        if isinstance(p, Fixed):
            return self.vector(p.at)
        if isinstance(p, Slider):
            return add(self.vector(p.at), self.vector(p.along), z[i])
        if isinstance(p, Crank):
            e1, e2 = map(self.vector, p.plane)
            r = self.number(p.radius)
            arm = [mp.cos(z[i]) * a + mp.sin(z[i]) * b for a, b in zip(e1, e2, strict=True)]
            return add(self.vector(p.about), arm, r)
        if isinstance(p, Free):
            return list(z[i : i + p.dimension])
        assert isinstance(p, Carried)
        return self.on(p.by, self.vector(p.at), z)

    def on(self, body, local, z):
        """Where a point of a body is."""
        i = self.at[body]
        if isinstance(body, Free):
            return add(z[i : i + body.dimension], local)
        c, s = mp.cos(z[i + 2]), mp.sin(z[i + 2])
        return [z[i] + c * local[0] - s * local[1], z[i + 1] + s * local[0] + c * local[1]]

    def between(self, a, b, z):
        """From one point to another."""
        return add(self.position(b, z), self.position(a, z), -1)

    def closures(self, z):
        """φ, in the order of the package."""
        rows = [square(self.between(b.a, b.b, z)) - self.number(b.length) ** 2 for b in self.m.bars]
        legs = [d for d in self.m.drives if isinstance(d, Telescope)]
        rows += [square(self.between(d.base, d.tip, z)) - z[self.at[d]] ** 2 for d in legs]
        for pin in self.m.pins:
            rows += self.between(pin.a, pin.b, z)
        for rail in self.m.rails:
            u, through = self.vector(rail.along), rail.through
            if isinstance(through, Carried) and isinstance(through.by, Plate):
                phi = z[self.at[through.by] + 2]
                u = [mp.cos(phi) * u[0] - mp.sin(phi) * u[1], mp.sin(phi) * u[0] + mp.cos(phi) * u[1]]
            d = self.between(through, rail.point, z)
            rows.append(u[0] * d[1] - u[1] * d[0])
        return rows

    def centres(self, z):
        """Every mass with its centre; turning bodies with their inertia and what |d/dt| is their rate."""
        number = self.number
        for d in self.m.drives:
            q = z[self.at[d]]
            if isinstance(d, Telescope):
                u = [e / q for e in self.between(d.base, d.tip, z)]
                base, tip = self.position(d.base, z), self.position(d.tip, z)
                yield number(d.base_mass), add(base, u, number(d.base_centre)), 0, None
                yield number(d.tip_mass), add(tip, u, -number(d.tip_centre)), 0, None
                yield 0, base, number(d.base_inertia) + number(d.tip_inertia), u
            elif isinstance(d, Slider):
                yield number(d.mass), self.position(d, z), 0, None
            else:
                about, end = self.vector(d.about), self.position(d, z)
                share = number(d.centre) / number(d.radius)
                yield number(d.mass), add(about, add(end, about, -1), share), number(d.inertia), [q]
        for b in self.m.bars:
            a, e, share = self.position(b.a, z), self.position(b.b, z), number(b.centre) / number(b.length)
            along = add(e, a, -1)
            yield number(b.mass), add(a, along, share), number(b.inertia), [q / number(b.length) for q in along]
        for body in self.m.bodies:
            if isinstance(body, Free):
                yield number(body.mass), self.position(body, z), 0, None
            else:
                centre = self.on(body, self.vector(body.centre), z)
                yield number(body.mass), centre, number(body.inertia), [z[self.at[body] + 2]]

    def kinetic(self, z, v):
        """T, with velocities by differences of positions."""
        ahead, behind = add(z, v, H), add(z, v, -H)
        total = mpf(0)
        for (m, r1, inertia, u1), (_, r0, _, u0) in zip(self.centres(ahead), self.centres(behind), strict=True):
            total += m * square(add(r1, r0, -1)) / (2 * H) ** 2 / 2
            if u1 is not None:
                total += inertia * square(add(u1, u0, -1)) / (2 * H) ** 2 / 2
        for motor in self.m.motors:
            i = next(self.at[d] for d in self.m.drives if d.name == motor.drive)
            total += self.number(motor.inertia) * (self.number(motor.ratio) * v[i]) ** 2 / 2
        return total

    def potential(self, z):
        """V of weights and springs."""
        g = self.vector(self.m.gravity or [])
        weights = (m * sum(a * b for a, b in zip(g, r, strict=True)) for m, r, _, _ in self.centres(z)) if g else ()
        total = -sum(weights, mpf(0))
        for s in self.m.springs:
            stretch = self.extent(s.between, z) - self.number(s.rest)
            if hasattr(s.between, "tail"):  # an angle's is within ±π
                stretch = mp.atan2(mp.sin(stretch), mp.cos(stretch))
            total += self.number(s.stiffness) * stretch**2 / 2
        return total

    def extent(self, what, z):
        """The length or angle that a spring or damper acts on."""
        if isinstance(what, tuple):
            return mp.sqrt(square(self.between(*what, z)))
        if hasattr(what, "tail"):
            d = self.between(what.tail, what.tip, z)
            return mp.atan2(d[1], d[0])
        return z[self.at[what]]

    def accelerations(self, z, v, tau):
        """z̈ by M z̈ − Φᵀλ = Sᵀτ − h, Φ z̈ = −φ̈ of the velocities."""
        z, v = [mpf(float(e)) for e in z], [mpf(float(e)) for e in v]
        n, unit = self.n, [[mpf(i == j) for j in range(self.n)] for i in range(self.n)]
        T = [self.kinetic(z, e) for e in unit]
        M = mp.matrix(n, n)
        for i in range(n):
            M[i, i] = 2 * T[i]
            for j in range(i):
                M[i, j] = M[j, i] = self.kinetic(z, add(unit[i], unit[j])) - T[i] - T[j]
        force = [mpf(0)] * n
        for k, i in enumerate(self.model.driven):
            force[i] += mpf(float(tau[k]))
        for i, e in enumerate(unit):
            up, down = add(z, e, H), add(z, e, -H)
            slope = (self.kinetic(up, v) - self.kinetic(down, v) - self.potential(up) + self.potential(down)) / (2 * H)
            ahead, behind = add(z, v, H), add(z, v, -H)
            momentum = (self.momentum(ahead, v, e) - self.momentum(behind, v, e)) / (2 * H)
            force[i] += slope - momentum - self.friction(z, v, e)
        here, up, down = (self.closures(add(z, v, s * H)) for s in (0, 1, -1))
        drift = [(a - 2 * b + c) / H**2 for a, b, c in zip(up, here, down, strict=True)]
        m = len(here)
        K, right = mp.matrix(n + m, n + m), mp.matrix(n + m, 1)
        for j, e in enumerate(unit):
            column = add(self.closures(add(z, e, H)), self.closures(add(z, e, -H)), -1)
            for i in range(m):
                K[n + i, j], K[j, n + i] = column[i] / (2 * H), -column[i] / (2 * H)
        for i in range(n):
            right[i] = force[i]
            for j in range(n):
                K[i, j] = M[i, j]
        for i in range(m):
            right[n + i] = -drift[i]
        return [float(e) for e in mp.lu_solve(K, right)[:n]]

    def momentum(self, z, v, e):
        """∂T/∂ż along e; T is quadratic in the rates."""
        return (self.kinetic(z, add(v, e)) - self.kinetic(z, add(v, e, -1))) / 2

    def friction(self, z, v, e):
        """∂D/∂ż along e."""
        total = mpf(0)
        for d in self.m.dampers:
            along = [
                (self.extent(d.between, add(z, w, H)) - self.extent(d.between, add(z, w, -H))) / (2 * H) for w in (v, e)
            ]
            total += self.number(d.damping) * along[0] * along[1]
        return total


def square(v):
    """|v|²."""
    return sum((e * e for e in v), mpf(0))


def add(a, b, share=1):
    """a + share b."""
    return [p + share * q for p, q in zip(a, b, strict=True)]
