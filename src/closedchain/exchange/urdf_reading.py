"""URDF and the YAML beside it → Tree."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.files import BadFile, read_text
from closedchain.exchange.naming import unique
from closedchain.exchange.reading import Notes, Reading, check_count, followed
from closedchain.exchange.rotations import from_rpy
from closedchain.exchange.tree import GROUND, Body, Joint, Loop, Relation, Tree
from closedchain.exchange.xml_reading import Document, read_xml
from closedchain.extras import Late

yaml = Late("yaml")

KINDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slide",
    "fixed": "fixed",
    "floating": "free",
    "spherical": "ball",
}
LOOPS = {"3d": "point", "6d": "weld"}
EARTH = np.array([0.0, 0.0, -9.81])


def read_urdf(path: Path) -> Reading:
    """The tree of a URDF file; the YAML of the same name, or robot.yaml, beside it closes its loops."""
    return _Reader(read_xml(path), path).read()


class _Reader:
    def __init__(self, document: Document, path: Path) -> None:
        self.document, self.path, self.root = document, path, document.root
        self.notes, self.relations = Notes(), list[Relation]()
        self.links = self._named("link")
        self.joints = self._named("joint")
        self.parent_joint: dict[str, Element] = {}
        for joint in self.joints.values():
            child = self._end(joint, "child")
            if child in self.parent_joint:
                raise document.problem(
                    joint, f"link {child!r:.60} hangs on two joints; URDF is a tree, close loops in YAML"
                )
            self.parent_joint[child] = joint

    def read(self) -> Reading:
        bodies = tuple(self._bodies())
        beside, settings = self._yaml()
        tree = Tree(self.root.get("name", "robot"), bodies, gravity=EARTH)
        check_count(tree, len(self.joints), 0, str(self.path))
        tree = self._retyped(tree, beside, settings)
        tree = followed(self._closed(tree, beside, settings), self.relations, self.notes)
        for tag, what in {
            "transmission": "transmissions are left out",
            "gazebo": "Gazebo's extensions are left out",
        }.items():
            if self.root.find(tag) is not None:
                self.notes.add(what)
        return Reading(tree, "urdf", len(self.joints), self.notes.lines())

    # Links and joints ---------------------------------------------------------------------------

    def _named(self, tag: str) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for element in self.root.findall(tag):
            name = element.get("name")
            if not name or name in found:
                raise self.document.problem(element, f"a {tag} needs a name of its own")
            found[name] = element
        return found

    def _end(self, joint: Element, side: str) -> str:
        holder = joint.find(side)
        link = holder.get("link") if holder is not None else None
        if link not in self.links:
            raise self.document.problem(joint, f"its {side} {link!r:.60} is no link of this file")
        return link

    def _bodies(self) -> list[Body]:
        """Parents first; the root link is the ground."""
        roots = [name for name in self.links if name not in self.parent_joint]
        if len(roots) != 1:
            raise self.document.problem(self.root, f"{len(roots)} links hang on nothing; there must be one root")
        self.root_link = roots[0]
        children: dict[str, list[Element]] = {}
        for joint in self.joints.values():
            children.setdefault(self._end(joint, "parent"), []).append(joint)
        found: list[Body] = []
        queue = [roots[0]]
        for link in queue:
            for joint in children.get(link, ()):
                found.append(self._body(joint))
                queue.append(found[-1].name)
        if len(found) != len(self.joints):
            lost = next(n for n in self.links if n not in queue)
            raise self.document.problem(self.links[lost], "hangs on itself through its joints; URDF is a tree")
        self._own(roots[0])
        return found

    def _own(self, root: str) -> None:
        if self._inertial(self.links[root])[0]:
            self.notes.add("the root link is the ground, its mass has no effect", root)

    def _body(self, joint: Element) -> Body:
        name, parent = self._end(joint, "child"), self._end(joint, "parent")
        position, rotation = self._origin(joint)
        mass, centre, inertia = self._inertial(self.links[name])
        if self.links[name].find("collision") is not None:
            self.notes.add("collision shapes are left out")
        return Body(
            name,
            GROUND if parent == self.root_link else parent,
            position,
            rotation,
            (self._joint(joint),),
            mass,
            centre,
            inertia,
            self._extent(self.links[name]),
        )

    def _joint(self, joint: Element) -> Joint:
        name, kind = joint.get("name", ""), joint.get("type", "")
        if kind not in KINDS:
            raise self.document.problem(joint, f"type {kind!r:.30} is not read; there are {', '.join(KINDS)}")
        axis = joint.find("axis")
        direction = np.array([1.0, 0.0, 0.0])
        if axis is not None and KINDS[kind] in ("hinge", "slide"):
            words = axis.get("xyz", "1 0 0")
            direction = self.document.unit(joint, self.document.numbers(joint, words, 3, "axis"), "axis")
        dynamics = joint.find("dynamics")
        damping = 0.0
        if dynamics is not None:
            damping = float(self.document.numbers(joint, dynamics.get("damping", "0"), 1, "damping")[0])
            if float(self.document.numbers(joint, dynamics.get("friction", "0"), 1, "friction")[0]):
                self.notes.add("dry friction is left out", name)
        limit = joint.find("limit")
        if limit is not None and (limit.get("lower") or limit.get("upper")):
            self.notes.add("joint ranges are left out")
        mimic = joint.find("mimic")
        if mimic is not None:
            leader = mimic.get("joint", "")
            if leader not in self.joints:
                raise self.document.problem(joint, f"mimics {leader!r:.60}, which is no joint of this file")
            ratio, offset = (
                float(self.document.numbers(joint, mimic.get(key, default), 1, key)[0])
                for key, default in (("multiplier", "1"), ("offset", "0"))
            )
            self.relations.append(Relation(f"{name}_mimic", name, ((leader, (ratio,)),), offset))
        return Joint(name, KINDS[kind], direction, damping=damping)

    def _origin(self, element: Element) -> tuple[Doubles, Doubles]:
        origin = element.find("origin")
        words = origin.attrib if origin is not None else {}
        position = self.document.numbers(element, words.get("xyz", "0 0 0"), 3, "origin xyz")
        return position, from_rpy(self.document.numbers(element, words.get("rpy", "0 0 0"), 3, "origin rpy"))

    def _inertial(self, link: Element) -> tuple[float, Doubles, Doubles]:
        inertial = link.find("inertial")
        if inertial is None:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        centre, R = self._origin(inertial)
        held = inertial.find("mass")
        mass = float(self.document.numbers(link, held.get("value") if held is not None else "0", 1, "mass")[0])
        moments = inertial.find("inertia")
        words = moments.attrib if moments is not None else {}
        inertia = np.zeros((3, 3))
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            key = f"i{'xyz'[i]}{'xyz'[j]}"
            inertia[i, j] = inertia[j, i] = self.document.numbers(link, words.get(key, "0"), 1, key)[0]
        return mass, centre, R @ inertia @ R.T

    def _extent(self, link: Element) -> float:
        """The largest edge of the link's boxes, cylinders and spheres [m]."""
        found = [0.0]
        for element in (e for tag in ("box", "cylinder", "sphere") for e in link.iter(tag)):
            for key, factor in {"size": 1.0, "length": 1.0, "radius": 2.0}.items():
                found += [factor * float(v) for v in self.document.numbers(link, element.get(key, ""), None, key)]
        return max(found)

    # Loops --------------------------------------------------------------------------------------

    def _yaml(self) -> tuple[Path | None, dict[str, Any]]:
        for path in (self.path.with_suffix(".yaml"), self.path.with_suffix(".yml"), self.path.parent / "robot.yaml"):
            if path.is_file():
                return path, _keys(path)
        self.notes.add("there is no YAML beside it, so that no loop is closed")
        return None, {}

    def _retyped(self, tree: Tree, beside: Path | None, settings: dict[str, Any]) -> Tree:
        """Joints that URDF writes as hinges and the YAML makes balls, universal joints or fixed ones."""
        names, kinds = (_listed(settings, key, beside) for key in ("joint_name", "joint_type"))
        if len(names) != len(kinds):
            raise BadFile(str(beside), "joint_type", f"{len(kinds)} types for {len(names)} joints; give each its own")
        made = {}
        for name, kind in zip(map(str, names), map(str, kinds), strict=True):
            if name not in tree.columns:
                self.notes.add("joints that the YAML retypes are not in the file", name)
                continue
            made[name] = _other_joints(name, kind)
            if not made[name]:
                raise BadFile(str(beside), "joint_type", f"{kind!r:.30} is not read; SPHERICAL, UJOINT_XY, FIXED are")
        bodies = [replace(b, joints=tuple(o for j in b.joints for o in made.get(j.name, (j,)))) for b in tree.bodies]
        return replace(tree, bodies=tuple(bodies))

    def _closed(self, tree: Tree, beside: Path | None, settings: dict[str, Any]) -> Tree:
        pairs, kinds, drives, zeros = (
            _listed(settings, k, beside) for k in ("closed_loop", "type", "name_mot", "zero")
        )
        if len(pairs) != len(kinds):
            raise BadFile(str(beside), "type", f"{len(kinds)} types for {len(pairs)} closed loops; give each its own")
        taken: set[str] = set()
        loops = tuple(self._loop(tree, beside, *row, taken) for row in zip(pairs, kinds, strict=True))
        for drive in map(str, drives):
            if drive not in tree.columns:
                raise BadFile(str(beside), "name_mot", f"{drive!r:.60} is no joint of {self.path.name}")
        if beside is not None and not drives:
            self.notes.add("the YAML names no motors (name_mot), so that nothing is driven")
        known = ("closed_loop", "type", "name_mot", "joint_name", "joint_type", "zero", "gravity", "output")
        for key in settings:
            if key not in known:
                self.notes.add(f"the YAML's keys are left out, {', '.join(known)} are read", str(key))
        gravity = _listed(settings, "gravity", beside)
        if not gravity:
            self.notes.add("URDF does not tell gravity; 9.81 m/s² along −z is taken")
        for key, values, count in (("gravity", gravity, 3), ("zero", zeros, len(drives))):
            if values and (len(values) != count or not all(isinstance(v, int | float) for v in values)):
                raise BadFile(str(beside), key, f"{count} numbers are needed")
        tree = _with_zeros(tree, dict(zip(drives, zeros, strict=False)))
        return replace(
            tree,
            loops=loops,
            drives=tuple(map(str, drives)),
            gravity=np.array(gravity) if gravity else EARTH,
            output=str(settings.get("output", "")),
        )

    def _loop(self, tree: Tree, beside: Path | None, pair: Any, kind: Any, taken: set[str]) -> Loop:
        if not isinstance(pair, list) or len(pair) != 2 or str(kind).lower() not in LOOPS:
            raise BadFile(
                str(beside), "closed_loop", f"{pair!r:.60} of type {kind!r:.20}; write two frames and 3d or 6d"
            )
        moved = {joint.get("name", ""): self._end(joint, "child") for joint in self.joints.values()}  # as frames
        for name in map(str, pair):
            if name not in tree.index and name not in moved:
                raise BadFile(str(beside), "closed_loop", f"{name!r:.60} is no link or joint of {self.path.name}")
        a, b = (tree.place(name if name in tree.index else moved[name]) for name in map(str, pair))
        return Loop(unique(f"{pair[0]}-{pair[1]}", taken), LOOPS[str(kind).lower()], a, b)


def _other_joints(name: str, kind: str) -> tuple[Joint, ...]:
    """What a YAML of the Gepetto models calls a joint: none where it is no such word."""
    universal = re.fullmatch("UJOINT_([XYZ])([XYZ])", kind)
    if universal:
        return tuple(Joint(f"{name}_{axis}", "hinge", np.eye(3)["XYZ".index(axis)]) for axis in universal.groups())
    return {"SPHERICAL": (Joint(name, "ball"),), "FIXED": (Joint(name, "fixed"),)}.get(kind, ())


def _keys(path: Path) -> dict[str, Any]:
    """The keys of a YAML file: words, numbers and lists of them; nothing in it is run."""
    try:
        found = yaml.safe_load(read_text(path))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        place = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        raise BadFile(str(path), "", f"is no YAML: {problem[:200]}", place.line + 1 if place else None) from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise BadFile(str(path), "", "must be keys with lists, such as closed_loop: [[A, B]]")
    return {str(key): value for key, value in found.items()}


def _listed(settings: dict[str, Any], key: str, beside: Path | None) -> list[Any]:
    """A key's list; empty where there is none."""
    found = settings.get(key) or []
    if not isinstance(found, list):
        raise BadFile(str(beside), key, f"{found!r:.40} is no list; write [{found!s:.40}]")
    return found


def _with_zeros(tree: Tree, zeros: dict[str, float]) -> Tree:
    """Drives whose coordinate is not 0 at the zero configuration."""
    bodies = [
        replace(body, joints=tuple(replace(j, zero=float(zeros.get(j.name, j.zero))) for j in body.joints))
        for body in tree.bodies
    ]
    return replace(tree, bodies=tuple(bodies))
