"""A table of numbers as a motion: a spline through its rows, its columns found by the coordinates' names."""

from __future__ import annotations

from closedchain.describe.equations import Coordinate
from closedchain.errors import BadInput
from closedchain.model.model import Model
from closedchain.motion.polynomials import PiecewisePolynomial
from closedchain.motion.reference import Space
from closedchain.motion.splines import spline
from closedchain.motion.tables import Table

DEGREE = 5


def table_motion(model: Model, table: Table, *, degree: int = DEGREE, ends: str = "free") -> PiecewisePolynomial:
    """The motion of the drives whose columns a table has, or else of the output's coordinates.

    A column is called like the coordinate, with its unit if you like: q1 or q1_m. Other columns are not looked at.
    """
    spaces: tuple[tuple[Space, tuple[Coordinate, ...]], ...]
    spaces = (("joint", model.equations.q), ("output", model.equations.x))
    for space, coordinates in spaces:
        columns = [column for c in coordinates if (column := _column(table, c)) is not None]
        if columns and len(columns) == len(coordinates):
            return spline(table.values[:, columns], table.t, degree=degree, ends=ends, space=space)
    wanted = " or ".join(", ".join(c.name for c in coordinates) for _, coordinates in spaces if coordinates)
    raise BadInput(
        f"{model.name}: the table's columns are {', '.join(table.names)[:100]}; after the time {wanted} are needed, "
        "named in the first line"
    )


def _column(table: Table, coordinate: Coordinate) -> int | None:
    for name in (coordinate.name, f"{coordinate.name}_{coordinate.unit}"):
        if name in table.names[1:]:
            return table.names.index(name)
    return None
