"""`serve`: the studio on an address of this computer until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import signal
import socket
import sys
import webbrowser
from asyncio import TimerHandle, Transport
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from closedchain.errors import BadInput
from closedchain.studio.app import build
from closedchain.studio.desk import Desk
from closedchain.studio.limits import Limits
from closedchain.studio.security import LOCAL, doors
from closedchain.studio.workspace import Workspace

EXPOSED = (
    "warning: the studio listens on {} and can be reached by other computers; whoever has the address below can use "
    "this computer's processor and read the files of {}. The connection is not encrypted."
)


@dataclass(frozen=True)
class Setting:
    """How to serve."""

    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()  # further names by which the browser may call this computer
    browser: bool = True
    workspace: str | Path = "."
    opened: dict[str, Any] | None = None  # the robot to begin with


class Quiet(uvicorn.Server):
    """uvicorn that leaves signals to us."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Patient(H11Protocol):
    """HTTP/1.1 that waits only so long for the head of a request, and keeps only so many connections open."""

    limits = Limits()
    hurry: TimerHandle | None = None
    upgraded = False  # to a WebSocket, whose clock is the session's

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            transport.close()
            return
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle: Any = self.cycle  # None before the first request
        if self.upgraded or (cycle is not None and not cycle.response_complete):
            self._heard()
        elif self.hurry is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._heard()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: Any) -> None:
        self.upgraded = True
        super().handle_websocket_upgrade(event)

    def _wait(self) -> None:
        self.hurry = self.loop.call_later(self.limits.header, self._late)

    def _heard(self) -> None:
        if self.hurry is not None:
            self.hurry.cancel()
            self.hurry = None

    def _late(self) -> None:
        self.hurry = None
        if not self.transport.is_closing():
            self.transport.close()


def serve(setting: Setting, tell: Callable[[str], None]) -> int:
    """Serve until SIGINT or SIGTERM; every child has ended when this returns."""
    workspace = Workspace(setting.workspace)
    listener = listen(setting.host, setting.port)
    port = listener.getsockname()[1]
    desk = Desk(doors(setting.host, port, setting.names), workspace, opened=setting.opened)
    if setting.host not in LOCAL:
        tell(EXPOSED.format(setting.host, workspace.folder))
    shown = "127.0.0.1" if setting.host in ("0.0.0.0", "::") else setting.host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/#t={desk.doors.token}"
    server = Quiet(configuration(build(desk), desk.limits))
    with contextlib.closing(listener):
        asyncio.run(_until_done(server, listener, functools.partial(_ready, address, setting.browser, tell)))
    tell("done")
    return 0


def configuration(app: Any, limits: Limits) -> uvicorn.Config:
    """uvicorn with our limits and none of its logs."""
    return uvicorn.Config(
        app,
        http=type("Patient", (Patient,), {"limits": limits}),
        ws="websockets-sansio",
        ws_max_size=limits.frame,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        ws_per_message_deflate=False,
        timeout_keep_alive=max(1, round(limits.header)),
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=16 * 1024,
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="on",
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; raises BadInput where it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"cannot listen on {host} port {port}: {reason}; try --port 0 for any free one") from None
    made.set_inheritable(False)
    return made


async def _until_done(server: uvicorn.Server, listener: socket.socket, ready: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()

    def stop() -> None:  # the second time without waiting for anybody
        server.force_exit, server.should_exit = server.should_exit, True

    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
    serving = loop.create_task(server.serve([listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if server.started:
        ready()
    await serving


def _ready(address: str, browser: bool, tell: Callable[[str], None]) -> None:
    tell(f"the studio is at {address} until Ctrl-C")
    if browser:
        webbrowser.open(address)
