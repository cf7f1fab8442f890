"""How surely a motion is known: replayed under the same efforts with half our step, and from a start that is nudged.

An unstable motion magnifies every error, of ours and of an engine alike: what a nudge of the start grows to tells by
how much. Engines are compared with the motion as long as an error of theirs stays small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.dynamics import coordinate_sizes
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.run import Run
from closedchain.simulation.simulate import simulate
from closedchain.verify.limits import JUDGES, SOLVER, apart, pace_of, sizes_at
from closedchain.verify.motions import cut, step_of
from closedchain.verify.samples import Quantities, closed, units

NUDGE = 1e-7  # of the drives' sizes
SAFE = 10.0  # errors come anywhere on the way, not only at the start
FEW = 20  # instants: fewer are no motion
STILL = 1e-9  # of what is usual: less is no motion


@dataclass(frozen=True, eq=False)
class Known:
    """A motion as far as it is known, with what each quantity may be off by."""

    run: Run
    ours: Quantities
    unsure: Mapping[str, float]  # by how much halving our own step changes it
    grown: Mapping[str, float]  # what an error of an engine's solver may grow to


def known(model: Model, run: Run, tell: Callable[[Model, Run], Quantities]) -> Known | None:
    """The motion until an error of a solver would grow to a thousandth of it; None where that is at once."""
    start = State(run.q[0], run.x[0], run.q_dot[0], run.x_dot[0])
    runs = [run, _again(model, run, start, 0.5), _again(model, run, _nudged(model, start), 1.0)]
    count = min(len(one.t) for one in runs)
    ours, halved, nudged = (tell(model, cut(one, count)) for one in runs)
    unit = units(model, tuple(ours))
    unsure, grown = (
        {n: np.maximum.accumulate(np.abs(apart(unit[n], ours[n], other[n])).max(axis=-1)) for n in ours}
        for other in (halved, nudged)
    )
    for n in grown:
        grown[n] = grown[n] * SAFE * SOLVER / NUDGE
    size = sizes(model, run, ours)
    small = [2 * unsure[n] + grown[n] <= JUDGES / 4 * size[n] for n in ours]
    until = int(np.argmin(np.append(np.all(small, axis=0), False)))
    if until < FEW:
        return None
    last = {n: (float(unsure[n][until - 1]), float(grown[n][until - 1])) for n in ours}
    return Known(
        cut(run, until),
        {n: values[:until] for n, values in ours.items()},
        {n: value for n, (value, _) in last.items()},
        {n: value for n, (_, value) in last.items()},
    )


def sizes(model: Model, run: Run, ours: Quantities) -> dict[str, float]:
    """Each quantity's largest value; where that is rounding, what a number of its unit is at the run's rates."""
    unit = units(model, tuple(ours))
    z_dot = np.concatenate([run.q_dot, run.x_dot], axis=-1)
    usual = sizes_at(model.scale, *pace_of(model, z_dot, 0 * z_dot))
    largest = {n: float(np.abs(v).max(initial=0.0)) for n, v in ours.items()}
    return {n: v if v > STILL * usual.get(unit[n], 0.0) else usual.get(unit[n], 0.0) for n, v in largest.items()}


def _again(model: Model, run: Run, start: State, share: float) -> Run:
    """The same efforts from a start, with a share of our step."""

    def law(t: float, state: State) -> Doubles:
        return np.asarray(run.command[min(round(t / run.interval), len(run.command) - 1)])

    step = share * step_of(model, start, run.interval)
    return simulate(
        model,
        law,
        duration=float(run.t[-1]),
        interval=run.interval,
        step=step,
        start=start,
        method="rk6",
        command="effort",
        rows=len(run.t) - 1,
    )


def _nudged(model: Model, start: State) -> State:
    """The start with its drives moved to and fro, the loops closed; of a linkage with every coordinate moved so."""
    nudge = NUDGE * np.where(np.arange(model.nq + model.nx) % 2 == 0, 1.0, -1.0) * coordinate_sizes(model)
    q, x = start.q + nudge[: model.nq], start.x + (nudge[model.nq :] if model.linkage else 0.0)
    moved = closed(model, State(q[None], x[None], start.q_dot[None], start.x_dot[None]))
    return State(*(row[0] for row in (moved.q, moved.x, moved.q_dot, moved.x_dot)))
