"""Timing code in a fresh Python process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping

_TIMED = "import time\n_start = time.perf_counter()\n{code}\nprint(time.perf_counter() - _start)\n"


def time_inside(code: str, **environment: str) -> float:
    """Seconds that `code` takes in a new process, without the interpreter's own start."""
    done = _python(_TIMED.format(code=code), environment)
    return float(done.stdout.split()[-1])


def time_process(code: str, **environment: str) -> float:
    """Seconds from starting a new Python to its end."""
    start = time.perf_counter()
    _python(code, environment)
    return time.perf_counter() - start


def _python(code: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=os.environ | dict(environment), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"a fresh process failed with exit code {done.returncode}: {last}")
    return done
