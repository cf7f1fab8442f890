"""Measures along the scenario's trajectory, and whatever `evaluate` and `simulate` tell."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import fields
from typing import Any, cast

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain.model.derivatives import derivatives, shapes
from closedchain.model.evaluation import evaluate
from closedchain.model.model import Model
from closedchain.model.modes import leg_signs
from closedchain.policy import EDGE, SINGULAR
from closedchain.sweep.block import Block
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.prepared import SCENARIOS, Motion, Prepared, change
from closedchain.sweep.sampling import point_seed

ROWS = 64  # points whose trajectories are computed at once


def peak_effort(ready: Prepared, block: Block) -> Doubles:
    """The largest |τ| of any drive along the trajectory, by inverse dynamics, for all points at once [N, N m]."""
    model = ready.model
    sigma = leg_signs(model, ready.working)
    peaks = np.full(block.n, np.nan)
    motion = paths(ready, block)
    alive = block.alive
    for first in range(0, len(alive), ROWS):
        rows = alive[first : first + ROWS]
        peaks[rows] = _peaks(ready, block, rows, sigma, motion.of(rows))
    return peaks


def paths(ready: Prepared, block: Block) -> Motion:
    """The trajectory of every point: one for all, or one for each where its numbers vary; marks those without one."""
    if not ready.moving:
        return ready.motion
    kept: dict[str, Any] = block.__dict__.setdefault("_paths", {})
    if "motion" not in kept:
        kept["failed"], made = {}, []
        for row in range(block.n):
            try:
                changes = dict(change(name, float(block.varied[name][row])) for name in ready.moving)
                made.append(ready.motion_of(ready.scenario_with(changes)))
            except BadStudy:
                raise
            except ClosedChainError as error:
                kept["failed"][row] = error
                made.append(ready.motion)
        kept["motion"] = Motion(*(np.stack([getattr(m, f.name) for m in made]) for f in fields(Motion)))
    for row, why in kept["failed"].items():
        block.fail(row, why)
    return cast(Motion, kept["motion"])


def _peaks(ready: Prepared, block: Block, rows: Any, sigma: Doubles, asked: Motion) -> Doubles:
    model, p = ready.model, block.p[rows][:, None, :]
    found = model.call("inverse", p=p, x=asked.x, sigma=sigma)
    with np.errstate(all="ignore"):
        moving = model.call("inverse_rates", p=p, q=found["q"], x=asked.x, x_dot=asked.x_dot, x_ddot=asked.x_ddot)
        state = {"q": found["q"], "x": asked.x, "q_dot": moving["q_dot"], "q_ddot": moving["q_ddot"]}
        made = model.call("inverse_dynamics", p=p, **state)
    instants = np.broadcast_to(asked.t, (len(rows), asked.t.shape[-1]))
    for row, t, slack, margin in zip(rows, instants, found["slack"].min(axis=-1), made["margin"], strict=True):
        if slack.min() <= EDGE * model.scale:
            at, miss = t[int(np.argmin(slack))], max(-slack.min(), 0.0)
            block.fail(
                int(row), f"a leg comes to its end on the trajectory, and misses it by {miss:.3g} m, at {at:.4g} s"
            )
        elif not margin.min() > SINGULAR:
            block.fail(int(row), f"the trajectory is singular at {t[int(np.argmin(margin))]:.4g} s")
    return np.asarray(np.abs(made["tau"][..., list(model.driven)]).max(axis=(-1, -2)))


def moving_mass(ready: Prepared, block: Block) -> Doubles:
    """The sum of all masses that move [kg]."""
    if ready.model.mechanism is None:
        raise BadStudy(f"{ready.model.name} states its energies and no masses, so there is no moving_mass")
    return block.moving_mass()


def evaluated(ready: Prepared, block: Block, name: str) -> Doubles:
    """A quantity of `evaluate` at the study's state, by its dotted name: tau.0, M.0.1, det_A."""
    state = state_of(ready)
    return _rows(block, "_evaluations", lambda model: evaluate(model, **state).items(), name, "evaluate")


def slope(ready: Prepared, block: Block, name: str) -> Doubles:
    """A derivative by a parameter at the study's state, by its dotted name: tau.l.0, margin.d, M.l.0.1."""
    of, _, rest = name.partition(".")
    state = state_of(ready)
    return _rows(block, f"_slopes_{of}", lambda model: differentiated(model, of, state), rest, f"gradient.{of}")


def _rows(block: Block, memory: str, make: Callable[[Model], dict[str, Any]], name: str, where: str) -> Doubles:
    """A number of what is made of each point's robot, once for all its numbers."""
    values = np.full(block.n, np.nan)
    kept: dict[int, Any] = block.__dict__.setdefault(memory, {})
    for row in map(int, block.alive):
        try:
            if row not in kept:
                kept[row] = make(block.at(row))
            values[row] = pick(kept[row], name, where)
        except BadStudy:
            raise
        except ClosedChainError as error:
            block.fail(row, error)
    return values


def state_of(ready: Prepared) -> dict[str, Any]:
    """Where evaluate.… and gradient.… are asked."""
    return {key: value if isinstance(value, str) else list(value) for key, value in ready.study.state}


def differentiated(model: Model, of: str, state: dict[str, Any]) -> dict[str, Any]:
    """The derivatives of a model by each parameter."""
    known = shapes(model, "tau" in state)
    if of not in known or "voltage" in state:
        raise BadStudy(f"{of} at this state has no derivatives; there are {', '.join(known)}, moved by q_ddot or tau")
    return derivatives(model, of, "p", **state).by_name(of)


def simulated(ready: Prepared, block: Block, name: str) -> Doubles:
    """A figure of the scenario's run by its dotted name: max_error, max_effort_axes.0."""
    values = np.full(block.n, np.nan)
    kept: dict[int, Any] = block.__dict__.setdefault("_runs", {})
    for row in map(int, block.alive):
        try:
            if row not in kept:
                kept[row] = _summary(ready, block, row)
            if isinstance(kept[row], str):
                block.fail(row, kept[row])
                continue
            values[row] = pick(kept[row], name, "simulate")
        except BadStudy:
            raise
        except ClosedChainError as error:
            block.fail(row, error)
    return values


def _summary(ready: Prepared, block: Block, row: int) -> dict[str, Any] | str:
    """The run's figures, or why it ended early."""
    changes: dict[str, Any] = {f"parameters.{n}": v for n, v in ready.study.robot.given}
    changes |= dict(change(name, float(values[row])) for name, values in block.varied.items())
    changes.setdefault("plant.seed", point_seed(ready.study.seed, block.start + row))
    done = importlib.import_module(SCENARIOS).run(ready.scenario_with(changes))
    return done.summary if done.finished else f"the run ended early: {done.ended}"


def pick(found: dict[str, Any], name: str, where: str) -> float:
    """A number by its dotted name; BadStudy says what there is instead."""
    value: Any = found
    walked = where
    for part in name.split("."):
        if value is None:
            break
        if isinstance(value, dict):
            if part not in value:
                raise BadStudy(f"{walked} has no {part[:30]!r}; there are {', '.join(map(str, value))}")
            value = value[part]
        else:
            size = np.shape(value)[0] if np.shape(value) else 0
            if not (part.isdigit() and int(part) < size):
                known = f"numbers 0 to {size - 1}" if size else "one number and nothing inside"
                raise BadStudy(f"{walked} has no {part[:30]!r}; it has {known}")
            value = value[int(part)]
        walked += f".{part}"
    if value is None:
        raise BadStudy(f"{walked}: this run has none (an error needs a motion that was wanted); name another figure")
    if isinstance(value, dict | str | bool):
        inside = f"; name one of its numbers: {', '.join(map(str, value))}" if isinstance(value, dict) else ""
        raise BadStudy(f"{walked} is no number{inside}")
    if np.shape(value):
        raise BadStudy(
            f"{walked} has shape {np.shape(value)} here; name one number of it, such as {walked}{'.0' * np.ndim(value)}"
        )
    return float(value)
