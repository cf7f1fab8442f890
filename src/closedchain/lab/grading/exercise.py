"""A model file of any robot: functions with numbers in, and one row of numbers or every solution out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.answers import printable
from closedchain.lab.grading.asking import NotLoaded, Respondent, responding
from closedchain.lab.grading.results import Failure, FileGrade, FunctionGrade
from closedchain.lab.sandbox.limits import Limits

TOLERANCE = 1e-6  # of a quantity's size: far above rounding, far below any mistake
MISSING = "There is no function of this name."
Shape = Callable[[Doubles], Doubles | None]  # all numbers of an answer → its rows, None where their count is wrong


@dataclass(frozen=True, eq=False)
class Task:
    """What one function is asked, and the right answers."""

    name: str
    arguments: tuple[str, ...]
    columns: tuple[str, ...]  # what the numbers of a row are
    inputs: Doubles  # (n, arguments)
    expected: tuple[Doubles, ...]  # (rows, columns) each; no rows where there is no answer
    turning: tuple[str, ...] = ()  # columns that count modulo a turn
    single: bool = True  # one row; otherwise every solution, in any order
    shape: Shape | None = None
    tolerance: float = TOLERANCE
    others: tuple[tuple[str, tuple[Doubles, ...]], ...] = ()  # answers under other conventions, and their words

    @property
    def scale(self) -> Doubles:
        """(columns,) the usual size of each."""
        rows = np.concatenate([*self.expected, np.zeros((0, len(self.columns)))])
        return np.maximum(np.median(np.abs(rows), axis=0), 1e-12) if len(rows) else np.ones(len(self.columns))


@dataclass(frozen=True, eq=False)
class Exercise:
    """A robot's functions; `note` where its numbers follow another convention than the lab's."""

    robot: str
    tasks: tuple[Task, ...]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Judged:
    """One call."""

    right: bool
    error: float | None  # the largest, of answers with as many rows as there are solutions
    rows: Doubles | None
    words: str


def grade_exercise(
    files: Sequence[tuple[Path | bytes, str]], name: str, exercises: Sequence[Exercise], *, limits: Limits | None = None
) -> FileGrade:
    """Grade the model file `name` among `files`, by the convention that it fits best; every function counts alike."""
    functions = tuple(task.name for task in exercises[0].tasks)
    robot = exercises[0].robot
    try:
        with responding(files, name, limits or Limits(), functions) as respondent:
            grades = [_graded(respondent, name, exercise) for exercise in exercises]
    except NotLoaded as failed:
        none = tuple(FunctionGrade(function, "stopped", 0.0) for function in functions)
        why = failed.why[0].upper() + failed.why[1:] + "."
        return FileGrade(name, robot, 0.0, none, why, protections=failed.protections, output=failed.output)
    best = max(grades, key=lambda grade: grade.score)  # the first of equals
    return replace(best, protections=respondent.protections, output=respondent.output)


def _graded(respondent: Respondent, name: str, exercise: Exercise) -> FileGrade:
    grades = tuple(_function(respondent, task) for task in exercise.tasks)
    score = 100 * sum(grade.score for grade in grades) / len(grades)
    return FileGrade(name, exercise.robot, score, grades, notes=(exercise.note,) if exercise.note else ())


def _function(respondent: Respondent, task: Task) -> FunctionGrade:
    if task.name not in respondent.functions:
        return FunctionGrade(task.name, "missing", 0.0, 0, len(task.inputs), says=(MISSING,))
    try:
        replies, stopped = respondent.ask(task.name, task.inputs)
    except NotLoaded as failed:  # it could be imported before, and has spoilt its copy since
        replies, stopped = [], failed.why
    readings = [("", task.expected), *task.others]
    judged = [(note, [_judged(task, rows, reply) for rows, reply in _pairs(rows, replies)]) for note, rows in readings]
    which = max(range(len(judged)), key=lambda k: sum(one.right for one in judged[k][1]))
    note, found = judged[which]
    return _grade(task, readings[which][1], found, note, stopped, len(replies))


def _pairs(expected: Sequence[Doubles], replies: Sequence[dict[str, Any]]) -> list[tuple[Doubles, dict[str, Any]]]:
    missing = [{"missing": True}] * (len(expected) - len(replies))
    return list(zip(expected, [*replies, *missing], strict=True))


def _grade(
    task: Task, expected: Sequence[Doubles], found: list[Judged], note: str, stopped: str, answered: int
) -> FunctionGrade:
    right = sum(one.right for one in found)
    errors = [one.error for one in found if one.error is not None]
    grade = FunctionGrade(
        task.name, "right", right / len(found), right, len(found), max(errors, default=None),
        notes=(note,) if note else (), failure=_failure(task, expected, found),
    )  # fmt: skip
    if stopped:
        where = f"Stopped at call {answered + 1} of {len(found)}"
        return replace(grade, verdict="stopped", says=(f"{where}: {stopped}.",))
    if right == len(found):
        return grade
    if all(one.words.startswith("raised NotImplementedError") for one in found):
        return replace(grade, verdict="not written", score=0.0, says=("Not written yet.",))
    return replace(grade, verdict="wrong", says=_says(task, expected, found))


def _says(task: Task, expected: Sequence[Doubles], found: list[Judged]) -> tuple[str, ...]:
    """Solutions that are missing or too many, and errors, counted."""
    fewer = more = 0
    for rows, one in zip(expected, found, strict=True):
        count = -1 if one.rows is None else len(one.rows)
        fewer, more = fewer + (0 <= count < len(rows)), more + (count > len(rows))
    said = [f"At {fewer} of {len(found)} states solutions are missing."] if fewer and not task.single else []
    said += [f"At {more} of {len(found)} states there are too many."] if more and not task.single else []
    lost = [one.words for one in found if not one.right and one.words]
    return (*said, *([f"At {len(lost)} of {len(found)} states it {lost[0]}."] if lost else []))


def _judged(task: Task, expected: Doubles, reply: dict[str, Any]) -> Judged:
    """An answer beside the right one; to have none where there is none is right."""
    if "missing" in reply:
        return Judged(False, None, None, "")
    rows, words = (None, f"raised {printable(reply['raised'])}") if "raised" in reply else _rows(task, reply["value"])
    if not len(expected):
        none = rows is None and not words.startswith(("raised NotImplementedError", "returned 1 num"))
        return Judged(none or (rows is not None and not len(rows)), None, rows, words)
    if rows is None or len(rows) != len(expected):
        return Judged(False, None, rows, words)
    away = _matched(task, rows, expected)
    good = bool((np.abs(away) <= task.tolerance * (np.abs(expected) + task.scale)).all())
    return Judged(good, float(np.abs(away).max()), rows, words)


def _rows(task: Task, value: Any) -> tuple[Doubles | None, str]:
    """The rows of a returned value, or what is wrong with it."""
    flat = _flat(value)
    if any(not isinstance(item, float) for item in flat):
        return None, f"returned {printable(next(i for i in flat if not isinstance(i, float)))}"
    numbers = np.array(flat, dtype=np.float64)
    if not np.isfinite(numbers).all():
        return None, f"returned {numbers[~np.isfinite(numbers)][0]}"
    width = len(task.columns)
    if task.shape is not None:
        made = task.shape(numbers)
    else:
        whole = len(numbers) == width if task.single else len(numbers) % width == 0
        made = numbers.reshape(-1, width) if whole else None
    each = "" if task.single else " for each solution"
    return made, "" if made is not None else f"returned {len(numbers)} numbers; {width}{each} are wanted"


def _flat(value: Any) -> list[Any]:
    """All numbers in order; what is none as a word, a complex one without imaginary part as real."""
    if isinstance(value, list):
        return [item for part in value for item in _flat(part)]
    if isinstance(value, dict) and isinstance(value.get("complex"), list):
        real, imaginary = value["complex"]
        return [float(real)] if abs(imaginary) <= 1e-12 * max(1.0, abs(real)) else ["a complex number"]
    return [value] if isinstance(value, float) else [str(value.get("type", "?") if isinstance(value, dict) else value)]


def _matched(task: Task, rows: Doubles, expected: Doubles) -> Doubles:
    """Answers less right ones, each right one with the nearest answer that is still free, angles by the shorter way."""
    turning = np.array([name in task.turning for name in task.columns])
    away = rows[None, :, :] - expected[:, None, :]
    away = np.where(turning, (away + np.pi) % (2 * np.pi) - np.pi, away)
    size = np.abs(away / task.scale).max(axis=-1)
    found = np.empty_like(expected)
    for i in range(len(expected)):
        j = int(np.argmin(size[i]))
        found[i], size[:, j] = away[i, j], np.inf
    return found


def _failure(task: Task, expected: Sequence[Doubles], found: list[Judged]) -> Failure | None:
    """The first call that was not right."""
    row = next((i for i, one in enumerate(found) if not one.right), None)
    if row is None:
        return None
    given = dict(zip(task.arguments, (float(v) for v in task.inputs[row]), strict=True))
    rows = found[row].rows
    right = _named(task, expected[row]) if len(expected[row]) else None
    return Failure(given, right, None if rows is None else _named(task, rows), found[row].words)


def _named(task: Task, rows: Doubles) -> dict[str, float]:
    """Numbers by name, those of several solutions numbered."""
    mark = [""] if len(rows) == 1 else [f" ({i})" for i in range(1, len(rows) + 1)]
    return {
        f"{n}{m}": float(v) for m, row in zip(mark, rows, strict=True) for n, v in zip(task.columns, row, strict=True)
    }
