"""Motions as tables of numbers: sampled, written to a text file without losing a digit, read back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.files import atomic_write
from closedchain.motion.composition import rows_of
from closedchain.motion.moving import Side
from closedchain.motion.reference import Trajectory, end_of, positive

MOST_ROWS = 20_000_000
MOST_BYTES = 2 * 1024**3
SUFFIXES = ("", "_dot", "_ddot", "_dddot")


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers by name; time comes first."""

    names: tuple[str, ...]  # "t", "q1", "q2", …
    values: Doubles  # (rows, columns) [s, m, rad]

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != len(self.names) or not len(values):
            raise BadInput(
                f"{len(self.names)} columns need values of shape (rows, {len(self.names)}), not {values.shape}"
            )
        if len(set(self.names)) != len(self.names) or any(not _plain(name) for name in self.names):
            raise BadInput(
                f"column names must differ and hold no spaces, commas or #: {', '.join(map(repr, self.names)):.100}"
            )
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise BadInput(
                f"row {row} has {values[row, column]} in column {self.names[column]}; finite numbers are needed"
            )
        if not (np.diff(values[:, 0]) > 0).all():
            row = int(np.argmax(np.diff(values[:, 0]) <= 0))
            raise BadInput(f"time must increase, but {values[row, 0]:.6g} s is followed by {values[row + 1, 0]:.6g} s")
        object.__setattr__(self, "values", values)

    @property
    def t(self) -> Doubles:
        return self.values[:, 0]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, name: str) -> Doubles:
        """One column."""
        if name not in self.names:
            raise BadInput(f"no column {name!r:.30}; there are {', '.join(self.names)}")
        return self.values[:, self.names.index(name)]


def sample(trajectory: Trajectory, interval: float, *, names: Sequence[str] | None = None, rates: int = 0) -> Table:
    """The motion at start, start + interval, …, and at its end (where the last interval may be shorter).

    Columns are called like the robot's coordinates where the motion knows its robot (as `joint` and `cross` make them),
    else q1, q2, … or x1, x2, …. `rates` adds that many derivatives, as columns name_dot, name_ddot, name_dddot. A
    motion through Type 1 has positions at every instant, but no rates where a leg is at its end.
    """
    step = positive(interval, "interval")
    ratio = trajectory.duration / step
    if ratio > MOST_ROWS:
        raise BadInput(f"{ratio:.3g} rows would be made; {MOST_ROWS} are the most, so take a longer interval")
    if rates not in (0, 1, 2, 3):
        raise BadInput(f"rates is {rates!r:.30}; 0 to 3 derivatives are there")
    whole = round(ratio)
    even = whole >= 1 and abs(ratio - whole) <= 1e-9 * ratio
    t = trajectory.start + step * np.arange((whole if even else int(np.floor(ratio))) + 1)
    t = np.append(t[:-1] if even else t, end_of(trajectory))
    columns = list(names) if names is not None else _default_names(trajectory)
    if len(columns) != trajectory.dimension:
        raise BadInput(f"{len(columns)} names were given for {trajectory.dimension} coordinates")
    places = getattr(trajectory, "positions", None)
    values = rows_of(trajectory(t))[: rates + 1] if rates or places is None else [places(t)]  # (rates + 1, rows, n)
    full = tuple(name + suffix for suffix in SUFFIXES[: rates + 1] for name in columns)
    return Table(("t", *full), np.concatenate([t[:, None], *values], axis=-1))


def write_table(path: str | os.PathLike[str], table: Table) -> None:
    """One line of names and one line per row, 17 significant digits: what is read back is the same to the last bit.

    A .csv file has commas; any other has spaces, and a # before the names, as ADAMS, MATLAB and NumPy read it.
    """
    separator = "," if Path(path).suffix.lower() == ".csv" else " "
    head = ("" if separator == "," else "# ") + separator.join(table.names)
    lines = (separator.join(map(_digits, row)) for row in table.values.tolist())
    atomic_write(path, "\n".join([head, *lines]) + "\n")


def read_table(path: str | os.PathLike[str]) -> Table:
    """A table as `write_table` writes it, or any file of numbers in columns with the time first."""
    file = Path(path)
    try:
        if file.stat().st_size > MOST_BYTES:
            raise BadInput(f"{file.name} has more than {MOST_BYTES >> 30} GiB; read it in parts")
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{file.name} is not a text file") from None
    except OSError as error:
        raise BadInput(f"{file.name} cannot be read: {error.strerror}") from None
    names, rows = _parse(file.name, text)
    try:
        return Table(names, np.array(rows))
    except BadInput as error:
        raise BadInput(f"{file.name}: {error}") from None


def _parse(file: str, text: str) -> tuple[tuple[str, ...], list[list[float]]]:
    names: tuple[str, ...] = ()
    rows: list[list[float]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        cells = line.lstrip("#").replace(",", " ").split()
        if not cells:
            continue
        if not rows and not names and not _is_number(cells[0]):
            names = tuple(cells)
        elif not line.lstrip().startswith("#"):
            rows.append(_row(file, number, cells))
            if len(rows[-1]) != len(rows[0]):
                raise BadInput(f"{file}, line {number}: {len(rows[-1])} numbers, but {len(rows[0])} in the first row")
    if not rows:
        raise BadInput(f"{file} holds no numbers")
    return names or ("t", *(f"c{i}" for i in range(1, len(rows[0])))), rows


def _row(file: str, number: int, cells: list[str]) -> list[float]:
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        bad = next(cell for cell in cells if not _is_number(cell))
        raise BadInput(f"{file}, line {number}: {bad[:30]!r} is not a number") from None


def _digits(value: float) -> str:
    return f"{value:.17g}"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _plain(name: str) -> bool:
    return bool(name) and not any(c.isspace() or c in ",#" for c in islice(name, 200)) and not _is_number(name)


def _default_names(trajectory: Trajectory) -> list[str]:
    if isinstance(trajectory, Side):
        equations = trajectory.model.equations
        return [c.name for c in (equations.q if trajectory.space == "joint" else equations.x)]
    letter = "q" if trajectory.space == "joint" else "x"
    return [f"{letter}{i}" for i in range(1, trajectory.dimension + 1)]
