"""Laws that go through Type 2: none of them inverts A where it is singular."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.control.law import Reference, check_driven, check_gains, check_output
from closedchain.errors import BadInput
from closedchain.model.course import Course, Way, output_way
from closedchain.model.crossing import efforts_along, passage, room, type_2_instants
from closedchain.model.dynamics import mass_matrix
from closedchain.model.measured import Measured
from closedchain.model.model import Model

SAMPLES = 2001
STIFFNESS, DAMPING = 4000.0, 120.0  # [1/s²], [1/s] of a drive's own inertia, for a motion of `USUAL`
KP, KD = 400.0, 40.0  # [1/s²], [1/s] of computed torque, likewise
USUAL = 6.0  # [s]
PANELS = 8  # of Simpson's rule in an interval: where two stretches of a motion meet within one, τ has a kink
QUICKEST = 8.0  # times as fast
HELD = 1.2  # damping [1/s] times interval: from 1.6 on, commands that are held throw a drive out at Type 2


@dataclass(frozen=True, eq=False)
class CrossingFeedForward:
    """The efforts of a motion through Type 2 with no correction."""

    reference: Reference
    working: str | None = None  # of an output motion; a crossing knows its own
    output: str = "tau"

    def __post_init__(self) -> None:
        check_output(self, "tau")

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
        return held_efforts(model, self.reference, self.working, t, interval)

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        return reference.command


@dataclass(frozen=True, eq=False)
class CrossingPD:
    """τ = τ_ref + Kp (q_ref − q) + Kd (q̇_ref − q̇): the drives alone are asked, so no branch and no A is needed.

    Unless both are given, the gains follow the robot and the motion: 4000/s² and 120/s times the drive's own inertia
    for a motion of 6 s or more, quicker for a shorter one as far as commands held for `interval` bear it.
    """

    reference: Reference
    kp: float | None = None  # [N/m] or [N m/rad]
    kd: float | None = None
    working: str | None = None
    output: str = "tau"

    def __post_init__(self) -> None:
        check_both(kp=self.kp, kd=self.kd)
        check_output(self, "tau")

    @property
    def key(self) -> str:
        return "crossing pd"

    @property
    def gains(self) -> Doubles:
        return held_gains(self.reference, self.kp, self.kd)

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        check_driven(model)
        return tuple((name, model.nq) for name in ("q", "q_dot", "tau", "stiff", "damp"))

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        at = whole_way(model, self.reference, self.working)(t)
        tau = held_efforts(model, self.reference, self.working, t, interval)
        stiff, damp = weights(model, at, self.reference, self.kp, interval)
        return np.concatenate([at.q, at.q_dot, tau, stiff, damp], axis=-1)

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        slip, lag = reference.q - measured.q, reference.q_dot - measured.q_dot
        return reference.tau + reference.stiff * (gains[0] * slip) + reference.damp * (gains[1] * lag)


@dataclass(frozen=True, eq=False)
class CrossingComputedTorque:
    """Computed torque where A is regular, feed-forward and PD where it is not, one blended into the other.

    The blend follows |det A| over the product of its rows' lengths along the reference: above `outer` all of it is
    computed torque with kp and kd, below `inner` all of it τ_ref + stiffness (q_ref − q) + damping (q̇_ref − q̇).
    Gains that are not given follow the robot and the motion: kp = 400/s² and kd = 40/s for a motion of 6 s or more,
    quicker for a shorter one; stiffness and damping as those of `CrossingPD`.
    """

    reference: Reference
    kp: float | None = None  # [1/s²]
    kd: float | None = None  # [1/s]
    stiffness: float | None = None  # [N/m] or [N m/rad]
    damping: float | None = None
    inner: float = 0.2
    outer: float = 0.5
    working: str | None = None
    output: str = "tau"

    def __post_init__(self) -> None:
        check_both(kp=self.kp, kd=self.kd)
        check_output(self, "tau")
        check_both(stiffness=self.stiffness, damping=self.damping)
        if not 0.0 < self.inner < self.outer < 1.0:
            raise BadInput(f"inner = {self.inner}, outer = {self.outer}: 0 < inner < outer < 1 is needed")

    @property
    def key(self) -> str:
        return "crossing computed torque"

    @property
    def gains(self) -> Doubles:
        free = quickness(self.reference) * np.array([KP, KD]) if self.kp is None else [self.kp, self.kd]
        return np.concatenate([free, held_gains(self.reference, self.stiffness, self.damping)])

    def fields(self, model: Model) -> tuple[tuple[str, int], ...]:
        check_driven(model)
        return (
            *((name, model.nq) for name in ("q", "q_dot", "q_ddot", "tau", "stiff", "damp")),
            ("ease", 1),
            ("blend", 1),
        )

    def samples(self, model: Model, t: Doubles, interval: float) -> Doubles:
        at = whole_way(model, self.reference, self.working)(t)
        tau = held_efforts(model, self.reference, self.working, t, interval)
        r = np.clip((self.outer - np.abs(room(model, at))) / (self.outer - self.inner), 0.0, 1.0)
        blend = (r**3 * (10 - 15 * r + 6 * r**2))[:, None]
        stiff, damp = weights(model, at, self.reference, self.stiffness, interval)
        slower = np.full_like(blend, ease(self.reference, interval) if self.kp is None else 1.0)
        return np.concatenate([at.q, at.q_dot, at.q_ddot, tau, stiff, damp, slower, blend], axis=-1)

    def law(self, measured: Measured, reference: Any, gains: Any) -> Any:
        slip, lag, blend = reference.q - measured.q, reference.q_dot - measured.q_dot, reference.blend
        held = reference.tau + reference.stiff * (gains[2] * slip) + reference.damp * (gains[3] * lag)
        drawn = reference.ease * (gains[1] * lag + reference.ease * (gains[0] * slip))
        free = measured.M @ (reference.q_ddot + drawn) + measured.c
        return measured.where(blend >= 1.0, held, (1.0 - blend) * free + blend * held)


# Gains that follow the robot and the motion -----------------------------------------------------------------


def quickness(reference: Any) -> Doubles:
    """(2,) by what a stiffness and a damping grow for a motion shorter than usual, so that errors do not."""
    times = float(np.clip(USUAL / float(reference.duration), 1.0, QUICKEST))
    return np.array([times**2, times])


def held_gains(reference: Any, kp: float | None, kd: float | None) -> Doubles:
    """(2,) as given, or for one unit of inertia."""
    return quickness(reference) * [STIFFNESS, DAMPING] if kp is None else np.array([kp, kd], dtype=np.float64)


def ease(reference: Any, interval: float) -> float:
    """1, or less where a loop as quick as the motion wants would not bear commands held for so long."""
    return min(1.0, HELD / (float(quickness(reference)[1]) * DAMPING * interval))


def weights(model: Model, at: Course, reference: Any, given: float | None, interval: float) -> tuple[Doubles, Doubles]:
    """(n, nq) twice: what stiffness and damping of a unit of inertia are to be multiplied by; 1 for given ones."""
    if given is not None:
        return np.ones_like(at.q), np.ones_like(at.q)
    own, slower = own_inertia(model, at), ease(reference, interval)
    return slower**2 * own, slower * own


def own_inertia(model: Model, at: Course) -> Doubles:
    """What each drive moves by itself, without the output: it is what it feels at Type 2; (n, nq)."""
    z = np.concatenate([at.q, at.x], axis=-1)
    own = np.diagonal(mass_matrix(model, z), axis1=-2, axis2=-1)[..., : model.nq]
    if not (own > 0.0).all():
        name = model.equations.q[int(np.argmin(own.min(axis=0)))].name
        raise BadInput(
            f"{model.name}: drive {name} has no inertia of its own, from which gains could follow; give both"
        )
    return np.asarray(own)


def check_both(**gains: float | None) -> None:
    """Both or neither, and none of them negative."""
    missing = [name for name, value in gains.items() if value is None]
    if len(missing) == 1:
        raise BadInput(f"give {' and '.join(gains)}, or neither: {missing[0]} is missing")
    check_gains(**{name: value for name, value in gains.items() if value is not None})


# The reference ------------------------------------------------------------------------------------------------


def whole_way(model: Model, reference: Any, working: str | None) -> Way:
    """Drives and output of the reference: its own, or those of an output motion on a working mode."""
    if hasattr(reference, "whole"):
        way: Way = reference.whole
        return way
    if reference.space != "output" or working is None:
        raise BadInput(f'{model.name}: give the working mode of the output motion, working="++"; or a `motion.cross`')
    return output_way(model, reference, working)


def held_efforts(model: Model, reference: Any, working: str | None, t: Doubles, interval: float) -> Doubles:
    """Efforts which, each held from t for an interval h, lead to the reference's states to the third order in h.

    The mean of τ over an interval leads to the right velocity, but h³ τ̇ / 12 too far for a unit of inertia. A velocity
    that is h² τ̇ / 12 too small takes that back; holding h (τ̇ at its end − τ̇ at its beginning) / 12 less keeps it so.
    τ̇ is taken from the left and is zero before the start, so that its jumps count. Efforts without a limit at Type 2
    have no mean either: those of each interval's middle are held.
    """
    h, start, duration = interval, float(getattr(reference, "start", 0.0)), float(reference.duration)
    way = whole_way(model, reference, working)
    instants = type_2_instants(model, way, np.linspace(start, start + duration, SAMPLES))

    def efforts(times: Doubles) -> Doubles:
        return efforts_along(model, way, times, instants=instants, scale=duration)

    if not all(passage(model, way(np.array([t_s]))[0]).bounded for t_s in instants):
        return efforts(t + h / 2)
    places = np.concatenate([[-1.0, -0.5], np.linspace(0.0, 1.0, 2 * PANELS + 1)])
    around = np.clip(t[:, None] + h * places, start, start + duration)
    tau = efforts(around.ravel()).reshape(*around.shape, model.nq)
    before, half_before, now, half_after, after = (tau[:, i] for i in (0, 1, 2, 2 + PANELS, -1))
    mean = (now + after + 4 * tau[:, 3::2].sum(axis=1) + 2 * tau[:, 4:-1:2].sum(axis=1)) / (6 * PANELS)
    rate_now = np.where(t[:, None] > start, 3 * now - 4 * half_before + before, 0.0) / h
    rate_after = (3 * after - 4 * half_after + now) / h
    return np.asarray(mean - h * (rate_after - rate_now) / 12)
