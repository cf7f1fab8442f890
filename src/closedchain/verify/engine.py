"""What an independent engine must answer, and how one is opened: by name, when it is asked for."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Protocol

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.exchange.tree import Tree
from closedchain.verify.solid import Given

PACKAGES = {"mujoco": "mujoco", "pinocchio": "pinocchio"}  # engine → the module it needs
BROUGHT_BY = {"mujoco": "mujoco", "pinocchio": "pin"}  # engine → the package that has the module
HOMES = {"mujoco": "engine_mujoco:MuJoCo", "pinocchio": "engine_pinocchio:Pinocchio"}


class NoEngine(ClosedChainError, LookupError):
    """An engine that is unknown or not installed."""


@dataclass(frozen=True, eq=False)
class Look:
    """An engine at one configuration and velocity; its freedoms in the tree's order, places as the tree names them."""

    M: Doubles  # (nv, nv)
    h: Doubles  # (nv,) bias: velocity terms, gravity, springs, dampers; M v̇ + h = forces
    G: Doubles  # (rows, nv) of the loops
    drift: Doubles  # (rows,) Ġ v
    gap: Doubles  # (rows,) [m]
    places: Doubles  # (k, 3) [m]
    places_J: Doubles  # (k, 3, nv)
    places_drift: Doubles  # (k, 3) J̇ v
    kinetic: float  # [J]
    potential: float  # [J]


@dataclass(frozen=True, eq=False)
class Solved:
    """What the engine's own constraint solver says: accelerations, loop forces, and how soft the loops were."""

    v_dot: Doubles  # (nv,)
    force: Doubles  # (rows,) [N] Gᵀ force acts on the freedoms
    slack: Doubles  # (rows,) [m/s²] by which G v̇ misses −Ġ v on purpose


@dataclass(frozen=True, eq=False)
class Course:
    """A motion that the engine integrated; places and their velocities at each instant."""

    places: Doubles  # (T, k, 3) [m]
    velocities: Doubles  # (T, k, 3) [m/s]
    joints: Doubles  # (T, drives) as the tree counts them
    gap: Doubles  # (T,) [m] the largest of the loops


class Engine(Protocol):
    """A robot built in another program from a tree of bodies."""

    title: str  # name and version
    floor: float  # the least mass and inertia that a body was given, in its own units; 0 where none was needed
    given: Given  # which bodies were given something
    notes: tuple[str, ...]  # what had to be given that the robot does not have
    whole: bool  # whether its own solver knows every loop

    def configuration(self, values: Doubles) -> Doubles:
        """The engine's own coordinates for the tree's joint values."""

    def moved(self, configuration: Doubles, step: Doubles) -> Doubles:
        """The configuration after a small motion of the freedoms."""

    def look(self, configuration: Doubles, v: Doubles) -> Look:
        """Everything at a state, no solver involved."""

    def inverse(self, configuration: Doubles, v: Doubles, v_dot: Doubles) -> Doubles:
        """Its own inverse dynamics of the tree without loops: the forces on the freedoms that v̇ needs."""

    def solve(self, configuration: Doubles, v: Doubles, force: Doubles) -> Solved:
        """Its own answer to: which accelerations follow from these forces on the freedoms."""

    def drive(self, configuration: Doubles, v: Doubles, forces: Doubles, interval: float, steps: int) -> Course:
        """Integrate under forces (periods, nv), each held for `interval`, with `steps` steps in it."""


class Opener(Protocol):
    """A class that builds the robot."""

    def __call__(self, tree: Tree, places: tuple[str, ...], floor: float = ...) -> Engine:
        """The tree's bodies in the engine, with the places to be looked at and the least mass of a body."""


def installed(name: str) -> bool:
    """Whether the engine's package is there."""
    return importlib.util.find_spec(PACKAGES[known(name)]) is not None


def known(name: str) -> str:
    """The name, if it is an engine's."""
    if name not in PACKAGES:
        raise NoEngine(f"no engine {name!r:.40}; there are {', '.join(PACKAGES)}, and all")
    return name


def missing(name: str) -> str:
    """How to get an engine that is not installed."""
    return f"{name} is not installed: pip install {BROUGHT_BY[name]}"
