"""The loops of a robot written in its passive joints, and its legs by their unit vectors: both methods of the lab.

A leg is a bar or telescope whose direction is read out: P = T + l u(angle). The first leg that reaches a body places
it; each further leg closes a loop, h = P − T − l u = 0, in which the coordinates x do not occur. A plate's own angle is
the passive joint by which it turns on its first leg.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from closedchain.derive.mechanics import Mechanics, turned
from closedchain.describe.elements import Angle, Bar, Carried, Free, Plate, Point, Telescope
from closedchain.describe.equations import Closure, Coordinate
from closedchain.describe.expressions import ZERO, Expr, Symbol, cos, gradient, is_number, sin, symbols
from closedchain.describe.mechanism import Mechanism
from closedchain.describe.vectors import Vector, dot, minus, plus, times


@dataclass(frozen=True, eq=False)
class PassiveLeg:
    """A bar or telescope whose direction tail → tip is a passive joint."""

    angle: Angle
    link: Bar | Telescope
    length: Expr
    along: Vector  # P − T, of z
    u: Vector  # its direction, of the joints and q
    v: Vector  # u turned by a quarter


@dataclass(frozen=True, eq=False)
class PassiveLoops:
    """h(q_d, q) = 0, and the legs' unit vectors."""

    legs: tuple[PassiveLeg, ...]
    joints: tuple[Coordinate, ...]  # q_d: the legs' angles, then the plates'
    values: tuple[Expr, ...]  # of q_d, of z
    closures: tuple[Closure, ...]  # h, of q_d and q: as many as joints

    @property
    def key(self) -> tuple[str, ...]:
        """Which readout is which link's."""
        return tuple(f"{leg.angle.name}={leg.link.name}" for leg in self.legs)

    def projected(self, unit: str, names: tuple[str, ...]) -> list[list[Expr]]:
        """Rows uᵀ ∂(P − T)/∂names or vᵀ ∂(P − T)/∂names, one per leg."""
        slopes = [[gradient(e, names) for e in leg.along] for leg in self.legs]  # (legs, axes, names)
        units = [getattr(leg, unit) for leg in self.legs]
        return [
            [dot(u, tuple(axis[j] for axis in s)) for j in range(len(names))]
            for u, s in zip(units, slopes, strict=True)
        ]

    def lengthening(self, names: tuple[str, ...]) -> list[list[Expr]]:
        """∂l/∂names, one row per leg: a telescope's is 1 for its own drive."""
        return [list(gradient(leg.length, names)) for leg in self.legs]


def passive_loops(mechanism: Mechanism | None) -> PassiveLoops | None:
    """The loops of a mechanism of the plane; None where a body is reached by no leg whose angle is read out."""
    if mechanism is None or mechanism.dimension != 2:
        return None
    return LoopMechanics(mechanism).loops()


class LoopMechanics(Mechanics):
    """Positions in the joints: a body stands where its first leg puts it."""

    def __init__(self, mechanism: Mechanism) -> None:
        super().__init__(mechanism)
        self.places: dict[int, Vector] = {}  # of free points and of plates' origins
        self.plain = Mechanics(mechanism)  # the same in z

    def loops(self) -> PassiveLoops | None:
        """Every body placed, and what then remains to be closed."""
        waiting = list(self.readable)
        while leg := next((leg for leg in waiting if self._ready(*leg)), None):
            self._place(*leg)
            waiting.remove(leg)
        if not self.readable or len(self.places) < len(self.mechanism.bodies):
            return None
        plates = [b for b in self.mechanism.bodies if isinstance(b, Plate)]
        turns = [self.body_coordinates[id(plate)][2] for plate in plates]
        angles, closures = [angle for angle, _ in self.readable], tuple(self._remaining(waiting))
        left = {c.name for c in self.x} - {c.name for c in turns}
        if len(closures) != len(angles) + len(turns) or left & set(symbols(c.residual for c in closures)):
            return None  # a closure that is not between points
        return PassiveLoops(
            legs=tuple(self._leg(*leg) for leg in self.readable),
            joints=(*(Coordinate(angle.name, "rad") for angle in angles), *turns),
            values=(*(self.plain.angle(angle, ZERO) for angle in angles), *(c.symbol for c in turns)),
            closures=closures,
        )

    @cached_property
    def readable(self) -> tuple[tuple[Angle, Bar | Telescope], ...]:
        """Links whose direction is read out, each once."""
        links: list[tuple[Bar | Telescope, Point, Point]] = [(bar, bar.a, bar.b) for bar in self.mechanism.bars]
        links += [(d, d.base, d.tip) for d in self.mechanism.drives if isinstance(d, Telescope)]
        found: dict[int, tuple[Angle, Bar | Telescope]] = {}
        for angle in self.mechanism.readouts:
            for link, a, b in links:
                if {id(a), id(b)} == {id(angle.tail), id(angle.tip)}:
                    found.setdefault(id(link), (angle, link))
        return tuple(found.values())

    def _leg(self, angle: Angle, link: Bar | Telescope) -> PassiveLeg:
        along = minus(self.plain.position(angle.tip), self.plain.position(angle.tail))
        u = self._direction(angle)
        return PassiveLeg(angle, link, self._length(link), along, u, (-u[1], u[0]))

    def _direction(self, angle: Angle) -> Vector:
        """(cos, sin) of the joint, counted from the crank's arm where it is relative to one."""
        joint = Symbol(angle.name)
        if angle.relative_to is None:
            return (cos(joint), sin(joint))
        crank, q = angle.relative_to, self.joint(angle.relative_to).symbol
        if _is_plain(crank.plane):
            return (cos(q + joint), sin(q + joint))
        arm = crank.direction(q)
        return turned(joint, arm)

    def _length(self, link: Bar | Telescope) -> Expr:
        return link.length if isinstance(link, Bar) else self.joint(link).symbol

    def _ready(self, angle: Angle, link: Bar | Telescope) -> bool:
        """Whether one end is known, so that the leg places the body at the other."""
        return self._is_known(angle.tail) != self._is_known(angle.tip)

    def _is_known(self, point: Point) -> bool:
        body = point.by if isinstance(point, Carried) else point
        return not isinstance(body, Free | Plate) or id(body) in self.places

    def _place(self, angle: Angle, link: Bar | Telescope) -> None:
        arrow = times(self._length(link), self._direction(angle))
        if self._is_known(angle.tail):
            point, at = angle.tip, plus(self.position(angle.tail), arrow)
        else:
            point, at = angle.tail, minus(self.position(angle.tip), arrow)
        if isinstance(point, Carried):
            turn = self.body_coordinates[id(point.by)][2].symbol if isinstance(point.by, Plate) else None
            self.places[id(point.by)] = minus(at, point.at if turn is None else turned(turn, point.at))
        else:
            self.places[id(point)] = at

    def _position(self, point: Point) -> Vector:
        return self.places[id(point)] if isinstance(point, Free) else super()._position(point)

    def on_plate(self, plate: Plate, local: Vector) -> Vector:
        """Where a plate's point is, the plate standing on its first leg."""
        return plus(self.places[id(plate)], turned(self.body_coordinates[id(plate)][2].symbol, local))

    def _remaining(self, legs: list[tuple[Angle, Bar | Telescope]]) -> Iterator[Closure]:
        """P − T − l u of the legs that place nothing, and the closures that have no angle."""
        for angle, link in legs:
            arrow = times(self._length(link), self._direction(angle))
            gap = minus(minus(self.position(angle.tip), self.position(angle.tail)), arrow)
            yield from (Closure(f"{link.name}.{axis}", e) for axis, e in zip("xy", gap, strict=True))
        told = {link.name for _, link in self.readable}
        yield from (closure for closure in self.closures() if closure.name not in told)


def _is_plain(plane: tuple[Vector, Vector] | None) -> bool:
    """Whether a crank turns from the x axis to the y axis."""
    components = [e for axis in plane or () for e in axis]
    return len(components) == 4 and all(map(is_number, components, (1.0, 0.0, 0.0, 1.0)))
