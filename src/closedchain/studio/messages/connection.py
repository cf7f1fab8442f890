"""hello, cancel, files, read: what the server answers itself."""

from __future__ import annotations

from dataclasses import dataclass

from closedchain.studio.messages.parts import RobotRef


@dataclass(frozen=True)
class RobotRow:
    """A robot that can be opened by its name, and the names that open its parameter sets: `biglide:lab`."""

    name: str
    about: str
    dimension: int
    presets: list[str]


@dataclass(frozen=True)
class ScenarioRow:
    """A scenario that comes with the package."""

    name: str
    robot: str
    about: str


@dataclass(frozen=True)
class HelloRequest:
    """The first message of a connection."""

    token: str


@dataclass(frozen=True)
class HelloAnswer:
    """What there is; `open` is the robot that the command line named."""

    version: str
    robots: list[RobotRow]
    scenarios: list[ScenarioRow]
    engines: list[str]
    lab: bool
    video: bool  # whether films (MP4) can be written here
    open: RobotRef | None
    workspace: str


@dataclass(frozen=True)
class CancelRequest:
    """End a job; its own answer is a Failure of kind "cancelled"."""

    target: int


@dataclass(frozen=True)
class CancelAnswer:
    """Whether there was such a job."""

    found: bool


@dataclass(frozen=True)
class FilesRequest:
    """Which files does the workspace folder hold?"""


@dataclass(frozen=True)
class FilesAnswer:
    """Mechanism and scenario files, and Python files, by their paths in the workspace."""

    toml: list[str]
    python: list[str]
    robots: list[str]  # those of `toml` that describe a mechanism


@dataclass(frozen=True)
class ReadRequest:
    """The text of a file of the workspace."""

    name: str


@dataclass(frozen=True)
class ReadAnswer:
    """A file's text."""

    text: str


@dataclass(frozen=True)
class SaveRequest:
    """Write a mechanism file into the workspace; one that is there is replaced only where that is asked for."""

    name: str
    text: str
    replace: bool = False


@dataclass(frozen=True)
class SaveAnswer:
    """Whether it was written; not where a file of that name is there."""

    written: bool
