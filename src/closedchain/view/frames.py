"""Columns of numbers packed for a page: rounded to 2⁻²² of their span, differenced twice, in variable-length bytes.

A smooth motion takes little more than a byte per number, against four as float32; the rounding error is at most half a
step, 1.2e-7 of the span.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain.errors import BadInput

BITS = 22  # of a column's span
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Packed:
    """Columns as low + step × whole numbers."""

    low: Doubles  # (k,)
    step: Doubles  # (k,)
    code: str  # base64 of the bytes, column after column

    def page(self) -> dict[str, object]:
        """What a page needs to unpack it."""
        return {"low": [float(v) for v in self.low], "step": [float(v) for v in self.step], "code": self.code}


def pack(columns: Doubles, span: float | None = None) -> Packed:
    """Pack (T, k) columns, each by its own span, or all by one."""
    low, step = grid(columns, span)
    return Packed(low, step, encode(whole(columns, low, step)))


def grid(columns: Doubles, span: float | None = None) -> tuple[Doubles, Doubles]:
    """The lowest value and the rounding step of each column, (k,) each; a column that never changes has step 1."""
    low = columns.min(axis=0)
    spans = np.full(columns.shape[1], span) if span else np.ptp(columns, axis=0)
    return low, np.where(spans > 0, spans / 2**BITS, 1.0)


def whole(columns: Doubles, low: Doubles, step: Doubles) -> Whole:
    """The columns as whole numbers of steps above low."""
    return np.asarray(np.rint((columns - low) / step), dtype=np.int64)


def encode(table: Whole) -> str:
    """Whole numbers (T, k), column by column: second differences, zigzag signs, seven bits a byte, base64."""
    second = np.diff(table, n=2, axis=0, prepend=np.zeros((2, table.shape[1]), np.int64))
    flat = second.T.ravel()
    if flat.size and np.abs(flat).max() >= 2**30:
        raise BadInput(f"a difference of {np.abs(flat).max()} steps is too large for a page; 2^30 is the limit")
    unsigned = np.where(flat < 0, -2 * flat - 1, 2 * flat)
    size = 1 + (unsigned[:, None] >= 1 << 7 * np.arange(1, 5)).sum(axis=1)
    start = np.cumsum(size) - size
    data = np.zeros(int(size.sum()), dtype=np.uint8)
    for n in range(5):
        rows = size > n
        more = np.where(size[rows] > n + 1, 0x80, 0)
        data[start[rows] + n] = ((unsigned[rows] >> 7 * n) & 0x7F) | more
    return base64.b64encode(data.tobytes()).decode("ascii")


def decode(code: str, columns: int) -> Whole:
    """The whole numbers that `encode` packed, (T, columns)."""
    if not columns:
        return np.zeros((0, 0), dtype=np.int64)
    data = np.frombuffer(base64.b64decode(code), dtype=np.uint8).astype(np.int64)
    last = data < 0x80
    number = np.concatenate([[0], np.cumsum(last)[:-1]]).astype(np.intp)  # which number each byte belongs to
    first = np.concatenate([[0], np.flatnonzero(last)[:-1] + 1]).astype(np.intp)
    place = np.arange(len(data)) - first[number]
    unsigned = np.zeros(int(last.sum()), dtype=np.int64)
    np.add.at(unsigned, number, (data & 0x7F) << 7 * place)
    flat = np.where(unsigned & 1, -(unsigned + 1) // 2, unsigned // 2)
    return np.asarray(np.cumsum(np.cumsum(flat.reshape(columns, -1), axis=1), axis=1).T)
