"""`threading` and `queue` as a script's own files import them: threads that take turns and wait by the run's clock."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable
from types import ModuleType
from typing import Any

from closedchain.lab.turns import Turns


def cooperative(turns: Turns) -> dict[str, ModuleType]:
    """The modules, by name; what is not said here is Python's own."""
    kinds = _locks(turns) | _threads(turns)
    kinds["Semaphore"], kinds["BoundedSemaphore"] = _semaphores(turns)
    kinds["Barrier"] = _barrier(kinds)
    queues = {name: _queue(turns, getattr(queue, name)) for name in ("Queue", "LifoQueue", "PriorityQueue")}
    queues["SimpleQueue"] = queues["Queue"]
    return {"threading": _like(threading, kinds), "queue": _like(queue, queues)}


def _like(module: ModuleType, changed: dict[str, Any]) -> ModuleType:
    copy = ModuleType(module.__name__, module.__doc__)
    copy.__dict__.update({name: value for name, value in vars(module).items() if not name.startswith("__")})
    copy.__dict__.update(changed)
    return copy


def _threads(turns: Turns) -> dict[str, Any]:
    class Thread(threading.Thread):
        """Runs when it has its turn."""

        def __init__(self, *args: Any, daemon: bool | None = None, **more: Any) -> None:
            super().__init__(*args, daemon=True, **more)  # who waits for it at the end is up to us
            starter = threading.current_thread()
            self._lasting = bool(getattr(starter, "_lasting", False) if daemon is None else daemon)
            self._over = False

        @property
        def daemon(self) -> bool:
            """Whether the script may end before it."""
            return self._lasting

        @daemon.setter
        def daemon(self, daemon: bool) -> None:
            if self.ident is not None:
                raise RuntimeError("cannot set daemon status of active thread")
            self._lasting = bool(daemon)

        def isDaemon(self) -> bool:
            """As Python once had it."""
            return self._lasting

        def setDaemon(self, daemon: bool) -> None:
            """As Python once had it."""
            self.daemon = daemon

        def start(self) -> None:
            """Begin; its first turn comes when the thread that starts it waits."""
            run, seat = self.run, turns.add(self._lasting)

            def in_turn() -> None:
                turns.take(seat)
                try:
                    run()
                except SystemExit:
                    pass
                except BaseException as error:
                    _show(error, self)
                finally:
                    self._over = True
                    turns.leave(seat)

            self.run = in_turn  # type: ignore[method-assign]
            try:
                super().start()
            except BaseException:
                turns.leave(seat)
                raise

        def is_alive(self) -> bool:
            """Whether it has begun and not ended; who asks again and again lets it run."""
            turns.clock.look()
            return super().is_alive() and not self._over

        def join(self, timeout: float | None = None) -> None:
            """Wait for its end."""
            if self.ident is None:
                raise RuntimeError("cannot join thread before it is started")
            if self is threading.current_thread():
                raise RuntimeError("cannot join current thread")
            turns.wait_until(lambda: self._over, timeout)

    class Timer(Thread):
        """Calls something after so many seconds, unless cancelled before."""

        def __init__(self, interval: float, function: Callable[..., Any], args: Any = None, kwargs: Any = None) -> None:
            super().__init__()
            self.interval, self.function, self.args, self.kwargs = interval, function, args or (), kwargs or {}
            self._off = False

        def cancel(self) -> None:
            """Call nothing."""
            self._off = True

        def run(self) -> None:
            """Wait, then call."""
            if not turns.wait_until(lambda: self._off, self.interval):
                self.function(*self.args, **self.kwargs)

    return {"Thread": Thread, "Timer": Timer}


def _show(error: BaseException, thread: threading.Thread) -> None:
    """What ended a thread, as Python shows it: from the script's own lines on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, threading.__file__):
        trace = trace.tb_next
    threading.excepthook(threading.ExceptHookArgs((type(error), error.with_traceback(trace), trace, thread)))


def _locks(turns: Turns) -> dict[str, Any]:
    class Lock:
        """Held by one thread at a time; the others have their turns when it is released."""

        again = False  # whether its holder may take it once more

        def __init__(self) -> None:
            self.holder: int | None = None
            self.depth = 0

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            """Take it, once it is free."""
            me = threading.get_ident()
            if self.again and self.holder == me:
                self.depth += 1
                return True
            if blocking:
                turns.wait_until(lambda: self.holder is None, None if timeout < 0 else timeout)
            if self.holder is not None:
                return False
            self.holder, self.depth = me, 1
            return True

        def release(self) -> None:
            """Give it back."""
            if self.holder is None or (self.again and self.holder != threading.get_ident()):
                raise RuntimeError("cannot release un-acquired lock" if self.again else "release unlocked lock")
            self.depth -= 1
            if self.depth == 0:
                self.holder = None

        def locked(self) -> bool:
            """Whether someone holds it."""
            return self.holder is not None

        def __enter__(self) -> bool:
            return self.acquire()

        def __exit__(self, *error: object) -> None:
            self.release()

    class RLock(Lock):
        """A lock that its holder may take again."""

        again = True

    class Condition:
        """Threads wait for a word from another one."""

        def __init__(self, lock: Any = None) -> None:
            self.lock = lock or RLock()
            self.acquire, self.release = self.lock.acquire, self.lock.release
            self.tickets: deque[list[bool]] = deque()

        def wait(self, timeout: float | None = None) -> bool:
            """Release the lock, wait, take it again."""
            if self.lock.holder != threading.get_ident():
                raise RuntimeError("cannot wait on un-acquired lock")
            ticket: list[bool] = []
            self.tickets.append(ticket)
            depth, self.lock.depth, self.lock.holder = self.lock.depth, 0, None
            try:
                came = turns.wait_until(lambda: bool(ticket), timeout)
            finally:
                if ticket in self.tickets:
                    self.tickets = deque(t for t in self.tickets if t is not ticket)
                self.lock.acquire()
                self.lock.depth = depth
            return came

        def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
            """Wait until it holds."""
            end = None if timeout is None else turns.clock.at() + timeout
            while not (found := predicate()):
                left = None if end is None else end - turns.clock.at()
                if left is not None and left <= 0.0:
                    break
                self.wait(left)
            return found

        def notify(self, n: int = 1) -> None:
            """Wake some of those who wait."""
            for _ in range(min(n, len(self.tickets))):
                self.tickets.popleft().append(True)

        def notify_all(self) -> None:
            """Wake all."""
            self.notify(len(self.tickets))

        notifyAll = notify_all

        def __enter__(self) -> bool:
            return bool(self.lock.acquire())

        def __exit__(self, *error: object) -> None:
            self.lock.release()

    class Event:
        """A flag to wait for."""

        def __init__(self) -> None:
            self.flag = False

        def is_set(self) -> bool:
            """Whether it is up; who asks again and again lets others run."""
            turns.clock.look()
            return self.flag

        isSet = is_set

        def set(self) -> None:
            """Up."""
            self.flag = True

        def clear(self) -> None:
            """Down."""
            self.flag = False

        def wait(self, timeout: float | None = None) -> bool:
            """Until it is up."""
            return turns.wait_until(lambda: self.flag, timeout)

    return {"Lock": Lock, "RLock": RLock, "Condition": Condition, "Event": Event}


def _semaphores(turns: Turns) -> tuple[Any, Any]:
    class Semaphore:
        """So many threads at a time."""

        bounded = False

        def __init__(self, value: int = 1) -> None:
            if value < 0:
                raise ValueError("semaphore initial value must be >= 0")
            self.left = self.most = value

        def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
            """One of them."""
            if blocking:
                turns.wait_until(lambda: self.left > 0, timeout)
            if self.left == 0:
                return False
            self.left -= 1
            return True

        def release(self, n: int = 1) -> None:
            """One less."""
            if self.bounded and self.left + n > self.most:
                raise ValueError("Semaphore released too many times")
            self.left += n

        def __enter__(self) -> bool:
            return self.acquire()

        def __exit__(self, *error: object) -> None:
            self.release()

    class BoundedSemaphore(Semaphore):
        """One that is released no more often than it was acquired."""

        bounded = True

    return Semaphore, BoundedSemaphore


def _barrier(kinds: dict[str, Any]) -> Any:
    class Barrier(threading.Barrier):
        """Python's own, over our condition."""

        def __init__(self, parties: int, action: Any = None, timeout: float | None = None) -> None:
            super().__init__(parties, action, timeout)
            self._cond = kinds["Condition"](kinds["Lock"]())

    return Barrier


def _queue(turns: Turns, kind: Any) -> Any:
    class Waiting(kind):  # type: ignore[misc]
        def get(self, block: bool = True, timeout: float | None = None) -> Any:
            """The next item, once there is one."""
            if block:
                turns.wait_until(lambda: self._qsize() > 0, timeout)
            return super().get(False)

        def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
            """One more, once there is room."""
            if block and self.maxsize > 0:
                turns.wait_until(lambda: self._qsize() < self.maxsize, timeout)
            super().put(item, False)

        def empty(self) -> bool:
            """Whether there is none; who asks again and again lets others run."""
            turns.clock.look()
            return self._qsize() == 0

        def join(self) -> None:
            """Until every item was done."""
            turns.wait_until(lambda: self.unfinished_tasks == 0)

        def get_nowait(self) -> Any:
            """The next item, if there is one."""
            turns.clock.look()
            return self.get(False)

    Waiting.__name__ = Waiting.__qualname__ = kind.__name__
    return Waiting
