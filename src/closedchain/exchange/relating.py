"""Couplings of a mechanism's coordinates as relations between the joint values of its tree.

Coordinates are sums of joint values where nothing but turns about one axis, or nothing but shifts, leads to their body:
a plate's angle is the sum of the hinges on the way from the ground. The rates of the tree tell the factors.
"""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Coupling, Plate
from closedchain.exchange.kinematics import Posture
from closedchain.exchange.parts import Parts
from closedchain.exchange.placing import Configuration
from closedchain.exchange.tree import Frame, Relation, Tree

NOTHING = 1e-12  # of the largest factor: less is none


def related(tree: Tree, at: Configuration, parts: Parts) -> tuple[tuple[Relation, ...], tuple[str, ...]]:
    """The relations at the tree's zero, where the couplings hold, and the names of couplings that no tree can say."""
    rates, found, unsaid = _rates(tree, at, parts), [], []
    for coupling in at.mechanism.couplings:
        rows = [(at.number(factor), rates[name]) for name, factor in coupling.terms]
        known = [factor * row for factor, row in rows if row is not None]
        made = _relation(tree, coupling, np.sum(known, axis=0)) if len(known) == len(rows) else None
        found += [] if made is None else [made]
        unsaid += [coupling.name] if made is None else []
    return tuple(found), tuple(unsaid)


def _relation(tree: Tree, coupling: Coupling, factors: Doubles) -> Relation | None:
    """A passive joint, where there is one, follows the others."""
    largest = float(np.abs(factors).max(initial=0.0))
    acting = [
        j.name for j in tree.joints if j.freedoms == 1 and abs(factors[tree.columns[j.name]][0]) > NOTHING * largest
    ]
    if not acting:
        return None
    joint = next((name for name in reversed(acting) if name not in tree.drives), acting[-1])
    own = float(factors[tree.columns[joint]][0])
    others = tuple((n, (-float(factors[tree.columns[n]][0]) / own,)) for n in acting if n != joint)
    return Relation(coupling.name, joint, others)


def _rates(tree: Tree, at: Configuration, parts: Parts) -> dict[str, Doubles | None]:
    """Each coordinate's rate by the joint values, (nv,); None where that changes with the configuration."""
    posture = Posture(tree, np.zeros(tree.nv))
    shifts = np.array([j.kind == "slide" for j in tree.joints for _ in range(j.freedoms)], dtype=bool)
    found: dict[str, Doubles | None] = {}
    for drive in at.mechanism.drives:
        found[drive.name] = np.eye(tree.nv)[tree.columns[drive.name].start]
    for body in at.mechanism.bodies:
        mark = "" if body is at.mechanism.output else f"_{body.name}"
        plate = isinstance(body, Plate)
        carrier = parts.of.get(("plate" if plate else "carrier", id(body)))
        place = next((f for f in tree.frames if f.name == body.name), Frame("", carrier.name) if carrier else None)
        turning, moving = posture.frame(place)[2:] if place else (np.zeros((3, tree.nv)), np.full((3, tree.nv), np.nan))
        straight = not turning.any() and not moving[:, ~shifts].any()
        for k, axis in enumerate("xyz"):
            found[axis + mark] = moving[k] if straight else None
        if plate:
            found["phi" + mark] = turning[2]
    return found
