"""How much a request, a connection and the whole studio may use."""

from __future__ import annotations

from dataclasses import dataclass

MB = 2**20


@dataclass(frozen=True)
class Limits:
    """Every bound in one place."""

    frame: int = 64 * 1024  # bytes of a text frame
    hello: float = 5.0  # [s] for the first message
    header: float = 10.0  # [s] for the head of an HTTP request
    connections: int = 64  # open TCP connections
    sockets: int = 16  # open WebSockets
    waiting: int = 64  # quick requests of one connection that have no answer yet
    jobs: int = 6  # open jobs of one connection
    jobs_in_all: int = 12
    running: int = 2  # jobs at once; the others wait
    memory: int = 3072 * MB  # address space of a child process
    memory_job: int = 6144 * MB
    idle: float = 30.0  # [s] after which a warm worker that nobody needs ends
    runs: int = 32  # simulated runs that can still be downloaded
    downloads: int = 64 * MB  # of files that wait to be fetched
    scripts: int = 32  # robots whose kernels can still be fetched
