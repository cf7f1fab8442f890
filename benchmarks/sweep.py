"""A million biglides: workspace area and smallest conditioning on a grid, as one study.

Run it with `python -m benchmarks.sweep`. The kernel's own speed is the same compiled loop over all points, in threads
of one process that has it loaded, with nothing else: no processes to start, no checkpoint, no file. The study is the
whole command, `closedchain sweep`, from its start to the finished file. Both compute the same numbers, which are
compared. Besides wall time, processor time is told: it depends less on what else the computer does. The memory is
the largest sum over the study's processes, sampled every 50 ms.
"""

from __future__ import annotations

import csv
import functools
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.sweep.asking import study
from closedchain.sweep.prepared import prepare
from closedchain.sweep.study import Study
from closedchain.sweep.tally import tally

from .biglide import Array
from .harness import Claim, Table, alternate, cores, in_threads, report, require, show

WINDOW = (-0.5, 0.5, -0.5, 0.5)  # [m]
GRIDS = (64, 128)  # cells along a side: the command's usual one, and one where the file weighs less
KERNEL, STUDY = "kernel alone, {} threads", "closedchain sweep, {} processes"
PIECE = 8192  # robots of one call
EVERY = 0.05  # [s] between looks at the memory


def main(
    rounds: int = 3, side: int = 1000, workers: int | None = None, ending: str = "csv", grids: Sequence[int] = GRIDS
) -> dict[str, Any]:
    """Time the kernel and the command on side² points, in turn, for each grid; check one against the other."""
    workers = workers or cores()
    tables, claims, processor, peaks = [], list[Claim](), dict[str, Any](), list[int]()
    for grid in grids:
        table, spent = _measure(rounds, side, workers, ending, grid, peaks)
        alone, whole = KERNEL.format(workers), STUDY.format(workers)
        share = min(spent[alone]) / min(spent[whole])
        tables.append(table)
        processor[f"{grid} x {grid}"] = spent
        what = f"grid {grid}, .{ending}: speed of the study / of its kernel"
        claims.append(Claim(f"{what}, by wall time", table.ratio(alone, whole), at_least=0.7))
        claims.append(Claim(f"{what}, by processor time", share, at_least=0.7))
    claims.append(Claim("peak memory of all processes / 1 GB", max(peaks) / 1e9 if peaks else None, at_most=1.0))
    return report(tables, claims, [], processor_s=processor, peak_bytes=peaks)


def _measure(
    rounds: int, side: int, workers: int, ending: str, grid: int, peaks: list[int]
) -> tuple[Table, dict[str, list[float]]]:
    asked = the_study(side, grid)
    expected = np.empty((asked.count, 2))
    alone, whole = KERNEL.format(workers), STUDY.format(workers)
    spent: dict[str, list[float]] = {alone: [], whole: []}
    work = in_threads(functools.partial(_kernel, asked, expected), asked.count, workers)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / f"study.{ending}"
        study_ = functools.partial(_command, side, grid, workers, out, peaks)
        measures = {
            alone: functools.partial(_timed, work, spent[alone], resource.RUSAGE_SELF),
            whole: functools.partial(_timed, study_, spent[whole], resource.RUSAGE_CHILDREN),
        }
        _kernel(asked, expected, slice(0, PIECE if asked.count > PIECE else asked.count))  # compiles
        table = alternate(f"{asked.count} points, {grid * grid} places each", measures, rounds=rounds, base=alone)
        if ending == "csv":
            require(whole, _difference(out, expected), 0.0)
    return table, spent


def the_study(side: int, grid: int) -> Study:
    """side lengths by side distances."""
    vary = {"l": f"0.25:0.50:{side}", "d": f"0.1:0.45:{side}"}
    return study("biglide", vary, ["workspace_area", "min_conditioning"], window=WINDOW, grid=grid)


def _kernel(asked: Study, out: Array, part: slice) -> None:
    ready = prepare(asked)
    for first in range(part.start, part.stop, PIECE):
        last = min(first + PIECE, part.stop)
        p = np.tile(ready.model.p, (last - first, 1))
        p[:, :2] = asked.rows(first, last)
        made = tally(ready.model, ready.working, ready.places, p, np.ones(last - first), cell=ready.cell)
        out[first:last, 0], out[first:last, 1] = made.cells * ready.cell**2, made.least


def _command(side: int, grid: int, workers: int, out: Path, peaks: list[int]) -> None:
    words = ["--param", f"l=0.25:0.50:{side}", "--param", f"d=0.1:0.45:{side}", "--grid", str(grid)]
    words += ["--compute", "workspace_area", "--compute", "min_conditioning", f"--window={','.join(map(str, WINDOW))}"]
    command = [sys.executable, "-m", "closedchain", "sweep", "biglide", *words, "--workers", str(workers)]
    running = subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    watching = threading.Thread(target=_watch, args=(running.pid, peaks), daemon=True)
    watching.start()
    if running.wait():
        raise RuntimeError(f"closedchain sweep ended with {running.returncode}")
    watching.join()


def _timed(work: Any, spent: list[float], who: int) -> float:
    """Wall time; the processor's is appended."""
    before, begun = resource.getrusage(who), time.perf_counter()
    work()
    wall, after = time.perf_counter() - begun, resource.getrusage(who)
    spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return wall


def _watch(pid: int, peaks: list[int]) -> None:
    """The largest sum of resident memory of a process and its children, while it runs; Linux alone tells it."""
    most = 0
    while Path(f"/proc/{pid}/statm").exists():
        most = max(most, sum(map(_resident, [pid, *_children(pid)])))
        time.sleep(EVERY)
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                break
        except OSError:
            break
    if most:
        peaks.append(most)


def _children(pid: int) -> Iterator[int]:
    try:
        yield from map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    except OSError:
        return


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _difference(path: Path, expected: Array) -> float:
    with path.open(encoding="utf-8") as file:
        rows = np.array([[float(row[3]), float(row[4])] for row in list(csv.reader(file))[1:]])
    return float(np.abs(rows - expected).max())


if __name__ == "__main__":
    print(show(main()))
