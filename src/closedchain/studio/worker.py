"""A child process of the studio: takes requests from one pipe, answers on another, under limits of its own.

`python -m closedchain.studio.worker` with stdin and stdout as the pipes. Whatever a library prints goes to stderr.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

from closedchain.studio.failures import failure
from closedchain.studio.frames import encode, text_of
from closedchain.studio.pipe import ANSWER, FAILURE, FRAME, HEAD, PROGRESS, pack
from closedchain.studio.tables import HOMES, Framed

try:
    import resource
except ImportError:  # Windows has no such limits: the server's clock is what ends a request there
    LIMITED = False
else:
    LIMITED = True

EVERY = 0.1  # [s] at least between two messages of progress
DEBUG = "CLOSEDCHAIN_DEBUG"
POLITE = 5

Operation = Callable[[dict[str, Any], Callable[[float | None, str], None]], Any]


class Teller:
    """Says how far a request is, not too often."""

    def __init__(self, out: BinaryIO) -> None:
        self.out, self.last = out, 0.0

    def __call__(self, share: float | None, note: str = "") -> None:
        now = time.monotonic()
        if now - self.last < EVERY:
            return
        self.last = now
        send(self.out, PROGRESS, {"progress": share, "note": note})


def send(out: BinaryIO, kind: bytes, content: dict[str, Any] | bytes) -> None:
    """Write one message whole."""
    data = content if isinstance(content, bytes) else text_of(content).encode()
    out.write(pack(kind, data))
    out.flush()


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes under numbers of their own; 0 is empty and 1 is stderr for everybody else."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def limit(memory: int, cpu_seconds: int) -> None:
    """Bound address space for good, and processor time from now on."""
    if not LIMITED:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime) + 1
    _set(resource.RLIMIT_CPU, spent + cpu_seconds)
    if memory and sys.platform.startswith("linux"):  # elsewhere the address space has no limit that is kept
        _set(resource.RLIMIT_AS, memory)


def _set(what: int, soft: int) -> None:
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def answer(op: str, body: dict[str, Any], tell: Teller) -> tuple[bytes, dict[str, Any] | bytes]:
    """Run one operation; every failure becomes an answer."""
    try:
        place, name = HOMES[op].split(":")
        operation: Operation = getattr(importlib.import_module(f"closedchain.studio.operations.{place}"), name)
        made = operation(body, tell)
        if isinstance(made, Framed):
            return FRAME, encode(made.arrays, made.meta)
        return ANSWER, made
    except Exception as error:
        if os.environ.get(DEBUG):
            traceback.print_exception(error)
        return FAILURE, failure(error)


def main() -> None:
    """Answer until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's; it ends its children
    if "background" in sys.argv[1:] and hasattr(os, "nice"):
        os.nice(POLITE)  # the page and the solver come first
    requests, answers = private_pipes()
    tell = Teller(answers)
    while len(head := requests.read(HEAD.size)) == HEAD.size:
        request = json.loads(requests.read(HEAD.unpack(head)[1]))
        limit(request["memory"], request["cpu"])
        kind, content = answer(request["op"], request["body"], tell)
        try:
            send(answers, kind, content)
        except OverflowError as error:
            send(answers, FAILURE, failure(error))
        except BrokenPipeError:
            return


if __name__ == "__main__":
    main()
