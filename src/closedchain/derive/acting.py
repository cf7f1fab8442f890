"""What external forces act on: points and places of bodies by their names, bodies that turn, and the power put in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from closedchain.derive.mechanics import Mechanics
from closedchain.describe.elements import Bar, Body, Crank, Element, Plate, Telescope, point_name
from closedchain.describe.equations import Coordinate, Equations, Load
from closedchain.describe.expressions import Expr, atan2, expr, gradient, total
from closedchain.describe.tables import suggest
from closedchain.describe.vectors import Vector, dot, minus, plus, times, vector
from closedchain.errors import BadInput


class Acting:
    """The places of one robot, by its points and bodies, or by the points that its equations state."""

    def __init__(self, equations: Equations, mechanics: Mechanics | None = None) -> None:
        self.equations = equations
        if mechanics is None and equations.mechanism is not None:
            mechanics = Mechanics(equations.mechanism)
        self.m = mechanics

    @property
    def z(self) -> tuple[Coordinate, ...]:
        return self.equations.z if self.m is None else (*self.m.q, *self.m.x)

    @property
    def points(self) -> Mapping[str, Vector]:
        """Every named point."""
        if self.m is None:
            return dict(self.equations.points)
        return {point_name(p): self.m.position(p) for p in self.m.mechanism.points}

    @property
    def bodies(self) -> dict[str, Element]:
        """Everything that is rigid, by name."""
        if self.m is None:
            return {}
        d = self.m.mechanism
        driven = (e for e in d.drives if isinstance(e, Crank | Telescope))
        return {b.name: b for b in (*d.bars, *driven, *d.plates, *d.solids)}

    def rate(self, e: Expr) -> Expr:
        """d/dt along the motion of z."""
        if self.m is not None:
            return self.m.rate(e)
        return dot(gradient(e, [c.name for c in self.z]), tuple(c.rate for c in self.z))

    def power(self, loads: Sequence[Load]) -> Expr:
        """What loads put in, with their components' parameters: f · Ṗ, or T times the rate of an angle."""
        parameters = {p.name: p for p in self.equations.parameters}
        return total(
            parameters[name] * self.rate(along)
            for load in loads
            for name, along in zip(load.names, self.place(load.kind, load.on), strict=True)
        )

    def place(self, kind: str, on: str) -> Vector:
        """A force's point, or the angle that a torque turns."""
        return self.point(on) if kind == "force" else (self.angle(on),)

    def point(self, on: str) -> Vector:
        """A point by its name, or a place on a body.

        That is a plate's "name@u,v", "name@u,v,w" of a body of space, a bar's or drive's "name@length".
        """
        if on in self.points:
            return self.points[on]
        name, _, text = on.partition("@")
        body = self.bodies.get(name)
        if body is None:
            known = [*self.points, *self.bodies]
            raise BadInput(f"{self.equations.name}: no point or body {name[:40]!r}; {suggest(name, known)}")
        try:
            at = [float(word) for word in text.split(",")] if text else [0.0] * len(_axes(body))
            return self._on_body(body, at)
        except ValueError:
            axes = _axes(body)
            needed = f"{name}@{','.join(axes)} {'in its frame' if len(axes) > 1 else 'from its first end'}"
            raise BadInput(f"{self.equations.name}: {on[:60]!r} is no place on {name}; write {needed} [m]") from None

    def _on_body(self, body: Element, at: Sequence[float]) -> Vector:
        """A place on a body; ValueError unless it has as many numbers as needed."""
        assert self.m is not None
        if len(at) != len(_axes(body)):
            raise ValueError
        if isinstance(body, Plate):
            return self.m.on_plate(body, vector(at))
        if isinstance(body, Body):
            return self.m.frame(body).at(vector(at))
        (s,) = at
        if isinstance(body, Bar):
            a = self.m.position(body.a)
            return plus(a, times(s / body.length, minus(self.m.position(body.b), a)))
        if isinstance(body, Telescope):
            return plus(self.m.position(body.base), times(expr(s), self.m.unit(body)))
        assert isinstance(body, Crank)
        return plus(body.about, times(expr(s), body.direction(self.m.joint(body).symbol)))

    def angle(self, on: str) -> Expr:
        """The angle of a body: a plate, a bar, a crank, a telescope; or an angle that is a coordinate."""
        body, m = self.bodies.get(on), self.m
        angles = {c.name: c.symbol for c in self.z if c.unit == "rad"}
        if isinstance(body, Plate) and m is not None:
            return m.body_coordinates[id(body)][2].symbol
        if on in angles:
            return angles[on]
        planar = m is not None and m.mechanism.dimension == 2
        if isinstance(body, Bar | Telescope) and m is not None and planar:
            a, b = (body.a, body.b) if isinstance(body, Bar) else (body.base, body.tip)
            along = minus(m.position(b), m.position(a))
            return atan2(along[1], along[0])
        turning = [n for n, b in self.bodies.items() if planar or isinstance(b, Plate | Crank)]
        raise BadInput(f"{self.equations.name}: nothing called {on[:40]!r} turns; {suggest(on, [*turning, *angles])}")


def _axes(body: Element) -> tuple[str, ...]:
    """What a place on a body is told by."""
    return ("u", "v") if isinstance(body, Plate) else ("u", "v", "w") if isinstance(body, Body) else ("length",)
