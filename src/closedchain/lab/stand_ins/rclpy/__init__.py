"""ROS 2's Python library as far as lab scripts use it: there is nothing to connect to."""

from __future__ import annotations

from typing import Any

from closedchain.lab.events import process_events, run_timers
from closedchain.lab.session import current

from . import logging, node


def init(*, args: Any = None, **more: Any) -> None:
    """Begin."""
    current().ros = True


def ok(**more: Any) -> bool:
    """Whether `init` was called, and not yet `shutdown`."""
    return current().ros


def shutdown(**more: Any) -> None:
    """End."""
    current().ros = False


def try_shutdown(**more: Any) -> None:
    """End."""
    shutdown()


def spin(node: Any, executor: Any = None) -> None:
    """The node's timers go off until ROS is shut down; without any, return at once: data is there without spinning."""
    run_timers(_timers(node), ok)


def spin_once(node: Any, *, executor: Any = None, timeout_sec: float | None = None) -> None:
    """The node's next timer goes off, if that is before the time-out; without any, return at once."""
    timers, clock = _timers(node), current().clock
    if timers:
        early = max(min(timer.due for timer in timers) - clock.now(), 0.0)
        clock.wait(early if timeout_sec is None or timeout_sec < 0.0 else min(early, timeout_sec))
        process_events(timers)


def _timers(of: Any) -> list[Any]:
    """A node's; the lab's robot is a node that has none."""
    timers: list[Any] = getattr(of, "timers", [])
    return timers


def create_node(name: str, **more: Any) -> node.Node:
    """A node that talks to nobody."""
    return node.Node(name)


__all__ = ["create_node", "init", "logging", "node", "ok", "shutdown", "spin", "spin_once", "try_shutdown"]
