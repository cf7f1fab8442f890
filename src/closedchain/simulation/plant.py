"""The plant: what differs between the robot that is simulated and the model that a controller believes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

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
    payload: float = 0.0  # [kg] a mass the model does not know, at the output
    saturation: float | tuple[float, ...] = np.inf  # largest command
    delay: int | float = 0  # how old what the controller sees is: so many samples, or as a float a time [s]
    noise_q: float = 0.0  # [m, rad] standard deviation
    noise_q_dot: float = 0.0  # [m/s, rad/s]
    quantum: float = 0.0  # [m, rad] resolution of the position sensors
    differences: bool = False  # velocities are differences of measured positions
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("noise_q", "noise_q_dot", "quantum"):
            if not 0.0 <= getattr(self, name) < np.inf:
                raise BadInput(f"{name} = {getattr(self, name)}: it must not be negative")
        if np.asarray(self.delay).dtype.kind not in "biuf" or not 0 <= self.delay < np.inf:
            raise BadInput(
                f"delay = {self.delay!r:.40}: it is a number of samples such as 3, or a time such as 0.03 [s]"
            )
        if not (np.asarray(self.saturation) > 0.0).all():
            raise BadInput(f"saturation = {self.saturation}: it must be positive")
        if not np.isfinite(self.payload):
            raise BadInput(f"payload = {self.payload} is not a finite mass")

    @property
    def ideal(self) -> bool:
        """Whether a controller is told the truth: exact sensors, and a robot with its model's own geometry."""
        sensed = self.delay > 0 or self.differences or self.noise_q or self.noise_q_dot or self.quantum
        return not (sensed or self.values)

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
        return replace(self, delay=samples)


def saturation(model: Model, plant: Plant) -> Doubles:
    """The largest command of each driven joint."""
    limit, n = np.asarray(plant.saturation, dtype=np.float64), len(model.driven)
    if limit.shape not in ((), (1,), (n,)):
        raise BadInput(f"{model.name}: saturation {numbers(limit)} has {limit.size} numbers; one is needed, or {n}")
    return np.broadcast_to(limit, (n,))


def noise(plant: Plant, n: int, time: Clock) -> Doubles:
    """Sensor noise of n drives and their rates at the control instants, (periods, 2 n); one row where there is none."""
    if not (plant.noise_q or plant.noise_q_dot):
        return np.zeros((1, 2 * n))
    size = np.repeat([plant.noise_q, plant.noise_q_dot], n)
    return np.random.default_rng(plant.seed).standard_normal((time.periods, 2 * n)) * size
