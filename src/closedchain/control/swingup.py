"""Swing-up of a Furuta pendulum by its energy, and the catch by a regulator when it comes up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.control.regulating import Regulator, regulator
from closedchain.errors import BadInput
from closedchain.model.dynamics import motor_constants
from closedchain.model.measured import Measured
from closedchain.model.model import Model


@dataclass(frozen=True, eq=False)
class SwingUp:
    """Far from upright the arm's acceleration pumps the pendulum's energy E to that of rest upright, near it LQR holds.

        q̈1 = k (E − surplus) q̇2 cos q2 − (centring of the arm),   dE/dt = −m L1 c2 q̈1 q̇2 cos q2 − (friction)

    E is in units of the weight m g c2 and q̇2 in units of ω = √(m g c2 / inertia): E = −2 hanging, 0 upright. LQR takes
    over where the tilt is small and so is tilt + q̇2/ω, the part of it that would grow: a pendulum that comes up with
    just the speed it needs.
    """

    catch: Regulator
    pump: float  # k [rad/s²]
    most: float  # [rad/s²] largest arm acceleration
    surplus: float  # energy to aim at, above rest upright: friction takes it on the way
    centring: tuple[float, float]  # [1/s²], [1/s] towards q1 = 0
    window: tuple[float, float]  # [rad] of the tilt and of tilt + q̇2/ω in which LQR takes over
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
        own = [self.pump, self.most, self.surplus, *self.centring, *self.window]
        return np.concatenate([self.catch.gains, own, [self.inertia, self.weight, self.sense, self.up], self.motor])

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        return (("nothing", 1),)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        return np.zeros((len(t), 1))

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        n = len(self.catch.gains)
        tilt, grows = self.tilts(measured, gains[n:])
        near = measured.where(tilt * tilt < gains[n + 5] ** 2, 1, 0) * measured.where(
            grows * grows < gains[n + 6] ** 2, 1, 0
        )
        K, u_0 = gains[:4], gains[6]
        w1, w2 = measured.q_dot[0], measured.q_dot[1]
        hold = u_0 - (K[0] * measured.q[0] + K[1] * tilt + K[2] * w1 + K[3] * w2)
        return measured.column(measured.where(near > 0.5, hold, self.swing(measured, gains[n:])))

    def tilts(self, measured: Measured, own: Any) -> tuple[Any, Any]:
        """The angle from upright, in q2's sense, and its growing part tilt + q̇2/ω."""
        m, inertia, weight, up = measured, own[7], own[8], own[10]
        tilt = m.atan2(up * m.sin(m.q[1]), up * m.cos(m.q[1]))
        return tilt, tilt + m.q_dot[1] * (inertia / weight) ** 0.5

    def swing(self, measured: Measured, own: Any) -> Any:
        """The command that gives the arm the acceleration that pumps."""
        pump, most, surplus, back_to, slow, _, _, inertia, weight, sense, up, gain, back = (own[i] for i in range(13))
        m, w1, w2 = measured, measured.q_dot[0], measured.q_dot[1]
        height, speed = up * m.cos(m.q[1]), w2 * (inertia / weight) ** 0.5
        energy = speed * speed / 2 + height - 1
        start = m.where(
            speed * speed < 1e-4, m.where(height < 0, most / 2, 0), 0
        )  # a push where there is nothing to pump
        push = pump * (energy - surplus) * sense * speed * up * height
        wanted = m.clip(push + start, -most, most) - back_to * m.q[0] - slow * w1
        M, h = m.M, m.c
        tau = (M[0, 0] - M[0, 1] * M[1, 0] / M[1, 1]) * wanted + h[0] - M[0, 1] * h[1] / M[1, 1]
        return (tau + back * w1) / gain


def swing_up(
    model: Model,
    *,
    pump: float = 250.0,
    most: float = 40.0,
    surplus: float = 0.18,
    centring: tuple[float, float] = (15.0, 1.0),
    window: tuple[float, float] = (0.75, 0.4),
    state_cost: tuple[float, ...] = (3.0, 50.0, 1.0, 5.0),
    input_cost: float = 1.0,
    interval: float | None = None,
    output: str = "voltage",
) -> SwingUp:
    """A swing-up and catch for a Furuta pendulum with its own parameters; give the interval at which it will run."""
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
    return SwingUp(
        catch, pump, most, surplus, centring, window, inertia, weight, v["sense"], v["up"], (gain, back), output
    )
