"""What holds for a whole MJCF file: the compiler's settings and the classes of defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.kinematics import rotation
from closedchain.exchange.rotations import SHORT, from_euler, from_quaternion, onto
from closedchain.exchange.xml_reading import Document

ACTUATORS = ("motor", "general", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion")
Words = Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Settings:
    """How a file's numbers are meant."""

    document: Document
    degrees: bool
    sequence: str  # of Euler angles
    from_geoms: str  # "auto", "true", "false": whether masses come from shapes
    groups: tuple[int, int]  # of the shapes that count for masses
    least: tuple[float, float] = (0.0, 0.0)  # a body's mass [kg] and moments of inertia [kg m²] are no smaller
    balanced: bool = False  # moments that no body can have become their mean
    total: float = -1.0  # [kg] of all bodies, to which masses are scaled; negative where they are not
    off: frozenset[str] = frozenset()  # the flags of <option> that are switched off
    classes: Mapping[str, Mapping[str, Words]] = field(default_factory=dict)  # class → tag → attributes

    def words(self, element: Element, inherited: str, tag: str | None = None) -> dict[str, str]:
        """An element's attributes over those of its class; what it does not say itself, the class says."""
        name = element.get("class") or inherited
        if name not in self.classes:
            raise self.document.problem(element, f"no class {name!r:.60} among the defaults")
        return {**self.classes[name].get(tag or element.tag, {}), **element.attrib}

    def angle(self, value: float) -> float:
        return float(np.radians(value)) if self.degrees else value

    def acting(self, flag: str, value: float) -> float:
        """A coefficient, or 0 where <option> switches its kind off; older files have one flag for both."""
        return 0.0 if self.off & {flag, "passive"} else value

    def rotation(self, element: Element, words: Words) -> Doubles:
        """The orientation that an element's attributes give, (3, 3)."""
        numbers = self.document.numbers
        if "quat" in words:
            quaternion = numbers(element, words["quat"], 4, "quat")
            return from_quaternion(quaternion) if quaternion.any() else np.eye(3)
        if "euler" in words:
            angles = numbers(element, words["euler"], 3, "euler")
            return from_euler([self.angle(a) for a in angles], self.sequence)
        if "axisangle" in words:
            *axis, angle = numbers(element, words["axisangle"], 4, "axisangle")
            return rotation(self.document.unit(element, np.array(axis), "axisangle") * self.angle(angle))
        if "zaxis" in words:
            return onto(self.document.unit(element, numbers(element, words["zaxis"], 3, "zaxis"), "zaxis"))
        if "xyaxes" in words:
            both = numbers(element, words["xyaxes"], 6, "xyaxes")
            x = self.document.unit(element, both[:3], "xyaxes")
            y = both[3:] - (both[3:] @ x) * x
            if np.linalg.norm(y) < SHORT:
                raise self.document.problem(element, "xyaxes: the two axes are parallel")
            y = y / np.linalg.norm(y)
            return np.stack([x, y, np.cross(x, y)], axis=1)
        return np.eye(3)

    def position(self, element: Element, words: Words) -> Doubles:
        return self.document.numbers(element, words.get("pos", "0 0 0"), 3, "pos")


def read_settings(document: Document) -> Settings:
    """The settings of a file, <compiler> elements taken in order."""
    said: dict[str, str] = {}
    for compiler in document.root.findall("compiler"):
        said |= compiler.attrib
    if said.get("coordinate", "local") != "local":
        raise document.problem(document.root, "compiler coordinate='global' is no longer MJCF; save it with local ones")
    low, high = document.numbers(document.root, said.get("inertiagrouprange", "0 5"), 2, "inertiagrouprange")
    sequence = said.get("eulerseq", "xyz")
    if not re.fullmatch("[xyzXYZ]{3}", sequence):
        raise document.problem(document.root, f"eulerseq {sequence[:20]!r} is no order of three axes, as xyz is")
    mass, moment, total = (
        float(document.numbers(document.root, said.get(key, default), 1, key)[0])
        for key, default in (("boundmass", "0"), ("boundinertia", "0"), ("settotalmass", "-1"))
    )
    classes: dict[str, dict[str, Words]] = {"main": {}}
    for default in document.root.findall("default"):
        _collect(default, classes["main"], classes, "main")
        classes[default.get("class", "main")] = classes["main"]  # the outermost class may have a name
    return Settings(
        document,
        degrees=said.get("angle", "degree") == "degree",
        sequence=sequence,
        from_geoms=said.get("inertiafromgeom", "auto"),
        groups=(int(low), int(high)),
        least=(mass, moment),
        balanced=said.get("balanceinertia", "false") == "true",
        total=total,
        off=frozenset(k for f in document.root.findall("option/flag") for k, v in f.attrib.items() if v == "disable"),
        classes=classes,
    )


def _collect(default: Element, above: Mapping[str, Words], classes: dict[str, dict[str, Words]], name: str) -> None:
    """A class has what its parent has, and what it says itself."""
    own = {tag: dict(words) for tag, words in above.items()}
    for element in default:
        if element.tag != "default":
            own[element.tag] = {**own.get(element.tag, {}), **element.attrib}
    classes[name] = {**own}
    for element in default.findall("default"):
        _collect(element, own, classes, element.get("class", ""))
