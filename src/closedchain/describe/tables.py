"""Tables of a file, read key by key: each value is checked where it stands, and a problem names its place."""

from __future__ import annotations

import difflib
import keyword
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from closedchain.describe.checks import NAME
from closedchain.describe.expressions import FUNCTIONS, Expr, Number, Quantity
from closedchain.describe.locate import join
from closedchain.describe.parse import CONSTANTS, BadExpression, parse
from closedchain.describe.vectors import Vector
from closedchain.units import BadQuantity, quantity, si_name, split

MAX_ITEMS = 2000  # entries of one table or list
MAX_TEXT = 10_000  # characters of one text
_MEASURED = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?+\s*([A-Za-zµμΩ°].*)", re.ASCII)


class Problem(Exception):
    """What is wrong at which key, before the file's name and the line are known."""

    def __init__(self, place: str, problem: str) -> None:
        self.place, self.problem = place, problem
        super().__init__(f"{place}: {problem}")


@dataclass(frozen=True)
class Table:
    """A table of the file, the place it stands at, and the names its expressions may use."""

    items: Mapping[str, Any]
    place: str = ""
    names: Mapping[str, Expr] | None = None

    def __contains__(self, key: str) -> bool:
        return key in self.items

    def at(self, key: str) -> str:
        """The place of one of its keys."""
        return join(self.place, key)

    def only(self, *known: str) -> Table:
        """Itself, when it holds no other keys."""
        for key in self.items:
            if key not in known:
                raise Problem(self.at(key), f"unknown key; {suggest(key, known)}")
        return self

    def one_of(self, *keys: str) -> str:
        """The one key of these that is given."""
        given = [k for k in keys if k in self.items]
        if len(given) != 1:
            found = f"both {given[0]} and {given[1]}" if given else "none"
            raise Problem(self.place, f"exactly one of {', '.join(keys)} is needed, found {found}")
        return given[0]

    def need(self, key: str) -> Any:
        if key not in self.items:
            raise Problem(self.at(key), f"is missing; add {key} = …")
        return self.items[key]

    def text(self, key: str, default: str | None = None) -> str:
        """A text; without a default it must be there."""
        value = self.items.get(key, default) if default is not None else self.need(key)
        return check_text(value, self.at(key))

    def name(self, key: str, default: str | None = None) -> str:
        """A text that can be a name."""
        return check_name(self.text(key, default), self.at(key)) if key in self.items or default is None else default

    def scalar(self, key: str, default: Expr | None = None) -> Expr:
        """A number or an expression; without a default it must be there."""
        if default is not None and key not in self.items:
            return default
        return check_scalar(self.need(key), self.at(key), self.names or {})

    def scalars(self, *keys: str) -> dict[str, Expr]:
        """Those of the keys that are given."""
        return {k: self.scalar(k) for k in keys if k in self.items}

    def vector(self, key: str) -> Vector:
        return check_vector(self.need(key), self.at(key), self.names or {})

    def row(self, key: str, sizes: tuple[int, ...]) -> Vector:
        """As many numbers or expressions as one of these sizes."""
        rows = check_list(self.need(key), self.at(key), "write its numbers in a list")
        if len(rows) not in sizes:
            wanted = ", ".join(map(str, sizes[:-1])) + f" or {sizes[-1]}"
            raise Problem(self.at(key), f"{len(rows)} numbers; {wanted} are needed")
        return tuple(check_scalar(v, f"{self.at(key)}[{i}]", self.names or {}) for i, v in enumerate(rows))

    def pair(self, key: str) -> tuple[str, str]:
        """Two names."""
        return check_pair(self.need(key), self.at(key))

    def table(self, key: str) -> Table:
        """A table inside, empty when it is not there."""
        return check_table(self.items.get(key, {}), self.at(key), self.names)

    def named(self, key: str) -> list[tuple[str, Table]]:
        """The tables inside a table, with their names."""
        inside = self.table(key)
        return [(name, check_table(value, inside.at(name), self.names)) for name, value in inside.items.items()]

    def tables(self, key: str) -> list[Table]:
        """The tables of an array, `[[bars]]`."""
        rows = check_list(self.items.get(key, []), self.at(key), f"write [[{key}]] for each")
        return [check_table(row, f"{self.at(key)}[{i}]", self.names) for i, row in enumerate(rows)]


def check_table(value: Any, place: str, names: Mapping[str, Expr] | None) -> Table:
    """A table, not larger than is read."""
    if not isinstance(value, dict):
        raise Problem(place, f"a table is needed, {{ … }}, not {kind(value)}")
    if len(value) > MAX_ITEMS:
        raise Problem(place, f"{len(value)} entries; at most {MAX_ITEMS} are read")
    return Table(value, place, names)


def check_list(value: Any, place: str, hint: str) -> list[Any]:
    """A list, not longer than is read."""
    if not isinstance(value, list):
        raise Problem(place, f"a list is needed, not {kind(value)}; {hint}")
    if len(value) > MAX_ITEMS:
        raise Problem(place, f"{len(value)} entries; at most {MAX_ITEMS} are read")
    return value


def check_text(value: Any, place: str) -> str:
    """A text, not longer than is read."""
    if not isinstance(value, str):
        raise Problem(place, f'a text in quotes is needed, not {kind(value)}; write "…"')
    if len(value) > MAX_TEXT:
        raise Problem(place, f"a text of {len(value)} characters; at most {MAX_TEXT} are read")
    return value


def check_name(value: str, place: str) -> str:
    """A text that can be a name."""
    if not NAME.fullmatch(value):
        raise Problem(place, f"{value[:40]!r} cannot be a name; use a letter, then at most 30 letters, digits or _")
    return value


def check_symbol(value: str, place: str) -> str:
    """A name that expressions may use."""
    if value in CONSTANTS or value in FUNCTIONS or keyword.iskeyword(value):
        raise Problem(place, f"{value!r} already means something in expressions; choose another name")
    return check_name(value, place)


def check_number(value: Any, place: str) -> float:
    """A finite number; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Problem(place, f"a number is needed, not {kind(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Problem(place, "is not a finite number; write one that double precision holds")
    return number


def check_scalar(value: Any, place: str, names: Mapping[str, Expr]) -> Expr:
    """A number, or an expression of `names` in quotes."""
    if not isinstance(value, str):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Problem(place, f'a number or a formula in quotes is needed, such as 0.4 or "l/2", not {kind(value)}')
        return Number(check_number(value, place))
    if measured := _MEASURED.fullmatch(value):
        try:
            return Quantity(check_number(split(value)[0], place), si_name(measured[1]))
        except BadQuantity as error:
            raise Problem(place, str(error)) from None
    try:
        return parse(value, names)
    except BadExpression as error:
        raise Problem(place, str(error)) from None


def check_quantity(value: Any, place: str, unit: str) -> float:
    """0.45 in SI, or "45 deg": a number that is in the unit's dimension."""
    if not isinstance(value, str):
        return check_number(value, place)
    try:
        return quantity(check_text(value, place), unit)
    except BadQuantity as error:
        raise Problem(place, str(error)) from None


def check_vector(value: Any, place: str, names: Mapping[str, Expr]) -> Vector:
    """Two or three numbers or expressions."""
    found = check_row(value, place, names, 'write [x, y], such as [0, "-R"]')
    if len(found) not in {2, 3}:
        raise Problem(place, f"a vector of {len(found)} numbers; 2 are needed in the plane, 3 in space")
    return found


def check_row(value: Any, place: str, names: Mapping[str, Expr], advice: str) -> Vector:
    """Numbers or expressions in a list."""
    return tuple(check_scalar(v, f"{place}[{i}]", names) for i, v in enumerate(check_list(value, place, advice)))


def check_pair(value: Any, place: str) -> tuple[str, str]:
    """Two names in a list."""
    ends = check_list(value, place, 'write ["A", "B"]')
    if len(ends) != 2:
        raise Problem(place, f'two points are needed, found {len(ends)}; write ["A", "B"]')
    return check_text(ends[0], f"{place}[0]"), check_text(ends[1], f"{place}[1]")


def kind(value: Any) -> str:
    """What a TOML value is, in a word or two."""
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")


def suggest(name: str, known: Iterable[str]) -> str:
    """The nearest of the known names, or all of them."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known[:40]) or 'none'}"


def relocate(where: str, places: Mapping[str, str]) -> str:
    """The file's place of what an error calls `where`: `bar A1-C.length` → `bars[0].length`."""
    match = max((k for k in places if where == k or where.startswith(f"{k}.")), key=len, default=None)
    return where if match is None else places[match] + where[len(match) :]
