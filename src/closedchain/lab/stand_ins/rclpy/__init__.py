"""ROS 2's Python library as far as lab scripts use it: nodes of one script, by the run's clock."""

from __future__ import annotations

import sys
from typing import Any

from closedchain.lab.nodes import Node
from closedchain.lab.parameters import of_the_command_line
from closedchain.lab.session import current

from . import (
    callback_groups,
    clock,
    duration,
    exceptions,
    executors,
    logging,
    node,
    parameter,
    qos,
    task,
    time,
    timer,
)  # fmt: skip


def init(*, args: Any = None, **more: Any) -> None:
    """Begin."""
    session = current()
    session.ros = True
    session.board.parameters = of_the_command_line(sys.argv if args is None else [str(word) for word in args])


def ok(**more: Any) -> bool:
    """Whether `init` was called, and not yet `shutdown`; a loop that asks lets other threads run."""
    session = current()
    if session.turns is not None:
        session.clock.look()
    return session.ros


def shutdown(**more: Any) -> None:
    """End."""
    current().ros = False


def try_shutdown(**more: Any) -> None:
    """End."""
    shutdown()


def spin(node: Any, executor: Any = None) -> None:
    """The node's timers go off and its messages come until ROS is shut down, or nothing more can come."""
    _with(node, executor).spin()


def spin_once(node: Any, *, executor: Any = None, timeout_sec: float | None = None) -> None:
    """What comes next for the node, if that is before the time-out."""
    _with(node, executor).spin_once(timeout_sec)


def spin_until_future_complete(node: Any, future: Any, executor: Any = None, timeout_sec: float | None = None) -> None:
    """Until the answer is there, or the time is over."""
    _with(node, executor).spin_until_future_complete(future, timeout_sec)


def _with(node: Any, executor: Any) -> Any:
    executor = executor or executors.SingleThreadedExecutor()
    executor.add_node(node)
    return executor


def create_node(node_name: str, **more: Any) -> Node:
    """A node without a class of its own."""
    return Node(node_name, **more)


__all__ = [
    "Node", "callback_groups", "clock", "create_node", "duration", "exceptions", "executors", "init", "logging", "node",
    "ok", "parameter", "qos", "shutdown", "spin", "spin_once", "spin_until_future_complete", "task", "time", "timer",
    "try_shutdown",
]  # fmt: skip
