"""A state: where the robot is and how it moves, in drives and output together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, NoSolution
from closedchain.model.configurations import EDGE, Configurations
from closedchain.model.geometry import direct, inverse
from closedchain.model.kinematics import direct_rates, inverse_rates
from closedchain.model.model import Model
from closedchain.model.solutions import Solutions, same_mode
from closedchain.model.standing import Rates, check_rates, moving, placed


@dataclass(frozen=True, eq=False)
class State:
    """z = (q, x) and its rates on one branch; every array may be a batch."""

    q: Doubles  # (*batch, nq)
    x: Doubles  # (*batch, nx)
    q_dot: Doubles  # (*batch, nq)
    x_dot: Doubles  # (*batch, nx)

    @cached_property
    def z(self) -> Doubles:
        return np.concatenate([self.q, self.x], axis=-1)

    @cached_property
    def z_dot(self) -> Doubles:
        return np.concatenate([self.q_dot, self.x_dot], axis=-1)


def state(
    model: Model,
    *,
    q: ArrayLike | None = None,
    x: ArrayLike | None = None,
    q_dot: ArrayLike | None = None,
    x_dot: Rates | None = None,
    assembly: str | None = None,
    working: str | None = None,
) -> State:
    """The state with the drives at q (and an assembly mode) or the output at x (and a working mode).

    Rates of one side give those of the other; at rest unless given. What is given of both sides is checked.
    A linkage is given by q and x, or assembled from what is near; its rates by arrays, or by name in x_dot.
    """
    if model.linkage:
        z = placed(model, q, x)
        z_dot = moving(model, z, q_dot, x_dot)
        z = np.broadcast_to(z, z_dot.shape)
        n = model.nq
        return State(z[..., :n], z[..., n:], z_dot[..., :n], z_dot[..., n:])
    if isinstance(x_dot, Mapping):
        raise BadInput(f"{model.name}: rates by name are for linkages; give x_dot as an array")
    if q is None and x is None:
        raise BadInput(f"{model.name}: a state needs q or x")
    q_, x_ = place(model, q, x, assembly, working)
    if x_dot is not None and q_dot is None:
        x_dot_ = vectors(x_dot, model.nx, "x_dot")
        q_dot_, _ = inverse_rates(model, q_, x_, x_dot_)
        whole = q_dot_.shape[:-1]
        x_, x_dot_ = (np.broadcast_to(v, (*whole, model.nx)) for v in (x_, x_dot_))
        return State(np.broadcast_to(q_, q_dot_.shape), x_, q_dot_, x_dot_)
    q_dot_ = np.zeros(model.nq) if q_dot is None else vectors(q_dot, model.nq, "q_dot")
    shape = np.broadcast_shapes(q_.shape, q_dot_.shape)
    q_, q_dot_ = np.broadcast_to(q_, shape), np.broadcast_to(q_dot_, shape)
    x_ = np.broadcast_to(x_, (*shape[:-1], model.nx))
    if x_dot is not None:
        both = State(q_, x_, q_dot_, np.broadcast_to(vectors(x_dot, model.nx, "x_dot"), x_.shape))
        check_rates(model, both.z, both.z_dot)
        return both
    if q_dot is None or not model.nx:
        return State(q_, x_, q_dot_, np.zeros_like(x_))
    return State(q_, x_, q_dot_, direct_rates(model, q_, x_, q_dot_)[0])


def place(
    model: Model, q: ArrayLike | None, x: ArrayLike | None, assembly: str | None, working: str | None
) -> tuple[Doubles, Doubles]:
    """(q, x) of a configuration given by one side and a mode, or by both; a mode of the other side is held to."""
    if not model.nx:
        if assembly is not None or working is not None:
            raise BadInput(f"{model.name} has no closures, so no working or assembly modes; leave the mode out")
        q_ = vectors(q if q is not None else (), model.nq, "q")
        return q_, np.zeros((*q_.shape[:-1], 0))
    if q is not None and x is not None:
        q_, x_ = _both(model, vectors(q, model.nq, "q"), vectors(x, model.nx, "x"))
        if assembly is not None or working is not None:
            _hold_modes(model, q_, x_, working, assembly)
        return q_, x_
    if q is not None:
        q_ = vectors(q, model.nq, "q")
        return q_, pose(model, q_, assembly) if working is None else _chosen(direct(model, q_), working, assembly)
    x_ = vectors(x if x is not None else (), model.nx, "x")
    found = inverse(model, x_)
    return found.unwrap(choose(found, working)) if assembly is None else _chosen(found, working, assembly), x_


def pose(model: Model, q: Doubles, assembly: str | None) -> Doubles:
    """x of one assembly mode; a single point's two modes are computed without the other's work."""
    group = model.groups[0]
    if len(model.groups) == 1 and group.branches == 2 and assembly in (None, "+", "-") and not model.mechanism.rails:  # type: ignore[union-attr]
        sign = np.array(-1.0 if assembly == "-" else 1.0)
        made = model.call("group0", q=q, x=np.zeros((*q.shape[:-1], model.nx)), s=sign)
        reached = (made["slack"] >= -EDGE * model.scale).all() and np.isfinite(made["x"]).all()
        if reached and model.mechanism.dimension == 2:  # type: ignore[union-attr]
            return made["x"]
    found = direct(model, q, prove=False)
    return found.unwrap(choose(found, assembly))


def choose(found: Solutions, asked: str | None) -> str:
    """The mode asked for; without one "+", or the only one there is."""
    if asked is not None:
        return asked
    modes = tuple(dict.fromkeys(found.mode))
    if len(modes) == 1:
        return modes[0]
    plain = [m for m in modes if set(m) == {"+"}]
    if plain:
        return plain[0]
    if not modes:
        return "+"
    option = "working" if found.kind == "inverse" else "assembly"
    raise _ambiguous(found.robot, option, modes)


def _ambiguous(robot: str, option: str, modes: Iterable[str]) -> NoSolution:
    named = tuple(modes)
    words = f"{len(named)} {option} modes here, choose one with {option}= or --{option}"
    return NoSolution(f"{robot}: {words}: {', '.join(named)}")


def _chosen(found: Solutions, working: str | None, assembly: str | None) -> Doubles:
    """The q (inverse) or x (direct) of the only solution with these modes, for each element of the batch."""
    count = math.prod(found.shape)
    asked = [(name, mode) for name, mode in (("working", working), ("assembly", assembly)) if mode is not None]
    names = {"working": found.working, "assembly": found.assembly}
    fits = [i for i in range(len(found)) if all(same_mode(names[name][i], mode) for name, mode in asked)]
    for element in range(count):
        rows = [i for i in fits if found.index[i] == element]
        if len(rows) > 1:
            raise _ambiguous(
                found.robot, "working" if found.kind == "inverse" else "assembly", map(found.mode.__getitem__, rows)
            )
        if not rows and element in found.reasons:
            raise found.reasons[element]
        if not rows:
            here = [i for i in range(len(found)) if found.index[i] == element]
            there = ", ".join(f"{names['working'][i]!r} in {names['assembly'][i]!r}" for i in here)
            wanted = " and ".join(f"{name} mode {mode!r:.20}" for name, mode in asked)
            where = f" at element {element}" if found.shape else ""
            raise NoSolution(f"{found.robot}: no solution of {wanted}{where}; there are working modes {there}")
    values = (found.q if found.kind == "inverse" else found.x)[fits]
    return values.reshape(*found.shape, values.shape[-1])


def _hold_modes(model: Model, q: Doubles, x: Doubles, working: str | None, assembly: str | None) -> None:
    """Refuse a configuration that is not on the branches named: the nearest solution's names are its own."""
    sides = (
        ("working", working, inverse, x, q, model.equations.q),
        ("assembly", assembly, direct, q, x, model.equations.x),
    )
    for name, asked, solve, given, wanted, coordinates in sides:
        if asked is None:
            continue
        found, turns = solve(model, given), np.array([c.unit == "rad" for c in coordinates])
        rows = wanted.reshape(-1, wanted.shape[-1])
        for element, row in enumerate(rows):
            here = np.nonzero(found.index == element)[0]
            away = (found.q if name == "working" else found.x)[here] - row
            away = np.where(turns, np.remainder(away + np.pi, 2 * np.pi) - np.pi, away)
            own = found.mode[here[np.abs(away).max(axis=-1).argmin()]] if len(here) else "?"
            if not same_mode(own, asked):
                raise NoSolution(f"{model.name}: q and x are in {name} mode {own!r}, not in {asked!r:.20}")


def _both(model: Model, q: Doubles, x: Doubles) -> tuple[Doubles, Doubles]:
    shape = np.broadcast_shapes(q.shape[:-1], x.shape[:-1])
    q, x = np.broadcast_to(q, (*shape, model.nq)), np.broadcast_to(x, (*shape, model.nx))
    gap = Configurations(model, q.reshape(-1, model.nq), x.reshape(-1, model.nx)).residual.max(initial=0.0)
    if gap > 1e-6 * model.scale:
        raise NoSolution(
            f"{model.name}: q and x do not close the loops: the gap is {gap:.3g} m; give one of them and a mode"
        )
    return q, x
