"""Points that meet and directions that stay across each other, as the hinge or weld that they make together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.exchange.rotations import onto
from closedchain.exchange.tree import Loop

Merged = tuple[Loop, tuple[Loop, ...]]  # what is made, and the inclines that it replaces
SAME = 1e-9  # of a direction's components


def hinged(loops: Sequence[Loop], turned: Mapping[str, Doubles]) -> tuple[Loop, ...]:
    """The loops, with inclines of a right angle merged into the point loop between the same two bodies.

    `turned` has the bodies' rotations where the loops are closed.
    """
    found = list(loops)
    for point in [loop for loop in loops if loop.kind == "point"]:
        mine = [
            loop for loop in found if loop.kind == "incline" and not loop.cosine and _bodies(loop) == _bodies(point)
        ]
        made, used = _welded(point, mine, turned) or _hinge(point, mine, turned) or (point, ())
        found = [made if loop is point else loop for loop in found if loop not in used]
    return tuple(found)


def _bodies(loop: Loop) -> set[str]:
    return {loop.a.body, loop.b.body}


def _direction(loop: Loop, body: str) -> Doubles:
    """An incline's direction on one of its two bodies, in the body's frame."""
    return loop.a.rotation @ loop.axis if loop.a.body == body else loop.b.rotation[:, 2]


def _hinge(point: Loop, inclines: Sequence[Loop], turned: Mapping[str, Doubles]) -> Merged | None:
    """Two directions of one body that stay across one direction of the other."""
    for pair in combinations(inclines, 2):
        for axle, other in ((point.a, point.b), (point.b, point.a)):
            one, two = (_direction(loop, axle.body) for loop in pair)
            e1, e2 = (_direction(loop, other.body) for loop in pair)
            if np.abs(one - two).max() < SAME and abs(e1 @ e2) < SAME:
                n = np.cross(e1, e2)
                n = n if (turned[axle.body] @ one) @ (turned[other.body] @ n) > 0 else -n
                own, its = replace(axle, rotation=onto(one)), replace(other, rotation=onto(n))
                a, b = (own, its) if axle is point.a else (its, own)
                return replace(point, kind="hinge", a=a, b=b, axis=np.array([0.0, 0.0, 1.0])), pair
    return None


def _welded(point: Loop, inclines: Sequence[Loop], turned: Mapping[str, Doubles]) -> Merged | None:
    """Three right angles between two frames, x·y′ = x·z′ = y·z′ = 0, in any order and from either side."""
    for triple in permutations(inclines, 3):
        (x, again, y), (y_, z_, also) = ([_direction(loop, end.body) for loop in triple] for end in (point.a, point.b))
        shared = np.abs(x - again).max() < SAME and np.abs(z_ - also).max() < SAME
        if shared and max(abs(x @ y), abs(y_ @ z_)) < SAME:
            R_a, R_b = (np.stack(axes, axis=-1) for axes in ((x, y, np.cross(x, y)), (np.cross(y_, z_), y_, z_)))
            R_b = R_b * np.sign(((turned[point.a.body] @ R_a) * (turned[point.b.body] @ R_b)).sum(axis=0))
            if np.abs(turned[point.a.body] @ R_a - turned[point.b.body] @ R_b).max() < SAME:
                a, b = replace(point.a, rotation=R_a), replace(point.b, rotation=R_b)
                return replace(point, kind="weld", a=a, b=b), triple
    return None


def paired(loops: Sequence[Loop]) -> tuple[Loop, ...]:
    """The loops, with two points between the same two bodies as the hinge that they are, and three as a weld."""
    found: list[Loop] = []
    used: list[Loop] = []
    for loop in loops:
        mine = [other for other in loops if other.kind == "point" and _bodies(other) == _bodies(loop)]
        if loop.kind != "point" or not 2 <= len(mine) <= 3:
            found.append(loop)
        elif loop not in used:
            used += mine
            found += [_through(mine)] if _apart(mine) else mine
    return tuple(found)


def _sides(loops: Sequence[Loop]) -> tuple[list[Doubles], list[Doubles]]:
    """The places on the first loop's body a, and those on its body b."""
    one = loops[0].a.body
    pairs = [(l.a.at, l.b.at) if l.a.body == one else (l.b.at, l.a.at) for l in loops]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _apart(loops: Sequence[Loop]) -> bool:
    """Whether the places make a line, or a triangle, and the same on both bodies."""
    (a, b), far = _sides(loops), []
    for places in (a, b):
        away = np.array([p - places[0] for p in places[1:]])
        size = float(np.linalg.norm(away, axis=1).max())
        far.append(away @ away.T)
        if size == 0.0 or np.linalg.svd(away / size, compute_uv=False)[-1] < 1e-6:
            return False
    return bool(np.abs(far[0] - far[1]).max() <= 1e-6 * np.abs(far[0]).max())


def _through(loops: Sequence[Loop]) -> Loop:
    """The hinge through two places, or the weld at three."""
    point, (a, b) = loops[0], _sides(loops)
    turns = [_along(places) for places in (a, b)]
    sides = [replace(f, rotation=R) for f, R in zip((point.a, point.b), turns, strict=True)]
    kind = "hinge" if len(loops) == 2 else "weld"
    return replace(point, kind=kind, a=sides[0], b=sides[1], axis=np.array([0.0, 0.0, 1.0]))


def _along(places: Sequence[Doubles]) -> Doubles:
    """Axes at the first of some places: z goes to the second, x towards the third, where there is one."""
    z = places[1] - places[0]
    z = z / np.linalg.norm(z)
    if len(places) == 2:
        return onto(z)
    x = places[2] - places[0]
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=-1)
