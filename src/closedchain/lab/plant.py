"""What moves: a robot that holds two efforts for 10 ms and says where it is then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.parts import SimulationEnded
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.clock import Clock
from closedchain.simulation.compiled import Compiled
from closedchain.simulation.endings import passive_beyond
from closedchain.simulation.held import Held
from closedchain.simulation.plant import Plant as Ideal

INTERVAL = 0.01  # [s] that efforts are held
SUBSTEPS = 10
METHOD = "rk6"


@dataclass(frozen=True, eq=False)
class Sample:
    """Where the plant is at an instant, and the output's acceleration under the efforts held until then."""

    state: State
    x_ddot: Doubles  # (nx,)
    work: float  # [J] of the motors since the start


class Engine(Protocol):
    """A simulated robot; `model` describes it."""

    @property
    def model(self) -> Model: ...

    def start(self, state: State) -> Sample:
        """Begin at a state, with no effort."""
        ...

    def step(self, tau: Doubles) -> Sample:
        """Hold the efforts for one interval; raises SimulationEnded where there is no way on."""
        ...


class Exact:
    """The equations themselves: M_z z̈ + h_z = Sᵀτ + Φᵀλ in compiled steps of 1 ms, projected onto φ = 0 and φ̇ = 0.

    They stay regular through a Type 2 singularity, so the robot passes it as far as its efforts carry it.
    """

    def __init__(self, model: Model, interval: float = INTERVAL) -> None:
        self.model = model
        self.loop = Compiled(model, model, Held("tau"), Ideal(), METHOD)
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
        self.carried, self.t = self.loop.carried(state), 0.0
        return self._sample(state, np.zeros(len(self.model.driven)))

    def step(self, tau: Doubles) -> Sample:
        given = self.given | self.carried
        given["ref"] = np.broadcast_to(tau, (SUBSTEPS, len(tau)))
        made = self.kernel(*[given[name] for name in self.inputs])
        after = {name: made[self.outputs[name]] for name in self.carried if name in self.outputs}
        state = _state(after)
        if made[self.outputs["steps"]] < SUBSTEPS:
            why = passive_beyond(self.model, state) or "the motion grew without bound, driven by the efforts"
            at = self.t + self.time.interval
            raise SimulationEnded(f"{self.model.name}: at t = {at:.6g} s {why}. `reset_simulation()` begins anew.")
        self.carried, self.t = after, self.t + self.time.interval
        return self._sample(state, tau)

    def _sample(self, state: State, tau: Doubles) -> Sample:
        motion = self.model.forward(state.q, state.x, state.q_dot, state.x_dot, tau)
        return Sample(state, motion.x_ddot, float(self.carried["work"][0]))


def _state(values: dict[str, Doubles]) -> State:
    return State(values["q"], values["x"], values["q_dot"], values["x_dot"])
