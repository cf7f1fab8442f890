"""Tasks for learning to control, for any number of robots at once: where they begin, what is seen, what it is worth.

A task knows nothing of Gymnasium; closedchain.export.gymnasium makes environments of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.export.stepping import Stepper
from closedchain.model.loading import load
from closedchain.model.model import Model
from closedchain.model.state import State, state

FREE = float(np.finfo(np.float32).max)  # the bound of what has none
ENORMOUS = 1e15  # states beyond this are a divergence
Reasons = NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class Situation:
    """Robots, how long each has been going, and what each of them is after."""

    state: State  # (n, …)
    t: Doubles  # (n,) [s]
    aim: Doubles  # (n, k)
    lost: NDArray[np.bool_]  # (n,) whether numbers overflowed; the state is then the last good one

    def chosen(self, rows: NDArray[np.bool_], other: Situation) -> Situation:
        """This one, with `rows` from another."""

        def pick(a: Any, b: Any) -> Any:
            return np.where(rows.reshape(-1, *[1] * (a.ndim - 1)), b, a)

        s, o = self.state, other.state
        mixed = State(pick(s.q, o.q), pick(s.x, o.x), pick(s.q_dot, o.q_dot), pick(s.x_dot, o.x_dot))
        return Situation(mixed, pick(self.t, other.t), pick(self.aim, other.aim), pick(self.lost, other.lost))


class Task(Protocol):
    """What an environment is made of; every function takes and gives n robots."""

    limit: float  # the effort or voltage of an action of 1
    duration: float  # [s]
    high: Doubles  # (k,) bound of what is observed, either way

    @property
    def stepper(self) -> Stepper: ...
    def begin(self, rng: np.random.Generator, n: int) -> Situation: ...
    def observe(self, now: Situation) -> Doubles: ...
    def reward(self, now: Situation, action: Doubles) -> Doubles: ...
    def ends(self, now: Situation) -> Reasons: ...


def advance(task: Task, now: Situation, action: Doubles) -> Situation:
    """The situation one interval later; the amplifier cuts what is beyond ±1."""
    if not np.isfinite(action).all():
        raise BadInput(f"an action of {action[~np.isfinite(action)][0]}; finite numbers from -1 to 1 are needed")
    after = task.stepper.advance(now.state, task.limit * np.clip(action, -1.0, 1.0))
    size = np.abs(np.concatenate([after.z, after.z_dot], axis=-1)).max(axis=-1)
    bad = np.asarray(~(size < ENORMOUS))  # a NaN, too
    moved = replace(now, state=after, lost=bad)
    kept = moved.chosen(bad, replace(now, lost=bad))
    return replace(kept, t=now.t + task.stepper.interval)


# The furuta ----------------------------------------------------------------------------------------


def tilt(now: Situation) -> Doubles:
    """The pendulum's angle from upright in (−π, π], (n,)."""
    q2 = now.state.q[:, 1]
    return np.asarray(np.arctan2(np.sin(q2), np.cos(q2)))


class Furuta:
    """The machine of seed 003, driven by its motor's voltage, seen as (sin, cos) of both angles and their rates."""

    limit, duration = 12.0, 10.0  # [V], [s]
    turns = 2 * np.pi  # [rad] of the arm, after which its cable is wound up
    high = np.array([1.0, 1.0, 1.0, 1.0, FREE, FREE])

    @cached_property
    def model(self) -> Model:
        return load("furuta")

    @cached_property
    def stepper(self) -> Stepper:
        return Stepper(self.model, "voltage", 0.02, 4)

    def observe(self, now: Situation) -> Doubles:
        q = now.state.q
        return np.concatenate(
            [np.sin(q[:, :1]), np.cos(q[:, :1]), np.sin(q[:, 1:]), np.cos(q[:, 1:]), now.state.q_dot], -1
        )

    def wound(self, now: Situation) -> Reasons:
        reasons = np.where(np.abs(now.state.q[:, 0]) > self.turns, "the arm's cable is wound up", "")
        return np.where(now.lost, "the motion grew without bound", reasons)

    def resting(self, rng: np.random.Generator, n: int, middle: float, spread: float) -> Situation:
        q = np.column_stack([rng.uniform(-0.1, 0.1, n), middle + rng.uniform(-spread, spread, n)])
        empty = np.zeros((n, 0))
        return Situation(State(q, empty, np.zeros((n, 2)), empty), np.zeros(n), empty, np.zeros(n, dtype=bool))


class SwingUp(Furuta):
    """Bring the hanging pendulum upright and hold it: reward −(θ² + 0.05 q1² + 0.005 θ̇² + 0.002 q̇1² + 0.01 a²) Δt."""

    def begin(self, rng: np.random.Generator, n: int) -> Situation:
        return self.resting(rng, n, np.pi, 0.1)

    def reward(self, now: Situation, action: Doubles) -> Doubles:
        q1, rates = now.state.q[:, 0], now.state.q_dot
        cost = tilt(now) ** 2 + 0.05 * q1**2 + 0.005 * rates[:, 1] ** 2 + 0.002 * rates[:, 0] ** 2
        return -(cost + 0.01 * (action**2).sum(axis=-1)) * self.stepper.interval

    def ends(self, now: Situation) -> Reasons:
        return self.wound(now)


class Balance(Furuta):
    """Keep the pendulum upright, the arm where it began: reward 1 − (θ/0.3)² − 0.1 q1² − 0.01 a², until |θ| > 0.3."""

    fall = 0.3  # [rad]

    def begin(self, rng: np.random.Generator, n: int) -> Situation:
        return self.resting(rng, n, 0.0, 0.05)

    def reward(self, now: Situation, action: Doubles) -> Doubles:
        cost = (tilt(now) / self.fall) ** 2 + 0.1 * now.state.q[:, 0] ** 2 + 0.01 * (action**2).sum(axis=-1)
        return np.asarray(1.0 - cost)

    def ends(self, now: Situation) -> Reasons:
        fallen = np.where(np.abs(tilt(now)) > self.fall, "the pendulum has fallen", "")
        return np.where(self.wound(now) != "", self.wound(now), fallen)


# The biglide ---------------------------------------------------------------------------------------


class Tracking:
    """The biglide's tip follows a point that goes round a circle of 50 mm about (0, 0.45 m) in two seconds.

    Seen are the feet and their rates, the tip's error and its rate, and where on the circle the point is. The reward is
    exp(−(|e| / 20 mm)²) − 0.01 |a|², for as long as the loops stay away from Type 2 and the feet on their rails.
    """

    limit, duration = 20.0, 6.0  # [N], [s]
    centre, radius, period = np.array([0.0, 0.45]), 0.05, 2.0  # [m], [m], [s]
    rails, near = 1.0, 0.05  # [m] either way; |det A| over the product of its rows' lengths
    high = np.array([FREE] * 8 + [1.0, 1.0])

    @cached_property
    def model(self) -> Model:
        return load("biglide")

    @cached_property
    def stepper(self) -> Stepper:
        return Stepper(self.model, "tau", 0.01, 5)

    def begin(self, rng: np.random.Generator, n: int) -> Situation:
        """The tip within 10 mm of the point, at rest; the point anywhere on the circle, either way round."""
        aim = np.column_stack([rng.uniform(-np.pi, np.pi, n), rng.choice([-1.0, 1.0], n)])
        start = self.target(aim, np.zeros(n))[0] + rng.uniform(-0.01, 0.01, (n, 2))
        return Situation(state(self.model, x=start, working="++"), np.zeros(n), aim, np.zeros(n, dtype=bool))

    def angle(self, aim: Doubles, t: Doubles) -> Doubles:
        """Where on the circle the point is [rad], (n,)."""
        return np.asarray(aim[:, 0] + 2 * np.pi / self.period * aim[:, 1] * t)

    def target(self, aim: Doubles, t: Doubles) -> tuple[Doubles, Doubles]:
        """The point and its velocity, (n, 2) each."""
        w, angle = 2 * np.pi / self.period * aim[:, 1], self.angle(aim, t)
        out = np.column_stack([np.cos(angle), np.sin(angle)])
        across = np.column_stack([-np.sin(angle), np.cos(angle)])
        return self.centre + self.radius * out, self.radius * w[:, None] * across

    def observe(self, now: Situation) -> Doubles:
        x, x_dot = self.target(now.aim, now.t)
        s, angle = now.state, self.angle(now.aim, now.t)[:, None]
        return np.concatenate([s.q, s.q_dot, s.x - x, s.x_dot - x_dot, np.cos(angle), np.sin(angle)], axis=-1)

    def reward(self, now: Situation, action: Doubles) -> Doubles:
        error = now.state.x - self.target(now.aim, now.t)[0]
        return np.exp(-(error**2).sum(axis=-1) / 0.02**2) - 0.01 * (action**2).sum(axis=-1)

    def ends(self, now: Situation) -> Reasons:
        s = now.state
        margin = self.model.call("direct_rates", q=s.q, x=s.x, q_dot=s.q_dot, q_ddot=0 * s.q)["margin"]
        reasons = np.where(margin < self.near, "a Type 2 singularity is near", "")
        reasons = np.where(np.abs(s.q).max(axis=-1) > self.rails, "a foot has left its rail", reasons)
        return np.where(now.lost, "the motion grew without bound", reasons)
