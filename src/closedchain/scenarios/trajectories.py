"""Tables of a scenario file → trajectories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np

from closedchain.arrays import Doubles
from closedchain.describe.tables import Problem, Table, check_list, check_table
from closedchain.errors import ClosedChainError
from closedchain.model.model import Model
from closedchain.model.solutions import plain_mode, same_mode
from closedchain.motion import (
    Trajectory,
    circle,
    constant_velocity,
    cross,
    formula,
    formula_of,
    piecewise,
    polynomial,
    pose_spline,
    quintic,
    read_table,
    rest,
    screw,
    screw_about,
    spline,
    straight,
)
from closedchain.scenarios.values import (
    check_formula,
    check_formulas,
    check_quantities,
    choice,
    number,
    seconds,
    vector,
    whole,
)

Space = Literal["output", "joint"]
POSE = ["x", "y", "z", "roll", "pitch", "yaw"]


class Coordinates:
    """The coordinates that a trajectory moves: how many, in which units, and where files named in it lie."""

    def __init__(self, model: Model, space: str, folder: Path) -> None:
        self.space: Space = "joint" if space == "joint" else "output"
        self.units = [c.unit for c in (model.equations.q if space == "joint" else model.equations.x)]
        self.folder = folder
        self.model = model


def read_trajectory(root: Table, model: Model, folder: Path) -> Trajectory | None:
    """The motion to follow: one table, or an array of them, one after another."""
    if "trajectory" not in root:
        return None
    given = root.items["trajectory"]
    if isinstance(given, list):
        tables = root.tables("trajectory")
        if not tables:
            raise Problem(root.at("trajectory"), "is empty; write [trajectory], or leave it out")
        parts = [_read_part(table, model, folder) for table in tables]
        return _made(root.at("trajectory"), lambda: piecewise(parts, continuity=0))
    return _read_part(check_table(given, root.at("trajectory"), None), model, folder)


def working_mode(root: Table, start: str | None) -> str | None:
    """The working mode that the trajectory names, or else the start; two that contradict each other are refused."""
    if "trajectory" not in root:
        return None
    many = isinstance(root.items["trajectory"], list)
    tables = root.tables("trajectory") if many else [root.table("trajectory")]
    first, now = None, start
    for table in tables:
        if "working" in table:
            named = table.text("working")
            if now is not None and not same_mode(plain_mode(now), named):
                before = "the start" if first is None else "the part before"
                raise Problem(
                    table.at("working"),
                    f'"{named[:20]}", but {before} is in working mode "{now[:20]}"; a Type 1 singularity lies between '
                    'them: write the same mode in both, or go through it with kind = "crossing"',
                )
            first, now = first or named, named
        now = table.text("end_working") if "end_working" in table else now
    return first


def _read_part(table: Table, model: Model, folder: Path) -> Trajectory:
    kind = choice(table, "kind", KINDS)
    read, keys = KINDS[kind]
    table.only("kind", "space", "working", *keys)
    table.text("working", "")
    space = choice(table, "space", ("output", "joint"), "output" if model.nx else "joint")
    if space == "output" and not model.nx:
        raise Problem(table.at("space"), f"{model.name} has no output; its motions are in joint space")
    return _made(table.place, lambda: read(table, Coordinates(model, space, folder)))


def _made(place: str, make: Callable[[], Trajectory]) -> Trajectory:
    try:
        return make()
    except ClosedChainError as error:
        raise Problem(place, str(error)) from None


def _duration(table: Table) -> float:
    return seconds(table, "duration")


def _quintic(table: Table, at: Coordinates) -> Trajectory:
    return quintic(vector(table, "from", at.units), vector(table, "to", at.units), _duration(table), space=at.space)


def _constant_velocity(table: Table, at: Coordinates) -> Trajectory:
    ends = vector(table, "from", at.units), vector(table, "to", at.units)
    blend, shape = number(table, "blend", "s", 0.0), choice(table, "shape", ("parabolic", "quintic"), "parabolic")
    return constant_velocity(*ends, _duration(table), blend=blend, shape=shape, space=at.space)


def _circle(table: Table, at: Coordinates) -> Trajectory:
    centre, radius = vector(table, "centre", at.units), number(table, "radius", at.units[0], above=0.0)
    angle, turns = number(table, "angle", "rad", 0.0), number(table, "turns", "", 1.0)
    return circle(centre, radius, _duration(table), angle=angle, turns=turns, space=at.space)


def _crossing(table: Table, at: Coordinates) -> Trajectory:
    """Through singularities, in a leg's own coordinates; push other than 0 breaks the criterion at Type 2."""
    if at.space == "joint":
        raise Problem(table.at("space"), "a crossing is a motion of the output; leave space out")
    start, end = vector(table, "from", at.units), vector(table, "to", at.units)
    working, push = table.text("working"), number(table, "push", "N", 0.0)
    after = table.text("end_working", working)
    return cross(at.model, start, end, _duration(table), working=working, end_working=after, push=push)


def _pose(at: Coordinates, table: Table) -> None:
    """Refuse motions of poses for an output that is none."""
    names = [c.name for c in (at.model.equations.x if at.space == "output" else ())]
    if names not in (POSE, POSE[3:]):
        has = ", ".join(names) or "drives"
        raise Problem(table.at("kind"), f"moves poses, x, y, z, roll, pitch, yaw or the angles alone; here are {has}")


def _straight(table: Table, at: Coordinates) -> Trajectory:
    _pose(at, table)
    return straight(vector(table, "from", at.units), vector(table, "to", at.units), _duration(table))


def _screw(table: Table, at: Coordinates) -> Trajectory:
    """From a pose to another, or by an angle about a line."""
    _pose(at, table)
    start = vector(table, "from", at.units)
    if "to" in table:
        table.only("kind", "space", "working", "from", "to", "duration")
        return screw(start, vector(table, "to", at.units), _duration(table))
    through, along = vector(table, "at", ["m"] * 3), vector(table, "axis", [""] * 3)
    angle, advance = number(table, "angle", "rad"), number(table, "advance", "m", 0.0)
    return screw_about(start, through, along, angle, _duration(table), advance=advance)


def _pose_spline(table: Table, at: Coordinates) -> Trajectory:
    _pose(at, table)
    poses, times = _through(table, at)
    ends = choice(table, "ends", ("natural", "clamped", "free"), "clamped")
    return pose_spline(poses, times, degree=whole(table, "degree", 3), ends=ends)


def _through(table: Table, at: Coordinates) -> tuple[Doubles, Doubles]:
    """Rows of coordinates and their instants."""
    place = table.at("through")
    rows = check_list(table.need("through"), place, "write one list for each time")
    points = [check_quantities(row, f"{place}[{i}]", at.units) for i, row in enumerate(rows)]
    times = check_list(table.need("times"), table.at("times"), "write [0, 1, …]")
    return np.array(points), check_quantities(times, table.at("times"), ["s"] * len(times))


def _rest(table: Table, at: Coordinates) -> Trajectory:
    return rest(vector(table, "at", at.units), _duration(table), space=at.space)


def _spline(table: Table, at: Coordinates) -> Trajectory:
    points, instants = _through(table, at)
    ends = choice(table, "ends", ("natural", "clamped", "free"), "clamped")
    return spline(points, instants, degree=whole(table, "degree", 3), ends=ends, space=at.space)


def _polynomial(table: Table, at: Coordinates) -> Trajectory:
    """Conditions { t, order, value }: order 0 is the position, 1 the velocity."""
    found = []
    for row in table.tables("conditions"):
        row.only("t", "order", "value")
        order = whole(row, "order", 0)
        units = at.units if order == 0 else [""] * len(at.units)
        found.append((number(row, "t", "s"), order, vector(row, "value", units)))
    return polynomial(found, space=at.space)


def _table(table: Table, at: Coordinates) -> Trajectory:
    """A file of numbers, time first, run through by a spline."""
    rows = read_table(at.folder / table.text("file"))
    if rows.values.shape[1] != 1 + len(at.units):
        needed = f"time and {len(at.units)} coordinates are needed"
        raise Problem(table.at("file"), f"it has {rows.values.shape[1]} columns; {needed}")
    ends = choice(table, "ends", ("natural", "clamped", "free"), "clamped")
    return spline(rows.values[:, 1:], rows.t, degree=whole(table, "degree", 3), ends=ends, space=at.space)


def _formula(table: Table, at: Coordinates) -> Trajectory:
    """Expressions of t: a list in the coordinates' order, or a table by their names, which then say the space."""
    given = table.need("formula")
    if not isinstance(given, dict):
        texts = check_formulas(given, table.at("formula"), len(at.units))
        return formula(texts, _duration(table), space=at.space, values=at.model.values)
    rows = table.table("formula")
    named = {name: check_formula(value, rows.at(name)) for name, value in rows.items.items()}
    made = formula_of(at.model, named, _duration(table))
    if "space" in table and made.space != at.space:
        raise Problem(table.at("space"), f'the formulas are of "{made.space}" coordinates; leave space out')
    return made


Reader = Callable[[Table, Coordinates], Trajectory]
KINDS: dict[str, tuple[Reader, tuple[str, ...]]] = {
    "quintic": (_quintic, ("from", "to", "duration")),
    "constant-velocity": (_constant_velocity, ("from", "to", "duration", "blend", "shape")),
    "circle": (_circle, ("centre", "radius", "duration", "angle", "turns")),
    "crossing": (_crossing, ("from", "to", "duration", "end_working", "push")),
    "straight": (_straight, ("from", "to", "duration")),
    "screw": (_screw, ("from", "to", "at", "axis", "angle", "advance", "duration")),
    "pose-spline": (_pose_spline, ("through", "times", "degree", "ends")),
    "rest": (_rest, ("at", "duration")),
    "spline": (_spline, ("through", "times", "degree", "ends")),
    "polynomial": (_polynomial, ("conditions",)),
    "table": (_table, ("file", "degree", "ends")),
    "formula": (_formula, ("formula", "duration")),
}
