"""SDF → Tree: links, joints, loops where a child has two parents or a plugin attaches two links."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.reading import Notes, Reading, check_count, followed, without_floors, words
from closedchain.exchange.sdf_frames import Frames
from closedchain.exchange.sdf_inertia import inertial
from closedchain.exchange.sdf_spanning import Found, span
from closedchain.exchange.sdf_writing import OURS
from closedchain.exchange.tree import Body, Frame, Joint, Loop, Relation, Tree
from closedchain.exchange.xml_reading import Document, read_xml

KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "ball": "ball", "fixed": "fixed"}
LOOPS = {"hinge": "hinge", "slide": "slide", "ball": "point", "fixed": "weld"}
EARTH = np.array([0.0, 0.0, -9.8])  # SDF's default
DRIVING = ("applyjointforce", "jointcontroller", "jointpositioncontroller", "jointtrajectorycontroller")
BESIDE = {"include": "included models are left out", "joint": "joints of the world, outside its models, are left out"}
ATTACHING = {"detachablejoint": ("parent_link", "child_link"), "attachlinks": ("parent", "child")}


def read_sdf(path: Path) -> Reading:
    """The tree of the first model of an SDF file."""
    return _Reader(read_xml(path), path).read()


class _Reader:
    def __init__(self, document: Document, path: Path) -> None:
        self.document, self.path, self.notes = document, path, Notes()
        self.relations: list[Relation] = []
        root = document.root
        if root.tag != "sdf":
            raise document.problem(root, "is not SDF; the root must be <sdf>")
        self.world = root.find("world")
        models = (root if self.world is None else self.world).findall("model")
        if not models:
            raise document.problem(root, "holds no model; give one <model> with links and joints")
        for other in models[1:]:
            self.notes.add("models after the first are left out", other.get("name", ""))
        self.model = models[0]
        self._unread()
        for tag in ("include", "model"):
            if (refused := self.model.find(tag)) is not None:
                raise document.problem(refused, "nested and included models are not read; write their links out")
        version = document.numbers(root, root.get("version", "1.9").replace(".", " ", 1), None, "version")
        self.frames = Frames(document, self.model, tuple(version))
        self.joints = [self._joint(e) for e in self.model.findall("joint")]

    def _unread(self) -> None:
        """What stands beside the model in its world."""
        for other in () if self.world is None else self.world:
            name = other.get("name") or (other.findtext("uri") or "").strip()
            if other.tag in BESIDE:
                self.notes.add(BESIDE[other.tag], name)
        if _flag(self.model, "static"):
            self.notes.add("the model is static, which is left out: here its joints move")

    def read(self) -> Reading:
        ours = self.model.find(f"{OURS}:robot")
        said = {} if ours is None else ours.attrib
        drives = words(said.get("drives", "")) if ours is not None else self._driven()
        bodies, loops = self._span(drives)
        loops += self._attached()
        bodies = without_floors(bodies, said.get("floors", ""))
        gravity = self._gravity()
        tree = Tree(
            self.model.get("name", "robot"),
            tuple(bodies),
            loops=tuple(loops),
            frames=tuple(self._places()),
            gravity=gravity,
            drives=drives,
            output=said.get("output", ""),
            closed=True,
        )
        tree = followed(tree, self.relations, self.notes)
        check_count(tree, len(self.joints) + self.loose, len(loops) - self.attached, str(self.path))
        return Reading(tree, "sdf", len(self.joints), self.notes.lines())

    # Joints -------------------------------------------------------------------------------------

    def _joint(self, element: Element) -> Found:
        kind = element.get("type", "")
        if kind not in KINDS:
            raise self.document.problem(element, f"type {kind!r:.30} is not read; there are {', '.join(KINDS)}")
        parent, child = (self.frames.link_of(element, side) for side in ("parent", "child"))
        axis = self.frames.axis(element) if KINDS[kind] in ("hinge", "slide") else np.array([0.0, 0.0, 1.0])
        limit = element.find("axis/limit")
        if limit is not None and (limit.find("lower") is not None or limit.find("upper") is not None):
            self.notes.add("joint ranges are left out")
        mimic = element.find("axis/mimic")
        if mimic is not None:
            self._follow(element, mimic)
        friction = element.find("axis/dynamics/friction")
        if friction is not None and self.document.numbers(element, friction.text, 1, "friction")[0]:
            self.notes.add("dry friction is left out", element.get("name", ""))
        return Found(element, element.get("name", ""), KINDS[kind], parent, child, axis)

    def _follow(self, element: Element, mimic: Element) -> None:
        """A joint that follows another: position = multiplier (leader − reference) + offset."""
        name, leader = element.get("name", ""), mimic.get("joint", "")
        if leader not in [joint.get("name") for joint in self.model.findall("joint")]:
            raise self.document.problem(element, f"mimics {leader!r:.60}, which is no joint of this model")
        said = {"multiplier": "1", "offset": "0", "reference": "0"}
        ratio, offset, reference = (
            float(self.document.numbers(element, mimic.findtext(key, default), 1, key)[0])
            for key, default in said.items()
        )
        self.relations.append(Relation(f"{name}_mimic", name, ((leader, (ratio,)),), offset - ratio * reference))

    def _span(self, driven: tuple[str, ...]) -> tuple[list[Body], list[Loop]]:
        """The links as they hang on each other, and the joints that close loops."""
        steps, left = span(self.frames.links, self.joints, driven)
        self.loose = sum(step.joint is None for step in steps)
        bodies = []
        for step in steps:
            if step.joint is None:
                self.notes.add("links that no joint ties to the world float", step.link)
                joint = Joint(f"{step.link}_free", "fixed" if _flag(self.model, "static") else "free")
            else:
                joint = self._made(step.joint, step.link, step.backwards)
            bodies.append(self._body(step.link, step.on, joint))
        return bodies, [self._loop(joint) for joint in left]

    def _made(self, joint: Found, on: str, backwards: bool) -> Joint:
        R, p = self.frames.on(on, self.frames.placement(joint.name))
        number = self._dynamics(joint.element)
        zero = joint.element.get(f"{OURS}:zero")
        offset = float(self.document.numbers(joint.element, zero, 1, "zero")[0]) if zero else 0.0
        axis = R @ joint.axis
        return Joint(
            joint.name,
            joint.kind,
            -axis if backwards else axis,
            p,
            zero=offset,
            stiffness=number.get("spring_stiffness", 0.0),
            rest=offset + number.get("spring_reference", 0.0),
            damping=number.get("damping", 0.0),
        )

    def _dynamics(self, joint: Element) -> dict[str, float]:
        holder = joint.find("axis/dynamics")
        wanted = ("damping", "spring_stiffness", "spring_reference")
        found = {} if holder is None else {tag: holder.find(tag) for tag in wanted}
        return {t: float(self.document.numbers(joint, e.text, 1, t)[0]) for t, e in found.items() if e is not None}

    def _loop(self, joint: Found) -> Loop:
        if any(self._dynamics(joint.element).get(tag) for tag in ("spring_stiffness", "damping")):
            self.notes.add("springs and dampers on joints that close a loop are left out", joint.name)
        place = self.frames.placement(joint.name)
        (R_a, p_a), (R_b, p_b) = (self.frames.on(link, place) for link in (joint.parent, joint.child))
        a, b = Frame(joint.parent, joint.parent, p_a, R_a), Frame(joint.child, joint.child, p_b, R_b)
        return Loop(joint.name, LOOPS[joint.kind], a, b, joint.axis)

    # Links --------------------------------------------------------------------------------------

    def _body(self, link: str, parent: str, joint: Joint) -> Body:
        R, p = self.frames.on(parent, self.frames.placement(link))
        mass, centre, inertia = inertial(self.document, self.frames, self.frames.elements[link], self.notes)
        return Body(link, parent, p, R, (joint,), mass, centre, inertia, self._extent(self.frames.elements[link]))

    def _extent(self, link: Element) -> float:
        """The largest edge of the link's boxes, cylinders and spheres [m]."""
        found = [0.0]
        for tag, factor in {"size": 1.0, "length": 1.0, "radius": 2.0}.items():
            for element in link.iter(tag):
                found += [factor * float(v) for v in self.document.numbers(link, element.text, None, tag)]
        return max(found)

    def _gravity(self) -> Doubles:
        links = self.model.findall("link")
        off = [link.get("name", "") for link in links if (g := link.find("gravity")) is not None and not _truth(g.text)]
        if links and len(off) == len(links):
            return np.zeros(3)
        for name in off:
            self.notes.add("gravity is switched off for some links only; here it acts on all", name)
        given = None if self.world is None else self.world.find("gravity")
        if given is not None:
            return self.document.numbers(given, given.text, 3, "gravity")
        self.notes.add("no gravity is given; SDF's 9.8 m/s² along −z is taken")
        return EARTH

    def _places(self) -> list[Frame]:
        found = []
        for element in (*self.model.findall("frame"), *([] if self.world is None else self.world.findall("frame"))):
            name = element.get("name", "")
            body = self.frames.attached(element)
            R, p = self.frames.on(body, self.frames.placement(name))
            found.append(Frame(name, body, p, R))
        return found

    # Plugins ------------------------------------------------------------------------------------

    def _driven(self) -> tuple[str, ...]:
        names = {joint.name for joint in self.joints}
        found: dict[str, None] = {}
        for plugin in self.model.findall("plugin"):
            if _plain(plugin) in DRIVING:
                found |= {e.text.strip(): None for e in plugin.findall("joint_name") if e.text}
        for name in found:
            if name not in names:
                self.notes.add("a plugin drives a joint that is not there", name)
        if not found:
            self.notes.add("no plugin applies efforts, so that nothing is driven")
        return tuple(name for name in found if name in names)

    def _attached(self) -> list[Loop]:
        """Links that a plugin welds together as they stand."""
        loops: list[Loop] = []
        for plugin in self.model.findall("plugin"):
            tags = ATTACHING.get(_plain(plugin))
            if tags is None:
                if _plain(plugin) not in (*DRIVING, "jointstatepublisher"):
                    self.notes.add("plugins are left out", plugin.get("name", ""))
                continue
            a, b = ((plugin.findtext(tag) or "").strip() for tag in tags)
            other = (plugin.findtext("child_model") or "").strip()
            if other not in ("", "__model__", self.model.get("name")) or not {a, b} <= set(self.frames.links):
                self.notes.add("a plugin attaches a link of another model; it is left out", f"{a}-{b}")
                continue
            R, p = self.frames.on(a, self.frames.placement(b))
            loops.append(Loop(f"{a}-{b}", "weld", Frame(a, a, p, R), Frame(b, b)))
        self.attached = len(loops)
        return loops


def _plain(plugin: Element) -> str:
    return plugin.get("name", "").split("::")[-1].lower()


def _flag(model: Element, tag: str) -> bool:
    return _truth(model.findtext(tag) or "false")


def _truth(text: str | None) -> bool:
    return (text or "").strip().lower() in ("1", "true")
