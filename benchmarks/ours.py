"""closedchain's side of every comparison: the only file here that calls it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from functools import cache, partial

import closedchain as cc
from closedchain.model.batched import Batched, batched
from closedchain.model.dynamics import forward_dynamics, inverse_dynamics
from closedchain.model.state import State as RobotState

from .biglide import KNOWN, MODELS, Array, State
from .fresh import time_inside

OUR_NAMES = {"phi": "passive", "phi_dot": "passive_dot", "phi_ddot": "passive_ddot"}
FIRST_ANSWER = """
import closedchain as cc
robot = cc.load({robot!r})
cc.forward_dynamics(robot, cc.state(robot, {place}), [0.0] * robot.nq)
"""
PLACES = {"biglide": "q=[0.0, 0.0]", "rrr3": "x=[1.3, 1.1, 0.5]"}


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
