"""Orientations in numbers: matrices, roll-pitch-yaw (R = Rz Ry Rx), quaternions (w, x, y, z), rotation vectors."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles


def matrices(rolls: Doubles) -> Doubles:
    """R = Rz(yaw) Ry(pitch) Rx(roll), (*batch, 3, 3)."""
    (cr, cp, cy), (sr, sp, sy) = np.moveaxis(np.cos(rolls), -1, 0), np.moveaxis(np.sin(rolls), -1, 0)
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def rolls(R: Doubles) -> Doubles:
    """Roll, pitch and yaw, pitch within ±90°; where it is ±90° the roll is 0."""
    level = np.hypot(R[..., 0, 0], R[..., 1, 0])
    pitch = np.arctan2(-R[..., 2, 0], level)
    upright = level > 1e-12
    roll = np.where(upright, np.arctan2(R[..., 2, 1], R[..., 2, 2]), 0.0)
    yaw = np.where(upright, np.arctan2(R[..., 1, 0], R[..., 0, 0]), np.arctan2(-R[..., 0, 1], R[..., 1, 1]))
    return np.stack([roll, pitch, yaw], axis=-1)


def spins(rolls: Doubles) -> Doubles:
    """E that makes ω of the rates of roll, pitch and yaw, (*batch, 3, 3); its determinant is cos(pitch).

    Roll turns about the body's x, pitch about the y that yaw turned, yaw about z.
    """
    (_, cp, cy), (_, sp, sy) = np.moveaxis(np.cos(rolls), -1, 0), np.moveaxis(np.sin(rolls), -1, 0)
    none = np.zeros_like(cp)
    rows = [[cy * cp, -sy, none], [sy * cp, cy, none], [-sp, none, none + 1.0]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def quaternions(R: Doubles) -> Doubles:
    """Unit quaternions (w, x, y, z), the first component that is not 0 positive."""
    flat = R.reshape(-1, 3, 3)
    # The outer product 4 e eᵀ, whose largest column gives e without cancellation.
    xx, yy, zz = flat[:, 0, 0], flat[:, 1, 1], flat[:, 2, 2]
    xy, xz, yz = (flat[:, i, j] + flat[:, j, i] for i, j in ((0, 1), (0, 2), (1, 2)))
    wx, wy, wz = (flat[:, i, j] - flat[:, j, i] for i, j in ((2, 1), (0, 2), (1, 0)))
    outer = np.array(
        [
            [1 + xx + yy + zz, wx, wy, wz],
            [wx, 1 + xx - yy - zz, xy, xz],
            [wy, xy, 1 - xx + yy - zz, yz],
            [wz, xz, yz, 1 - xx - yy + zz],
        ]
    )
    largest = np.argmax(np.einsum("iik->ik", outer), axis=0)
    e = outer[:, largest, np.arange(len(flat))].T
    e = e / np.linalg.norm(e, axis=-1, keepdims=True)
    told = np.abs(e) > 1e-15
    first = e[np.arange(len(e)), np.argmax(told, axis=1)]
    return (e * np.where(first < 0.0, -1.0, 1.0)[:, None]).reshape(*R.shape[:-2], 4)


def from_quaternions(e: Doubles) -> Doubles:
    """R of quaternions of any length but 0."""
    w, x, y, z = np.moveaxis(e / np.linalg.norm(e, axis=-1, keepdims=True), -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def vectors_of(R: Doubles) -> Doubles:
    """Rotation vectors: the axis times the angle, within half a turn."""
    e = quaternions(R)
    size = np.linalg.norm(e[..., 1:], axis=-1)
    angle = 2.0 * np.arctan2(size, e[..., 0])
    factor = np.where(size > 0.0, angle / np.where(size > 0.0, size, 1.0), 2.0)
    return np.asarray(e[..., 1:] * factor[..., None])


def from_vectors(v: Doubles) -> Doubles:
    """R of rotation vectors (Rodrigues)."""
    angle = np.linalg.norm(v, axis=-1)
    half = angle / 2
    factor = np.where(angle > 0.0, np.sin(half) / np.where(angle > 0.0, angle, 1.0), 0.5)
    return from_quaternions(np.concatenate([np.cos(half)[..., None], factor[..., None] * v], axis=-1))
