"""An engine in the robot's own units of length and mass, so that it is as exact at a micrometre as at a kilometre.

Engines have thresholds in SI: MuJoCo refuses a mass of 1e-15 kg, solvers stop at a residual in newtons. The tree is
built there with lengths in units of its size and masses in units of its mass, and the answers are turned back. The
units are powers of two, so that no digit changes on the way.

    freedom v = u v',   u = length of a slide, 1 of a turn;   force = E / u force',   E = mass length²
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.shapes import size
from closedchain.exchange.tree import Body, Frame, Joint, Link, Loop, Relation, Tree, Twist
from closedchain.verify.engine import HOMES, Course, Engine, Look, NoEngine, Opener, Solved, installed, missing


@dataclass(frozen=True)
class Units:
    """One unit of the engine in SI; time is in seconds."""

    length: float  # [m]
    mass: float  # [kg]

    @property
    def energy(self) -> float:
        return self.mass * self.length**2

    def of(self, kind: str) -> float:
        """Of a hinge's or slide's value."""
        return self.length if kind == "slide" else 1.0


def units_of(tree: Tree) -> Units:
    """The powers of two nearest to a tree's size and mass."""
    heavy = sum(body.mass for body in tree.bodies)
    return Units(_power(size(tree)), _power(heavy or max((j.armature for j in tree.joints), default=0.0)))


def _power(value: float) -> float:
    return 2.0 ** round(math.log2(value)) if value > 0.0 else 1.0


def in_units(tree: Tree, units: Units) -> Tree:
    """The same tree with its numbers in other units."""
    return replace(
        tree,
        bodies=tuple(_body(body, units) for body in tree.bodies),
        loops=tuple(_loop(loop, units) for loop in tree.loops),
        frames=tuple(_frame(frame, units) for frame in tree.frames),
        links=tuple(_link(link, units) for link in tree.links),
        twists=tuple(_twist(twist, units) for twist in tree.twists),
        relations=tuple(_relation(relation, tree, units) for relation in tree.relations),
        gravity=tree.gravity / units.length,
    )


def _body(body: Body, units: Units) -> Body:
    return replace(
        body,
        position=body.position / units.length,
        joints=tuple(_joint(joint, units) for joint in body.joints),
        mass=body.mass / units.mass,
        centre=body.centre / units.length,
        inertia=body.inertia / units.energy,
        size=body.size / units.length,
    )


def _joint(joint: Joint, units: Units) -> Joint:
    value = units.of(joint.kind)
    stiff = units.energy / value**2  # of stiffness, damping and inertia alike
    acting = {name: getattr(joint, name) / stiff for name in ("stiffness", "damping", "armature")}
    return replace(joint, at=joint.at / units.length, zero=joint.zero / value, rest=joint.rest / value, **acting)


def _frame(frame: Frame, units: Units) -> Frame:
    return replace(frame, at=frame.at / units.length)


def _loop(loop: Loop, units: Units) -> Loop:
    return replace(loop, a=_frame(loop.a, units), b=_frame(loop.b, units), length=loop.length / units.length)


def _link(link: Link, units: Units) -> Link:
    a, b = _frame(link.a, units), _frame(link.b, units)
    stiffness, damping = link.stiffness / units.mass, link.damping / units.mass
    return replace(link, a=a, b=b, rest=link.rest / units.length, stiffness=stiffness, damping=damping)


def _twist(twist: Twist, units: Units) -> Twist:
    stiffness, damping = twist.stiffness / units.energy, twist.damping / units.energy
    return replace(twist, frames=tuple(_frame(f, units) for f in twist.frames), stiffness=stiffness, damping=damping)


def _relation(relation: Relation, tree: Tree, units: Units) -> Relation:
    own = units.of(tree.joint(relation.joint).kind)
    factors = {other: units.of(tree.joint(other).kind) for other, _ in relation.others}
    others = tuple((n, tuple(c * factors[n] ** (k + 1) / own for k, c in enumerate(cs))) for n, cs in relation.others)
    return replace(relation, others=others, offset=relation.offset / own)


class InOwnUnits:
    """An engine that was built in its robot's units, asked and answering in SI."""

    def __init__(self, engine: Engine, tree: Tree, units: Units) -> None:
        self.engine, self.units, self.tree = engine, units, tree
        self.title, self.floor = engine.title, engine.floor
        self.given = engine.given
        self.notes = self.given.words(self.floor * units.mass, self.floor * units.energy)  # in SI
        self.whole = engine.whole
        self.u = np.where([shift for j in tree.joints for shift in j.shifts], units.length, 1.0)
        self.force = units.energy / self.u  # one unit of force on each freedom

    def configuration(self, values: Doubles) -> Doubles:
        return self.engine.configuration(values / self.u)

    def moved(self, configuration: Doubles, step: Doubles) -> Doubles:
        return self.engine.moved(configuration, step / self.u)

    def look(self, configuration: Doubles, v: Doubles) -> Look:
        seen, length = self.engine.look(configuration, v / self.u), self.units.length
        return Look(
            M=seen.M * self.force[:, None] / self.u,
            h=seen.h * self.force,
            G=seen.G * length / self.u,
            drift=seen.drift * length,
            gap=seen.gap * length,
            places=seen.places * length,
            places_J=seen.places_J * length / self.u,
            places_drift=seen.places_drift * length,
            kinetic=seen.kinetic * self.units.energy,
            potential=seen.potential * self.units.energy,
        )

    def inverse(self, configuration: Doubles, v: Doubles, v_dot: Doubles) -> Doubles:
        return self.engine.inverse(configuration, v / self.u, v_dot / self.u) * self.force

    def solve(self, configuration: Doubles, v: Doubles, force: Doubles) -> Solved:
        made, length = self.engine.solve(configuration, v / self.u, force / self.force), self.units.length
        return Solved(made.v_dot * self.u, made.force * self.units.mass * length, made.slack * length)

    def drive(self, configuration: Doubles, v: Doubles, forces: Doubles, interval: float, steps: int) -> Course:
        made = self.engine.drive(configuration, v / self.u, forces / self.force, interval, steps)
        length, drives = self.units.length, np.array([self.units.of(self.tree.joint(n).kind) for n in self.tree.drives])
        return Course(made.places * length, made.velocities * length, made.joints * drives, made.gap * length)


def open_engine(name: str, tree: Tree, places: tuple[str, ...], floor: float | None = None) -> Engine:
    """Build the tree in the engine of that name, whose package is imported only now; `floor` is in the robot's mass."""
    if not installed(name):
        raise NoEngine(missing(name))
    module, _, opener = HOMES[name].partition(":")
    make = cast(Opener, getattr(importlib.import_module(f"closedchain.verify.{module}"), opener))
    units = units_of(tree)
    own = in_units(tree, units)
    return InOwnUnits(make(own, places) if floor is None else make(own, places, floor), tree, units)
