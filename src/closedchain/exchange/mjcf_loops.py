"""What an MJCF file says beside its bodies: equality constraints, actuators, tendons that are springs."""

from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.mjcf_settings import ACTUATORS, Settings
from closedchain.exchange.naming import unique
from closedchain.exchange.reading import Notes
from closedchain.exchange.rotations import from_quaternion
from closedchain.exchange.tree import GROUND, Frame, Link, Loop, Relation, Tree

SERVOS = ("position", "velocity", "intvelocity", "damper", "cylinder", "muscle")


def read_loops(settings: Settings, tree: Tree, notes: Notes) -> Tree:
    """The tree with its loops, drives and springs."""
    return _Loops(settings, tree, notes).read()


class _Loops:
    def __init__(self, settings: Settings, tree: Tree, notes: Notes) -> None:
        self.settings, self.tree, self.notes = settings, tree, notes
        self.document, self.root = settings.document, settings.document.root
        self.zero = Posture(tree, np.zeros(tree.nv))
        self.taken: set[str] = set()
        self.closed = True

    def read(self) -> Tree:
        equalities = [child for e in self.root.findall("equality") for child in e]
        loops = [loop for child in equalities for loop in self._equality(child)]
        relations = [relation for child in equalities for relation in self._coupling(child)]
        drives = [drive for e in self.root.findall("actuator") for child in e for drive in self._drive(child)]
        links = [link for e in self.root.findall("tendon") for child in e for link in self._tendon(child)]
        if self.tree.nv and not drives:
            self.notes.add("no actuator acts on a joint, so that nothing is driven")
        return replace(
            self.tree,
            loops=tuple(loops),
            drives=tuple(dict.fromkeys(drives)),
            links=tuple(links),
            relations=tuple(relations),
            closed=self.closed,
        )

    # Loops --------------------------------------------------------------------------------------

    def _equality(self, element: Element) -> list[Loop]:
        name, words, active = self._said(element)
        if element.tag == "joint":
            return []
        if not active:
            self.notes.add("loops that are switched off are left out", name)
            return []
        if element.tag not in ("connect", "weld"):
            what = {"tendon": "couplings of tendons"}.get(element.tag, f"equality {element.tag}")
            self.notes.add(f"{what} have no place in a tree with loops and are left out", name)
            return []
        a, b = self._sites(element, words) if "site1" in words else self._ends(element, words)
        return [Loop(unique(name, self.taken), "point" if element.tag == "connect" else "weld", a, b)]

    def _said(self, element: Element) -> tuple[str, dict[str, str], bool]:
        """An equality's name, words, and whether it is switched on."""
        words = self.settings.words(element, "main", "equality") | element.attrib
        active = words.get("active", "true") != "false" and "equality" not in self.settings.off
        return element.get("name") or f"{element.tag}{len(self.taken) + 1}", words, active

    def _coupling(self, element: Element) -> list[Relation]:
        """A joint that follows another: its value from the reference is a polynomial of the other's."""
        if element.tag != "joint":
            return []
        name, words, active = self._said(element)
        if not active:
            self.notes.add("couplings that are switched off are left out", name)
            return []
        for key in ("joint1", "joint2"):
            if words.get(key, "" if key == "joint2" else None) not in ("", *self.tree.columns):
                raise self.document.problem(element, f"{key} {words.get(key)!r:.60} is no joint of this file")
        given = self.document.numbers(element, words.get("polycoef", "0 1 0 0 0"), None, "polycoef")
        poly = [*map(float, given), *[0.0] * 5][:5]
        leader = words.get("joint2", "")
        others = ((leader, tuple(poly[1:])),) if leader else ()
        self.closed = self.closed and not poly[0]
        return [Relation(unique(name, self.taken), words["joint1"], others, poly[0])]

    def _sites(self, element: Element, words: dict[str, str]) -> tuple[Frame, Frame]:
        self.closed = False
        return self._site(element, words.get("site1", "")), self._site(element, words.get("site2", ""))

    def _site(self, element: Element, name: str) -> Frame:
        found = next((f for f in self.tree.frames if f.name == name), None)
        if found is None:
            raise self.document.problem(element, f"no site {name!r:.60} in this file")
        return found

    def _ends(self, element: Element, words: dict[str, str]) -> tuple[Frame, Frame]:
        """Frames on both bodies that meet where the file says: a connect's anchor, a weld's relative pose."""
        one, other = self._body(element, words, "body1"), self._body(element, words, "body2")
        R_1, p_1, *_ = self.zero.body(one)
        R_2, p_2, *_ = self.zero.body(other)
        if element.tag == "connect":
            anchor = self.document.numbers(element, words.get("anchor"), 3, "anchor")
            return Frame(one, one, anchor), Frame(other, other, R_2.T @ (p_1 + R_1 @ anchor - p_2))
        pose = self.document.numbers(element, words.get("relpose", "0 1 0 0 0 0 0"), 7, "relpose")
        if not pose[3:].any():  # MuJoCo's word for: as they stand
            return Frame(one, one, R_1.T @ (p_2 - p_1), R_1.T @ R_2), Frame(other, other)
        point = self.document.numbers(
            element, words.get("anchor", "0 0 0"), 3, "anchor"
        )  # of body2, welded to pose[:3]
        self.closed = self.closed and self._stands(R_1, p_1, R_2, p_2 + R_2 @ point, pose)
        return Frame(one, one, pose[:3], from_quaternion(pose[3:])), Frame(other, other, point)

    def _stands(self, R_1: Doubles, p_1: Doubles, R_2: Doubles, p_2: Doubles, pose: Doubles) -> bool:
        """Whether a weld's relative pose is the one in which the bodies stand."""
        turn = np.abs(R_1.T @ R_2 - from_quaternion(pose[3:])).max()
        return bool(max(float(turn), float(np.abs(R_1.T @ (p_2 - p_1) - pose[:3]).max())) < 1e-9)

    def _body(self, element: Element, words: dict[str, str], key: str) -> str:
        name = words.get(key, GROUND)
        if name not in self.tree.index:
            raise self.document.problem(element, f"{key} {name!r:.60} is no body of this file")
        return name

    # Drives and springs -------------------------------------------------------------------------

    def _drive(self, element: Element) -> list[str]:
        words = self.settings.words(element, "main")
        name = element.get("name", element.tag)
        joint = words.get("joint") or words.get("jointinparent")
        if element.tag not in ACTUATORS or joint is None:
            self.notes.add("actuators that do not act on one joint are left out", name)
            return []
        if joint not in self.tree.columns:
            raise self.document.problem(element, f"joint {joint!r:.60} is not in this file")
        if element.tag in SERVOS or words.get("gainprm") or words.get("biasprm"):
            self.notes.add("servos are left out: their joints are driven by efforts", name)
        return [joint]

    def _tendon(self, element: Element) -> list[Link]:
        words = self.settings.words(element, "main", "tendon") | element.attrib
        name = element.get("name") or f"tendon{len(self.taken) + 1}"
        sites = [self._site(element, child.get("site", "")) for child in element if child.tag == "site"]
        stiffness, damping = (self._number(element, words, key) for key in ("stiffness", "damping"))
        stiffness, damping = self.settings.acting("spring", stiffness), self.settings.acting("damper", damping)
        if element.tag != "spatial" or len(element) != 2 or len(sites) != 2:
            self.notes.add("tendons that are not a straight spring between two sites are left out", name)
            return []
        if not stiffness and not damping:
            self.notes.add("tendons without stiffness or damping are left out", name)
            return []
        rest = self._number(element, words, "springlength", -1.0)
        if rest < 0.0:
            rest = float(np.linalg.norm(self.zero.frame(sites[0])[1] - self.zero.frame(sites[1])[1]))
        return [Link(unique(name, self.taken), sites[0], sites[1], stiffness, rest, damping)]

    def _number(self, element: Element, words: dict[str, str], key: str, default: float = 0.0) -> float:
        values = self.document.numbers(element, words.get(key, str(default)), None, key)
        if any(v != values[0] for v in values[1:]):
            self.notes.add(f"only the first value of a tendon's {key} is taken", element.get("name", ""))
        return float(values[0])
