"""As much of ROS as lab scripts use: beginning and ending, timers that go off by the run's clock, a logger."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from closedchain.lab.events import process_events, run_timers
from closedchain.lab.session import current


class Timer:
    """Calls something every so many seconds of the run's clock while its node spins."""

    def __init__(self, of: list[Timer], period: float, callback: Callable[[], Any]) -> None:
        self.of, self.period, self.callback = of, max(float(period), 1e-6), callback
        self.reset()

    def reset(self) -> None:
        """Begin counting."""
        self.due = current().clock.now() + self.period
        if self not in self.of:
            self.of.append(self)

    def cancel(self) -> None:
        """Count no more."""
        if self in self.of:
            self.of.remove(self)

    def is_canceled(self) -> bool:
        """Whether it does not count."""
        return self not in self.of

    def go_off(self) -> None:
        """Its time has come; the next one is a period later, also where this one was late."""
        self.due += self.period
        self.callback()


class Logger:
    """Says things on the terminal, as ROS does."""

    def __init__(self, name: str) -> None:
        self.name = name

    def _say(self, level: str, message: object) -> None:
        sys.stderr.write(f"[{level}] [{self.name}]: {message}\n")

    def debug(self, message: object, **more: Any) -> None:
        """Not shown, as in ROS."""

    def info(self, message: object, **more: Any) -> None:
        self._say("INFO", message)

    def warning(self, message: object, **more: Any) -> None:
        self._say("WARN", message)

    def error(self, message: object, **more: Any) -> None:
        self._say("ERROR", message)

    warn, fatal = warning, error


class Node:
    """A node: its timers go off while it spins."""

    _name = "node"

    def __init__(self, node_name: str = "node", **more: Any) -> None:
        self._name = node_name

    @property
    def timers(self) -> list[Timer]:
        """Those that count; also of a class that forgot to begin with ours."""
        made: list[Timer] = self.__dict__.setdefault("_timers", [])
        return made

    def create_timer(self, timer_period_sec: float, callback: Callable[[], Any], **more: Any) -> Timer:
        """Call something every so many seconds."""
        return Timer(self.timers, timer_period_sec, callback)

    def get_name(self) -> str:
        """Its name."""
        return self._name

    def get_logger(self) -> Logger:
        """Says things on the terminal."""
        return Logger(self._name)

    def destroy_node(self) -> None:
        """Its timers go off no more."""
        self.timers.clear()

    def __getattr__(self, name: str) -> Any:
        ours = name.startswith(("create_", "get_", "add_", "set_", "declare_", "destroy_"))
        more = ": the lab's stand-in for ROS has timers and a logger, nothing else" if ours else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{more}")


def init(**more: Any) -> None:
    """Begin."""
    current().ros = True


def ok(**more: Any) -> bool:
    """Whether `init` was called, and not yet `shutdown`."""
    current().clock.look()
    return current().ros


def shutdown(**more: Any) -> None:
    """End."""
    current().ros = False


def spin(node: Any, *more: Any) -> None:
    """The node's timers go off until ROS is shut down, or none is left."""
    run_timers(lambda: node.timers, lambda: current().ros)


def spin_once(node: Any, *, timeout_sec: float | None = None, **more: Any) -> None:
    """The node's next timer goes off, if that is before the time-out."""
    clock = current().clock
    waits = [max(timer.due - clock.now(), 0.0) for timer in node.timers]
    waits += [] if timeout_sec is None or timeout_sec < 0.0 else [timeout_sec]
    if waits:
        clock.wait(min(waits))
    process_events(node.timers)
