"""Where the loops of a file close: as written, from a keyframe, from a start near by, or with other joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from closedchain.describe.files import BadFile
from closedchain.exchange.analysis import Analysis, analyse
from closedchain.exchange.assembly import Assembly, advance, assemble
from closedchain.exchange.reading import Notes, Reading
from closedchain.exchange.shapes import size
from closedchain.exchange.tree import Joint, Loop, Tree

STARTS, AWAY = 4, 0.3  # how many further starts are tried, and how far from the written one [rad, sizes]
BALL = "spherical"  # in a hinge's name: what the program that writes such YAML files makes a ball


def started(reading: Reading, path: str, key: str) -> tuple[Reading, Analysis]:
    """The file's tree with the start from which its loops close."""
    if key:
        if key not in reading.keys:
            there = f"there are {', '.join(reading.keys)}" if reading.keys else "the file has none"
            raise BadFile(path, "keyframe", f"no keyframe {key!r:.60}; {there}")
        chosen = _from(reading, key)
        return chosen, analyse(chosen.tree)
    analysis = analyse(reading.tree)
    if analysis.assembly.converged:
        return reading, analysis
    for chosen in _others(reading, analysis.assembly):
        better = analyse(chosen.tree)
        if better.assembly.converged:
            return chosen, better
    return reading, analysis


def _others(reading: Reading, written: Assembly) -> Iterator[Reading]:
    """What else may be meant, the nearest to the file first; each says in a note what was changed."""
    for name in reading.keys:
        yield _noted(_from(reading, name), f"as written the loops do not close; they do from the keyframe {name}")
    tree = closed_near(reading.tree)
    if tree is not None:
        yield _noted(reading, "as written the loops do not close; they do from a start near it", tree)
    balls = with_balls(reading.tree) if reading.format == "urdf" else None
    tree = closed_near(balls) if balls is not None else None
    if balls is not None and tree is not None:
        names = [j.name for j in balls.joints if j.kind == "ball" and reading.tree.joint(j.name).kind == "hinge"]
        what = f"as written {written.residual:.2g} is left of the loops; they close with hinges by this name as balls"
        yield _noted(reading, _told(what, names), tree)
    tree = with_points(reading.tree)
    if tree is not None:
        names = [now.name for was, now in zip(reading.tree.loops, tree.loops, strict=True) if was.kind != now.kind]
        what = (
            f"as written {written.residual:.2g} is left of the loops. Welds that do not close where all others are "
            "points are read as points; that is another mechanism than the file's"
        )
        yield _noted(reading, _told(what, names), tree)


def closed_near(tree: Tree) -> Tree | None:
    """The tree with a start from which its loops close: the written one, or one of a few near it."""
    rng = np.random.default_rng(0)
    away = AWAY * np.where([shift for joint in tree.joints for shift in joint.shifts], size(tree), 1.0)
    for k in range(STARTS + 1):
        begin = tree.begin if k == 0 else advance(tree, tree.begin, away * rng.standard_normal(tree.nv))
        found = assemble(tree, begin)
        if found.converged:
            return replace(tree, start={j.name: found.v[tree.columns[j.name]] for j in tree.joints if j.freedoms})
    return None


def with_balls(tree: Tree) -> Tree | None:
    """The tree whose hinges called spherical are balls, which URDF has no word for; None where there are none."""
    meant = [j for j in tree.joints if j.kind == "hinge" and BALL in j.name.lower() and j.name not in tree.drives]
    balls = {j.name: Joint(j.name, "ball", at=j.at) for j in meant}
    bodies = [replace(b, joints=tuple(balls.get(j.name, j) for j in b.joints)) for b in tree.bodies]
    return replace(tree, bodies=tuple(bodies)) if balls else None


def with_points(tree: Tree) -> Tree | None:
    """The tree whose welds that cannot be met are points; None where that does not close either.

    A weld stays if it closes from where all of them close as points. A YAML whose loops are 6d by default, with rods
    that have a ball at one end and a weld at the other, says more than a mechanism can do.
    """
    loose = closed_near(replace(tree, loops=tuple(map(_point, tree.loops))))
    if loose is None:
        return None
    kept = []
    for k, loop in enumerate(tree.loops):
        alone = replace(loose, loops=(*loose.loops[:k], loop, *loose.loops[k + 1 :]))
        kept.append(loop if loop.kind != "weld" or assemble(alone).converged else _point(loop))
    return closed_near(replace(loose, loops=tuple(kept)))


def _point(loop: Loop) -> Loop:
    return replace(loop, kind="point") if loop.kind == "weld" else loop


def _told(what: str, names: list[str]) -> str:
    notes = Notes()
    for name in names:
        notes.add(what, name)
    return notes.lines()[0]


def _noted(reading: Reading, note: str, tree: Tree | None = None) -> Reading:
    return replace(reading, tree=tree or reading.tree, notes=(*reading.notes, note))


def _from(reading: Reading, key: str) -> Reading:
    return replace(reading, tree=replace(reading.tree, start=reading.keys[key]))
