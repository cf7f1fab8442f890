"""Jobs: each in a child process of its own that can be ended at any moment; so many at once, the others wait.

Work that comes often and is short (maps while a slider moves) is done by a worker that stays warm for a while.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from closedchain.studio.child import Child, Gone, Reply, Tell
from closedchain.studio.failures import told
from closedchain.studio.limits import Limits

LATE = "took longer than {:g} s and was stopped; ask for less"
DIED = "its process ended: out of memory or processor time, or a bug; ask for less"
FULL = "{} jobs are open; wait for one, or cancel one"
CANCELLED = "cancelled"


class Jobs:
    """Runs jobs, at most `running` at once, at most `jobs_in_all` open."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.slots = asyncio.Semaphore(limits.running)
        self.open = 0
        self.idle: Child | None = None
        self.busy: set[Child] = set()
        self.timer: asyncio.TimerHandle | None = None
        self.endings: set[asyncio.Task[None]] = set()

    async def run(self, op: str, body: dict[str, Any], seconds: float, tell: Tell, *, keep: bool) -> Reply:
        """The answer of a job; cancelling the task that waits here ends the process."""
        if self.open >= self.limits.jobs_in_all:
            return Reply.refused(told(FULL.format(self.open), "limit"))
        self.open += 1
        try:
            async with self.slots:
                return await self._asked(op, body, seconds, tell, keep)
        finally:
            self.open -= 1

    async def _asked(self, op: str, body: dict[str, Any], seconds: float, tell: Tell, keep: bool) -> Reply:
        child = await self._take()
        self.busy.add(child)
        kept = False
        try:
            async with asyncio.timeout(seconds):
                reply = await child.ask(op, body, memory=self.limits.memory_job, seconds=seconds, tell=tell)
            kept = keep and self.idle is None
            return reply
        except TimeoutError:
            return Reply.refused(told(f"{op} {LATE.format(seconds)}", "limit"))
        except Gone:
            return Reply.refused(told(f"{op}: {DIED}", "limit"))
        finally:
            self.busy.discard(child)
            if kept:
                self._rest(child)
            else:
                await asyncio.shield(child.end())

    async def _take(self) -> Child:
        child, self.idle = self.idle, None
        if self.timer is not None:
            self.timer.cancel()
        if child is not None and child.alive:
            return child
        starting = asyncio.ensure_future(Child.start(background=True))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(self._unwanted)
            raise

    def _unwanted(self, starting: asyncio.Future[Child]) -> None:
        """End a child that was ready only after its job was cancelled."""
        if not starting.cancelled() and starting.exception() is None:
            self._end_later(starting.result())

    def _rest(self, child: Child) -> None:
        """Keep a worker for the next one, for a while."""
        self.idle = child
        loop = asyncio.get_running_loop()
        self.timer = loop.call_later(self.limits.idle, self._tired)

    def _tired(self) -> None:
        if self.idle is not None:
            self._end_later(self.idle)
            self.idle = None

    def _end_later(self, child: Child) -> None:
        ending = asyncio.get_running_loop().create_task(child.end())
        self.endings.add(ending)
        ending.add_done_callback(self.endings.discard)

    async def end(self) -> None:
        """End every child."""
        if self.timer is not None:
            self.timer.cancel()
        children = [*self.busy, *([self.idle] if self.idle is not None else [])]
        self.idle = None
        for child in children:
            with contextlib.suppress(Exception):
                await child.end()
        for ending in tuple(self.endings):
            await ending
