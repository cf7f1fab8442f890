"""Values of a scenario file: numbers in SI or texts with a unit, vectors of them, choices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.tables import Problem, Table, check_list, kind, suggest
from closedchain.describe.tables import check_quantity as check_quantity

BRIEF, LONG = 1e-9, 1e9  # [s]


def number(
    table: Table, key: str, unit: str = "", default: float | None = None, *, above: float | None = None
) -> float:
    """A number; without a default it must be there, and it must lie above the bound if there is one."""
    if default is not None and key not in table:
        return default
    value = check_quantity(table.need(key), table.at(key), unit)
    if above is not None and not value > above:
        raise Problem(table.at(key), f"{value:g} {unit}".rstrip() + f" is not above {above:g}; write a larger one")
    return value


def seconds(table: Table, key: str) -> float:
    """A time that a run can have."""
    value = number(table, key, "s", above=0.0)
    if not BRIEF <= value <= LONG:
        raise Problem(table.at(key), f"{value:g} s is not between {BRIEF:g} and {LONG:g} s")
    return value


def gain(table: Table, key: str, default: float) -> float:
    """A number that is not negative: the loop would drive the error away."""
    value = number(table, key, "", default)
    if value < 0.0:
        raise Problem(table.at(key), f"{value:g} is negative: the loop would drive the error away; use a positive one")
    return value


def gains(table: Table, key: str, default: float, size: int) -> float | tuple[float, ...]:
    """One gain for all joints, or one for each."""
    if not isinstance(table.items.get(key), list):
        return gain(table, key, default)
    values = vector(table, key, [""] * size)
    if (values < 0.0).any():
        raise Problem(
            table.at(key), f"{values.min():g} is negative: the loop would drive the error away; use a positive one"
        )
    return tuple(values.tolist())


def vector(table: Table, key: str, units: Sequence[str]) -> Doubles:
    """One number for each unit."""
    return check_quantities(table.need(key), table.at(key), units)


def check_quantities(value: Any, place: str, units: Sequence[str]) -> Doubles:
    """A list of as many numbers as there are units."""
    rows = check_list(value, place, f"write [{', '.join(['…'] * len(units))}]")
    if len(rows) != len(units):
        wanted = ", ".join(unit or "1" for unit in units)
        raise Problem(place, f"{len(rows)} numbers; {len(units)} are needed [{wanted}]")
    return np.array([check_quantity(v, f"{place}[{i}]", u) for i, (v, u) in enumerate(zip(rows, units, strict=True))])


def pair(table: Table, key: str, default: tuple[float, float]) -> tuple[float, float]:
    """Two plain numbers."""
    if key not in table:
        return default
    first, second = vector(table, key, ("", "")).tolist()
    return first, second


def flag(table: Table, key: str, default: bool = False) -> bool:
    """True or false."""
    value = table.items.get(key, default)
    if not isinstance(value, bool):
        raise Problem(table.at(key), f"true or false is needed, not {kind(value)}")
    return value


def delay(table: Table, key: str) -> int | float:
    """A number of samples, true for one of them, or a time: 0.01 in seconds, or "10 ms"."""
    value = table.items.get(key, 0)
    if isinstance(value, bool | int):
        return whole(Table({key: int(value)}, table.place), key, 0)
    if not isinstance(value, str | float) or (isinstance(value, str) and not value[:1].isdigit()):
        raise Problem(table.at(key), 'true, a whole number of samples, or a time such as "10 ms" is needed')
    return number(table, key, "s", above=0.0) if value else 0.0


def choice(table: Table, key: str, known: Iterable[str], default: str | None = None) -> str:
    """One of the known words."""
    value, known = table.text(key, default), list(known)
    if value not in known:
        raise Problem(table.at(key), f"there is no {value[:40]!r}; {suggest(value, known)}")
    return value


def whole(table: Table, key: str, default: int) -> int:
    """A whole number that is not negative."""
    value = table.items.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise Problem(table.at(key), "a whole number is needed, 0 or above")
    return value


def check_formula(value: Any, place: str) -> str | float:
    """An expression of t, or a number."""
    return value if isinstance(value, str) else check_quantity(value, place, "")


def check_formulas(value: Any, place: str, count: int) -> list[str | float]:
    """One formula for each of `count` coordinates, in their order."""
    rows = check_list(value, place, "write [" + ", ".join(['"…"'] * count) + "]")
    if len(rows) != count:
        raise Problem(place, f"{len(rows)} formula{'s' * (len(rows) != 1)}; {count} are needed, one for each")
    return [check_formula(row, f"{place}[{i}]") for i, row in enumerate(rows)]
