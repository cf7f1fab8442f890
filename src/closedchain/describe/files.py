"""Mechanism files: TOML text → Recipe. Nothing in a file is executed; every mistake is one line with its place."""

from __future__ import annotations

import codecs
import re
import stat
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from closedchain.describe.equations import BadEquations
from closedchain.describe.expressions import Expr, Number, Quantity
from closedchain.describe.locate import line_of
from closedchain.describe.mechanism import BadMechanism
from closedchain.describe.parameters import BadParameter, Parameter, in_si, values_of
from closedchain.describe.reading import MECHANISM_KEYS, read_mechanism
from closedchain.describe.recipe import Description, Recipe
from closedchain.describe.stating import read_equations
from closedchain.describe.tables import (
    Problem,
    Table,
    check_number,
    check_quantity,
    check_scalar,
    check_symbol,
    check_table,
)
from closedchain.errors import ClosedChainError
from closedchain.units import BadQuantity, si, si_name

SCHEMA = "closedchain.mechanism/1"
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MAX_BYTES = 1_000_000
MAX_LINE = 10_000  # characters
MAX_LINES = 20_000
MAX_DOTS = 200  # in a line: the TOML parser's time grows with the square of the parts of a dotted key

_SHARED_KEYS = ("schema", "name", "about", "parameters", "presets", "motors", "readouts")
_TOML_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_MANY_DIGITS = re.compile(r"[0-9_]{4300,}")  # what Python's int() refuses
_PRESET = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,40}")
_HINTS = {
    "Cannot overwrite a value": "the same key is given twice; keep one",
    "Cannot declare": "the same table is given twice; keep one",
    "Cannot mutate immutable": "the same table is given twice; keep one",
    "Invalid value": "a value is a number, true, a [list], a { table } or a text in quotes",
    "Expected '=' after a key": "write key = value",
}

Translate = Callable[[BadMechanism | BadEquations], Problem]


class BadFile(ClosedChainError, ValueError):
    """A file that does not describe a robot: `path:line: place: problem`, which says what to do."""

    def __init__(self, path: str, place: str, problem: str, line: int | None = None) -> None:
        self.path, self.place, self.problem, self.line = path, place, problem, line
        where = f"{path}:{line}" if line else path
        super().__init__(": ".join(part for part in (where, place, problem) if part))


def read(path: str | Path) -> Recipe:
    """The robot that a mechanism file describes."""
    return loads(read_text(Path(path)), str(path))


def loads(source: str, origin: str = "text") -> Recipe:
    """The robot that a mechanism file's text describes; `origin` is what errors call it."""
    document = parse_toml(source, origin)
    try:
        return _read_recipe(Table(document), origin)
    except Problem as problem:
        line = line_of(source, problem.place)
        raise BadFile(origin, problem.place, problem.problem, line) from None


def read_text(path: Path) -> str:
    """The text of an ordinary file of reasonable size: UTF-8, or UTF-16 with its mark, as PowerShell's > writes it."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise BadFile(str(path), "", "is a directory; name a .toml file in it")
        if not stat.S_ISREG(status.st_mode):
            raise BadFile(str(path), "", "is not an ordinary file; name a .toml file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, BadFile):
            raise
        reason = getattr(error, "strerror", None) or "not a path"
        raise BadFile(str(path), "", f"cannot be read: {reason.lower()}; check the path") from None
    if len(data) > MAX_BYTES:
        raise BadFile(str(path), "", f"is larger than {MAX_BYTES} bytes; a few kilobytes are usual")
    try:
        return data.decode("utf-16" if data[:2] in UTF16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadFile(str(path), "", "is not UTF-8 text; save it as UTF-8", line) from None


def parse_toml(source: str, origin: str) -> dict[str, Any]:
    """The tables of a TOML text; a mistake is told with its line."""
    if len(source) > MAX_BYTES:
        raise BadFile(origin, "", f"is larger than {MAX_BYTES} bytes; a few kilobytes are usual")
    lines = source.split("\n")
    if len(lines) > MAX_LINES:
        raise BadFile(origin, "", f"has {len(lines)} lines; at most {MAX_LINES} are read")
    for number, line in enumerate(lines, start=1):
        if len(line) > MAX_LINE:
            raise BadFile(origin, "", f"a line of {len(line)} characters; at most {MAX_LINE} are read", number)
        if line.count(".") > MAX_DOTS:
            raise BadFile(origin, "", f"a line with {line.count('.')} dots; at most {MAX_DOTS} are read", number)
    try:
        return tomllib.loads(source)
    except RecursionError:
        raise BadFile(origin, "", "lists or tables nested too deep; three levels are enough") from None
    except ValueError as error:  # a TOMLDecodeError, or an integer that Python refuses to read
        raise _bad_toml(str(error), source, origin) from None


def _bad_toml(message: str, source: str, origin: str) -> BadFile:
    if message.startswith("Exceeds the limit"):
        digits = _MANY_DIGITS.search(source)
        line = source.count("\n", 0, digits.start()) + 1 if digits else None
        return BadFile(origin, "", "an integer of thousands of digits; write one that double precision holds", line)
    found = _TOML_LINE.search(message)
    line = None if found is None else int(found[1] or source.rstrip().count("\n") + 1)
    what = _TOML_LINE.sub("", message).replace("\n", " ")[:100]
    hint = next((h for start, h in _HINTS.items() if what.startswith(start)), "see the TOML syntax near this line")
    return BadFile(origin, "", f"not TOML: {what[:1].lower()}{what[1:]}; {hint}", line)


def _read_recipe(root: Table, origin: str) -> Recipe:
    if not root.items:
        raise Problem("", f'is empty; begin with schema = "{SCHEMA}"')
    if root.text("schema", SCHEMA) != SCHEMA:
        raise Problem("schema", f'{root.text("schema")[:60]!r} is not known here; write "{SCHEMA}"')
    root.only(*_SHARED_KEYS, *MECHANISM_KEYS, "equations")
    parameters = read_parameters(root.table("parameters"))
    root = Table(root.items, "", {p.name: p for p in parameters})
    name, about = root.text("name"), root.text("about", "")
    if _PRESET.fullmatch(name) is None or len(name) > 31:
        raise Problem("name", f"{name[:40]!r} cannot be a name; use a letter, then at most 30 letters, digits, _ or -")
    description, translate = _read_description(root, name, about, parameters)
    return Recipe(description, _read_presets(root, description, translate), origin)


def _read_description(
    root: Table, name: str, about: str, parameters: tuple[Parameter, ...]
) -> tuple[Description, Translate]:
    if "equations" not in root:
        mechanism, sketch = read_mechanism(root, name, about, parameters)
        return mechanism, sketch.translate
    for key in (*MECHANISM_KEYS, "readouts"):
        if key in root:
            raise Problem(key, "does not go with [equations]; describe points and bars, or state equations, not both")
    return read_equations(root, name, about, parameters)


def read_parameters(table: Table) -> tuple[Parameter, ...]:
    """Parameters in SI; a formula may use every other one."""
    parameters = {n: Parameter(0.0, name=check_symbol(n, table.at(n))) for n in table.items}
    for name, parameter in parameters.items():
        given, place = table.items[name], table.at(name)
        if not isinstance(given, dict):
            parameter.value, parameter.unit = _measured(check_scalar(given, place, parameters), "")
            continue
        row = check_table(given, place, parameters).only("value", "unit", "source", "about")
        parameter.source, parameter.about = row.text("source", ""), row.text("about", "")
        parameter.value, parameter.unit = _in_unit(row)
    try:
        values_of(parameters.values())
    except BadParameter as error:
        raise Problem(table.at(error.name), f"{error.problem}; give one of them a number") from None
    return tuple(parameters.values())


def _in_unit(row: Table) -> tuple[Expr, str]:
    """The value and its SI unit; only a number can be given in another."""
    value, unit = row.scalar("value"), row.text("unit", "")
    if unit and isinstance(value, Quantity):
        raise Problem(row.at("unit"), f"the value has its unit already, {value.unit}; keep one of them")
    try:
        number = in_si(value, unit)
    except (BadQuantity, BadParameter) as error:
        raise Problem(row.at("unit"), str(error)) from None
    if isinstance(number, Number):
        check_number(number.value, row.at("value"))
    return _measured(value if isinstance(value, Quantity) else number, si_name(unit))


def _measured(value: Expr, unit: str) -> tuple[Expr, str]:
    """A value and its unit; one that was written with its unit has that."""
    return (Number(value.value), value.unit) if isinstance(value, Quantity) else (value, unit)


def _read_presets(root: Table, description: Description, translate: Translate) -> Mapping[str, Mapping[str, float]]:
    presets = {}
    for name, table in root.named("presets"):
        if _PRESET.fullmatch(name) is None:
            raise Problem(table.place, "a preset's name is a letter, then letters, digits, _ or -")
        presets[name] = {p: _preset_value(root, table, p) for p in table.items}
        try:
            description.check_values(values_of(description.parameters, presets[name]))
        except BadParameter as error:
            raise Problem(table.at(error.name), error.problem) from None
        except (BadMechanism, BadEquations) as error:
            raise Problem(table.place, f"with these values {translate(error)}") from None
    return presets


def _preset_value(root: Table, table: Table, name: str) -> float:
    """A number in the unit its parameter is given in, or a text with its own; in SI."""
    value, given = table.items[name], root.table("parameters").items.get(name)
    unit = str(given.get("unit", "")) if isinstance(given, dict) else ""
    if isinstance(value, str):
        parameter = (root.names or {}).get(name)
        return check_quantity(value, table.at(name), parameter.unit if isinstance(parameter, Parameter) else "")
    return check_number(si(check_number(value, table.at(name)), unit)[0], table.at(name))
