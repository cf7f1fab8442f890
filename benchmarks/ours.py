"""closedchain's side of every comparison: the only file here that calls it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from functools import cache, partial

import numpy as np

import closedchain as cc
from closedchain.control import ComputedTorque
from closedchain.model.batched import Batched, batched
from closedchain.model.dynamics import forward_dynamics, inverse_dynamics
from closedchain.model.state import State as RobotState
from closedchain.simulation.clock import clock
from closedchain.simulation.compiled import Compiled
from closedchain.simulation.plant import Plant
from closedchain.simulation.rollouts import rollouts

from . import loop
from .biglide import KNOWN, MODELS, Array, State
from .fresh import time_inside

OUR_NAMES = {"phi": "passive", "phi_dot": "passive_dot", "phi_ddot": "passive_ddot"}
FIRST_ANSWER = """
import closedchain as cc
robot = cc.load({robot!r})
cc.forward_dynamics(robot, cc.state(robot, {place}), [0.0] * robot.nq)
"""
PLACES = {"biglide": "q=[0.0, 0.0]", "rrr3": "x=[1.3, 1.1, 0.5]", "gough": "x=[0, 0, 1.2, 0, 0, 0]"}


def single_inverse(state: State = KNOWN) -> Callable[[], Array]:
    """A call of inverse dynamics at one state, as a user writes it; it returns tau (2,)."""
    robot, at = cc.load("biglide"), RobotState(state.q, state.x, state.q_dot, state.x_dot)
    return lambda: inverse_dynamics(robot, at, state.q_ddot)


def single_forward(state: State = KNOWN) -> Callable[[], tuple[Array, Array, Array]]:
    """A call of forward dynamics at one state, as a user writes it; it returns q_ddot, x_ddot, lam."""
    robot, at = cc.load("biglide"), RobotState(state.q, state.x, state.q_dot, state.x_dot)
    return lambda: forward_dynamics(robot, at, state.tau)


def bound_inverse(state: State = KNOWN) -> Callable[[], Array]:
    """The same by the robot's own function of plain arrays."""
    return partial(cc.load("biglide").inverse, state.q, state.x, state.q_dot, state.q_ddot)


def bound_forward(state: State = KNOWN) -> Callable[[], tuple[Array, Array, Array]]:
    """The same by the robot's own function of plain arrays."""
    return partial(cc.load("biglide").forward, state.q, state.x, state.q_dot, state.x_dot, state.tau)


@cache
def _batched() -> Batched:
    return batched(cc.load("biglide"), tuple(OUR_NAMES.get(name, name) for name in MODELS))


def all_models(
    q: Array, q_dot: Array, q_ddot: Array, *, sign: float = 1.0, threads: int = 1, out: dict[str, Array] | None = None
) -> dict[str, Array]:
    """Every model of biglide.MODELS by name, batch first; the inputs are (n, 2) views of (2, n) rows, so is `out`."""
    target = {OUR_NAMES.get(name, name): array for name, array in (out or {}).items()}
    made = _batched()(q, q_dot, q_ddot, assembly="+" if sign > 0 else "-", threads=threads, out=target)
    return {name: made[OUR_NAMES.get(name, name)] for name in MODELS}


def _tracking() -> ComputedTorque:
    return ComputedTorque(cc.quintic(loop.START, loop.END, duration=loop.DURATION), kp=loop.KP, kd=loop.KD)


def computed_torque(steps: int) -> Callable[[], Array]:
    """`simulate` as a user writes it, all histories kept; it returns the tip at the end."""
    robot, law = cc.load("biglide"), _tracking()
    return lambda: cc.simulate(robot, law, duration=steps * loop.INTERVAL, interval=loop.INTERVAL).final.x


def computed_torque_loop(steps: int) -> Callable[[], Array]:
    """The compiled loop of the same run alone, its reference sampled beforehand; histories are made."""
    robot, law = cc.load("biglide"), _tracking()
    compiled = Compiled(robot, robot, law, Plant(), "rk4")
    time = clock(steps * loop.INTERVAL, loop.INTERVAL, None)
    begin = compiled.carried(cc.state(robot, x=loop.START, working="++"))
    free = np.full(robot.nq, np.inf)
    constants = compiled.constants(time, (-free, free))
    samples = law.samples(robot, time.instants, time.interval)
    stepped = compiled.stepped(time, samples, compiled.noise(time), 0, time.steps)
    return lambda: compiled.call(begin, stepped, constants)[0]["x"]


def computed_torque_efforts() -> Array:
    """The efforts of the nominal loop, (steps, 2)."""
    run = cc.simulate(cc.load("biglide"), _tracking(), duration=loop.DURATION, interval=loop.INTERVAL)
    return run.command[:-1]


def computed_torque_rollouts(starts: Array, threads: int) -> Callable[[], Array]:
    """Closed-loop rollouts from every tip in `starts` (n, 2); it returns the tips at the end."""
    robot, law = cc.load("biglide"), _tracking()
    begin = cc.state(robot, x=starts, working="++")
    return lambda: rollouts(robot, law, start=begin, interval=loop.INTERVAL, threads=threads).final.x


def first_use(robot: str, cold: bool) -> float:
    """Seconds in a fresh process from `import closedchain` to the first answer, the cache empty (cold) or filled."""
    code = FIRST_ANSWER.format(robot=robot, place=PLACES[robot])
    if not cold:
        return time_inside(code)
    folder = tempfile.mkdtemp()
    try:
        return time_inside(code, CLOSEDCHAIN_CACHE=folder)
    finally:
        shutil.rmtree(folder)
