"""Watching a run: how far it is, and Ctrl-C, which ends it where it is instead of throwing it away."""

from __future__ import annotations

import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

from closedchain.scenarios import Scenario

EVERY = 1.0  # [s] between messages, to a terminal only


class Frames:
    """Called with how many frames of a video are drawn, and of how many."""

    def __init__(self, name: str) -> None:
        self.name, self.told = name, time.monotonic()

    def __call__(self, done: int, count: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - self.told > EVERY:
            self.told = time.monotonic()
            print(f"closedchain: {self.name}: {done} of {count} frames", file=sys.stderr, flush=True)


class Watch:
    """Called by the simulator with the time reached.

    The first Ctrl-C asks the run to end at its next stop and keep what it has; before the run has begun, and the
    second time, it is what it always is.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.duration = scenario.duration or getattr(scenario.reference, "duration", 0.0)
        self.asked = self.begun = self.cancelled = False
        self.told = time.monotonic()

    def __enter__(self) -> Watch:
        self.main = threading.current_thread() is threading.main_thread()
        self.before: Any = signal.signal(signal.SIGINT, self.ask) if self.main else None
        return self

    def __exit__(self, *error: object) -> None:
        if self.main:
            signal.signal(signal.SIGINT, self.before)

    def ask(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-C."""
        if self.asked or not self.begun:
            self.cancelled = True
            raise KeyboardInterrupt
        self.asked = True

    def __call__(self, t: float) -> None:
        self.begun = True
        if self.asked:
            self.cancelled = True
            raise KeyboardInterrupt
        if sys.stderr.isatty() and time.monotonic() - self.told > EVERY:
            self.told = time.monotonic()
            print(f"closedchain: {t:.4g} of {self.duration:.4g} s", file=sys.stderr, flush=True)
