"""MJCF → Tree: nested bodies with their joints, masses and sites; loops, drives and springs follow in mjcf_loops."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.masses import Inertia
from closedchain.exchange.mjcf_inertia import compiled, inertial, shape, together
from closedchain.exchange.mjcf_keys import read_keys
from closedchain.exchange.mjcf_loops import read_loops
from closedchain.exchange.mjcf_settings import Settings, read_settings
from closedchain.exchange.mjcf_writing import FLOORS, OUTPUT
from closedchain.exchange.naming import unique
from closedchain.exchange.reading import Notes, Reading, check_count, without_floors
from closedchain.exchange.tree import GROUND, Body, Frame, Joint, Tree
from closedchain.exchange.xml_reading import Document, read_xml

KINDS = {"hinge": "hinge", "slide": "slide", "ball": "ball", "free": "free"}
JOINTS = ("joint", "freejoint")
REFUSED = {
    "include": "another file is included; save the whole model as one file first (MuJoCo: mj_saveLastXML)",
    "composite": "generated bodies are not read; save the compiled model first (MuJoCo: mj_saveLastXML)",
    "flexcomp": "soft bodies are not read",
    "replicate": "repeated bodies are not read; save the compiled model first (MuJoCo: mj_saveLastXML)",
    "attach": "attached models are not read; save the compiled model first (MuJoCo: mj_saveLastXML)",
}
UNSAID = {"contact": "contacts are left out", "sensor": "sensors are left out"}


def read_mjcf(path: Path) -> Reading:
    """The tree of an MJCF file; included files are refused, meshes are not opened."""
    return _Reader(read_xml(path), path).read()


@dataclass
class _Body:
    """A body while its element is read."""

    joints: list[Joint] = field(default_factory=list)
    solids: list[Inertia] = field(default_factory=list)
    stated: Inertia | None = None
    extent: float = 0.0
    unknown: list[str] = field(default_factory=list)


class _Reader:
    def __init__(self, document: Document, path: Path) -> None:
        self.document, self.path, self.notes = document, path, Notes()
        if document.root.tag != "mujoco":
            raise document.problem(document.root, "is not MJCF; the root must be <mujoco>")
        for element in document.root.iter():
            if element.tag in REFUSED:
                raise document.problem(element, REFUSED[element.tag])
        self.settings: Settings = read_settings(document)
        self.bodies: list[Body] = []
        self.frames: list[Frame] = []
        self.names: set[str] = {GROUND}
        self.joint_names: set[str] = {e.get("name", "") for e in document.root.iter("joint")} - {""}

    def read(self) -> Reading:
        root = self.document.root
        for world in root.findall("worldbody"):
            self._check_joints(world, False)
            self._contents(world, GROUND, _Body(), "main", np.eye(3), np.zeros(3))
        texts = {e.get("name"): e.get("data", "") for e in root.findall("custom/text")}
        gravity = next((o.get("gravity") for o in root.findall("option") if o.get("gravity")), "0 0 -9.81")
        gravity = "0 0 0" if "gravity" in self.settings.off else gravity
        tree = Tree(
            root.get("model", "robot"),
            tuple(without_floors(self._scaled(), texts.get(FLOORS, ""))),
            frames=tuple(self.frames),
            gravity=self.document.numbers(root, gravity, 3, "gravity"),
            output=texts.get(OUTPUT, ""),
            closed=True,
        )
        count = sum(1 for world in root.findall("worldbody") for e in world.iter() if e.tag in JOINTS)
        check_count(tree, count, 0, str(self.path))
        for tag, what in UNSAID.items():
            if root.find(tag) is not None:
                self.notes.add(what)
        tree = read_loops(self.settings, tree, self.notes)
        return Reading(tree, "mjcf", count, self.notes.lines(), read_keys(self.document, tree))

    def _check_joints(self, element: Element, moves: bool) -> None:
        """Refuse a joint that moves nothing: one that stands neither in a body nor in a <frame> of one."""
        for child in element:
            if child.tag in JOINTS and not moves:
                raise self.document.problem(child, f"is in <{element.tag}>, so it moves nothing; put it into a <body>")
            self._check_joints(child, child.tag == "body" or (child.tag == "frame" and moves))

    def _contents(self, element: Element, name: str, made: _Body, inherited: str, R: Doubles, p: Doubles) -> None:
        """What stands in a body or in a <frame> in it, which shifts it by (R, p)."""
        for child in element:
            match child.tag:
                case "body":
                    self._body(child, name, inherited, R, p)
                case "frame":
                    within = child.get("childclass", inherited)
                    turn, shift = (
                        self.settings.rotation(child, child.attrib),
                        self.settings.position(child, child.attrib),
                    )
                    self._contents(child, name, made, within, R @ turn, p + R @ shift)
                case "joint" | "freejoint":
                    made.joints.append(self._joint(child, name, inherited, R, p))
                case "inertial":
                    made.stated = _moved(inertial(self.settings, child), R, p)
                case "geom":
                    words = self.settings.words(child, inherited)
                    found = shape(self.settings, child, words)
                    made.solids += [] if found.inertia is None else [_moved(found.inertia, R, p)]
                    made.extent = max(made.extent, found.extent)
                    made.unknown += [found.unknown] if found.unknown else []
                case "site":
                    words = self.settings.words(child, inherited)
                    turn, shift = self.settings.rotation(child, words), self.settings.position(child, words)
                    self.frames += [Frame(n, name, p + R @ shift, R @ turn) for n in [child.get("name")] if n]

    def _body(self, element: Element, parent: str, inherited: str, R: Doubles, p: Doubles) -> None:
        name = unique(element.get("name") or f"body{len(self.bodies) + 1}", self.names)
        if element.get("mocap") == "true":
            self.notes.add("bodies moved from outside (mocap) are fixed here", name)
        if self.document.numbers(element, element.get("gravcomp", "0"), 1, "gravcomp").any():
            self.notes.add("gravity compensation is left out", name)
        within = element.get("childclass", inherited)
        place = len(self.bodies)
        turn, shift = self.settings.rotation(element, element.attrib), self.settings.position(element, element.attrib)
        self.bodies.append(Body(name, parent, p + R @ shift, R @ turn))
        made = _Body()
        self._contents(element, name, made, within, np.eye(3), np.zeros(3))
        mass, centre, inertia = compiled(self.settings, self._mass(name, made))
        self.bodies[place] = replace(
            self.bodies[place],
            joints=tuple(made.joints),
            mass=mass,
            centre=centre,
            inertia=inertia,
            size=made.extent,
        )

    def _mass(self, name: str, made: _Body) -> Inertia:
        """The stated inertia, or the shapes'; as the compiler's inertiafromgeom says."""
        if made.stated is not None and self.settings.from_geoms != "true":
            return made.stated
        if self.settings.from_geoms == "false":
            return together([])
        for what in made.unknown:
            self.notes.add(what, name)
        return together(made.solids)

    def _scaled(self) -> list[Body]:
        """The bodies with the masses that settotalmass gives them."""
        whole = sum(body.mass for body in self.bodies)
        if self.settings.total <= 0.0 or not whole:
            return self.bodies
        factor = self.settings.total / whole
        return [replace(body, mass=factor * body.mass, inertia=factor * body.inertia) for body in self.bodies]

    def _joint(self, element: Element, body: str, inherited: str, R: Doubles, p: Doubles) -> Joint:
        name = element.get("name") or unique(f"{body}_joint", self.joint_names)
        if element.tag == "freejoint":
            return Joint(name, "free")
        words = self.settings.words(element, inherited)
        kind = words.get("type", "hinge")
        if kind not in KINDS:
            raise self.document.problem(element, f"type {kind!r:.30} is not read; there are {', '.join(KINDS)}")
        numbers = self.document.numbers
        axis = numbers(element, words.get("axis", "0 0 1"), 3, "axis")
        limited = words.get("limited", "auto")
        if limited == "true" or (limited == "auto" and "range" in words):
            self.notes.add("joint ranges are left out")
        if self._first(element, words, "frictionloss"):
            self.notes.add("dry friction is left out", name)
        turn = self.settings.angle if kind == "hinge" else float
        stiffness, damping = self._sprung(element, words)
        return Joint(
            name,
            KINDS[kind],
            R @ self.document.unit(element, axis, "axis"),
            p + R @ numbers(element, words.get("pos", "0 0 0"), 3, "pos") if kind != "free" else np.zeros(3),
            zero=turn(self._first(element, words, "ref")) if kind in ("hinge", "slide") else 0.0,
            stiffness=stiffness,
            rest=turn(self._first(element, words, "springref")) if kind in ("hinge", "slide") else 0.0,
            damping=damping,
            armature=self._first(element, words, "armature"),
        )

    def _sprung(self, element: Element, words: dict[str, str]) -> tuple[float, float]:
        """A joint's stiffness and damping."""
        asked = self.document.numbers(element, words.get("springdamper", "0 0"), 2, "springdamper")
        if (asked > 0.0).all():
            self.notes.add(
                "springs and dampers that MuJoCo works out (springdamper) are left out", element.get("name", "")
            )
            return 0.0, 0.0
        stiffness, damping = (self._first(element, words, key) for key in ("stiffness", "damping"))
        return self.settings.acting("spring", stiffness), self.settings.acting("damper", damping)

    def _first(self, element: Element, words: dict[str, str], key: str) -> float:
        values = self.document.numbers(element, words.get(key, "0"), None, key)
        if any(values[1:]):
            self.notes.add(f"only the first coefficient of {key} is taken", element.get("name", ""))
        return float(values[0]) if len(values) else 0.0


def _moved(solid: Inertia, R: Doubles, p: Doubles) -> Inertia:
    mass, centre, inertia = solid
    return mass, p + R @ centre, R @ inertia @ R.T
