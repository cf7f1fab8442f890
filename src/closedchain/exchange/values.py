"""The tree's joint values and rates for a robot's (q, x): signs, offsets and all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.elements import Ball, Crank, Slider, Telescope
from closedchain.describe.elements import Body as Solid
from closedchain.errors import NoSolution
from closedchain.exchange.from_mechanism import Embedding
from closedchain.exchange.parts import Part
from closedchain.exchange.placing import Configuration, Pose, about_z
from closedchain.exchange.spanning import Edge
from closedchain.exchange.tree import Body
from closedchain.model.orientation import vectors_of

Rows = list[Doubles]
LOCKED = 1e-9  # cosine of the second hinge's angle at which two hinges are as one


def joint_values(embedding: Embedding, q: ArrayLike, x: ArrayLike) -> Doubles:
    """The tree's joint values at (q, x), (*batch, nv); passive angles are in (−π, π] unless relations count them."""
    model = embedding.model
    q_, x_ = _batched(vectors(q, model.nq, "q"), vectors(x, model.nx, "x"))
    return _joints(embedding, q_, x_, np.zeros_like(q_), np.zeros_like(x_))[0]


def joint_rates(embedding: Embedding, q: ArrayLike, x: ArrayLike, q_dot: ArrayLike, x_dot: ArrayLike) -> Doubles:
    """The rates of the tree's joint values, (*batch, nv)."""
    model = embedding.model
    sizes = {"q": (q, model.nq), "x": (x, model.nx), "q_dot": (q_dot, model.nq), "x_dot": (x_dot, model.nx)}
    return _joints(embedding, *_batched(*(vectors(given, n, name) for name, (given, n) in sizes.items())))[1]


def _batched(*arrays: Doubles) -> tuple[Doubles, ...]:
    shape = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
    return tuple(np.broadcast_to(a, (*shape, a.shape[-1])) for a in arrays)


def _joints(e: Embedding, q: Doubles, x: Doubles, q_dot: Doubles, x_dot: Doubles) -> tuple[Doubles, Doubles]:
    now = Configuration(e.model, q, x, q_dot, x_dot)
    poses = {e.edges[0].parent: now.pose(e.edges[0].parent)}
    values: Rows = []
    rates: Rows = []
    for edge, body in zip(e.edges, e.tree.bodies, strict=True):
        parent = poses[edge.parent]
        if len(body.joints) == 2 and body.joints[0].kind == "hinge":
            pose, value, rate = _universal(now, edge.child, parent, body)
        else:
            pose = _carried(now.pose(edge.child), parent, body)
            value, rate = _single(now, edge, parent, pose, body)
        poses[edge.child] = pose
        if e.tree.relations and body.joints[0].kind == "hinge":
            value = [_counted(e, now, edge, value[0])] if len(value) == 1 else value
        values += value
        rates += rate
    return np.stack(values, axis=-1), np.stack(rates, axis=-1)


def _counted(e: Embedding, now: Configuration, edge: Edge, value: Doubles) -> Doubles:
    """A hinge's angle counted on, as relations between joints need it, where the angles of both sides are."""
    zero = Configuration(e.model, e.q, e.x, np.zeros_like(e.q), np.zeros_like(e.x))
    turns = [(c.turned(edge.child), c.turned(edge.parent)) for c in (now, zero)]
    (child, parent), (child_0, parent_0) = turns
    if child is None or parent is None or child_0 is None or parent_0 is None:
        return value
    counted = (child - child_0) - (parent - parent_0)
    return np.asarray(value + 2 * np.pi * np.round((counted - value) / (2 * np.pi)))


def _carried(pose: Pose, parent: Pose, body: Body) -> Pose:
    """A part that only shifts turns with its parent, also about a line along which nothing else tells its frame."""
    if any(joint.kind != "slide" for joint in body.joints):
        return pose
    return replace(pose, R=parent.R @ body.rotation, omega=parent.omega)


def _single(now: Configuration, edge: Edge, parent: Pose, child: Pose, body: Body) -> tuple[Rows, Rows]:
    """Values and rates of a drive, a hinge, or slides."""
    drive = edge.child.element
    if edge.cluster is None and isinstance(drive, Slider | Crank | Telescope) and edge.child.kind != "carrier":
        value, rate = now.drive(drive)
        return [value - body.joints[0].zero], [rate]
    if isinstance(drive, Solid):
        return _solid(now, drive, parent, child, body)
    if body.joints[0].kind == "hinge":
        turned = np.einsum("ji,...kj,...kl->...il", body.rotation, parent.R, child.R)
        axis = child.R[..., :, 2]
        return [np.arctan2(turned[..., 1, 0], turned[..., 0, 0])], [((child.omega - parent.omega) * axis).sum(axis=-1)]
    lever = child.p - parent.p
    shift = np.einsum("...ji,...j->...i", parent.R, lever) - body.position
    slip = np.einsum("...ji,...j->...i", parent.R, child.v - parent.v - np.cross(parent.omega, lever))
    axes = [body.rotation @ joint.axis for joint in body.joints]
    return [shift @ axis for axis in axes], [slip @ axis for axis in axes]


def _solid(now: Configuration, solid: Solid, parent: Pose, child: Pose, body: Body) -> tuple[Rows, Rows]:
    """Values and rates of the joint on which a body of space stands; a ball's rates are about the body's axes."""
    if solid.joint is not None and not isinstance(solid.joint, Ball):
        z, z_dot = now.coordinates(solid)
        return [z[..., 0] - body.joints[0].zero], [z_dot[..., 0]]
    base = parent.R @ body.rotation
    turned = vectors_of(np.einsum("...ji,...jk->...ik", base, child.R))
    turning = np.einsum("...ji,...j->...i", child.R, child.omega - parent.omega)
    if isinstance(solid.joint, Ball):
        return _columns(turned), _columns(turning)
    shift, slip = (np.einsum("ji,...j->...i", body.rotation, v) for v in (child.p - body.position, child.v))
    return _columns(shift) + _columns(turned), _columns(slip) + _columns(turning)


def _columns(rows: Doubles) -> Rows:
    return [rows[..., k] for k in range(rows.shape[-1])]


def _universal(now: Configuration, part: Part, parent: Pose, body: Body) -> tuple[Pose, Rows, Rows]:
    """A bar in space: u = R_parent R_0 (cos α cos β, sin α cos β, −sin β), where the first hinge is along z.

    Elsewhere it is tilted from there by γ about y, and the second hinge counts from γ.
    """
    u, u_dot = now.direction(part)
    axis = body.joints[0].axis
    gamma = np.arctan2(axis[0], axis[2])
    base = parent.R @ body.rotation @ _about_y(gamma)
    w = np.einsum("...ji,...j->...i", base, u)
    w_dot = np.einsum("...ji,...j->...i", base, u_dot - np.cross(parent.omega, u))
    across = np.hypot(w[..., 0], w[..., 1])
    if (across < LOCKED).any():
        raise NoSolution(
            f"{now.model.name}: {part.name} has turned by 90° from the tree's zero configuration, where its two hinges "
            "are as one; embed the robot at a configuration nearer to this one"
        )
    alpha, beta = np.arctan2(w[..., 1], w[..., 0]), np.arctan2(-w[..., 2], across)
    alpha_dot = (w[..., 0] * w_dot[..., 1] - w[..., 1] * w_dot[..., 0]) / across**2
    beta_dot = -w_dot[..., 2] / across
    spin = np.stack([-np.sin(alpha) * beta_dot, np.cos(alpha) * beta_dot, alpha_dot], axis=-1)
    omega = parent.omega + np.einsum("...ij,...j->...i", base, spin)
    end = now.origin_point(part)
    pose = Pose(base @ about_z(alpha) @ _about_y(beta), now.position(end), omega, now.velocity(end))
    return pose, [alpha, beta + gamma], [alpha_dot, beta_dot]


def _about_y(angle: Doubles) -> Doubles:
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    rows = [[c, zero, s], [zero, one, zero], [-s, zero, c]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
