"""A robot that is moved by hand: it holds its efforts for an interval and says where it is then."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BrokenOff
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.clock import Clock
from closedchain.simulation.compiled import Compiled
from closedchain.simulation.endings import passive_beyond
from closedchain.simulation.held import Held
from closedchain.simulation.plant import Plant

SUBSTEPS = 10  # in an interval
METHOD = "rk6"


@dataclass(frozen=True, eq=False)
class Sample:
    """Where the robot is at an instant, and the output's acceleration under the efforts held until then."""

    state: State
    x_ddot: Doubles  # (nx,)
    work: float  # [J] of the motors since the start


class Stepper:
    """The equations themselves: M_z z̈ + h_z = Sᵀτ + Φᵀλ in compiled steps, projected onto φ = 0 and φ̇ = 0.

    They stay regular through a Type 2 singularity, so the robot passes it as far as its efforts carry it.
    """

    def __init__(self, model: Model, interval: float) -> None:
        self.model = model
        self.loop = Compiled(model, model, Held("tau"), Plant(), METHOD)
        self.time = Clock(interval, SUBSTEPS, 1)
        n = model.nq
        self.limits = (np.full(n, -np.inf), np.full(n, np.inf))
        stepped = {"update": np.eye(SUBSTEPS, 1), "noise": np.zeros((SUBSTEPS, 2 * n))}
        self.given = stepped | self.loop.constants(self.time, self.limits)
        signature = self.loop.library.signatures["loop"]
        self.inputs = tuple(a.name for a in signature.inputs)
        self.outputs = {a.name: i for i, a in enumerate(signature.outputs)}
        self.kernel = self.loop.library["loop"]
        self.carried: dict[str, Doubles] = {}
        self.t = 0.0

    def start(self, state: State) -> Sample:
        """Begin at a state, with no effort."""
        self.carried, self.t = self.loop.carried(state), 0.0
        return self._sample(state, np.zeros(len(self.model.driven)))

    def step(self, tau: Doubles) -> Sample:
        """Hold the efforts for one interval; raises BrokenOff where there is no way on, and stays where it is."""
        given = self.given | self.carried
        given["ref"] = np.broadcast_to(tau, (SUBSTEPS, len(tau)))
        made = self.kernel(*[given[name] for name in self.inputs])
        after = {name: made[self.outputs[name]] for name in self.carried if name in self.outputs}
        state = State(after["q"], after["x"], after["q_dot"], after["x_dot"])
        if made[self.outputs["steps"]] < SUBSTEPS:
            why = passive_beyond(self.model, state) or "the motion grew without bound, driven by the efforts"
            raise BrokenOff(f"{self.model.name}: at t = {self.t + self.time.interval:.6g} s {why}.")
        self.carried, self.t = after, self.t + self.time.interval
        return self._sample(state, tau)

    def _sample(self, state: State, tau: Doubles) -> Sample:
        motion = self.model.forward(state.q, state.x, state.q_dot, state.x_dot, tau)
        return Sample(state, motion.x_ddot, float(self.carried["work"][0]))
