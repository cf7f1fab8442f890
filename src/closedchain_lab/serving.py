"""`closedchain lab serve`: a folder of runs in the browser, by a web server for this computer alone: 127.0.0.1, an
address nobody can guess, nothing but GET.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from closedchain.errors import BadInput
from closedchain.view import asset, html_page
from closedchain_lab.page import PAGE, own_asset

HERE = "127.0.0.1"
OWN = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"
SELF_CONTAINED = "frame-ancestors 'none'"  # a run's page has a policy of its own
NEVER = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
KINDS = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".npz": "application/octet-stream", ".csv": "text/csv; charset=utf-8",
}  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    """Asks its server for pages; refuses other hosts' names and addresses without the token."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """A page, or why not."""
        if self.headers.get("Host") not in self.server.hosts:
            self.answer(403, b"not by this name\n", ".txt")
            return
        path = unquote(urlsplit(self.path).path)
        head = f"/{self.server.token}/"
        if not path.startswith(head) or not self.server.respond(self, path.removeprefix(head)):
            self.answer(404, b"nothing here\n", ".txt")

    def answer(self, status: int, content: bytes, suffix: str, policy: str = OWN) -> None:
        """Send one file."""
        self.send_response(status)
        self.send_header("Content-Type", KINDS.get(suffix, "text/plain; charset=utf-8"))
        self.send_header("Content-Length", str(len(content)))
        for name, value in (NEVER | {"Content-Security-Policy": policy}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


class Server(ThreadingHTTPServer):
    """Runs in a thread while it is open; what it answers is in `respond`."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        self.token = secrets.token_urlsafe(18)
        super().__init__((HERE, port), Handler)
        number = self.server_address[1]
        self.hosts = {f"{HERE}:{number}", f"localhost:{number}"}
        self.address = f"http://{HERE}:{number}/{self.token}/"

    def respond(self, handler: Handler, name: str) -> bool:
        """Answer for a name; False where there is nothing."""
        return False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no error."""

    def __enter__(self) -> Server:
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()


class Runs(Server):
    """The pages of a folder's runs, and a list of them that is made anew at each look."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        if not folder.is_dir():
            raise BadInput(f"no folder {str(folder)[:200]!r}; `closedchain lab run` makes lab-runs")
        self.folder = folder.resolve()
        super().__init__(port)

    def respond(self, handler: Handler, name: str) -> bool:
        """The list, or a file of a run; nothing outside the folder."""
        if not name:
            handler.answer(200, listing(self.folder).encode(), ".html", SELF_CONTAINED)
            return True
        path = (self.folder / name).resolve()
        if path.is_dir() and not name.endswith("/"):
            return False
        path = path / PAGE if path.is_dir() else path
        if not path.is_relative_to(self.folder) or path.suffix not in KINDS or not path.is_file():
            return False
        handler.answer(200, path.read_bytes(), path.suffix, SELF_CONTAINED)
        return True


def listing(folder: Path) -> str:
    """Every run, newest first."""
    rows = []
    for path in sorted((*folder.glob(f"*/{PAGE}"), *folder.glob("*.html")), key=lambda page: -page.stat().st_mtime):
        name, end = (path.name, "") if path.parent == folder else (path.parent.name, "/")
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(path.stat().st_mtime))
        rows.append(f'<tr><td><a href="{escape(quote(name) + end)}">{escape(name)}</a></td><td>{when}</td></tr>')
    head = '<thead><tr><th scope="col">run</th><th scope="col">when</th></tr></thead>'
    table = f'<table class="runs">{head}<tbody>{"".join(rows)}</tbody></table>'
    inside = table if rows else "<p>No runs yet: <code>closedchain lab run SCRIPT</code> makes one.</p>"
    body = f'<main class="run"><h1>Runs in {escape(folder.name)}</h1>{inside}</main>'
    return html_page(f"Runs in {folder.name}", body, styles=[asset("player.css"), own_asset("lab.css")])


def serve(folder: Path, port: int, tell: Callable[[str], None]) -> int:
    """Serve until Ctrl-C."""
    with Runs(folder, port) as server:
        tell(f"the runs are at {server.address} until Ctrl-C")
        try:
            while server.thread.is_alive():
                server.thread.join(0.5)
        except KeyboardInterrupt:
            tell("done")
    return 0
