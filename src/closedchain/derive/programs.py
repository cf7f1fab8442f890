"""Every program of a robot, in the libraries they are compiled into."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from closedchain.derive.geometry import Geometry
from closedchain.derive.mapping import map_slope_programs
from closedchain.derive.marching import marching_programs
from closedchain.derive.models import Models
from closedchain.derive.passive_programs import passive_programs
from closedchain.derive.reactions import reaction_programs
from closedchain.derive.structure import groups
from closedchain.derive.symbolic import Symbols
from closedchain.derive.total import gradient_programs, jacobian_programs, value_programs
from closedchain.derive.touching import touching_program
from closedchain.derive.transmitting import transmission_programs
from closedchain.describe.equations import Equations
from closedchain.kernels.program import Program

__all__ = [
    "dynamics_programs",
    "from_drives_program",
    "further_programs",
    "geometry_programs",
    "gradient_programs",
    "jacobian_programs",
    "main_programs",
    "map_slope_programs",
    "marching_programs",
    "passive_programs",
    "reaction_programs",
    "touching_program",
    "tracking_program",
    "transmission_programs",
    "value_programs",
]


def main_programs(equations: Equations) -> list[Program]:
    """What most work needs: closures and energies and, where drives determine the rest, all that follows from them."""
    symbols = Symbols(equations)
    models = Models(symbols)
    found = [models.closures(), models.energy(), models.mass(), models.points(), models.motors(), models.readings()]
    found += [models.limits(), models.twist(), models.pattern(), models.driving()]
    if not equations.linkage:
        found += [models.direct_rates(), models.inverse_rates()] if equations.x else []
        found += Geometry(symbols, equations.mechanism).programs() if equations.mechanism is not None else []
        found += [models.evaluate(), models.inverse_dynamics()]
    return [program for program in found if program is not None]


def geometry_programs(equations: Equations) -> list[Program]:
    """What geometry alone asks of a robot in x: closures and readouts, without waiting for the others."""
    models = Models(Symbols(equations))
    return [program for program in (models.closures(), models.readings()) if program is not None]


def dynamics_programs(equations: Equations, augmented: bool) -> list[Program]:
    """Forward dynamics, augmented where bodies have no mass, and the rate of energy by the chain rule."""
    models = Models(Symbols(equations))
    return [models.forward_dynamics(augmented), models.power()]


def further_programs(equations: Equations) -> list[Program]:
    """What is asked for more rarely: the terms of h_z, linearisation, efforts of a motion of every coordinate."""
    models = Models(Symbols(equations))
    decided = equations.x and not equations.linkage
    return [models.terms(), models.stiffness()] + ([models.efforts()] if decided else [])


def tracking_program(equations: Equations) -> list[Program]:
    """One branch, followed to other drives."""
    return [Models(Symbols(equations)).track()]


def from_drives_program(equations: Equations, only: Sequence[str]) -> list[Program]:
    """Chosen models straight from the drives, for robots whose bodies are points."""
    assert equations.mechanism is not None
    symbols = Symbols(equations)
    signs = ca.SX.sym("s", len(groups(equations.mechanism) or ()))
    pose, slack = Geometry(symbols, equations.mechanism).pose(signs)
    return Models(symbols).from_drives(pose, slack, signs, only)
