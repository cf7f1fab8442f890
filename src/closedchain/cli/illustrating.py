"""The pictures that `solve`, `singular`, `map`, `workspace`, `plan` and `crossing` write; brings Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from closedchain.cli.values import note
from closedchain.errors import ClosedChainError
from closedchain.model.model import Model
from closedchain.model.solutions import Solutions
from closedchain.motion.crossing import Crossing
from closedchain.planning import Obstacle, Plan
from closedchain.singularity.along import Along
from closedchain.singularity.aspects import Aspects
from closedchain.singularity.loci import Loci, loci
from closedchain.singularity.maps import Map
from closedchain.singularity.pose import Singularities
from closedchain.singularity.workspace import Workspace
from closedchain.view.maps import figure_map, figure_reach
from closedchain.view.pictures import figure_branches
from closedchain.view.routes import figure_passing, figure_route
from closedchain.view.singular import figure_pose, figure_segment
from closedchain.view.style import save


def branches(model: Model, found: Solutions, path: str) -> Path:
    """Every solution, a panel each."""
    return save(figure_branches(model, found), path)


def pose(model: Model, found: Singularities, path: str) -> Path:
    """A pose, its other modes and its free motion."""
    return save(figure_pose(model, found), path)


def segment(model: Model, start: ArrayLike, goal: ArrayLike, found: Sequence[Along], path: str) -> Path:
    """det A along a segment."""
    return save(figure_segment(model, np.array(start, float), np.array(goal, float), found), path)


def grid(model: Model, done: Map, quantity: str, path: str) -> Path:
    """One quantity over the plane."""
    return save(figure_map(model, done, quantity), path)


def reach(model: Model, found: Workspace, parts: Aspects, path: str) -> Path:
    """Reach, aspects and the Type 2 curves; without these where they cannot be traced, which is said."""
    return save(figure_reach(model, found, parts, _curves(model, parts)), path)


def _curves(model: Model, parts: Aspects) -> Loci | None:
    if model.mechanism is None or model.mechanism.dimension != 2:
        note("for a robot in space the singular curves are not traced; they lie where colours meet")
        return None
    x0, x1, y0, y1 = parts.window
    fixed = {} if parts.third is None else {model.equations.x[2].name: parts.third}
    try:
        return loci(model, window=((x0, x1), (y0, y1)), fixed=fixed)
    except ClosedChainError as error:
        note(f"the picture has no singular curves: {error}")
        return None


def route(model: Model, found: Plan, shapes: Sequence[Obstacle], path: str) -> Path:
    """A planned way."""
    figure = figure_route(model, found.q, found.x, found.working, shapes, [c.x for c in found.changes])
    return save(figure, path)


def passing(planned: Crossing, path: str) -> Path:
    """A crossing with its efforts."""
    return save(figure_passing(planned), path)
