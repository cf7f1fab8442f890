"""`closedchain lab grade`: grade all that was handed in, several at a time, say it, and write what was asked for."""

import json
import os
import secrets
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from closedchain.errors import ClosedChainError
from closedchain.files import atomic_write
from closedchain_lab.grading.asking import LIMITS
from closedchain_lab.grading.constants import LAB
from closedchain_lab.grading.control import grade_control
from closedchain_lab.grading.files import UNHELD, document, report, results, save_pages, table
from closedchain_lab.grading.models import exercises, grade_models
from closedchain_lab.grading.results import ControlGrade, FileGrade, SubmissionGrade
from closedchain_lab.grading.submissions import Submission, find, robot_of
from closedchain_lab.grading.task import Rules, Task, read_task, read_weights
from closedchain_lab.grading.words import lines, rows, unprotected
from closedchain_lab.sandbox.allowance import Limits

MANY = 3  # submissions that are shown as a table


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
    named = {options.robot or robot_of(name) for one in submissions for name in one.models}
    robots = sorted(filter(None, named | (set(LAB) if None in named else set())))  # compiled before there are threads
    options.rules.check(list(dict.fromkeys(f for r in robots for f in exercises(r, options.seed)[0].questions)))
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
            models = grade_models(submission.files, name, robot, limits=limits, seed=options.seed, rules=options.rules)
            files.append(models)
            if models.robot == "biglide" and models.parameters:
                bars = models.parameters["l"]
        for name in submission.controls:
            how: dict[str, Any] = {"duration": options.duration, "bars": bars, "limits": LIMITS.within(options.timeout)}
            files.append(grade_control(submission.files, name, tasks=options.tasks, **how))
    except (ClosedChainError, OSError) as error:  # too large, unreadable, no room for a copy
        return SubmissionGrade(submission.name, tuple(files), str(error), submission.notes)
    return SubmissionGrade(submission.name, tuple(files), notes=submission.notes)


def run(args: Namespace, print_json: Callable[[Mapping[str, Any]], None]) -> int:
    """Exit code 0 where everything is right, 1 where something is not."""
    options = _options(args)
    workers = args.workers or os.cpu_count() or 1
    grades = grade(args.files, options, workers=workers, tell=None if args.json else _tell)
    if args.json:
        print_json(document(grades, options.seed))
    else:
        sys.stdout.write(_summary(grades) if len(grades) >= MANY else "")
        sys.stdout.write(f"The states are those of --seed {options.seed}, which asks the same again.\n")
    if missing := unprotected(grades):
        sys.stderr.write(f"closedchain: warning: {UNHELD.format(', '.join(missing))}\n")
    if args.csv:
        atomic_write(args.csv, table(grades))
    if args.html:
        report(grades).save(args.html)
    if args.pages:
        save_pages(grades, args.pages)
    if args.results:
        atomic_write(args.results, json.dumps(results(grades), indent=2, ensure_ascii=False) + "\n")
    return int(not all(g.ok for g in grades))


def _options(args: Namespace) -> Options:
    """What was typed; what was not, as the tasks' files say."""
    tasks = tuple(map(read_task, args.task))
    seeds = [args.seed, *(task.seed for task in tasks), fresh_seed()]
    weights = {name: weight for task in tasks for name, weight in task.weights.items()} | read_weights(args.weights)
    modes = next(filter(None, [args.modes, *(task.modes for task in tasks)]), "all")
    rules = Rules(args.tolerance, weights, modes)
    seed = next(seed for seed in seeds if seed is not None)
    return Options(args.robot, seed, args.timeout, args.duration, tasks, rules)


def _tell(one: SubmissionGrade) -> None:
    print(*lines(one), "", sep="\n", flush=True)  # noqa: T201 (the command's own words)


def _summary(grades: list[SubmissionGrade]) -> str:
    cells = [(str(r[0]), str(r[1]), f"{r[3]:>6}  {r[8]:>8}", str(r[4])) for r in rows(grades)]
    widths = [max(len(row[i]) for row in cells) for i in range(3)]
    made = ("  ".join([row[0].ljust(widths[0]), row[1].ljust(widths[1]), row[2], row[3]]) for row in cells)
    return "\n".join(made) + "\n"
