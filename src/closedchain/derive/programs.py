"""Every program of a robot, in the two libraries they are compiled into."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from closedchain.derive.geometry import Geometry
from closedchain.derive.linkage import linkage_dynamics, linkage_programs, marching_programs
from closedchain.derive.models import Models
from closedchain.derive.passive_programs import passive_programs
from closedchain.derive.reactions import reaction_programs
from closedchain.derive.structure import groups
from closedchain.derive.symbolic import Symbols
from closedchain.describe.equations import Equations
from closedchain.kernels.program import Program

__all__ = [
    "from_drives_program",
    "further_programs",
    "linkage_dynamics",
    "main_programs",
    "marching_programs",
    "passive_programs",
    "reaction_programs",
]


def main_programs(equations: Equations) -> list[Program]:
    """What most work needs: geometry, kinematics, dynamics; of a linkage everything that is in z."""
    if equations.linkage:
        return linkage_programs(equations)
    symbols = Symbols(equations)
    models = Models(symbols)
    found: list[Program | None] = []
    if equations.x:
        found += [models.closures(), models.direct_rates(), models.inverse_rates()]
    if equations.mechanism is not None:
        found += Geometry(symbols, equations.mechanism).programs()
    found += [models.evaluate(), models.inverse_dynamics(), models.forward_dynamics(), models.energy()]
    found += [models.mass(), models.points(), models.motors(), models.readings(), models.limits()]
    return [program for program in found if program is not None]


def further_programs(equations: Equations) -> list[Program]:
    """What is asked for more rarely: the terms of h_z, linearisation, massless bodies."""
    models = Models(Symbols(equations))
    found = [models.terms(), models.power(), models.stiffness()]
    return found + ([models.efforts(), models.forward_dynamics(augmented=True)] if equations.x else [])


def from_drives_program(equations: Equations, only: Sequence[str]) -> list[Program]:
    """Chosen models straight from the drives, for robots whose bodies are points."""
    assert equations.mechanism is not None
    symbols = Symbols(equations)
    signs = ca.SX.sym("s", len(groups(equations.mechanism) or ()))
    pose, slack = Geometry(symbols, equations.mechanism).pose(signs)
    return Models(symbols).from_drives(pose, slack, signs, only)
