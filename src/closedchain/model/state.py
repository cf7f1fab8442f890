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
from closedchain.model.geometry import direct, inverse, output_vectors
from closedchain.model.kinematics import direct_rates, inverse_rates, output_rates
from closedchain.model.known import CLOSE, known
from closedchain.model.model import Model
from closedchain.model.solutions import Index, Solutions, same_mode
from closedchain.model.standing import Rates, check_rates, moving, placed
from closedchain.policy import EDGE


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
    x_dot = None if x_dot is None else output_vectors(model, x_dot, "x_dot")
    if x_dot is not None and x_dot.shape[-1] < model.nx:
        z_dot, _ = output_rates(model, q_, x_, x_dot)
        if q_dot is None:
            return _moving(model, q_, x_, z_dot)
        x_dot = z_dot[..., model.nq :]
    if x_dot is not None and q_dot is None:
        q_dot_, _ = inverse_rates(model, q_, x_, x_dot)
        x_dot = np.broadcast_to(x_dot, (*q_dot_.shape[:-1], model.nx))
        return _moving(model, q_, x_, np.concatenate([q_dot_, x_dot], axis=-1))
    q_dot_ = np.zeros(model.nq) if q_dot is None else vectors(q_dot, model.nq, "q_dot")
    shape = np.broadcast_shapes(q_.shape, q_dot_.shape)
    q_, q_dot_ = np.broadcast_to(q_, shape), np.broadcast_to(q_dot_, shape)
    x_ = np.broadcast_to(x_, (*shape[:-1], model.nx))
    if x_dot is not None:
        both = State(q_, x_, q_dot_, np.broadcast_to(x_dot, x_.shape))
        check_rates(model, both.z, both.z_dot)
        return both
    if q_dot is None or not model.nx:
        return State(q_, x_, q_dot_, np.zeros_like(x_))
    return State(q_, x_, q_dot_, direct_rates(model, q_, x_, q_dot_)[0])


def _moving(model: Model, q: Doubles, x: Doubles, z_dot: Doubles) -> State:
    """The state with these rates, as many as there are of them."""
    n, shape = model.nq, z_dot.shape[:-1]
    place_ = np.broadcast_to(q, (*shape, n)), np.broadcast_to(x, (*shape, model.nx))
    return State(*place_, z_dot[..., :n], z_dot[..., n:])


def standing(model: Model, given: State | None, **others: object) -> State | None:
    """A state that was given, closed to rounding and with rates that keep it so; None where none was given."""
    if given is None:
        return None
    named = [name for name, value in others.items() if value is not None]
    if named:
        raise BadInput(f"{model.name}: state= says where it is and how it moves; leave {', '.join(named)} out")
    if model.linkage or not model.nx:
        return given
    q, x = known(model, given.q, given.x)
    at = State(q, x, *(np.broadcast_to(v, p.shape) for v, p in ((given.q_dot, q), (given.x_dot, x))))
    check_rates(model, at.z, at.z_dot)
    return at


def place(
    model: Model, q: ArrayLike | None, x: ArrayLike | None, assembly: str | None, working: str | None
) -> tuple[Doubles, Doubles]:
    """(q, x) of a configuration given by one side and a mode, or by both; a mode of the other side is held to.

    x are the coordinates of every body, or the output's own. Given by both, what is close to closing is closed.
    """
    if not model.nx:
        if assembly is not None or working is not None:
            raise BadInput(f"{model.name} has no closures, so no working or assembly modes; leave the mode out")
        q_ = vectors(q if q is not None else (), model.nq, "q")
        return q_, np.zeros((*q_.shape[:-1], 0))
    x_ = None if x is None else output_vectors(model, x)
    if q is not None and x_ is not None and x_.shape[-1] == model.nx:
        q_, x_ = known(model, q, x_)
        if assembly is not None or working is not None:
            _hold_modes(model, q_, x_, working, assembly)
        return q_, x_
    if q is not None:
        q_ = vectors(q, model.nq, "q")
        if x_ is None and working is None:
            return q_, pose(model, q_, assembly)
        return q_, _chosen(direct(model, q_), working, assembly, output=x_)[1]
    found = inverse(model, x_ if x_ is not None else ())
    if assembly is not None:
        return _chosen(found, working, assembly)
    return _one(model, found, working)


def pose(model: Model, q: Doubles, assembly: str | None) -> Doubles:
    """x of one assembly mode; a single point's two modes are computed without the other's work."""
    if model.has_groups and len(model.groups) == 1 and assembly in ("+", "-", None) and (assembly or not model.near):
        group, mechanism = model.groups[0], model.mechanism
        assert mechanism is not None
        if group.branches == 2 and not mechanism.rails and mechanism.dimension == 2:
            sign = np.array(-1.0 if assembly == "-" else 1.0)
            made = model.call("group0", q=q, x=np.zeros((*q.shape[:-1], model.nx)), s=sign)
            if (made["slack"] >= -EDGE * model.scale).all() and np.isfinite(made["x"]).all():
                return made["x"]
    found = direct(model, q, prove=False)
    return _one(model, found, assembly)[1]


def _one(model: Model, found: Solutions, asked: str | None) -> tuple[Doubles, Doubles]:
    """(q, x) of the mode asked for; without one of the nearest to where the robot is said to be, else by `choose`."""
    told = asked is None and bool(_said(model, found))
    return _rows(found, nearest(model, found) if told else found.unwrap_rows(choose(model, found, asked)))


def _rows(found: Solutions, rows: Index) -> tuple[Doubles, Doubles]:
    """(q, x) of one row for each element of the batch."""
    return tuple(v[rows].reshape(*found.shape, v.shape[-1]) for v in (found.q, found.x))  # type: ignore[return-value]


def _said(model: Model, found: Solutions) -> dict[int, float]:
    """What the description says of where the robot is, and the problem leaves open: columns of z with their values."""
    given = range(model.nq, model.nq + model.outputs) if found.kind == "inverse" else ()
    return {i: v for i, v in model.near.items() if i not in given}


def nearest(model: Model, found: Solutions) -> Index:
    """The row of each element of the batch that is nearest to where the description says that the robot is."""
    said, z = _said(model, found), np.concatenate([found.q, found.x], axis=-1)
    turns = np.array([model.equations.z[i].unit == "rad" for i in said])
    sizes = np.where(turns, 1.0, model.scale)
    away = z[:, list(said)] - np.array(list(said.values()))
    away = np.where(turns, np.remainder(away + np.pi, 2 * np.pi) - np.pi, away) / sizes
    distance = np.linalg.norm(away, axis=-1)
    rows = []
    for element in range(math.prod(found.shape)):
        here = np.nonzero(found.index == element)[0]
        if not len(here):
            raise found.reasons[element]
        rows.append(int(here[np.argmin(distance[here])]))
    return np.array(rows, dtype=np.intp)


def choose(model: Model, found: Solutions, asked: str | None) -> str:
    """The mode asked for, else the one it is built in, the nearest to where it is said to be, "+", or the only one."""
    if asked is not None:
        return asked
    modes = tuple(dict.fromkeys(found.mode))
    if len(modes) == 1:
        return modes[0]
    if found.kind == "inverse" and model.mechanism is not None and model.mechanism.working in modes:
        return model.mechanism.working
    if modes and _said(model, found) and not found.shape:
        return found.mode[int(nearest(model, found)[0])]
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


def _chosen(
    found: Solutions, working: str | None, assembly: str | None, output: Doubles | None = None
) -> tuple[Doubles, Doubles]:
    """(q, x) of the only solution with these modes, and this output, for each element of the batch."""
    count = math.prod(found.shape)
    asked = [(name, mode) for name, mode in (("working", working), ("assembly", assembly)) if mode is not None]
    names = {"working": found.working, "assembly": found.assembly}
    fits = [i for i in range(len(found)) if all(same_mode(names[name][i], mode) for name, mode in asked)]
    if output is not None:
        wanted = np.broadcast_to(output, (*found.shape, output.shape[-1])).reshape(-1, output.shape[-1])
        away = np.abs(found.x[:, : output.shape[-1]] - wanted[found.index]).max(axis=-1, initial=0.0)
        fits = [i for i in fits if away[i] <= CLOSE * max(1.0, float(np.abs(wanted).max(initial=0.0)))]
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
            wanted_ = " and ".join(f"{name} mode {mode!r:.20}" for name, mode in asked) or "that output"
            where = f" at element {element}" if found.shape else ""
            raise NoSolution(f"{found.robot}: no solution of {wanted_}{where}; there are working modes {there}")
    return _rows(found, np.array(fits, dtype=np.intp))


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
