"""The documents' table: for each quantity the largest and RMS difference from another engine, and what was expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.model import Model
from closedchain.shown import Shown
from closedchain.verify.cuts import Cut
from closedchain.verify.samples import Quantities, Samples

WAYS = {
    "pieces": "the engine's kinematics, M, h and loop Jacobian at the same state, projected onto the closures",
    "solver": "the engine's own constraint solver at the same state",
    "driven": "the engine integrates under the same efforts",
    "functions": "model functions of your own at the same state, with our values as arguments",
}


@dataclass(frozen=True)
class Row:
    """One quantity: how far two programs that share nothing but the description are apart."""

    quantity: str
    engine: str
    way: str  # a key of WAYS
    motion: str  # where the difference is closest to its limit
    max: float
    rms: float
    limit: float
    unit: str
    why: str  # where the limit comes from
    size: float = 0.0  # the largest value compared

    @property
    def ok(self) -> bool:
        return bool(np.isfinite(self.max) and self.max <= self.limit)


@dataclass(frozen=True, eq=False)
class Trace:
    """One quantity over time in both programs, for the document's figures."""

    motion: str
    engine: str
    quantity: str
    unit: str
    labels: tuple[str, ...]
    t: Doubles  # (T,) [s]
    ours: Doubles  # (T, k)
    theirs: Doubles  # (T, k)


@dataclass(frozen=True, eq=False)
class Answers:
    """What an engine and the model said at the same states: the data of a diagnosis."""

    engine: str
    samples: Samples
    ours: Quantities
    theirs: Quantities
    cuts: tuple[Cut, ...] = ()


@dataclass(frozen=True, eq=False)
class Comparison(Shown):
    """What `verify` found; printing it gives the table."""

    robot: str
    engines: tuple[str, ...]  # with their versions
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()  # masses given to massless links, states left out, what an engine cannot do
    absent: tuple[str, ...] = ()  # engines that are not installed
    traces: tuple[Trace, ...] = field(default=(), repr=False)
    answers: tuple[Answers, ...] = field(default=(), repr=False)
    model: Model | None = field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        return bool(self.rows) and all(row.ok for row in self.rows)

    @property
    def broken(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if not row.ok)

    def __str__(self) -> str:
        lines = [self.headline]
        for way, words in WAYS.items():
            rows = [row for row in self.rows if row.way == way]
            if rows:
                lines += [f"  {words}:", *table(rows)]
        lines += [f"  {note}" for note in (*self.notes, *self.absent)]
        return "\n".join(lines)

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        against = " and ".join(self.engines) or "no engine"
        if not self.rows:
            return f"{self.robot}: compared with nothing"
        if self.ok:
            return f"{self.robot} against {against}: all {len(self.rows)} differences are within their limits"
        count = len(self.broken)
        return f"{self.robot} against {against}: {count} of {len(self.rows)} differences break their limits"


HEADER = ("", "quantity", "engine", "largest", "rms", "limit", "unit", "limit from")


def table(rows: Sequence[Row]) -> list[str]:
    """Aligned columns, one line a row."""
    cells = [list(HEADER)] + [
        [
            "ok" if r.ok else "FAIL",
            r.quantity,
            r.engine,
            f"{r.max:.1e}",
            f"{r.rms:.1e}",
            f"{r.limit:.1e}",
            r.unit,
            r.why,
        ]
        for r in rows
    ]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADER))]
    return [("    " + "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True))).rstrip() for line in cells]


COLUMNS = {"output, m": "m", "m/s": "m/s", "m/s²": "m/s²"}  # heading → the unit of the rows that it sums up
COLUMNS |= {"angles, rad": "rad", "rad/s": "rad/s", "rad/s²": "rad/s²"}
SINGLE = ("M", "c", "efforts", "loop forces")


def markdown(comparisons: Sequence[Comparison]) -> str:
    """One line a robot and engine, for a document: the largest differences, SI; of the solver, relative ones."""
    heads = [*COLUMNS, *SINGLE, "solver, relative", "driven, m", "driven gap, m", "within limits"]
    lines = ["| robot | engine | " + " | ".join(heads) + " |", "|---" * (len(heads) + 2) + "|"]
    for one in comparisons:
        for engine in dict.fromkeys(row.engine for row in one.rows):
            rows = [row for row in one.rows if row.engine == engine]
            lines.append(f"| {one.robot} | {engine} | " + " | ".join(_summary(rows)) + " |")
    return "\n".join(lines)


def _summary(rows: Sequence[Row]) -> list[str]:
    seen = [r for r in rows if r.way == "pieces" and not r.quantity.startswith(("drives", "engine"))]
    cells = [_largest([r.max for r in seen if r.unit == unit]) for unit in COLUMNS.values()]
    cells += [_largest([r.max for r in seen if r.quantity == name]) for name in SINGLE]
    cells.append(
        _largest([r.max / r.size for r in rows if r.way == "solver" and r.size and "taken off" not in r.quantity])
    )
    driven = [r for r in rows if r.way == "driven" and r.unit == "m" and not r.quantity.startswith("drives")]
    cells.append(_largest([r.max for r in driven if "gap" not in r.quantity]))
    cells.append(_largest([r.max for r in driven if "gap" in r.quantity]))
    return [*cells, f"{sum(r.ok for r in rows)} of {len(rows)}"]


def _largest(values: Sequence[float]) -> str:
    return f"{max(values):.0e}" if values else ""
