"""The plant: what differs between the robot that is simulated and the model that a controller believes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, numbers
from closedchain.model.model import Model
from closedchain.simulation.clock import Clock

OLDEST = 200  # samples that a loop keeps
ROUNDED = 1e-9  # of a delay: as far as two decimal fractions may miss each other


@dataclass(frozen=True)
class Plant:
    """The simulated robot and its sensors; the default is the model itself, measured exactly."""

    values: Mapping[str, float] = field(default_factory=dict)  # parameters that differ from the model's
    payload: float | tuple[tuple[float, float], ...] = 0.0  # [kg] at the output, unknown to the model; or (t, kg) rows
    saturation: float | tuple[float, ...] = np.inf  # largest command
    delay: int | float = 0  # how old what the controller sees is: so many samples, or as a float a time [s]
    noise_q: float = 0.0  # [m, rad] standard deviation
    noise_q_dot: float = 0.0  # [m/s, rad/s]
    quantum: float = 0.0  # [m, rad] resolution of the position sensors
    differences: bool = False  # velocities are differences of measured positions
    filter: float = 0.0  # [s] time constant of a low pass on the velocities that are told
    jitter: float = 0.0  # [s] by how much a command may come late: anything up to it, anew each time
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("noise_q", "noise_q_dot", "quantum", "filter", "jitter"):
            if not 0.0 <= getattr(self, name) < np.inf:
                raise BadInput(f"{name} = {getattr(self, name)}: it must not be negative")
        if np.asarray(self.delay).dtype.kind not in "biuf" or not 0 <= self.delay < np.inf:
            raise BadInput(
                f"delay = {self.delay!r:.40}: it is a number of samples such as 3, or a time such as 0.03 [s]"
            )
        if not (np.asarray(self.saturation) > 0.0).all():
            raise BadInput(f"saturation = {self.saturation}: it must be positive")
        if np.ndim(self.payload):
            object.__setattr__(self, "payload", _schedule(self.payload))
        elif not np.isfinite(self.payload):
            raise BadInput(f"payload = {self.payload} is not a finite mass")

    @property
    def ideal(self) -> bool:
        """Whether a controller is told the truth: exact sensors, and a robot with its model's own geometry."""
        sensed = self.delay > 0 or self.differences or self.noise_q or self.noise_q_dot or self.quantum or self.filter
        return not (sensed or self.values)

    @property
    def sensor_sd(self) -> float:
        """The standard deviation of a told position [m, rad], as an observer wants it: noise, and counts as steps."""
        return float(np.sqrt(self.noise_q**2 + self.quantum**2 / 12))

    @property
    def payloads(self) -> tuple[tuple[float, float], ...]:
        """From when on [s] which payload [kg] is carried; one row where it stays."""
        return self.payload if isinstance(self.payload, tuple) else ((0.0, self.payload),)

    @property
    def timed(self) -> bool:
        """Whether the delay is a time, not a number of samples."""
        return np.asarray(self.delay).dtype.kind == "f"

    def sampled(self, interval: float) -> Plant:
        """The same plant, with its delay as a number of samples `interval` apart."""
        age = self.delay / interval if self.timed else float(self.delay)
        if age > OLDEST + 0.5:
            raise BadInput(f"a delay of {age:.6g} samples; at most {OLDEST} are kept: take a longer interval")
        samples = round(age)
        if abs(samples - age) > ROUNDED * age:
            below = int(age)
            raise BadInput(
                f"delay = {self.delay:g} s is no whole number of intervals of {interval:g} s: the nearest are "
                f"{below * interval:g} s ({below}) and {(below + 1) * interval:g} s ({below + 1}); a number of "
                "samples is written without a point"
            )
        if not self.jitter < interval:
            raise BadInput(f"jitter = {self.jitter:g} s is no less than the interval of {interval:g} s; take less")
        return replace(self, delay=samples)

    def punctual(self, why: str) -> Plant:
        """The same plant, refused where its commands come late or its payload changes."""
        if self.jitter or len(self.payloads) > 1:
            raise BadInput(f"{'jitter' if self.jitter else 'a payload that changes'} is for equal steps; {why}")
        return self

    def late(self, time: Clock) -> NDArray[np.intp]:
        """By how many steps each command comes late, (periods,); the first does not."""
        most = int(self.jitter / time.h * (1 + ROUNDED))
        if self.jitter and not most:
            raise BadInput(f"jitter = {self.jitter:g} s is less than a step of {time.h:g} s; take shorter steps")
        late = np.random.default_rng((self.seed, 1)).integers(0, most + 1, time.periods)
        late[0] = 0
        return late


def _schedule(rows: object) -> tuple[tuple[float, float], ...]:
    """Times and masses in order, from the beginning on."""
    table = np.asarray(rows, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != 2 or not np.isfinite(table).all():
        raise BadInput(f"payload = {rows!r:.60}: it is a mass [kg], or rows of a time [s] and a mass, from 0 s on")
    if table[0, 0] != 0.0 or not (np.diff(table[:, 0]) > 0.0).all():
        raise BadInput(f"payload changes at {numbers(table[:, 0])} s; write them in order, the first at 0 s")
    return tuple((float(t), float(mass)) for t, mass in table)


def payload_changes(plant: Plant, time: Clock) -> dict[int, float]:
    """The payload from some steps on, by the step."""
    found = {}
    for t, mass in plant.payloads[1:]:
        step = round(t / time.h)
        if abs(step * time.h - t) > ROUNDED * t:
            raise BadInput(f"the payload changes at {t:g} s, which is no whole number of steps of {time.h:g} s")
        found[step] = mass
    return found


def saturation(model: Model, plant: Plant) -> Doubles:
    """The largest command of each driven joint."""
    limit, n = np.asarray(plant.saturation, dtype=np.float64), len(model.driven)
    if limit.shape not in ((), (1,), (n,)):
        raise BadInput(f"{model.name}: saturation {numbers(limit)} has {limit.size} numbers; one is needed, or {n}")
    return np.broadcast_to(limit, (n,))


def smoothing(plant: Plant, interval: float) -> float:
    """The share of what is new in a low pass of velocities."""
    return interval / (plant.filter + interval)


def noise(plant: Plant, n: int, time: Clock) -> Doubles:
    """Sensor noise of n drives and their rates at the control instants, (periods, 2 n); one row where there is none."""
    if not (plant.noise_q or plant.noise_q_dot):
        return np.zeros((1, 2 * n))
    size = np.repeat([plant.noise_q, plant.noise_q_dot], n)
    return np.random.default_rng(plant.seed).standard_normal((time.periods, 2 * n)) * size
