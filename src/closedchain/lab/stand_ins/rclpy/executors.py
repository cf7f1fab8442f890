"""Executors: they spin several nodes, one callback at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import iscoroutinefunction
from typing import Any

from closedchain.lab.events import run_timers
from closedchain.lab.moments import Future
from closedchain.lab.nodes import attend, due
from closedchain.lab.session import current


class ExternalShutdownException(Exception):
    """ROS was shut down elsewhere."""


class ShutdownException(Exception):
    """The executor was shut down."""


class Executor:
    """Spins nodes."""

    def __init__(self, num_threads: int | None = None, **more: Any) -> None:
        self._nodes: list[Any] = []
        self._tasks: list[_Task] = []
        self._over = False

    def add_node(self, node: Any) -> bool:
        """Spin this one, too."""
        if node in self._nodes:
            return False
        self._nodes.append(node)
        return True

    def remove_node(self, node: Any) -> None:
        """Spin it no more."""
        if node in self._nodes:
            self._nodes.remove(node)

    def get_nodes(self) -> list[Any]:
        """Those that it spins."""
        return list(self._nodes)

    def _attended(self, *more: Any) -> list[Any]:
        """Nodes, and tasks that are yet to be called."""
        self._tasks = [task for task in self._tasks if not task.future.done()]
        return [*self._nodes, *self._tasks, *more]

    def spin(self) -> None:
        """Until it or ROS is shut down, or nothing more can come."""
        run_timers(lambda: due(self._attended()), lambda: current().ros and not self._over)

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """What comes next."""
        attend(self._attended(), timeout_sec)

    def spin_until_future_complete(self, future: Any, timeout_sec: float | None = None) -> None:
        """Until the answer is there, or the time is over, or nothing more can come."""
        clock = current().clock
        end = clock.now() + timeout_sec if timeout_sec is not None and timeout_sec >= 0.0 else float("inf")
        run_timers(
            lambda: due(self._attended(_Until(end))),
            lambda: current().ros and not future.done() and clock.at() < end,
        )

    def create_task(self, callback: Any, *args: Any, **more: Any) -> Any:
        """Call something when it spins; the answer will hold what it gave."""
        if iscoroutinefunction(callback):
            raise TypeError(f"{callback.__name__} is a coroutine; the lab's stand-in for rclpy calls plain functions")
        task = _Task(partial(callback, *args, **more))
        self._tasks.append(task)
        return task.future

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Spin no more."""
        self._over = True
        return True

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()


class _Until:
    """Something that comes at a time, and does nothing."""

    def __init__(self, due: float) -> None:
        self.due, self.timers = due, [self]

    def go_off(self) -> None:
        """It came."""
        self.due = float("inf")


class _Task:
    """A function to be called at once."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call, self.future = call, Future()
        self.due, self.timers = current().clock.at(), [self]

    def go_off(self) -> None:
        """Its turn has come; what goes wrong is raised where the executor spins, and kept."""
        self.due = float("inf")
        try:
            self.future.set_result(self.call())
        except Exception as error:
            self.future.set_exception(error)
            raise


class SingleThreadedExecutor(Executor):
    """One callback at a time."""


class MultiThreadedExecutor(Executor):
    """One callback at a time as well: the run's clock does not depend on the machine."""


__all__ = [
    "Executor",
    "ExternalShutdownException",
    "MultiThreadedExecutor",
    "ShutdownException",
    "SingleThreadedExecutor",
]
