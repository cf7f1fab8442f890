"""What a grade says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Failure:
    """The first state with a wrong answer."""

    inputs: dict[str, float]
    expected: dict[str, float] | None  # None where the pose is out of reach
    got: dict[str, float] | None  # None where there was no number
    words: str = ""  # why there was none


@dataclass(frozen=True)
class FunctionGrade:
    """One function: how much of it is right, and what is likely wrong."""

    name: str
    verdict: str  # "right", "wrong", "not written", "missing", "stopped"
    score: float  # 0 … 1
    right: int = 0
    states: int = 0
    largest: float | None = None  # error of the reachable states
    mistakes: tuple[str, ...] = ()  # names of those that fit
    says: tuple[str, ...] = ()  # sentences
    notes: tuple[str, ...] = ()  # of what is no mistake
    failure: Failure | None = None


@dataclass(frozen=True)
class Part:
    """What any file's grade has."""

    file: str
    robot: str
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    protections: dict[str, str] = field(default_factory=dict, kw_only=True)
    output: str = field(default="", kw_only=True)
    tried: tuple[str, ...] = field(default=(), kw_only=True)  # beyond its own copy: files, processes, network


@dataclass(frozen=True)
class FileGrade(Part):
    """A model file: ten functions, or why they could not be tried."""

    score: float  # 0 … 100
    functions: tuple[FunctionGrade, ...]
    verdict: str = ""  # why nothing could be graded; empty where it could
    parameters: dict[str, float] = field(default_factory=dict)
    lab: str = ""  # how many quantities the lab's own evaluation calls OK
    constants: tuple[str, ...] = ()  # lengths and masses that are not the robot's, in words
    kind: str = "models"

    @property
    def ok(self) -> bool:
        """Everything right."""
        return not self.verdict and not self.constants and all(f.verdict == "right" for f in self.functions)


@dataclass(frozen=True)
class ControlGrade(Part):
    """A control script: does it track, how well, with which efforts."""

    score: float | None  # 0 … 100; None where there is nothing to judge it by
    verdict: str  # "tracks", "does not track …", "moved …" without a task, "not graded …", or why it could not be tried
    measured: dict[str, Any] = field(default_factory=dict)
    kind: str = "control"

    @property
    def ok(self) -> bool:
        """It tracks, or nobody said what to track."""
        return self.verdict == "tracks" or self.verdict.startswith("moved")


@dataclass(frozen=True)
class SubmissionGrade:
    """Everything that one group has handed in."""

    name: str
    files: tuple[FileGrade | ControlGrade, ...]
    problem: str = ""  # why there is nothing to grade
    notes: tuple[str, ...] = ()  # what was left out

    @property
    def total(self) -> float | None:
        """Of 100, the mean of all parts that have a score."""
        scores = [f.score for f in self.files if f.score is not None]
        return sum(scores) / len(scores) if scores else None

    @property
    def ok(self) -> bool:
        """Everything in it is right."""
        return not self.problem and all(f.ok for f in self.files)
