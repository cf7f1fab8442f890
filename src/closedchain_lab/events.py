"""As much of ROS and Qt as lab scripts use: beginning, ending, and timers that go off by the run's clock."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from closedchain_lab.session import AGAIN, ENDLESS, current


class Anything:
    """Stands for a window where there are none: call it, read from it, write to it, and one gets the like of it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Anything:
        return Anything()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


class Timer:
    """Calls something every so many seconds of the run's clock, while someone runs the timers it is one of."""

    def __init__(self, of: list[Timer], period: float, callback: Callable[[], Any]) -> None:
        self.of, self.period, self.callback, self.single = of, max(float(period), 1e-6), callback, False

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


def process_events(timers: Sequence[Timer] | None = None) -> None:
    """Timers whose time has come go off, these or those of Qt; next a period later, also where this one was late."""
    now = current().clock.now()
    for timer in [t for t in (current().timers if timers is None else timers) if t.due <= now]:
        timer.due += timer.period
        if timer.single:
            timer.cancel()
        timer.callback()


def run_timers(timers: Sequence[Timer], going: Callable[[], bool]) -> None:
    """Timers go off one after another until none is left, the loop is to end, or the run's time is over."""
    session = current()
    limit = session.settings.duration or ENDLESS
    while going() and timers:
        session.clock.wait(max(min(timer.due for timer in timers) - session.clock.now(), 0.0))
        if session.clock.now() > limit:
            session.press(session.clock.simulated + limit)
            limit = session.clock.now() + AGAIN
        process_events(timers)


# Of ROS -------------------------------------------------------------------------------------------


class Logger:
    """Says things on the terminal, as ROS does: `info`, `warn`, `error`, …"""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, level: str) -> Callable[..., Any]:
        said = level != "debug"
        return lambda message, **more: said and sys.stderr.write(f"[{level.upper()}] [{self.name}]: {message}\n")


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
        timer = Timer(self.timers, timer_period_sec, callback)
        timer.reset()
        return timer

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
    run_timers(node.timers, lambda: current().ros)


# Of Qt --------------------------------------------------------------------------------------------


class QTimer(Timer):
    """Goes off every so many milliseconds when events are processed; `timeout` tells those who are connected."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(current().timers, 0.0, self._tell)
        self.heard: list[Callable[..., Any]] = []
        self.timeout = self  # a signal that is the timer itself
        self.isActive, self.stop = lambda: not self.is_canceled(), self.cancel

    def connect(self, slot: Callable[..., Any]) -> None:
        """Tell this one, too."""
        self.heard.append(slot)

    def setInterval(self, milliseconds: float) -> None:
        """How often."""
        self.period = max(milliseconds, 1) / 1000

    def setSingleShot(self, single: bool) -> None:
        """Once, or again and again."""
        self.single = single

    def start(self, milliseconds: float | None = None) -> None:
        """Begin counting."""
        if milliseconds is not None or self.period < 1e-3:
            self.setInterval(milliseconds or 0)
        self.reset()

    def _tell(self) -> None:
        self.due = max(self.due, current().clock.now())  # Qt's does not catch up
        for slot in list(self.heard):
            try:
                slot()
            except Exception as error:  # nobody called the slot, so nobody catches: shown, and the run goes on
                sys.excepthook(type(error), error, error.__traceback__)

    @classmethod
    def singleShot(cls, milliseconds: float, slot: Callable[[], Any]) -> None:
        """Call something once, later."""
        timer = cls()
        timer.setSingleShot(True)
        timer.connect(slot)
        timer.start(milliseconds)


class QApplication(Anything):
    """An application without windows: its loop runs as long as timers do."""

    only: ClassVar[QApplication | None] = None

    def __init__(self, *args: Any) -> None:
        QApplication.only = self
        current().quits = False

    @classmethod
    def instance(cls) -> QApplication | None:
        """The application, once made."""
        return cls.only

    @staticmethod
    def processEvents(*args: Any) -> None:
        """Let timers tell what is due."""
        process_events()

    @staticmethod
    def quit() -> None:
        """End the loop."""
        current().quits = True

    @staticmethod
    def exec_() -> int:
        """Timers go off one after another until none is left, the application quits, or the run's time is over."""
        session = current()
        session.quits = False
        run_timers(session.timers, lambda: not session.quits)
        return 0

    exec = exec_
    exit = closeAllWindows = quit
