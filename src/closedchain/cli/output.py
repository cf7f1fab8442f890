"""What a command prints: one JSON document, or text with units and aligned tables."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from closedchain.errors import ClosedChainError
from closedchain.model.model import Model


class NotFinite(ClosedChainError, ArithmeticError):
    """An answer beyond the range of double precision."""


def document(command: str, model: Model | None = None, **answer: Any) -> dict[str, Any]:
    """The head that every JSON answer has, and the answer."""
    head: dict[str, Any] = {"schema": f"closedchain.{command}/1"}
    if model is not None:
        head |= {"robot": model.name, "parameters": model.values}
    return head | answer


def print_json(answer: Mapping[str, Any]) -> None:
    """One document, strict JSON: every number finite, doubles to the last digit."""
    print(json.dumps(plain(answer), indent=2, ensure_ascii=False, allow_nan=False))


def plain(value: Any, place: str = "") -> Any:
    """Arrays as lists, NumPy's scalars as Python's; refuses what JSON has no word for."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item, f"{place}.{key}" if place else str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, place) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise NotFinite(f"{place} is {value}: beyond the range of double precision; try smaller numbers")
    return value


def table(header: Sequence[str], rows: Iterable[Sequence[object]], indent: str = "  ") -> str:
    """Columns as wide as they need; numbers stand to the right."""
    cells = [list(header), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    right = [all(_is_number(row[i]) for row in cells[1:]) for i in range(len(header))]
    lines = []
    for row in cells:
        padded = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)]
        lines.append((indent + "  ".join(padded)).rstrip())
    return "\n".join(lines)


def number(value: float) -> str:
    """Ten digits: what a person compares by eye; --json has all of them."""
    return f"{value:.10g}"


def row_of(values: Iterable[float], width: int = 0) -> str:
    """Numbers beside each other."""
    return "  ".join(number(v).rjust(width) for v in values)


def _cell(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text in ("", "-")
    return True
