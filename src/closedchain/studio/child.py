"""The server's end of a child process: start it, ask it, hear its progress, and end it for certain."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from closedchain.studio.frames import text_of
from closedchain.studio.pipe import FAILURE, FRAME, HEAD, LONGEST, PROGRESS, REQUEST, pack

COMMAND = (sys.executable, "-P", "-m", "closedchain.studio.worker")  # the current folder holds no modules of ours
PACKAGE = str(Path(__file__).parents[2])
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}  # matrices here are small
DEBUG = "CLOSEDCHAIN_DEBUG"

Tell = Callable[[bytes], None]


class Gone(Exception):
    """The child ended before it answered."""


@dataclass(frozen=True)
class Reply:
    """What a child said last, as it said it: an answer's JSON, a frame, or why not; the server reads none of it."""

    ok: bool
    content: bytes
    framed: bool = False

    @staticmethod
    def made(document: dict[str, Any]) -> Reply:
        """An answer of the server itself."""
        return Reply(True, text_of(document).encode())

    @staticmethod
    def refused(problem: dict[str, Any]) -> Reply:
        """Why there is none: {message, where, kind}."""
        return Reply(False, text_of(problem).encode())

    @property
    def document(self) -> dict[str, Any]:
        """The content in words; for the few whose answer the server itself makes something of."""
        made: dict[str, Any] = json.loads(self.content)
        return made


class Child:
    """One process; one request at a time."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.asked = 0

    @classmethod
    async def start(cls, *, background: bool = False) -> Child:
        """A new process; it imports what it needs when it is first asked. In the background it gives way to others."""
        stderr = None if os.environ.get(DEBUG) else DEVNULL
        environment = {**os.environ, **ONE_THREAD}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (PACKAGE, os.environ.get("PYTHONPATH"))))
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            *(["background"] if background else []),
            stdin=PIPE,
            stdout=PIPE,
            stderr=stderr,
            env=environment,
            start_new_session=os.name == "posix",
        )
        return cls(process)

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    async def ask(self, op: str, body: dict[str, Any], *, memory: int, seconds: float, tell: Tell | None) -> Reply:
        """The answer; raises Gone if the child ends first. Whoever stops waiting must end the child."""
        self.asked += 1
        assert self.process.stdin is not None
        request = {"op": op, "body": body, "memory": memory, "cpu": max(2, round(seconds * 4))}
        try:
            self.process.stdin.write(pack(REQUEST, json.dumps(request).encode()))
            await self.process.stdin.drain()
            while True:
                kind, content = await self._message()
                if kind != PROGRESS:
                    return Reply(kind != FAILURE, content, framed=kind == FRAME)
                if tell is not None:
                    tell(content)
        except (asyncio.IncompleteReadError, ConnectionError, OSError) as error:
            raise Gone from error

    async def _message(self) -> tuple[bytes, bytes]:
        assert self.process.stdout is not None
        kind, length = HEAD.unpack(await self.process.stdout.readexactly(HEAD.size))
        if length > LONGEST:
            raise Gone
        return kind, await self.process.stdout.readexactly(length)

    async def end(self) -> None:
        """Kill it with what it has started, and wait until it is gone."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if os.name == "posix":
                    os.killpg(self.process.pid, signal.SIGKILL)  # it leads a session of its own
                else:
                    self.process.kill()
        with contextlib.suppress(Exception):
            if self.process.stdin is not None:
                self.process.stdin.close()
        await self.process.wait()
