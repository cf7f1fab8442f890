"""The HTTP side: the page and its files, kernels as JavaScript, downloads, and the WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import mimetypes
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from closedchain.studio.desk import Desk
from closedchain.studio.security import Guard
from closedchain.studio.socket import Session

STATIC = Path(__file__).parent / "static"
UNBUILT = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>closedchain studio</title><p>The studio's page is not "
    "built: <code>npm --prefix web ci &amp;&amp; npm --prefix web run build</code> makes it.</p></html>"
)
KINDS = {
    ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
    ".woff2": "font/woff2", ".json": "application/json", ".html": "text/html; charset=utf-8",
    ".npz": "application/octet-stream", ".csv": "text/csv; charset=utf-8", ".toml": "application/toml",
}  # fmt: skip
FOR_GOOD = "private, max-age=31536000, immutable"


def build(desk: Desk, static: Path = STATIC, *, warm: bool = True) -> ASGIApp:
    """The application behind its guard; `warm` starts the solver at once, otherwise the first question does."""

    async def index(request: Request) -> Response:
        page = static / "index.html"
        if not page.is_file():
            return HTMLResponse(UNBUILT, 503)
        return Response(page.read_bytes(), media_type=KINDS[".html"])

    async def asset(request: Request) -> Response:
        folder = (
            static / "assets" if request.path_params["name"] and request.url.path.startswith("/assets/") else static
        )
        found = next((p for p in _files(folder) if p.name == request.path_params["name"]), None)
        if found is None:
            return nothing()
        headers = {"Cache-Control": FOR_GOOD} if folder.name == "assets" else {}
        return Response(found.read_bytes(), media_type=kind(found.suffix), headers=headers)

    async def script(request: Request) -> Response:
        text = await desk.script(request.path_params["key"])
        return nothing() if text is None else Response(text, media_type=KINDS[".js"])

    async def download(request: Request) -> Response:
        made = desk.downloads.take(request.path_params["key"], request.path_params["name"])
        if made is None:
            return nothing()
        headers = {"Content-Disposition": f'attachment; filename="{made.name}"'}
        return Response(made.content, media_type=kind(Path(made.name).suffix), headers=headers)

    async def socket(websocket: WebSocket) -> None:
        await Session(desk, websocket).run()

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        warming = asyncio.get_running_loop().create_task(desk.solver.warm()) if warm else None
        try:
            yield
        finally:
            if warming is not None:
                warming.cancel()
                await asyncio.gather(warming, return_exceptions=True)
            await desk.end()

    routes = [
        Route("/", index),
        Route("/assets/{name}", asset),
        Route("/k/{key}.js", script),
        Route("/files/{key}/{name}", download),
        Route("/{name}", asset),
        WebSocketRoute("/ws", socket),
    ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={404: _missing})
    app.router.redirect_slashes = False
    return Guard(app, desk.doors)


def _files(folder: Path) -> list[Path]:
    """The ordinary files of a folder; a name that is not among them leads nowhere."""
    if not folder.is_dir():
        return []
    return [p for p in folder.iterdir() if p.is_file() and not p.is_symlink()]


def kind(suffix: str) -> str:
    """The media type of a file's ending."""
    return KINDS.get(suffix) or mimetypes.types_map.get(suffix, "application/octet-stream")


def nothing() -> Response:
    """404."""
    return PlainTextResponse("nothing here\n", 404)


async def _missing(request: Request, error: Exception) -> Response:
    return nothing()
