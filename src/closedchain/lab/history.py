"""Rows of numbers that a run collects: all of them, or evenly chosen ones where a run goes on for ever."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles

ROWS = 131_072  # kept at most: above this every other one goes


class History:
    """Grows by one row at a time; when full, every other row is dropped and only every second is kept from then on."""

    def __init__(self, width: int, rows: int = ROWS) -> None:
        self.buffer = np.empty((64, width))
        self.rows = rows
        self.every = 1  # of the rows offered, one in this many is kept
        self.offered = self.count = 0

    def add(self, row: Doubles | tuple[float, ...]) -> None:
        """One more row."""
        if self.offered % self.every == 0:
            if self.count == self.rows:
                self._halve()
            if self.offered % self.every == 0:
                self._keep(row)
        self.offered += 1

    def _keep(self, row: Doubles | tuple[float, ...]) -> None:
        if self.count == len(self.buffer):
            self.buffer = np.concatenate([self.buffer, np.empty((max(64, self.count), self.buffer.shape[1]))])
        self.buffer[self.count] = row
        self.count += 1

    def _halve(self) -> None:
        kept = self.buffer[: self.count : 2].copy()
        self.every *= 2
        self.count = len(kept)
        self.buffer[: self.count] = kept

    def fill(self, table: Doubles) -> None:
        """These rows, evenly chosen if there are too many, in place of all before."""
        self.every = -(-len(table) // self.rows) or 1
        self.buffer, self.offered = table[:: self.every].copy(), len(table)
        self.count = len(self.buffer)

    @property
    def table(self) -> Doubles:
        """The rows so far, (count, width)."""
        return self.buffer[: self.count].copy()

    def since(self, start: int) -> Doubles:
        """The rows from one on, to show what is new; all of them where rows were dropped since."""
        return self.buffer[min(start, self.count) : self.count].copy()
