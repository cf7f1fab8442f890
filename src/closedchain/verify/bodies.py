"""A robot as a tree of bodies for other engines, and what is read off its places there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Angle, Carried, Crank, Free, Plate, Point, point_name
from closedchain.errors import BadInput
from closedchain.exchange.from_mechanism import Embedding, embed
from closedchain.exchange.tree import Frame, Tree
from closedchain.exchange.values import joint_values
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.verify.cuts import Cut, cuts_of
from closedchain.verify.furuta import furuta_tree
from closedchain.verify.samples import RATES, far_point

BY_HAND = {"furuta": furuta_tree}  # robots that state their equations and have bodies of their own here
X = np.array([1.0, 0.0, 0.0])


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
        return np.array([j.kind != "slide" for j in self.tree.joints for _ in range(j.freedoms)], dtype=bool)

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """The loops whose forces our multipliers tell."""
        return cuts_of(self.embedding) if self.embedding is not None else ()

    @property
    def dimension(self) -> int:
        return self.model.mechanism.dimension if self.model.mechanism is not None else 3

    def on_q(self, tau: Doubles) -> Doubles:
        """Efforts of the driven joints as forces on all of q, (*batch, nq)."""
        return self.forces(tau)[..., self.columns]

    def forces(self, tau: Doubles) -> Doubles:
        """Efforts of the driven joints as forces on all freedoms, (*batch, nv)."""
        force = np.zeros((*tau.shape[:-1], self.tree.nv))
        force[..., [self.columns[i] for i in self.model.driven]] = tau
        return force

    def guess(self, q: Doubles, x: Doubles) -> Doubles:
        """The tree's joint values: the drives exactly, the passive ones to a hundredth; an engine finds the rest.

        A hinge with a spring is within half a turn from its rest, as the robot's own springs on angles are counted.
        """
        if self.embedding is None:
            values = np.zeros((len(q), self.tree.nv))
        else:
            values = self.sizes * np.round(joint_values(self.embedding, q, x) / self.sizes, 2)
            for joint in self.tree.joints:
                if joint.kind == "hinge" and joint.stiffness:
                    column, rest = self.tree.columns[joint.name], joint.rest - joint.zero
                    values[:, column] = rest + (values[:, column] - rest + np.pi) % (2 * np.pi) - np.pi
        values[:, self.columns] = q - self.zero
        return values

    # What the places tell ------------------------------------------------------------------------

    def read(self, at: Doubles, at_dot: Doubles, at_ddot: Doubles) -> dict[str, Doubles]:
        """Output and passive joints with two rates, from positions, velocities and accelerations (n, places, 3)."""
        moved = (at, at_dot, at_ddot)
        if self.model.mechanism is None:
            k = self.places.index(far_point(self.model))
            return {far_point(self.model) + rate: v[:, k] for rate, v in zip(RATES, moved, strict=True)}
        found = self._output(moved)
        for angle in self.model.mechanism.readouts:
            for rate, value in zip(RATES, self._angle(angle, moved), strict=True):
                found[angle.name + rate] = value[:, None]
        return found

    def _output(self, moved: tuple[Doubles, ...]) -> dict[str, Doubles]:
        mechanism = self.model.mechanism
        assert mechanism is not None
        lengths: list[tuple[Doubles, ...]] = []
        angles: list[tuple[Doubles, ...]] = []
        for body in mechanism.bodies:
            k = self.places.index(body.name)
            n = body.dimension if isinstance(body, Free) else 2
            lengths.append(tuple(v[:, k, :n] for v in moved))
            if isinstance(body, Plate):
                arrow = self.places.index(f"{body.name} x")
                angles.append(turning(*(v[:, arrow] - v[:, k] for v in moved)))
        found = {"output" + rate: np.concatenate([row[i] for row in lengths], axis=-1) for i, rate in enumerate(RATES)}
        if angles:
            found |= {f"output angle{rate}": np.stack([row[i] for row in angles], -1) for i, rate in enumerate(RATES)}
        return found

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


def turning(d: Doubles, d_dot: Doubles, d_ddot: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """The angle of a vector in the plane with its rate and acceleration."""
    size = d[..., 0] ** 2 + d[..., 1] ** 2
    rate = _cross(d, d_dot) / size
    stretch = (d[..., 0] * d_dot[..., 0] + d[..., 1] * d_dot[..., 1]) / size
    return np.arctan2(d[..., 1], d[..., 0]), rate, _cross(d, d_ddot) / size - 2 * stretch * rate


def _cross(a: Doubles, b: Doubles) -> Doubles:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def bodies_of(model: Model, at: State) -> Bodies:
    """The robot as bodies, its tree's zero at a configuration of choice."""
    if model.mechanism is None:
        if model.recipe.name not in BY_HAND:
            raise BadInput(
                f"{model.name} states its equations and says nothing of bodies, which another engine needs; "
                "describe it with points, bars and plates"
            )
        return Bodies(model, BY_HAND[model.recipe.name](model.values), None)
    embedding = embed(model, q=at.q, x=at.x)
    if embedding.unsaid:
        raise BadInput(f"{model.name}: the coupling {embedding.unsaid[0]} relates no joints that an engine has")
    mechanism = model.mechanism
    frames = list(embedding.tree.frames)
    have = {frame.name for frame in frames}
    for body in mechanism.bodies:
        if isinstance(body, Plate):
            frames += [Frame(body.name, body.name), Frame(f"{body.name} x", body.name, model.scale * X)]
        elif body.name not in have:
            carrier = next(f for f in frames if _carries(mechanism.points, f.name, body))
            frames.append(Frame(body.name, carrier.body))
    return Bodies(model, replace(embedding.tree, frames=tuple(frames)), embedding)


def _carries(points: tuple[Point, ...], name: str, body: Free) -> bool:
    """Whether the point of that name stands on a free point."""
    return any(isinstance(p, Carried) and p.by is body and point_name(p) == name for p in points)
