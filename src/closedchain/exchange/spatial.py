"""Tree → Mechanism in space: a body for each rigid group, its joint from the file, closures for the loops.

A loop's rows that the others imply everywhere near by are left out, so that what remains decides the passive joints:
a pin of which a row is implied becomes planes, a hinge keeps the inclines that it needs. Where the rest still do not
match the passive joints, as with a floating base, it is a linkage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import (
    Ball,
    Bar,
    Body,
    Coupling,
    Direction,
    Element,
    Fixed,
    Incline,
    Joint,
    Pin,
    Plane,
    Point,
    Slide,
    Turn,
)
from closedchain.describe.expressions import evaluate, expr
from closedchain.describe.mechanism import Mechanism, chain
from closedchain.describe.vectors import Vector
from closedchain.exchange.analysis import Analysis, analyse
from closedchain.exchange.hinging import paired
from closedchain.exchange.kinematics import Posture, rotation, sides
from closedchain.exchange.masses import combined
from closedchain.exchange.naming import clean
from closedchain.exchange.planar import NotOurs
from closedchain.exchange.reshaping import jointed_at_origin, single_jointed
from closedchain.exchange.rotations import to_rpy
from closedchain.exchange.shapes import size
from closedchain.exchange.sketching import numbers
from closedchain.exchange.tree import GROUND, Frame, Loop, Relation, Tree
from closedchain.exchange.tree import Body as Link
from closedchain.exchange.tree import Joint as Hinge
from closedchain.policy import OPEN

SHORT = 20  # letters of a name that coordinates are called after: pitch_NAME
ROUND = 4e-15  # of 1, or of the tree's size: what turning frames leaves of a zero, which hides what a closure holds
COORDINATES = ("x", "y", "z", "roll", "pitch", "yaw")


@dataclass(frozen=True, eq=False)
class Row:
    """One scalar closure of a loop and the elements that state it, or a pin of which it is a part."""

    name: str  # as the analysis calls it
    made: Element


def in_space(given: Tree, output: str) -> tuple[Mechanism, tuple[str, ...]]:
    """The tree as bodies of space, and notes; raises NotOurs where its loops do not close or it has no words."""
    tree = replace(given, loops=paired(given.loops))
    analysis = analyse(tree)
    if analysis.assembly.residual > OPEN * size(tree):
        raise NotOurs(f"its loops {analysis.assembly.message}")
    return _Translating(tree, analysis, output).mechanism()


@dataclass(eq=False)
class _Group:
    """Bodies of the tree that move as one; `leader` is the one with the joint, None for the ground."""

    leader: Link | None
    body: Body | None = None
    joint: Joint | None = None


@dataclass(eq=False)
class _Translating:
    given: Tree
    analysis: Analysis
    output: str
    names: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    points: int = 0

    def __post_init__(self) -> None:
        self.tree = jointed_at_origin(single_jointed(self.given))
        self.v = self.analysis.assembly.v
        self.size = size(self.tree)
        self.zero = Posture(self.tree, np.zeros(self.tree.nv))
        if any(joint.kind in ("ball", "free") for joint in self.tree.joints):
            self.names |= set(COORDINATES)
        self.leaders = self._leaders()
        self.groups: dict[str, _Group] = {}
        self.joints: dict[str, Joint] = {}  # of the tree's name

    def mechanism(self) -> tuple[Mechanism, tuple[str, ...]]:
        for name in dict.fromkeys(self.leaders.values()):
            self.groups[name] = self._group(name)
        rows = [row for loop in self.tree.loops for row in self._loop(loop)]
        kept = _kept(rows, set(self.analysis.implied))
        drives = tuple(self._drives())
        couplings = tuple(map(self._coupling, self.tree.relations))
        bodies = [g.body for g in self.groups.values() if g.body is not None]
        moved = self._output(bodies, kept, drives)
        unknowns = sum(j.freedoms for j in self.tree.joints) - len(drives)
        rows_kept = sum(3 if isinstance(e, Pin) else 1 for e in kept) + len(couplings)
        linkage = rows_kept != unknowns or not drives
        if linkage:
            driven = f"{len(drives)} are driven"
            self.notes.append(f"it is a linkage: {rows_kept} closures hold {unknowns} coordinates, {driven}")
        left = len(self.analysis.implied)
        self.notes += [f"{left} closures that the others imply are left out"] if left else []
        still = not np.abs(self.tree.gravity).max() > 0.0
        mechanism = Mechanism(
            clean(self.tree.name, set()),
            drives=drives,
            output=moved,
            bars=tuple(e for e in kept if isinstance(e, Bar)),
            pins=tuple(e for e in kept if isinstance(e, Pin)),
            planes=tuple(e for e in kept if isinstance(e, Plane)),
            inclines=tuple(e for e in kept if isinstance(e, Incline)),
            couplings=couplings,
            gravity=None if still else numbers(self.tree.gravity),
            about=self.tree.about,
            further=tuple(b for b in bodies if b is not moved),
            linkage=linkage,
        )
        return mechanism, tuple(self.notes)

    # Bodies -------------------------------------------------------------------------------------

    def _leaders(self) -> dict[str, str]:
        """Each body → the nearest body towards the ground that has a joint which moves; else the ground."""
        found = {GROUND: GROUND}
        for body in self.tree.bodies:
            moves = any(joint.freedoms for joint in body.joints)
            found[body.name] = body.name if moves else found[body.parent]
        return found

    def _group(self, leader: str) -> _Group:
        if leader == GROUND:
            return _Group(None)
        link = self.tree.body(leader)
        (hinge,) = (joint for joint in link.joints if joint.freedoms)
        mass, centre, inertia = self._inertia(leader)
        moments = [inertia[i, i] for i in range(3)] + [inertia[i, j] for i, j in ((0, 1), (0, 2), (1, 2))]
        joint, near = self._joint(link, hinge)
        body = Body(
            clean(leader[:SHORT], self.names),
            mass=expr(mass),
            centre=numbers(centre if mass else np.zeros(3)),
            inertia=numbers(moments if any(moments[3:]) else moments[:3]),
            joint=joint,
            near=None if near is None or hinge.name in self.tree.drives else numbers(near),
        )
        if joint is not None:
            self.joints[hinge.name] = joint
        return _Group(link, body, joint)

    def _inertia(self, leader: str) -> tuple[float, Doubles, Doubles]:
        """Of everything that is fixed to a body, in the body's frame."""
        R_0, p_0, *_ = self.zero.body(leader)
        whole = (0.0, np.zeros(3), np.zeros((3, 3)))
        for name, head in self.leaders.items():
            if head == leader:
                body = self.tree.body(name)
                R, p, *_ = self.zero.body(name)
                turn = R_0.T @ R
                own = body.mass, R_0.T @ (p + R @ body.centre - p_0), turn @ body.inertia @ turn.T
                whole = combined(whole, own) if whole[0] or whole[2].any() else own
        return whole

    def _local(self, frame: Frame) -> tuple[str, Doubles, Doubles]:
        """A frame on the group that carries it: its leader, place and rotation there."""
        leader = self.leaders[frame.body]
        R_0, p_0, *_ = self.zero.body(leader)
        R, p, *_ = self.zero.frame(frame)
        return leader, R_0.T @ (p - p_0), R_0.T @ R

    def _joint(self, link: Link, hinge: Hinge) -> tuple[Joint | None, Doubles | None]:
        """A body's joint and about where it is; its coordinate counts as the file's does."""
        parent, at, turn = self._local(Frame("", link.parent, link.position, link.rotation))
        value = self.v[self.tree.columns[hinge.name]]
        by = self.groups[parent].body
        if hinge.kind == "free":
            R = turn @ rotation(value[3:])
            if by is not None:
                raise NotOurs(f"{link.name} floats above {parent}, which moves; ours float above the ground")
            return None, np.concatenate([at + turn @ value[:3], to_rpy(R)])
        name = clean(hinge.name[: SHORT if hinge.kind == "ball" else None], self.names)
        if hinge.kind == "ball":
            R = turn @ rotation(value) @ turn.T
            return Ball(name, self._place(at), by, _axes(turn)), to_rpy(R)
        axis = turn @ hinge.axis
        coordinate = np.array([hinge.zero + value[0]])
        acting: dict[str, Any] = {k: getattr(hinge, k) for k in ("stiffness", "rest", "damping")}
        acting |= {"rotor": hinge.armature}
        if hinge.kind == "slide":
            place = self._place(at - hinge.zero * axis)
            return Slide(name, place, by, _axes(turn), axis=_unit(axis), **acting), coordinate
        back = rotation(-hinge.zero * axis) @ turn
        return Turn(name, self._place(at), by, _axes(back), axis=_unit(axis), **acting), coordinate

    def _drives(self) -> Iterator[Turn | Slide]:
        for name in self.tree.drives:
            joint = self.joints.get(name)
            if isinstance(joint, Turn | Slide):
                yield joint
            else:
                self.notes.append(f"the drive of {name}, which is no hinge or slide, is left out")

    def _place(self, at: Doubles) -> Vector:
        return numbers(np.where(np.abs(at) < ROUND * self.size, 0.0, at))

    # Closures -----------------------------------------------------------------------------------

    def _point(self, frame: Frame) -> Point:
        leader, at, _ = self._local(frame)
        body = self.groups[leader].body
        self.points += 1
        name = clean(f"P{self.points}", self.names)
        return Fixed(name, self._place(at)) if body is None else body.point(name, self._place(at))

    def _direction(self, frame: Frame, local: Doubles) -> Direction:
        leader, _, turn = self._local(frame)
        return Direction(_unit(turn @ local), self.groups[leader].body)

    def _loop(self, loop: Loop) -> list[Row]:
        """The scalar closures of a loop, in the order and by the names of the analysis."""
        if self.leaders[loop.a.body] == self.leaders[loop.b.body]:
            self.notes.append(f"loop {loop.name} is within one body and says nothing")
            return []
        name = clean(loop.name, self.names)
        if loop.kind == "distance":
            return [Row("length", Bar(self._point(loop.a), self._point(loop.b), expr(loop.length), name=name))]
        if loop.kind == "incline":
            lines = self._direction(loop.a, loop.axis), self._direction(loop.b, np.array([0.0, 0.0, 1.0]))
            return [Row("cosine", Incline(*lines, expr(loop.cosine), name=name))]
        across = [*sides(loop.axis)]
        shifts = {"plane": [loop.axis], "line": across, "slide": across}.get(loop.kind, [*np.eye(3)])
        words = {"plane": ["across"], "line": ["across 1", "across 2"], "slide": ["across 1", "across 2"]}
        rows = self._meeting(loop, name, shifts, words.get(loop.kind, ["x", "y", "z"]))
        if loop.kind == "hinge":
            turns = [(loop.axis, e) for e in across]
            tilts = [Incline(self._direction(loop.b, n), self._direction(loop.a, e)) for n, e in turns]
            rows += self._inclines(name, tilts, ["tilt 1", "tilt 2"])
        if loop.kind in ("weld", "slide"):
            x, y, z = np.eye(3)
            pairs = ((y, z), (x, z), (x, y))  # what a turn about x, y, z takes apart; axes must not change places
            turns_ = [Incline(self._direction(loop.a, a), self._direction(loop.b, b)) for a, b in pairs]
            rows += self._inclines(name, turns_, ["about x", "about y", "about z"])
        return [Row(f"{loop.name}: {row.name}", row.made) for row in rows]

    def _meeting(self, loop: Loop, name: str, normals: list[Doubles], words: list[str]) -> list[Row]:
        """Planes through a's place; all three are to be a pin."""
        a, b = self._point(loop.a), self._point(loop.b)
        _, _, turn = self._local(loop.a)
        marks = [f"{name}_{k + 1}" for k in range(len(normals))]
        planes = [Plane(b, a, _unit(turn @ n), name=mark) for n, mark in zip(normals, marks, strict=True)]
        return [Row(word, plane) for word, plane in zip(words, planes, strict=True)]

    def _inclines(self, name: str, made: list[Incline], words: list[str]) -> list[Row]:
        named = [
            replace(incline, name=f"{name}_{word.replace(' ', '_')}") for incline, word in zip(made, words, strict=True)
        ]
        return [Row(word, incline) for incline, word in zip(named, words, strict=True)]

    def _coupling(self, relation: Relation) -> Coupling:
        if not relation.linear:
            raise NotOurs(f"the coupling {relation.name} is not linear; ours are")
        terms: dict[str, float] = {}
        equals = relation.offset
        for name, factor in ((relation.joint, 1.0), *((n, -c[0]) for n, c in relation.others)):
            joint = self.joints[name]
            terms[joint.name] = terms.get(joint.name, 0.0) + factor
            equals += factor * self.tree.joint(name).zero
        made = tuple((name, expr(factor)) for name, factor in terms.items())
        return Coupling(made, expr(equals), name=clean(relation.name, self.names))

    # The output ---------------------------------------------------------------------------------

    def _output(self, bodies: list[Body], kept: list[Element], drives: tuple[Turn | Slide, ...]) -> Body:
        """What was asked for; else the body of which most closures speak, among those with coordinates of their own."""
        if self.output:
            wanted = self.groups[self.leaders[self.given.place(self.output).body]].body
            if wanted is None:
                raise NotOurs(f"{self.output} does not move, so that it cannot be the output")
            return wanted
        loose = [b for b in bodies if any(c.joint not in drives for c in chain(b))]
        if not loose:
            raise NotOurs("every joint is driven: nothing is left for loops to decide")
        counts = {body.name: 0 for body in loose}
        for loop in self.tree.loops:
            for side in (loop.a, loop.b):
                held = self.groups[self.leaders[side.body]].body
                if held is not None and held.name in counts:
                    counts[held.name] += 1
        return max(loose, key=lambda b: (counts[b.name], evaluate(b.mass, {})))


def _kept(rows: list[Row], redundant: set[str]) -> list[Element]:
    """The closures that are not implied; three planes of one loop that all stay are a pin."""
    left = [row for row in rows if row.name not in redundant]
    found: list[Element] = []
    for row in left:
        mine = [
            r for r in left if isinstance(row.made, Plane) and isinstance(r.made, Plane) and _alike(r.made, row.made)
        ]
        if len(mine) < 3:
            found.append(row.made)
        elif mine[0] is row:
            plane = mine[0].made
            assert isinstance(plane, Plane)
            found.append(Pin(plane.through, plane.point, name=plane.name.removesuffix("_1")))
    return found


def _alike(one: Plane, other: Plane) -> bool:
    return one.point is other.point and one.through is other.through


def _axes(R: Doubles) -> tuple[Vector, Vector, Vector] | None:
    if np.abs(R - np.eye(3)).max() < ROUND:
        return None
    x, y, z = (_unit(column) for column in _orthonormal(R).T)
    return x, y, z


def _orthonormal(R: Doubles) -> Doubles:
    """The nearest rotation, for files that write few digits."""
    U, _, V = np.linalg.svd(R)
    return U @ V


def _unit(v: Doubles) -> Vector:
    near = np.where(np.abs(v) < ROUND, 0.0, v)
    return numbers(near / np.linalg.norm(near))
