"""Forces where a tree of bodies was cut open: what this package's multipliers say of them.

A bar of ours ends at a point whose mass, in the tree, may ride on the bar. What the bar with that share exerts there on
everything else is

    force of the bar on its joint (by its multiplier, inertia and weight) − share (acceleration of the point − gravity).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.elements import Bar, Free, Plate
from closedchain.describe.elements import Body as Solid
from closedchain.exchange.from_mechanism import Embedding
from closedchain.exchange.guiding import guides_of
from closedchain.exchange.shapes import size
from closedchain.exchange.tree import Body, Loop, Tree
from closedchain.model.dynamics import Motion
from closedchain.model.model import Model
from closedchain.model.reactions import joint_forces
from closedchain.model.state import State

SAME = 1e-9  # of the tree's size: places nearer than this are one, whose coordinates were found in different ways


@dataclass(frozen=True, eq=False)
class Cut:
    """A loop of the tree at whose point a bar of ours ends, alone on its side."""

    loop: int
    bar: str
    end: str  # "a" or "b" of the bar
    side: float  # +1 where the bar is the loop's body b: the loop's force on a is then the bar's
    share: float  # of the free point's mass there, 0 to 1, that rides on this end
    free: str  # the point's name where it is a free one, else empty


def cuts_of(embedding: Embedding) -> tuple[Cut, ...]:
    """The loops whose force one bar alone tells; a loop between telescopes or plates has none."""
    tree, mechanism = embedding.tree, embedding.model.mechanism
    assert mechanism is not None
    bars = {bar.name: bar for bar in mechanism.bars}
    guided = guides_of(mechanism)  # what a plane takes does not go through the bar of ours
    found = []
    for i, loop in enumerate(tree.loops):
        for side, mine in ((1.0, loop.b), (-1.0, loop.a)):
            bar = bars.get(mine.body)
            if bar is not None and loop.kind == "point" and id(bar) not in guided and _alone(tree, loop, mine.body):
                end = "b" if abs(mine.at[0]) > 0.0 else "a"
                point = bar.b if end == "b" else bar.a
                mass = _riding(embedding.model, tree.body(bar.name), bar)[end == "b"]
                whole = embedding.model.number(point.mass) if isinstance(point, Free) else 0.0
                free = point.name if isinstance(point, Free) else ""
                found.append(Cut(i, bar.name, end, side, mass / whole if whole else 0.0, free))
                break
    return tuple(found)


def _alone(tree: Tree, loop: Loop, name: str) -> bool:
    """Whether nothing else acts on the body there: no child hangs there, no second loop or spring pulls."""
    at, same = loop.b.at if loop.b.body == name else loop.a.at, SAME * size(tree)
    children = [b for b in tree.bodies if b.parent == name]
    hung = any(np.abs(b.position + b.rotation @ j.at - at).max() < same for b in children for j in b.joints[:1])
    sprung = any(joint.stiffness or joint.damping for joint in tree.body(name).joints)
    sprung |= any(frame.body == name for twist in tree.twists for frame in twist.frames)
    pulls = [f for loop in tree.loops for f in (loop.a, loop.b)] + [f for l in tree.links for f in (l.a, l.b)]
    ends = [f for f in pulls if f.body == name]
    return not hung and not sprung and sum(bool(np.abs(f.at - at).max() < same) for f in ends) == 1


def _riding(model: Model, body: Body, bar: Bar) -> tuple[float, float]:
    """The point masses that ride on a bar's ends a and b, from its own mass and centre and the body's."""
    mass, length = model.number(bar.mass), model.number(bar.length)
    centre = model.number(bar.centre) if bar.centre is not None else 0.0
    far = (body.mass * float(body.centre[0]) - mass * centre) / length
    return body.mass - mass - far, far


def cut_forces(model: Model, cuts: tuple[Cut, ...], state: State, motion: Motion) -> Doubles:
    """The force on each cut loop's body a, (n, cuts · dimension)."""
    assert model.mechanism is not None
    gravity = model.mechanism.gravity or ()
    pull = np.array([model.number(e) for e in gravity]) if gravity else np.zeros(model.mechanism.dimension)
    ends = joint_forces(model, state, motion)
    rows = []
    for cut in cuts:
        own = ends[cut.bar].on_b if cut.end == "b" else ends[cut.bar].on_a
        if cut.share:
            free = next(b for b in model.mechanism.bodies if b.name == cut.free)
            own = own - cut.share * model.number(free.mass) * (_acceleration(model, free, motion) - pull)
        rows.append(cut.side * own)
    return np.concatenate(rows, axis=-1) if rows else np.zeros((len(state.q), 0))


def _acceleration(model: Model, point: Free | Plate | Solid, motion: Motion) -> Doubles:
    """ẍ of a free point."""
    assert model.mechanism is not None
    before = model.mechanism.bodies[: model.mechanism.bodies.index(point)]
    start = sum(len(model.mechanism.own_coordinates(body)) for body in before)
    return np.asarray(motion.x_ddot[..., start : start + model.mechanism.dimension])
