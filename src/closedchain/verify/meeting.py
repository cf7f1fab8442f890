"""States that two robots share: the same drives, each with its own loops closed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.errors import NoSolution
from closedchain.model.geometry import direct
from closedchain.model.model import Model, NoClosedForm
from closedchain.model.state import State
from closedchain.verify.samples import Samples, closed, one_state

Index = NDArray[np.int64]


def chosen(samples: Samples, kept: Index) -> Samples:
    """Some of the states."""
    rows = {name: values[kept] for name, values in samples.arrays.items()}
    return replace(samples, motion=tuple(samples.motion[i] for i in kept), **rows)


def meeting(told: Model, samples: Samples) -> tuple[Index, Samples]:
    """Which drives the other robot can have, and those states with its own output, the nearest it can have."""
    if told.linkage:
        return _standing(told, samples)
    if not told.nx:
        return np.arange(len(samples)), samples
    found = [_poses(told, q, x) for q, x in zip(samples.q, samples.x, strict=True)]
    kept = np.array([i for i, poses in enumerate(found) if len(poses)], dtype=np.int64)
    near = [_nearest(told, found[i], samples.x[i]) for i in kept]
    return kept, replace(chosen(samples, kept), x=np.array(near).reshape(-1, told.nx))


def _standing(told: Model, samples: Samples) -> tuple[Index, Samples]:
    """The states of another linkage that are nearest to these, where it has such."""
    near = {}
    for i in range(len(samples)):
        with suppress(NoSolution):
            near[i] = closed(told, chosen(samples, np.array([i])))
    kept = np.array(list(near), dtype=np.int64)
    if not near:
        return kept, chosen(samples, kept)
    q, x, q_dot, x_dot = (
        np.concatenate([getattr(state, name) for state in near.values()]) for name in ("q", "x", "q_dot", "x_dot")
    )
    return kept, replace(chosen(samples, kept), q=q, x=x, q_dot=q_dot, x_dot=x_dot)


def _poses(told: Model, q: Doubles, x: Doubles) -> Doubles:
    """Every pose with these drives; where no closed form finds them, the one near x, if there is one."""
    try:
        return direct(told, q=q).x
    except NoClosedForm:
        pass
    still = np.zeros((1, told.nq))
    try:
        return closed(told, State(q[None], x[None], still, np.zeros((1, told.nx)))).x
    except (NoSolution, np.linalg.LinAlgError):
        return np.zeros((0, told.nx))


def _nearest(told: Model, poses: Doubles, x: Doubles) -> Doubles:
    """Of several poses the nearest to x, lengths in the robot's size and angles modulo a turn, as x counts them."""
    turns = np.array([c.unit == "rad" for c in told.equations.x])
    away = poses - x
    away = np.where(turns, (away + np.pi) % (2 * np.pi) - np.pi, away)
    best = np.argmin(np.linalg.norm(np.where(turns, away, away / told.scale), axis=-1))
    return np.asarray(x + away[best])


def first_of(samples: Samples) -> State:
    """The first of the states, at rest."""
    return State(samples.q[0], samples.x[0], np.zeros_like(samples.q[0]), np.zeros_like(samples.x[0]))


def beginning(told: Model, start: State, samples: Samples) -> State:
    """Where the other robot is built: at the given drives if its loops close there, else at the first of its states."""
    kept, theirs = meeting(told, one_state(told, State(start.q, start.x, 0 * start.q, 0 * start.x)))
    at = theirs if len(kept) else samples
    return State(at.q[0], at.x[0], np.zeros(told.nq), np.zeros(told.nx))


def exchanges(model: Model) -> Iterator[tuple[list[int], str]]:
    """Every other order of the drives that units allow, and what it means, in words."""
    names = [c.name for c in model.equations.q]
    alike = [c.unit for c in model.equations.q]
    if not 2 <= len(names) <= 4 or len(model.driven) != model.nq:
        return
    for order in itertools.permutations(range(len(names))):
        moved = [f"{names[k]} stands for {names[i]}" for i, k in enumerate(order) if i != k]
        if moved and all(alike[i] == alike[k] for i, k in enumerate(order)):
            yield list(order), f"the drives are exchanged: {', '.join(moved)}"


def apart_because(told: Model, samples: Samples) -> str:
    """Why a robot closes its loops at none of the states, where drives in another order explain it."""
    for order, words in exchanges(told):
        kept, _ = meeting(told, replace(samples, q=samples.q[:, np.argsort(order)]))
        if len(kept) == len(samples):
            return f"; {words}, for so it closes them at all"
    return ""
