"""The doors: which names and origins may speak to the studio, what every answer carries, what is refused unread."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import socket
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = ("127.0.0.1", "localhost")
EVERYWHERE = ("0.0.0.0", "::")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; "
    "media-src 'self' blob:; worker-src 'self'; connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), usb=()",
    "X-Frame-Options": "DENY",
}
METHODS = ("GET", "HEAD")
LONGEST_PATH = 512
MISDIRECTED, FORBIDDEN, NOT_ALLOWED, TOO_LARGE, TOO_LONG = 421, 403, 405, 413, 414


@dataclass(frozen=True)
class Doors:
    """Who may come in: exact Host and Origin values, and the token."""

    hosts: frozenset[str]
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)  # 192 bits

    @property
    def origins(self) -> frozenset[str]:
        return frozenset(f"http://{host}" for host in self.hosts)

    def admits(self, token: Any) -> bool:
        """Whether a token is ours, in constant time."""
        given = token.encode() if isinstance(token, str) else b""
        return hmac.compare_digest(given, self.token.encode())

    def key(self, *words: str) -> str:
        """A name that nobody can guess without the token, the same for the same words."""
        text = "\0".join(words).encode()
        return hmac.new(self.token.encode(), text, hashlib.sha256).hexdigest()[:48]


def doors(host: str, port: int, names: tuple[str, ...] = ()) -> Doors:
    """The exact list for an address that is listened on."""
    known = {*LOCAL, *names}
    if host in EVERYWHERE:
        name = socket.gethostname()
        known |= {name, *_addresses(name)}
    else:
        known.add(host)
    written = {f"[{n}]" if ":" in n else n for n in known}
    return Doors(frozenset({f"{n}:{port}" for n in written} | (written if port == 80 else set())))


def _addresses(name: str) -> list[str]:
    try:
        return socket.gethostbyname_ex(name)[2]
    except OSError:
        return []


class Guard:
    """ASGI middleware: Host, Origin, method, body and path are checked before anything else sees a request."""

    def __init__(self, app: ASGIApp, doors: Doors) -> None:
        self.app, self.doors = app, doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self.refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal is not None:
                await send({"type": "websocket.close", "code": 4403, "reason": refusal[1]})
                return
            await self.app(scope, receive, send)
            return
        host = headers.get("host", "") if refusal is None or refusal[0] != MISDIRECTED else ""
        sealed = _sealed(send, host, closing=refusal is not None)
        if refusal is not None:
            await PlainTextResponse(f"{refusal[1]}\n", refusal[0])(scope, receive, sealed)
            return
        await self.app(scope, receive, sealed)

    def refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """The status and words for a request that is refused; None for one that may go on."""
        if headers.getlist("host") != [headers.get("host")] or headers["host"] not in self.doors.hosts:
            return MISDIRECTED, "not by this name"
        origins = headers.getlist("origin")
        if (origins or scope["type"] == "websocket") and not (len(origins) == 1 and origins[0] in self.doors.origins):
            return FORBIDDEN, "not from this origin"
        if scope["type"] == "websocket":
            return None if scope["path"] == "/ws" else (FORBIDDEN, "nothing here")
        if scope["method"] not in METHODS:
            return NOT_ALLOWED, "only GET and HEAD"
        if headers.get("transfer-encoding") is not None or headers.get("content-length", "0") != "0":
            return TOO_LARGE, "no request here has a body"
        if len(scope.get("raw_path") or scope["path"]) > LONGEST_PATH:
            return TOO_LONG, "too long a path"
        return None


def _sealed(send: Send, host: str, closing: bool) -> Send:
    """Every response with our headers."""

    async def sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers["Content-Security-Policy"] = POLICY.format(host=host) if host else "default-src 'none'"
            headers.setdefault("Cache-Control", "no-store")
            if message["status"] == NOT_ALLOWED:
                headers["Allow"] = ", ".join(METHODS)
            if closing:
                headers["Connection"] = "close"
        await send(message)

    return sealed
