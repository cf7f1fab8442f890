"""The script's clock: it runs with the simulation, so that a loop of 60 s by the clock is 60 s of the robot's time."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

LOOK = 1e-6  # [s] that passes with each look at the clock: no loop waits for ever
WAIT = 1e-4  # [s] that passes with each look at a robot that has nothing new
ENDLESS = 3600.0  # [s] by this clock that a script waits, or an event loop runs, before --duration ends it
PATIENT = 100  # looks without anything else between them; whoever looks on waits, and more passes with each


class Clock:
    """Seconds since the run began: those of the robot that was simulated longest, and those that were waited."""

    def __init__(self, waits: bool = False) -> None:
        self.waits = waits  # in real time: whoever waits does wait
        self.began = time.time()
        self.simulated = self.waited = 0.0
        self.looks = 0
        self.moved = 0.0  # when a robot moved last
        self.ends: Callable[[], None] | None = None  # told when none has for too long
        self.ahead = 0.0  # [s] of the last step, to be slept through

    def at(self) -> float:
        """Seconds of the run."""
        return self.simulated + self.waited

    def now(self) -> float:
        """Seconds of the run; each look is a little later than the one before."""
        self.waited += LOOK
        self.look()
        return self.at()

    def look(self) -> None:
        """Someone looks whether something has happened."""
        self.looks += 1
        self.waited += WAIT if self.looks > PATIENT else 0.0

    def stepped(self, simulated: float) -> None:
        """A robot was simulated up to this time."""
        self.looks, self.moved = 0, self.at()
        self.ahead = max(simulated - self.simulated, 0.0)
        self.simulated += self.ahead

    def sleep(self, seconds: float) -> None:
        """Wait, but for what a step that was just made took: the robot moves while a script sleeps."""
        if seconds < 0.0:
            raise ValueError("sleep length must be non-negative")  # as time.sleep says it
        slept = min(seconds, self.ahead)
        self.ahead -= slept
        self.wait(seconds - slept)

    def wait(self, seconds: float) -> None:
        """Time passes without the robot moving and, unless in real time, without anyone waiting for it."""
        self.looks = 0
        if self.waits:
            time.sleep(seconds)
        self.waited += seconds
        if self.at() - self.moved > ENDLESS and self.ends is not None:
            self.moved = self.at()
            self.ends()


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
    module.__dict__["sleep"] = clock.sleep
    return module
