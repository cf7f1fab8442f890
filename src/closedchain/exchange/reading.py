"""What a file of another program holds: a tree, and what could not be said with one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.tree import Body, Relation, Tree


@dataclass(frozen=True, eq=False)
class Reading:
    """A file as a tree; `notes` name everything in it that the tree does not hold."""

    tree: Tree
    format: str
    joints: int  # how many joints the file has: all of them are in the tree, as joints or as loops
    notes: tuple[str, ...] = ()
    keys: Mapping[str, Mapping[str, Doubles]] = field(default_factory=dict)  # keyframes: joint → its values


@dataclass
class Notes:
    """What was left out, each thing once, in the order of finding; many of one kind are counted."""

    found: dict[str, list[str]] = field(default_factory=dict)

    def add(self, what: str, name: str = "") -> None:
        """Something that was left out, and the name of the element it stood at."""
        names = self.found.setdefault(what, [])
        if name and name not in names:
            names.append(name)

    def lines(self) -> tuple[str, ...]:
        """One sentence each."""
        return tuple(_sentence(what, names) for what, names in self.found.items())


def _sentence(what: str, names: list[str]) -> str:
    if not names:
        return what
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"{what}: {shown}"


def check_count(tree: Tree, joints: int, loops: int, origin: str) -> None:
    """Every joint of the file is in the tree: as a joint, or as one of the loops that the file wrote as joints."""
    held = len(tree.joints) + loops
    if held != joints:  # a mistake of ours, never of the file's
        raise AssertionError(f"{origin}: {joints} joints in the file, {held} in the tree")


def followed(tree: Tree, relations: Sequence[Relation], notes: Notes) -> Tree:
    """The tree with relations that a file states between the values of its hinges and slides.

    A joint that closes a loop has no value in a tree; what follows it, or what it follows, is left out and told.
    """
    kept = []
    for relation in relations:
        names = (relation.joint, *(other for other, _ in relation.others))
        if any(name not in tree.columns or tree.joint(name).freedoms != 1 for name in names):
            notes.add("couplings of joints that close a loop, or are no hinge or slide, are left out", relation.name)
            continue
        kept.append(relation)
    return replace(tree, relations=tuple(kept), closed=tree.closed and not any(r.offset for r in kept))


def words(text: str) -> tuple[str, ...]:
    """The names in a JSON list that one of our writers wrote; none where it is no such list."""
    try:
        found = json.loads(text) if text else []
    except ValueError:
        return ()
    return tuple(map(str, found)) if isinstance(found, list) else ()


def without_floors(bodies: list[Body], floors: str) -> list[Body]:
    """Take back the masses and inertias that our own writers had to invent: ["body:mass", "body:inertia"]."""
    given = set(words(floors))
    return [
        replace(
            body,
            mass=0.0 if f"{body.name}:mass" in given else body.mass,
            inertia=np.zeros((3, 3)) if f"{body.name}:inertia" in given else body.inertia,
        )
        for body in bodies
    ]
