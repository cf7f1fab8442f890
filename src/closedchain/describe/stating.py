"""The `[equations]` table of a file → Equations: coordinates, energies and closures stated directly."""

from __future__ import annotations

from collections.abc import Callable

from closedchain.describe.equations import BadEquations, Closure, Coordinate, Equations, Readout
from closedchain.describe.expressions import ZERO
from closedchain.describe.mechanism import BadMechanism
from closedchain.describe.parameters import Parameter, values_of
from closedchain.describe.reading import read_motor
from closedchain.describe.tables import (
    Problem,
    Table,
    check_list,
    check_name,
    check_pair,
    check_symbol,
    check_text,
    check_vector,
    relocate,
)
from closedchain.describe.vectors import Vector
from closedchain.units import BadQuantity, si_name, unit_of

KEYS = (
    "q",
    "x",
    "driven",
    "kinetic",
    "potential",
    "dissipation",
    "closures",
    "readouts",
    "points",
    "lines",
    "linkage",
    "output",
)
Translate = Callable[[BadMechanism | BadEquations], Problem]


def read_equations(
    root: Table, name: str, about: str, parameters: tuple[Parameter, ...]
) -> tuple[Equations, Translate]:
    """The equations, and how a complaint about them finds its place in the file."""
    stated = root.table("equations").only(*KEYS)
    q, x = (_read_coordinates(stated.table(key)) for key in ("q", "x"))
    if not q:
        raise Problem(stated.at("q"), 'at least one coordinate is needed; write q = { q1 = "rad" }')
    symbols = {c.name: c.symbol for c in q + x} | {c.rate.name: c.rate for c in q + x}
    table = Table(stated.items, stated.place, {**(root.names or {}), **symbols})
    motors = root.tables("motors")
    closures, readouts = table.tables("closures"), table.tables("readouts")
    translate = _translator(stated, motors, closures, readouts)
    try:
        equations = Equations(
            name,
            parameters=parameters,
            q=q,
            driven=tuple(_read_texts(stated, "driven")),
            kinetic=table.scalar("kinetic"),
            potential=table.scalar("potential", ZERO),
            dissipation=table.scalar("dissipation", ZERO),
            x=x,
            closures=tuple(_read_closure(t) for t in closures),
            motors=tuple(read_motor(t) for t in motors),
            readouts=tuple(_read_readout(t) for t in readouts),
            points=_read_points(table.table("points")),
            lines=_read_lines(table),
            linkage=_read_flag(stated, "linkage"),
            output=tuple(_read_texts(stated, "output")),
            about=about,
        )
        equations.check_values(values_of(parameters))
    except BadEquations as error:
        raise translate(error) from None
    return equations, translate


def _read_flag(table: Table, key: str) -> bool:
    flag = table.items.get(key, False)
    if not isinstance(flag, bool):
        raise Problem(table.at(key), "true or false is needed")
    return flag


def _read_coordinates(table: Table) -> tuple[Coordinate, ...]:
    return tuple(
        Coordinate(check_symbol(name, table.at(name)), _coordinate_unit(table.text(name), table.at(name)))
        for name in table.items
    )


def _coordinate_unit(unit: str, place: str) -> str:
    if unit not in {"m", "rad"}:
        raise Problem(place, f'{unit!r:.40} is not a coordinate\'s unit; write "m" or "rad"')
    return unit


def _read_texts(table: Table, key: str) -> list[str]:
    rows = check_list(table.items.get(key, []), table.at(key), 'write ["q1"]')
    return [check_text(row, f"{table.at(key)}[{i}]") for i, row in enumerate(rows)]


def _read_closure(table: Table) -> Closure:
    table.only("name", "residual", "length")
    return Closure(table.text("name"), table.scalar("residual"), table.scalar("length", ZERO))


def _read_readout(table: Table) -> Readout:
    table.only("name", "unit", "value")
    unit = table.text("unit", "")
    try:
        if unit_of(unit).factor != 1.0:
            raise Problem(table.at("unit"), f"{unit!r:.40} is not an SI unit; write {si_name(unit)!r}")
    except BadQuantity as error:
        raise Problem(table.at("unit"), str(error)) from None
    return Readout(table.name("name"), si_name(unit), table.scalar("value"))


def _read_points(table: Table) -> tuple[tuple[str, Vector], ...]:
    return tuple(
        (check_name(name, table.at(name)), check_vector(at, table.at(name), table.names or {}))
        for name, at in table.items.items()
    )


def _read_lines(table: Table) -> tuple[tuple[str, str], ...]:
    place = table.at("lines")
    rows = check_list(table.items.get("lines", []), place, 'write [["O", "E"], ["E", "P"]]')
    return tuple(check_pair(row, f"{place}[{i}]") for i, row in enumerate(rows))


def _translator(stated: Table, motors: list[Table], closures: list[Table], readouts: list[Table]) -> Translate:
    places = {name: f"parameters.{name}" for name in stated.names or {}}
    places |= {f"motor {t.items.get('drive')}": t.place for t in motors}
    places |= {f"closure {t.items.get('name')}": t.place for t in closures}
    places |= {f"readout {t.items.get('name')}": t.place for t in readouts}
    places |= {f"point {name}": f"{stated.at('points')}.{name}" for name in stated.table("points").items}
    places |= {name: f"{stated.at('q')}.{name}" for name in stated.table("q").items}
    places |= {name: f"{stated.at('x')}.{name}" for name in stated.table("x").items}
    places |= {key: stated.at(key) for key in KEYS if key not in places}

    def translate(error: BadMechanism | BadEquations) -> Problem:
        return Problem(relocate(error.where, places), error.problem)

    return translate
