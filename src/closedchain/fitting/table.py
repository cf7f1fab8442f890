"""Tables of readings: a column for each quantity, in SI or in the unit that its head names; an empty cell is unread."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.units import BadQuantity, unit_of

MOST_BYTES = 2**28
Known = Callable[[str], str | None]  # a quantity's name → its SI unit; None where there is no such quantity


@dataclass(frozen=True, eq=False)
class Readings:
    """Numbers by row and quantity, in SI; NaN where nothing was read."""

    names: tuple[str, ...]
    values: Doubles  # (rows, columns)
    source: str = "the data"

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != len(self.names) or not len(values):
            raise BadInput(f"{self.source}: {len(self.names)} columns need values (rows, {len(self.names)})")
        twice = [name for name in self.names if self.names.count(name) > 1]
        if twice:
            raise BadInput(f"{self.source}: two columns are called {twice[0]!r:.40}")
        if np.isinf(values).any():
            row, column = np.argwhere(np.isinf(values))[0]
            raise BadInput(f"{self.source}: row {row + 1} has no finite number in column {self.names[column]}")
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Doubles:
        """One column, NaN where nothing was read."""
        if name not in self.names:
            raise BadInput(f"{self.source} has no column {name!r:.40}; there are {', '.join(self.names)}")
        return self.values[:, self.names.index(name)]

    def whole(self, name: str) -> Doubles:
        """One column without gaps."""
        column = self[name]
        if np.isnan(column).any():
            row = int(np.argmax(np.isnan(column))) + 1
            raise BadInput(f"{self.source}: row {row} has no {name}; every row needs one")
        return column

    def rows(self, chosen: np.ndarray) -> Readings:
        """Some of the rows."""
        return Readings(self.names, self.values[chosen], self.source)


def read_readings(path: str | os.PathLike[str], known: Known, *, needs: str = "") -> Readings:
    """A .csv file: names in the first line, `z`, `z [mm]` or `z_mm`; lines that begin with # are remarks."""
    file = Path(path)
    text = text_of(file)
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if not lines:
        raise BadInput(f"{file.name} is empty; its first line must name the columns {needs}".rstrip())
    head, *rest = csv.reader(line for _, line in lines)
    if not rest:
        raise BadInput(f"{file.name} has a line of names and no rows")
    columns = [_column(file.name, cell.strip(), known, needs) for cell in head]
    values = np.empty((len(rest), len(columns)))
    for row, ((number, _), cells) in enumerate(zip(lines[1:], rest, strict=True)):
        if len(cells) != len(columns):
            raise BadInput(f"{file.name}, line {number}: {len(cells)} cells, but {len(columns)} names")
        values[row] = [_number(file.name, number, cell) for cell in cells]
    factors = np.array([factor for _, factor in columns])
    return Readings(tuple(name for name, _ in columns), values * factors, file.name)


def text_of(file: Path) -> str:
    """A text file's content."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BadInput(f"{file.name} has more than {MOST_BYTES >> 20} MiB; take fewer rows")
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{file.name} is not a text file") from None
    except OSError as error:
        raise BadInput(f"{file.name} cannot be read: {error.strerror}") from None


def _column(file: str, head: str, known: Known, needs: str) -> tuple[str, float]:
    """A column's quantity, and what its numbers are multiplied with."""
    for name, unit in _readings_of(head):
        si = known(name)
        if si is None:
            continue
        if unit is None:
            return name, 1.0
        try:
            found = unit_of(unit)
        except BadQuantity as error:
            raise BadInput(f"{file}, column {head[:40]!r}: {error}") from None
        if not found.dimension.fits(unit_of(si).dimension):
            raise BadInput(f"{file}, column {head[:40]!r}: {name} is in {si or 'no unit'}, which {unit} is not")
        return name, found.factor
    raise BadInput(f"{file}: no quantity is called {head[:40]!r}; {needs}".rstrip("; "))


def _readings_of(head: str) -> list[tuple[str, str | None]]:
    """The ways to read a head: as a name, with a unit in brackets, with a unit after the last underscore."""
    ways: list[tuple[str, str | None]] = [(head, None)]
    bracketed = re.fullmatch(r"(.*?)\s*\[([^\[\]]*)\]", head)
    if bracketed:
        ways.append((bracketed[1], bracketed[2]))
    name, underscore, unit = head.rpartition("_")
    if underscore and name and re.fullmatch(r"[A-Za-zµμΩ°]{1,4}", unit):
        ways.append((name, unit))
    return ways


def _number(file: str, line: int, cell: str) -> float:
    text = cell.strip()
    try:
        return float(text) if text else float("nan")
    except ValueError:
        raise BadInput(f"{file}, line {line}: {text[:30]!r} is not a number") from None
