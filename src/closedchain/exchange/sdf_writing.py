"""Tree → SDF: links placed against their parents, loops as joints whose child has a parent already."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.mjcf_writing import FLOOR, Written, floored
from closedchain.exchange.reshaping import is_flat, joints_apart, single_jointed
from closedchain.exchange.rotations import onto, to_rpy, written
from closedchain.exchange.shapes import WIDTH, segments, size
from closedchain.exchange.tree import GROUND, Body, Joint, Loop, Relation, Tree

OURS = "closedchain"  # the prefix of what SDF has no word for
NAMESPACE = "urn:closedchain:1"
TYPES = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "fixed": "fixed", "weld": "fixed"}


def to_sdf(tree: Tree, floor: float = FLOOR) -> Written:
    """The tree as an SDF world with one model; every link gets a mass, as simulators need one."""
    return _Writer(tree, floor).write()


class _Writer:
    def __init__(self, tree: Tree, floor: float) -> None:
        self.flat = is_flat(tree)
        self.tree, self.floors, notes = floored(joints_apart(single_jointed(tree)), floor)
        self.notes = [f"Gazebo moves no link without mass: {note}" for note in notes]
        self.radius = WIDTH * size(tree)

    def write(self) -> Written:
        root = ElementTree.Element("sdf", {"version": "1.9", f"xmlns:{OURS}": NAMESPACE})
        world = ElementTree.SubElement(root, "world", name="default")
        _text(world, "gravity", written(self.tree.gravity))
        model = ElementTree.SubElement(world, "model", name=self.tree.name)
        lists = {"drives": json.dumps(self.tree.drives), "floors": json.dumps(self.floors)}
        ElementTree.SubElement(model, f"{OURS}:robot", {"output": self.tree.output} | lists)
        for body in self.tree.bodies:
            self.link(model, body)
        for body in self.tree.bodies:
            if not body.joints:
                joint = Joint(f"{body.name}_fixed", "fixed")
                self.joint(model, body, joint)
            for joint in body.joints:
                self.joint(model, body, joint)
        for loop in self.tree.loops:
            self.loop(model, loop)
        taken = {joint.name for joint in self.tree.joints}  # SDF has one space of names; a drive's own point needs none
        for frame in (f for f in self.tree.frames if f.name not in taken):
            scope = world if frame.body == GROUND else model
            made = ElementTree.SubElement(scope, "frame", name=frame.name, attached_to=frame.body)
            _pose(made, frame.at, frame.rotation)
        for link in self.tree.links:
            self.notes.append(f"SDF has no spring or damper between points; {link.name} was left out")
        ElementTree.indent(root)
        return Written(ElementTree.tostring(root, encoding="unicode") + "\n", tuple(self.notes), self.floors)

    def link(self, model: ElementTree.Element, body: Body) -> None:
        made = ElementTree.SubElement(model, "link", name=body.name)
        against = {} if body.parent == GROUND else {"relative_to": body.parent}
        _pose(made, body.position, body.rotation, **against)
        inertial = ElementTree.SubElement(made, "inertial")
        _pose(inertial, body.centre, np.eye(3))
        _text(inertial, "mass", written([body.mass]))
        moments = ElementTree.SubElement(inertial, "inertia")
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            _text(moments, f"i{'xyz'[i]}{'xyz'[j]}", written([body.inertia[i, j]]))
        for number, (a, b) in enumerate(segments(self.tree, body)):
            self.visual(made, number, a, b)

    def visual(self, link: ElementTree.Element, number: int, a: Doubles, b: Doubles) -> None:
        made = ElementTree.SubElement(link, "visual", name=f"line{number}")
        length = float(np.linalg.norm(b - a))
        _pose(made, (a + b) / 2, onto((b - a) / length))
        cylinder = ElementTree.SubElement(ElementTree.SubElement(made, "geometry"), "cylinder")
        _text(cylinder, "radius", written([self.radius]))
        _text(cylinder, "length", written([length]))

    def joint(self, model: ElementTree.Element, body: Body, joint: Joint) -> None:
        if joint.kind == "free":
            return  # SDF: a link without a joint floats
        words = {"name": joint.name, "type": TYPES[joint.kind]}
        made = ElementTree.SubElement(
            model, "joint", words | ({f"{OURS}:zero": written([joint.zero])} if joint.zero else {})
        )
        _text(made, "parent", body.parent)
        _text(made, "child", body.name)
        _pose(made, joint.at, np.eye(3))
        if joint.kind in ("hinge", "slide"):
            axis = _axis(made, joint.axis)
            for relation in self.tree.relations:
                if relation.joint == joint.name:
                    self.follow(axis, relation)
            spring = {"spring_stiffness": joint.stiffness, "spring_reference": joint.rest - joint.zero}
            dynamics = {"damping": joint.damping} | (spring if joint.stiffness else {})
            if any(dynamics.values()):
                holder = ElementTree.SubElement(axis, "dynamics")
                for name, value in dynamics.items():
                    _text(holder, name, written([value]))
        if joint.armature:
            self.notes.append(f"SDF has no rotor inertia; {joint.armature:.3g} on {joint.name} was left out")

    def follow(self, axis: ElementTree.Element, relation: Relation) -> None:
        """A joint that mimics another."""
        if len(relation.others) != 1 or not relation.linear:
            self.notes.append(f"the coupling {relation.name} is left out: in SDF a joint follows one other, linearly")
            return
        other, (ratio, *_) = relation.others[0]
        mimic = ElementTree.SubElement(axis, "mimic", joint=other)
        for name, value in {"multiplier": ratio, "offset": relation.offset, "reference": 0.0}.items():
            _text(mimic, name, written([value]))

    def loop(self, model: ElementTree.Element, loop: Loop) -> None:
        kind = ("hinge" if self.flat else "ball") if loop.kind == "point" else loop.kind
        if kind not in TYPES:
            self.notes.append(f"loop {loop.name} is a {loop.kind}; SDF has no joint for it, it was left open")
            return
        made = ElementTree.SubElement(model, "joint", name=loop.name, type=TYPES[kind])
        a, b = (loop.a, loop.b) if loop.b.body != GROUND else (loop.b, loop.a)  # a child is a link, never the world
        _text(made, "parent", a.body)
        _text(made, "child", b.body)
        _pose(made, b.at, b.rotation)
        if kind in ("hinge", "slide"):
            _axis(made, loop.axis)


def _axis(joint: ElementTree.Element, direction: Doubles) -> ElementTree.Element:
    axis = ElementTree.SubElement(joint, "axis")
    _text(axis, "xyz", written(direction))
    return axis


def _pose(parent: ElementTree.Element, position: Doubles, rotation: Doubles, **words: str) -> None:
    _text(parent, "pose", written([*position, *to_rpy(rotation)]), **words)


def _text(parent: ElementTree.Element, tag: str, content: str, **words: str) -> None:
    ElementTree.SubElement(parent, tag, words).text = content
