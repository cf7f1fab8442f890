"""Where the parts of a mechanism are and how they move, from (q, x) and its rates.

Everything is in space: a planar robot lies in z = 0. A part's pose is the rotation R and origin p of its frame, its
motion the turning rate ω and the origin's velocity v. A bar's and a telescope's x axis points along it, a crank's along
its arm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import (
    Angle,
    Ball,
    Bar,
    Body,
    Carried,
    Crank,
    Direction,
    Drive,
    Fixed,
    Free,
    Joint,
    Plate,
    Point,
    Rail,
    Slide,
    Slider,
    Telescope,
)
from closedchain.describe.expressions import Expr
from closedchain.exchange.guiding import Guide, guides_of, span
from closedchain.exchange.kinematics import rotation
from closedchain.exchange.parts import Part
from closedchain.model.model import Model
from closedchain.model.orientation import matrices


@dataclass(frozen=True, eq=False)
class Pose:
    """A frame and its motion; every array may be a batch."""

    R: Doubles  # (*batch, 3, 3)
    p: Doubles  # (*batch, 3)
    omega: Doubles  # (*batch, 3)
    v: Doubles  # (*batch, 3)


class Configuration:
    """A mechanism's points and parts at (q, x), with rates."""

    def __init__(self, model: Model, q: Doubles, x: Doubles, q_dot: Doubles, x_dot: Doubles) -> None:
        assert model.mechanism is not None
        self.model, self.mechanism = model, model.mechanism
        self.q, self.x, self.q_dot, self.x_dot = q, x, q_dot, x_dot
        self.batch = q.shape[:-1]
        starts = np.cumsum([0, *(len(self.mechanism.own_coordinates(b)) for b in self.mechanism.bodies)])
        self.starts = {id(b): int(s) for b, s in zip(self.mechanism.bodies, starts, strict=False)}
        self.guides = guides_of(self.mechanism)

    # Points -------------------------------------------------------------------------------------

    def position(self, point: Point) -> Doubles:
        """Where a point is, (*batch, 3)."""
        match point:
            case Fixed():
                return self.constant(point.at)
            case Slider():
                return self.constant(point.at) + self.drive(point)[0][..., None] * self.constant(point.along)
            case Crank():
                return self.constant(point.about) + self.number(point.radius) * self.arm(point)[0]
            case Free():
                return self.free(point)[0]
            case Carried(by=Plate() as by):
                frame = self.plate(by)
                return frame.p + _turn(frame.R, self.constant(point.at))
            case Carried(by=Body() as body):
                frame = self.solid(body)
                return frame.p + _turn(frame.R, self.constant(point.at))
            case Carried(by=Bar() as bar):
                return self.on_bar(bar, point, self.position(bar.a), self.position(bar.b))
            case Carried():
                assert isinstance(point.by, Free)
                return self.position(point.by) + self.constant(point.at)

    def velocity(self, point: Point) -> Doubles:
        """How a point moves, (*batch, 3)."""
        match point:
            case Fixed():
                return np.zeros((*self.batch, 3))
            case Slider():
                return self.drive(point)[1][..., None] * self.constant(point.along)
            case Crank():
                return self.number(point.radius) * self.arm(point)[1]
            case Free():
                return self.free(point)[1]
            case Carried(by=Plate() as by):
                frame = self.plate(by)
                return frame.v + np.cross(frame.omega, _turn(frame.R, self.constant(point.at)))
            case Carried(by=Body() as body):
                frame = self.solid(body)
                return frame.v + np.cross(frame.omega, _turn(frame.R, self.constant(point.at)))
            case Carried(by=Bar() as bar):
                return self.on_bar(bar, point, self.velocity(bar.a), self.velocity(bar.b))
            case Carried():
                assert isinstance(point.by, Free)
                return self.velocity(point.by)

    def on_bar(self, bar: Bar, point: Carried, a: Doubles, b: Doubles) -> Doubles:
        """A bar's point, or its velocity, from those of the bar's ends."""
        along, across = (self.number(e) / self.number(bar.length) for e in point.at)
        u = b - a
        left = np.stack([-u[..., 1], u[..., 0], np.zeros_like(u[..., 0])], axis=-1)
        return a + along * u + across * left

    def drive(self, drive: Drive) -> tuple[Doubles, Doubles]:
        """A drive's coordinate and rate, (*batch)."""
        i = self.mechanism.drives.index(drive)
        return self.q[..., i], self.q_dot[..., i]

    def arm(self, crank: Crank) -> tuple[Doubles, Doubles]:
        """The unit vector along a crank's arm, and its rate."""
        q, q_dot = (a[..., None] for a in self.drive(crank))
        e1, e2 = self.plane(crank)
        return np.cos(q) * e1 + np.sin(q) * e2, q_dot * (np.cos(q) * e2 - np.sin(q) * e1)

    def plane(self, crank: Crank) -> tuple[Doubles, Doubles]:
        assert crank.plane is not None
        return self.constant(crank.plane[0]), self.constant(crank.plane[1])

    def angle(self, angle: Angle) -> float:
        """The direction from tail to tip, from the x axis or from a crank's arm; of one configuration."""
        along = self.position(angle.tip) - self.position(angle.tail)
        base = np.array([1.0, 0.0, 0.0]) if angle.relative_to is None else self.arm(angle.relative_to)[0]
        return float(np.arctan2(base[0] * along[1] - base[1] * along[0], base @ along))

    def free(self, point: Free) -> tuple[Doubles, Doubles]:
        start, n = self.starts[id(point)], point.dimension
        return _padded(self.x[..., start : start + n]), _padded(self.x_dot[..., start : start + n])

    def plate(self, plate: Plate) -> Pose:
        start = self.starts[id(plate)]
        x, x_dot = self.x[..., start : start + 3], self.x_dot[..., start : start + 3]
        zero = np.zeros_like(x[..., 0])
        omega = np.stack([zero, zero, x_dot[..., 2]], axis=-1)
        return Pose(about_z(x[..., 2]), _padded(x[..., :2]), omega, _padded(x_dot[..., :2]))

    def coordinates(self, body: Body) -> tuple[Doubles, Doubles]:
        """The coordinates of the joint that a body of space stands on, and their rates, (*batch, k)."""
        for i, drive in enumerate(self.mechanism.drives):
            if drive is body.joint:
                return self.q[..., i : i + 1], self.q_dot[..., i : i + 1]
        own = slice(self.starts[id(body)], self.starts[id(body)] + len(self.mechanism.own_coordinates(body)))
        return self.x[..., own], self.x_dot[..., own]

    def solid(self, body: Body | None) -> Pose:
        """A body of space, from what carries it; the ground for none."""
        if body is None:
            return self.pose(Part("ground", None, ""))
        z, rates = self.coordinates(body)
        if body.joint is None:
            R, spin = matrices(z[..., 3:]), rolling(z[..., 3:], rates[..., 3:])
            return Pose(R, z[..., :3], _turn(R, spin), rates[..., :3])
        carrier, joint = self.solid(body.joint.by), body.joint
        R, omega = self._turned(joint, carrier, z, rates)
        reach, slip = self.constant(joint.at), np.zeros(3)
        if isinstance(joint, Slide):
            reach, slip = reach + z * self.constant(joint.axis), _turn(carrier.R, rates * self.constant(joint.axis))
        lever = _turn(carrier.R, reach)
        return Pose(R, carrier.p + lever, omega, carrier.v + np.cross(carrier.omega, lever) + slip)

    def _turned(self, joint: Joint, carrier: Pose, z: Doubles, rates: Doubles) -> tuple[Doubles, Doubles]:
        """The axes of a body on a joint, and its turning rate."""
        own = self.axes(joint)
        match joint:
            case Slide():
                return carrier.R @ own, carrier.omega
            case Ball():
                ball = carrier.R @ matrices(z)
                return ball @ own, carrier.omega + _turn(ball, rolling(z, rates))
        axis = self.constant(joint.axis)  # type: ignore[attr-defined]
        turned = np.array([rotation(angle * axis) for angle in z.ravel()]).reshape(*self.batch, 3, 3)
        return carrier.R @ turned @ own, carrier.omega + _turn(carrier.R, rates * axis)

    def axes(self, joint: Joint) -> Doubles:
        """A body's axes in the frame of what carries it, where the joint is at zero, (3, 3)."""
        return np.eye(3) if joint.axes is None else np.stack([self.constant(axis) for axis in joint.axes], axis=-1)

    def pointing(self, direction: Direction) -> tuple[Doubles, Doubles]:
        """A direction in the world, and its rate."""
        body = self.solid(direction.by)
        along = _turn(body.R, self.constant(direction.along))
        return along, np.cross(body.omega, along)

    def constant(self, vector: tuple[Expr, ...]) -> Doubles:
        return _padded(np.array([self.model.number(e) for e in vector]))

    def number(self, e: Expr | None) -> float:
        return 0.0 if e is None else self.model.number(e)

    # Parts --------------------------------------------------------------------------------------

    def pose(self, part: Part) -> Pose:
        """The part's frame; of a bar in space, whose spin nothing tells, any frame along it that does not spin."""
        still = np.zeros((*self.batch, 3))
        upright = np.broadcast_to(np.eye(3), (*self.batch, 3, 3))
        match part.element:
            case None:
                return Pose(upright, still, still, still)
            case Slider() | Free():
                return Pose(upright, self.position(part.element), still, self.velocity(part.element))
            case Crank() if part.kind == "carrier":
                return Pose(upright, self.position(part.element), still, self.velocity(part.element))
            case Crank():
                return self.crank(part.element)
            case Plate():
                return self.plate(part.element)
            case Rail():
                return self.block(part.element)
            case Body():
                return self.solid(part.element)
        u, u_dot = self.direction(part)
        end = self.origin_point(part)
        guide = self.guides.get(id(part.element))
        R, omega = (_frame(u), np.cross(u, u_dot)) if guide is None else self._guided(guide, u, u_dot)
        return Pose(R, self.position(end), omega, self.velocity(end))

    def _guided(self, guide: Guide, u: Doubles, u_dot: Doubles) -> tuple[Doubles, Doubles]:
        """Axes along a leg: z is a single hinge's axis, y the second axis of a universal joint; and their turning."""
        axis, axis_dot = self.pointing(guide.axis)
        y, y_dot = np.cross(axis, u), np.cross(axis_dot, u) + np.cross(axis, u_dot)
        size = np.linalg.norm(y, axis=-1, keepdims=True)
        y, y_dot = y / size, y_dot / size
        y_dot = y_dot - (y * y_dot).sum(axis=-1, keepdims=True) * y
        z, z_dot = np.cross(u, y), np.cross(u_dot, y) + np.cross(u, y_dot)
        omega = (np.cross(u, u_dot) + np.cross(y, y_dot) + np.cross(z, z_dot)) / 2
        return np.stack([u, y, z], axis=-1), omega

    def turned(self, part: Part) -> Doubles | None:
        """A part's angle about z, counted on, (*batch); None of a bar or telescope, which has no coordinate for it."""
        match part.element, part.kind:
            case Plate() as plate, _:
                return np.asarray(self.x[..., self.starts[id(plate)] + 2])
            case Crank() as crank, "crank":
                return np.asarray(self.drive(crank)[0] * np.cross(*self.plane(crank))[2])
        return np.zeros(self.batch) if part.kind in ("ground", "slider", "carrier") else None

    def crank(self, crank: Crank) -> Pose:
        d, _ = self.arm(crank)
        normal = np.broadcast_to(np.cross(*self.plane(crank)), d.shape)
        R = np.stack([d, np.cross(normal, d), normal], axis=-1)
        still = np.zeros_like(d)
        return Pose(R, self.constant(crank.about) + still, self.drive(crank)[1][..., None] * normal, still)

    def block(self, rail: Rail) -> Pose:
        """On a rail: its x axis lies along the rail, its origin is the point that the rail guides."""
        along = self.constant(rail.along)
        through = rail.through
        on_plate = isinstance(through, Carried) and isinstance(through.by, Plate)
        place = self.plate(through.by) if on_plate else self.pose(Part("ground", None, ""))  # type: ignore[union-attr, arg-type]
        return Pose(place.R @ _frame(along), self.position(rail.point), place.omega, self.velocity(rail.point))

    def direction(self, part: Part) -> tuple[Doubles, Doubles]:
        """The unit vector along a bar or telescope, and its rate."""
        assert isinstance(part.element, Bar | Telescope)
        a, b = span(part.element)
        along, rate = self.position(b) - self.position(a), self.velocity(b) - self.velocity(a)
        size = np.linalg.norm(along, axis=-1, keepdims=True)
        u = along / size
        return u, (rate - (u * rate).sum(axis=-1, keepdims=True) * u) / size

    def origin_point(self, part: Part) -> Point:
        assert isinstance(part.element, Bar | Telescope)
        a, b = span(part.element)
        return b if part.kind == "rod" else a


def rolling(rolls: Doubles, rates: Doubles) -> Doubles:
    """The turning rate in the body's own frame for rates of roll, pitch and yaw, (*batch, 3)."""
    roll, pitch, _ = np.moveaxis(rolls, -1, 0)
    p, q, r = np.moveaxis(rates, -1, 0)
    (cr, sr), (cp, sp) = ((np.cos(a), np.sin(a)) for a in (roll, pitch))
    return np.stack([p - r * sp, q * cr + r * cp * sr, r * cp * cr - q * sr], axis=-1)


def about_z(angle: Doubles) -> Doubles:
    """The turn by an angle about z, (*batch, 3, 3)."""
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    rows = [[c, -s, zero], [s, c, zero], [zero, zero, one]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _frame(u: Doubles) -> Doubles:
    """Axes whose first is u; in the plane the third is z."""
    flat = np.stack([-u[..., 1], u[..., 0], np.zeros_like(u[..., 0])], axis=-1)
    size = np.linalg.norm(flat, axis=-1, keepdims=True)
    y = np.where(size > 1e-9, flat / np.where(size > 1e-9, size, 1.0), np.array([0.0, 1.0, 0.0]))
    return np.stack([u, y, np.cross(u, y)], axis=-1)


def _turn(R: Doubles, vector: Doubles) -> Doubles:
    return np.einsum("...ij,...j->...i", R, np.broadcast_to(vector, R.shape[:-1]))


def _padded(vector: Doubles) -> Doubles:
    """A vector of the plane lies in z = 0 of space."""
    missing = 3 - vector.shape[-1]
    return np.concatenate([vector, np.zeros((*vector.shape[:-1], missing))], axis=-1) if missing else vector
