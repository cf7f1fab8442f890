"""The programs of geometry: each leg's drive from the output, each body from the drives, in closed form.

Every formula takes its square root of a product of lengths (Heron's form), so that it stays accurate to the edge of
reach, and returns the slack: the length by which the configuration can still be moved before the leg is stretched or
folded. A negative slack tells by how much the leg misses; the root is then taken of zero and the row is not a solution.
"""

from __future__ import annotations

import casadi as ca

from closedchain.derive.mechanics import Mechanics
from closedchain.derive.structure import Group, Leg, body_of, ends, groups, legs
from closedchain.derive.symbolic import Symbols, nearest_turn
from closedchain.describe.elements import Bar, Carried, Crank, Free, Pin, Plate, Point, Rail, Slider, Telescope
from closedchain.describe.mechanism import Mechanism
from closedchain.describe.vectors import vector
from closedchain.kernels.program import Program
from closedchain.kernels.trace import trace

Operands = dict[str, tuple[ca.SX, tuple[int, ...]]]


class Geometry:
    """The closed-form programs of one mechanism."""

    def __init__(self, symbols: Symbols, mechanism: Mechanism) -> None:
        self.s, self.mechanism, self.m = symbols, mechanism, Mechanics(mechanism)

    def programs(self) -> list[Program]:
        found = [self.inverse(found)] if (found := legs(self.mechanism)) else []
        return found + [self.group(i, g) for i, g in enumerate(groups(self.mechanism) or ())]

    def at(self, point: Point) -> ca.SX:
        return self.s.column(self.m.position(point))

    # Inverse ------------------------------------------------------------------------------------

    def inverse(self, found: tuple[Leg, ...]) -> Program:
        """(x, sigma) → q and each leg's slack."""
        sigma = ca.SX.sym("sigma", len(found))
        solved = [self.leg(leg, sigma[i]) for i, leg in enumerate(found)]
        solved = [(self.on_turn(leg, q), slack) for leg, (q, slack) in zip(found, solved, strict=True)]
        q, slack = (ca.vertcat(*column) for column in zip(*solved, strict=True))
        n = (len(found),)
        given: Operands = {
            "x": (self.s.x, self.s.x.shape[:1]),
            "sigma": (sigma, n),
            "p": (self.s.p, self.s.p.shape[:1]),
        }
        return trace("inverse", _present(given), {"q": (q, n), "slack": (slack, n)})

    def leg(self, leg: Leg, sigma: ca.SX) -> tuple[ca.SX, ca.SX]:
        """A drive's value and its leg's slack."""
        far = self.at(leg.far)
        match leg.drive:
            case Telescope():
                q = ca.norm_2(far - self.at(leg.drive.base))
                return q, q
            case Slider():
                return self.slider(leg.drive, far, self.length(leg), sigma)
            case Crank():
                return self.crank(leg.drive, far, self.length(leg), sigma)

    def on_turn(self, leg: Leg, q: ca.SX) -> ca.SX:
        """A crank's angle on the turn that is nearest to the middle of its limits, if it has any."""
        if not isinstance(leg.drive, Crank) or leg.drive.limits is None:
            return q
        low, high = (self.s.column([e]) for e in leg.drive.limits)
        return nearest_turn(q, (low + high) / 2)

    def length(self, leg: Leg) -> ca.SX | None:
        return self.s.column([leg.link.length]) if isinstance(leg.link, Bar) else None

    def slider(self, drive: Slider, far: ca.SX, length: ca.SX | None, sigma: ca.SX) -> tuple[ca.SX, ca.SX]:
        """q = s − σ √(l² − ρ²) with s along the rail and ρ off it; σ is the sign of (P − A) · along."""
        along, offset = self.s.column(drive.along), far - self.s.column(drive.at)
        s = ca.dot(offset, along)
        rho = ca.norm_2(offset - s * along)
        if length is None:  # pinned to its point
            return s, -rho
        return s - sigma * _root((length - rho) * (length + rho)), length - rho

    def crank(self, drive: Crank, far: ca.SX, length: ca.SX | None, sigma: ca.SX) -> tuple[ca.SX, ca.SX]:
        """q = α + σ β: α the direction of P seen from the pivot, β the angle between arm and that direction."""
        assert drive.plane is not None
        e1, e2 = (self.s.column(e) for e in drive.plane)
        radius, offset = self.s.column([drive.radius]), far - self.s.column(drive.about)
        u, v = ca.dot(offset, e1), ca.dot(offset, e2)
        rho = ca.sqrt(u * u + v * v)
        if length is None:
            return ca.atan2(v, u), -ca.fabs(rho - radius)
        off = ca.norm_2(offset - u * e1 - v * e2) if offset.numel() == 3 else ca.SX(0)
        reach = _root((length - off) * (length + off)) if offset.numel() == 3 else length
        slack = ca.fmin(radius + reach - rho, rho - ca.fabs(radius - reach))
        slack = ca.fmin(slack, length - off)
        sine = sigma * _heron(radius, rho, reach)  # 2 R ρ sin β
        cosine = (rho - reach) * (rho + reach) + radius * radius  # 2 R ρ cos β
        return ca.atan2(cosine * v + sine * u, cosine * u - sine * v), slack

    # Direct -------------------------------------------------------------------------------------

    def group(self, index: int, group: Group) -> Program:
        """(q, x so far, s) → the coordinates of the group's body and its slack; a triad's circles for a plate."""
        sign = ca.SX.sym("s")
        given: Operands = {"q": (self.s.q, self.s.q.shape[:1]), "x": (self.s.x, self.s.x.shape[:1])}
        parameters: Operands = {"p": (self.s.p, self.s.p.shape[:1])}
        if group.is_triad:
            circles = [self.circle(link, group) for link in group.links]
            centre, radius, local = (ca.horzcat(*column).T for column in zip(*circles, strict=True))
            outputs = {"centre": (centre, (3, 2)), "radius": (radius, (3,)), "local": (local, (3, 2))}
            return trace(f"group{index}", _present(given | parameters), outputs)
        x, slack = self.point(group, sign)
        outputs = {"x": (x, x.shape[:1]), "slack": (slack, ())}
        return trace(f"group{index}", _present({**given, "s": (sign, ()), **parameters}), outputs)

    def pose(self, signs: ca.SX) -> tuple[ca.SX, ca.SX]:
        """All of x from q and a sign per group, and the smallest slack; for robots made of points."""
        x, slack = self.s.x, ca.SX(ca.inf)
        for index, group in enumerate(groups(self.mechanism) or ()):
            found, room = (ca.substitute(e, self.s.x, x) for e in self.point(group, signs[index]))
            columns = self.columns(group)
            x = ca.vertcat(*[found[columns.index(i)] if i in columns else x[i] for i in range(x.numel())])
            slack = ca.fmin(slack, room)
        return x, slack

    def columns(self, group: Group) -> list[int]:
        """Where a group's body stands in x."""
        names = [c.name for c in self.m.body_coordinates[id(group.body)]]
        return [i for i, c in enumerate(self.m.x) if c.name in names]

    def circle(self, link: Bar | Telescope | Pin | Rail, group: Group) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Centre and radius on which a point of the body lies, and that point in the body."""
        near, own = ends(link)
        if body_of(near) is group.body:
            near, own = own, near
        radius = self.m.joint(link).symbol if isinstance(link, Telescope) else getattr(link, "length", None)
        local = own.at if isinstance(own, Carried) else vector([0] * self.mechanism.dimension)
        assert radius is not None
        return self.at(near), self.s.column([radius]), self.s.column(local)

    def point(self, group: Group, sign: ca.SX) -> tuple[ca.SX, ca.SX]:
        """A free point from circles, lines or spheres."""
        assert isinstance(group.body, Free)
        if isinstance(group.links[0], Pin):
            near, own = ends(group.links[0])
            near, own = (own, near) if body_of(near) is group.body else (near, own)
            offset = self.s.column(own.at) if isinstance(own, Carried) else 0
            return self.at(near) - offset, ca.SX(1)
        lines = [self.line(link, group) for link in group.links if isinstance(link, Rail)]
        circles = []
        for link in group.links:
            if not isinstance(link, Rail):
                centre, radius, local = self.circle(link, group)
                circles.append((centre - local, radius))
        if len(circles) == 3:
            return three_spheres(circles, sign)
        if len(circles) == 2:
            return two_circles(circles, sign)
        return circle_and_line(circles[0], lines[0], sign) if circles else two_lines(lines)

    def line(self, rail: Rail, group: Group) -> tuple[ca.SX, ca.SX]:
        """A point and the direction of the line on which the body's origin lies."""
        along = self.s.column(self.m.direction(rail))
        own, other = (rail.point, rail.through) if body_of(rail.point) is group.body else (rail.through, rail.point)
        offset = self.s.column(own.at) if isinstance(own, Carried) and not isinstance(own.by, Plate) else 0
        return self.at(other) - offset, along


def two_circles(circles: list[tuple[ca.SX, ca.SX]], sign: ca.SX) -> tuple[ca.SX, ca.SX]:
    """The intersection on the left of c1 → c2 for s = +1; there (x − c1) × (x − c2) > 0."""
    (c1, r1), (c2, r2) = circles
    d = c2 - c1
    D2 = ca.sumsqr(d)
    D = ca.sqrt(D2)
    along = (D2 + (r1 - r2) * (r1 + r2)) / (2 * D2)  # in units of d
    across = sign * _heron(r1, r2, D) / (2 * D2)
    x = c1 + along * d + across * ca.vertcat(-d[1], d[0])
    return x, ca.fmin(r1 + r2 - D, D - ca.fabs(r1 - r2))


def circle_and_line(circle: tuple[ca.SX, ca.SX], line: tuple[ca.SX, ca.SX], sign: ca.SX) -> tuple[ca.SX, ca.SX]:
    """The intersection along the line's direction from the foot of the centre for s = +1."""
    (c, r), (a, u) = circle, line
    away = c - a
    foot = a + ca.dot(away, u) * u
    off = ca.fabs(u[0] * away[1] - u[1] * away[0])
    return foot + sign * _root((r - off) * (r + off)) * u, r - off


def two_lines(lines: list[tuple[ca.SX, ca.SX]]) -> tuple[ca.SX, ca.SX]:
    """Where two lines cross; the slack is the sine of their angle."""
    (a, u), (b, v) = lines
    turn = u[0] * v[1] - u[1] * v[0]
    along = ((b[0] - a[0]) * v[1] - (b[1] - a[1]) * v[0]) / turn
    return a + along * u, ca.fabs(turn)


def three_spheres(spheres: list[tuple[ca.SX, ca.SX]], sign: ca.SX) -> tuple[ca.SX, ca.SX]:
    """The intersection on the side of (c2 − c1) × (c3 − c1) for s = +1."""
    (c1, r1), (c2, r2), (c3, r3) = spheres
    d2, d3 = c2 - c1, c3 - c1
    n = ca.cross(d2, d3)
    N2 = ca.sumsqr(n)
    w2 = (ca.sumsqr(d2) + (r1 - r2) * (r1 + r2)) / 2  # = (x − c1) · d2
    w3 = (ca.sumsqr(d3) + (r1 - r3) * (r1 + r3)) / 2
    foot = (w2 * ca.cross(d3, n) + w3 * ca.cross(n, d2)) / N2
    off = ca.norm_2(foot)
    height = _root((r1 - off) * (r1 + off))
    return c1 + foot + sign * height * n / ca.sqrt(N2), r1 - off


def _root(value: ca.SX) -> ca.SX:
    """√ of what is not negative; zero beyond, where the slack tells."""
    return ca.sqrt(ca.fmax(value, 0))


def _heron(a: ca.SX, b: ca.SX, c: ca.SX) -> ca.SX:
    """Four times the area of the triangle with these sides."""
    return _root((a + b + c) * (a + b - c) * (c + a - b) * (c - a + b))


def _present(operands: Operands) -> Operands:
    return {name: value for name, value in operands.items() if value[0].numel()}
