"""What a mechanism file draws, as far as it goes: places in numbers, and what is missing until it is a robot."""

from __future__ import annotations

from typing import Any

from closedchain.describe.expressions import evaluate_all
from closedchain.describe.files import BadFile, parse_toml, read_parameters
from closedchain.describe.parameters import BadParameter, values_of
from closedchain.describe.tables import Problem, Table
from closedchain.errors import ClosedChainError

FREE, PLATE = 2, 3  # coordinates of a body in the plane
CLOSURES = {"bars": 1, "pins": 2, "rails": 1}


class Pencil:
    """Reads places and lengths of a text that may be unfinished; what cannot be read is left out."""

    def __init__(self, text: str) -> None:
        document = parse_toml(text, "definition")
        try:
            parameters = read_parameters(Table(document).table("parameters"))
            self.values = values_of(parameters)
        except (Problem, BadParameter):
            parameters, self.values = (), {}
        self.root = Table(document, "", {p.name: p for p in parameters})

    def rows(self, key: str) -> list[tuple[str, Table]]:
        """The tables under a key with their names, or with their numbers."""
        try:
            if isinstance(self.root.items.get(key), list):
                return [(str(i), table) for i, table in enumerate(self.root.tables(key))]
            return self.root.named(key)
        except Problem:
            return []

    def vector(self, table: Table, key: str) -> list[float] | None:
        """Numbers of a vector."""
        try:
            return [float(v) for v in evaluate_all(table.vector(key), self.values)]
        except (Problem, ClosedChainError, KeyError, ValueError, ArithmeticError):
            return None

    def number(self, table: Table, key: str) -> float | None:
        """A length in numbers."""
        try:
            return float(evaluate_all([table.scalar(key)], self.values)[0])
        except (Problem, ClosedChainError, KeyError, ValueError, ArithmeticError):
            return None

    def pair(self, table: Table, key: str) -> tuple[str, str] | None:
        """Two names."""
        try:
            return table.pair(key)
        except Problem:
            return None


def sketch(text: str) -> dict[str, Any] | None:
    """Points, drives, bars and plates by name; None where the text is no TOML, or describes no points."""
    try:
        pencil = Pencil(text)
    except BadFile:
        return None
    if "equations" in pencil.root:
        return None
    points = [_point(pencil, name, table) for name, table in pencil.rows("points")]
    drives = [_drive(pencil, name, table) for name, table in pencil.rows("drives")]
    plates = [_plate(pencil, name, table) for name, table in pencil.rows("plates")]
    bars = [
        {"a": pair[0], "b": pair[1], "length": pencil.number(table, "length")}
        for _, table in pencil.rows("bars")
        if (pair := pencil.pair(table, "between")) is not None
    ]
    output = pencil.root.items.get("output", "")
    made: dict[str, Any] = {"points": points, "drives": drives, "bars": bars, "plates": plates}
    made["output"] = output if isinstance(output, str) else ""
    return made | balance(pencil, made)


def balance(pencil: Pencil, made: dict[str, Any]) -> dict[str, Any]:
    """The mobility, counted by coordinates and closures, and what to do next."""
    free = [p["name"] for p in made["points"] if p["kind"] == "free"]
    telescopes = sum(d["kind"] == "telescope" for d in made["drives"])
    closures = telescopes + sum(each * len(pencil.rows(key)) for key, each in CLOSURES.items())
    missing = FREE * len(free) + PLATE * len(made["plates"]) - closures
    drives = len(made["drives"])
    return {"mobility": drives + missing, "next": advice(missing, drives, bool(free or made["plates"]), made["output"])}


def advice(missing: int, drives: int, bodies: bool, output: str) -> str:
    """One thing to do, in words."""
    if not drives:
        return "add a drive: a crank, a slider or a telescope"
    if not bodies:
        return "draw a bar from a drive's point to where the tip is to be"
    if missing > 0:
        return "add one bar" if missing == 1 else f"add {missing} bars"
    if missing < 0:
        return f"remove {-missing} {'bar' if missing == -1 else 'bars'}: more is held than can move"
    return "" if output else "choose the tip"


def _point(pencil: Pencil, name: str, table: Table) -> dict[str, Any]:
    kind = "fixed" if "fixed" in table else "free" if "free" in table else "carried"
    key = {"fixed": "fixed", "free": "near", "carried": "at"}[kind]
    return {"name": name, "kind": kind, "at": pencil.vector(table, key)}


def _drive(pencil: Pencil, name: str, table: Table) -> dict[str, Any]:
    kind = next((k for k in ("slider", "crank", "telescope") if k in table), "slider")
    try:
        inside = table.table(kind)
    except Problem:
        inside = Table({})
    about = inside.items.get("about")
    row: dict[str, Any] = {"name": name, "kind": kind, "point": str(table.items.get("point", name))}
    row["at"] = pencil.vector(inside, "about" if kind == "crank" else "at")
    row["pivot"] = about if isinstance(about, str) else ""
    row["along"] = pencil.vector(inside, "along")
    row["radius"] = pencil.number(inside, "radius")
    return row | {"base": str(inside.items.get("base", "")), "tip": str(inside.items.get("tip", ""))}


def _plate(pencil: Pencil, name: str, table: Table) -> dict[str, Any]:
    try:
        inside = table.table("points")
    except Problem:
        inside = Table({})
    corners = {point: pencil.vector(inside, point) for point in inside.items}
    row = {"name": name, "near": pencil.vector(table, "near")}
    return row | {"points": [{"name": n, "kind": "carried", "at": at} for n, at in corners.items()]}
