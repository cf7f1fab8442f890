"""Where the bodies of a tree are, how they move, and by how much its loops are open."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.tree import Body, Frame, Joint, Loop, Relation, Tree


@dataclass(frozen=True, eq=False)
class Posture:
    """A tree with its joints at v."""

    tree: Tree
    v: Doubles  # (nv,)

    @cached_property
    def _walked(self) -> tuple[list[Doubles], list[Doubles], list[Doubles], list[Doubles]]:
        """Rotations, origins, and the columns of turning rate and origin's velocity of each body, parents first."""
        R: list[Doubles] = []
        p: list[Doubles] = []
        turning: list[Doubles] = []  # (3, nv)
        moving: list[Doubles] = []  # (3, nv)
        for body in self.tree.bodies:
            i = self.tree.index[body.parent]
            above = (R[i], p[i], turning[i], moving[i]) if i >= 0 else self._ground
            placed = _walk(self.tree, body, self.v, *above)
            for row, item in zip((R, p, turning, moving), placed, strict=True):
                row.append(item)
        return R, p, turning, moving

    @property
    def _ground(self) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        return np.eye(3), np.zeros(3), np.zeros((3, self.tree.nv)), np.zeros((3, self.tree.nv))

    def body(self, name: str) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """R (3, 3), origin (3,), columns of turning rate and of the origin's velocity (3, nv)."""
        i = self.tree.index[name]
        if i < 0:
            return self._ground
        R, p, turning, moving = self._walked
        return R[i], p[i], turning[i], moving[i]

    def frame(self, frame: Frame) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """The same of a place on a body."""
        R, p, turning, moving = self.body(frame.body)
        lever = R @ frame.at
        return R @ frame.rotation, p + lever, turning, moving - cross_matrix(lever) @ turning

    def gap(self) -> Doubles:
        """What the loops' equations leave, (rows,): metres and radians."""
        rows = [self._loop(loop)[0] for loop in self.tree.loops]
        rows += [np.array([self._relation(relation)[0]]) for relation in self.tree.relations]
        return np.concatenate(rows or [np.zeros(0)])

    def constraint(self) -> Doubles:
        """The rows' derivatives by the joints, (rows, nv); exact where the loops are closed."""
        rows = [self._loop(loop)[1] for loop in self.tree.loops]
        rows += [self._relation(relation)[1][None] for relation in self.tree.relations]
        return np.concatenate(rows or [np.zeros((0, self.tree.nv))])

    def _relation(self, relation: Relation) -> tuple[float, Doubles]:
        """By how much a joint misses what it follows, and the derivative."""
        column = self.tree.columns[relation.joint].start
        gap, row = float(self.v[column]) - relation.offset, np.eye(self.tree.nv)[column]
        for other, coefficients in relation.others:
            column = self.tree.columns[other].start
            polynomial = np.polynomial.Polynomial([0.0, *coefficients])
            gap -= float(polynomial(self.v[column]))
            row[column] -= float(polynomial.deriv()(self.v[column]))
        return gap, row

    def mass_matrix(self) -> Doubles:
        """M of ½ v̇ᵀ M v̇, (nv, nv)."""
        M = np.diag(np.concatenate([np.full(j.freedoms, j.armature) for j in self.tree.joints] or [np.zeros(0)]))
        for body in self.tree.bodies:
            R, _, turning, _ = self.body(body.name)
            moving = self.frame(Frame("", body.name, body.centre))[3]
            M = M + body.mass * moving.T @ moving + turning.T @ R @ body.inertia @ R.T @ turning
        return M

    def weight(self) -> float:
        """Potential energy of gravity [J]."""
        rows = (
            body.mass * self.tree.gravity @ self.frame(Frame("", body.name, body.centre))[1]
            for body in self.tree.bodies
        )
        return -float(sum(rows))

    def _loop(self, loop: Loop) -> tuple[Doubles, Doubles]:
        R_a, p_a, w_a, v_a = self.frame(loop.a)
        R_b, p_b, w_b, v_b = self.frame(loop.b)
        d, turning = p_b - p_a, w_b - w_a
        shift = R_a.T @ d
        shifting = R_a.T @ (v_b - v_a + cross_matrix(d) @ w_a)
        if loop.kind == "point":
            return shift, shifting
        if loop.kind == "distance":
            size = float(np.linalg.norm(d))
            return np.array([size - loop.length]), (d / max(size, 1e-300) @ (v_b - v_a))[None]
        if loop.kind == "plane":
            return loop.axis[None] @ shift, loop.axis[None] @ shifting
        if loop.kind == "incline":
            one, other = R_a @ loop.axis, R_b[:, 2]
            return np.array([one @ other - loop.cosine]), (np.cross(one, other) @ -turning)[None]
        across = sides(loop.axis)  # (2, 3)
        if loop.kind == "line":
            return across @ shift, across @ shifting
        turned = R_a.T @ R_b
        if loop.kind == "hinge":
            axis = turned @ loop.axis
            rows = across @ axis, across @ -cross_matrix(axis) @ R_a.T @ turning
            return np.concatenate([shift, rows[0]]), np.concatenate([shifting, rows[1]])
        rotation = rotation_vector(turned), R_a.T @ turning
        if loop.kind == "slide":
            return np.concatenate([across @ shift, rotation[0]]), np.concatenate([across @ shifting, rotation[1]])
        return np.concatenate([shift, rotation[0]]), np.concatenate([shifting, rotation[1]])


def _walk(
    tree: Tree, body: Body, v: Doubles, R: Doubles, p: Doubles, turning: Doubles, moving: Doubles
) -> tuple[Doubles, Doubles, Doubles, Doubles]:
    """From the parent's frame through the body's place and its joints."""
    lever = R @ body.position
    R, p, moving = R @ body.rotation, p + lever, moving - cross_matrix(lever) @ turning
    for joint in body.joints:
        R, p, turning, moving = _step(
            joint, v[tree.columns[joint.name]], tree.columns[joint.name], R, p, turning, moving
        )
    return R, p, turning, moving


def _step(
    joint: Joint, value: Doubles, columns: slice, R: Doubles, p: Doubles, turning: Doubles, moving: Doubles
) -> tuple[Doubles, Doubles, Doubles, Doubles]:
    turning, moving = turning.copy(), moving.copy()
    if joint.kind == "slide":
        axis = R @ joint.axis
        moved = float(value[0]) * axis
        moving -= cross_matrix(moved) @ turning
        moving[:, columns.start] += axis
        return R, p + moved, turning, moving
    if joint.kind == "free":
        moved = R @ value[:3]
        moving -= cross_matrix(moved) @ turning
        moving[:, columns.start : columns.start + 3] += R
        R, p, columns, value = R, p + moved, slice(columns.start + 3, columns.stop), value[3:]
    if joint.kind == "fixed":
        return R, p, turning, moving
    turn = rotation(joint.axis * value[0]) if joint.kind == "hinge" else rotation(value)
    old, new = R @ joint.at, R @ turn @ joint.at
    axes = (R @ joint.axis)[:, None] if joint.kind == "hinge" else R @ turn  # a ball's rate is in the body's frame
    moving += cross_matrix(new - old) @ turning
    R, p = R @ turn, p + old - new
    turning[:, columns] += axes
    moving[:, columns] += cross_matrix(new) @ axes
    return R, p, turning, moving


def rotation(vector: Doubles) -> Doubles:
    """exp of a rotation vector, (3, 3); of 1e300 turns too, whose square is beyond doubles."""
    angle = math.hypot(*vector)
    if angle == 0.0:
        return np.eye(3)
    K = cross_matrix(vector / angle)
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def rotation_vector(R: Doubles) -> Doubles:
    """log of a rotation, |vector| ≤ π."""
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    sine, cosine = float(np.linalg.norm(skew)), (float(np.trace(R)) - 1.0) / 2
    angle = float(np.arctan2(sine, cosine))
    if sine > 1e-9:
        return skew * (angle / sine)
    if cosine > 0.0:
        return skew
    axis = np.sqrt(np.maximum((np.diag(R) + 1.0) / 2, 0.0))  # half a turn
    i = int(np.argmax(axis))
    return np.pi * (R[i] + np.eye(3)[i]) / np.linalg.norm(R[i] + np.eye(3)[i])


def cross_matrix(a: Doubles) -> Doubles:
    """[a×], (3, 3)."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def sides(axis: Doubles) -> Doubles:
    """Two unit vectors across an axis, (2, 3)."""
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, helper)
    first = first / np.linalg.norm(first)
    return np.stack([first, np.cross(axis, first)])
