"""Where runs begin: at the state given or at the reference's beginning, on the branch that the law follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput, NoSolution, numbers
from closedchain.model.closing import open_by
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs, working_names, working_signs
from closedchain.model.solutions import mode_name, plain_mode
from closedchain.model.standing import Rates, check_rates
from closedchain.model.state import State
from closedchain.model.state import state as make_state
from closedchain.policy import EDGE, GAP, OPEN


@dataclass(frozen=True, eq=False)
class Beginning:
    """What was said about a start: q or x with a mode, or neither, which is where the reference begins."""

    q: ArrayLike | None = None
    x: ArrayLike | None = None
    q_dot: ArrayLike | None = None
    assembly: str | None = None
    working: str | None = None
    x_dot: Rates | None = None  # of what its drives do not determine: all, or some by name


def starting_state(real: Model, controller: Any, given: Beginning) -> State:
    """The state that a run begins in; at the reference's beginning with its velocity."""
    if real.linkage:  # where it is said to be near, unless told otherwise
        return make_state(real, q=given.q, x=given.x, q_dot=given.q_dot, x_dot=given.x_dot)
    working = given.working or followed(controller)
    if given.q is not None or given.x is not None:
        on = None if given.q is not None else working
        return make_state(real, q=given.q, x=given.x, q_dot=given.q_dot, assembly=given.assembly, working=on)
    reference = getattr(controller, "reference", None)
    if reference is None:
        raise BadInput(f"{real.name}: give q or x to begin at")
    first = reference(0.0)
    if getattr(reference, "space", "output") == "joint":
        return make_state(real, q=first.x, q_dot=first.x_dot, assembly=given.assembly)
    return make_state(real, x=first.x, x_dot=first.x_dot if np.any(first.x_dot) else None, working=working)


def starting_states(real: Model, p: Doubles, controller: Any, given: Beginning) -> State:
    """The same for each row of the parameters p (n, np): every robot begins on its own loops."""
    if p.ndim == 1 or not real.nx:
        return starting_state(real, controller, given)
    reference = getattr(controller, "reference", None)
    at_reference = given.q is None and given.x is None and getattr(reference, "space", "output") == "output"
    if reference is not None and (at_reference or (given.x is not None and given.q_dot is None)):
        first = reference(0.0)
        x = first.x if at_reference else vectors(given.x if given.x is not None else (), real.nx, "x")
        x_dot = first.x_dot if at_reference else np.zeros(real.nx)
        found = _on_a_mode(real, p, x, x_dot, given.working or followed(controller))
        if found is not None:
            return found
    return _row_by_row(real, p, controller, given)


def _on_a_mode(real: Model, p: Doubles, x: Doubles, x_dot: Doubles, working: str | None) -> State | None:
    """The states with the output at x, for all rows at once; None where one of them needs a closer look."""
    sigma = leg_signs(real, working or working_names(real)[0])
    made = real.call("inverse", p=p, x=x, sigma=sigma)
    q = made["q"]
    gap = open_by(real, q, x, p).max(initial=0.0)
    if not ((made["slack"] > EDGE * real.scale).all() and gap <= GAP * real.scale):
        return None
    x, x_dot = (np.broadcast_to(v, (len(q), real.nx)) for v in (x, x_dot))
    if not x_dot.any():
        return State(q, x, np.zeros_like(q), x_dot)
    rates = real.call("inverse_rates", p=p, q=q, x=x, x_dot=x_dot, x_ddot=np.zeros_like(x_dot))
    return State(q, x, rates["q_dot"], x_dot)


def _row_by_row(real: Model, p: Doubles, controller: Any, given: Beginning) -> State:
    """The states one after another, equal robots once; an error says in which row."""
    known: dict[bytes, State] = {}
    rows, made = [_row(given, i) for i in range(len(p))], []
    for i, (values, begin) in enumerate(zip(p, rows, strict=True)):
        key = values.tobytes() + b"".join(np.asarray(v, dtype=np.float64).tobytes() for v in _numbers(begin))
        if key not in known:
            robot = real.with_values(**dict(zip(real.values, values.tolist(), strict=True)))
            try:
                known[key] = starting_state(robot, controller, begin)
            except NoSolution as error:
                raise NoSolution(f"row {i}: {error}") from None
        made.append(known[key])
    return State(*(np.stack([getattr(s, name) for s in made]) for name in ("q", "x", "q_dot", "x_dot")))


def _numbers(given: Beginning) -> list[ArrayLike]:
    return [v for v in (given.q, given.x, given.q_dot) if v is not None]


def _row(given: Beginning, i: int) -> Beginning:
    """What was said about row i."""

    def own(v: ArrayLike | None) -> ArrayLike | None:
        rows: Doubles | None = None if v is None else np.asarray(v)
        return rows[i] if rows is not None and rows.ndim > 1 else v

    return Beginning(own(given.q), own(given.x), own(given.q_dot), given.assembly, given.working, given.x_dot)


# Checks ------------------------------------------------------------------------------------------------------------


def followed(controller: Any) -> str | None:
    """The working mode in which a controller follows its reference; a crossing knows the one that it begins in."""
    reference: Any = getattr(controller, "reference", None)
    if hasattr(reference, "whole"):
        return str(reference.working[0])
    mode: str | None = getattr(controller, "working", None)
    return mode


def check_start(real: Model, controller: Any, begin: State, p: Doubles | None = None) -> None:
    """Refuse a start that is not finite, whose loops are open, or that lies on another branch than the law's."""
    if not (np.isfinite(begin.z).all() and np.isfinite(begin.z_dot).all()):
        raise BadInput(f"{real.name}: the start is beyond the range of double precision: z = {numbers(begin.z)}")
    if real.linkage:
        check_rates(real, begin.z, begin.z_dot)
    elif real.nx:
        _check_loops(real, begin, real.p if p is None else p)
        _check_mode(real, controller, begin)


def _check_loops(real: Model, begin: State, p: Doubles) -> None:
    gap = open_by(real, begin.q, begin.x, p)
    worst = int(np.argmax(gap))
    if not gap.max() <= OPEN * real.scale:
        where = f" of row {worst}" if gap.ndim else ""
        raise NoSolution(
            f"{real.name}: the start does not close the loops{where}: the gap is {gap.max():.3g} m; make it with "
            "`closedchain.state` for these parameters, or give q or x instead"
        )


def _check_mode(real: Model, controller: Any, begin: State) -> None:
    """A law that moves the drives along an output motion does so in one working mode: the start must be in it."""
    reference = getattr(controller, "reference", None)
    if reference is None or not hasattr(controller, "working") or getattr(reference, "space", "output") != "output":
        return
    signs = Configurations(real, begin.q.reshape(-1, real.nq), begin.x.reshape(-1, real.nx)).working_signs()
    every = working_names(real)
    named = plain_mode(followed(controller) or every[0])
    if named not in every:
        return  # said where the motion is computed
    wanted = working_signs(real)[every.index(named)]
    other = np.flatnonzero((signs * wanted < 0).any(axis=-1))
    if other.size:
        there = mode_name(signs[other[0]])
        raise NoSolution(
            f'{real.name}: the start is in working mode "{there}", the controller follows its reference in "{named}"; '
            f'a Type 1 singularity lies between them: start in "{named}", or make the controller with '
            f'working="{there}"'
        )
