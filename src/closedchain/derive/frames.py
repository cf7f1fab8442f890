"""Where bodies of space are and how they turn: their frames, and their twists in their own frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from closedchain.describe.elements import Ball, Body, Joint, Slide, Turn
from closedchain.describe.expressions import ONE, ZERO, Expr, cos, sin
from closedchain.describe.vectors import Vector, dot, outer, plus, times

Axes = tuple[Vector, Vector, Vector]
STILL: Vector = (ZERO, ZERO, ZERO)
UPRIGHT: Axes = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


@dataclass(frozen=True, eq=False)
class Frame:
    """An origin, and the directions x, y, z of a body: the columns of R."""

    origin: Vector
    axes: Axes

    def along(self, local: Vector) -> Vector:
        """R local."""
        made = STILL
        for component, axis in zip(local, self.axes, strict=True):
            made = plus(made, times(component, axis))
        return made

    def at(self, local: Vector) -> Vector:
        """The place with these local coordinates."""
        return plus(self.origin, self.along(local))

    def local(self, v: Vector) -> Vector:
        """Rᵀ v."""
        return tuple(dot(axis, v) for axis in self.axes)


GROUND = Frame(STILL, UPRIGHT)


def rolled(roll: Expr, pitch: Expr, yaw: Expr) -> Axes:
    """The columns of Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, sr), (cp, sp), (cy, sy) = ((cos(a), sin(a)) for a in (roll, pitch, yaw))
    x = (cy * cp, sy * cp, -sp)
    y = (cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr)
    z = (cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr)
    return x, y, z


def rolling(roll: Expr, pitch: Expr, rates: Vector) -> Vector:
    """The angular velocity in the body's frame for rates of roll, pitch and yaw.

    Roll turns about the body's own x, pitch about the y that roll came after, yaw about the ground's z.
    """
    (cr, sr), (cp, sp) = ((cos(a), sin(a)) for a in (roll, pitch))
    p, q, r = rates
    return (p - r * sp, q * cr + r * (cp * sr), r * (cp * cr) - q * sr)


def turned(axis: Vector, angle: Expr, v: Vector) -> Vector:
    """v turned about an axis of length one (Rodrigues): v cos + (axis × v) sin + axis (axis · v)(1 − cos)."""
    c, s = cos(angle), sin(angle)
    kept = times(dot(axis, v) * (1 - c), axis)
    return plus(plus(times(c, v), times(s, outer(axis, v))), kept)


@dataclass(frozen=True, eq=False)
class Twist:
    """How a body moves, in its own frame: its angular velocity, and the velocity of its frame's origin."""

    spin: Vector
    velocity: Vector

    def at(self, local: Vector) -> Vector:
        """The velocity of one of the body's places."""
        return plus(self.velocity, outer(self.spin, local))


RESTING = Twist(STILL, STILL)


def placed(joint: Joint, carrier: Frame, z: Vector, ball: Axes) -> Frame:
    """The frame of a body on a joint whose coordinates are z; `ball` are the axes that a ball gives it."""
    axes = joint.axes or UPRIGHT
    match joint:
        case Slide():
            return Frame(carrier.at(plus(joint.at, times(z[0], joint.axis))), _each(carrier.along, axes))
        case Turn():
            return Frame(carrier.at(joint.at), _each(lambda e: carrier.along(turned(joint.axis, z[0], e)), axes))
        case Ball():
            turned_ = Frame(STILL, ball)
            return Frame(carrier.at(joint.at), _each(lambda e: carrier.along(turned_.along(e)), axes))
    raise TypeError(joint)


def moved(joint: Joint, carrier: Twist, z: Vector, rates: Vector, ball: Axes) -> Twist:
    """The twist of a body on a joint whose carrier moves; `rates` of a ball are its spin along the axes it gives."""
    frame = Frame(STILL, joint.axes or UPRIGHT)
    place = carrier.at(joint.at)
    match joint:
        case Slide():
            reach = plus(joint.at, times(z[0], joint.axis))
            velocity = plus(carrier.at(reach), times(rates[0], joint.axis))
            return Twist(frame.local(carrier.spin), frame.local(velocity))
        case Turn():
            spin = plus(turned(joint.axis, -z[0], carrier.spin), times(rates[0], joint.axis))
            return Twist(frame.local(spin), frame.local(turned(joint.axis, -z[0], place)))
        case Ball():
            turned_ = Frame(STILL, ball)
            spin = plus(turned_.local(carrier.spin), rates)
            return Twist(frame.local(spin), frame.local(turned_.local(place)))
    raise TypeError(joint)


def spin_energy(body: Body, spin: Vector) -> Expr:
    """½ ω · I ω."""
    xx, yy, zz, *rest = body.inertia
    a, b, c = spin
    energy = (xx * a**2 + yy * b**2 + zz * c**2) / 2
    if rest:
        xy, xz, yz = rest
        energy = energy + xy * (a * b) + xz * (a * c) + yz * (b * c)
    return energy


def _each(function: Callable[[Vector], Vector], axes: Axes) -> Axes:
    x, y, z = (function(axis) for axis in axes)
    return x, y, z
