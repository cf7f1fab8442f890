"""ROS's time by the run's clock: instants, durations, rates, and answers that are yet to come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from closedchain.lab.messages import message
from closedchain.lab.session import current

BILLION = 1_000_000_000
Stamp = message("Time", sec=0, nanosec=0)
Span = message("Duration", sec=0, nanosec=0)


class Nanoseconds:
    """A whole number of them."""

    stamp: Any

    def __init__(self, *, seconds: float = 0, nanoseconds: int = 0, **more: Any) -> None:
        self.nanoseconds = int(seconds * BILLION) + int(nanoseconds)

    def to_msg(self) -> Any:
        """As a message."""
        return self.stamp(sec=self.nanoseconds // BILLION, nanosec=self.nanoseconds % BILLION)

    @classmethod
    def from_msg(cls, sent: Any, **more: Any) -> Any:
        """From a message."""
        return cls(seconds=sent.sec, nanoseconds=sent.nanosec)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.nanoseconds == getattr(other, "nanoseconds", None)

    def __hash__(self) -> int:
        return hash(self.nanoseconds)

    def __lt__(self, other: Any) -> bool:
        return bool(self.nanoseconds < other.nanoseconds)

    def __le__(self, other: Any) -> bool:
        return bool(self.nanoseconds <= other.nanoseconds)

    def __gt__(self, other: Any) -> bool:
        return bool(self.nanoseconds > other.nanoseconds)

    def __ge__(self, other: Any) -> bool:
        return bool(self.nanoseconds >= other.nanoseconds)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(nanoseconds={self.nanoseconds})"


class Duration(Nanoseconds):
    """How long."""

    stamp = Span


class Time(Nanoseconds):
    """When."""

    stamp = Stamp

    def seconds_nanoseconds(self) -> tuple[int, int]:
        """Whole seconds, and the rest."""
        return divmod(self.nanoseconds, BILLION)

    def __add__(self, other: Duration) -> Time:
        return Time(nanoseconds=self.nanoseconds + other.nanoseconds)

    def __sub__(self, other: Any) -> Any:
        kind = Duration if isinstance(other, Time) else Time
        return kind(nanoseconds=self.nanoseconds - other.nanoseconds)


class Clock:
    """The run's clock, counted from 1970."""

    def __init__(self, **more: Any) -> None:
        pass

    def now(self) -> Time:
        """When it is."""
        clock = current().clock
        return Time(nanoseconds=round((clock.began + clock.now()) * 1e9))

    def sleep_for(self, duration: Duration, **more: Any) -> bool:
        """Wait."""
        current().clock.sleep(duration.nanoseconds / BILLION)
        return True

    def sleep_until(self, until: Time, **more: Any) -> bool:
        """Wait."""
        current().clock.wait(max((until - self.now()).nanoseconds / BILLION, 0.0))
        return True


class Rate:
    """So many times a second."""

    def __init__(self, frequency: float) -> None:
        if frequency <= 0:
            raise ValueError("frequency must be > 0")
        self.period = 1.0 / frequency
        self.next = current().clock.now() + self.period

    def sleep(self) -> None:
        """Until the next time."""
        clock = current().clock
        clock.wait(max(self.next - clock.now(), 0.0))
        self.next = max(self.next + self.period, clock.at())


class Future:
    """An answer that is yet to come."""

    def __init__(self, **more: Any) -> None:
        self._done, self._result = False, None
        self._error: BaseException | None = None
        self._heard: list[Callable[[Future], Any]] = []

    def done(self) -> bool:
        """Whether it is there."""
        return self._done

    def cancelled(self) -> bool:
        """Never."""
        return False

    def result(self) -> Any:
        """The answer; None as long as there is none."""
        if self._error is not None:
            raise self._error
        return self._result

    def exception(self) -> BaseException | None:
        """What went wrong."""
        return self._error

    def set_result(self, result: Any) -> None:
        """Here it is."""
        self._result, self._done = result, True
        for callback in self._heard:
            callback(self)

    def set_exception(self, error: BaseException) -> None:
        """It will not come."""
        self._error = error
        self.set_result(None)

    def add_done_callback(self, callback: Callable[[Future], Any]) -> None:
        """Tell when it is there."""
        if self._done:
            callback(self)
        else:
            self._heard.append(callback)
