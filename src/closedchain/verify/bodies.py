"""A robot as a tree of bodies for other engines, and what is read off its places there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Angle, Carried, Crank, Free, Plate, Point, point_name
from closedchain.describe.elements import Body as Solid
from closedchain.errors import BadInput, NoSolution
from closedchain.exchange.from_mechanism import Embedding, embed
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.tree import Frame, Tree
from closedchain.exchange.values import joint_values
from closedchain.model.model import Model
from closedchain.model.sampling import regularity
from closedchain.model.state import State
from closedchain.policy import IRREGULAR
from closedchain.verify.attitude import Jet, coordinates_of, turning
from closedchain.verify.closing import Closing, closing_of
from closedchain.verify.cuts import Cut, cuts_of
from closedchain.verify.furuta import furuta_tree
from closedchain.verify.samples import RATES, far_point

BY_HAND = {"furuta": furuta_tree}  # robots that state their equations and have bodies of their own here
ROUGH = 0.01  # of a freedom's size: how well an engine is told where to begin


@dataclass(frozen=True, eq=False)
class Bodies:
    """A robot's tree, and which of its places tell the output and the passive joints."""

    model: Model
    tree: Tree
    embedding: Embedding | None

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Every place that is looked at."""
        return tuple(frame.name for frame in self.tree.frames)

    @cached_property
    def columns(self) -> list[int]:
        """Where the coordinates q stand among the tree's freedoms."""
        return [self.tree.columns[c.name].start for c in self.model.equations.q]

    @cached_property
    def held(self) -> list[int]:
        """The freedoms that decide the others: the drives'; those of a linkage need not."""
        return [] if self.model.linkage else self.columns

    @cached_property
    def zero(self) -> Doubles:
        """q where the tree's joints are at 0."""
        return np.array([self.tree.joint(c.name).zero for c in self.model.equations.q])

    @cached_property
    def sizes(self) -> Doubles:
        """A typical size of each freedom: 1 rad, or the robot's own length."""
        return np.where(self.turns, 1.0, self.model.scale)

    @cached_property
    def turns(self) -> np.ndarray:
        """Which freedoms are turns."""
        return np.array([not shift for j in self.tree.joints for shift in j.shifts], dtype=bool)

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """The loops whose forces our multipliers tell; a linkage's closures may share theirs in any way."""
        return cuts_of(self.embedding) if self.embedding is not None and not self.model.linkage else ()

    @cached_property
    def closing(self) -> Closing:
        """The tree's loops as engines hold them."""
        return closing_of(self.tree)

    @property
    def dimension(self) -> int:
        return self.model.mechanism.dimension if self.model.mechanism is not None else 3

    def forces(self, tau: Doubles) -> Doubles:
        """Efforts of the driven joints as forces on all freedoms, (*batch, nv)."""
        force = np.zeros((*tau.shape[:-1], self.tree.nv))
        force[..., [self.columns[i] for i in self.model.driven]] = tau
        return force

    def guess(self, q: Doubles, x: Doubles) -> Doubles:
        """The tree's joint values: the drives exactly, the passive ones to a hundredth; an engine finds the rest.

        Near a singularity a neighbouring branch is as near as A is to singular: there to a tenth of that.
        A linkage's are all exact, for its drives need not tell them: the engine sees whether its loops are closed.
        A hinge with a spring on an angle is within half a turn from its rest, as such springs are counted; a body's own
        joint has the coordinate's value.
        """
        if self.embedding is None:
            values = np.zeros((len(q), self.tree.nv))
        else:
            values = joint_values(self.embedding, q, x)
            if not self.model.linkage:
                values = self.sizes * self._roughly(values / self.sizes, q, x)
            pairs = zip(self.embedding.edges, self.tree.bodies, strict=True)
            for joint in (j for edge, b in pairs if not isinstance(edge.child.element, Solid) for j in b.joints):
                if joint.kind == "hinge" and joint.stiffness:
                    column, rest = self.tree.columns[joint.name], joint.rest - joint.zero
                    values[:, column] = rest + (values[:, column] - rest + np.pi) % (2 * np.pi) - np.pi
        values[:, self.columns] = q - self.zero
        return values

    def fits(self, q: Doubles, x: Doubles) -> bool:
        """Whether the tree can be put together as (q, x) is.

        It cannot where a hinge or a weld that closes a loop has an axis the other way round, which directions at right
        angles allow, or where a bar has turned so far that its two hinges are as one.
        """
        if self.embedding is None:
            return True
        try:
            posture = Posture(self.tree, joint_values(self.embedding, q, x))
        except NoSolution:
            return False
        held = [(loop.axis[None] if loop.kind == "hinge" else np.eye(3), loop) for loop in self.tree.loops]
        held = [(axes, loop) for axes, loop in held if loop.kind in ("hinge", "weld")]
        turned = [[axes @ posture.frame(side)[0].T for side in (loop.a, loop.b)] for axes, loop in held]
        return all(((a * b).sum(axis=-1) > 0.0).all() for a, b in turned)

    def _roughly(self, values: Doubles, q: Doubles, x: Doubles) -> Doubles:
        """The values to as many digits as tell the branch, (n, nv)."""
        near = np.ones(len(q))
        if self.model.nx:
            near = np.maximum(regularity(self.model, np.concatenate([q, x], axis=-1)), IRREGULAR)
        step = np.minimum(ROUGH, 0.1 * near)[:, None]
        return np.asarray(step * np.round(values / step))

    def rates(self, places: Doubles, moving: Doubles, freedoms: Doubles) -> Doubles:
        """How fast all coordinates change for velocities (n, places, 3) and freedoms' rates (n, nv), in their sizes.

        For engines count a free body's velocity along axes of their own choice.
        """
        at = np.broadcast_to(places, moving.shape)
        read = self.read(at, moving, np.zeros_like(moving))
        turns = np.array([c.unit == "rad" for c in self.model.equations.q], dtype=bool)
        q_dot = freedoms[:, self.columns] / np.where(turns, 1.0, self.model.scale)
        sizes = {"output velocity": self.model.scale, "output angle velocity": 1.0}
        return np.concatenate([q_dot, *(read[name] / size for name, size in sizes.items() if name in read)], axis=-1)

    # What the places tell ------------------------------------------------------------------------

    def read(self, at: Doubles, at_dot: Doubles, at_ddot: Doubles) -> dict[str, Doubles]:
        """Output and passive joints with two rates, from positions, velocities and accelerations (n, places, 3)."""
        moved: Jet = (at, at_dot, at_ddot)
        if self.model.mechanism is None:
            k = self.places.index(far_point(self.model))
            return {far_point(self.model) + rate: v[:, k] for rate, v in zip(RATES, moved, strict=True)}
        found = self._output(moved)
        for angle in () if self.model.linkage else self.model.mechanism.readouts:
            for rate, value in zip(RATES, self._angle(angle, moved), strict=True):
                found[angle.name + rate] = value[:, None]
        return found

    def _output(self, moved: Jet) -> dict[str, Doubles]:
        mechanism = self.model.mechanism
        assert mechanism is not None
        lengths: list[tuple[Doubles, ...]] = []
        angles: list[tuple[Doubles, ...]] = []
        for body in mechanism.bodies:
            if isinstance(body, Solid):
                if mechanism.own_coordinates(body):
                    behind = self._frame(body.joint.by if body.joint else None, moved)
                    length, angle = coordinates_of(self.model, body, *self._frame(body, moved), behind)
                    lengths.append(length)
                    angles.append(angle)
                continue
            k = self.places.index(body.name)
            n = body.dimension if isinstance(body, Free) else 2
            lengths.append(tuple(v[:, k, :n] for v in moved))
            if isinstance(body, Plate):
                arrow = self.places.index(f"{body.name} x")
                angle = turning(*(v[:, arrow] - v[:, k] for v in moved))
                angles.append(tuple(v[:, None] for v in angle))
        found: dict[str, Doubles] = {}
        for name, rows in (("output", lengths), ("output angle", angles)):
            if sum(row[0].shape[-1] for row in rows):
                found |= {name + rate: np.concatenate([row[i] for row in rows], -1) for i, rate in enumerate(RATES)}
        return found

    def _frame(self, body: Solid | None, moved: Jet) -> tuple[Jet, Jet]:
        """A body's origin (n, 3) and axes (n, 3, 3) with their rates; the ground's for none."""
        if body is None:
            still = np.zeros((len(moved[0]), 3))
            upright = np.broadcast_to(np.eye(3), (len(still), 3, 3))
            return (still, still, still), (upright, 0 * upright, 0 * upright)
        k = self.places.index(body.name)
        tips = [self.places.index(f"{body.name} {axis}") for axis in "xyz"]
        origin, *rates = (v[:, k] for v in moved)
        axes = tuple((v[:, tips] - v[:, [k]]).swapaxes(1, 2) / self.model.scale for v in moved)
        return (origin, rates[0], rates[1]), (axes[0], axes[1], axes[2])

    def _angle(self, angle: Angle, moved: tuple[Doubles, ...]) -> tuple[Doubles, ...]:
        tip, tail = (self.places.index(point_name(p)) for p in (angle.tip, angle.tail))
        along = turning(*(v[:, tip] - v[:, tail] for v in moved))
        if angle.relative_to is None:
            return along
        crank = angle.relative_to
        k = self.places.index(point_name(crank))
        arm = turning(moved[0][:, k] - self._pivot(crank), moved[1][:, k], moved[2][:, k])
        return tuple(a - b for a, b in zip(along, arm, strict=True))

    def _pivot(self, crank: Crank) -> Doubles:
        return np.array([self.model.number(e) for e in crank.about] + [0.0] * (3 - len(crank.about)))


def bodies_of(model: Model, at: State) -> Bodies:
    """The robot as bodies, its tree's zero at a configuration of choice."""
    if model.mechanism is None:
        if model.recipe.name not in BY_HAND:
            raise BadInput(
                f"{model.name} states its equations and says nothing of bodies, which another engine needs; "
                "describe it with points, bars, plates and bodies"
            )
        return Bodies(model, BY_HAND[model.recipe.name](model.values), None)
    embedding = embed(model, q=at.q, x=at.x)
    if embedding.unsaid:
        raise BadInput(f"{model.name}: the coupling {embedding.unsaid[0]} relates no joints that an engine has")
    mechanism = model.mechanism
    frames = list(embedding.tree.frames)
    have = {frame.name for frame in frames}
    for body in mechanism.bodies:
        if isinstance(body, Plate | Solid):
            tips = zip("x" if isinstance(body, Plate) else "xyz", model.scale * np.eye(3), strict=False)
            frames += [Frame(body.name, body.name), *(Frame(f"{body.name} {a}", body.name, tip) for a, tip in tips)]
        elif body.name not in have:
            carrier = next(f for f in frames if _carries(mechanism.points, f.name, body))
            frames.append(Frame(body.name, carrier.body))
    return Bodies(model, replace(embedding.tree, frames=tuple(frames)), embedding)


def _carries(points: tuple[Point, ...], name: str, body: Free) -> bool:
    """Whether the point of that name stands on a free point."""
    return any(isinstance(p, Carried) and p.by is body and point_name(p) == name for p in points)
