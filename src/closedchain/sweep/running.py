"""`sweep`: run a study here, in a pool of processes or on a cluster; the numbers are the same to the last bit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from closedchain.sweep.checkpoint import Checkpoint
from closedchain.sweep.pool import Limits, Pool, Range
from closedchain.sweep.results import Results
from closedchain.sweep.study import Study
from closedchain.sweep.task import Part, check, compute, task_size

SURE = 0.02  # of the points, or this many seconds, before a remaining time is told
SOON = 2.0  # [s]


@dataclass(frozen=True)
class Progress:
    """How far a study is."""

    done: int  # points finished, those of the checkpoint too
    total: int
    failed: int
    left: float | None  # [s] at the speed of this run so far; None while that says little


class Runner(Protocol):
    """Whatever computes ranges of points."""

    def run(self, ranges: Iterable[Range]) -> Iterator[Part]:
        """The parts as they are finished."""


@dataclass(eq=False)
class Clock:
    """Counts finished points and foretells the end from this run's own speed."""

    total: int
    done: int = 0
    failed: int = 0
    before: int = 0  # finished by an earlier run
    begun: float = field(default_factory=time.monotonic)

    def count(self, part: Part) -> Progress:
        """After one more part."""
        self.done += part.stop - part.start
        self.failed += len(part.failed)
        made, spent = self.done - self.before, time.monotonic() - self.begun
        known = made > SURE * self.total and spent > SOON
        return Progress(self.done, self.total, self.failed, spent / made * (self.total - self.done) if known else None)


def sweep(
    study: Study,
    *,
    workers: int = 0,
    limits: Limits | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    runner: Runner | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Results:
    """Every point of a study. Without workers it runs in this process, where limits do not apply.

    Finished points go to the `checkpoint` file as they come; with `resume` those in it are not run again.
    """
    ready = check(study)
    n = study.count
    values, failed = np.full((n, len(study.computes)), np.nan), dict[int, str]()
    clock = Clock(n)
    with ExitStack() as stack:
        kept = stack.enter_context(Checkpoint(checkpoint, study)) if checkpoint is not None else None
        covered = np.zeros(n, dtype=bool)
        if kept is not None and not resume:
            kept.forget()
        for part in kept.parts() if kept is not None else ():
            _enter(part, values, failed)
            covered[part.start : part.stop] = True
            clock.done = clock.before = int(covered.sum())
            clock.failed = len(failed)
        ranges = list(missing(covered, task_size(ready)))
        chosen = runner or (stack.enter_context(Pool(study, workers, limits)) if workers else Here(study))
        for part in chosen.run(ranges):
            if kept is not None:
                kept.keep(part)
            _enter(part, values, failed)
            told = clock.count(part)
            if progress is not None:
                progress(told)
    return Results(study, values, dict(sorted(failed.items())))


@dataclass(frozen=True)
class Here:
    """This process, one range after another."""

    study: Study

    def run(self, ranges: Iterable[Range]) -> Iterator[Part]:
        """The parts in order."""
        for start, stop in ranges:
            yield compute(self.study, start, stop)


def missing(covered: np.ndarray, size: int) -> Iterator[Range]:
    """The ranges not covered, each of at most `size` points."""
    edges = np.flatnonzero(np.diff(np.concatenate([[1], covered.astype(np.int8), [1]])))
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        for start in range(int(first), int(last), size):
            yield start, min(start + size, int(last))


def _enter(part: Part, values: np.ndarray, failed: dict[int, str]) -> None:
    values[part.start : part.stop] = part.values
    failed.update(part.failed)


def remaining(seconds: float | None) -> str:
    """A remaining time as people say it."""
    if seconds is None:
        return "time left not known yet"
    if seconds < 90.0:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 5400.0:
        return f"about {round(seconds / 60)} min left"
    return f"about {math.floor(seconds / 360) / 10:g} h left"
