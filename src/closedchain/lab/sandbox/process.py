"""The grader's end of the pipes: start a child, ask it, believe nothing but well-formed lines, and end it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from closedchain.lab.sandbox.copying import used
from closedchain.lab.sandbox.limits import WAITS, Limits
from closedchain.lab.sandbox.readable import OURS, import_path, readable

BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from closedchain.lab.sandbox.child.main import main; main()"
START = 30.0  # [s] for Python and NumPy to be there, on a busy machine
LOOK = 0.2  # [s] between looks at the disk and at a pipe that is full
UNREAD = 5.0  # [s] after which a child that does not read what it is told is ended
QUEUED = 256  # lines that wait to be heard


class Stopped(Exception):
    """The child can answer no more; `why` is the verdict in words."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class Child:
    """One submission's process, from its start to its certain end: use it in a `with` statement."""

    def __init__(self, folder: Path, user: int, limits: Limits) -> None:
        self.folder, self.limits = folder, limits
        self.answers: queue.Queue[bytes | None] = queue.Queue(maxsize=QUEUED)
        self.printed, self.kept, self.looked, self.spent = 0, bytearray(), 0.0, 0.0
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-u", "-c", BOOT, str(OURS.parent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,
        )
        self.over = threading.Event()
        self.telling: float | None = None  # since when a line is being written
        self.readers = [threading.Thread(target=work, daemon=True) for work in (self._listen, self._drain, self._watch)]
        for reader in self.readers:
            reader.start()
        read, listed = readable()
        settings = {"folder": str(folder), "user": user, "path": import_path()}
        self.tell(settings | {"readable": read, "listable": listed, "limits": limits.settings()})
        self.protections = self._protections()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    # Talking ------------------------------------------------------------------------------------

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send one line; a child that is gone is noticed when it is asked."""
        pipe, self.telling = self.process.stdin, time.monotonic()
        if pipe is not None:
            with contextlib.suppress(OSError, ValueError):
                pipe.write(json.dumps(message).encode() + b"\n")
                pipe.flush()
        self.telling = None

    def allow(self, seconds: float) -> None:
        """From now on so much processor time until the next answers are complete, and WAITS times that on the wall."""
        self.budget, self.spent, self.deadline = seconds, self._used(), time.monotonic() + WAITS * seconds

    def _used(self) -> float:
        """Processor time so far [s]: Linux numbers a process's clock by its id; elsewhere the wall's stands in."""
        if sys.platform != "linux":
            return time.monotonic()
        try:
            return time.clock_gettime((~self.process.pid << 3) | 2)
        except OSError:  # it is gone, which is noticed elsewhere
            return self.spent

    def hear(self) -> dict[str, Any]:
        """The next line of the child; raises Stopped where there will be none in time, or none that can be read."""
        while True:
            now = time.monotonic()
            if now >= self.deadline:
                raise self._stop(f"no answer within {WAITS * self.budget:g} s")
            if self._used() - self.spent >= self.budget:
                raise self._stop(f"{self.budget:g} s of processor time were used up")
            if now >= self.looked + LOOK:
                self.looked = now
                self._look()
            try:
                line = self.answers.get(timeout=min(self.deadline - now, LOOK))
            except queue.Empty:
                continue
            if line is None:
                raise self._stop(self._epitaph())
            return self._read(line)

    def _read(self, line: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self._stop("the pipe to the grader carried something that is no answer")
        return answer

    def _look(self) -> None:
        if self.printed > self.limits.output_most:
            raise self._stop(f"printed more than {self.limits.output_most >> 20} MB")
        if used(self.folder, self.limits.disk) > self.limits.disk:
            raise self._stop(f"wrote more than {self.limits.disk >> 20} MB")

    def _protections(self) -> dict[str, str]:
        """The first line, sent before the submission is read."""
        self.allow(START)
        answer = self.hear()
        return {str(name): str(how) for name, how in answer.get("protections", {}).items()}

    @property
    def output(self) -> str:
        """What it printed, as far as it is kept."""
        text = bytes(self.kept).decode("utf-8", errors="replace")
        return text + ("\n[…]" if self.printed > self.limits.output else "")

    # Threads ------------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Lines of the answers' pipe; one that is too long ends the listening."""
        for line in _lines(self.process.stdout, self.limits.answer):
            self.answers.put(line)
        self.answers.put(None)

    def _drain(self) -> None:
        """Everything printed is read, the beginning of it kept."""
        pipe = self.process.stderr
        while pipe is not None and (piece := os.read(pipe.fileno(), 65536)):
            self.kept += piece[: max(0, self.limits.output - self.printed)]
            self.printed += len(piece)

    def _watch(self) -> None:
        """A pipe that nobody reads would hold the grader for ever."""
        while not self.over.wait(LOOK):
            began = self.telling
            if began is not None and time.monotonic() > began + UNREAD:
                self._kill()

    # The end ------------------------------------------------------------------------------------

    def _stop(self, why: str) -> Stopped:
        self.end()
        return Stopped(why)

    def _epitaph(self) -> str:
        """Why a child that says nothing any more is gone."""
        try:
            code = self.process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            return "closed the pipe to the grader"
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
            limit = {"SIGXCPU": ": out of processor time", "SIGKILL": ": a limit was passed"}.get(name, "")
            return f"ended by {name}{limit}"
        return f"ended the process with code {code}"

    def end(self) -> None:
        """Kill the child and everything of its session, and wait until it is gone."""
        self.over.set()
        self._kill()
        self.process.wait()
        with contextlib.suppress(queue.Empty):  # let the listener go on to its end
            while self.readers[0].is_alive():
                self.answers.get(timeout=0.1)
        for reader, pipe in zip(
            self.readers, (self.process.stdout, self.process.stderr, self.process.stdin), strict=True
        ):
            reader.join(timeout=2.0)
            if pipe is not None and not reader.is_alive():  # closing a pipe that is being read would wait
                with contextlib.suppress(OSError):
                    pipe.close()

    def _kill(self) -> None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self.process.kill()


def _lines(pipe: IO[bytes] | None, longest: int) -> Iterator[bytes]:
    while pipe is not None:
        line = pipe.readline(longest + 1)
        if not line:
            return
        yield line if line.endswith(b"\n") else b""
        if len(line) > longest:
            return


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the user's but what Windows cannot start without."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "SYSTEMDRIVE") if name in os.environ}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    homes = dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR"), str(folder))
    return kept | threads | homes | {"LANG": "C.UTF-8", "MPLBACKEND": "Agg"}
