"""A small web server on this computer alone: 127.0.0.1, an address nobody can guess, nothing but GET."""

from __future__ import annotations

import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

HERE = "127.0.0.1"
OWN = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"
NEVER = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
KINDS = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".npz": "application/octet-stream",
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
