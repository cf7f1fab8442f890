"""What the arrays of exported code are: a word and the units of each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from closedchain.describe.equations import Coordinate
from closedchain.kernels.program import Operand
from closedchain.model.model import Model

EFFORT = {"m": "N", "rad": "N m"}
KERNELS = {
    "track": "x for other drives on the same branch, from x where it was; believe it where the margin is above 0",
    "closures": "the loops at a configuration: each is closed where gap and phi are 0",
    "direct_rates": "the output's rates of the drives' rates",
    "inverse_rates": "the drives' rates of the output's rates; slip is what no drive can follow",
    "inverse": "the drives of a pose on the working mode sigma; a negative slack means that a leg misses",
    "evaluate": "every model at a state that the drives give",
    "inverse_dynamics": "efforts of accelerations, tau = M q_ddot + c, and the multipliers lam",
    "forward_dynamics": "accelerations and multipliers of efforts",
    "energy": "kinetic and potential energy, and the power that dampers take",
    "mass": "the mass matrix of z = (q, x)",
    "points": "where every named point is, one row each",
    "motors": "effort = gain * voltage - back * q_dot",
    "readings": "passive joints, their rates and accelerations",
    "derivatives": "accelerations under the inputs u",
    "step": "the state after a time h with u held (RK4, then projected onto the closures)",
    "project": "the nearest state that obeys the closures, weighed by mass",
    "pattern": "row and column of each nonzero of large matrices",
    "scale": "a length of the robot's own size, for tolerances",
    "control": "the command at what is measured, and what is kept for the next one",
    "motor_to_joint": "joints of motors inside the range, on the branch of the home",
    "joint_to_motor": "motors of joints inside the range, on the branch of the home",
    "follow": "joints of motors near those of the joints x, on the same branch",
    "rates": "Jacobians between motors and joints, their rates, and inertias; K is the inverse of J",
    "observe": "passive joints, energies, and how far the closures are open (gap) and slip",
}
WORDS = {
    "size": "a length of the robot's own size [m]",
    "q": "drives", "x": "output", "q_dot": "drives' rates", "x_dot": "output's rates",
    "q_ddot": "drives' accelerations", "x_ddot": "output's accelerations", "z_ddot": "accelerations of (q, x)",
    "tau": "efforts", "lam": "multipliers of the closures", "p": "parameters", "u": "inputs, held", "h": "step",
    "work": "work put in so far", "sigma": "sign of each leg, +1 or -1", "s": "sign of the branch, +1 or -1",
    "A": "d phi/d x", "B": "d phi/d q", "A_dot": "its rate", "B_dot": "its rate", "J": "d x/d q = -A^-1 B",
    "M": "mass matrix of q", "M_z": "mass matrix of (q, x)", "c": "tau where q_ddot = 0", "b": "x_ddot - J q_ddot",
    "det_A": "determinant of A", "det_B": "determinant of B", "margin": "0 or less: singular, or not sure",
    "kinetic": "kinetic energy", "potential": "potential energy", "power": "dissipated power",
    "applied_power": "power of external forces",
    "passive": "passive joints", "passive_dot": "their rates", "passive_ddot": "their accelerations",
    "points": "named points", "gap": "closures' gaps", "phi": "closures", "slip": "closures' rates",
    "slip_dot": "their accelerations", "slack": "room before a leg is stretched or folded",
    "centre": "centres of the circles", "radius": "their radii", "local": "the plate's points on them",
    "A_nonzeros": "nonzeros of d phi/d x", "A_rows": "their rows", "A_columns": "their columns",
    "B_nonzeros": "nonzeros of d phi/d q", "B_rows": "their rows", "B_columns": "their columns",
    "M_z_nonzeros": "nonzeros of the mass matrix", "M_z_rows": "their rows", "M_z_columns": "their columns",
    "ref": "the reference now", "gains": "numbers of the law", "interval": "between commands",
    "limit": "largest command", "memory": "what the law keeps",
    "gain": "effort per volt", "back": "effort per rate", "scale": "a length of the robot's own size",
}  # fmt: skip
SCALAR_UNITS = {
    "h": "s", "interval": "s", "work": "J", "kinetic": "J", "potential": "J", "power": "W", "slack": "m", "gap": "m",
    "applied_power": "W", "points": "m", "centre": "m", "radius": "m", "local": "m", "scale": "m",
}  # fmt: skip


def about(kernel: str) -> str:
    """A kernel in a few words."""
    group = re.fullmatch(r"group(\d+)", kernel)
    if group:
        return f"body {int(group[1]) + 1} from the drives and the bodies before it: its place, or its three circles"
    return KERNELS.get(kernel, kernel)


def word(operand: Operand) -> str:
    """An array in a few words."""
    name = operand.name.removesuffix("_next")
    return WORDS.get(name, name) + (" after the step" if name != operand.name else "")


def units(model: Model, operand: Operand, inputs: str = "tau") -> tuple[str, ...]:
    """The unit of each element; none where they are products of several, or have no dimension."""
    e, name = model.equations, operand.name.removesuffix("_next")
    rates = {"": "", "_dot": "/s", "_ddot": "/s^2"}
    base, dots = re.fullmatch(r"(.*?)((?:_d?dot)?)", name).groups()  # type: ignore[union-attr]
    coordinates: dict[str, Sequence[Coordinate]] = {"q": e.q, "x": e.x, "z": e.z}
    found: list[str] = []
    if base in coordinates:
        found = [c.unit + rates[dots] for c in coordinates[base]]
    elif base == "passive":
        found = [r.unit + rates[dots] for r in e.readouts]
    elif name == "p":
        found = [p.unit for p in e.parameters]
    elif name in ("tau", "u"):
        found = (
            ["V"] * operand.size
            if name == "u" and inputs == "voltage"
            else [EFFORT[c.unit] for c in _efforts(model, operand)]
        )
    elif name in SCALAR_UNITS:
        found = [SCALAR_UNITS[name]] * operand.size
    return tuple(found) if len(found) == operand.size else ()


def _efforts(model: Model, operand: Operand) -> list[Coordinate]:
    """The coordinates that efforts act on: the driven ones, or all where there is one for each."""
    chosen = range(model.nq) if operand.size == model.nq else model.driven
    return [model.equations.q[i] for i in chosen]
