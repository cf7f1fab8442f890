"""Rotations as files write them: quaternions, Euler angles, fixed angles; and numbers as text to the last digit."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.kinematics import rotation

AXES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}
SHORT = 1e-12  # a vector of this length has no direction


def from_quaternion(q: Doubles) -> Doubles:
    """(w, x, y, z), of any length but zero → (3, 3)."""
    w, x, y, z = q / math.hypot(*q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def to_quaternion(R: Doubles) -> Doubles:
    """(3, 3) → (w, x, y, z), from the largest component, w ≥ 0."""
    d = np.diag(R)
    squares = np.array([1 + d.sum(), 1 + d[0] - d[1] - d[2], 1 - d[0] + d[1] - d[2], 1 - d[0] - d[1] + d[2]])
    i = int(np.argmax(squares))
    products = np.array(
        [
            [squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], squares[1], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], squares[2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], squares[3]],
        ]
    )
    q = products[i] / np.linalg.norm(products[i])
    return q if q[0] >= 0 else -q


def from_euler(angles: Iterable[float], sequence: str) -> Doubles:
    """Successive turns; a small letter turns about the moved axes, a capital about the fixed ones."""
    R = np.eye(3)
    for angle, letter in zip(angles, sequence, strict=True):
        turn = rotation(AXES[letter.lower()] * angle)
        R = R @ turn if letter.islower() else turn @ R
    return R


def from_rpy(angles: Doubles) -> Doubles:
    """Roll, pitch, yaw about fixed axes, as URDF and SDF write them."""
    return from_euler(angles, "XYZ")


def to_rpy(R: Doubles) -> Doubles:
    """(3, 3) → roll, pitch, yaw; at pitch ±90° roll is 0."""
    across = float(np.hypot(R[0, 0], R[1, 0]))
    pitch = float(np.arctan2(-R[2, 0], across))
    if across < SHORT:
        return np.array([0.0, pitch, float(np.arctan2(-R[0, 1], R[1, 1]))])
    return np.array([float(np.arctan2(R[2, 1], R[2, 2])), pitch, float(np.arctan2(R[1, 0], R[0, 0]))])


def onto(axis: Doubles) -> Doubles:
    """The least turn that brings z onto a unit vector, (3, 3)."""
    z = AXES["z"]
    across = np.cross(z, axis)
    sine = float(np.linalg.norm(across))
    if sine < SHORT:
        return np.eye(3) if axis[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return rotation(across / sine * float(np.arctan2(sine, axis[2])))


def written(values: Iterable[float]) -> str:
    """Numbers as text that reads back to the same doubles."""
    return " ".join(repr(float(v) + 0.0).removesuffix(".0") for v in values)
