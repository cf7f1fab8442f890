"""One task: some points of a study, computed here and now. Every way of running a study calls this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.sweep.block import Block
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.measures import measure, seconds_of
from closedchain.sweep.prepared import Prepared, prepare
from closedchain.sweep.study import Study

TARGET = 0.25  # [s] of one task
LARGEST = 8192  # points of one task
DONE, BAD, MEMORY, ERROR = "done", "bad", "memory", "error"


@dataclass(frozen=True)
class Part:
    """The results of points start … stop − 1; a number that there is not is NaN here, and the reason says why."""

    start: int
    stop: int
    values: Doubles  # (stop − start, computes)
    failed: dict[int, str]  # index of the point → why


def compute(study: Study, start: int, stop: int) -> Part:
    """All measures at points start … stop − 1."""
    ready = prepare(study)
    values, reasons = measured(ready, ready.block(start, stop), study.computes)
    return Part(start, stop, values, {start + row: why for row, why in sorted(reasons.items())})


def measured(ready: Prepared, block: Block, names: Sequence[str]) -> tuple[Doubles, dict[int, str]]:
    """The measures of a block, (n, names), and why rows lack some."""
    values = np.full((block.n, len(names)), np.nan)
    reasons = dict(block.failed)
    if len(block.failed) < block.n:
        for i, name in enumerate(names):
            values[:, i] = _column(ready, block, name, reasons)
    return values, reasons


def attempt(study: Study, start: int, stop: int) -> tuple[str, Any]:
    """What became of a task: DONE with its Part, or what kind of failure and why; it never raises."""
    try:
        return DONE, compute(study, start, stop)
    except BadStudy as error:
        return BAD, str(error)
    except MemoryError:
        return MEMORY, ""
    except Exception as error:  # whatever it is, it belongs to these points and not to the study
        return ERROR, f"unexpected {type(error).__name__}: {error}"[:200]


def marked(study: Study, index: int, why: str) -> Part:
    """A point that could not be computed at all."""
    return Part(index, index + 1, np.full((1, len(study.computes)), np.nan), {index: why})


def _column(ready: Prepared, block: Block, name: str, reasons: dict[int, str]) -> Doubles:
    """One measure; a point where it has no value is marked, and its other measures stay."""
    before = dict(block.failed)
    values = np.array(measure(name).compute(ready, block), dtype=np.float64)
    for odd in np.nonzero(~np.isfinite(values))[0]:
        block.fail(int(odd), f"{name} is beyond the range of double precision")
    values[sorted(block.failed)] = np.nan
    for row, why in block.failed.items():
        reasons.setdefault(row, why)
    block.forgive(before)
    return values


def task_size(ready: Prepared) -> int:
    """Points of one task: about a quarter of a second of work."""
    return int(min(max(TARGET / max(seconds_of(ready), 1e-9), 1.0), LARGEST))


def check(study: Study) -> Prepared:
    """Try what all points share, so that a bad study is one error before the work, not a mark on every row."""
    if not study.factors:
        raise BadStudy("what is varied? Give --param name=from:to:count")
    if not study.computes:
        raise BadStudy("what is computed? Give --compute workspace_area, or another measure")
    ready = prepare(study)
    for name in study.computes:
        measure(name)
    compute(study, 0, min(study.count, 1))
    return ready
