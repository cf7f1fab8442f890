"""The grader's end of the pipes: start a child, ask it, believe nothing but well-formed lines, and end it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from closedchain_lab.sandbox.allowance import HOME, WAITS, Limits, import_path, readable, used

BOOT = "import sys; sys.path[:] = sys.argv[1:]; from closedchain_lab.sandbox.child.main import main; main()"
START = 30.0  # [s] for Python and NumPy to be there, on a busy machine
LOOK = 0.2  # [s] between looks at the disk
UNREAD = 5.0  # [s] after which a child that does not read what it is told is ended
MOST = 20  # attempts that are kept
QUEUED = 256  # lines that wait to be heard


class Stopped(Exception):
    """The child can answer no more, in words."""


class Child:
    """One submission's process, from its start to its certain end: use it in a `with` statement."""

    def __init__(self, folder: Path, user: int, limits: Limits) -> None:
        self.folder, self.limits = folder, limits
        self.answers: queue.Queue[bytes | None] = queue.Queue(maxsize=QUEUED)
        self.printed = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `end`)
        self.looked = self.spent = 0.0
        self.tried: tuple[str, ...] = ()  # what it did beyond its copy, by its own process's word
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-u", "-c", BOOT, str(HOME), *import_path()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.printed,
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,
        )
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        read, listed = readable()
        settings = {"folder": str(folder), "user": user, "home": str(HOME)}
        self.tell(settings | {"readable": read, "listable": listed, "limits": asdict(limits)})
        self.allow(START)
        answer = self.hear()  # the first line, sent before the submission is read
        self.protections = {str(name): str(how) for name, how in answer.get("protections", {}).items()}

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send one line; a child that is gone is noticed when it is asked, one that reads nothing is ended."""
        assert self.process.stdin is not None
        unread = threading.Timer(UNREAD, self._kill)
        unread.start()
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        unread.cancel()

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
        while not self.printed.closed:
            now = time.monotonic()
            if now >= self.deadline:
                raise self._stop(f"no answer within {WAITS * self.budget:g} s")
            if self._used() - self.spent >= self.budget:
                raise self._stop(f"{self.budget:g} s of processor time were used up")
            if os.fstat(self.printed.fileno()).st_size > self.limits.output_most:
                raise self._stop(f"printed more than {self.limits.output_most >> 20} MB")
            if now >= self.looked + LOOK:
                self.looked = now
                if used(self.folder, self.limits.disk) > self.limits.disk:
                    raise self._stop(f"wrote more than {self.limits.disk >> 20} MB")
            try:
                line = self.answers.get(timeout=min(self.deadline - now, LOOK))
            except queue.Empty:
                continue
            if line is None:
                raise self._stop(self._epitaph())
            answer = None
            with contextlib.suppress(ValueError, RecursionError):
                answer = json.loads(line)
            if not isinstance(answer, dict):
                raise self._stop("the pipe to the grader carried something that is no answer")
            if "tried" not in answer:
                return answer
            self.tried = tuple(dict.fromkeys((*self.tried, printable(answer["tried"]))))[:MOST]
        raise Stopped("it has ended")

    def _listen(self) -> None:
        """Lines of the answers' pipe; one that is too long ends the listening."""
        longest, pipe = self.limits.answer, self.process.stdout
        assert pipe is not None
        while line := pipe.readline(longest + 1):
            self.answers.put(line if line.endswith(b"\n") else b"")
            if len(line) > longest:
                break
        self.answers.put(None)

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
        """Kill the child and everything of its session, wait until it is gone, and keep what it printed."""
        if self.printed.closed:
            return
        self._kill()
        self.process.wait()
        with contextlib.suppress(queue.Empty):  # let the listener go on to its end
            while self.listener.is_alive():
                self.answers.get(timeout=0.1)
        self.listener.join(timeout=2.0)
        for pipe in (self.process.stdout, self.process.stdin):
            if pipe is not None and not self.listener.is_alive():  # closing a pipe that is being read would wait
                with contextlib.suppress(OSError):
                    pipe.close()
        self.printed.seek(0)
        kept = self.printed.read(self.limits.output + 1)
        text = kept[: self.limits.output].decode("utf-8", errors="replace")
        self.output = text + ("\n[…]" if len(kept) > self.limits.output else "")
        self.printed.close()

    def _kill(self) -> None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self.process.kill()


def printable(text: Any, most: int = 200) -> str:
    """A submission's words in one line, without control characters."""
    line = " ".join(str(text)[: 4 * most].split())
    return "".join(c if c.isprintable() else "?" for c in line)[:most]


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the user's but what Windows cannot start without."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "SYSTEMDRIVE") if name in os.environ}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    homes = dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR"), str(folder))
    return kept | threads | homes | {"LANG": "C.UTF-8", "MPLBACKEND": "Agg"}
