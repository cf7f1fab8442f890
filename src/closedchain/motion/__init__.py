"""Motions: trajectories, paths and their timing, limits, and the fastest way along a path.

from closedchain import motion
reference = motion.quintic([0.0, 0.3], [0.1, 0.5], duration=3.0)(1.5)      # x, x_dot, x_ddot, x_dddot
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from closedchain.extras import doors

if TYPE_CHECKING:
    from closedchain.motion.composition import along, piecewise, stack
    from closedchain.motion.conditions import polynomial
    from closedchain.motion.conversion import joint, output
    from closedchain.motion.crossing import Crossing
    from closedchain.motion.crossing_search import cross
    from closedchain.motion.fastest import time_optimal
    from closedchain.motion.formulas import formula, formula_of
    from closedchain.motion.from_table import table_motion
    from closedchain.motion.limits import check_limits
    from closedchain.motion.paths import arc, circle, faster, line, segment
    from closedchain.motion.polynomials import PiecewisePolynomial, constant_velocity, quintic, rest
    from closedchain.motion.poses import pose_spline, screw, screw_about, straight
    from closedchain.motion.reference import Reference, Trajectory
    from closedchain.motion.splines import spline
    from closedchain.motion.tables import Table, read_table, sample, write_table

_HOMES = {  # imported when first used: only splines need SciPy
    "Crossing": "crossing",
    "PiecewisePolynomial": "polynomials",
    "Reference": "reference",
    "Table": "tables",
    "Trajectory": "reference",
    "along": "composition",
    "arc": "paths",
    "check_limits": "limits",
    "circle": "paths",
    "constant_velocity": "polynomials",
    "cross": "crossing_search",
    "faster": "paths",
    "formula": "formulas",
    "formula_of": "formulas",
    "joint": "conversion",
    "line": "paths",
    "output": "conversion",
    "piecewise": "composition",
    "polynomial": "conditions",
    "pose_spline": "poses",
    "quintic": "polynomials",
    "read_table": "tables",
    "rest": "polynomials",
    "sample": "tables",
    "screw": "poses",
    "screw_about": "poses",
    "segment": "paths",
    "spline": "splines",
    "stack": "composition",
    "straight": "poses",
    "table_motion": "from_table",
    "time_optimal": "fastest",
    "write_table": "tables",
}

__all__ = [
    "Crossing",
    "PiecewisePolynomial",
    "Reference",
    "Table",
    "Trajectory",
    "along",
    "arc",
    "check_limits",
    "circle",
    "constant_velocity",
    "cross",
    "faster",
    "formula",
    "formula_of",
    "joint",
    "line",
    "output",
    "piecewise",
    "polynomial",
    "pose_spline",
    "quintic",
    "read_table",
    "rest",
    "sample",
    "screw",
    "screw_about",
    "segment",
    "spline",
    "stack",
    "straight",
    "table_motion",
    "time_optimal",
    "write_table",
]

__getattr__, __dir__ = doors(__name__, _HOMES)
