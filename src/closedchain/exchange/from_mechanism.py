"""Model → Tree: every bar, plate, body, crank, carriage and telescope as a rigid body, closed where one chooses.

The free points' masses ride on what meets there, in equal shares; that is exact, since all of it moves with the point.
In space a bar hangs by two hinges, so that nothing is left to spin about its own line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.describe.checks import element_place
from closedchain.describe.elements import (
    Angle,
    Ball,
    Bar,
    Carried,
    Coplanar,
    Crank,
    Direction,
    Drive,
    Element,
    Free,
    Incline,
    Plane,
    Point,
    Slide,
    Slider,
    Telescope,
    Turn,
    point_name,
)
from closedchain.describe.elements import Body as Solid
from closedchain.describe.expressions import is_number
from closedchain.describe.mechanism import Mechanism
from closedchain.errors import BadInput, NoSolution, length
from closedchain.exchange.guiding import Guide
from closedchain.exchange.hinging import hinged
from closedchain.exchange.masses import Masses
from closedchain.exchange.naming import unique
from closedchain.exchange.parts import Parts
from closedchain.exchange.placing import Configuration
from closedchain.exchange.relating import related
from closedchain.exchange.rotations import onto
from closedchain.exchange.spanning import Chord, Edge, Spanning
from closedchain.exchange.tree import GROUND, Body, Frame, Joint, Link, Loop, Tree, Twist
from closedchain.model.assembling import assemble
from closedchain.model.closing import gaps
from closedchain.model.model import Model
from closedchain.model.sampling import configurations
from closedchain.policy import GAP

MARGIN = 0.1  # how regular the configuration is that is chosen where none is given, if there is such: 1 at best
X, Y, Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class Embedding:
    """A robot's tree, and the configuration (q, x) that is its zero."""

    model: Model
    q: Doubles  # (nq,)
    x: Doubles  # (nx,)
    tree: Tree
    edges: tuple[Edge, ...]  # one per body, in the bodies' order
    unsaid: tuple[str, ...] = ()  # couplings that are no relation between joints of the tree


def embed(model: Model, q: ArrayLike | None = None, x: ArrayLike | None = None) -> Embedding:
    """The robot as a tree whose zero configuration is (q, x); a regular one is chosen where none is given."""
    if model.mechanism is None:
        raise BadInput(
            f"{model.name} states its equations and has no bodies; only points, bars, plates and bodies become a tree"
        )
    _refuse_unsmooth(model.mechanism)
    q_, x_ = _zero(model, q, x)
    parts = Parts(model.mechanism)
    at = Configuration(model, q_, x_, np.zeros_like(q_), np.zeros_like(x_))
    masses = Masses(at, parts)
    spanning = Spanning(parts, masses.massless)
    if spanning.unreached:
        raise BadInput(f"{model.name}: {spanning.unreached[0].name} hangs on nothing, so that it is not part of a tree")
    tree = _Builder(at, masses, spanning).tree()
    relations, unsaid = related(tree, at, parts)
    return Embedding(model, q_, x_, replace(tree, relations=relations), tuple(spanning.edges), unsaid)


def _zero(model: Model, q: ArrayLike | None, x: ArrayLike | None) -> tuple[Doubles, Doubles]:
    if (q is None) != (x is None):
        raise BadInput(
            f"{model.name}: a tree's zero configuration needs both q and x; `closedchain.state` finds the other"
        )
    if q is None or x is None:
        z = assemble(model).unwrap() if model.linkage else configurations(model, 1, np.random.default_rng(0), MARGIN)[0]
        return z[: model.nq], z[model.nq :]
    q_, x_ = vectors(q, model.nq, "q"), vectors(x, model.nx, "x")
    gap = float(np.abs(gaps(model, np.concatenate([q_, x_]))).max(initial=0.0))
    if gap > GAP * model.scale:
        raise NoSolution(f"{model.name}: q and x leave the loops open by {length(gap)}; give a configuration")
    return q_, x_


class _Builder:
    """Bodies, loops, frames and springs at the zero configuration."""

    def __init__(self, at: Configuration, masses: Masses, spanning: Spanning) -> None:
        self.at, self.model, self.mechanism, self.spanning = at, at.model, at.mechanism, spanning
        self.parts, self.local, self.number = spanning.parts, masses.local, at.number
        self.masses = masses
        self.poses = {part: self.at.pose(part) for part in self.parts.every}
        self.names: set[str] = {d.name for d in self.mechanism.drives}
        acted = [e.between for e in self.mechanism.acting]
        self.angles = [a for a in dict.fromkeys(acted) if isinstance(a, Angle)]

    def tree(self) -> Tree:
        m = self.mechanism
        gravity = np.zeros(3) if m.gravity is None else self.at.constant(m.gravity)
        turned = {part.name: pose.R for part, pose in self.poses.items()}
        return Tree(
            self.model.recipe.name,
            bodies=tuple(self.body(edge) for edge in self.spanning.edges),
            loops=hinged((*map(self.loop, self.spanning.chords), *self.rows()), turned),
            frames=tuple(self.frame(p) for p in m.points),
            links=tuple(self.links()),
            twists=tuple(self.twists()),
            gravity=gravity,
            drives=tuple(d.name for d in m.drives),
            output=m.output.name,
            closed=True,
            about=m.about,
        )

    # Bodies -------------------------------------------------------------------------------------

    def body(self, edge: Edge) -> Body:
        parent, child = self.poses[edge.parent], self.poses[edge.child]
        mass, centre, inertia = self.masses.inertia(edge.child)
        return Body(
            edge.child.name,
            edge.parent.name,
            position=parent.R.T @ (child.p - parent.p),
            rotation=parent.R.T @ child.R,
            joints=self.joints(edge),
            mass=mass,
            centre=centre,
            inertia=inertia,
        )

    def joints(self, edge: Edge) -> tuple[Joint, ...]:
        child = edge.child
        if edge.cluster is not None:
            at = self.local(child, edge.points[1])
            guide = self.at.guides.get(id(child.element))
            if self.mechanism.dimension == 2 or (guide is not None and guide.single):
                return (self.hinge(edge, at),)
            names = (unique(f"{child.name}_{word}", self.names) for word in ("turn", "tilt"))
            first = Z if guide is None else self.poses[child].R.T @ self.at.pointing(guide.axis)[0]
            return tuple(Joint(name, "hinge", axis, at) for name, axis in zip(names, (first, Y), strict=True))
        match child.element, child.kind:
            case (Free() | Crank(), "carrier"):
                axes = dict(zip("xyz"[: self.mechanism.dimension], (X, Y, Z), strict=False))
                return tuple(Joint(unique(f"{child.name}_{k}", self.names), "slide", axis) for k, axis in axes.items())
            case Slider() as slider, _:
                return (self.driven(slider, "slide", self.at.constant(slider.along)),)
            case Crank() as crank, _:
                return (self.driven(crank, "hinge", Z),)
            case Telescope() as leg, kind:
                return (self.driven(leg, "slide", X if kind == "rod" else -X),)
            case Solid() as solid, _:
                return (self.jointed(solid),)
        return (Joint(unique(f"{child.name}_slide", self.names), "slide", X),)

    def jointed(self, solid: Solid) -> Joint:
        """The joint on which a body of space stands; a free one floats above the ground."""
        match solid.joint:
            case None:
                return Joint(unique(f"{solid.name}_free", self.names), "free")
            case Ball() as ball:
                return Joint(unique(ball.name, self.names), "ball")
            case Turn() | Slide() as joint:
                kind, axis = "hinge" if isinstance(joint, Turn) else "slide", self.at.constant(joint.axis)
                axis = self.at.axes(joint).T @ axis  # a turn leaves its own axis where it is
                if joint in self.mechanism.drives:
                    return self._with_own(self.driven(joint, kind, axis), joint)
                zero = float(self.at.coordinates(solid)[0][0])
                passive = Joint(unique(joint.name, self.names), kind, axis, zero=zero)
                return self._with_own(self.acting(passive, [(joint, 0.0)]), joint)
        raise TypeError(solid.joint)

    def _with_own(self, made: Joint, joint: Turn | Slide) -> Joint:
        """A joint with the spring, damper and rotor that it states, beside what acts on it as a drive."""
        own = self.number(joint.stiffness)
        whole = made.stiffness + own
        rest = (made.stiffness * made.rest + own * self.number(joint.rest)) / whole if whole else 0.0
        damping, rotor = made.damping + self.number(joint.damping), made.armature + self.number(joint.rotor)
        return replace(made, stiffness=whole, rest=rest, damping=damping, armature=rotor)

    def driven(self, drive: Drive, kind: str, axis: Doubles) -> Joint:
        """The joint of a drive, with its springs, dampers and rotor."""
        motors = [m for m in self.mechanism.motors if m.drive == drive.name]
        rotor = sum(self.number(m.inertia) * self.number(m.ratio) ** 2 for m in motors)
        zero = float(self.at.drive(drive)[0])
        return replace(self.acting(Joint(drive.name, kind, axis, zero=zero), [(drive, 0.0)]), armature=rotor)

    def hinge(self, edge: Edge, at: Doubles) -> Joint:
        """A passive hinge, with the springs and dampers on the angles that it makes."""
        mine = [a for a in self.angles if _shown(self.parts, a, edge)]
        self.angles = [a for a in self.angles if a not in mine]
        name = unique(f"{edge.child.name}_hinge", self.names)
        return self.acting(Joint(name, "hinge", Z, at), [(angle, self.at.angle(angle)) for angle in mine])

    def acting(self, joint: Joint, on: list[tuple[Element, float]]) -> Joint:
        """A joint with the springs and dampers on drives or angles, as one; each coordinate counts from an offset."""
        m, n = self.mechanism, self.number
        mine = [(s, thing, zero) for thing, zero in on for s in m.springs if s.between is thing]
        springs = [(n(s.stiffness), _counted(thing, n(s.rest) - zero)) for s, thing, zero in mine]
        stiffness = sum(k for k, _ in springs)
        rest = sum(k * rest for k, rest in springs) / stiffness if stiffness else 0.0
        damping = sum(n(d.damping) for thing, _ in on for d in m.dampers if d.between is thing)
        return replace(joint, stiffness=stiffness, rest=rest, damping=damping)

    def twists(self) -> list[Twist]:
        """Springs and dampers on angles that no hinge of the tree makes."""
        found = []
        for angle in self.angles:
            frames = [self.frame(p) for p in (angle.tail, angle.tip)]
            if angle.relative_to is not None:
                crank = angle.relative_to
                frames += [Frame(f"{crank.name} pivot", GROUND, self.at.constant(crank.about)), self.frame(crank)]
            on = [s for s in self.mechanism.springs if s.between is angle]
            found += [
                Twist(f"{angle.name} {s.name}", tuple(frames), self.number(s.stiffness), self.number(s.rest))
                for s in on
            ]
            damping = sum(self.number(d.damping) for d in self.mechanism.dampers if d.between is angle)
            found += [Twist(angle.name, tuple(frames), damping=damping)] if damping else []
        return found

    # Places -------------------------------------------------------------------------------------

    def frame(self, point: Point) -> Frame:
        """A point on the part of its cluster that the tree reaches first."""
        cluster = self.parts.cluster_of[id(point)]
        own = {p: held for p, held in cluster.parts.items() if held is point} or cluster.parts
        part = min(own, key=self.spanning.placed.__getitem__)
        return Frame(point_name(point), part.name, self.local(part, own[part]))

    def loop(self, chord: Chord) -> Loop:
        held = chord.cluster.parts
        a, b = (Frame(part.name, part.name, self.local(part, held[part])) for part in (chord.a, chord.b))
        name = unique(f"{point_name(chord.cluster.points[0])}_{chord.b.name}", self.names)
        return Loop(name, "point", a, b)

    def rows(self) -> Iterator[Loop]:
        """Planes, inclined and coplanar lines that no joint of a leg makes."""
        guided = {id(guide.closure): guide for guide in self.at.guides.values()}
        for plane in self.mechanism.planes:
            if id(plane) not in guided:
                yield self.plane(plane)
        for incline in self.mechanism.inclines:
            yield self.incline(incline)
        for lines in self.mechanism.coplanars:
            if id(lines) not in guided:
                raise BadInput(
                    f"{self.model.name}: the lines of {lines.name} are not at the ends of one bar or telescope, "
                    "so that no joints of a tree keep them in one plane"
                )
            yield self.untwisted(guided[id(lines)], lines)

    def plane(self, plane: Plane) -> Loop:
        through = self.frame(plane.through)
        body = plane.through.by if isinstance(plane.through, Carried) else None
        normal = self.at.pointing(Direction(plane.normal, body if isinstance(body, Solid) else None))[0]
        holder = next(part for part in self.parts.every if part.name == through.body)
        name = unique(plane.name, self.names)
        return Loop(name, "plane", through, self.frame(plane.point), axis=self.poses[holder].R.T @ normal)

    def incline(self, incline: Incline) -> Loop:
        name = unique(incline.name or "incline", self.names)
        a, b = (Frame(d.name, d.name) for d in map(self.parts.solid, (incline.a.by, incline.b.by)))
        one, other = (self.at.constant(d.along) for d in (incline.a, incline.b))
        b = replace(b, rotation=onto(other))
        return Loop(name, "incline", a, b, axis=one, cosine=self.number(incline.cosine))

    def untwisted(self, guide: Guide, lines: Coplanar) -> Loop:
        """The second axis of the universal joint at a leg's foot stays across the line at its other end."""
        far = lines.v if guide.foot is lines.a else lines.u
        kinds = ("bar", "base") if isinstance(guide.leg, Bar) or guide.foot is guide.leg.base else ("rod",)
        leg = next(self.parts.of[kind, id(guide.leg)] for kind in kinds if (kind, id(guide.leg)) in self.parts.of)
        held = self.parts.solid(far.by)
        b = Frame(held.name, held.name, rotation=onto(self.at.constant(far.along)))
        return Loop(unique(lines.name, self.names), "incline", Frame(leg.name, leg.name), b, axis=Y)

    def links(self) -> list[Link]:
        """Springs and dampers between points."""
        found = []
        for spring in self.mechanism.springs:
            if isinstance(spring.between, tuple):
                a, b = map(self.frame, spring.between)
                found.append(Link(spring.name, a, b, self.number(spring.stiffness), self.number(spring.rest)))
        for damper in self.mechanism.dampers:
            if isinstance(damper.between, tuple):
                a, b = map(self.frame, damper.between)
                found.append(Link(damper.name, a, b, damping=self.number(damper.damping)))
        return [replace(link, name=unique(link.name, self.names)) for link in found]


def _refuse_unsmooth(m: Mechanism) -> None:
    """Raise BadInput for what trees, and the engines that read them, have no like of."""
    pulling = [s for s in m.springs if not is_number(s.preload, 0.0)]
    for e in (*m.frictions, *m.stops, *pulling):
        raise BadInput(
            f"{m.name}: {element_place(e)} is neither a plain spring nor a damper, and a tree of bodies has no like of "
            "it; leave it out of the description that is to be exported or compared"
        )


def _counted(element: Element, rest: float) -> float:
    """Where a spring is at rest, from where the tree stands; on an angle it acts the shorter way round."""
    return (rest + np.pi) % (2 * np.pi) - np.pi if isinstance(element, Angle) else rest


def _shown(parts: Parts, angle: Angle, edge: Edge) -> bool:
    """Whether a hinge is an angle: its child goes from tail to tip, its parent is what the angle is counted from."""
    clusters = [parts.cluster_of[id(point)] for point in (angle.tail, angle.tip)]
    element = edge.child.element
    if isinstance(element, Telescope):
        ends = [parts.cluster_of[id(point)] for point in (element.base, element.tip)]
        along = clusters in (ends, ends[::-1])
    else:
        along = all(edge.child in cluster.parts for cluster in clusters)
    base = parts.ground if angle.relative_to is None else parts.of["crank", id(angle.relative_to)]
    return along and edge.parent is base
