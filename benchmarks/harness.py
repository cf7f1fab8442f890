"""Timing several ways of doing the same work fairly: in one run, alternating their order, medians and ratios."""

from __future__ import annotations

import functools
import itertools
import os
import platform
import statistics
import timeit
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("closedchain", "numpy", "llvmlite", "casadi", "mujoco", "pin")


class Unavailable(RuntimeError):
    """A peer cannot take part here (no compiler, package not installed); its row is left out and the reason printed."""


class WrongAnswer(AssertionError):
    """A contestant's numbers differ from the truth: its time would mean nothing."""


@dataclass(frozen=True)
class Row:
    """One contestant's time for one call, and its multiple of the base."""

    name: str
    median: float  # [s]
    quartiles: tuple[float, float]  # [s]
    calls: int  # in each round
    ratio: float  # median over the rounds of its time / the base's time in the same round
    ratio_quartiles: tuple[float, float]


@dataclass(frozen=True)
class Table:
    """Times of one piece of work done in several ways."""

    title: str
    base: str
    rounds: int
    rows: tuple[Row, ...]

    def ratio(self, name: str, to: str) -> float | None:
        """How many times longer `name` takes than `to`; None when either is missing."""
        ratios = {row.name: row.ratio for row in self.rows}
        return ratios[name] / ratios[to] if name in ratios and to in ratios else None

    def median(self, name: str) -> float | None:
        """Seconds of one contestant; None when it is missing."""
        return next((row.median for row in self.rows if row.name == name), None)

    def __str__(self) -> str:
        width = max(len(row.name) for row in self.rows)
        head = f"{self.title} ({self.rounds} rounds, median and quartiles; × = multiple of {self.base})"
        return "\n".join([head, *(f"  {_line(row, width)}" for row in self.rows)])


@dataclass(frozen=True)
class Claim:
    """A promise about a ratio and what was measured."""

    text: str
    measured: float | None  # None when one side could not be timed
    at_most: float | None = None
    at_least: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the measured ratio keeps the promise; None when it was not measured."""
        if self.measured is None:
            return None
        above, below = self.at_least, self.at_most
        return (above is None or self.measured >= above) and (below is None or self.measured <= below)

    def __str__(self) -> str:
        verdict = {None: "not measured", True: "met", False: "MISSED"}[self.met]
        value = "" if self.measured is None else f" {self.measured:.3g}"
        limit = f"≤ {self.at_most:g}" if self.at_most is not None else f"≥ {self.at_least:g}"
        return f"  {self.text}:{value} ({limit}) {verdict}"


def interleave(
    title: str,
    calls: Mapping[str, Callable[[], object]],
    *,
    rounds: int = 15,
    min_time: float = 0.02,
    base: str | None = None,
) -> Table:
    """Time every call in every round, for at least `min_time` seconds each."""
    timers = {name: timeit.Timer(call) for name, call in calls.items()}
    counts = {name: _enough_calls(timer, min_time) for name, timer in timers.items()}  # also the warm-up
    measures = {name: functools.partial(_mean_time, timer, counts[name]) for name, timer in timers.items()}
    return alternate(title, measures, rounds=rounds, base=base, counts=counts)


def alternate(
    title: str,
    measures: Mapping[str, Callable[[], float]],
    *,
    rounds: int,
    base: str | None = None,
    counts: Mapping[str, int] | None = None,
) -> Table:
    """Take every measurement [s] in every round, turning the order round after each round.

    A contestant thus meets the same drifts of clock and load as the base, and not always after the same neighbour.
    """
    if not measures:
        raise Unavailable(f"{title}: nobody left to time")
    if rounds < 1:
        raise ValueError(f"{title}: rounds must be at least 1, not {rounds}")
    base = base if base is not None and base in measures else next(iter(measures))
    times: dict[str, list[float]] = {name: [] for name in measures}
    order = list(measures)
    for _ in range(rounds):
        for name in order:
            times[name].append(measures[name]())
        order.reverse()
    counts = counts or dict.fromkeys(measures, 1)
    return Table(title, base, rounds, tuple(_row(name, times[name], times[base], counts[name]) for name in measures))


def require(name: str, error: float, tolerance: float) -> None:
    """Refuse to time an answer that is wrong (a NaN is wrong)."""
    if not error <= tolerance:
        raise WrongAnswer(f"{name} is off by {error:.2g}, more than {tolerance:.2g}: not timed. Check its model first.")


def available(
    makers: Mapping[str, Callable[[], Callable[[], object]]],
) -> tuple[dict[str, Callable[[], object]], list[str]]:
    """The calls that can be made here, and a sentence for each that cannot."""
    calls, skipped = {}, []
    for name, make in makers.items():
        try:
            calls[name] = make()
        except Unavailable as reason:
            skipped.append(f"{name}: {reason}")
    return calls, skipped


def in_threads(work: Callable[[slice], object], n: int, threads: int) -> Callable[[], object]:
    """A call that does n states in `threads` contiguous parts at once, on a pool that is kept."""
    edges = [n * k // threads for k in range(threads + 1)]
    parts = [slice(*pair) for pair in itertools.pairwise(edges)]
    if threads == 1:
        return functools.partial(work, parts[0])
    pool = ThreadPoolExecutor(threads)

    def run() -> None:
        for _ in pool.map(work, parts):
            pass

    return run


def machine() -> dict[str, Any]:
    """What the times depend on: processor, cores, system, versions. No host name, no path."""
    versions: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    system = f"{platform.system()} {platform.machine()}"
    return {
        "cpu": _processor(),
        "cores": cores(),
        "system": system,
        "python": platform.python_version(),
        "packages": versions,
    }


def cores() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def report(tables: list[Table], claims: list[Claim], skipped: list[str], **more: Any) -> dict[str, Any]:
    """Everything a script found, ready for JSON."""
    return {
        "machine": machine(),
        "tables": [asdict(table) for table in tables],
        "claims": [asdict(claim) | {"met": claim.met} for claim in claims],
        "skipped": skipped,
        **more,
    }


def show(result: dict[str, Any]) -> str:
    """The text of a report: machine, tables, claims, who was left out."""
    facts = result["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in facts["packages"].items() if version)
    lines = [f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}, Python {facts['python']}, {versions}"]
    for table in result["tables"]:
        rows = tuple(Row(**row) for row in table["rows"])
        lines += ["", str(Table(**(table | {"rows": rows})))]
    claims = [{key: value for key, value in claim.items() if key != "met"} for claim in result["claims"]]
    lines += [
        "",
        *(str(Claim(**claim)) for claim in claims),
        *(f"  left out: {reason}" for reason in result["skipped"]),
    ]
    return "\n".join(lines)


def _enough_calls(timer: timeit.Timer, min_time: float) -> int:
    """How many calls take at least min_time; a first call is not counted, it may still build or allocate."""
    timer.timeit(1)
    count, elapsed = 1, timer.timeit(1)
    while elapsed < min_time:
        count = (
            max(2 * count, int(1.1 * count * min_time / max(elapsed, 1e-9))) if elapsed > min_time / 100 else 10 * count
        )
        elapsed = timer.timeit(count)
    return count


def _mean_time(timer: timeit.Timer, count: int) -> float:
    return timer.timeit(count) / count


def _row(name: str, times: list[float], base: list[float], calls: int) -> Row:
    ratios = [mine / other for mine, other in zip(times, base, strict=True)]
    return Row(name, statistics.median(times), _quartiles(times), calls, statistics.median(ratios), _quartiles(ratios))


def _quartiles(values: list[float]) -> tuple[float, float]:
    if len(values) == 1:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def _line(row: Row, width: int) -> str:
    unit, scale = next(((u, s) for u, s in (("s ", 1.0), ("ms", 1e3), ("µs", 1e6)) if row.median * s >= 1), ("ns", 1e9))
    times = " ".join(f"{value * scale:8.4g}" for value in (row.median, *row.quartiles))
    ratios = f"{row.ratio:8.3g} × ({row.ratio_quartiles[0]:.3g} … {row.ratio_quartiles[1]:.3g})"
    return f"{row.name:<{width}} {times} {unit} {ratios}"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
