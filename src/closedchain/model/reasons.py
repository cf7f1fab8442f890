"""Why a geometric problem has no solution: the leg that misses and by how much, or what leaves nothing to tell."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.derive.structure import Group
from closedchain.describe.elements import Telescope
from closedchain.describe.equations import Coordinate
from closedchain.errors import NoSolution, Unreachable, length, numbers
from closedchain.model.configurations import Configurations
from closedchain.model.model import Model
from closedchain.model.solutions import Index
from closedchain.model.three_circles import PlatePoses
from closedchain.policy import GAP

FAR = 1e6  # of the robot's size, or rad: beyond it, rounding of coordinates is as large as a gap that counts as closed


def beyond(model: Model, values: Doubles, of: tuple[Coordinate, ...]) -> bool:
    """Whether values, or the robot itself, are of a size at which double precision cannot tell what closes."""
    sizes = np.array([model.scale if c.unit == "m" else 1.0 for c in of])
    return not 1e-100 < model.scale < 1e100 or bool((np.abs(values) > FAR * sizes).any())


def unresolved(model: Model, name: str, values: Doubles, of: tuple[Coordinate, ...]) -> NoSolution:
    """For values at which no leg is seen to miss, and yet nothing closes."""
    at = f"{name} = {numbers(values)}"
    if beyond(model, values, of):
        size = length(model.scale)
        return NoSolution(
            f"{model.name}: {at} is beyond what double precision closes for a robot of {size}. Give values of its size."
        )
    return NoSolution(
        f"{model.name}: no isolated pose at {at}: circles that coincide, parallel lines or centres on one line leave "
        f"none, or a whole curve of them. Move the drives away from there, or change a length with --set."
    )


def why_negative(model: Model, q: Doubles) -> dict[int, NoSolution]:
    """For each row of q in which a telescope would be shorter than nothing."""
    drives = model.mechanism.drives if model.mechanism is not None else ()
    reasons: dict[int, NoSolution] = {}
    for column, drive in enumerate(drives):
        for row in np.nonzero(q[:, column] < 0.0)[0] if isinstance(drive, Telescope) else ():
            told = f"{drive.name} = {float(q[row, column]):.6g} m, but a telescope is never shorter than 0"
            reasons[int(row)] = NoSolution(f"{model.name}: {told}; give its length")
    return reasons


def why_no_point(model: Model, group: Group, q: Doubles, slack: Doubles) -> NoSolution:
    """Two or three bars that do not meet."""
    names = " and ".join(link.name for link in group.links)
    hint = "Bring the drives closer to a configuration that closes, or change a length with --set."
    return Unreachable(model.name, f"the pair {names}", -float(slack), f"each other at q = {numbers(q)}", hint)


def why_no_pose(model: Model, group: Group, q: Doubles, poses: PlatePoses, element: int) -> NoSolution:
    """A plate without a pose: the leg to change, or that it moves with the drives held."""
    at = f"q = {numbers(q)}"
    if poses.mobile[element]:
        return NoSolution(
            f"{model.name}: {group.body.name} has no isolated pose at {at}: with the drives held it still moves along "
            f"a whole curve of poses. Move the drives away from there, or change a length with --set."
        )
    found = int(poses.miss_leg[element]), int(poses.miss_partner[element])
    links = " with ".join(group.links[i].name for i in found if i >= 0)
    by = abs(float(poses.miss[element]))
    hint = "Change that leg by that much, or bring the drives to a configuration that closes."
    return Unreachable(model.name, f"leg {links}", by, f"every pose of {group.body.name} at {at}", hint)


def why_not_inverse(
    model: Model, x: Doubles, slack: Doubles, found: Configurations, open_rows: Index, solved: Index
) -> dict[int, NoSolution]:
    """For each x without a solution: the leg that misses most, or the closure that no drive moves."""
    reasons: dict[int, NoSolution] = {}
    names = [c.name for c in model.equations.closures]
    for element in np.setdiff1d(np.arange(len(x)), solved):
        legs = slack[element, 0]
        worst = int(np.argmin(legs))
        at = f"x = {numbers(x[element])}"
        if element not in open_rows:
            reasons[int(element)] = Unreachable(model.name, f"leg {model.legs[worst].name}", -float(legs[worst]), at)
        elif beyond(model, x[element], model.equations.x):
            reasons[int(element)] = unresolved(model, "x", x[element], model.equations.x)
        else:
            not_closed = np.nonzero(~(found.residual <= GAP * model.scale))[0]
            gap = np.abs(found.gap[not_closed[np.nonzero(open_rows == element)[0][0]]])
            closure = f"closure {names[int(np.argmax(gap))]}"
            reasons[int(element)] = Unreachable(model.name, closure, float(gap.max()), at)
    return reasons
