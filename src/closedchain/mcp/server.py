"""JSON-RPC 2.0 in lines: one message a line, in and out; calls run beside each other and can be cancelled."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TextIO

from closedchain.mcp.calling import Call
from closedchain.mcp.tools import TOOLS, BadCall
from closedchain.version import VERSION

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")  # of the protocol, newest first
BROKEN, BAD_REQUEST, UNKNOWN, BAD_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
AT_ONCE = 2  # calls that run; others wait
LONGEST = 2_000_000  # characters of a message
ABOUT = (
    "Parallel robots and linkages: every solution of their geometry, all models, singularities, simulations, checks "
    "against the laws of physics and other engines. Numbers are SI: metres, radians, newtons. A robot is named, or "
    "sent as the text of a mechanism file; `schema` describes that file, `load` tells whether it is right."
)


class Refused(Exception):
    """An answer that is an error of the protocol."""

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        super().__init__(message)


class Server:
    """Reads requests until its input ends."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.writing = threading.Lock()
        self.calls: dict[Any, Call] = {}
        self.pool = ThreadPoolExecutor(AT_ONCE)

    def serve(self, lines: Iterable[str]) -> None:
        """Answer every line; calls that are under way when the input ends are ended."""
        try:
            for line in lines:
                if line.strip():
                    self.hear(line)
        finally:
            for call in list(self.calls.values()):
                call.end()
            self.pool.shutdown(cancel_futures=True)

    def send(self, message: dict[str, Any]) -> None:
        """Write one message whole."""
        with self.writing:
            self.out.write(json.dumps({"jsonrpc": "2.0"} | message, ensure_ascii=True, allow_nan=False) + "\n")
            self.out.flush()

    def hear(self, line: str) -> None:
        """One message: a request is answered, a notification is not."""
        number = None
        try:
            message = parsed(line)
            number = message.get("id")
            method, params = message.get("method"), message.get("params", {})
            if not isinstance(method, str) or not isinstance(params, dict):
                raise Refused(BAD_REQUEST, "a message has a method and an object of params")
            if method == "notifications/cancelled":
                self.cancel(params.get("requestId"))
            elif "id" in message and method == "tools/call":
                self.call(number, params)
            elif "id" in message:
                self.send({"id": number, "result": self.answer(method, params)})
        except Refused as error:
            self.send({"id": number, "error": {"code": error.code, "message": str(error)}})

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """What can be said at once."""
        match method:
            case "initialize":
                asked = params.get("protocolVersion")
                version = asked if asked in VERSIONS else VERSIONS[0]
                named = {"name": "closedchain", "version": VERSION}
                can: dict[str, Any] = {"tools": {"listChanged": False}}
                return {"protocolVersion": version, "capabilities": can, "serverInfo": named, "instructions": ABOUT}
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [tool.told for tool in TOOLS.values()]}
        raise Refused(UNKNOWN, f"no method {method[:60]!r}; there are initialize, ping, tools/list and tools/call")

    def call(self, number: Any, params: dict[str, Any]) -> None:
        """Begin a call of a tool; it is answered when it is done."""
        name, given = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or name not in TOOLS:
            raise Refused(BAD_PARAMS, f"no tool {str(name)[:60]!r}; there are {', '.join(TOOLS)}")
        if isinstance(number, bool) or not isinstance(number, str | int) or number in self.calls:
            raise Refused(BAD_REQUEST, "an id is a text or a whole number that no other request has")
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        heard = 0

        def tell(words: str) -> None:
            nonlocal heard
            heard += 1
            if token is not None:
                about = {"progressToken": token, "progress": heard, "message": words}
                self.send({"method": "notifications/progress", "params": about})

        try:
            TOOLS[name].check(given)
            TOOLS[name].words(given)
        except BadCall as error:
            raise Refused(BAD_PARAMS, str(error)) from None
        call = self.calls[number] = Call(TOOLS[name], given, tell)
        self.pool.submit(self._finish, number, call)

    def cancel(self, number: Any) -> None:
        """End a call; nothing is answered to it."""
        if isinstance(number, str | int) and number in self.calls:
            self.calls[number].end()

    def _finish(self, number: Any, call: Call) -> None:
        try:
            answer: dict[str, Any] = {"result": call.run()} if not call.ended else {}
        except Exception as error:  # whatever it was, the client hears of it and the server goes on
            answer = {"error": {"code": INTERNAL, "message": f"{type(error).__name__}: {error}"[:500]}}
        del self.calls[number]
        if not call.ended:
            self.send({"id": number, **answer})


def parsed(line: str) -> dict[str, Any]:
    """A message; raises Refused for what is none."""
    if len(line) > LONGEST:
        raise Refused(BAD_REQUEST, f"a message has at most {LONGEST} characters")
    try:
        message = json.loads(line, parse_constant=_number, parse_float=_number)
    except (ValueError, RecursionError):
        raise Refused(BROKEN, "a line is not JSON") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Refused(BAD_REQUEST, 'a message is an object with "jsonrpc": "2.0"')
    return message


def _number(text: str) -> float:
    """A number that can be written again; ValueError for NaN and for what doubles cannot hold."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value
