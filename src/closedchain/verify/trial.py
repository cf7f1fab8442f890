"""What laws are tried on: a model at random states, with random accelerations and efforts of its own size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.errors import numbers
from closedchain.model.dynamics import Motion, coordinate_sizes, forward_dynamics, jacobian
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.policy import SINGULAR
from closedchain.verify.conditions import TELLING, closures_condition, dynamics_condition, inertia, own_pace
from closedchain.verify.exact import potential_slopes

TINY, HUGE = 1e-300, 1e300  # what is divided by is at least the first, what limits at most the second


@dataclass(frozen=True, eq=False)
class Law:
    """A law's misfit at every state and how large rounding can make it, both relative to the law's own terms."""

    name: str
    misfit: Doubles  # (n,)
    limit: Doubles  # (n,)
    why: str = ""  # what to say in place of the worst state

    @property
    def telling(self) -> NDArray[np.bool_]:
        """The states at which rounding is too small to hide a fault of 0.1 %."""
        return np.asarray(self.limit <= TELLING)


def law(name: str, misfit: Doubles, limit: Doubles | float, why: str = "") -> Law:
    """A law with several parts at each state, (n, ...): of those that tell, the one nearest to its limit counts."""
    n = len(misfit)
    parts = np.where(np.isfinite(misfit), misfit, np.inf).reshape(n, -1)
    given = np.asarray(limit, dtype=np.float64)
    limits = np.minimum(np.broadcast_to(given.reshape(n, -1) if given.ndim else given, parts.shape), HUGE)
    if not parts.size:
        return Law(name, np.zeros(n), np.zeros(n), why)
    shares = np.where(limits <= TELLING, parts / np.maximum(limits, TINY), -limits)
    worst = np.argmax(shares, axis=-1)[:, None]
    misfits, allowed = (np.take_along_axis(v, worst, -1)[:, 0] for v in (parts, limits))
    return Law(name, misfits, allowed, why)


class Trial:
    """A model with random states, efforts and accelerations, and what several laws ask of them."""

    def __init__(self, model: Model, state: State, rng: np.random.Generator) -> None:
        self.model = model
        self.pull = potential_slopes(model, state.z)  # ∂V/∂z, (n, nz)
        pace = own_pace(model, state.z, self.pull)[:, None]
        self.state = State(state.q, state.x, pace * state.q_dot, pace * state.x_dot)
        self.pace = pace[:, 0]
        self.sizes = coordinate_sizes(model)
        n, nq = len(state.q), model.nq
        self.v = rng.standard_normal((n, len(self.sizes))) * self.sizes * pace  # any velocities, the loops ignored
        self.q_ddot = rng.standard_normal((n, nq)) * self.sizes[:nq] * pace**2
        strength = (pace[:, 0] ** 2 * inertia(model, state.z))[:, None] / self.sizes[list(model.driven)]
        self.tau = rng.standard_normal((n, len(model.driven))) * strength

    def __len__(self) -> int:
        return len(self.state.q)

    def where(self, i: int) -> str:
        return f"q = {numbers(self.state.q[i])}, x = {numbers(self.state.x[i])}"

    def only(self, keep: NDArray[np.bool_]) -> Trial:
        """The same at some of the states."""
        s = self.state
        part = object.__new__(Trial)
        part.model, part.sizes, part.pace, part.pull = self.model, self.sizes, self.pace[keep], self.pull[keep]
        part.state = State(s.q[keep], s.x[keep], s.q_dot[keep], s.x_dot[keep])
        part.v, part.q_ddot, part.tau = self.v[keep], self.q_ddot[keep], self.tau[keep]
        return part

    @cached_property
    def Phi(self) -> Doubles:
        """(n, closures, nz)."""
        return jacobian(self.model, self.state.z)

    @cached_property
    def of_closures(self) -> Doubles:
        """The condition of what rates are solved from, (n,)."""
        return closures_condition(self.model, self.state.z)

    @cached_property
    def of_dynamics(self) -> Doubles:
        """The condition of what accelerations are solved from, (n,)."""
        return dynamics_condition(self.model, self.state.z)

    @cached_property
    def evaluated(self) -> dict[str, Doubles]:
        """Every model of a robot, at random accelerations of the drives."""
        s = self.state
        return self.model.call("evaluate", q=s.q, x=s.x, q_dot=s.q_dot, q_ddot=self.q_ddot)

    @cached_property
    def motion(self) -> Motion:
        """What the random efforts make."""
        return forward_dynamics(self.model, self.state, self.tau)

    @cached_property
    def z_ddot(self) -> Doubles:
        return np.concatenate([self.motion.q_ddot, self.motion.x_ddot], axis=-1)

    @property
    def solvable(self) -> NDArray[np.bool_]:
        """The states at which forward dynamics gives an answer."""
        s = self.state
        given = {"q": s.q, "x": s.x, "q_dot": s.q_dot, "x_dot": s.x_dot, "tau": self.tau}
        return np.asarray(self.model.call("forward_dynamics", **given)["margin"] > 10 * SINGULAR)
