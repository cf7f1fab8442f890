"""Qt's event loop as far as lab scripts use it: timers that go off by the run's clock, an application to run them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

from closedchain.lab.anything import Anything
from closedchain.lab.clock import ENDLESS
from closedchain.lab.session import AGAIN, current


class Signal:
    """Tells those who are connected."""

    def __init__(self) -> None:
        self.heard: list[Callable[..., Any]] = []

    def connect(self, slot: Callable[..., Any]) -> None:
        """Tell this one, too."""
        self.heard.append(slot)

    def disconnect(self, slot: Callable[..., Any] | None = None) -> None:
        """Tell this one, or all, no more."""
        self.heard = [s for s in self.heard if slot is not None and s != slot]

    def emit(self, *args: Any) -> None:
        """Tell."""
        for slot in list(self.heard):
            slot(*args)


class QTimer:
    """Goes off every so many milliseconds of the run's clock, when events are processed."""

    def __init__(self, parent: Any = None) -> None:
        self.timeout = Signal()
        self.period, self.due, self.single = 0.0, 0.0, False

    def setInterval(self, milliseconds: float) -> None:
        """How often."""
        self.period = max(milliseconds, 1) / 1000

    def setSingleShot(self, single: bool) -> None:
        """Once, or again and again."""
        self.single = single

    def start(self, milliseconds: float | None = None) -> None:
        """Begin counting."""
        if milliseconds is not None or not self.period:
            self.setInterval(milliseconds or 0)
        self.due = current().clock.now() + self.period
        if self not in current().timers:
            current().timers.append(self)

    def stop(self) -> None:
        """Count no more."""
        if self in current().timers:
            current().timers.remove(self)

    def isActive(self) -> bool:
        """Whether it counts."""
        return self in current().timers

    def go_off(self) -> None:
        """Its time has come."""
        if self.single:
            self.stop()
        self.due = current().clock.now() + self.period
        try:
            self.timeout.emit()
        except Exception as error:  # nobody called the slot, so nobody catches: shown, and the run goes on
            sys.excepthook(type(error), error, error.__traceback__)

    @classmethod
    def singleShot(cls, milliseconds: float, slot: Callable[[], Any]) -> None:
        """Call something once, later."""
        timer = cls()
        timer.setSingleShot(True)
        timer.timeout.connect(slot)
        timer.start(milliseconds)


class Timer(Protocol):
    """Something that is due by the run's clock."""

    @property
    def due(self) -> float:
        """Seconds of the run."""

    def go_off(self) -> None:
        """Its time has come."""


def process_events(timers: Sequence[Timer] | None = None) -> None:
    """Timers whose time has come go off: these, or those of Qt."""
    now = current().clock.now()
    for timer in [t for t in (current().timers if timers is None else timers) if t.due <= now]:
        timer.go_off()


def run_timers(timers: Callable[[], Sequence[Timer]], going: Callable[[], bool]) -> None:
    """Timers go off one after another until none is left, the loop is to end, or the run's time is over."""
    session = current()
    limit = session.settings.duration or ENDLESS
    while going() and timers():
        session.clock.wait(max(min(timer.due for timer in timers()) - session.clock.now(), 0.0))
        if session.clock.now() > limit:
            session.press(session.clock.simulated + limit)
            limit = session.clock.now() + AGAIN
        process_events(timers())


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
        run_timers(lambda: session.timers, lambda: not session.quits)
        return 0

    exec = exec_
    exit = closeAllWindows = quit
