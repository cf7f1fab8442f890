"""Nodes that talk to nobody."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from closedchain.lab.anything import Anything
from closedchain.lab.parts import Logger
from closedchain.lab.session import current


class Timer:
    """Calls something every so many seconds of the run's clock while its node spins."""

    def __init__(self, of: list[Timer], period: float, callback: Callable[[], Any]) -> None:
        self.of, self.period, self.callback = of, max(period, 1e-6), callback
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


class Node:
    """A node of ROS: its timers go off; what it publishes goes nowhere, what it subscribes to never comes."""

    def __init__(self, node_name: str, **more: Any) -> None:
        self._name = node_name

    @cached_property
    def timers(self) -> list[Timer]:
        """Those that count; also of a node whose class forgot to begin with ours."""
        return []

    def create_timer(self, timer_period_sec: float, callback: Callable[[], Any], *more: Any, **others: Any) -> Timer:
        """Call something every so many seconds."""
        return Timer(self.timers, timer_period_sec, callback)

    def destroy_timer(self, timer: Timer) -> bool:
        """Call it no more."""
        timer.cancel()
        return True

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
        if name.startswith("create_"):
            return Anything(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


__all__ = ["Node", "Timer"]
