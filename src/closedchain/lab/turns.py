"""Threads of a script take turns: one runs at a time, and the run's clock goes on when all of them wait.

So a control loop in a thread gets its simulated time while the main thread sleeps, spins or shows a figure, and the
same script gives the same numbers each time. Turns change where a thread waits: at a sleep, at a robot that has nothing
new, after a step, at a lock, an event, a queue. The thread that waits for the earliest time is next; of several, the
one that has waited longest. A thread that does none of this for seconds (it computes, or spins on a variable) or reads
the keyboard is left alone until it comes back, and the others go on without it, no faster than the wall's clock; only
then does the order depend on the machine.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from time import sleep as really_sleep
from typing import Protocol

PATIENCE = 3.0  # [s] on the wall for a thread that holds its turn


class Advancing(Protocol):
    """A clock that is told how much time passed."""

    def at(self) -> float:
        """Seconds since the run began."""

    def advance(self, seconds: float) -> None:
        """So much later."""

    def look(self) -> None:
        """Someone looks whether something has happened, and whoever is due has a turn."""


class Seat:
    """A thread's place: what it waits for."""

    def __init__(self, number: int, *, daemon: bool = False, adopted: threading.Thread | None = None) -> None:
        self.order, self.daemon = number, daemon
        self.adopted = adopted  # a thread that a library started
        self.go = threading.Semaphore(0)
        self.due = -inf  # by the clock; infinite where only the condition counts
        self.until: Callable[[], bool] | None = None
        self.told: list[Callable[[], None]] = []  # to be done when it has its turn: Ctrl-C
        self.astray = self.serving = False  # goes on without a turn; only serves others, as a node that spins


class Turns:
    """Who runs."""

    def __init__(self, clock: Advancing, tell: Callable[[str], None] | None = None) -> None:
        self.clock = clock
        self.mutex = threading.Lock()
        self.count = 0  # of turns, so that the longest wait is known, and whether anything happens at all
        self.closed = False
        self.tell = tell  # once, where a thread does not wait
        self.main = Seat(0)
        self.seats = [self.main]
        self.owner = threading.get_ident()
        self.of = {self.owner: self.main}  # by the thread's number
        self.running: Seat | None = self.main
        self.paced_from: tuple[float, float] | None = None  # on the wall, by the clock

    # What threads do ----------------------------------------------------------------------------

    @property
    def alone(self) -> bool:
        """Whether there is but one thread."""
        return len(self.seats) == 1 and threading.get_ident() in self.of

    def mine(self) -> Seat:
        """The seat of the thread that asks, which has its turn then; a thread that a library started gets one."""
        seat = self.of.get(threading.get_ident())
        if seat is None:
            seat = self.add(daemon=True, adopted=threading.current_thread())
            seat.astray = True
            self.of[threading.get_ident()] = seat
        if seat.astray or self.closed:
            self._come_back(seat)
        return seat

    def sleep(self, seconds: float) -> None:
        """So much time passes, and whoever is due meanwhile has a turn."""
        seat = self.mine()
        self._block(seat, self.clock.at() + seconds, None)
        self._keep_pace()

    def wait_until(self, condition: Callable[[], bool], timeout: float | None = None) -> bool:
        """Others have their turns until the condition holds; False where the time is over before."""
        seat = self.mine()
        if condition():
            return True
        self._block(seat, inf if timeout is None else self.clock.at() + max(timeout, 0.0), condition)
        return condition()

    def serve(self, ended: Callable[[], bool], timeout: float | None = None) -> None:
        """Wait as long as another thread does more than to serve, and not `ended`."""
        seat = self.mine()
        seat.serving = True
        try:
            self.wait_until(lambda: ended() or not self.others_work(seat), timeout)
        finally:
            seat.serving = False

    def others_work(self, seat: Seat | None = None) -> bool:
        """Whether another thread does more than to wait for this kind of thing itself."""
        seat = seat or self.mine()
        return any(not s.serving for s in self.seats if s is not seat)

    @contextmanager
    def outside(self) -> Iterator[None]:
        """The thread waits for something that is not of this run, as for the keyboard: the others go on."""
        seat = self.mine()
        with self.mutex:
            seat.astray = True
            self._next()
        try:
            yield
        finally:
            self.mine()

    # Beginning and ending -----------------------------------------------------------------------

    def add(self, daemon: bool, adopted: threading.Thread | None = None) -> Seat:
        """A place for a thread about to start: it has its turn when the one that starts it waits."""
        with self.mutex:
            self.count += 1
            seat = Seat(self.count, daemon=daemon, adopted=adopted)
            seat.due = self.clock.at()
            self.seats.append(seat)
            return seat

    def take(self, seat: Seat) -> None:
        """The started thread sits down and waits for its turn."""
        self.of[threading.get_ident()] = seat
        with self.mutex:
            if self.running is None:
                self._next()
        self._await_turn(seat)

    def leave(self, seat: Seat) -> None:
        """The thread has ended, or never began."""
        with self.mutex:
            self.seats.remove(seat)
            if self.of.get(threading.get_ident()) is seat:
                del self.of[threading.get_ident()]
            if self.running is seat:
                self._next()

    def finish(self) -> None:
        """The script has ended: its threads run to their end, but for daemons."""
        try:
            if not self.alone:
                self.wait_until(lambda: all(s.daemon for s in self.seats if s is not self.main))
        finally:
            self.closed = True

    def tell_main(self, action: Callable[[], None]) -> bool:
        """Ctrl-C is the main thread's; False where that is the one that asks, which then does it itself."""
        if self.of.get(threading.get_ident()) is self.main:
            return False
        if self.main.astray and press_really(self.owner):
            return True
        self.main.told.append(action)
        self.sleep(0.0)
        return True

    # How turns change ---------------------------------------------------------------------------

    def _block(self, seat: Seat, due: float, until: Callable[[], bool] | None) -> None:
        """Wait for a time or a condition; a handler for Ctrl-C that returns does not end the wait."""
        while True:
            with self.mutex:
                self.count += 1
                seat.due, seat.until, seat.order = due, until, self.count
                self._next()
            self._await_turn(seat)
            if not seat.told:
                return
            while seat.told:
                seat.told.pop(0)()
            if due <= self.clock.at() or (until is not None and until()):
                return

    def _next(self) -> None:
        """Give the turn to the thread whose time comes first; the clock goes on to it."""
        now = self.clock.at()
        self.seats = [s for s in self.seats if s.adopted is None or s.adopted.is_alive()]
        ready = [(self._when(seat, now), seat.order, seat) for seat in self.seats if not seat.astray]
        when, _, seat = min(ready, key=lambda found: found[:2], default=(inf, 0, self.main))
        self.running = None  # whoever comes next takes it
        if when == inf:
            if any(s.astray for s in self.seats):
                return
            seat, when = self.main, now
            seat.told.append(_stuck)
        if when > now:
            self.clock.advance(when - now)
        self.running = seat
        seat.go.release()

    def _when(self, seat: Seat, now: float) -> float:
        if seat.told or (seat.until is not None and seat.until()):
            return now
        return max(seat.due, now)

    def _await_turn(self, seat: Seat) -> None:
        """Until the turn is this thread's; one that holds it without ever waiting loses it."""
        while True:
            seen = self.count
            try:
                if seat.go.acquire(timeout=PATIENCE):
                    break
            except KeyboardInterrupt:  # a real Ctrl-C, which only the main thread gets: passed on when it has its turn
                with self.mutex:
                    seat.told.append(_interrupted)
                    if self.running is None:
                        self._next()
                continue
            with self.mutex:
                if self.running is not None and self.running is not seat and self.count == seen and not self.closed:
                    self.running.astray = True
                    self._say()
                    self._next()
        if self.closed and seat is not self.main:
            self._stop(seat)

    def _keep_pace(self) -> None:
        """While a thread goes on without turns, time passes no faster than on its clock, which is the wall's."""
        if not any(seat.astray for seat in self.seats):
            self.paced_from = None
            return
        wall, now = monotonic(), self.clock.at()
        if self.paced_from is None:
            self.paced_from = (wall, now)
        early = (now - self.paced_from[1]) - (wall - self.paced_from[0])
        while early > 0.0 and any(seat.astray for seat in self.seats):
            really_sleep(min(early, 0.01))
            early -= 0.01

    def _say(self) -> None:
        if self.tell is not None and self.running is not None and self.running.adopted is None:
            self.tell(
                f"a thread of the script has not waited for {PATIENCE:g} s (no sleep, no data, no event), and the "
                "others go on without it: from here on two runs may differ"
            )
        self.tell = None

    def _come_back(self, seat: Seat) -> None:
        """A thread that went on alone takes turns again."""
        if self.closed and seat is not self.main:
            self._stop(seat)
        with self.mutex:
            seat.astray = False
            self.count += 1
            seat.due, seat.until, seat.order = self.clock.at(), None, self.count
            if self.running is None:
                self._next()
        self._await_turn(seat)

    def _stop(self, seat: Seat) -> None:
        """After the script's end: a library's thread ends, a daemon of the script's stays where it is."""
        if seat.adopted:
            raise SystemExit
        threading.Semaphore(0).acquire()


def _stuck() -> None:
    raise RuntimeError(
        "every thread of the script waits for another one, so nothing will ever happen; "
        "look at its locks, events, queues and joins"
    )


def _interrupted() -> None:
    raise KeyboardInterrupt


def press_really(thread: int) -> bool:
    """Ctrl-C for a main thread that is busy elsewhere; False where it is not Python's main one, which alone gets it."""
    if thread != threading.main_thread().ident:
        return False
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
    return True
