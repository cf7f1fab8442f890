"""Coordinates of bodies of space, and their two rates, from places on them as another engine moves them."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Ball, Body, Slide, Turn
from closedchain.exchange.kinematics import sides
from closedchain.model.model import Model

Jet = tuple[Doubles, Doubles, Doubles]  # a quantity, its rate and its acceleration


def turning(d: Doubles, d_dot: Doubles, d_ddot: Doubles) -> Jet:
    """The angle of a vector in the plane with its rate and acceleration."""
    size = d[..., 0] ** 2 + d[..., 1] ** 2
    rate = _cross(d, d_dot) / size
    stretch = (d[..., 0] * d_dot[..., 0] + d[..., 1] * d_dot[..., 1]) / size
    return np.arctan2(d[..., 1], d[..., 0]), rate, _cross(d, d_ddot) / size - 2 * stretch * rate


def _cross(a: Doubles, b: Doubles) -> Doubles:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def principal(rolls: Jet) -> Jet:
    """Roll, pitch and yaw, with their rates, of the same orientation with pitch within ±90°, (n, 3) each."""
    over = (np.cos(rolls[0][:, 1]) < 0.0)[:, None]
    there = rolls[0] * [1.0, -1.0, 1.0] + np.pi
    back = np.array([1.0, -1.0, 1.0])
    return np.where(over, there, rolls[0]), *(np.where(over, v * back, v) for v in rolls[1:])  # type: ignore[return-value]


def rolls_of(R: Jet) -> Jet:
    """Roll, pitch and yaw of rotations (n, 3, 3) that move, pitch within ±90°."""
    level, level_dot = (np.hypot(R[0][:, 0, 0], R[0][:, 1, 0]), _along(R, 1))
    level_dot = level_dot / level
    bent = (R[1][:, :2, 0] ** 2).sum(axis=-1) + _along(R, 2) - level_dot**2
    steep = (level, level_dot, bent / level)
    roll = turning(*(np.stack([v[:, 2, 2], v[:, 2, 1]], axis=-1) for v in R))
    pitch = turning(*(np.stack([s, -v[:, 2, 0]], axis=-1) for s, v in zip(steep, R, strict=True)))
    yaw = turning(*(np.stack([v[:, 0, 0], v[:, 1, 0]], axis=-1) for v in R))
    a, b, c = (np.stack(rows, axis=-1) for rows in zip(roll, pitch, yaw, strict=True))
    return a, b, c


def _along(R: Jet, order: int) -> Doubles:
    """The level part of the x axis times a rate of itself, (n,)."""
    return np.asarray((R[0][:, :2, 0] * R[order][:, :2, 0]).sum(axis=-1))


def product(a: Jet, b: Jet, sum_: str) -> Jet:
    """An einsum of two quantities, with its rates."""
    return (
        np.einsum(sum_, a[0], b[0]),
        np.einsum(sum_, a[1], b[0]) + np.einsum(sum_, a[0], b[1]),
        np.einsum(sum_, a[2], b[0]) + 2 * np.einsum(sum_, a[1], b[1]) + np.einsum(sum_, a[0], b[2]),
    )


def coordinates_of(model: Model, body: Body, origin: Jet, R: Jet, carrier: tuple[Jet, Jet]) -> tuple[Jet, Jet]:
    """A body's own lengths (n, k) and angles (n, k), with rates, from its frame and that of what carries it."""
    none: Jet = (np.zeros((len(origin[0]), 0)),) * 3
    if body.joint is None:
        return origin, rolls_of(R)
    joint = body.joint
    axes = np.eye(3) if joint.axes is None else np.array([[model.number(e) for e in v] for v in joint.axes]).T
    if isinstance(joint, Slide):
        axis, at = (np.array([model.number(e) for e in v]) for v in (joint.axis, joint.at))
        away, rate, change = (a - b for a, b in zip(origin, carrier[0], strict=True))
        away, rate, change = product(carrier[1], (away, rate, change), "nji,nj->ni")
        return ((away - at) @ axis[:, None], rate @ axis[:, None], change @ axis[:, None]), none
    whole = product(carrier[1], R, "nji,njk->nik")
    turned: Jet = tuple(v @ axes.T for v in whole)  # type: ignore[assignment]
    if isinstance(joint, Ball):
        return none, rolls_of(turned)
    assert isinstance(joint, Turn)
    axis = np.array([model.number(e) for e in joint.axis])
    e1 = sides(axis)[0]
    pair = np.stack([e1, np.cross(axis, e1)])
    angle = turning(*((v @ e1) @ pair.T for v in turned))
    return none, tuple(v[:, None] for v in angle)  # type: ignore[return-value]
