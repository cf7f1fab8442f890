"""The warm solver: one child process for quick questions, started again when it dies or takes too long."""

from __future__ import annotations

import asyncio
from typing import Any

from closedchain.studio.child import Child, Gone, Reply
from closedchain.studio.failures import told
from closedchain.studio.limits import Limits

LATE = "took longer than {:g} s and was stopped; try a smaller question"
DIED = "the solver ended unexpectedly, out of memory or by a bug; it was started again: ask once more"


class Solver:
    """Answers one question at a time, in their order."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.turn = asyncio.Lock()
        self.child: Child | None = None
        self.restarts = 0

    async def warm(self) -> None:
        """Start the child and let it import."""
        await self.ask("hello", {}, 60.0)

    async def ask(self, op: str, body: dict[str, Any], seconds: float) -> Reply:
        """The answer, or why not; never waits longer than `seconds` for the child."""
        async with self.turn:
            if self.child is None or not self.child.alive:
                self.child = await Child.start()
            child = self.child
            try:
                async with asyncio.timeout(seconds):
                    return await child.ask(op, body, memory=self.limits.memory, seconds=seconds, tell=None)
            except TimeoutError:
                await self._drop(child)
                return Reply.refused(told(f"{op} {LATE.format(seconds)}", "limit"))
            except Gone:
                await self._drop(child)
                return Reply.refused(told(DIED, "internal"))
            except BaseException:  # cancelled in mid-answer: the pipe holds half a message
                await self._drop(child)
                raise

    async def _drop(self, child: Child) -> None:
        self.child, self.restarts = None, self.restarts + 1
        await asyncio.shield(child.end())

    async def end(self) -> None:
        """End the child."""
        if self.child is not None:
            await self.child.end()
            self.child = None
