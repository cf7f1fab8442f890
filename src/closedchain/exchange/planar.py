"""A tree that moves in one plane, as links of that plane with pins and slides between them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.exchange.assembly import assemble
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.masses import Inertia, combined
from closedchain.exchange.reshaping import single_jointed
from closedchain.exchange.shapes import size
from closedchain.exchange.tree import GROUND, Frame, Joint, Loop, Tree
from closedchain.policy import OPEN

PARALLEL = 1e-6  # sine of an angle that counts as none
ROUND = 1e-12  # of a direction: nearer to an axis than that it is the axis
TOUCHING = 1e-8  # of the tree's size: places nearer than that are one


class NotOurs(ClosedChainError, ValueError):
    """A tree that points, bars and plates do not describe; the message says what stands against it."""


@dataclass(eq=False)
class Link:
    """A rigid body of the plane, placed as the tree is assembled; the ground is number 0."""

    number: int
    bodies: list[str] = field(default_factory=list)
    mass: float = 0.0
    centre: Doubles = field(default_factory=lambda: np.zeros(2))  # (2,) [m] in the plane
    inertia: float = 0.0  # [kg m²] about the centre

    @property
    def name(self) -> str:
        return self.bodies[0]


@dataclass(frozen=True, eq=False)
class Connection:
    """A pin at a point, a slide along a direction, a point on a line, or a distance between two links."""

    kind: str  # pin, slide, line, distance
    name: str
    a: Link  # the parent's side
    b: Link
    at: Doubles  # (2,) a pin's place; for a line or distance the place on a
    along: Doubles  # (2,) a slide's or line's direction; for a distance the place on b
    joint: Joint | None = None  # of the tree; None for a loop
    coordinate: float = 0.0  # zero + value as assembled
    sign: float = 1.0  # of a turn: +1 counts from e1 to e2


@dataclass(frozen=True, eq=False)
class Plane:
    """The links and their connections; e1 and e2 span the plane."""

    tree: Tree
    e1: Doubles  # (3,)
    e2: Doubles  # (3,)
    links: tuple[Link, ...]
    connections: tuple[Connection, ...]
    places: dict[str, tuple[Link, Doubles, float]]  # named frames and bodies: link, point (2,), angle of its x axis
    gravity: Doubles  # (2,)
    gap: float  # [m] what the assembly left open
    size: float  # [m]

    def near(self, a: Doubles, b: Doubles) -> bool:
        return bool(np.linalg.norm(a - b) <= TOUCHING * self.size)


def flatten(tree: Tree) -> Plane:
    """The tree in its plane; raises NotOurs where it has none."""
    return _Flattening(single_jointed(tree)).plane()


class _Flattening:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        assembly = assemble(tree)
        if assembly.residual > OPEN * size(tree):
            raise NotOurs(f"its loops {assembly.message}")
        self.v, self.gap = assembly.v, assembly.residual
        self.posture = Posture(tree, self.v)
        self.normal = self._normal()
        self.e1, self.e2 = _basis(self.normal)
        self.size = size(tree)
        self.group = self._groups()

    def plane(self) -> Plane:
        links = self._links()
        made = [c for body in self.tree.bodies for joint in body.joints for c in self._joint(body.name, joint, links)]
        made += [c for loop in self.tree.loops for c in self._loop(loop, links)]
        return Plane(
            self.tree,
            self.e1,
            self.e2,
            tuple(dict.fromkeys(links.values())),
            tuple(made),
            self._places(links),
            np.where(np.abs(weight := self.flat(self.tree.gravity)) > 1e-12 * np.linalg.norm(weight), weight, 0.0),
            self.gap,
            self.size,
        )

    def flat(self, vector: Doubles) -> Doubles:
        return np.array([vector @ self.e1, vector @ self.e2])

    # The plane ----------------------------------------------------------------------------------

    def _axes(self) -> list[tuple[str, str, Doubles]]:
        """Every joint and loop that has a direction: its name, kind, and the direction in the world."""
        found = []
        for body in self.tree.bodies:
            R = self.posture.body(body.name)[0]
            found += [(j.name, j.kind, R @ j.axis) for j in body.joints if j.kind in ("hinge", "slide")]
        for loop in self.tree.loops:
            if loop.kind in ("hinge", "slide", "line"):
                found.append((loop.name, loop.kind, self.posture.frame(loop.a)[0] @ loop.axis))
        return found

    def _normal(self) -> Doubles:
        for joint in self.tree.joints:
            if joint.kind in ("ball", "free"):
                raise NotOurs(f"joint {joint.name} is a {joint.kind} joint, which moves out of any plane")
        axes = self._axes()
        normal = next((axis for _, kind, axis in axes if kind == "hinge"), None)
        if normal is None:
            raise NotOurs("it has no hinge, so that its plane is not known")
        for name, kind, axis in axes:
            off = np.linalg.norm(np.cross(normal, axis)) if kind == "hinge" else abs(float(normal @ axis))
            if off > PARALLEL:
                angle = np.degrees(np.arcsin(min(1.0, float(off))))
                raise NotOurs(
                    f"{kind} {name} is {angle:.3g}° out of the plane of the first hinge; only planar ones are ours"
                )
        return normal

    # Links --------------------------------------------------------------------------------------

    def _groups(self) -> dict[str, str]:
        """Body → the first body that it is one with: by fixed joints and welds."""
        leader = {name: name for name in self.tree.index}

        def top(name: str) -> str:
            while leader[name] != name:
                name = leader[name]
            return name

        pairs = [(b.parent, b.name) for b in self.tree.bodies if all(j.kind == "fixed" for j in b.joints)]
        pairs += [(loop.a.body, loop.b.body) for loop in self.tree.loops if loop.kind == "weld"]
        for a, b in pairs:
            first, second = sorted((top(a), top(b)), key=lambda n: self.tree.index[n])
            leader[second] = first
        return {name: top(name) for name in leader}

    def _links(self) -> dict[str, Link]:
        links: dict[str, Link] = {}
        by_leader: dict[str, Link] = {}
        for name in self.tree.index:
            leader = self.group[name]
            link = by_leader.setdefault(leader, Link(len(by_leader)))
            link.bodies.append(name)
            links[name] = link
        for link in by_leader.values():
            whole: Inertia = (0.0, np.zeros(3), np.zeros((3, 3)))
            for name in link.bodies:
                if name != GROUND:
                    body = self.tree.body(name)
                    R = self.posture.body(name)[0]
                    place = self.posture.frame(Frame("", name, body.centre))[1]
                    whole = combined(whole, (body.mass, place, R @ body.inertia @ R.T))
            link.mass, link.centre = whole[0], self.flat(whole[1])
            link.inertia = float(self.normal @ whole[2] @ self.normal)
        return links

    def _joint(self, body: str, joint: Joint, links: dict[str, Link]) -> list[Connection]:
        if not joint.freedoms:
            return []
        R, p, *_ = self.posture.body(body)
        a, b = links[self.tree.body(body).parent], links[body]
        axis = R @ joint.axis
        value = float(self.v[self.tree.columns[joint.name]][0])
        kind = "pin" if joint.kind == "hinge" else "slide"
        at, along = self.flat(p + R @ joint.at), _unit(self.flat(axis)) if kind == "slide" else np.zeros(2)
        sign = 1.0 if axis @ np.cross(self.e1, self.e2) > 0 else -1.0
        return [Connection(kind, joint.name, a, b, at, along, joint, joint.zero + value, sign)]

    def _loop(self, loop: Loop, links: dict[str, Link]) -> list[Connection]:
        a, b = links[loop.a.body], links[loop.b.body]
        R, p, *_ = self.posture.frame(loop.a)
        at, far = self.flat(p), self.flat(self.posture.frame(loop.b)[1])
        match loop.kind:
            case "point" | "hinge":
                return [Connection("pin", loop.name, a, b, at, np.zeros(2))]
            case "slide" | "line":
                return [Connection(loop.kind, loop.name, a, b, at, _unit(self.flat(R @ loop.axis)))]
            case "distance":
                return [Connection("distance", loop.name, a, b, at, far)]
        return []

    def _places(self, links: dict[str, Link]) -> dict[str, tuple[Link, Doubles, float]]:
        found: dict[str, tuple[Link, Doubles, float]] = {}
        frames = [*self.tree.frames, *(Frame(b.name, b.name) for b in self.tree.bodies)]
        for frame in frames:
            R, p, *_ = self.posture.frame(frame)
            flat = [self.flat(R[:, i]) for i in range(3)]
            lying = next(v for v in flat if np.linalg.norm(v) > 0.5)
            found.setdefault(frame.name, (links[frame.body], self.flat(p), float(np.arctan2(lying[1], lying[0]))))
        return found


def _basis(normal: Doubles) -> tuple[Doubles, Doubles]:
    """Two world axes across a normal, or the nearest: x and y, x and z, or y and z."""
    across = [axis - (axis @ normal) * normal for axis in np.eye(3)]
    e1, e2 = (v for i, v in enumerate(across) if i != int(np.argmax(np.abs(normal))))
    e1 = e1 / np.linalg.norm(e1)
    e2 = e2 - (e2 @ e1) * e1
    return e1, e2 / np.linalg.norm(e2)


def _unit(vector: Doubles) -> Doubles:
    return vector / np.linalg.norm(vector)


def turned(vector: Doubles, angle: float) -> Doubles:
    """A vector of the plane, turned by an angle."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def cross(a: Doubles, b: Doubles) -> float:
    """The plane's cross product."""
    return float(a[0] * b[1] - a[1] * b[0])


def snapped(direction: Doubles) -> Doubles:
    """The same direction, exactly along an axis where it is so to rounding."""
    nearest = np.round(direction)
    return nearest if np.abs(direction - nearest).max() < ROUND else direction
