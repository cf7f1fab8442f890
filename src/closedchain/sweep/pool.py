"""A supervised pool of processes: one that dies is replaced and its points run again, under limits per point.

A task that takes longer than the limit of one point, or more memory, or ends its process twice, is halved until the
point at fault is alone; that point is marked and the study goes on.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import signal
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from closedchain.errors import BrokenOff
from closedchain.sweep import task, worker
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.study import Study
from closedchain.sweep.task import Part

Range = tuple[int, int]
AHEAD = 2  # tasks that a worker holds, so that it need not wait for the next
LOADING = 30.0  # [s] more for the first task of a process, which loads or compiles the kernels
DEATHS = 3  # of processes in a row before any is ready


class PoolBroken(BrokenOff):
    """Processes that end as soon as they begin."""


@dataclass(frozen=True)
class Limits:
    """Of one point."""

    seconds: float | None = None
    memory: int | None = None  # [bytes] beyond what a process holds when it begins


@dataclass(eq=False)
class Hand:
    """A process and what it is doing."""

    process: BaseProcess
    pipe: Connection
    tasks: deque[Range] = field(default_factory=deque)
    deadline: float = math.inf  # of the first task
    ready: bool = False
    begun: bool = False  # whether it has finished a task


class Pool:
    """Processes that compute ranges of points; use it in a `with`, iterate over `run`."""

    def __init__(self, study: Study, workers: int, limits: Limits | None = None) -> None:
        if workers < 1:
            raise BadStudy(f"{workers} workers cannot work; use at least 1")
        self.study, self.count, self.limits = study, workers, limits or Limits()
        self.hands: list[Hand] = []
        self.waiting: deque[Range] = deque()
        self.deaths: Counter[Range] = Counter()
        self.early = 0

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        for hand in self.hands:
            self._end(hand)
        self.hands = []

    def run(self, ranges: Iterable[Range]) -> Iterator[Part]:
        """The parts as they are finished, in no order."""
        self.waiting = deque(ranges)
        while self.waiting or any(hand.tasks for hand in self.hands):
            self._staff()
            yield from self._listen()
            for hand in list(self.hands):
                if time.monotonic() > hand.deadline:
                    yield from self._late(hand)

    def _staff(self) -> None:
        """As many processes as there is work for, each with tasks ahead."""
        busy = sum(bool(hand.tasks) for hand in self.hands)
        while len(self.hands) < self.count and len(self.hands) < busy + len(self.waiting):
            self.hands.append(self._hire())
        for hand in sorted(self.hands, key=lambda h: len(h.tasks)):
            while self.waiting and len(hand.tasks) < (AHEAD if len(self.waiting) >= self.count else 1):
                self._give(hand, self.waiting.popleft())

    def _hire(self) -> Hand:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=worker.serve, args=(theirs, self.study, self.limits.memory), daemon=True)
        with _uninterrupted():
            process.start()
        theirs.close()
        return Hand(process, ours)

    def _give(self, hand: Hand, points: Range) -> None:
        hand.tasks.append(points)
        if len(hand.tasks) == 1:
            self._clock(hand)
        with contextlib.suppress(OSError):  # it has died; that is found when it is listened to
            hand.pipe.send(points)

    def _clock(self, hand: Hand) -> None:
        """Start the first task's time."""
        seconds = self.limits.seconds
        if seconds is None or not hand.tasks or not hand.ready:
            hand.deadline = math.inf
        else:
            hand.deadline = time.monotonic() + seconds + (0.0 if hand.begun else LOADING)

    def _listen(self) -> Iterator[Part]:
        """Everything that has been answered, after waiting for something to happen."""
        soonest = min((hand.deadline for hand in self.hands), default=math.inf)
        timeout = min(max(soonest - time.monotonic(), 0.0), 1.0)
        happened = set(wait([hand.pipe for hand in self.hands], timeout))
        for hand in [hand for hand in self.hands if hand.pipe in happened]:
            try:
                kind, answer = hand.pipe.recv()
            except (EOFError, OSError):
                yield from self._dead(hand)
                continue
            if kind == worker.READY:
                hand.ready, self.early = True, 0
            elif kind == task.BAD:
                raise BadStudy(str(answer))
            else:
                finished, hand.begun = hand.tasks.popleft(), True
                yield from [answer] if kind == task.DONE else self._blame(finished, self._words(kind, str(answer)))
            self._clock(hand)

    def _words(self, kind: str, answer: str) -> str:
        if kind == task.MEMORY:
            return f"it needs more memory than {(self.limits.memory or 0) / 1e6:.0f} MB"
        return answer

    def _dead(self, hand: Hand) -> Iterator[Part]:
        """Its tasks run again; one that was being done at two deaths is at fault."""
        self._end(hand)
        self.hands.remove(hand)
        if not hand.ready:
            self.early += 1
            if self.early >= DEATHS:
                raise PoolBroken(
                    f"{DEATHS} processes ended as they began (exit code {hand.process.exitcode}); try --workers 0"
                )
        tasks = list(hand.tasks)
        self.waiting.extendleft(reversed(tasks[1:]))
        if not tasks:
            return
        self.deaths[tasks[0]] += hand.ready
        if self.deaths[tasks[0]] < 2:
            self.waiting.appendleft(tasks[0])
        else:
            yield from self._blame(tasks[0], f"its process ended twice (exit code {hand.process.exitcode})")

    def _late(self, hand: Hand) -> Iterator[Part]:
        """Beyond the limit: the process is ended, the task halved or the point marked."""
        tasks = list(hand.tasks)
        self._end(hand)
        self.hands.remove(hand)
        self.waiting.extendleft(reversed(tasks[1:]))
        yield from self._blame(tasks[0], f"it takes longer than {self.limits.seconds:g} s")

    def _blame(self, points: Range, why: str) -> Iterator[Part]:
        start, stop = points
        if stop - start == 1:
            yield task.marked(self.study, start, why)
            return
        middle = (start + stop) // 2
        self.waiting.extendleft([(middle, stop), (start, middle)])

    def _end(self, hand: Hand) -> None:
        hand.pipe.close()
        hand.process.kill()
        hand.process.join()


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Processes that begin here are not interrupted, also before they can say so themselves: Ctrl-C is the parent's."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
