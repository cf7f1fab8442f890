"""The script's clock: it runs with the simulation, so that a loop of 60 s by the clock is 60 s of the robot's time."""

from __future__ import annotations

import time
from types import ModuleType
from typing import Any

LOOK = 1e-6  # [s] that passes with each look at the clock: no loop waits for ever
WAIT = 1e-4  # [s] that passes with each look at a robot that has nothing new


class Clock:
    """Seconds since the run began: those of the robot that was simulated longest, and those that were waited."""

    def __init__(self, waits: bool = False) -> None:
        self.waits = waits  # in real time: whoever waits does wait
        self.began = time.time()
        self.simulated = self.waited = 0.0

    def now(self) -> float:
        """Seconds of the run; each look is a little later than the one before."""
        self.waited += LOOK
        return self.simulated + self.waited

    def wait(self, seconds: float) -> None:
        """Time passes without the robot moving and, unless in real time, without anyone waiting for it."""
        if seconds < 0.0:
            raise ValueError("sleep length must be non-negative")  # as time.sleep says it
        self.waited += seconds
        if self.waits:
            time.sleep(seconds)


def simulated_time(clock: Clock) -> ModuleType:
    """A module like `time` whose clocks are the run's and whose sleep returns at once."""
    module = ModuleType("time", time.__doc__)
    module.__dict__.update({name: value for name, value in vars(time).items() if not name.startswith("__")})
    began = clock.began

    def since_1970() -> float:
        return began + clock.now()

    def in_nanoseconds(ask: Any) -> Any:
        return lambda: int(ask() * 1e9)

    clocks = {"time": since_1970, "monotonic": clock.now, "perf_counter": clock.now}
    module.__dict__.update(clocks | {f"{name}_ns": in_nanoseconds(ask) for name, ask in clocks.items()})
    module.__dict__["sleep"] = clock.wait
    return module
