"""A child process of the pool: takes ranges of points from a pipe, answers with their results."""

from __future__ import annotations

import contextlib
import signal
from multiprocessing.connection import Connection
from pathlib import Path

from closedchain.sweep.study import Study
from closedchain.sweep.task import attempt

with contextlib.suppress(ImportError):  # Windows has no such limits
    import resource

READY = "ready"


def serve(pipe: Connection, study: Study, memory: int | None) -> None:
    """Answer until the pipe closes; an interrupt from the keyboard is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if memory is not None:
        confine(memory)
    try:
        pipe.send((READY, None))
        while True:
            start, stop = pipe.recv()
            pipe.send(attempt(study, start, stop))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent has ended


def confine(memory: int) -> None:
    """Let this process take that many bytes more than it has now."""
    if "resource" not in globals():
        return
    status = Path("/proc/self/statm")
    held = int(status.read_text().split()[0]) * resource.getpagesize() if status.exists() else 0
    most = held + memory
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
