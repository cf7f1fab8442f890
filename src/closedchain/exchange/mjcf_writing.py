"""Tree → MJCF: nested bodies under one root, loops as `connect` and `weld`, drives as motors."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from xml.etree import ElementTree

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.naming import unique
from closedchain.exchange.reshaping import is_flat
from closedchain.exchange.rotations import to_quaternion, written
from closedchain.exchange.shapes import WIDTH, segments, size
from closedchain.exchange.tree import GROUND, Body, Frame, Joint, Loop, Relation, Tree

OUTPUT, FLOORS = "closedchain_output", "closedchain_floors"
FLOOR = 1e-9  # of the whole mass: what a massless moving body is given
SLIGHT = 1e-12  # of mass × size²: what a body without inertia is given
MARGIN = 1e-12  # by which the sum of two moments of inertia exceeds the third, against rounding
LEAST = 1e-14  # MuJoCo refuses less than 1e-15
STIFF = {"solref": "0.002 1", "solimp": "0.9999 0.9999 0.001 0.5 2"}  # as hard as steps of half a millisecond allow


@dataclass(frozen=True)
class Written:
    """A model file's text, what it cannot say, and the bodies that were given a mass or inertia they do not have."""

    text: str
    notes: tuple[str, ...] = ()
    floors: tuple[str, ...] = ()  # "body:mass" or "body:inertia"


def to_mjcf(tree: Tree, floor: float = FLOOR) -> Written:
    """The tree as an MJCF model; `floor` is the share of the whole mass that a massless body is given."""
    return _Writer(tree, floor).write()


def floored(tree: Tree, floor: float = FLOOR) -> tuple[Tree, tuple[str, ...], tuple[str, ...]]:
    """The tree with a mass and inertia for every body, the floors that this took, a note for each massless body."""
    whole, extent = sum(b.mass for b in tree.bodies) or 1.0, size(tree)
    bodies, floors, notes = [], [], []
    for body in tree.bodies:
        mass, centre = body.mass, body.centre
        if mass <= 0.0:
            mass, centre = max(floor * whole, LEAST), body.joints[0].at if body.joints else body.centre
            floors.append(f"{body.name}:mass")
            notes.append(f"{body.name} has no mass; it was given {mass:.2g} kg, {floor:.0e} of the whole")
        inertia, given = _regular(body.inertia, max(SLIGHT * mass * extent**2, LEAST))
        floors += [f"{body.name}:inertia"] if given else []
        bodies.append(replace(body, mass=mass, centre=centre, inertia=inertia))
    return replace(tree, bodies=tuple(bodies)), tuple(floors), tuple(notes)


def _regular(inertia: Doubles, least: float) -> tuple[Doubles, bool]:
    """An inertia that a body can have: positive, the largest at most the sum of the others; whether it was none."""
    if not inertia.any():
        return least * np.eye(3), True
    sizes, axes = np.linalg.eigh(inertia)
    wanted = np.maximum(sizes, least)
    lack = max(float(wanted[2] * (1 + MARGIN) - wanted[0] - wanted[1]), 0.0)
    if (wanted == sizes).all() and lack == 0.0:
        return inertia, False
    wanted[:2] += lack
    return axes @ np.diag(wanted) @ axes.T, False


class _Writer:
    def __init__(self, tree: Tree, floor: float) -> None:
        self.tree, self.floors, notes = floored(tree, floor)
        self.notes = [f"MuJoCo moves no body without mass: {note}" for note in notes]
        self.root = unique("base", set(tree.index))  # one body under the world: some readers keep only the first
        self.radius, self.flat = WIDTH * size(tree), is_flat(tree)

    def write(self) -> Written:
        root = ElementTree.Element("mujoco", model=self.tree.name)
        head = f" Written by closedchain. SI units, radians; qpos of a drive is its coordinate. {' '.join(self.notes)} "
        root.append(ElementTree.Comment(head.replace("--", "−−")))
        ElementTree.SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
        ElementTree.SubElement(root, "option", gravity=written(self.tree.gravity), timestep="0.0005")
        self.custom(root)
        world = ElementTree.SubElement(root, "worldbody")
        base = ElementTree.SubElement(world, "body", name=self.root)
        ElementTree.SubElement(base, "inertial", pos="0 0 0", mass="0", diaginertia="0 0 0")  # Pinocchio asks for one
        self.frames(base, GROUND)
        nested = {GROUND: base}
        for body in self.tree.bodies:
            floats = any(joint.kind == "free" for joint in body.joints)  # MuJoCo wants these in the world itself
            nested[body.name] = self.body(world if floats else nested[body.parent], body)
        self.equality(root)
        self.tendons(root)
        if self.tree.drives:
            actuator = ElementTree.SubElement(root, "actuator")
            for drive in self.tree.drives:
                ElementTree.SubElement(actuator, "motor", name=drive, joint=drive)
        ElementTree.indent(root)
        return Written(ElementTree.tostring(root, encoding="unicode") + "\n", tuple(self.notes), self.floors)

    def custom(self, root: ElementTree.Element) -> None:
        """What MJCF has no word for: the output, and which masses are only there for MuJoCo."""
        said = {OUTPUT: self.tree.output, FLOORS: json.dumps(self.floors) if self.floors else ""}
        if any(said.values()):
            custom = ElementTree.SubElement(root, "custom")
            for name, data in said.items():
                if data:
                    ElementTree.SubElement(custom, "text", name=name, data=data)

    def body(self, parent: ElementTree.Element, body: Body) -> ElementTree.Element:
        made = ElementTree.SubElement(parent, "body", {"name": body.name, **_pose(body.position, body.rotation)})
        for joint in body.joints:
            self.joint(made, joint)
        inertia = body.inertia
        values = (inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2])
        diagonal = not any(values[3:])
        moments = {"diaginertia": written(values[:3])} if diagonal else {"fullinertia": written(values)}
        words = {"pos": written(body.centre), "mass": written([body.mass])}
        ElementTree.SubElement(made, "inertial", words | moments)
        for a, b in segments(self.tree, body):
            ends = {"fromto": written([*a, *b]), "size": written([self.radius])}
            ElementTree.SubElement(made, "geom", {"type": "capsule", **ends, "contype": "0", "conaffinity": "0"})
        self.frames(made, body.name)
        return made

    def joint(self, made: ElementTree.Element, joint: Joint) -> None:
        if joint.kind == "fixed":
            return
        if joint.kind == "free":
            ElementTree.SubElement(made, "freejoint", name=joint.name)
            return
        words = {"name": joint.name, "type": joint.kind, "pos": written(joint.at)}
        if joint.kind != "ball":
            words |= {"axis": written(joint.axis)}
        optional = {"ref": joint.zero, "stiffness": joint.stiffness, "springref": joint.rest, "damping": joint.damping}
        words |= {k: written([v]) for k, v in (optional | {"armature": joint.armature}).items() if v}
        ElementTree.SubElement(made, "joint", words)

    def frames(self, made: ElementTree.Element, body: str) -> None:
        for frame in self.tree.frames:
            if frame.body == body:
                ElementTree.SubElement(made, "site", {"name": frame.name, **_pose(frame.at, frame.rotation)})
        if not self.tree.closed:
            hinges = [self.ahead(loop) for loop in self.tree.loops if loop.kind == "hinge" and not self.flat]
            for loop in (*self.tree.loops, *hinges):
                for side in (loop.a, loop.b):
                    if side.body == body:
                        words = {"name": _site(loop, side), **_pose(side.at, side.rotation)}
                        ElementTree.SubElement(made, "site", words)

    def equality(self, root: ElementTree.Element) -> None:
        if not self.tree.loops and not self.tree.relations:
            return
        equality = ElementTree.SubElement(root, "equality")
        for loop in self.tree.loops:
            if loop.kind == "weld":
                ElementTree.SubElement(equality, "weld", {"name": loop.name, **self.ends(loop), **STIFF})
            elif loop.kind in ("point", "hinge"):
                ElementTree.SubElement(equality, "connect", {"name": loop.name, **self.ends(loop), **STIFF})
                if loop.kind == "hinge" and not self.flat:
                    words = {"name": f"{loop.name}_axis", **self.ends(self.ahead(loop)), **STIFF}
                    ElementTree.SubElement(equality, "connect", words)
            else:
                self.notes.append(f"loop {loop.name} is a {loop.kind}; MJCF has no equality for it, it was left open")

        for relation in self.tree.relations:
            self.coupling(root, equality, relation)

    def coupling(self, root: ElementTree.Element, equality: ElementTree.Element, relation: Relation) -> None:
        """A polynomial of one joint; a sum of several is a tendon that keeps its length."""
        words = {"name": relation.name, **STIFF}
        if len(relation.others) <= 1:
            other, coefficients = relation.others[0] if relation.others else ("", ())
            words |= {"joint1": relation.joint} | ({"joint2": other} if other else {})
            polynomial = [relation.offset, *coefficients, *[0.0] * 4][:5]
            ElementTree.SubElement(equality, "joint", words | {"polycoef": written(polynomial)})
            return
        tendon = ElementTree.SubElement(ElementTree.SubElement(root, "tendon"), "fixed", name=f"{relation.name}_sum")
        for joint, factor in ((relation.joint, 1.0), *((n, -c[0]) for n, c in relation.others)):
            ElementTree.SubElement(tendon, "joint", joint=joint, coef=written([factor]))
        words |= {"tendon1": f"{relation.name}_sum", "polycoef": written([relation.offset, 0.0, 0.0, 0.0, 0.0])}
        ElementTree.SubElement(equality, "tendon", words)

    def ends(self, loop: Loop) -> dict[str, str]:
        if not self.tree.closed:
            return {"site1": _site(loop, loop.a), "site2": _site(loop, loop.b)}
        names = {"body1": self.named(loop.a.body), "body2": self.named(loop.b.body)}
        if loop.kind == "weld":
            R = loop.a.rotation @ loop.b.rotation.T
            relative = [*(loop.a.at - R @ loop.b.at), *to_quaternion(R)]
            return names | {"anchor": written(loop.b.at), "relpose": written(relative)}
        return names | {"anchor": written(loop.a.at)}

    def ahead(self, loop: Loop) -> Loop:
        """A hinge's second place, further along its axis."""
        reach = size(self.tree) * loop.axis
        a, b = (replace(side, at=side.at + side.rotation @ reach) for side in (loop.a, loop.b))
        return replace(loop, name=f"{loop.name}_axis", a=a, b=b)

    def named(self, body: str) -> str:
        return self.root if body == GROUND else body

    def tendons(self, root: ElementTree.Element) -> None:
        """Springs and dampers between places."""
        if not self.tree.links:
            return
        tendon = ElementTree.SubElement(root, "tendon")
        for link in self.tree.links:
            words = {"stiffness": link.stiffness, "springlength": link.rest, "damping": link.damping}
            texts = {"name": link.name, **{k: written([v]) for k, v in words.items()}}
            made = ElementTree.SubElement(tendon, "spatial", texts)
            for side in (link.a, link.b):
                ElementTree.SubElement(made, "site", site=side.name)


def _site(loop: Loop, side: Frame) -> str:
    return f"{loop.name}_{'a' if side is loop.a else 'b'}"


def _pose(position: Doubles, rotation: Doubles) -> dict[str, str]:
    words = {"pos": written(position)} if position.any() else {}
    return words | ({} if np.array_equal(rotation, np.eye(3)) else {"quat": written(to_quaternion(rotation))})
