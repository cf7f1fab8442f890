"""The same tree in another shape: one joint a body, frames in the joints, other names, another zero configuration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.naming import unique
from closedchain.exchange.tree import Body, Frame, Relation, Tree


def single_jointed(tree: Tree) -> Tree:
    """Every body with one joint at most: one with several becomes a chain whose inner bodies have no mass."""
    taken = set(tree.index)
    bodies: list[Body] = []
    for body in tree.bodies:
        inner = [unique(f"{joint.name}_link", taken) for joint in body.joints[:-1]]
        names, parents = [*inner, body.name], [body.parent, *inner]
        if not inner:
            bodies.append(body)
            continue
        for i, (name, parent, joint) in enumerate(zip(names, parents, body.joints, strict=True)):
            link = (
                Body(name, parent, joints=(joint,))
                if name != body.name
                else replace(body, parent=parent, joints=(joint,))
            )
            first = (body.position, body.rotation) if i == 0 else (np.zeros(3), np.eye(3))
            bodies.append(replace(link, position=first[0], rotation=first[1]))
    return replace(tree, bodies=tuple(bodies))


def jointed_at_origin(tree: Tree) -> Tree:
    """Every body's frame moved to its joint; frames, loops and children are moved against it. One joint a body."""
    shifts: dict[str, Doubles] = {b.name: b.joints[0].at for b in tree.bodies if b.joints}
    zero = np.zeros(3)

    def moved(frame: Frame) -> Frame:
        return replace(frame, at=frame.at - shifts.get(frame.body, zero))

    bodies = []
    for body in tree.bodies:
        shift = shifts.get(body.name, zero)
        position = body.position - shifts.get(body.parent, zero) + body.rotation @ shift
        joints = tuple(replace(joint, at=zero) for joint in body.joints)
        bodies.append(replace(body, position=position, centre=body.centre - shift, joints=joints))
    own = [Frame(f"{b.name}_frame", b.name, -shifts[b.name]) for b in tree.bodies if shifts.get(b.name, zero).any()]
    return replace(
        tree,
        bodies=tuple(bodies),
        frames=(*map(moved, tree.frames), *own),
        loops=tuple(replace(loop, a=moved(loop.a), b=moved(loop.b)) for loop in tree.loops),
        links=tuple(replace(link, a=moved(link.a), b=moved(link.b)) for link in tree.links),
        twists=tuple(replace(twist, frames=tuple(map(moved, twist.frames))) for twist in tree.twists),
    )


def is_flat(tree: Tree) -> bool:
    """Whether every hinge turns about the world's z and every slide runs across it."""
    turned = {"world": np.eye(3)}
    for body in tree.bodies:
        turned[body.name] = turned[body.parent] @ body.rotation
        for joint in body.joints:
            up = abs(float((turned[body.name] @ joint.axis)[2]))
            if joint.kind in ("ball", "free") or (joint.kind == "hinge" and up < 1 - 1e-9):
                return False
            if joint.kind == "slide" and up > 1e-9:
                return False
    return True


def joints_apart(tree: Tree) -> Tree:
    """The tree whose joints and loops bear no body's name, as in SDF, which has one space of names."""
    taken = {*tree.index, *(j.name for j in tree.joints if j.name not in tree.index)}
    named = {j.name: unique(f"{j.name}_joint", taken) for j in tree.joints if j.name in tree.index}

    def other(relation: Relation) -> Relation:
        others = tuple((named.get(name, name), coefficients) for name, coefficients in relation.others)
        return replace(relation, joint=named.get(relation.joint, relation.joint), others=others)

    bodies = [
        replace(b, joints=tuple(replace(j, name=named.get(j.name, j.name)) for j in b.joints)) for b in tree.bodies
    ]
    return replace(
        tree,
        bodies=tuple(bodies),
        loops=tuple(replace(loop, name=unique(loop.name, taken)) for loop in tree.loops),
        relations=tuple(map(other, tree.relations)),
        drives=tuple(named.get(name, name) for name in tree.drives),
        start={named.get(name, name): values for name, values in tree.start.items()},
    )


def standing(tree: Tree, v: Doubles) -> Tree:
    """The same tree whose zero configuration is v, one joint a body: SDF tells loops by where they close."""
    single = single_jointed(tree)
    posture, zero = Posture(single, v), {j.name: v[single.columns[j.name]] for j in single.joints}
    bodies = []
    for body in single.bodies:
        (R_up, p_up, *_), (R, p, *_) = posture.body(body.parent), posture.body(body.name)
        joints = [replace(j, zero=j.zero + float(zero[j.name].sum())) if j.freedoms == 1 else j for j in body.joints]
        bodies.append(replace(body, position=R_up.T @ (p - p_up), rotation=R_up.T @ R, joints=tuple(joints)))

    def moved(relation: Relation) -> Relation:
        """value + v₀ = offset + Σ f(w + w₀): each f is expanded about its w₀."""
        offset, others = relation.offset - float(zero[relation.joint][0]), []
        for name, coefficients in relation.others:
            shifted = np.polynomial.Polynomial([0.0, *coefficients])(
                np.polynomial.Polynomial([float(zero[name][0]), 1.0])
            )
            offset += float(shifted.coef[0])
            others.append((name, tuple(map(float, shifted.coef[1:]))))
        return replace(relation, offset=offset, others=tuple(others))

    relations = tuple(map(moved, single.relations))
    return replace(single, bodies=tuple(bodies), relations=relations, closed=True, start={})
