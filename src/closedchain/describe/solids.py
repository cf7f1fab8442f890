"""Bodies of space in a file, with their joints, and what holds them: planes, inclined and coplanar directions."""

from __future__ import annotations

from typing import Any

from closedchain.describe.elements import Ball, Body, Coplanar, Direction, Incline, Joint, Plane, Slide, Turn
from closedchain.describe.expressions import ONE, ZERO
from closedchain.describe.joints import KINDS, Closure
from closedchain.describe.sketch import Sketch, carry, read_limits
from closedchain.describe.tables import Problem, Table, check_list, check_vector
from closedchain.describe.vectors import Vector

STILL: Vector = (ZERO, ZERO, ZERO)
UPWARD: Vector = (ZERO, ZERO, ONE)


def read_solids(root: Table, sketch: Sketch) -> None:
    """The bodies, what carries another first, and their points."""
    waiting = root.named("bodies")
    while waiting:
        name, table = next((row for row in waiting if _carrier(row[1]) in {"", *sketch.solids}), waiting[0])
        waiting.remove((name, table))
        sketch.claim(name, table.place)
        table.only("mass", "centre", "inertia", "near", "points", "joint")
        joint = _read_joint(table.table("joint"), sketch) if "joint" in table else None
        centre = table.vector("centre") if "centre" in table else STILL
        inertia = table.row("inertia", (3, 6)) if "inertia" in table else STILL
        near = table.row("near", (1, 3, 6)) if "near" in table else None
        body = Body(name, table.scalar("mass", ZERO), centre, inertia, joint, near)
        sketch.solids[name] = sketch.keep(body, table.place)
        points = table.table("points")
        for point in points.items:
            carry(point, body, points.vector(point), points.at(point), sketch)


def _carrier(table: Table) -> str:
    return table.table("joint").text("on", "") if "joint" in table else ""


def _read_joint(table: Table, sketch: Sketch) -> Joint:
    kind = table.one_of("turn", "slide", "ball")
    acting = ("rotor", "stiffness", "rest", "damping")
    table.only(kind, "on", "at", "axes", *(() if kind == "ball" else ("axis", "limits", *acting)))
    by = sketch.solid(table.text("on"), table.at("on")) if "on" in table else None
    at = table.vector("at") if "at" in table else STILL
    placed = (table.name(kind), at, by, _read_axes(table))
    if kind == "ball":
        return sketch.keep(Ball(*placed), table.place)
    axis = table.vector("axis") if "axis" in table else UPWARD
    make = Turn if kind == "turn" else Slide
    acts: dict[str, Any] = table.scalars(*acting)
    return sketch.keep(make(*placed, axis, read_limits(table), **acts), table.place)


def _read_axes(table: Table) -> tuple[Vector, Vector, Vector] | None:
    if "axes" not in table:
        return None
    x, y, z = _read_rows(table, "axes", 3)
    return x, y, z


def _read_rows(table: Table, key: str, count: int) -> list[Vector]:
    """So many directions."""
    table.need(key)
    words, place = {2: "two", 3: "three"}[count], table.at(key)
    usual = ", ".join(["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"][:count])
    rows = check_list(table.items[key], place, f"write {words} directions, [{usual}]")
    if len(rows) != count:
        raise Problem(place, f"{words} directions are needed, found {len(rows)}")
    return [check_vector(row, f"{place}[{i}]", table.names or {}) for i, row in enumerate(rows)]


def read_plane(table: Table, sketch: Sketch) -> Plane:
    """A point that stays in a plane."""
    table.only("point", "through", "normal", "name")
    point, through = (sketch.point(table.text(k), table.at(k)) for k in ("point", "through"))
    return sketch.keep(Plane(point, through, table.vector("normal"), name=table.text("name", "")), table.place)


def read_incline(table: Table, sketch: Sketch) -> Incline:
    """Two directions that stay at an angle."""
    table.only("a", "b", "cosine", "name")
    a, b = (_read_direction(table, key, sketch) for key in ("a", "b"))
    return sketch.keep(Incline(a, b, table.scalar("cosine", ZERO), name=table.text("name", "")), table.place)


def read_coplanar(table: Table, sketch: Sketch) -> Coplanar:
    """Two lines that stay in one plane."""
    table.only("between", "u", "v", "name")
    a, b = sketch.ends(table, "between")
    u, v = (_read_direction(table, key, sketch) for key in ("u", "v"))
    return sketch.keep(Coplanar(a, b, u, v, name=table.text("name", "")), table.place)


def read_joint(table: Table, sketch: Sketch) -> tuple[Closure, ...]:
    """A joint between two bodies by its name; its directions are in the frames of the two points' bodies."""
    kind = table.one_of(*KINDS)
    make, count = KINDS[kind]
    keys = ("axes", "square")[:count]
    table.only(kind, *keys, "name")
    a, b = sketch.ends(table, kind)
    along = [row for key in keys for row in _read_rows(table, key, 2)]
    return tuple(sketch.keep(row, table.place) for row in make(a, b, *along, name=table.text("name", "")))


def _read_direction(table: Table, key: str, sketch: Sketch) -> Direction:
    """`[0, 0, 1]` of the ground, `{ on = "platform", along = [0, 0, 1] }` of a body."""
    if not isinstance(table.need(key), dict):
        return sketch.keep(Direction(table.vector(key)), table.at(key))
    inside = table.table(key).only("on", "along")
    body = sketch.solid(inside.text("on"), inside.at("on"))
    return sketch.keep(Direction(inside.vector("along"), body), inside.place)
