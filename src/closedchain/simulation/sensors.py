"""What a controller is told of the plant: noise, resolution, differences and delay, as in the compiled loop."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.dynamics import jacobian
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.policy import RANK
from closedchain.simulation.clock import Clock
from closedchain.simulation.plant import Plant, noise, smoothing

NEWTON = 3  # steps of the model's own direct geometry from the plant's pose, which is close


class Sensors:
    """The drives as they are sensed, and the rest where the controller's own model has it for them.

    What drives do not determine, as a pole on a cart, is told as the plant has it.
    """

    def __init__(self, model: Model, plant: Plant, begin: State, time: Clock) -> None:
        self.model, self.plant, self.interval = model, plant, time.interval
        self.delay = int(plant.sampled(time.interval).delay)
        self.seen = [(begin.q, begin.q_dot, begin.x)] * max(self.delay, 1)  # the newest first
        self.noise = noise(plant, model.nq, time)

    def measure(self, k: int, state: State) -> State:
        """What the controller is told at the k-th instant."""
        if self.plant.ideal:
            return state
        model, (q, q_dot, x) = self.model, self.see(k, state)
        if not determines(model, q, x):
            return State(q, x, q_dot, state.x_dot)
        for _ in range(NEWTON):
            x = x - self.followed(q, x, model.call("closures", q=q, x=x)["phi"])
        B = jacobian(model, np.concatenate([q, x]))[:, : model.nq]
        return State(q, x, q_dot, -self.followed(q, x, B @ q_dot))

    def followed(self, q: Doubles, x: Doubles, error: Doubles) -> Doubles:
        """A⁻¹ error; the nearest where closures are more than coordinates, as with more drives than freedoms."""
        A = jacobian(self.model, np.concatenate([q, x]))[:, self.model.nq :]
        return np.asarray(np.linalg.lstsq(A, error, rcond=None)[0])

    def see(self, k: int, state: State) -> tuple[Doubles, Doubles, Doubles]:
        """The drives as they are told now, and an output near to where they had it: that of the sample after."""
        n, quantum = self.model.nq, self.plant.quantum
        shaken = self.noise[min(k, len(self.noise) - 1)]
        q = state.q + shaken[:n]
        q = quantum * np.floor(q / quantum + 0.5) if quantum else q
        q_dot = (q - self.seen[0][0]) / self.interval if self.plant.differences else state.q_dot + shaken[n:]
        if self.plant.filter:
            q_dot = self.seen[0][1] + smoothing(self.plant, self.interval) * (q_dot - self.seen[0][1])
        row = [(q, q_dot, state.x), *self.seen]
        self.seen = row[: max(self.delay, 1)]
        return (*row[self.delay][:2], row[max(self.delay - 1, 0)][2])


def determines(model: Model, q: Doubles, x: Doubles) -> bool:
    """Whether the drives tell where everything is."""
    if not model.nx or not model.equations.closures:
        return False
    A = jacobian(model, np.concatenate([q, x]))[:, model.nq :]
    return bool(np.linalg.matrix_rank(A / np.linalg.norm(A, axis=-1, keepdims=True), tol=RANK) == model.nx)
