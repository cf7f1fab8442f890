"""Poses in SDF: each relative to a link, joint or frame by name; resolved to the world, once."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.rotations import from_quaternion, from_rpy
from closedchain.exchange.tree import GROUND
from closedchain.exchange.xml_reading import Document

MODEL = "__model__"
Placement = tuple[Doubles, Doubles]  # rotation (3, 3), position (3,)


class Frames:
    """Everything in a model that has a name and a pose."""

    def __init__(self, document: Document, model: Element, version: tuple[float, ...]) -> None:
        self.document, self.model, self.version = document, model, version
        self.elements: dict[str, Element] = {}
        self._resolved: dict[str, Placement] = {}
        world = next((e for e in document.root.findall("world")), None)
        outer = [] if world is None else world.findall("frame")
        for element in (*outer, *model):
            if element.tag not in ("link", "joint", "frame"):
                continue
            name = element.get("name", "")
            if not name or name in self.elements or name in (GROUND, MODEL):
                raise document.problem(element, f"a {element.tag} needs a name of its own")
            self.elements[name] = element
        self.outer = {e.get("name", "") for e in outer}
        self.links = [e.get("name", "") for e in model.findall("link")]
        if not self.links:
            raise document.problem(model, "holds no link; a robot has links and joints")
        self._model: Placement = (np.eye(3), np.zeros(3))
        self._model = self._placed()

    def _placed(self) -> Placement:
        """Where the model is: its pose, in a frame of the world, is that of its origin or of its placement_frame."""
        pose, held = self.model.find("pose"), self.model.get("placement_frame")
        base = pose.get("relative_to") if pose is not None else None
        if base and base not in (GROUND, *self.outer):
            raise self.document.problem(
                self.model, f"its pose is relative to {base!r:.60}, which is no frame of the world"
            )
        placed = compose(self.placement(base or GROUND), self.pose(pose))
        if held:
            R, p = self.placement(held)  # in the model, whose origin is at zero so far
            placed = compose(placed, (R.T, -R.T @ p))
        self._resolved.clear()
        return placed

    def placement(self, name: str) -> Placement:
        """Where a link, joint or frame is in the world."""
        return self._placement(name, ())

    def _placement(self, name: str, above: tuple[str, ...]) -> Placement:
        if name == GROUND:
            return np.eye(3), np.zeros(3)
        if name == MODEL:
            return self._model
        if name in above:
            raise self.document.problem(
                self.elements[name], f"its pose depends on itself: {' → '.join((*above, name))}"
            )
        if name not in self.elements:
            at = self.elements.get(above[-1], self.model) if above else self.model
            raise self.document.problem(at, f"no link, joint or frame {name!r:.60} to be relative to")
        if name not in self._resolved:
            element = self.elements[name]
            base = self._placement(self._base(element), (*above, name))
            self._resolved[name] = compose(base, self.pose(element.find("pose")))
        return self._resolved[name]

    def _base(self, element: Element) -> str:
        """What an element's pose is relative to."""
        pose = element.find("pose")
        said = pose.get("relative_to") or pose.get("frame") if pose is not None else None
        if said:
            return said
        if element.tag == "joint":
            return (element.findtext("child") or "").strip()
        if element.tag == "frame":
            return element.get("attached_to") or (GROUND if element.get("name") in self.outer else MODEL)
        return MODEL

    def pose(self, element: Element | None) -> Placement:
        """The numbers of a <pose>."""
        if element is None or not (element.text or "").strip():
            return np.eye(3), np.zeros(3)
        if element.get("rotation_format") == "quat_xyzw":
            values = self.document.numbers(element, element.text, 7, "pose")
            if not values[3:].any():
                raise self.document.problem(element, "a quaternion of length 0 is no rotation")
            return from_quaternion(values[[6, 3, 4, 5]]), values[:3]
        values = self.document.numbers(element, element.text, 6, "pose")
        angles = np.radians(values[3:]) if element.get("degrees") in ("1", "true") else values[3:]
        return from_rpy(angles), values[:3]

    def on(self, link: str, place: Placement) -> Placement:
        """A place of the world as a link sees it."""
        R, p = self.placement(link)
        return R.T @ place[0], R.T @ (place[1] - p)

    def link_of(self, joint: Element, side: str) -> str:
        """The link that a joint's parent or child is, or that carries the frame it names."""
        name = (joint.findtext(side) or "").strip()
        if name == GROUND and side == "parent":
            return GROUND
        if name in self.links:
            return name
        if name in self.elements and self.elements[name].tag == "frame":
            return self.attached(self.elements[name])
        raise self.document.problem(joint, f"its {side} {name!r:.60} is no link of this model")

    def attached(self, frame: Element) -> str:
        """The link that carries a frame."""
        seen = []
        name = frame.get("attached_to") or (GROUND if frame.get("name") in self.outer else self._canonical())
        while name not in self.links and name != GROUND:
            element = self.elements.get(name)
            if element is None or name in seen:
                raise self.document.problem(frame, f"is attached to {name!r:.60}, which is no link")
            seen.append(name)
            held = element.findtext("child") if element.tag == "joint" else element.get("attached_to")
            name = (held or self._canonical()).strip()
        return name

    def _canonical(self) -> str:
        return self.model.get("canonical_link") or self.links[0]

    def axis(self, joint: Element) -> Doubles:
        """A joint's axis in the joint's frame; before SDF 1.5 it was written in the model's."""
        element = joint.find("axis/xyz")
        text = element.text if element is not None else "0 0 1"
        direction = self.document.unit(joint, self.document.numbers(joint, text, 3, "axis"), "axis")
        old = (joint.findtext("axis/use_parent_model_frame") or "").strip().lower() in ("1", "true")
        said = element.get("expressed_in") if element is not None else None
        if said is None and (old or self.version < (1, 5)):
            said = MODEL
        if said is None:
            return direction
        R, _ = self.placement(said)
        R_joint, _ = self.placement(joint.get("name", ""))
        return R_joint.T @ R @ direction


def compose(a: Placement, b: Placement) -> Placement:
    """b, given in a, as the world sees it."""
    return a[0] @ b[0], a[0] @ b[1] + a[1]
