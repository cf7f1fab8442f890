"""Grade everything that was handed in, several submissions at a time."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from closedchain.errors import BadInput, ClosedChainError
from closedchain.lab.grading.constants import LAB
from closedchain.lab.grading.control import grade_control
from closedchain.lab.grading.exercise import Exercise, grade_exercise
from closedchain.lab.grading.exercise_furuta import furuta
from closedchain.lab.grading.exercise_triplate import triplate
from closedchain.lab.grading.models import grade_models
from closedchain.lab.grading.playing import LIMITS
from closedchain.lab.grading.results import ControlGrade, FileGrade, SubmissionGrade
from closedchain.lab.grading.rules import Rules
from closedchain.lab.grading.states import cases
from closedchain.lab.grading.submissions import Submission, find, robot_of
from closedchain.lab.grading.task import Task
from closedchain.lab.sandbox.limits import Limits

EXERCISES: dict[str, Callable[[int], tuple[Exercise, ...]]] = {"triplate": triplate, "furuta": furuta}


def fresh_seed() -> int:
    """Other states each time: nobody can learn the answers by heart."""
    return secrets.randbelow(10**6)


@dataclass(frozen=True)
class Options:
    """How to grade."""

    robot: str | None = None  # where a file's name does not tell
    seed: int = field(default_factory=fresh_seed)
    timeout: float | None = None  # [s] for one function, or for a control script
    duration: float = 10.0  # [s] of simulation of a control script
    tasks: tuple[Task, ...] = ()  # of control scripts
    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0.0 < self.timeout <= 3600.0:
            raise BadInput(f"a time-out of {self.timeout} s; it must be above 0 and at most 3600")
        if not 0.0 < self.duration <= 3600.0:
            raise BadInput(f"a duration of {self.duration} s; it must be above 0 and at most 3600")


def grade(
    paths: Sequence[str | Path],
    options: Options | None = None,
    *,
    workers: int = 1,
    tell: Callable[[SubmissionGrade], None] | None = None,
) -> list[SubmissionGrade]:
    """The grade of every submission among files and folders, in their order; each runs in a sandbox of its own."""
    options = options or Options()
    submissions = find(Path(path) for path in paths)
    for robot in _robots(submissions, options):  # compile the models before there are threads
        EXERCISES[robot](options.seed) if robot in EXERCISES else cases(LAB[robot], options.seed)
    made = []
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    try:
        for one in pool.map(partial(grade_submission, options=options), submissions):
            made.append(one)
            if tell is not None:
                tell(one)
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C only those that are running end
    return made


def _robots(submissions: Sequence[Submission], options: Options) -> set[str]:
    """Those that are graded; where a file's name does not tell, the lab's two are tried."""
    named = {options.robot or robot_of(name) for one in submissions for name in one.models}
    return {robot for robot in named if robot} | (set(LAB) if None in named else set())


def grade_submission(submission: Submission, options: Options) -> SubmissionGrade:
    """Model files first: a control script is run with the bars of its own models."""
    if submission.problem:
        return SubmissionGrade(submission.name, (), submission.problem, submission.notes)
    files: list[FileGrade | ControlGrade] = []
    bars: float | None = None
    try:
        for name in submission.models:
            robot = options.robot or robot_of(name)
            limits = Limits().within(options.timeout)
            if robot in EXERCISES:
                files.append(grade_exercise(submission.files, name, EXERCISES[robot](options.seed), limits=limits))
                continue
            models = grade_models(submission.files, name, robot, limits=limits, seed=options.seed, rules=options.rules)
            files.append(models)
            if models.robot == "biglide" and models.parameters:
                bars = models.parameters["l"]
        for name in submission.controls:
            limits = LIMITS.within(options.timeout)
            files.append(
                grade_control(
                    submission.files, name, tasks=options.tasks, duration=options.duration, bars=bars, limits=limits
                )
            )
    except (ClosedChainError, OSError) as error:  # too large, unreadable, no room for a copy
        return SubmissionGrade(submission.name, tuple(files), str(error), submission.notes)
    return SubmissionGrade(submission.name, tuple(files), notes=submission.notes)
