"""The result of a study: one row per point, a reason where a number is missing; as CSV or Parquet."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.extras import bring
from closedchain.files import atomic_write
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.lines import OK, csv_lines
from closedchain.sweep.measures import measure
from closedchain.sweep.study import Study
from closedchain.version import VERSION

_NUMBER = re.compile(r"[-+]?\d[\d.e+-]*")
ROWS = 20_000  # looked at at once


@dataclass(frozen=True, eq=False)
class Results:
    """Every point of a study: `column` gives the numbers of a factor or a measure by its name."""

    study: Study
    values: Doubles  # (points, computes); NaN where there is none, which no file shows
    failed: dict[int, str]  # point → why

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def points(self) -> Doubles:
        """The factors' numbers, (points, factors)."""
        return self.study.rows(0, len(self))

    @cached_property
    def header(self) -> list[str]:
        """The columns of the numbers, with units."""
        return [f.column for f in self.study.factors] + [measure(name).column for name in self.study.computes]

    def column(self, name: str) -> Doubles:
        """(points,) of a factor or a measure."""
        factors = [f.name for f in self.study.factors]
        if name in factors:
            return self.points[:, factors.index(name)]
        if name in self.study.computes:
            return self.values[:, self.study.computes.index(name)]
        known = ", ".join([*factors, *self.study.computes])
        raise BadStudy(f"no column {name[:40]!r}; there are {known}")

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """index, factors, measures (None where there is none), status."""
        for first in range(0, len(self), ROWS):
            numbers = np.concatenate([self.points[first : first + ROWS], self.values[first : first + ROWS]], axis=1)
            for i, row in enumerate(numbers.tolist(), start=first):
                why = self.failed.get(i)
                if why is not None:
                    row = [None if v != v else v for v in row]
                yield (i, *row, why or OK)

    def best(self, name: str, largest: bool = True) -> int:
        """The point where a measure is largest, or smallest."""
        values = self.column(name)
        if np.isnan(values).all():
            raise BadStudy(f"{name} has no value at any of the {len(self)} points; {next(iter(self.failed.values()))}")
        return int(np.nanargmax(values) if largest else np.nanargmin(values))

    def spans(self) -> dict[str, dict[str, float | None]]:
        """Least, mean and most of every column; None where it has no number."""
        found: dict[str, dict[str, float | None]] = {}
        numbers = np.concatenate([self.points, self.values], axis=1)
        for name, values in zip(self.header, numbers.T, strict=True):
            there = values[~np.isnan(values)]
            span = (there.min(), there.mean(), there.max()) if len(there) else (None, None, None)
            found[name] = dict(
                zip(("least", "mean", "most"), (v if v is None else float(v) for v in span), strict=True)
            )
        return found

    def reasons(self) -> list[tuple[str, int]]:
        """Why points are marked, the most frequent reasons first; those that differ in numbers alone count as one."""
        kinds = {_NUMBER.sub("#", why): why for why in reversed(self.failed.values())}
        counted = Counter(_NUMBER.sub("#", why) for why in self.failed.values())
        return [(kinds[kind], count) for kind, count in counted.most_common(5)]

    # Files ------------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """As .csv or .parquet, by the name's ending; whole or not there."""
        path = Path(path)
        atomic_write(path, self._parquet() if path.suffix.lower() == ".parquet" else self.lines())

    def lines(self) -> Iterator[bytes]:
        """The CSV file: numbers to the last digit; an empty cell where there is none, and why in `status`."""
        return csv_lines(self.header, self.study.factors, self.points, self.values, self.failed)

    def _parquet(self) -> bytes:
        arrow, parquet = (bring(name, "Parquet (.csv does not)") for name in ("pyarrow", "pyarrow.parquet"))
        numbers = np.concatenate([self.points, self.values], axis=1)
        columns: dict[str, Any] = {"point": arrow.array(np.arange(len(self)))}
        for i, name in enumerate(self.header):
            values = np.ascontiguousarray(numbers[:, i])
            columns[name] = arrow.array(values, mask=np.isnan(values))
        status = np.full(len(self), OK, dtype=object)
        status[list(self.failed)] = list(self.failed.values())
        columns["status"] = arrow.array(status, type=arrow.string())
        said = {"closedchain": json.dumps({"version": VERSION, "study": self.study.digest})}
        stream = io.BytesIO()
        parquet.write_table(arrow.table(columns).replace_schema_metadata(said), stream)
        return stream.getvalue()

    @cached_property
    def hash(self) -> str:
        """SHA-256 of every number's bits and every reason."""
        made = hashlib.sha256(np.ascontiguousarray(self.points).tobytes())
        made.update(self.values.tobytes())
        made.update(json.dumps(self.failed).encode())
        return made.hexdigest()
