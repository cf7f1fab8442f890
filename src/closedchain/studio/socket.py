"""One browser's WebSocket: hello with the token first, then requests; answers come as they are ready."""

from __future__ import annotations

import asyncio
import base64
import functools
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from closedchain.errors import ClosedChainError
from closedchain.studio.checking import BadMessage, check, identify, parse
from closedchain.studio.child import Reply
from closedchain.studio.desk import Desk
from closedchain.studio.failures import failure, told
from closedchain.studio.frames import addressed, enclosed, text_of
from closedchain.studio.jobs import CANCELLED
from closedchain.studio.messages import OPERATIONS, Operation

NO_TOKEN, NO_HELLO, TOO_MANY, TOO_LARGE, UNSUPPORTED = 4401, 4408, 4429, 1009, 1003
Work = Callable[[], Awaitable[None]]
UNHURRIED = 20.0  # [s] a browser may take to accept an answer


class Session:
    """Talks to one browser until it goes; every job it has open ends with it."""

    def __init__(self, desk: Desk, websocket: WebSocket) -> None:
        self.desk, self.websocket = desk, websocket
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.jobs: set[int] = set()
        self.telling: dict[int, asyncio.Task[None]] = {}
        self.sending = asyncio.Lock()

    async def run(self) -> None:
        """From the handshake to the end."""
        if self.desk.sockets >= self.desk.limits.sockets:
            await self.websocket.close(TOO_MANY)
            return
        self.desk.sockets += 1
        try:
            await self.websocket.accept()
            if await self._admitted():
                await self._serve()
        except (WebSocketDisconnect, RuntimeError, ConnectionError, TimeoutError):
            pass  # the browser went away
        finally:
            self.desk.sockets -= 1
            for task in self.tasks.values():
                task.cancel()
            await asyncio.gather(*self.tasks.values(), return_exceptions=True)

    # The door -----------------------------------------------------------------------------------

    async def _admitted(self) -> bool:
        """Whether the first message is hello with the token; the connection is closed where not."""
        try:
            async with asyncio.timeout(self.desk.limits.hello):
                message = parse(await self._text())
                number, op = identify(message)
        except TimeoutError:
            await self.websocket.close(NO_HELLO)
            return False
        except BadMessage:
            await self.websocket.close(NO_TOKEN)
            return False
        if op != "hello" or not self.desk.doors.admits(message.get("token")):
            await self.websocket.close(NO_TOKEN)
            return False
        self._start(number, functools.partial(self._hello, number))
        return True

    async def _hello(self, number: int) -> None:
        more = {"open": self.desk.opened, "workspace": self.desk.workspace.folder.name}
        await self._reply(number, await self.desk.quick("hello", {}), **more)

    # Requests -----------------------------------------------------------------------------------

    async def _serve(self) -> None:
        while True:
            try:
                text = await self._text()
            except BadMessage:
                await self.websocket.close(UNSUPPORTED)
                return
            if len(text) > self.desk.limits.frame:
                await self.websocket.close(TOO_LARGE)
                return
            await self._take(text)

    async def _text(self) -> str:
        message = await self.websocket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        text = message.get("text")
        if not isinstance(text, str):
            raise BadMessage("", "is binary; requests are text")
        return text

    async def _take(self, text: str) -> None:
        """Start on a request, or say what is wrong with it."""
        number = 0
        try:
            message = parse(text)
            number, op = identify(message)
            if op not in OPERATIONS:
                raise BadMessage("op", f"{op[:40]!r} is not known; there are {', '.join(OPERATIONS)}")
            operation = OPERATIONS[op]
            body = check(operation.request, message)
            self._room(number, operation)
        except (ClosedChainError, RecursionError) as error:
            problem = error if isinstance(error, ClosedChainError) else BadMessage("", "is nested too deep")
            await self._refuse(number, failure(problem))
            return
        if operation.where in ("job", "warm"):
            self.jobs.add(number)
        self._start(number, functools.partial(self._answer, number, op, operation, body))

    def _room(self, number: int, operation: Operation) -> None:
        if number in self.tasks:
            raise BadMessage("id", f"{number} is still being answered; take another")
        if len(self.tasks) >= self.desk.limits.waiting:
            raise BadMessage("id", f"{len(self.tasks)} requests wait for their answers; ask more slowly")
        if operation.where in ("job", "warm") and len(self.jobs) >= self.desk.limits.jobs:
            raise BadMessage("op", f"{len(self.jobs)} jobs are open here; wait for one or cancel one")

    def _start(self, number: int, work: Work) -> None:
        task = asyncio.get_running_loop().create_task(self._guarded(number, work))
        self.tasks[number] = task
        task.add_done_callback(lambda done: self._done(number))

    def _done(self, number: int) -> None:
        self.tasks.pop(number, None)
        self.jobs.discard(number)

    async def _guarded(self, number: int, work: Work) -> None:
        """A bug ends one request, not the connection."""
        try:
            await work()
        except (WebSocketDisconnect, RuntimeError, ConnectionError, TimeoutError):
            pass
        except Exception as error:
            await self._refuse(number, failure(error))

    async def _answer(self, number: int, op: str, operation: Operation, body: dict[str, Any]) -> None:
        match op:
            case "hello":
                await self._hello(number) if self.desk.doors.admits(body["token"]) else await self.websocket.close(
                    NO_TOKEN
                )
            case "cancel":
                await self._reply(number, Reply.made({"found": self._cancel(body["target"])}))
            case "files":
                await self._reply(number, Reply.made(self.desk.workspace.listed()))
            case "read":
                await self._reply(number, self._tried(lambda: {"text": self.desk.workspace.read(body["name"])}))
            case "save":
                await self._reply(number, self._tried(lambda: {"written": self.desk.workspace.write(**body)}))
            case _ if operation.where == "solver":
                await self._reply(number, await self._quick(op, body))
            case _:
                await self._job(number, op, operation, body)

    def _tried(self, work: Callable[[], dict[str, Any]]) -> Reply:
        try:
            return Reply.made(work())
        except ClosedChainError as error:
            return Reply.refused(failure(error))

    async def _quick(self, op: str, body: dict[str, Any]) -> Reply:
        """An answer of the solver; a robot's holds the address of its kernels."""
        if op != "robot":
            return await self.desk.quick(op, body)
        address = self.desk.kernels(body["robot"]["source"], body["robot"]["toml"])
        reply = await self.desk.quick(op, body | {"kernels": address.path})
        self.desk.given_out(address, reply)
        return reply

    # Jobs ---------------------------------------------------------------------------------------

    def _cancel(self, target: int) -> bool:
        if target not in self.jobs:
            return False
        self.tasks[target].cancel()
        return True

    async def _job(self, number: int, op: str, operation: Operation, body: dict[str, Any]) -> None:
        tell = functools.partial(self._tell, number)
        try:
            request = self._prepared(op, body)
            reply = await self.desk.jobs.run(op, request, operation.seconds, tell, keep=operation.where == "warm")
        except asyncio.CancelledError:
            if self.websocket.client_state.name == "CONNECTED":
                await asyncio.shield(self._refuse(number, told(CANCELLED, "cancelled")))
            raise
        except ClosedChainError as error:
            reply = Reply.refused(failure(error))
        if number in self.telling:
            await asyncio.wait([self.telling[number]])
        await self._reply(number, self._finished(op, body, reply))

    def _tell(self, number: int, progress: bytes) -> None:
        """Pass on how far a job is; a browser that is slow to read misses some."""
        if number not in self.telling:
            saying = self._guarded(number, functools.partial(self._say, enclosed(progress, id=number)))
            self.telling[number] = asyncio.get_running_loop().create_task(saying)
            self.telling[number].add_done_callback(lambda done: self.telling.pop(number, None))

    def _prepared(self, op: str, body: dict[str, Any]) -> dict[str, Any]:
        """What the child needs besides the request: the run of a download, a run's own name, the workspace."""
        if op == "file":
            if body["job"] not in self.desk.runs:
                raise BadMessage("job", "is not known any more; run it again")
            return {"run": self.desk.runs[body["job"]], "format": body["format"]}
        if op == "simulate":
            request = body | {"workspace": str(self.desk.workspace.folder)}
            return request | {"job": self.desk.remember_run(request)}
        if op == "define":
            return body | {"kernels": self.desk.kernels(None, body["toml"]).path}
        return body

    def _finished(self, op: str, body: dict[str, Any], reply: Reply) -> Reply:
        if not reply.ok:
            return reply
        if op == "file":
            file = reply.document
            name, content = file["name"], base64.b64decode(file["content"])
            made = {"url": self.desk.downloads.put(name, content), "name": name, "bytes": len(content)}
            return Reply.made(made)
        if op == "define":
            self.desk.given_out(self.desk.kernels(None, body["toml"]), reply)
        return reply

    # Answers ------------------------------------------------------------------------------------

    async def _reply(self, number: int, reply: Reply, **more: Any) -> None:
        """Pass an answer on, with its id before what the child has written."""
        if reply.framed:
            async with self.sending, asyncio.timeout(UNHURRIED):
                await self.websocket.send_bytes(addressed(reply.content, number))
        elif reply.ok:
            await self._say(enclosed(reply.content, id=number, ok=True, **more))
        else:
            await self._refuse(number, reply.document)

    async def _refuse(self, number: int, error: dict[str, Any]) -> None:
        await self._say(text_of({"id": number, "ok": False, "error": error}))

    async def _say(self, text: str) -> None:
        async with self.sending, asyncio.timeout(UNHURRIED):
            await self.websocket.send_text(text)
