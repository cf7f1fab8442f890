"""A part of a tree: what hangs on one of its bodies, which becomes the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from closedchain.exchange.kinematics import Posture
from closedchain.exchange.tree import GROUND, BadTree, Body, Frame, Tree


def part_of(tree: Tree, root: str) -> tuple[Tree, tuple[str, ...]]:
    """The bodies that hang on `root`, with their loops, drives and springs; and what else they were tied to.

    Gravity is as `root` stands in the file's zero configuration.
    """
    if root not in tree.index or root == GROUND:
        raise BadTree(f"{tree.name}: no body {root!r:.60}; there are {', '.join(b.name for b in tree.bodies[:40])}")
    kept = {root}
    for body in tree.bodies:
        if body.parent in kept:
            kept.add(body.name)
    bodies = tuple(replace(b, parent=_named(b.parent, root)) for b in tree.bodies if b.name in kept - {root})
    joints = {joint.name for body in bodies for joint in body.joints}
    loops = [loop for loop in tree.loops if {loop.a.body, loop.b.body} <= kept]
    links = [link for link in tree.links if {link.a.body, link.b.body} <= kept]
    relations = [r for r in tree.relations if {r.joint, *(other for other, _ in r.others)} <= joints]
    cut = [loop.name for loop in tree.loops if loop not in loops and {loop.a.body, loop.b.body} & kept]
    cut += [r.name for r in tree.relations if r not in relations and r.joint in joints]
    R = Posture(tree, np.zeros(tree.nv)).body(root)[0]
    made = replace(
        tree,
        name=f"{tree.name}_{root}",
        bodies=bodies,
        loops=tuple(replace(loop, a=_moved(loop.a, root), b=_moved(loop.b, root)) for loop in loops),
        frames=tuple(_moved(frame, root) for frame in tree.frames if frame.body in kept),
        links=tuple(replace(link, a=_moved(link.a, root), b=_moved(link.b, root)) for link in links),
        relations=tuple(relations),
        gravity=R.T @ tree.gravity,
        drives=tuple(drive for drive in tree.drives if drive in joints),
        output=tree.output if _has(bodies, tree, tree.output) else "",
        start={name: values for name, values in tree.start.items() if name in joints},
    )
    return made, (f"cut from {root} on: {', '.join(cut)} are left open",) if cut else ()


def _named(body: str, root: str) -> str:
    return GROUND if body == root else body


def _moved(frame: Frame, root: str) -> Frame:
    return replace(frame, body=_named(frame.body, root))


def _has(bodies: tuple[Body, ...], tree: Tree, output: str) -> bool:
    names = {body.name for body in bodies}
    return output in names or any(frame.name == output and frame.body in names for frame in tree.frames)
