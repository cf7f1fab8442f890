"""scenario, simulate, file: what a scenario says, its run, and the run's files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from closedchain.studio.messages.parts import RobotRef


@dataclass(frozen=True)
class ScenarioRequest:
    """What does a scenario say: one by name, or a text."""

    source: str


@dataclass(frozen=True)
class ScenarioAnswer:
    """A scenario's tables as its file writes them; quantities with units stay texts."""

    name: str
    about: str
    origin: str
    robot: str
    tables: dict[str, Any]


@dataclass(frozen=True)
class SimulateRequest:
    """A run: a scenario by name, its text, or its tables; `settings` are values by their place in it.

    With `robot` the scenario's robot is that one. A frame with t, q, x, tau and, where there are such, x_ref, q_ref,
    error, kinetic, potential, balance, closure.
    """

    scenario: str | dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    robot: RobotRef | None = None
    plant: Literal["exact", "mujoco"] = "exact"
    record: float | None = None  # [s] at least between samples; all samples unless given


@dataclass(frozen=True)
class SimulateMeta:
    """`summary` is what `closedchain simulate --json` gives; `job` names the run for downloads."""

    job: str
    title: str
    robot: str
    controller: str
    ended: str
    finished: bool
    text: str
    summary: dict[str, Any]
    names: dict[str, list[str]]
    units: dict[str, list[str]]
    output: str


@dataclass(frozen=True)
class FileRequest:
    """A file of a run that was simulated before."""

    job: str
    format: Literal["npz", "csv", "png", "svg", "gif", "mp4", "html", "report", "toml"]


@dataclass(frozen=True)
class FileAnswer:
    """An address to GET once."""

    url: str
    name: str
    bytes: int
