"""What can be computed at a point: names, units, and the functions that compute a whole block of points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from closedchain.arrays import Doubles
from closedchain.describe.tables import suggest
from closedchain.sweep import geometry, motions
from closedchain.sweep.block import Block
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.prepared import Prepared

Compute = Callable[[Prepared, Block], Doubles]
GRID, ARCS, PATH, RUN, RAYS, CHEAP = "grid", "arcs", "path", "run", "rays", "cheap"
SECONDS = {ARCS: 5e-4, RUN: 5e-2, PATH: 4e-4, RAYS: 1e-4, CHEAP: 1e-6}  # of a point, by order of magnitude


@dataclass(frozen=True)
class Measure:
    """A column of the result."""

    name: str
    unit: str
    about: str
    compute: Compute
    cost: str  # which of SECONDS; a grid's follows from its places

    @property
    def column(self) -> str:
        """With its unit, as files call it."""
        return f"{self.name}_{self.unit}" if self.unit else self.name


def _tracking_error(ready: Prepared, block: Block) -> Doubles:
    return motions.simulated(ready, block, "max_error")


_ALL = (
    Measure(
        "workspace_area", "m^2", "the area reached: exact by arcs, or by --grid cells", geometry.workspace_area, ARCS
    ),
    Measure(
        "dexterous_area", "m^2", "its part where 1/κ is at least --condition, by cells", geometry.dexterous_area, GRID
    ),
    Measure(
        "regular_workspace",
        "m",
        "side of the largest square, or --shape disc, about --centre where --condition holds",
        geometry.regular_workspace,
        RAYS,
    ),
    Measure("min_conditioning", "", "the smallest 1/κ on the grid, where reached", geometry.min_conditioning, GRID),
    Measure("dexterity", "", "the mean of 1/κ on the grid, where reached", geometry.dexterity, GRID),
    Measure("centre_conditioning", "", "1/κ at --centre", geometry.centre_conditioning, CHEAP),
    Measure("singularity_margin", "", "the smallest 1/κ along the trajectory", geometry.singularity_margin, PATH),
    Measure("reach_margin", "m", "the smallest slack of a leg along the trajectory", geometry.reach_margin, PATH),
    Measure(
        "peak_effort", "SI", "the largest effort along the trajectory, ideally followed", motions.peak_effort, PATH
    ),
    Measure("moving_mass", "kg", "the sum of all masses that move", motions.moving_mass, CHEAP),
    Measure("tracking_error", "SI", "the largest error of the simulated scenario", _tracking_error, RUN),
)
MEASURES = {m.name: m for m in _ALL}
DOTTED = {"evaluate": motions.evaluated, "gradient": motions.slope, "simulate": motions.simulated}


def measure(name: str) -> Measure:
    """A measure by its name, or one of evaluate.…, gradient.… and simulate.…"""
    if name in MEASURES:
        return MEASURES[name]
    head, dot, rest = name.partition(".")
    if dot and rest and head in DOTTED:
        return Measure(
            name, "", f"{rest} of {head}", partial(DOTTED[head], name=rest), RUN if head == "simulate" else ARCS
        )
    known = [*MEASURES, "evaluate.…", "gradient.…", "simulate.…"]
    raise BadStudy(f"nothing is called {name[:40]!r} to compute; {suggest(name, known)}")


def seconds_of(ready: Prepared) -> float:
    """How long a point takes, by order of magnitude: it decides how many go into one task."""
    found = [measure(name) for name in ready.study.computes]
    gridded = any(
        m.cost == GRID or (m.cost == ARCS and m.name == "workspace_area" and ready.study.place.grid) for m in found
    )
    rest = sum(SECONDS[m.cost] for m in found if m.cost != GRID and not (gridded and m.name == "workspace_area"))
    return rest + (6e-9 * len(ready.places) if gridded else 0.0)
