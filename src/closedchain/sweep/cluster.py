"""A study on a Dask cluster: the same tasks, computed by the cluster's workers, which need closedchain installed."""

from __future__ import annotations

import contextlib
import logging
import ssl
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any
from urllib.parse import urlsplit

from distributed import CancelledError, Client, Security

from closedchain.errors import BrokenOff
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.pool import Range
from closedchain.sweep.study import Study
from closedchain.sweep.task import BAD, DONE, ERROR, Part, attempt, marked

LOOPBACK = ("127.0.0.1", "localhost", "::1")
AHEAD = 4  # tasks in flight for each thread of the cluster
PATIENCE = 30.0  # [s] for the scheduler to answer, or a worker to come back
LOOK = 1.0  # [s] between looks at a cluster that does not answer
CLOSING = 2.0  # [s] for a last word with the scheduler
GONE = (OSError, RuntimeError, ValueError)  # what a scheduler's end makes Dask raise: Tornado's is a ValueError
LOGS = "distributed"  # how the names of Dask's logs begin


@dataclass(frozen=True)
class Keys:
    """Files of a TLS connection: who signs, who we are."""

    ca: str | None = None
    cert: str | None = None
    key: str | None = None


class ClusterLost(BrokenOff):
    """A scheduler that is gone, or one that has no workers left."""


class Cluster:
    """A connection to a scheduler; use it in a `with`, iterate over `run`."""

    def __init__(self, address: str, study: Study, keys: Keys | None = None, insecure: bool = False) -> None:
        self.address, self.study, self.keys = address, study, keys or Keys()
        check_address(address, self.keys, insecure)
        self.client: Any = None
        self.finished: SimpleQueue[Any] = SimpleQueue()
        self.quiet = ExitStack()

    def __enter__(self) -> Cluster:
        k = self.keys
        security = None
        if self.address.startswith("tls://"):
            check_files(k)
            security = Security(tls_ca_file=k.ca, tls_client_cert=k.cert, tls_client_key=k.key, require_encryption=True)
        self.quiet.enter_context(quietly())
        try:
            self.client = Client(self.address, security=security, timeout=PATIENCE, set_as_default=False)
        except OSError as error:
            self.quiet.close()
            raise BadStudy(f"--cluster {self.address}: no scheduler answers there ({error}); is it running?") from None
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.client.close(timeout=CLOSING)
        except GONE:
            self.client.status = "closed"  # or Dask waits for it once more, twice PATIENCE, when it collects the client
        self.quiet.close()

    def run(self, ranges: Iterable[Range]) -> Iterator[Part]:
        """The parts as they are finished; Dask runs again what a lost worker had, and we halve what it gives up."""
        waiting = deque(ranges)
        flying: dict[Any, Range] = {}
        most = AHEAD * max(1, self._threads())
        while waiting or flying:
            while waiting and len(flying) < most:
                points = waiting.popleft()
                future = self._submit(points)
                flying[future] = points
                future.add_done_callback(self.finished.put)
            future = self._next()
            yield from self._answered(flying.pop(future), future, waiting)

    def _submit(self, points: Range) -> Any:
        try:
            return self.client.submit(attempt, self.study, *points, pure=False)
        except GONE:  # what the arguments could be blamed for is TypeError
            raise self._gone() from None

    def _next(self) -> Any:
        """The next task that has ended, while somebody is there to work on it."""
        deserted = 0.0
        while True:
            try:
                return self.finished.get(timeout=LOOK)
            except Empty:
                deserted = 0.0 if self._threads() else deserted + LOOK
                if deserted >= PATIENCE:
                    raise ClusterLost(f"no worker of {self.address} has been there for {PATIENCE:g} s") from None

    def _threads(self) -> int:
        """How many tasks the cluster can do at once."""
        try:
            if self.client.status == "running":
                return sum(self.client.nthreads().values())
        except GONE:
            pass
        raise self._gone()

    def _gone(self) -> ClusterLost:
        return ClusterLost(f"the scheduler at {self.address} is gone")

    def _answered(self, points: Range, future: Any, waiting: deque[Range]) -> Iterator[Part]:
        kind, answer = self._fetched(future)
        if kind == BAD:
            raise BadStudy(str(answer))
        start, stop = points
        if kind == DONE:
            yield answer
        elif stop - start == 1:
            yield marked(self.study, start, answer or "it needs more memory than a worker has")
        else:
            middle = (start + stop) // 2
            waiting.extendleft([(middle, stop), (start, middle)])

    def _fetched(self, future: Any) -> tuple[str, Any]:
        """What a task answered, or that the cluster gave it up."""
        try:
            if not future.cancelled():  # nobody but a lost connection does that
                lost = future.exception(timeout=PATIENCE)
                answer: tuple[str, Any] = (ERROR, f"the cluster gave it up: {type(lost).__name__}")
                return future.result(timeout=PATIENCE) if lost is None else answer
        except (*GONE, CancelledError):
            pass
        raise self._gone()


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Without Dask's own log: what goes wrong is said once, by us."""
    logs = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict) if name.startswith(LOGS)]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


def check_address(address: str, keys: Keys, insecure: bool) -> None:
    """tls:// with its three files, or tcp:// to this computer; elsewhere tcp:// only where it was insisted on."""
    scheme, host = _parts(address)
    if scheme == "tls" and not (keys.ca and keys.cert and keys.key):
        raise BadStudy("--cluster tls://… needs --tls-ca, --tls-cert and --tls-key")
    if scheme == "tcp" and host not in LOOPBACK and not insecure:
        raise BadStudy(
            f"--cluster {address[:60]}: whoever can reach that port can run programs on the cluster, and tcp:// hides "
            "nothing; use tls://, or --insecure if nobody else is on that network"
        )


def _parts(address: str) -> tuple[str, str]:
    try:
        parts = urlsplit(address)
        if parts.scheme in ("tls", "tcp") and parts.hostname and parts.port:
            return parts.scheme, parts.hostname
    except ValueError:  # a port that is no number, a bracket that is not closed
        pass
    raise BadStudy(f"--cluster {address[:60]!r}: write tls://host:8786")


def check_files(keys: Keys) -> None:
    """The three files hold what they should, said before anybody is asked for an answer."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(keys.ca)
    except OSError as error:
        raise BadStudy(f"--tls-ca {keys.ca}: {_why(error, 'no certificates in PEM')}") from None
    for option, file in (("--tls-cert", keys.cert), ("--tls-key", keys.key)):
        try:
            Path(str(file)).read_bytes()
        except OSError as error:
            raise BadStudy(f"{option} {file}: {_why(error, 'cannot be read')}") from None
    try:
        context.load_cert_chain(str(keys.cert), keys.key, password="")
    except OSError as error:
        why = _why(error, "they are not a certificate and its own key in PEM, without a password")
        raise BadStudy(f"--tls-cert {keys.cert}, --tls-key {keys.key}: {why}") from None


def _why(error: OSError, otherwise: str) -> str:
    """Why a file cannot be read, or what is wrong with what it holds."""
    return otherwise if isinstance(error, ssl.SSLError) else (error.strerror or otherwise).lower()
