"""The same tree in another shape: one joint a body, bodies whose frames stand in their joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.naming import unique
from closedchain.exchange.tree import Body, Frame, Tree


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
