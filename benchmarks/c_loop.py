"""The C peer of the closed loop, compiled on the spot; its arrays are handed over by pointer."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .biglide import Array
from .c_biglide import OPTIMISE
from .harness import Unavailable

SOURCE = Path(__file__).with_name("c_loop.c")
ROW = 11  # doubles a step of the history: q, x, q_dot, x_dot, work, tau


@dataclass(frozen=True)
class Built:
    """The compiled functions."""

    library: ctypes.CDLL
    folder: tempfile.TemporaryDirectory[str]  # lives as long as the library

    def reference(self, steps: int, h: float, duration: float, start: Array, end: Array) -> Array:
        """q, q_dot, q_ddot at the control instants, (steps, 6)."""
        table = np.empty((steps, 6))
        self.library.reference(steps, h, duration, _at(start), _at(end), _at(table))
        return table

    def loop(self, table: Array, kp: float, kd: float, h: float, y: Array, history: Array | None = None) -> Array:
        """Run from y (9,), which becomes the end state; `history` (steps, 11) is filled where given."""
        self.library.loop(len(table), _at(table), kp, kd, h, _at(y), _at(history) if history is not None else None)
        return y


@functools.cache
def build() -> Built:
    """Compile and load once a process."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform == "win32":
        raise Unavailable("no C compiler that takes GCC's options (cc, gcc, clang); install one or set CC")
    folder = tempfile.TemporaryDirectory(prefix="closedchain-bench-", ignore_cleanup_errors=True)
    target = Path(folder.name) / "c_loop.so"
    command = [compiler, *OPTIMISE, "-fPIC", "-shared", str(SOURCE), "-o", str(target), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        error = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
        raise Unavailable(f"the C loop did not compile: {error.rpartition('error: ')[2]}")
    library = ctypes.CDLL(str(target))
    size, real, pointer = ctypes.c_size_t, ctypes.c_double, ctypes.c_void_p
    library.loop.argtypes, library.loop.restype = [size, pointer, real, real, real, pointer, pointer], None
    library.reference.argtypes, library.reference.restype = [size, real, real, pointer, pointer, pointer], None
    return Built(library, folder)


def _at(array: Array) -> int:
    return array.ctypes.data
