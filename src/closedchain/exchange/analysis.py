"""What a tree with loops can do: freedoms, closure rows and their rank, mobility, and what is odd about its masses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.assembly import Assembly, advance, assemble
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.shapes import places, size
from closedchain.exchange.tree import GROUND, Body, Tree

RANK = 1e-8  # of the largest singular value: below, a row adds nothing
HEAVY = 23_000.0  # [kg/m³] denser than any metal (osmium has 22,590)
RATIO = 1e4  # a body this many times heavier than the median of the others is odd
NEARBY = 0.05  # [rad, sizes] how far the generic rank is looked for
WORDS = {
    "point": ("x", "y", "z"),
    "weld": ("x", "y", "z", "about x", "about y", "about z"),
    "hinge": ("x", "y", "z", "tilt 1", "tilt 2"),
    "slide": ("across 1", "across 2", "about x", "about y", "about z"),
    "line": ("across 1", "across 2"),
    "distance": ("length",),
    "plane": ("across",),
    "incline": ("cosine",),
}


@dataclass(frozen=True, eq=False)
class Analysis:
    """The counts of a tree, taken where its loops are closed."""

    tree: Tree
    assembly: Assembly
    rank: int  # of the closure rows at the assembled configuration
    generic_rank: int  # the largest found at closed configurations near it
    redundant: tuple[str, ...]  # rows that the others imply
    implied: tuple[str, ...]  # the same where the rank is largest
    odd: tuple[str, ...]  # masses and inertias that no body has

    @property
    def nv(self) -> int:
        return self.tree.nv

    @property
    def loops(self) -> int:
        return len(self.tree.loops)

    @property
    def couplings(self) -> int:
        return len(self.tree.relations)

    @property
    def closure_rows(self) -> int:
        return self.tree.rows

    @property
    def mobility(self) -> int:
        """Freedoms that the loops leave."""
        return self.nv - self.rank

    @cached_property
    def counts(self) -> dict[str, int]:
        coupled = ("couplings",) if self.tree.relations else ()
        names = ("nv", "loops", *coupled, "closure_rows", "rank", "mobility")
        return {name: int(getattr(self, name)) for name in names}


def analyse(tree: Tree) -> Analysis:
    """Assemble the tree and count; nothing is assumed about its dimension or its loops."""
    assembly = assemble(tree)
    C = _scaled(tree, assembly.v)
    rank, redundant = _independent(tree, C)
    found = [(rank, redundant), *(_independent(tree, _scaled(tree, v)) for v in _nearby(tree, assembly, C))]
    generic, implied = max(found, key=lambda pair: pair[0])
    return Analysis(tree, assembly, rank, generic, redundant, implied, tuple(odd_masses(tree)))


def _scaled(tree: Tree, v: Doubles) -> Doubles:
    """The closure rows with lengths in units of the tree's size, (rows, nv)."""
    C = Posture(tree, v).constraint()
    scale = size(tree)
    columns = np.where([shift for joint in tree.joints for shift in joint.shifts], scale, 1.0)
    angular = [w.startswith(("about", "tilt", "cosine")) for loop in tree.loops for w in WORDS[loop.kind]]
    angular += [tree.joint(relation.joint).kind == "hinge" for relation in tree.relations]
    rows = np.where(angular, 1.0, 1.0 / scale) if angular else np.ones(0)
    return rows[:, None] * C * columns


def _rank(C: Doubles) -> int:
    if not C.size:
        return 0
    sigma = np.linalg.svd(C, compute_uv=False)
    return int((sigma > RANK * max(float(sigma[0]), 1e-300)).sum())


def _independent(tree: Tree, C: Doubles) -> tuple[int, tuple[str, ...]]:
    """The rank, and the names of rows that the rows before them imply."""
    names = [f"{loop.name}: {word}" for loop in tree.loops for word in WORDS[loop.kind]]
    names += [f"{relation.name}: coupling" for relation in tree.relations]
    largest = float(np.linalg.norm(C, axis=1).max(initial=0.0))
    basis = np.zeros((0, C.shape[1]))
    redundant = []
    for name, row in zip(names, C, strict=True):
        left = row - basis.T @ (basis @ row)
        left = left - basis.T @ (basis @ left)  # once more, for what rounding left
        size = float(np.linalg.norm(left))
        if size > RANK * largest:
            basis = np.concatenate([basis, left[None] / size])
        else:
            redundant.append(name)
    return _rank(C), tuple(redundant)


def _nearby(tree: Tree, assembly: Assembly, C: Doubles) -> list[Doubles]:
    """Closed configurations a little way along the freedoms, three of them."""
    if not tree.rows or not assembly.converged:
        return []
    rng = np.random.default_rng(0)
    found = []
    for _ in range(3):
        step = rng.standard_normal(tree.nv) * NEARBY
        if C.size:
            step = step - np.linalg.pinv(C, rcond=RANK) @ (C @ step)
        moved = assemble(tree, advance(tree, assembly.v, step))
        if moved.converged:
            found.append(moved.v)
    return found


# Masses ------------------------------------------------------------------------------------------


def odd_masses(tree: Tree) -> list[str]:
    """Moving bodies that no material makes, that outweigh all others, or whose inertia no body can have."""
    still = {GROUND}
    for body in tree.bodies:
        if body.parent in still and not any(joint.freedoms for joint in body.joints):
            still.add(body.name)
    moving = [body for body in tree.bodies if body.name not in still]
    masses = {body.name: body.mass for body in moving if body.mass > 0.0}
    found = []
    for body in moving:
        others = [m for name, m in masses.items() if name != body.name and m > 1e-6]
        usual = float(np.median(others)) if others else 0.0
        reach = max(body.size, _reach(tree, body))
        if body.mass > 0.0 and reach > 0.0 and body.mass > HEAVY * reach**3:
            times = body.mass / (HEAVY * reach**3)
            found.append(
                f"{body.name}: {body.mass:.4g} kg within {reach:.3g} m; {times:.2g} times a cube of osmium of that size"
            )
        elif usual and body.mass > RATIO * usual:
            found.append(
                f"{body.name}: {body.mass:.4g} kg, {body.mass / usual:.2g} times the median of the other bodies"
            )
        found += _odd_inertia(body)
    return found


def _reach(tree: Tree, body: Body) -> float:
    """Twice the farthest that a body's joints, places and centre are from each other [m]."""
    points = [*places(tree, body), *([body.centre] if body.mass else [])]
    spread = max((float(np.linalg.norm(a - b)) for a in points for b in points), default=0.0)
    gyration = float(np.sqrt(max(np.trace(body.inertia), 0.0) / 2 / body.mass)) if body.mass > 0 else 0.0
    return max(spread, 2 * gyration)


def _odd_inertia(body: Body) -> list[str]:
    moments = np.linalg.eigvalsh(body.inertia)
    largest = float(moments[2])
    if body.mass < 0.0 or moments[0] < -1e-9 * max(largest, 1e-300):
        return [f"{body.name}: a negative mass or moment of inertia ({min(body.mass, float(moments[0])):.3g})"]
    lack = largest - float(moments[0] + moments[1])
    if lack > 1e-6 * largest:
        return [f"{body.name}: its largest moment of inertia exceeds the other two together by {lack / largest:.0%}"]
    return []
