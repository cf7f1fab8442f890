"""What a process needs to compute any point of a study, made once: the model, the places looked at, the trajectory."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput, ClosedChainError, NoSolution
from closedchain.model.model import Model
from closedchain.singularity.maps import mode_names
from closedchain.singularity.reach import Slice, Window, edges_of, slice_of, window_of
from closedchain.sweep.block import Block
from closedchain.sweep.factors import BadStudy
from closedchain.sweep.study import GRID, Study

if TYPE_CHECKING:
    from closedchain.scenarios import Scenario

SCENARIOS = "closedchain.scenarios"  # brings controllers and splines: imported only where a study has a scenario
INSTANTS = 401  # of a trajectory
BEYOND = 2.0  # robot sizes that are looked at where the reach has no end
CORNERS = 6  # parameters whose ends are combined to find the window
TRAJECTORY = "trajectory."  # before its keys
WHOLE = "scenario."  # before a key of the scenario that stands in no table: scenario.interval


@dataclass(frozen=True, eq=False)
class Motion:
    """A trajectory of the output at instants; with one row in front for each point where they differ."""

    t: Doubles  # (T,) or (n, T) [s]
    x: Doubles  # (…, T, nx)
    x_dot: Doubles
    x_ddot: Doubles

    def of(self, rows: Any) -> Motion:
        """That of some points."""
        return self if self.t.ndim == 1 else Motion(self.t[rows], self.x[rows], self.x_dot[rows], self.x_ddot[rows])


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
        """The study's, or the box that holds the reach of its robots, as far as the ends of what varies tell."""
        if self.study.place.window is not None:
            return self.study.place.window
        boxes = [box for model in self.extremes() if (box := reached_box(model, self.slice)) is not None]
        if not boxes:
            size = BEYOND * self.model.scale
            return (-size, size, -size, size)
        x0, x1, y0, y1 = zip(*boxes, strict=True)
        return min(x0), max(x1), min(y0), max(y1)

    def extremes(self) -> Iterator[Model]:
        """The study's own robot, then those with its varied parameters at their ends, where there is such a robot.

        All combinations of few parameters; of many, one after another.
        """
        yield self.model
        ends = {f.name: f.ends for f in self.study.factors if f.name in self.model.values}
        few = len(ends) <= CORNERS
        corners = product(*ends.values()) if few else ()
        chosen = [dict(zip(ends, corner, strict=True)) for corner in corners]
        chosen += [] if few else [{name: end} for name, pair in ends.items() for end in pair]
        for values in chosen:
            with contextlib.suppress(ClosedChainError):  # no robot; its points will be marked
                yield self.model.with_values(**values)

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

    def scenario_with(self, changes: Mapping[str, Any]) -> Scenario:
        """The scenario with other values at some of its places."""
        scene = self.study.scene
        if scene is None:
            raise BadStudy("what shall it follow? Name a scenario: --scenario biglide-computed-torque, or its file")
        read = importlib.import_module(SCENARIOS).loads
        found: Scenario = read(scene.text, scene.name, Path(scene.folder), scene.name, changes or None)
        return found

    @cached_property
    def moving(self) -> tuple[str, ...]:
        """The factors that change the trajectory."""
        return tuple(f.name for f in self.study.factors if f.name.startswith(TRAJECTORY))

    @cached_property
    def motion(self) -> Motion:
        """The scenario's trajectory as it is written."""
        return self.motion_of(self.scenario)

    def motion_of(self, scenario: Scenario) -> Motion:
        """A scenario's trajectory at evenly spaced instants, in the output's space."""
        reference = scenario.reference
        if reference is None or reference.space != "output":
            raise BadStudy(f"{scenario.name}: its trajectory must be a motion of the output for this; choose another")
        t = np.linspace(reference.start, reference.start + reference.duration, INSTANTS)
        asked = reference(t)
        return Motion(t, asked.x, asked.x_dot, asked.x_ddot)

    def block(self, start: int, stop: int) -> Block:
        """Points start … stop − 1."""
        rows = self.study.rows(start, stop)
        varied = {f.name: np.ascontiguousarray(rows[:, i]) for i, f in enumerate(self.study.factors)}
        return Block(self.model, start, varied, stop - start)


def change(name: str, value: float) -> tuple[str, float]:
    """A factor as a change of the scenario: its place there, and what stands at it."""
    place = name.removeprefix(WHOLE) if "." in name else f"parameters.{name}"
    counted = place.endswith((".seed", ".delay"))  # a delay of a whole number is one of samples
    return place, int(value) if counted and value.is_integer() else value


def reached_box(model: Model, plane: Slice) -> Window | None:
    """The box of what all legs reach, twice the robot's size where that has no end; None where it is empty."""
    size = BEYOND * model.scale
    try:
        return window_of(model, edges_of(model, plane)[0])
    except NoSolution:
        return None
    except BadInput:
        return -size, size, -size, size


@lru_cache(maxsize=4)
def prepare(study: Study) -> Prepared:
    """The same for every task of a study in this process."""
    return Prepared(study)
