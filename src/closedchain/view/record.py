"""What is drawn: samples of a motion, checked against its robot, with every name and unit filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from closedchain.arrays import Doubles, vectors
from closedchain.errors import BadInput
from closedchain.model.model import Model

Words = Mapping[str, tuple[str, ...]]


class Recording(Protocol):
    """The least a motion must have; the other attributes of `Record` are drawn where they are there and not None."""

    @property
    def t(self) -> Doubles: ...
    @property
    def q(self) -> Doubles: ...
    @property
    def x(self) -> Doubles: ...


@dataclass(frozen=True, eq=False)
class Energies:
    """Energy along a motion; the balance is E(t) − E(0) − work done on the robot, zero in exact arithmetic."""

    kinetic: Doubles  # (T,) [J]
    potential: Doubles  # (T,) [J]
    balance: Doubles  # (T,) [J]


@dataclass(frozen=True, eq=False)
class Record:
    """A motion of one robot at T instants."""

    t: Doubles  # (T,) [s], never decreasing
    q: Doubles  # (T, nq)
    x: Doubles  # (T, nx)
    q_ref: Doubles | None = None  # (T, nq) desired
    x_ref: Doubles | None = None  # (T, nx) desired
    tau: Doubles | None = None  # (T, driven)
    error: Doubles | None = None  # (T, n) obtained − desired: x − x_ref (or q − q_ref) unless given
    energy: Energies | None = None
    closure: Doubles | None = None  # (T,) [m] largest gap of the loops
    title: str = ""
    names: Words = field(default_factory=dict)  # of the columns of "q", "x", "tau", "error"; the robot's unless given
    units: Words = field(default_factory=dict)

    @property
    def duration(self) -> float:
        return float(self.t[-1] - self.t[0])


def complete(model: Model, source: Recording) -> Record:
    """The record of anything that has its attributes: shapes and numbers checked, names and units filled in."""
    t = _column(source.t, None, "t")
    if not len(t):
        raise BadInput(f"{model.name}: a record without samples cannot be drawn; give at least one instant")
    if (np.diff(t) < 0).any():
        at = int(np.argmax(np.diff(t) < 0))
        raise BadInput(
            f"{model.name}: t decreases from {t[at]:g} to {t[at + 1]:g} s at sample {at + 1}; sort the record"
        )
    sizes = {"q": model.nq, "x": model.nx, "q_ref": model.nq, "x_ref": model.nx, "tau": len(model.driven)}
    tables = {name: _table(getattr(source, name, None), len(t), size, name) for name, size in sizes.items()}
    if tables["q"] is None or tables["x"] is None:
        raise BadInput(f"{model.name}: a record needs both q and x")
    closure = getattr(source, "closure", None)
    record = Record(
        t=t,
        energy=_energies(getattr(source, "energy", None), len(t)),
        closure=None if closure is None else _column(closure, len(t), "closure"),
        title=str(getattr(source, "title", "") or model.name),
        **tables,  # type: ignore[arg-type]
    )
    return _named(model, _with_error(record, getattr(source, "error", None)), source)


def thinned(record: Record, index: np.ndarray) -> Record:
    """The same record at some of its instants only."""
    rows = {n: v[index] for n, v in vars(record).items() if isinstance(v, np.ndarray)}
    energy = record.energy
    if energy is not None:
        energy = Energies(energy.kinetic[index], energy.potential[index], energy.balance[index])
    return replace(record, energy=energy, **rows)


def _column(values: ArrayLike, count: int | None, what: str) -> Doubles:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1 or (count is not None and len(column) != count):
        raise BadInput(f"{what} has shape {column.shape}, but one number per instant is needed: ({count or 'T'},)")
    return vectors(column, len(column), what) if len(column) else column


def _table(values: ArrayLike | None, count: int, size: int | None, what: str) -> Doubles | None:
    if values is None:
        return None
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or len(table) != count or size not in (None, table.shape[1]):
        wanted = f"({count}, {'n' if size is None else size})"
        raise BadInput(f"{what} has shape {table.shape}, but {wanted} is needed: one row per instant of t")
    return vectors(table, table.shape[1], what)


def _energies(given: Any, count: int) -> Energies | None:
    if given is None:
        return None
    parts = ("kinetic", "potential", "balance")
    for part in parts:
        if getattr(given, part, None) is None:
            raise BadInput(f"the record's energy has no {part}; it needs {', '.join(parts)}, (T,) each")
    return Energies(*(_column(getattr(given, part), count, f"energy.{part}") for part in parts))


def _with_error(record: Record, given: ArrayLike | None) -> Record:
    """The error as given, or obtained − desired of the output, else of the drives."""
    if given is not None:
        return replace(record, error=_table(given, len(record.t), None, "error"))
    if record.x_ref is not None and record.x.shape[1]:
        return replace(record, error=record.x - record.x_ref)
    if record.q_ref is not None:
        return replace(record, error=record.q - record.q_ref)
    return record


def _named(model: Model, record: Record, source: Recording) -> Record:
    """The record with the robot's names and units wherever the source states none."""
    q, x = model.equations.q, model.equations.x
    driven = [q[i] for i in model.driven]
    names = {"q": [c.name for c in q], "x": [c.name for c in x], "tau": [c.name for c in driven]}
    units = {"q": [c.unit for c in q], "x": [c.unit for c in x]}
    units["tau"] = ["N m" if c.unit == "rad" else "N" for c in driven]
    width = 0 if record.error is None else record.error.shape[1]
    of = "x" if width == len(x) and (width != len(q) or record.x_ref is not None or record.q_ref is None) else "q"
    names["error"], units["error"] = names[of], units[of]
    names = {**names, **(getattr(source, "names", None) or {})}
    units = {**units, **(getattr(source, "units", None) or {})}
    columns = {"q": len(q), "x": len(x), "tau": len(driven), "error": width}
    for kind, count in columns.items():
        for what, words in (("names", names), ("units", units)):
            if count and len(words[kind]) != count:
                raise BadInput(f"record.{what}[{kind!r}] has {len(words[kind])} entries for {count} columns")
    freeze = {k: tuple(map(str, v)) for k, v in names.items()}, {k: tuple(map(str, v)) for k, v in units.items()}
    return replace(record, names=freeze[0], units=freeze[1])
