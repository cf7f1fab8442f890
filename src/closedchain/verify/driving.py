"""Driven in time: the engine integrates under the efforts of our motion, and the two courses are compared.

How far an engine's integration may be off is measured on the engine itself: it runs with a step h and with h/2
(MuJoCo's loops stiffen with the step). An error that falls at least in proportion to h is, at h/2, at most the change
between the two; twice that is allowed. An engine that is then not sure of a thousandth of the motion runs again with
finer steps; where that does not help it is no judge of it, and that is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.dynamics import forward_dynamics
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.run import Run
from closedchain.verify.bodies import Bodies
from closedchain.verify.comparison import Row, Trace
from closedchain.verify.engine import Course, Engine
from closedchain.verify.limits import EPS, JUDGES, apart
from closedchain.verify.motions import INTERVAL, STEP, longest_step
from closedchain.verify.replaying import Known, sizes
from closedchain.verify.samples import Quantities, Samples, answers, one_state, units
from closedchain.verify.witness import asked_of, set_off

STEPS = {"mujoco": 10, "pinocchio": 4}  # in an interval of 10 ms, more where friction is fast; then twice as many
FINER = 2  # times that there are four times as many, where the engine's integration breaks down or is too coarse
OURS = round(INTERVAL / STEP)  # steps of our own integration in an interval


@dataclass(frozen=True, eq=False)
class Driven:
    """What an engine's integration brought of one motion."""

    rows: list[Row]
    traces: list[Trace]
    notes: list[str]


def driven(
    engine: Engine, heavier: Engine | None, name: str, bodies: Bodies, model: Model, motion: Known | None, title: str
) -> Driven:
    """The rows and curves of one motion; `heavier` has twice the masses that massless bodies were given."""
    if motion is None:
        return Driven([], [], [f"{title}: not compared in time: it magnifies any error at once"])
    run, ours = motion.run, motion.ours
    begin = State(run.q[0], run.x[0], run.q_dot[0], run.x_dot[0])
    least = max(STEPS[name], math.ceil(run.interval / longest_step(model, begin)))
    size = sizes(model, run, ours)
    steps, coarse, fine = _courses(engine, bodies, run, least, partial(_sure, bodies, size))
    theirs, before = _quantities(bodies, fine), _quantities(bodies, coarse)
    laden = theirs if heavier is None else _quantities(bodies, _course(heavier, bodies, run, 2 * steps))
    unit = units(model, tuple(theirs))
    count = len(run.command) * (2 * steps + max(OURS, least))
    made = Driven([], [], [])
    unjudged = []
    for quantity, values in theirs.items():
        difference = apart(unit[quantity], ours[quantity], values)
        changed, given = (_most(apart(unit[quantity], q[quantity], values)) for q in (before, laden))
        rounding = EPS * count * max(size[quantity], model.scale if unit[quantity] == "m" else 0.0)
        grown, unsure = motion.grown[quantity], motion.unsure[quantity]
        limit = 2 * (changed + given + unsure) + grown + rounding
        if limit > JUDGES * size[quantity]:
            unjudged.append(quantity)
            continue
        why = _why(changed, given, grown, count)
        made.rows.append(
            _row(f"{quantity}, {title}", name, run, difference, limit, unit[quantity], why, size[quantity])
        )
        curves: dict[str, Any] = {"ours": ours[quantity], "theirs": values, "labels": labels(model, quantity)}
        made.traces.append(Trace(motion=title, engine=name, quantity=quantity, unit=unit[quantity], t=run.t, **curves))
    if bodies.tree.rows and _most(coarse.gap) <= JUDGES * model.scale:
        made.rows.append(_gap(bodies, name, run, coarse, fine, count))
    elif bodies.tree.rows:
        unjudged.append("its own loops, which open")
    if unjudged:
        words = "its own steps, or the masses it was given, leave more than a thousandth of"
        made.notes.append(f"{title}: {engine.title} does not judge {', '.join(unjudged)}: {words} the motion")
    return made


def _why(changed: float, given: float, grown: float, count: int) -> str:
    masses = f", twice the {given:.0e} by which doubling the given masses does" if given else ""
    halved = f"twice the {changed:.0e} by which halving its step changes it{masses}"
    return f"{halved}; {grown:.0e} to which its solver's errors may grow; rounding of {count} steps"


def _courses(
    engine: Engine, bodies: Bodies, run: Run, least: int, sure: Callable[[Course, Course], bool], finer: int = FINER
) -> tuple[int, Course, Course]:
    """How many steps an interval has, and the engine's courses with that many and with twice as many."""
    coarse, fine = (_course(engine, bodies, run, n) for n in (least, 2 * least))
    if not finer or sure(coarse, fine):
        return least, coarse, fine
    return _courses(engine, bodies, run, 4 * least, sure, finer - 1)


def _sure(bodies: Bodies, sizes: Mapping[str, float], coarse: Course, fine: Course) -> bool:
    """Whether halving the step changes each quantity by no more than half a thousandth of its size."""
    before, after = _quantities(bodies, coarse), _quantities(bodies, fine)
    unit = units(bodies.model, tuple(after))
    return all(2 * _most(apart(unit[n], before[n], after[n])) <= JUDGES * sizes[n] for n in after)


def _most(difference: Doubles) -> float:
    """The largest, infinite where the engine's numbers are none."""
    return float(np.abs(difference).max(initial=0.0)) if np.isfinite(difference).all() else np.inf


def _gap(bodies: Bodies, name: str, run: Run, coarse: Course, fine: Course, count: int) -> Row:
    rounding = EPS * count * bodies.model.scale
    widest = _most(coarse.gap)
    limit = 2 * widest + rounding
    why = f"twice the {widest:.0e} at twice the step; rounding of {count} steps"
    return _row(f"engine's closure gap, {run.title}", name, run, fine.gap, limit, "m", why, bodies.model.scale)


def _row(
    quantity: str, name: str, run: Run, difference: Doubles, limit: float, unit: str, why: str, size: float
) -> Row:
    worst = _most(difference)
    rms = float(np.sqrt(np.mean(np.square(difference)))) if worst < np.inf else np.inf
    return Row(quantity, name, "driven", run.title, worst, rms, limit, unit, why, size)


def _course(engine: Engine, bodies: Bodies, run: Run, steps: int) -> Course:
    """The engine's course from where our run begins; it starts from its own assembly."""
    begin = State(run.q[0], run.x[0], run.q_dot[0], run.x_dot[0])
    configuration, v = set_off(engine, bodies, asked_of(bodies, one_state(bodies.model, begin))[0])
    return engine.drive(configuration, v, bodies.forces(run.command[:-1]), run.interval, steps)


def _quantities(bodies: Bodies, course: Course) -> dict[str, Doubles]:
    read = bodies.read(course.places, course.velocities, np.zeros_like(course.places))
    found = {"drives": course.joints + bodies.zero} if bodies.columns else {}
    return found | {name: value for name, value in read.items() if not name.endswith(" acceleration")}


def along(model: Model, run: Run) -> Quantities:
    """What our model says along a run."""
    state = State(run.q, run.x, run.q_dot, run.x_dot)
    q_ddot = forward_dynamics(model, state, run.command).q_ddot
    samples = Samples(run.q, run.x, run.q_dot, q_ddot, run.command, (run.title,) * len(run.t), run.x_dot)
    told = {**answers(model, samples), "drives": run.q}
    return {name: values for name, values in told.items() if values.shape[-1]}


def labels(model: Model, quantity: str) -> tuple[str, ...]:
    """What the components of a quantity are called."""
    if quantity == "drives":
        return tuple(c.name for c in model.equations.q)
    if quantity == "efforts":
        return tuple(f"tau_{c.name}" for c in model.equations.q)
    if quantity.startswith("output") and model.nx:
        kind = "rad" if quantity.startswith("output angle") else "m"
        return tuple(c.name for c in model.equations.x if c.unit == kind)
    passive = any(quantity.startswith(r.name) for r in model.equations.readouts)
    return (quantity,) if passive else ("x", "y", "z")
