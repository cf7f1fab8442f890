"""A study's results as lines of CSV, some thousand rows at a time: every digit, and why where a number is missing."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from closedchain.arrays import Doubles
from closedchain.sweep.digits import Bytes, shortest, texts, whole
from closedchain.sweep.factors import Factor

OK = "ok"
ROWS = 8192  # made at once: what they need stays near the processor


def csv_lines(
    header: Sequence[str], factors: Sequence[Factor], points: Doubles, values: Doubles, failed: Mapping[int, str]
) -> Iterator[bytes]:
    """The header, then pieces of many rows: point, factors (n, factors), measures (n, computes), status."""
    head = io.StringIO()
    csv.writer(head, lineterminator="\n").writerow(["point", *header, "status"])
    yield head.getvalue().encode()
    columns = [writer(factor) for factor in factors] + [shortest] * values.shape[1]
    for first in range(0, len(values), ROWS):
        rows = slice(first, min(first + ROWS, len(values)))
        numbers = (*points[rows].T, *values[rows].T)
        cells = [whole(np.arange(rows.start, rows.stop))]
        cells += [write(np.ascontiguousarray(v)) for write, v in zip(columns, numbers, strict=True)]
        cells.append(_status(failed, rows.start, rows.stop))
        yield _joined(cells)


def writer(factor: Factor) -> Callable[[Doubles], Bytes]:
    """How a factor's numbers become text: those of a list are made once, and looked up."""
    if not factor.listed:
        return shortest
    numbers = np.unique(np.array(factor.numbers))
    made = shortest(numbers)
    return lambda values: made[np.searchsorted(numbers, values)]


def _status(failed: Mapping[int, str], first: int, last: int) -> Bytes:
    """ok, or the reason."""
    why = [failed.get(point) for point in range(first, last)] if failed else []
    if not any(why):
        return np.broadcast_to(texts([OK]), (last - first, len(OK)))
    return texts([OK if reason is None else _quoted(reason) for reason in why])


def _joined(cells: Sequence[Bytes]) -> bytes:
    """Commas between, a line's end behind, and the bytes 0 taken out."""
    width = sum(cell.shape[1] + 1 for cell in cells)
    rows = np.empty((len(cells[0]), width), dtype=np.uint8)
    place = 0
    for cell in cells:
        end = place + cell.shape[1]
        rows[:, place:end] = cell
        rows[:, end] = ord(",")
        place = end + 1
    rows[:, -1] = ord("\n")
    return rows.tobytes().translate(None, b"\0")


def _quoted(text: str) -> str:
    """A text as a CSV cell."""
    text = text.replace("\0", " ")
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n') else text
