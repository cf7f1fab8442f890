"""A map of the biglide's plane: slack, det A, det B and conditioning of all four working modes on 4000 × 4000 points.

Run it with `python -m benchmarks.singularity_map`. Every contestant fills the same array (13, n, n), which exists
beforehand, in float32 and in float64; all compute in doubles, and every point anew, though this robot's map does not
depend on y. The memory is that of a fresh process which makes the map and nothing else.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import closedchain as cc
from closedchain.singularity.maps import map_grid

from .biglide import BAR, GAUGE, Array
from .c_biglide import OPTIMISE
from .harness import Claim, Table, Unavailable, available, cores, in_threads, interleave, report, require, show

SOURCE = Path(__file__).with_name("c_map.c")
WINDOW = (-0.2, 0.2, -0.5, 0.5)  # [m]; the reach is |x| ≤ 0.1606 m
QUANTITIES = ("det_A", "det_B", "condition")
PLANES = 13
AGREE = {"float32": 1e-6, "float64": 1e-13}  # absolute: rounding of values that are at most 1
OURS, C, NUMPY, BY_HAND = "closedchain", "C", "NumPy", "NumPy by hand"
MODES = ((1, 1), (1, -1), (-1, 1), (-1, -1))
CHUNK = 4  # rows; 4 × 4000 doubles a temporary, the fastest of 1, 2, 4, 8, 16 (median)
MEMORY = """
import resource, sys, numpy as np, closedchain as cc
from pathlib import Path
from closedchain.singularity.maps import map_grid
map_grid(cc.load("biglide"), {window}, ({n}, {n}), {quantities}, dtype=np.{kind})
status = Path("/proc/self/status")  # its VmHWM is of this process alone; ru_maxrss may be inherited on Linux
lines = status.read_text().splitlines() if status.exists() else []
peak = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")]
print(*peak or [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)])
"""


def main(rounds: int = 7, n: int = 4000, threads: int | None = None) -> dict[str, Any]:
    """Check everybody against NumPy on all points, time them on 1 and on all threads, compare with the promises."""
    threads = threads or cores()
    memory = {kind: _memory(kind, n) for kind in ("float32", "float64")}
    tables, claims, skipped = [], list[Claim](), list[str]()
    for kind in ("float32", "float64"):
        table, left_out = _measure(kind, n, threads, rounds)
        tables.append(table)
        claims += _claims(table, kind, threads)
        skipped += [reason for reason in left_out if reason not in skipped]
    for kind, used in memory.items():
        claims.append(Claim(f"peak memory of the {kind} map / 2 GB", None if used is None else used / 2e9, at_most=1.0))
    return report(tables, claims, skipped, peak_bytes=memory)


def _measure(kind: str, n: int, threads: int, rounds: int) -> tuple[Table, list[str]]:
    x, y = np.linspace(*WINDOW[:2], n), np.linspace(*WINDOW[2:], n)
    expected = np.empty((PLANES, n, n), kind)
    map_numpy(x, y, expected)
    out = np.empty_like(expected)  # everybody writes here
    makers: dict[str, Callable[[], Callable[[], object]]] = {}
    for count in sorted({1, threads}):
        for name, prepare in ((OURS, _ours), (C, _c), (NUMPY, _numpy), (BY_HAND, _numpy_by_hand)):
            makers[_row(name, count)] = partial(_checked, _row(name, count), prepare, x, y, out, expected, count)
    calls, skipped = available(makers)
    title = f"map of {n} × {n} points, {PLANES} planes, {kind}"
    return interleave(title, calls, rounds=rounds, min_time=0.0, base=_row(C, threads)), skipped


def _row(name: str, threads: int) -> str:
    return f"{name}, {threads} thread{'s' if threads > 1 else ''}"


def _claims(table: Table, kind: str, threads: int) -> list[Claim]:
    mine = _row(OURS, threads)
    found = [
        Claim(f"{kind}: {_row(OURS, k)} / C", table.ratio(_row(OURS, k), _row(C, k)), at_most=1.5)
        for k in sorted({1, threads})
    ]
    return [*found, Claim(f"{kind}: {_row(NUMPY, 1)} / {mine}", table.ratio(_row(NUMPY, 1), mine), at_least=12.0)]


def _checked(
    name: str,
    prepare: Callable[[Array, Array, Array, int], Callable[[], object]],
    x: Array,
    y: Array,
    out: Array,
    expected: Array,
    threads: int,
) -> Callable[[], object]:
    """A contestant's call, after one run whose answers were compared in full."""
    call = prepare(x, y, out, threads)
    out.fill(np.nan)
    call()
    worst = max(float(np.max(np.abs(mine - theirs))) for mine, theirs in zip(out, expected, strict=True))
    require(name, worst, AGREE[out.dtype.name])
    return call


# Contestants ----------------------------------------------------------------------------------------------------------


def _ours(x: Array, y: Array, out: Array, threads: int) -> Callable[[], object]:
    robot, shape = cc.load("biglide"), (len(y), len(x))
    return partial(map_grid, robot, WINDOW, shape, QUANTITIES, threads=threads, dtype=out.dtype, out=out)


def _c(x: Array, y: Array, out: Array, threads: int) -> Callable[[], object]:
    function = getattr(build(), "map_float" if out.dtype == np.float32 else "map_double")
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    function.argtypes, function.restype = [pointer, pointer, size, size, size, size, pointer], None

    def work(part: slice) -> None:
        function(x.ctypes.data, y.ctypes.data, len(x), len(y), part.start, part.stop, out.ctypes.data)

    return in_threads(work, len(y), threads)


def _numpy(x: Array, y: Array, out: Array, threads: int) -> Callable[[], object]:
    return in_threads(lambda part: map_numpy(x, y[part], out[:, part]), len(y), threads)


def _numpy_by_hand(x: Array, y: Array, out: Array, threads: int) -> Callable[[], object]:
    return in_threads(lambda part: map_numpy_by_hand(x, y[part], out[:, part]), len(y), threads)


def map_numpy(x: Array, y: Array, out: Array) -> None:
    """The map in NumPy as one writes it: mode by mode from q to A and B, a few rows at a time to stay in cache."""
    u1, u2 = x + GAUGE / 2, x - GAUGE / 2
    for start in range(0, len(y), CHUNK):
        rows = slice(start, start + CHUNK)
        height, slack, root1, root2 = _legs(u1, u2, y[rows, None])
        inside = slack >= 0
        out[0, rows] = slack
        for k, (s1, s2) in enumerate(MODES):
            v1, v2 = height - (height - s1 * root1), height - (height - s2 * root2)  # y − q
            det = 4 * (u1 * v2 - v1 * u2)
            np.multiply(det, inside, out=out[1 + k, rows], casting="same_kind")
            np.multiply(4 * v1 * v2, inside, out=out[5 + k, rows], casting="same_kind")
            squares = (u1 * u1 + v1 * v1) * (u2 * u2 + v2 * v2)
            inverse = np.abs(det) / (4 * (np.sqrt(squares) + np.abs(u1 * u2 + v1 * v2)))
            np.multiply(inverse, inside, out=out[9 + k, rows], casting="same_kind")


def map_numpy_by_hand(x: Array, y: Array, out: Array) -> None:
    """The same with the formulas of c_map.c, which use that this robot's four modes mirror each other."""
    u1, u2 = x + GAUGE / 2, x - GAUGE / 2
    for start in range(0, len(y), CHUNK):
        rows = slice(start, start + CHUNK)
        height, slack, root1, root2 = _legs(u1, u2, y[rows, None])
        v1, v2 = height - (height - root1), height - (height - root2)
        inside = (slack >= 0).astype(float)
        p, m, b, c = 4 * u1 * v2, 4 * v1 * u2, 4 * v1 * v2, 4 * u1 * u2
        d, s = p - m, p + m
        same, mixed = np.abs(d) / (4 * BAR**2 + np.abs(c + b)), np.abs(s) / (4 * BAR**2 + np.abs(c - b))
        for value in (d, s, b, same, mixed):
            value *= inside
        planes = (slack, d, -s, s, -d, b, -b, -b, b, same, mixed, mixed, same)
        for k, value in enumerate(planes):
            out[k, rows] = value


def _legs(u1: Array, u2: Array, height: Array) -> tuple[Array, Array, Array, Array]:
    """The tip's height, the slack and each leg's root at every point of some rows."""
    height = np.broadcast_to(height, (len(height), len(u1)))
    a1, a2 = (np.abs(u) + np.zeros_like(height) for u in (u1, u2))  # every point anew
    root1, root2 = (np.sqrt(np.maximum((BAR - a) * (BAR + a), 0.0)) for a in (a1, a2))
    return height, np.minimum(BAR - a1, BAR - a2), root1, root2


@functools.cache
def build() -> ctypes.CDLL:
    """Compile the C peer into a temporary folder and load it, once a process."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")
    if sys.platform == "win32" or compiler is None:
        raise Unavailable("no C compiler that takes GCC's options found (cc, gcc, clang); install one or set CC")
    folder = tempfile.TemporaryDirectory(prefix="closedchain-bench-", ignore_cleanup_errors=True)
    target = Path(folder.name) / "c_map.so"
    command = [compiler, *OPTIMISE, "-fPIC", "-shared", str(SOURCE), "-o", str(target), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unavailable(f"the C peer did not compile: {done.stderr.strip().splitlines()[-1]}")
    library = ctypes.CDLL(str(target))
    folder.cleanup()  # the library stays mapped
    return library


def _memory(kind: str, n: int) -> int | None:
    """Peak resident memory [bytes] of a fresh process that makes the map; None where it cannot be asked."""
    if sys.platform == "win32":
        return None
    code = MEMORY.format(window=WINDOW, n=n, quantities=QUANTITIES, kind=kind)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


if __name__ == "__main__":
    result = main()
    print(show(result))
    print("  peak memory:", ", ".join(f"{k} {v / 1e9:.2f} GB" for k, v in result["peak_bytes"].items() if v))
