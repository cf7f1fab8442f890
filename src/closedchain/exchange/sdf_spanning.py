"""Which joints of an SDF model carry its links, and which close loops."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from closedchain.arrays import Doubles
from closedchain.exchange.tree import GROUND


@dataclass(frozen=True, eq=False)
class Found:
    """A joint of the file: the links it joins and where it stands."""

    element: Element
    name: str
    kind: str
    parent: str
    child: str
    axis: Doubles  # in the joint's frame


@dataclass(frozen=True, eq=False)
class Step:
    """A link that hangs on another by a joint, or on the ground by none."""

    link: str
    on: str
    joint: Found | None = None
    backwards: bool = False  # the joint's child carries its parent


def span(links: Sequence[str], joints: Sequence[Found], driven: Collection[str]) -> tuple[list[Step], list[Found]]:
    """Links from the ground outwards, by the joints in the file's order; the joints left over are loops.

    A driven joint is left over only where a loop has nothing but driven ones.
    """
    steps = _grown(links, joints)
    if {j.name for j in _left(joints, steps)} & set(driven):
        steps = _grown(links, _acyclic(sorted(joints, key=lambda j: j.name not in driven)))
    return steps, _left(joints, steps)


def _left(joints: Sequence[Found], steps: list[Step]) -> list[Found]:
    used = [step.joint for step in steps]
    return [joint for joint in joints if joint not in used]


def _acyclic(joints: Sequence[Found]) -> list[Found]:
    """Of joints in order of preference, those that close no loop."""
    leader: dict[str, str] = {}

    def top(link: str) -> str:
        while link in leader:
            link = leader[link]
        return link

    kept = []
    for joint in joints:
        a, b = top(joint.parent), top(joint.child)
        if a != b:
            leader[b] = a
            kept.append(joint)
    return kept


def _grown(links: Sequence[str], joints: Sequence[Found]) -> list[Step]:
    steps: list[Step] = []
    placed = [GROUND]
    while True:
        _grow(placed, joints, steps)
        loose = [link for link in links if link not in placed]
        if not loose:
            return steps
        start = next((n for n in loose if all(j.child != n for j in joints)), loose[0])
        steps.append(Step(start, GROUND))
        placed.append(start)


def _grow(placed: list[str], joints: Sequence[Found], steps: list[Step]) -> None:
    for backwards in (False, True):  # a joint is taken against its sense only where nothing else reaches a link
        for link in placed:
            for joint in joints:
                near, far = (joint.child, joint.parent) if backwards else (joint.parent, joint.child)
                if near == link and far not in placed:
                    steps.append(Step(far, near, joint, backwards))
                    placed.append(far)
                    if backwards:
                        _grow(placed, joints, steps)
