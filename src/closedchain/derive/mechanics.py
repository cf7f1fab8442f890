"""A mechanism becomes equations: where its points are, what closes its loops, what energy it has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from closedchain.derive.frames import (
    GROUND,
    RESTING,
    UPRIGHT,
    Axes,
    Frame,
    Twist,
    moved,
    placed,
    rolled,
    rolling,
    spin_energy,
)
from closedchain.describe.elements import (
    Angle,
    Ball,
    Bar,
    Body,
    Carried,
    Coupling,
    Crank,
    Direction,
    Drive,
    Fixed,
    Free,
    Joint,
    OnMeasure,
    Plane,
    Plate,
    Point,
    Rail,
    Slide,
    Slider,
    Spring,
    Stop,
    Telescope,
    Turn,
    point_name,
)
from closedchain.describe.equations import Barrier, Closure, Coordinate, Equations, Limit, Readout, Resistance
from closedchain.describe.expressions import (
    ONE,
    ZERO,
    Expr,
    Named,
    apply,
    atan2,
    cos,
    gradient,
    is_number,
    sin,
    sqrt,
    total,
)
from closedchain.describe.mechanism import Mechanism
from closedchain.describe.vectors import Vector, cross, dot, minus, outer, plus, square, times


class Mechanics:
    """The expressions of one mechanism's positions and velocities.

    The axes and the spin of a body that turns in every way have names: whoever gives these names values of their own
    reads closures as polynomials in the axes, and energies as those of angular velocities.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._positions: dict[int, Vector] = {}
        self._velocities: dict[int, Vector] = {}
        self._frames: dict[int, Frame] = {}
        self._twists: dict[int, Twist] = {}
        self._axes: dict[int, Axes] = {}

    @cached_property
    def q(self) -> tuple[Coordinate, ...]:
        turning = self.mechanism.turning
        return tuple(Coordinate(d.name, "rad" if d.name in turning else "m") for d in self.mechanism.drives)

    @cached_property
    def body_coordinates(self) -> dict[int, tuple[Coordinate, ...]]:
        """The coordinates of each free point, plate and body; the output's have the plain names."""
        own = self.mechanism.own_coordinates
        return {id(b): tuple(Coordinate(name, unit) for name, unit in own(b)) for b in self.mechanism.bodies}

    @property
    def x(self) -> tuple[Coordinate, ...]:
        return tuple(c for body in self.mechanism.bodies for c in self.body_coordinates[id(body)])

    def joint(self, drive: Drive) -> Coordinate:
        """The coordinate of a drive, or of a joint that nothing drives."""
        if drive in self.mechanism.drives:
            return self.q[self.mechanism.drives.index(drive)]
        return next(z for joint, z in self.acting_joints() if joint is drive)

    def position(self, point: Point) -> Vector:
        if id(point) not in self._positions:
            self._positions[id(point)] = self._position(point)
        return self._positions[id(point)]

    def _position(self, point: Point) -> Vector:
        match point:
            case Fixed():
                return point.at
            case Slider() | Crank():
                return point.position(self.joint(point).symbol)
            case Free():
                return tuple(c.symbol for c in self.body_coordinates[id(point)])
            case Carried():
                by = point.by
                if isinstance(by, Bar):
                    return self.on_bar(by, point.at)
                if isinstance(by, Body):
                    return named(place_names(point), self.frame(by).at(point.at))
                return self.on_plate(by, point.at) if isinstance(by, Plate) else plus(self.position(by), point.at)

    # Bodies of space ----------------------------------------------------------------------------

    def frame(self, body: Body | None) -> Frame:
        """Where a body is; the ground's frame for none."""
        if body is None:
            return GROUND
        if id(body) not in self._frames:
            joint = body.joint
            if joint is None:
                place = tuple(c.symbol for c in self.body_coordinates[id(body)][:3])
                self._frames[id(body)] = Frame(place, self.turned_axes(body))
            else:
                ball = self.turned_axes(body) if isinstance(joint, Ball) else UPRIGHT
                z = tuple(c.symbol for c in self.joint_coordinates(body, joint))
                self._frames[id(body)] = placed(joint, self.frame(joint.by), z, ball)
        return self._frames[id(body)]

    def turned_axes(self, body: Body) -> Axes:
        """The axes of a body that turns in every way, on the ground or on what carries its ball."""
        if id(body) not in self._axes:
            plain = rolled(*(c.symbol for c in self.body_coordinates[id(body)][-3:]))
            names = axis_names(body)
            x, y, z = (named(names[3 * k : 3 * k + 3], axis) for k, axis in enumerate(plain))
            self._axes[id(body)] = x, y, z
        return self._axes[id(body)]

    def turned_spin(self, body: Body) -> Vector:
        """The angular velocity of such a body against what carries it, along its axes above."""
        roll, pitch, yaw = self.body_coordinates[id(body)][-3:]
        plain = rolling(roll.symbol, pitch.symbol, (roll.rate, pitch.rate, yaw.rate))
        return named(spin_names(body), plain)

    @cached_property
    def named_rates(self) -> dict[str, Expr]:
        """How what has a name moves: axes of these bodies, ȧⱼ = R (ω × eⱼ), and points on bodies of space."""
        found: dict[str, Expr] = {}
        for body in self.mechanism.orientations:
            (x, y, z), (a, b, c) = self.turned_axes(body), self.turned_spin(body)
            rates = (minus(times(c, y), times(b, z)), minus(times(a, z), times(c, x)), minus(times(b, x), times(a, y)))
            found |= dict(zip(axis_names(body), (e for rate in rates for e in rate), strict=True))
        for point in self.mechanism.points:
            if isinstance(point, Carried) and isinstance(point.by, Body):
                found |= dict(zip(place_names(point), self.velocity(point), strict=True))
        return found

    def joint_coordinates(self, body: Body, joint: Joint) -> tuple[Coordinate, ...]:
        """Those of the joint that a body stands on: the drive's where it is one, else the body's own."""
        driven = [c for c, drive in zip(self.q, self.mechanism.drives, strict=True) if drive is joint]
        return tuple(driven) or self.body_coordinates[id(body)]

    def twist(self, body: Body | None) -> Twist:
        """How a body moves, in its own frame."""
        if body is None:
            return RESTING
        if id(body) not in self._twists:
            joint = body.joint
            if joint is not None:
                z = self.joint_coordinates(body, joint)
                ball = isinstance(joint, Ball)
                rates = self.turned_spin(body) if ball else tuple(c.rate for c in z)
                axes = self.turned_axes(body) if ball else UPRIGHT
                self._twists[id(body)] = moved(joint, self.twist(joint.by), tuple(c.symbol for c in z), rates, axes)
            else:
                own = self.body_coordinates[id(body)]
                velocity = self.frame(body).local(tuple(c.rate for c in own[:3]))
                self._twists[id(body)] = Twist(self.turned_spin(body), velocity)
        return self._twists[id(body)]

    def solid_speed_squared(self, body: Body, local: Vector) -> Expr:
        """|v + ω × local|² of a body's place."""
        if body.joint is not None:
            return square(self.twist(body).at(local))
        rates = tuple(c.rate for c in self.body_coordinates[id(body)][:3])
        across = outer(self.twist(body).spin, local)
        return square(rates) + 2 * dot(rates, self.frame(body).along(across)) + square(across)

    def pointing(self, direction: Direction) -> Vector:
        return self.frame(direction.by).along(direction.along)

    def on_plate(self, plate: Plate, local: Vector) -> Vector:
        x, y, phi = (c.symbol for c in self.body_coordinates[id(plate)])
        return plus((x, y), turned(phi, local))

    def on_bar(self, bar: Bar, local: Vector) -> Vector:
        """a + (along (b − a) + across (b − a) turned to the left) / length: linear in the two ends."""
        a, b = self.position(bar.a), self.position(bar.b)
        u = minus(b, a)
        share = times(local[0] / bar.length, u), times(local[1] / bar.length, (-u[1], u[0]))
        return plus(a, plus(*share))

    def rate(self, e: Expr) -> Expr:
        """de/dt along the motion of z."""
        rates = {c.name: c.rate for c in self.q + self.x} | self.named_rates
        return total(d * rate for d, rate in zip(gradient(e, rates), rates.values(), strict=True))

    def velocity(self, point: Point) -> Vector:
        if id(point) not in self._velocities:
            if isinstance(point, Carried) and isinstance(point.by, Body):
                moving = self.frame(point.by).along(self.twist(point.by).at(point.at))
                velocity = named(velocity_names(point), moving)
            else:
                velocity = tuple(self.rate(e) for e in self.position(point))
            self._velocities[id(point)] = velocity
        return self._velocities[id(point)]

    # Closures and readouts ----------------------------------------------------------------------

    def closures(self) -> tuple[Closure, ...]:
        rows = []
        for bar in self.mechanism.bars:
            gap = square(minus(self.position(bar.b), self.position(bar.a)))
            rows.append(Closure(bar.name, gap - bar.length**2, bar.length))
        for drive in self.mechanism.drives:
            if isinstance(drive, Telescope):
                q = self.joint(drive).symbol
                gap = square(minus(self.position(drive.tip), self.position(drive.base)))
                rows.append(Closure(drive.name, gap - q**2, q))
        for pin in self.mechanism.pins:
            gaps = minus(self.position(pin.b), self.position(pin.a))
            rows += [Closure(f"{pin.name}.{axis}", gap, ZERO) for axis, gap in zip("xyz", gaps, strict=False)]
        for rail in self.mechanism.rails:
            offset = minus(self.position(rail.point), self.position(rail.through))
            rows.append(Closure(rail.name, cross(self.direction(rail), offset), ZERO))
        for plane in self.mechanism.planes:
            offset = minus(self.position(plane.point), self.position(plane.through))
            rows.append(Closure(plane.name, dot(self.direction(plane), offset), ZERO))
        for i, incline in enumerate(self.mechanism.inclines, start=1):
            missed = dot(self.pointing(incline.a), self.pointing(incline.b)) - incline.cosine
            rows.append(Closure(incline.name or f"incline{i}", missed * self.reach, ZERO))
        for lines_ in self.mechanism.coplanars:
            offset = minus(self.position(lines_.b), self.position(lines_.a))
            across = outer(self.pointing(lines_.u), self.pointing(lines_.v))
            rows.append(Closure(lines_.name, dot(offset, across), ZERO))
        rows += [Closure(coupling.name, self.coupled(coupling), ZERO) for coupling in self.mechanism.couplings]
        return tuple(rows)

    def coupled(self, coupling: Coupling) -> Expr:
        """By how much a relation is missed [m]: a sum of angles at the reach of a length of the mechanism's own."""
        named = {c.name: c for c in self.q + self.x}
        missed = total(factor * named[name].symbol for name, factor in coupling.terms) - coupling.equals
        turning = all(named[name].unit == "rad" for name, _ in coupling.terms)
        return missed * self.reach if turning else missed

    @cached_property
    def reach(self) -> Expr:
        """A length of the mechanism's own: of a bar or crank, else of where things stand; 1 m where nothing is."""
        stated = list(self.mechanism.expressions())
        sizes = [e for e, place in stated if place.endswith((".length", ".radius"))]
        places = [e for e, place in stated if place.endswith((".at", ".about")) and not is_number(e, 0.0)]
        return sizes[0] if sizes else sqrt(total(e**2 for e in places)) if places else ONE

    def direction(self, held: Rail | Plane) -> Vector:
        """A rail's direction or a plane's normal; it turns with the plate or body that carries it."""
        carrier, along = held.through, held.along if isinstance(held, Rail) else held.normal
        if isinstance(carrier, Carried) and isinstance(carrier.by, Plate):
            return turned(self.body_coordinates[id(carrier.by)][2].symbol, along)
        if isinstance(carrier, Carried) and isinstance(carrier.by, Body):
            return self.frame(carrier.by).along(along)
        return along

    def readout(self, angle: Angle) -> Readout:
        return Readout(angle.name, "rad", self.angle(angle, ZERO))

    def angle(self, angle: Angle, rest: Expr) -> Expr:
        """An angle less a constant one, within ±π."""
        along = minus(self.position(angle.tip), self.position(angle.tail))
        if angle.relative_to is None:
            across, ahead = along[1], along[0]
        else:
            arm = angle.relative_to.direction(self.joint(angle.relative_to).symbol)
            across, ahead = cross(arm, along), dot(arm, along)
        if is_number(rest, 0.0):
            return atan2(across, ahead)
        c, s = cos(rest), sin(rest)
        return atan2(c * across - s * ahead, c * ahead + s * across)

    def limits(self) -> tuple[Limit, ...]:
        """Of drives and of passive angles; a unit of an angle is as long as its arm."""
        found = []
        for drive, c in zip(self.mechanism.drives, self.q, strict=True):
            if drive.limits is not None:
                lever = drive.radius if isinstance(drive, Crank) else self.reach if c.unit == "rad" else ONE
                found.append(Limit(c.name, c.unit, c.symbol, *drive.limits, lever))
        for angle in self.mechanism.readouts:
            if angle.limits is not None:
                arm = sqrt(square(minus(self.position(angle.tip), self.position(angle.tail))))
                found.append(Limit(angle.name, "rad", self.angle(angle, ZERO), *angle.limits, arm))
        return tuple(found)

    # Energies -----------------------------------------------------------------------------------

    def kinetic(self) -> Expr:
        parts = [self.drive_energy(d) for d in self.mechanism.drives]
        parts += [self.bar_energy(b) for b in self.mechanism.bars]
        parts += [self.body_energy(b) for b in self.mechanism.bodies]
        parts += [joint.rotor * z.rate**2 / 2 for joint, z in self.acting_joints()]
        return total(parts)

    def potential(self) -> Expr:
        gravity = self.mechanism.gravity
        weight = [-m * dot(gravity, r) for m, r in self.centres()] if gravity else []
        springs = [s.stiffness * self.stretch(s) ** 2 / 2 + s.preload * self.stretch(s) for s in self.mechanism.springs]
        springs += [p.stiffness * p.depth**2 / 2 for p in self.pressed()]
        joints = [joint.stiffness * (z.symbol - joint.rest) ** 2 / 2 for joint, z in self.acting_joints()]
        return total([*weight, *springs, *joints])

    def dissipation(self) -> Expr:
        dampers = [d.damping * self.rate(self.extent(d)) ** 2 / 2 for d in self.mechanism.dampers]
        dampers += [f.viscous * self.rate(self.extent(f)) ** 2 / 2 for f in self.mechanism.frictions]
        dampers += [p.stiffness * p.loss * p.depth * p.rate**2 / 2 for p in self.pressed()]
        return total([*dampers, *(joint.damping * z.rate**2 / 2 for joint, z in self.acting_joints())])

    # What is dry or stiff -----------------------------------------------------------------------

    def resistances(self) -> tuple[Resistance, ...]:
        """Dry friction."""
        found = []
        for f in self.mechanism.frictions:
            v = self.rate(self.extent(f))
            holding = f.holding if f.exact else None
            found.append(Resistance(f.name, "rad" if f.turns else "m", v, f.level(v), f.sense(v), holding))
        return tuple(found)

    def room(self, stop: Stop) -> list[tuple[str, Expr]]:
        """How far its measure is from each end; beyond it is negative.

        An angle between two ends is counted from their middle, so that it jumps only opposite to that.
        """
        if isinstance(stop.between, Angle) and stop.low is not None and stop.high is not None:
            off, half = self.angle(stop.between, (stop.low + stop.high) / 2), (stop.high - stop.low) / 2
            return [("low", half + off), ("high", half - off)]
        found = []
        if stop.low is not None:
            found.append(("low", self.beyond(stop, stop.low)))
        if stop.high is not None:
            found.append(("high", -self.beyond(stop, stop.high)))
        return found

    def beyond(self, link: Stop | Spring, end: Expr) -> Expr:
        """The measure less a constant; of an angle within ±π."""
        return self.angle(link.between, end) if isinstance(link.between, Angle) else self.extent(link) - end

    def pressed(self) -> list[Pressed]:
        """Both ends of each stiff stop: u = max(0, −room)."""
        found = []
        for stop in self.mechanism.stops:
            for end, room in self.room(stop) if stop.stiffness is not None else ():
                found.append(
                    Pressed(stop, 1 if end == "low" else -1, (apply("abs", room) - room) / 2, -self.rate(room))
                )
        return found

    def barriers(self) -> tuple[Barrier, ...]:
        """Stops that do not give way."""
        firm = [(s, s.restitution) for s in self.mechanism.stops if s.restitution is not None]
        ends = [(s, end, gap, e) for s, e in firm for end, gap in self.room(s)]
        return tuple(
            Barrier(f"{s.name}.{end}", "rad" if s.turns else "m", gap, self.rate(gap), e) for s, end, gap, e in ends
        )

    def acting_joints(self) -> list[tuple[Turn | Slide, Coordinate]]:
        """The hinges and guides that bodies of space stand on, with their coordinates."""
        joints = [(body, body.joint) for body in self.mechanism.solids if isinstance(body.joint, Turn | Slide)]
        return [(joint, self.joint_coordinates(body, joint)[0]) for body, joint in joints]

    def stretch(self, spring: Spring) -> Expr:
        """How far a spring is from its rest; an angle is counted from there, so that it jumps only opposite to it."""
        return self.beyond(spring, spring.rest)

    def extent(self, link: OnMeasure) -> Expr:
        """The coordinate of a drive or joint, the distance of two points, or an angle."""
        if isinstance(link.between, Angle):
            return self.angle(link.between, ZERO)
        if isinstance(link.between, tuple):
            a, b = link.between
            return sqrt(square(minus(self.position(b), self.position(a))))
        return self.joint(link.between).symbol

    def drive_energy(self, drive: Drive) -> Expr:
        rate = self.joint(drive).rate
        match drive:
            case Slider():
                return drive.mass * rate**2 / 2
            case Crank():
                assert drive.centre is not None
                assert drive.inertia is not None
                return (drive.mass * drive.centre**2 + drive.inertia) * rate**2 / 2
            case Telescope():
                return self.telescope_energy(drive)
        return ZERO  # what stands on a joint has its own

    def telescope_energy(self, leg: Telescope) -> Expr:
        # u = (tip − base) / l, so that l u̇ = v_tip − v_base − l̇ u, and the two centres move by v_base + c_b u̇ and
        # v_tip − c_t u̇. Their squares, multiplied out, are short: |l u̇|² comes once.
        length, base, tip = self.joint(leg), self.velocity(leg.base), self.velocity(leg.tip)
        across = minus(minus(tip, base), times(length.rate, self.unit(leg)))
        ends = leg.base_mass * square(base) + leg.tip_mass * square(tip)
        turning = leg.base_mass * leg.base_centre**2 + leg.tip_mass * leg.tip_centre**2
        turning = (turning + leg.base_inertia + leg.tip_inertia) / length.symbol**2 * square(across)
        moment = minus(times(leg.base_mass * leg.base_centre, base), times(leg.tip_mass * leg.tip_centre, tip))
        return (ends + turning) / 2 + dot(moment, across) / length.symbol

    def bar_energy(self, bar: Bar) -> Expr:
        """A quadratic form in the two ends' velocities: a bar's turning is |v_b − v_a| / length."""
        assert bar.centre is not None
        assert bar.inertia is not None
        share, spin = bar.centre / bar.length, bar.inertia / bar.length**2
        aa = bar.mass * (1 - share) ** 2 + spin
        ab = bar.mass * share * (1 - share) - spin
        bb = bar.mass * share**2 + spin
        across = ab * dot(self.velocity(bar.a), self.velocity(bar.b))
        return (aa * self.speed_squared(bar.a) + bb * self.speed_squared(bar.b)) / 2 + across

    def body_energy(self, body: Free | Plate | Body) -> Expr:
        if isinstance(body, Free):
            return body.mass * self.speed_squared(body) / 2
        if isinstance(body, Body):
            speed_squared = self.solid_speed_squared(body, body.centre)
            return body.mass * speed_squared / 2 + spin_energy(body, self.twist(body).spin)
        spin = self.body_coordinates[id(body)][2].rate
        return (body.mass * self.plate_speed_squared(body, body.centre) + body.inertia * spin**2) / 2

    def speed_squared(self, point: Point) -> Expr:
        """|v|², without the sums of squares of sine and cosine that the components would leave."""
        match point:
            case Fixed():
                return ZERO
            case Slider():
                return self.joint(point).rate ** 2
            case Crank():
                return (point.radius * self.joint(point).rate) ** 2
            case Free():
                return total(c.rate**2 for c in self.body_coordinates[id(point)])
            case Carried():
                by = point.by
                if isinstance(by, Bar):
                    return square(self.velocity(point))
                if isinstance(by, Body):
                    return self.solid_speed_squared(by, point.at)
                return self.plate_speed_squared(by, point.at) if isinstance(by, Plate) else self.speed_squared(by)

    def plate_speed_squared(self, plate: Plate, local: Vector) -> Expr:
        """|v + ω × R local|²."""
        x, y, phi = self.body_coordinates[id(plate)]
        lever = turned(phi.symbol, local)
        across = phi.rate * cross(lever, (x.rate, y.rate))
        return x.rate**2 + y.rate**2 + 2 * across + phi.rate**2 * square(local)

    def centres(self) -> list[tuple[Expr, Vector]]:
        """Every mass with its centre, for gravity."""
        rows = [row for drive in self.mechanism.drives for row in self.drive_centres(drive)]
        for bar in self.mechanism.bars:
            a, b = self.position(bar.a), self.position(bar.b)
            rows.append((bar.mass, plus(a, times((bar.centre or ZERO) / bar.length, minus(b, a)))))
        for body in self.mechanism.bodies:
            rows.append((body.mass, self.centre(body)))
        return [(m, r) for m, r in rows if not is_number(m, 0.0)]

    def centre(self, body: Free | Plate | Body) -> Vector:
        if isinstance(body, Body):
            return self.frame(body).at(body.centre)
        return self.on_plate(body, body.centre) if isinstance(body, Plate) else self.position(body)

    def drive_centres(self, drive: Drive) -> list[tuple[Expr, Vector]]:
        """A drive's masses with their centres."""
        match drive:
            case Slider():
                return [(drive.mass, self.position(drive))]
            case Crank():
                centre = times(drive.centre or ZERO, drive.direction(self.joint(drive).symbol))
                return [(drive.mass, plus(drive.about, centre))]
            case Telescope():
                u = self.unit(drive)
                base = plus(self.position(drive.base), times(drive.base_centre, u))
                tip = minus(self.position(drive.tip), times(drive.tip_centre, u))
                return [(drive.base_mass, base), (drive.tip_mass, tip)]
        return []

    def unit(self, leg: Telescope) -> Vector:
        """From base to tip, of length one where the leg's closure holds."""
        along = minus(self.position(leg.tip), self.position(leg.base))
        return tuple(component / self.joint(leg).symbol for component in along)


@dataclass(frozen=True)
class Pressed:
    """An end of a stiff stop."""

    stop: Stop
    sense: int  # along the measure in which it pushes back
    depth: Expr  # how deep it is pressed in; 0 away from it
    rate: Expr  # of the depth

    @property
    def stiffness(self) -> Expr:
        assert self.stop.stiffness is not None
        return self.stop.stiffness

    @property
    def loss(self) -> Expr:
        return self.stop.loss

    @property
    def force(self) -> Expr:
        """Along the measure."""
        return self.sense * self.stiffness * self.depth * (1 + self.loss * self.rate)


def turned(phi: Expr, local: Vector) -> Vector:
    """R(phi) local."""
    c, s = cos(phi), sin(phi)
    return (c * local[0] - s * local[1], s * local[0] + c * local[1])


def axis_names(body: Body) -> tuple[str, ...]:
    """What the components of a body's axes are called, column by column."""
    return tuple(f"{body.name}[{i}{j}]" for j in range(3) for i in range(3))


def spin_names(body: Body) -> tuple[str, ...]:
    """What the components of a body's angular velocity along its axes are called."""
    return tuple(f"{body.name}[w{i}]" for i in range(3))


def place_names(point: Carried) -> tuple[str, ...]:
    """What the components of a point on a body of space are called."""
    return tuple(f"{point.name}[{i}]" for i in range(3))


def velocity_names(point: Carried) -> tuple[str, ...]:
    """What the components of its velocity are called."""
    return tuple(f"{point.name}[v{i}]" for i in range(3))


def named(names: Iterable[str], v: Vector) -> Vector:
    """A vector whose components have names."""
    return tuple(Named(name, e) for name, e in zip(names, v, strict=True))


def equations(description: Mechanism | Equations) -> Equations:
    """The equations of a mechanism; equations stated directly are returned as they are."""
    if isinstance(description, Equations):
        return description
    m = Mechanics(description)
    return Equations(
        description.name,
        parameters=description.parameters,
        q=m.q,
        x=m.x,
        driven=tuple(d.name for d in description.drives),
        closures=m.closures(),
        kinetic=m.kinetic(),
        potential=m.potential(),
        dissipation=m.dissipation(),
        resistances=m.resistances(),
        barriers=m.barriers(),
        motors=description.motors,
        readouts=tuple(m.readout(a) for a in description.readouts),
        limits=m.limits(),
        points=tuple((point_name(p), m.position(p)) for p in description.points),
        lines=lines(description),
        about=description.about,
        linkage=description.linkage,
        output=description.output_names,
        mechanism=description,
    )


def lines(mechanism: Mechanism) -> tuple[tuple[str, str], ...]:
    """The pairs of points that a drawing joins."""
    ends = [(bar.a, bar.b) for bar in mechanism.bars]
    ends += [(d.base, d.tip) for d in mechanism.drives if isinstance(d, Telescope)]
    rows = [(point_name(a), point_name(b)) for a, b in ends]
    for plate in (*mechanism.plates, *mechanism.solids):
        own = [p.name for p in mechanism.points if isinstance(p, Carried) and p.by is plate]
        rows += list(pairwise([*own, own[0]] if len(own) > 2 else own))
    on_bars = [(p, p.by) for p in mechanism.points if isinstance(p, Carried) and isinstance(p.by, Bar)]
    rows += [(point_name(end), p.name) for p, bar in on_bars for end in (bar.a, bar.b)]
    return tuple(rows)
