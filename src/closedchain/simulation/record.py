"""What a march leaves behind: rows of states, commands, and how well the closures held."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from closedchain.arrays import Doubles
from closedchain.kernels.march import March, Rows
from closedchain.model.joint_limits import keeping
from closedchain.model.model import Model
from closedchain.model.state import State
from closedchain.simulation.clock import Clock
from closedchain.simulation.compiled import History
from closedchain.simulation.endings import passive_beyond


@dataclass(frozen=True, eq=False)
class Marched(History):
    """A linkage's history, with how well its closures held: the least since the row before."""

    rank: Doubles = field(default_factory=lambda: np.zeros(0))  # (T,) closures that held well
    hold: Doubles = field(default_factory=lambda: np.zeros(0))  # (T,) of the weakest, about 1; 0 where it is lost


class Record:
    """The rows so far, the command that holds, and the state reached."""

    def __init__(self, model: Model, begin: State, time: Clock, every: int) -> None:
        self.model, self.time, self.every = model, time, every
        self.done = 0  # steps
        self.command = np.zeros(len(model.driven))
        self.state = begin
        self._index = [np.zeros(1, dtype=np.intp)]
        self._rows = [np.concatenate([begin.z, begin.z_dot, [0.0, np.nan, np.nan]])[None]]
        self._commands: list[tuple[int, Doubles]] = []

    def add(self, rows: Rows, made: int, every: int, compiled: March) -> None:
        """Rows after every `every`-th of `made` steps, and where the march stands now."""
        self._commands.append((self.done, self.command))
        index = self.done + every * np.arange(1, len(rows.work) + 1)
        keep = (index % self.every == 0) | (index == self.time.steps)
        table = np.column_stack([rows.z, rows.z_dot, rows.work, rows.rank, rows.hold])
        for k in (-2, -1):  # the least since the row before
            table[:, k] = _least_between(table[:, k], keep)
        self._index.append(index[keep])
        self._rows.append(table[keep])
        self.done += made
        n, nz = self.model.nq, compiled.nz
        z, v = compiled.z[:nz].copy(), compiled.w[:nz].copy()
        self.state = State(z[:n], z[n:], v[:n], v[n:])
        self._work = float(compiled.w[nz])

    def beyond(self, limits: tuple[Doubles, Doubles]) -> str:
        """Which drive is beyond its limits on the newest rows, if one is; the rows after are dropped."""
        low, high = limits
        table, n = self._rows[-1], self.model.nq
        q = table[:, :n]
        out = (q < low) | (q > high)
        passive = _passive_beyond(self.model, q, table[:, n : n + self.model.nx])
        if not (out.any() or passive.any()):
            return ""
        row = int(np.argmax(out.any(axis=-1) | passive))
        t = float(self._index[-1][row]) * self.time.h
        self._rows[-1], self._index[-1] = self._rows[-1][: row + 1], self._index[-1][: row + 1]
        if not out[row].any():
            z = table[row]
            state = State(z[:n], z[n : n + self.model.nx], z[:0], z[:0])
            return f"joint limit at t = {t:.6g} s: {passive_beyond(self.model, state)}"
        i = int(np.argmax(out[row]))
        coordinate = self.model.equations.q[i]
        value = f"{coordinate.name} = {q[row, i]:.6g} {coordinate.unit}"
        return f"joint limit at t = {t:.6g} s: {value} leaves [{low[i]:g}, {high[i]:g}]"

    def history(self, ended: str) -> Marched:
        """Everything, time first."""
        index, table = np.concatenate(self._index), np.concatenate(self._rows)
        table[0, -2:] = table[min(1, len(table) - 1), -2:]
        finite = np.isfinite(table[:, :-2]).all(axis=-1)
        index, table = index[finite], table[finite]
        n, nz = self.model.nq, self.model.nq + self.model.nx
        starts = np.array([start for start, _ in self._commands] or [0])
        commands = np.array([c for _, c in self._commands] or [self.command])
        held = commands[np.searchsorted(starts, index, side="right") - 1]
        z, v = table[:, :nz], table[:, nz : 2 * nz]
        return Marched(
            self.time.t[index],
            z[:, :n],
            z[:, n:],
            v[:, :n],
            v[:, n:],
            held,
            table[:, 2 * nz],
            ended,
            rank=table[:, -2],
            hold=table[:, -1],
        )


def _passive_beyond(model: Model, q: Doubles, x: Doubles) -> np.ndarray:
    """(T,) whether a passive joint is beyond its limits; a row that is not finite is none."""
    passive = [i for i, limit in enumerate(model.equations.limits) if limit.name not in model.equations.driven]
    if not passive:
        return np.zeros(len(q), dtype=bool)
    return np.asarray((keeping(model, q, x).room[:, passive] < 0.0).any(axis=-1))


def _least_between(values: Doubles, keep: np.ndarray) -> Doubles:
    """For each kept row the least since the kept row before."""
    least = values.copy()
    running = np.inf
    for i, kept in enumerate(keep):
        running = min(running, values[i])
        if kept:
            least[i], running = running, np.inf
    return least
