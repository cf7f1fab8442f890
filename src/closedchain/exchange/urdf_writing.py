"""Tree → URDF, and the YAML beside it that closes its loops, as the Gepetto models have it.

URDF is a tree and knows neither loops nor gravity nor frames: a place is a massless link on a fixed joint, a loop two
such links that the YAML names, a ball a hinge that the YAML makes one. `output`, `zero` and `gravity` in the YAML are
ours; other readers pass over them.
"""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.mjcf_writing import Written
from closedchain.exchange.naming import unique
from closedchain.exchange.reshaping import jointed_at_origin, single_jointed
from closedchain.exchange.rotations import onto, to_rpy, written
from closedchain.exchange.shapes import WIDTH, segments, size
from closedchain.exchange.tree import GROUND, Body, Frame, Joint, Loop, Relation, Tree

TYPES = {"hinge": "continuous", "slide": "prismatic", "fixed": "fixed", "free": "floating", "ball": "continuous"}
LOOPS = {"point": "3d", "weld": "6d"}
WIDE = 100.0  # times the tree's size: the range that URDF wants for a slide


def to_urdf(tree: Tree) -> tuple[Written, str]:
    """The URDF, and its YAML of closed loops."""
    return _Writer(tree).write()


class _Writer:
    def __init__(self, tree: Tree) -> None:
        self.tree = jointed_at_origin(single_jointed(tree))
        self.notes: list[str] = []
        self.taken = {*tree.index, *(f.name for f in self.tree.frames)}  # names of links
        self.fixed = {j.name for j in self.tree.joints}  # names of joints
        self.size, self.root = size(tree), unique("base", self.taken)
        self.closed: list[tuple[str, str, str]] = []  # the two frames, and the type

    def write(self) -> tuple[Written, str]:
        root = ElementTree.Element("robot", name=self.tree.name)
        ElementTree.SubElement(root, "link", name=self.root)
        for body in self.tree.bodies:
            self.link(root, body)
        for body in self.tree.bodies:
            joint = body.joints[0] if body.joints else Joint(unique(f"{body.name}_fixed", self.fixed), "fixed")
            self.joint(root, body, joint)
        for frame in self.tree.frames:
            self.frame(root, frame)
        for number, loop in enumerate(self.tree.loops, start=1):
            self.loop(root, number, loop)
        for link in self.tree.links:
            self.notes.append(f"URDF has no spring or damper between points; {link.name} was left out")
        ElementTree.indent(root)
        text = ElementTree.tostring(root, encoding="unicode") + "\n"
        return Written(text, tuple(self.notes)), self.yaml()

    def yaml(self) -> str:
        """One key a line, each with a list or a word."""
        zeros = [self.tree.joint(drive).zero for drive in self.tree.drives]
        lines = [
            f"closed_loop: {json.dumps([[a, b] for a, b, _ in self.closed])}",
            f"type: {json.dumps([kind for *_, kind in self.closed])}",
            f"name_mot: {json.dumps(list(self.tree.drives))}",
            f"zero: {json.dumps(zeros)}",
            f"gravity: {json.dumps([float(g) + 0.0 for g in self.tree.gravity])}",
        ]
        balls = [joint.name for joint in self.tree.joints if joint.kind == "ball"]
        if balls:
            lines += [f"joint_name: {json.dumps(balls)}", f"joint_type: {json.dumps(['SPHERICAL'] * len(balls))}"]
        own = f"{self.tree.output}_frame"  # where a link's own frame has moved to its joint
        output = own if any(f.name == own for f in self.tree.frames) else self.tree.output
        return "\n".join([*lines, *([f"output: {json.dumps(output)}"] if output else [])]) + "\n"

    def link(self, root: ElementTree.Element, body: Body) -> None:
        made = ElementTree.SubElement(root, "link", name=body.name)
        for a, b in segments(self.tree, body):
            self.visual(made, a, b)
        if not body.mass and not body.inertia.any():
            return
        inertial = ElementTree.SubElement(made, "inertial")
        _origin(inertial, body.centre, np.eye(3))
        ElementTree.SubElement(inertial, "mass", value=written([body.mass]))
        pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
        moments = {f"i{'xyz'[i]}{'xyz'[j]}": written([body.inertia[i, j]]) for i, j in pairs}
        ElementTree.SubElement(inertial, "inertia", moments)

    def visual(self, link: ElementTree.Element, a: Doubles, b: Doubles) -> None:
        made = ElementTree.SubElement(link, "visual")
        length = float(np.linalg.norm(b - a))
        _origin(made, (a + b) / 2, onto((b - a) / length))
        geometry = ElementTree.SubElement(made, "geometry")
        ElementTree.SubElement(geometry, "cylinder", radius=written([WIDTH * self.size]), length=written([length]))

    def follow(self, made: ElementTree.Element, relation: Relation) -> None:
        """A joint that mimics another."""
        if len(relation.others) != 1 or not relation.linear:
            self.notes.append(f"the coupling {relation.name} is left out: in URDF a joint follows one other, linearly")
            return
        other, (ratio, *_) = relation.others[0]
        words = {"joint": other, "multiplier": written([ratio]), "offset": written([relation.offset])}
        ElementTree.SubElement(made, "mimic", words)

    def joint(self, root: ElementTree.Element, body: Body, joint: Joint) -> None:
        made = ElementTree.SubElement(root, "joint", name=joint.name, type=TYPES[joint.kind])
        _origin(made, body.position, body.rotation)
        ElementTree.SubElement(made, "parent", link=self.named(body.parent))
        ElementTree.SubElement(made, "child", link=body.name)
        if joint.kind in ("hinge", "slide"):
            ElementTree.SubElement(made, "axis", xyz=written(joint.axis))
        if joint.kind == "slide":
            reach = written([WIDE * self.size])
            ElementTree.SubElement(made, "limit", lower=f"-{reach}", upper=reach, effort="1e6", velocity="1e6")
        for relation in self.tree.relations:
            if relation.joint == joint.name:
                self.follow(made, relation)
        if joint.damping:
            ElementTree.SubElement(made, "dynamics", damping=written([joint.damping]))
        if joint.stiffness:
            self.notes.append(f"URDF has no springs; {joint.stiffness:.3g} on {joint.name} was left out")
        if joint.armature:
            self.notes.append(f"URDF has no rotor inertia; {joint.armature:.3g} on {joint.name} was left out")

    def named(self, body: str) -> str:
        return self.root if body == GROUND else body

    def frame(self, root: ElementTree.Element, frame: Frame) -> None:
        """A massless link on a fixed joint."""
        made = ElementTree.SubElement(root, "joint", name=unique(f"{frame.name}_fixed", self.fixed), type="fixed")
        _origin(made, frame.at, frame.rotation)
        ElementTree.SubElement(made, "parent", link=self.named(frame.body))
        ElementTree.SubElement(made, "child", link=frame.name)
        ElementTree.SubElement(root, "link", name=frame.name)

    def loop(self, root: ElementTree.Element, number: int, loop: Loop) -> None:
        kind = LOOPS.get(loop.kind)
        if kind is None:
            self.notes.append(f"loop {loop.name} is a {loop.kind}; the YAML knows points and welds, it was left open")
            return
        names = tuple(unique(f"closedloop{kind.upper()}_{number}{side}", self.taken) for side in "AB")
        for name, side in zip(names, (loop.a, loop.b), strict=True):
            self.frame(root, Frame(name, side.body, side.at, side.rotation))
        self.closed.append((names[0], names[1], kind))


def _origin(parent: ElementTree.Element, position: Doubles, rotation: Doubles) -> None:
    ElementTree.SubElement(parent, "origin", xyz=written(position), rpy=written(to_rpy(rotation)))
