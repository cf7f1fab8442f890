"""What to draw for a body: lines between the places where it is jointed, closed and named."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.tree import Body, Tree

Segment = tuple[Doubles, Doubles]
WIDTH = 0.02  # of the tree's size: a drawn link's radius


def places(tree: Tree, body: Body) -> list[Doubles]:
    """Points of a body that matter, in its own frame, each once."""
    found = [joint.at for joint in body.joints[:1] if joint.kind != "slide"]
    for child in tree.bodies:
        if child.parent == body.name:
            found += [child.position + child.rotation @ joint.at for joint in child.joints[:1] if joint.kind != "slide"]
    frames = [*tree.frames, *(f for loop in tree.loops for f in (loop.a, loop.b))]
    found += [frame.at for frame in frames if frame.body == body.name]
    apart: list[Doubles] = []
    for point in found:
        if all(np.linalg.norm(point - other) > 1e-9 for other in apart):
            apart.append(point)
    return apart


def segments(tree: Tree, body: Body) -> list[Segment]:
    """Lines round the body's points: one of a bar, three of a triangle."""
    points = places(tree, body)
    if len(points) < 2:
        return []
    return [*pairwise(points), *([(points[-1], points[0])] if len(points) > 2 else [])]


def size(tree: Tree) -> float:
    """The largest distance between places of one body or to its parent [m]; 1 where there is none."""
    found = [float(np.linalg.norm(b - a)) for body in tree.bodies for a, b in segments(tree, body)]
    found += [float(np.linalg.norm(body.position)) for body in tree.bodies]
    return max(found, default=0.0) or 1.0
