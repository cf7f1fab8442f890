"""Masses and inertias that an engine can hold: what it was given beyond the robot's own, and why that is harmless."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.tree import Body, Tree

SPIN = 0.1  # of a rod's inertia across, given about its own line where it may spin freely
THIN = 1e-9  # of a rod's inertia across: less about its own line is none
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


@dataclass(frozen=True)
class Given:
    """The bodies that were given more than they have."""

    masses: tuple[str, ...]
    inertias: tuple[str, ...]
    spins: tuple[str, ...]

    def words(self, mass: float, inertia: float) -> tuple[str, ...]:
        """What they were given, with the least mass [kg] and inertia [kg m²]."""
        spin = f"{SPIN:g} of the inertia across, about their own line, where nothing makes them spin"
        said = {
            f"given {mass:.1e} kg for each massless body": self.masses,
            f"given {inertia:.1e} kg m² where an inertia is zero": self.inertias,
            f"thin rods on ball joints were given {spin}": self.spins,
        }
        return tuple(f"{what}: {', '.join(names)}" for what, names in said.items() if names)


def solids(tree: Tree, least: float) -> tuple[tuple[Solid, ...], Given]:
    """Every body's mass and inertia with at least `least` of each, and who was given something."""
    planar = is_planar(tree)
    made = tuple(_solid(body, planar, least) for body in tree.bodies)
    pairs = list(zip(tree.bodies, made, strict=True))
    return made, Given(
        masses=tuple(b.name for b, s in pairs if s.mass > b.mass),
        inertias=tuple(b.name for b, s in pairs if s.principal.min() == least > 0.0),
        spins=tuple(b.name for b, s in pairs if _spins(b)),
    )


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
    """A rod on a ball joint without an inertia about its own line: it may spin there, which no force does."""
    sizes = np.linalg.eigvalsh(body.inertia)
    return any(j.kind == "ball" for j in body.joints) and bool(sizes[0] < THIN * sizes[2])


def is_planar(tree: Tree) -> bool:
    """Whether every joint turns about z or slides across it, in frames that keep z."""
    upright = all(np.abs(body.rotation[2] - [0, 0, 1]).max() < FLAT for body in tree.bodies)
    joints = (j for j in tree.joints if j.freedoms)
    return upright and all(
        (j.kind == "hinge" and abs(abs(j.axis[2]) - 1) < FLAT) or (j.kind == "slide" and abs(j.axis[2]) < FLAT)
        for j in joints
    )
