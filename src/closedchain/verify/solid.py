"""Masses and inertias that an engine can hold: what it was given beyond the robot's own, and why that is harmless."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.tree import Body, Tree

SPIN = 0.1  # of a rod's inertia across, given about its own line where it may spin freely
FLAT = 1e-12


@dataclass(frozen=True, eq=False)
class Solid:
    """A body's mass and its inertia about its centre, as the engine gets them."""

    mass: float  # [kg]
    principal: Doubles  # (3,) [kg m²]
    axes: Doubles  # (3, 3) a rotation; its columns are the principal axes

    @property
    def inertia(self) -> Doubles:
        return np.asarray(self.axes @ np.diag(self.principal) @ self.axes.T)


def solids(tree: Tree, least: float) -> tuple[tuple[Solid, ...], tuple[str, ...]]:
    """Every body's mass and inertia with at least `least` of each, and what was changed, in words."""
    planar = is_planar(tree)
    made = tuple(_solid(body, planar, least) for body in tree.bodies)
    pairs = list(zip(tree.bodies, made, strict=True))
    massless = [b.name for b, s in pairs if s.mass > b.mass]
    points = [b.name for b, s in pairs if s.principal.min() == least > 0.0]
    rods = [b.name for b, s in pairs if _spins(b)]
    notes = []
    if massless:
        notes.append(f"given {least:.1e} kg for each massless body: {', '.join(massless)}")
    if points:
        notes.append(f"given {least:.1e} kg m² where an inertia is zero: {', '.join(points)}")
    if rods:
        words = f"{SPIN:g} of the inertia across, about their own line, where nothing makes them spin"
        notes.append(f"thin rods on ball joints were given {words}: {', '.join(rods)}")
    return made, tuple(notes)


def _solid(body: Body, planar: bool, least: float) -> Solid:
    mass = max(body.mass, least)
    if planar:  # only the inertia about z acts; a ball of that inertia is a body that can exist
        return Solid(mass, np.full(3, max(float(body.inertia[2, 2]), least)), np.eye(3))
    if not (body.inertia - np.diag(np.diag(body.inertia))).any():
        sizes, axes = np.diag(body.inertia).copy(), np.eye(3)
    else:
        sizes, axes = np.linalg.eigh(body.inertia)
        axes[:, 0] *= np.sign(np.linalg.det(axes))
    if _spins(body):
        sizes[int(np.argmin(sizes))] = SPIN * sizes.max()
    return Solid(mass, np.maximum(sizes, least), axes)


def _spins(body: Body) -> bool:
    """A thin rod on a ball joint: it may spin about its own line, which no force does."""
    sizes = np.linalg.eigvalsh(body.inertia)
    return any(j.kind == "ball" for j in body.joints) and bool(sizes[0] < SPIN * sizes[2] and sizes[2] > 0.0)


def is_planar(tree: Tree) -> bool:
    """Whether every joint turns about z or slides across it, in frames that keep z."""
    upright = all(np.abs(body.rotation[2] - [0, 0, 1]).max() < FLAT for body in tree.bodies)
    joints = (j for j in tree.joints if j.freedoms)
    return upright and all(
        (j.kind == "hinge" and abs(abs(j.axis[2]) - 1) < FLAT) or (j.kind == "slide" and abs(j.axis[2]) < FLAT)
        for j in joints
    )
