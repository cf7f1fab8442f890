"""A study: which robot, what is varied, what is computed, where and how; all of it plain values, so it can travel."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from functools import cached_property

from closedchain.arrays import Doubles
from closedchain.describe.files import loads
from closedchain.model.loading import find
from closedchain.model.model import Model
from closedchain.singularity.reach import Window
from closedchain.sweep.factors import Factor
from closedchain.sweep.sampling import count_points, draw
from closedchain.version import VERSION

GRID = 64


@dataclass(frozen=True)
class Robot:
    """How a process finds the robot: by name, or by the text of its file."""

    source: str
    text: str | None = None  # of a mechanism file
    preset: str | None = None
    given: tuple[tuple[str, float], ...] = ()  # values that differ from the description's

    def model(self) -> Model:
        """The robot, with the study's own values."""
        if self.text is not None:
            return Model(loads(self.text, self.source), dict(self.given), self.preset)
        recipe, preset = find(self.source)
        return Model(recipe, dict(self.given), preset)


@dataclass(frozen=True)
class Place:
    """Where and how measures of geometry look."""

    window: Window | None = None  # [m]
    grid: int | None = None  # cells along the longer side of the window; 64 unless given
    working: str | None = None  # the first mode unless given
    third: float | None = None  # a plate's angle [rad], a point's height [m]
    condition: float = 0.0  # the least 1/κ that counts as dexterous
    centre: tuple[float, float] | None = None  # of the regular workspace; the window's unless given
    shape: str = "square"  # of the regular workspace, or "disc"


@dataclass(frozen=True)
class Scene:
    """The scenario that trajectories and simulations come from, by name or by its text."""

    name: str
    text: str
    folder: str = "."
    follows: str = ""  # a hash of its trajectory's numbers, some of which may stand in files that the text only names


@dataclass(frozen=True)
class Study:
    """What is asked of which points."""

    robot: Robot
    factors: tuple[Factor, ...]
    computes: tuple[str, ...]
    method: str = "grid"
    points: int | None = None  # as asked; a grid has its own count
    seed: int = 0
    place: Place = field(default_factory=Place)
    scene: Scene | None = None
    state: tuple[tuple[str, tuple[float, ...] | str], ...] = ()  # of `evaluate`: x, q_dot, working …

    @cached_property
    def count(self) -> int:
        """How many points there are."""
        return count_points(self.factors, self.method, self.points)

    def rows(self, start: int, stop: int) -> Doubles:
        """The factors' numbers at points start … stop − 1, (stop − start, factors)."""
        return draw(self.factors, self.method, self.count, self.seed, start, stop)

    @cached_property
    def digest(self) -> str:
        """What decides the numbers: the model, every setting and this program's version."""
        model = self.robot.model()
        said = {name: value for name, value in asdict(self).items() if name != "robot"}
        whole = {"version": VERSION, "equations": model.equations.key, "values": model.values, "study": said}
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()
