"""Swing-up of a Furuta pendulum by its energy, and the catch by a regulator when it comes up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.control.regulator import Regulator, regulator
from closedchain.errors import BadInput
from closedchain.model.dynamics import motor_constants
from closedchain.model.measured import Measured
from closedchain.model.model import Model


@dataclass(frozen=True, eq=False)
class SwingUp:
    """Far from upright the arm's acceleration pumps the pendulum's energy E to that of rest upright, near it LQR holds.

    q̈1 = k E q̇2 cos q2 − (centring of the arm),   dE/dt = −m L1 c2 k (q̇2 cos q2)² E
    """

    catch: Regulator
    pump: float  # k
    most: float  # [rad/s²] largest arm acceleration
    centring: tuple[float, float]  # [1/s²], [1/s] towards q1 = 0
    window: tuple[float, float]  # [rad], [rad/s] in which LQR takes over
    inertia: float  # [kg m²] of the pendulum about its joint
    weight: float  # [N m] m g c2
    sense: float
    up: float  # +1 when q2 = 0 is upright
    motor: tuple[float, float]  # gain, back: tau = gain u − back q̇1; (1, 0) for a torque
    output: str = "voltage"

    @property
    def key(self) -> str:
        return f"swing-up {self.output}"

    @property
    def gains(self) -> Doubles:
        own = [self.pump, self.most, *self.centring, *self.window, self.inertia, self.weight, self.sense, self.up]
        return np.concatenate([self.catch.gains, own, self.motor])

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        return (("nothing", 1),)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        return np.zeros((len(t), 1))

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        m, n = measured, len(self.catch.gains)
        pump, most, back_to, slow, angle, rate, inertia, weight, sense, up, gain, back = (
            gains[n + i] for i in range(12)
        )
        s, c = up * m.sin(m.q[1]), up * m.cos(m.q[1])  # of the angle from upright
        tilt = m.atan2(s, c)
        w1, w2 = m.q_dot[0], m.q_dot[1]
        energy = inertia * w2 * w2 / 2 + weight * (c - 1)
        start = m.where(w2 * w2 < 1e-6, most / 4, 0)  # a push where there is nothing to pump
        push = pump * energy * sense * up * w2 * c - back_to * m.q[0] - slow * w1 + start
        wanted = m.clip(push, -most, most)
        M, h = m.M, m.c
        tau = (M[0, 0] - M[0, 1] * M[1, 0] / M[1, 1]) * wanted + h[0] - M[0, 1] * h[1] / M[1, 1]
        swing = (tau + back * w1) / gain
        near = m.where(tilt * tilt < angle * angle, 1, 0) * m.where(w2 * w2 < rate * rate, 1, 0)
        K, u_0 = gains[:4], gains[6]
        hold = u_0 - (K[0] * m.q[0] + K[1] * up * tilt + K[2] * w1 + K[3] * w2)
        return m.column(m.where(near > 0.5, hold, swing))


def swing_up(
    model: Model,
    *,
    pump: float = 200.0,
    most: float = 60.0,
    centring: tuple[float, float] = (4.0, 1.0),
    window: tuple[float, float] = (0.35, 5.0),
    state_cost: tuple[float, ...] = (10.0, 50.0, 1.0, 1.0),
    input_cost: float = 1.0,
    interval: float | None = None,
    output: str = "voltage",
) -> SwingUp:
    """A swing-up and catch for a Furuta pendulum with its own parameters."""
    v = model.values
    if model.recipe.name != "furuta":
        raise BadInput(f"{model.name}: swing-up is for the furuta")
    upright = 0.0 if v["up"] > 0 else np.pi
    catch = regulator(
        model, q=[0.0, upright], state_cost=state_cost, input_cost=input_cost, interval=interval, inputs=output
    )
    gain, back = (float(a[0]) for a in motor_constants(model)) if output == "voltage" else (1.0, 0.0)
    inertia = v["m_2"] * v["c_2"] ** 2 + v["J_2"]
    weight = v["m_2"] * v["g"] * v["c_2"]
    return SwingUp(catch, pump, most, centring, window, inertia, weight, v["sense"], v["up"], (gain, back), output)
