"""Laws that go through Type 2: none of them inverts A where it is singular."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.control.law import Reference, check_driven, check_gains
from closedchain.errors import BadInput
from closedchain.model.course import Way, output_way
from closedchain.model.crossing import efforts_along, room, type_2_instants
from closedchain.model.measured import Measured
from closedchain.model.model import Model

SAMPLES = 2001


@dataclass(frozen=True, eq=False)
class CrossingFeedForward:
    """The efforts of a motion through Type 2 with no correction: each interval gets those of its middle."""

    reference: Reference
    working: str | None = None  # of an output motion; a crossing knows its own
    output: str = "tau"

    @property
    def key(self) -> str:
        return "crossing feedforward"

    @property
    def gains(self) -> Doubles:
        return np.zeros(0)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        check_driven(model)
        return (("command", model.nq),)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        return crossing_efforts(model, self.reference, self.working, t + interval / 2)

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        return reference.command


@dataclass(frozen=True, eq=False)
class CrossingPD:
    """τ = τ_ref + Kp (q_ref − q) + Kd (q̇_ref − q̇): the drives alone are asked, so no branch and no A is needed."""

    reference: Reference
    kp: float = 1000.0  # [N/m] or [N m/rad]
    kd: float = 60.0
    working: str | None = None
    output: str = "tau"

    def __post_init__(self) -> None:
        check_gains(kp=self.kp, kd=self.kd)

    @property
    def key(self) -> str:
        return "crossing pd"

    @property
    def gains(self) -> Doubles:
        return np.array([self.kp, self.kd], dtype=np.float64)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        check_driven(model)
        return ("q", model.nq), ("q_dot", model.nq), ("tau", model.nq)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        at = whole_way(model, self.reference, self.working)(t)
        tau = crossing_efforts(model, self.reference, self.working, t + interval / 2)
        return np.concatenate([at.q, at.q_dot, tau], axis=-1)

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        return reference.tau + gains[0] * (reference.q - measured.q) + gains[1] * (reference.q_dot - measured.q_dot)


@dataclass(frozen=True, eq=False)
class CrossingComputedTorque:
    """Computed torque where A is regular, feed-forward and PD where it is not, one blended into the other.

    The blend follows |det A| over the product of its rows' lengths along the reference: above `outer` all of it is
    computed torque with kp and kd, below `inner` all of it τ_ref + stiffness (q_ref − q) + damping (q̇_ref − q̇).
    """

    reference: Reference
    kp: float = 100.0  # [1/s²]
    kd: float = 20.0  # [1/s]
    stiffness: float = 1000.0  # [N/m] or [N m/rad]
    damping: float = 60.0
    inner: float = 0.2
    outer: float = 0.5
    working: str | None = None
    output: str = "tau"

    def __post_init__(self) -> None:
        check_gains(kp=self.kp, kd=self.kd, stiffness=self.stiffness, damping=self.damping)
        if not 0.0 < self.inner < self.outer < 1.0:
            raise BadInput(f"inner = {self.inner}, outer = {self.outer}: 0 < inner < outer < 1 is needed")

    @property
    def key(self) -> str:
        return "crossing computed torque"

    @property
    def gains(self) -> Doubles:
        return np.array([self.kp, self.kd, self.stiffness, self.damping], dtype=np.float64)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        check_driven(model)
        return ("q", model.nq), ("q_dot", model.nq), ("q_ddot", model.nq), ("tau", model.nq), ("blend", 1)

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        at = whole_way(model, self.reference, self.working)(t)
        tau = crossing_efforts(model, self.reference, self.working, t + interval / 2)
        r = np.clip((self.outer - np.abs(room(model, at))) / (self.outer - self.inner), 0.0, 1.0)
        blend = (r**3 * (10 - 15 * r + 6 * r**2))[:, None]
        return np.concatenate([at.q, at.q_dot, at.q_ddot, tau, blend], axis=-1)

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        slip, lag, blend = reference.q - measured.q, reference.q_dot - measured.q_dot, reference.blend
        held = reference.tau + gains[2] * slip + gains[3] * lag
        free = measured.M @ (reference.q_ddot + gains[1] * lag + gains[0] * slip) + measured.c
        return measured.where(blend >= 1.0, held, (1.0 - blend) * free + blend * held)


def whole_way(model: Model, reference: Any, working: str | None) -> Way:
    """Drives and output of the reference: its own, or those of an output motion on a working mode."""
    if hasattr(reference, "whole"):
        way: Way = reference.whole
        return way
    if reference.space != "output" or working is None:
        raise BadInput(f'{model.name}: give the working mode of the output motion, working="++"; or a `motion.cross`')
    return output_way(model, reference, working)


def crossing_efforts(model: Model, reference: Any, working: str | None, t: Doubles) -> Doubles:
    """The efforts of the reference, by their limit where it passes Type 2."""
    way = whole_way(model, reference, working)
    start, duration = float(getattr(reference, "start", 0.0)), float(reference.duration)
    instants = type_2_instants(model, way, np.linspace(start, start + duration, SAMPLES))
    return efforts_along(model, way, t, instants=instants, scale=duration)
