"""Keyframes of an MJCF file: poses by name, as joint values from which its loops may be closed."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.kinematics import rotation_vector
from closedchain.exchange.rotations import from_quaternion
from closedchain.exchange.tree import Body, Joint, Tree
from closedchain.exchange.xml_reading import Document

PLACES = {"hinge": 1, "slide": 1, "ball": 4, "free": 7, "fixed": 0}  # of qpos


def read_keys(document: Document, tree: Tree) -> dict[str, dict[str, Doubles]]:
    """Name → joint → values; a key without a name is called by its number, one without qpos is the written pose."""
    found = {}
    elements = [key for frames in document.root.findall("keyframe") for key in frames if key.tag == "key"]
    for number, key in enumerate(elements):
        found[key.get("name") or f"key{number}"] = _values(document, key, tree)
    return found


def _values(document: Document, key: Element, tree: Tree) -> dict[str, Doubles]:
    """qpos follows the joints in the order of the bodies."""
    words = key.get("qpos")
    if words is None:
        return {}
    joints = [(body, joint) for body in tree.bodies for joint in body.joints]
    qpos = document.numbers(key, words, sum(PLACES[joint.kind] for _, joint in joints), "qpos")
    found, start = {}, 0
    for body, joint in joints:
        stop = start + PLACES[joint.kind]
        found[joint.name] = _value(body, joint, qpos[start:stop])
        start = stop
    return found


def _value(body: Body, joint: Joint, qpos: Doubles) -> Doubles:
    """A hinge or slide counts from its reference, a free body's pose is the world's."""
    if joint.kind == "ball":
        return rotation_vector(from_quaternion(qpos))
    if joint.kind == "free":
        turn = rotation_vector(body.rotation.T @ from_quaternion(qpos[3:]))
        return np.concatenate([body.rotation.T @ (qpos[:3] - body.position), turn])
    return qpos - joint.zero
