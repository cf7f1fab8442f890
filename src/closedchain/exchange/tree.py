"""A tree of rigid bodies with loops: what MJCF, SDF and URDF describe, in one form.

A body's place is stated once, at the **zero configuration**, where every joint's value is 0:

    T_body = T_parent · (position, rotation) · E₁(v₁) · E₂(v₂) …

E is a turn about `axis` through `at`, or a shift along `axis`; both are given in the body's own frame. The ground is
the parent called GROUND. Loops hold at the zero configuration where the tree says so (`closed`), else after assembly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError

GROUND = "world"
FREEDOMS = {"hinge": 1, "slide": 1, "ball": 3, "free": 6, "fixed": 0}
ROWS = {"point": 3, "weld": 6, "hinge": 5, "slide": 5, "line": 2, "distance": 1, "plane": 1, "incline": 1}
ORIGIN: Doubles = np.zeros(3)
UPRIGHT: Doubles = np.eye(3)
Z: Doubles = np.array([0.0, 0.0, 1.0])


class BadTree(ClosedChainError, ValueError):
    """Bodies, joints and loops that do not make a tree."""


@dataclass(frozen=True, eq=False)
class Joint:
    """What a body may do against its parent. A drive's coordinate is q = zero + value."""

    name: str
    kind: str  # hinge, slide, ball (rotation vector), free (shift, then rotation vector), fixed
    axis: Doubles = field(default_factory=lambda: Z)  # (3,) unit vector in the body's frame
    at: Doubles = field(default_factory=lambda: ORIGIN)  # (3,) [m] in the body's frame
    zero: float = 0.0  # [rad, m] the coordinate at the zero configuration
    stiffness: float = 0.0  # [N m/rad, N/m] of a spring: V = ½ stiffness (zero + value − rest)²
    rest: float = 0.0  # [rad, m] of the coordinate
    damping: float = 0.0  # [N m s/rad, N s/m]
    armature: float = 0.0  # [kg m², kg] a rotor's inertia, felt at the joint

    @property
    def freedoms(self) -> int:
        return FREEDOMS[self.kind]

    @property
    def shifts(self) -> tuple[bool, ...]:
        """Which of its freedoms are lengths."""
        return {"slide": (True,), "free": (True,) * 3 + (False,) * 3}.get(self.kind, (False,) * self.freedoms)


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, placed against its parent at the zero configuration."""

    name: str
    parent: str
    position: Doubles = field(default_factory=lambda: ORIGIN)  # (3,) [m] in the parent's frame
    rotation: Doubles = field(default_factory=lambda: UPRIGHT)  # (3, 3) columns are the body's axes
    joints: tuple[Joint, ...] = ()  # applied in this order; without one it is fixed to its parent
    mass: float = 0.0  # [kg]
    centre: Doubles = field(default_factory=lambda: ORIGIN)  # (3,) [m] in the body's frame
    inertia: Doubles = field(
        default_factory=lambda: np.zeros((3, 3))
    )  # [kg m²] about the centre, along the body's axes
    size: float = 0.0  # [m] its largest extent where shapes are known, for plausibility; 0 where not


@dataclass(frozen=True, eq=False)
class Frame:
    """A named place on a body."""

    name: str
    body: str
    at: Doubles = field(default_factory=lambda: ORIGIN)  # (3,) [m] in the body's frame
    rotation: Doubles = field(default_factory=lambda: UPRIGHT)  # (3, 3)


@dataclass(frozen=True, eq=False)
class Loop:
    """A closure between two bodies, frame a on one and frame b on the other.

    point: the origins meet. weld: the frames coincide. hinge: the origins meet, `axis` is common. slide: b shifts along
    `axis` of a and does not turn. line: b's origin is on the line through a's along `axis`. distance: |b − a| = length.
    plane: b's origin is in the plane through a's across `axis`. incline: `axis` of a · z of b = cosine.
    """

    name: str
    kind: str
    a: Frame
    b: Frame
    axis: Doubles = field(default_factory=lambda: Z)  # (3,) unit vector in frame a; at zero the same one in frame b
    length: float = 0.0  # [m]
    cosine: float = 0.0  # of an incline

    @property
    def rows(self) -> int:
        return ROWS[self.kind]


@dataclass(frozen=True, eq=False)
class Link:
    """A spring and damper between two places: V = ½ stiffness (distance − rest)²."""

    name: str
    a: Frame
    b: Frame
    stiffness: float = 0.0  # [N/m]
    rest: float = 0.0  # [m]
    damping: float = 0.0  # [N s/m]


@dataclass(frozen=True, eq=False)
class Relation:
    """A joint's value follows others': value = offset + Σ c₁ w + c₂ w² + …, w the value of each of them."""

    name: str
    joint: str
    others: tuple[tuple[str, tuple[float, ...]], ...] = ()  # a joint and its c₁, c₂, …
    offset: float = 0.0  # [rad, m]

    @property
    def linear(self) -> bool:
        return not any(any(coefficients[1:]) for _, coefficients in self.others)


@dataclass(frozen=True, eq=False)
class Twist:
    """A spring and damper on an angle about z that no joint is: of the line from one place to another.

    With four places it is counted from the line between the last two.
    """

    name: str
    frames: tuple[Frame, ...]  # from, to; two or four
    stiffness: float = 0.0  # [N m/rad]
    rest: float = 0.0  # [rad] the spring acts the shorter way round
    damping: float = 0.0  # [N m s/rad]


@dataclass(frozen=True, eq=False)
class Tree:
    """Bodies, parents first, with loops, named places, springs and gravity."""

    name: str
    bodies: tuple[Body, ...]
    loops: tuple[Loop, ...] = ()
    frames: tuple[Frame, ...] = ()
    links: tuple[Link, ...] = ()
    twists: tuple[Twist, ...] = ()
    relations: tuple[Relation, ...] = ()
    gravity: Doubles = field(default_factory=lambda: ORIGIN)  # (3,) [m/s²]
    drives: tuple[str, ...] = ()  # names of the driven joints, in the order of q
    output: str = ""  # name of the frame or body that the robot moves
    closed: bool = False  # whether the loops are known to close at the zero configuration
    about: str = ""
    start: Mapping[str, Doubles] = field(default_factory=dict)  # joint → values to assemble from; 0 where not named

    def __post_init__(self) -> None:
        check(self)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Body name → its place in `bodies`; the ground is −1."""
        return {GROUND: -1} | {body.name: i for i, body in enumerate(self.bodies)}

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """Every joint, fixed ones too, in the order of the bodies."""
        return tuple(joint for body in self.bodies for joint in body.joints)

    @cached_property
    def columns(self) -> Mapping[str, slice]:
        """Joint name → where its values stand in v."""
        found, start = {}, 0
        for joint in self.joints:
            found[joint.name] = slice(start, start + joint.freedoms)
            start += joint.freedoms
        return found

    @property
    def nv(self) -> int:
        """How many joint values there are."""
        return sum(joint.freedoms for joint in self.joints)

    @property
    def rows(self) -> int:
        """How many equations the loops and relations give."""
        return sum(loop.rows for loop in self.loops) + len(self.relations)

    @property
    def begin(self) -> Doubles:
        """The joint values to assemble from, (nv,)."""
        v = np.zeros(self.nv)
        for name, values in self.start.items():
            v[self.columns[name]] = values
        return v

    def body(self, name: str) -> Body:
        return self.bodies[self.index[name]]

    def joint(self, name: str) -> Joint:
        return next(j for j in self.joints if j.name == name)

    def place(self, name: str) -> Frame:
        """The frame of that name, or the body's own."""
        for frame in self.frames:
            if frame.name == name:
                return frame
        if name not in self.index:
            raise BadTree(f"{self.name}: no body or frame {name!r:.60}")
        return Frame(name, name)


def check(tree: Tree) -> None:
    """Parents stand before children, names are unique, whatever is referred to exists, kinds are known."""
    known = {GROUND}
    for body in tree.bodies:
        if body.name in known:
            raise BadTree(f"{tree.name}: two bodies are called {body.name!r:.60}; give each its own name")
        if body.parent not in known:
            raise BadTree(f"{tree.name}: body {body.name!r:.60} hangs on {body.parent!r:.60}, which is not before it")
        known.add(body.name)
    names = [joint.name for joint in tree.joints]
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        raise BadTree(f"{tree.name}: two joints are called {repeated!r:.60}; give each its own name")
    for joint in tree.joints:
        if joint.kind not in FREEDOMS:
            raise BadTree(
                f"{tree.name}: joint {joint.name!r:.60} is a {joint.kind!r:.30}; there are {', '.join(FREEDOMS)}"
            )
    frames = [*tree.frames, *(f for loop in tree.loops for f in (loop.a, loop.b))]
    frames += [f for twist in tree.twists for f in twist.frames]
    for frame in (*frames, *(f for link in tree.links for f in (link.a, link.b))):
        if frame.body not in known:
            raise BadTree(f"{tree.name}: {frame.name!r:.60} is on {frame.body!r:.60}, which is no body")
    for loop in tree.loops:
        if loop.kind not in ROWS:
            raise BadTree(f"{tree.name}: loop {loop.name!r:.60} is a {loop.kind!r:.30}; there are {', '.join(ROWS)}")
    for relation in tree.relations:
        for name in (relation.joint, *(other for other, _ in relation.others)):
            if name not in names or tree.joint(name).freedoms != 1:
                raise BadTree(f"{tree.name}: coupling {relation.name!r:.60}: {name!r:.60} is no hinge or slide")
    for drive in tree.drives:
        if drive not in names:
            raise BadTree(f"{tree.name}: {drive!r:.60} is driven but is no joint")
