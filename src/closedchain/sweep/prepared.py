"""What a process needs to compute any point of a study, made once: the model, the places looked at, the trajectory."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.model import Model
from closedchain.singularity.maps import mode_names
from closedchain.singularity.reach import Disc, Slice, Window, edges_of, slice_of
from closedchain.sweep.block import Block
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.study import GRID, Study

if TYPE_CHECKING:
    from closedchain.motion.reference import Reference
    from closedchain.scenarios import Scenario

SCENARIOS = "closedchain.scenarios"  # brings controllers and splines: imported only where a study has a scenario
INSTANTS = 401  # of a trajectory
BEYOND = 2.0  # robot sizes that are looked at where the reach has no end


@dataclass(frozen=True, eq=False)
class Prepared:
    """A study with everything that its points share."""

    study: Study

    @cached_property
    def model(self) -> Model:
        return self.study.robot.model()

    @cached_property
    def working(self) -> str:
        """The working mode that is looked at."""
        asked = self.study.place.working
        if asked is None and self.study.scene is not None:
            asked = self.scenario.working
        return mode_names(self.model, asked)[0]

    @cached_property
    def slice(self) -> Slice:
        """The plane that is looked at."""
        point = self.model.nx == 3 and not (self.model.mechanism and self.model.mechanism.plates)
        third = self.study.place.third
        return slice_of(self.model, None if point else third, third if point else None)

    @cached_property
    def window(self) -> Window:
        """The study's, or the box of the study's own robot; twice its size where its reach has no end."""
        if self.study.place.window is not None:
            x0, x1, y0, y1 = self.study.place.window
            if not (math.isfinite(x0 + x1 + y0 + y1) and x0 < x1 and y0 < y1):
                raise BadStudy(
                    f"--window {self.study.place.window}: write x from, x to, y from, y to, each pair rising"
                )
            return self.study.place.window
        size = BEYOND * self.model.scale
        edges, _ = edges_of(self.model, self.slice)
        box = [-size, size, -size, size]
        for edge in edges:
            if isinstance(edge, Disc) and not edge.hole:
                box[0], box[1] = max(box[0], edge.x - edge.radius), min(box[1], edge.x + edge.radius)
                box[2], box[3] = max(box[2], edge.y - edge.radius), min(box[3], edge.y + edge.radius)
        return (box[0], box[1], box[2], box[3]) if box[0] < box[1] and box[2] < box[3] else (-size, size, -size, size)

    @cached_property
    def cell(self) -> float:
        """The width of a square cell of the grid [m]; a whole number of them spans the window's longer side."""
        x0, x1, y0, y1 = self.window
        return max(x1 - x0, y1 - y0) / (self.study.place.grid or GRID)

    @cached_property
    def places(self) -> Doubles:
        """The centres of the grid's cells, (T, 2 or 3)."""
        x0, x1, y0, y1 = self.window
        columns, rows = (max(1, round((b - a) / self.cell)) for a, b in ((x0, x1), (y0, y1)))
        x, y = x0 + (np.arange(columns) + 0.5) * self.cell, y0 + (np.arange(rows) + 0.5) * self.cell
        return self.raised(np.stack(np.broadcast_arrays(x[None, :], y[:, None]), axis=-1).reshape(-1, 2))

    def raised(self, plane: Doubles) -> Doubles:
        """Points of the plane (…, 2) with the third coordinate where the output has one, (…, 2 or 3)."""
        if self.slice.third is None:
            return plane
        return np.concatenate([plane, np.full((*plane.shape[:-1], 1), self.slice.third)], axis=-1)

    @cached_property
    def scenario(self) -> Scenario:
        """The study's scenario as it is written."""
        return self.scenario_with({})

    def scenario_with(self, changes: dict[str, Any]) -> Scenario:
        """The scenario with other values at some of its places."""
        scene = self.study.scene
        if scene is None:
            raise BadStudy("what shall it follow? Name a scenario: --scenario biglide-computed-torque, or its file")
        read = importlib.import_module(SCENARIOS).loads
        found: Scenario = read(scene.text, scene.name, Path(scene.folder), scene.name, changes or None)
        return found

    @cached_property
    def motion(self) -> Reference:
        """The scenario's trajectory at evenly spaced instants, in the output's space."""
        reference = self.scenario.reference
        if reference is None or reference.space != "output":
            raise BadStudy(
                f"{self.scenario.name}: its trajectory must be a motion of the output for this; choose another"
            )
        return reference(self.instants)

    @cached_property
    def instants(self) -> Doubles:
        """(T,) [s]."""
        reference = self.scenario.reference
        assert reference is not None
        return np.linspace(reference.start, reference.start + reference.duration, INSTANTS)

    def block(self, start: int, stop: int) -> Block:
        """Points start … stop − 1."""
        rows = self.study.rows(start, stop)
        varied = {f.name: np.ascontiguousarray(rows[:, i]) for i, f in enumerate(self.study.factors)}
        return Block(self.model, start, varied, stop - start)


@lru_cache(maxsize=4)
def prepare(study: Study) -> Prepared:
    """The same for every task of a study in this process."""
    return Prepared(study)
