"""A studio that runs within a test, on a real socket, and a browser that speaks to it."""

import asyncio
import contextlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from websockets.asyncio.client import connect

from closedchain.studio.app import build
from closedchain.studio.desk import Desk
from closedchain.studio.frames import HEAD
from closedchain.studio.limits import Limits
from closedchain.studio.security import doors
from closedchain.studio.serving import Quiet, configuration, listen
from closedchain.studio.workspace import Workspace


def run(test, seconds=120):
    """What an async test returns; in a thread of its own, as Playwright's loop may already run in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(asyncio.wait_for(test, seconds))).result()


@dataclass
class Running:
    """Where a studio listens, and what it holds."""

    port: int
    desk: Desk

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self):
        return f"http://{self.host}"


@contextlib.asynccontextmanager
async def studio(folder, limits=None, opened=None):
    """A studio whose workspace is a folder; its children have ended afterwards."""
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    desk = Desk(doors("127.0.0.1", port), Workspace(folder), limits or Limits(), opened)
    server = Quiet(configuration(build(desk, warm=False), desk.limits))
    serving = asyncio.create_task(server.serve([listener]))
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield Running(port, desk)
    finally:
        server.should_exit = True
        await serving
        listener.close()


class Browser:
    """A WebSocket with numbered requests."""

    def __init__(self, socket):
        self.socket, self.number, self.progress = socket, 0, []

    async def send(self, op, **fields):
        """Ask; returns the request's id."""
        self.number += 1
        await self.socket.send(json.dumps({"id": self.number, "op": op, **fields}))
        return self.number

    async def answer(self, number):
        """The answer of a request: a document, or a frame's (meta, arrays as headers, data)."""
        while True:
            message = await self.socket.recv()
            if isinstance(message, bytes):
                magic, found, length = HEAD.unpack_from(message)
                assert (magic, found) == (b"CCB1", number)
                header = json.loads(message[HEAD.size : HEAD.size + length])
                return header["meta"], header["arrays"], message[HEAD.size + length :]
            made = json.loads(message)
            if "progress" in made:
                self.progress.append(made)
            elif made["id"] == number:
                return made

    async def ask(self, op, **fields):
        """Ask and wait."""
        return await self.answer(await self.send(op, **fields))


@contextlib.asynccontextmanager
async def browser(running, hello=True):
    """A browser with the right origin and, unless told otherwise, the right token."""
    async with connect(f"ws://{running.host}/ws", origin=running.origin, max_size=None) as socket:
        one = Browser(socket)
        if hello:
            await one.send("hello", token=running.desk.doors.token)
            one.greeting = await one.answer(1)
        yield one


async def http(running, text, wait=5.0):
    """Send bytes as they are; everything that comes back until the server closes or falls silent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    writer.write(text)
    await writer.drain()
    got = b""
    with contextlib.suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(wait):
            while part := await reader.read(65536):
                got += part
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()
    return got


async def get(running, path, *headers, method="GET", host=None):
    """One request; (status, head, body)."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or running.host}", "Connection: close", *headers, "", ""]
    got = await http(running, "\r\n".join(lines).encode(), wait=60.0)  # the server closes: a busy one, late
    head, _, body = got.partition(b"\r\n\r\n")
    words = head.decode("latin-1").split("\r\n")
    return int(words[0].split()[1]), {w.partition(": ")[0].lower(): w.partition(": ")[2] for w in words[1:]}, body
