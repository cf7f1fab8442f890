"""What may stand at a key of a study or design file: how it is read, and beside it what a JSON Schema says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from closedchain.describe.tables import (
    Problem,
    Table,
    check_list,
    check_number,
    check_quantity,
    check_table,
    check_text,
    suggest,
)

Read = Callable[[Any, str], Any]  # value, place → what is meant; raises Problem
Schema = Mapping[str, Any]
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
QUANTITY: Schema = {"type": ["number", "string"]}  # in SI, or a text with a unit
RANGES = 'write "from:to:count" or [number, …]'


@dataclass(frozen=True)
class Key:
    """A key: what it means, how its value is read, and its schema."""

    about: str
    read: Read
    schema: Schema


def text(about: str) -> Key:
    """A text."""
    return Key(about, check_text, TEXT)


def choice(about: str, among: Sequence[str]) -> Key:
    """One of some texts."""

    def read(value: Any, place: str) -> str:
        if check_text(value, place) not in among:
            raise Problem(place, f"{value[:20]!r} is not known; {suggest(value, among)}")
        return str(value)

    return Key(about, read, {"enum": list(among)})


def texts(about: str) -> Key:
    """A text, or a list of them."""

    def read(value: Any, place: str) -> list[str]:
        rows = [value] if isinstance(value, str) else check_list(value, place, 'write ["…"]')
        return [check_text(row, f"{place}[{i}]") for i, row in enumerate(rows)]

    return Key(about, read, {"anyOf": [TEXT, {"type": "array", "items": TEXT}]})


def whole(about: str, least: int, most: int) -> Key:
    """A whole number."""

    def read(value: Any, place: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise Problem(place, f"a whole number from {least} to {most} is needed")
        return value

    return Key(about, read, {"type": "integer", "minimum": least, "maximum": most})


def share(about: str) -> Key:
    """A number from 0 to 1, without 1."""

    def read(value: Any, place: str) -> float:
        found = check_number(value, place)
        if not 0.0 <= found < 1.0:
            raise Problem(place, f"{found:g} is not between 0 and 1")
        return found

    return Key(about, read, {"type": "number", "minimum": 0, "exclusiveMaximum": 1})


def measured(about: str, unit: str) -> Key:
    """0.45 in SI, or "45 deg"."""
    return Key(about, lambda value, place: check_quantity(value, place, unit), QUANTITY)


def several(about: str, unit: str, count: int) -> Key:
    """So many of them in a list."""

    def read(value: Any, place: str) -> tuple[float, ...]:
        rows = check_list(value, place, "write [numbers]")
        if len(rows) != count:
            raise Problem(place, f"{len(rows)} numbers; {count} are needed")
        return tuple(check_quantity(row, f"{place}[{i}]", unit) for i, row in enumerate(rows))

    return Key(about, read, {"type": "array", "items": QUANTITY, "minItems": count, "maxItems": count})


def values(about: str) -> Key:
    """A table of numbers."""

    def read(value: Any, place: str) -> dict[str, float]:
        table = check_table(value, place, None)
        return {name: check_number(v, table.at(name)) for name, v in table.items.items()}

    return Key(about, read, {"type": "object", "additionalProperties": NUMBER})


def state(about: str) -> Key:
    """A table of texts and lists of numbers."""

    def read(value: Any, place: str) -> dict[str, Any]:
        table = check_table(value, place, None)
        return {k: v if isinstance(v, str) else _numbers(v, table.at(k)) for k, v in table.items.items()}

    entry = {"anyOf": [TEXT, {"type": "array", "items": NUMBER}]}
    return Key(about, read, {"type": "object", "additionalProperties": entry})


def varied(about: str) -> Key:
    """A table of texts such as "0.30:0.50:21", and lists of numbers; `controller.kp` may be written as tables."""

    def read(value: Any, place: str) -> dict[str, Any]:
        return _varied(check_table(value, place, None))

    entry = {"anyOf": [TEXT, {"type": "array", "items": NUMBER}, {"$ref": "#/properties/vary"}]}
    return Key(about, read, {"type": "object", "additionalProperties": entry})


def _varied(table: Table) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in table.items.items():
        if isinstance(value, dict):
            inside = _varied(check_table(value, table.at(name), None))
            found |= {f"{name}.{key}": said for key, said in inside.items()}
        else:
            found[name] = value if isinstance(value, str) else _numbers(value, table.at(name), RANGES)
    return found


def _numbers(value: Any, place: str, hint: str = "write [numbers]") -> list[float]:
    rows = check_list(value, place, hint)
    return [check_number(v, f"{place}[{i}]") for i, v in enumerate(rows)]
