"""The grade of a model file: which robot, by which convention, which lengths; then function by function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from closedchain import load
from closedchain.arrays import Doubles
from closedchain.errors import ClosedChainError
from closedchain_lab.grading.answers import Answers, compare, read
from closedchain_lab.grading.asking import NotLoaded, Respondent
from closedchain_lab.grading.constants import FOUND_IN, LAB, SEEDS, Constants, fit, told
from closedchain_lab.grading.documents import furuta, triplate
from closedchain_lab.grading.exercise import any_robot
from closedchain_lab.grading.functions import STRICT, best_reading, grade_function
from closedchain_lab.grading.mutation import formulas
from closedchain_lab.grading.question import Exercise
from closedchain_lab.grading.results import FileGrade, FunctionGrade
from closedchain_lab.grading.states import FUNCTIONS, exercise, named_values
from closedchain_lab.grading.task import Rules
from closedchain_lab.robot import Robot
from closedchain_lab.sandbox.allowance import Files, Limits

WRITTEN = 1e-9  # of a length: closer is the same number
ROUNDED = 2e-3  # of a length: closer is the same length with fewer digits
ALIKE = 2  # functions that a wrong length spoils at least; in one alone it is a wrong formula
KNOWN = {"the lab's": LAB["biglide"].bars, "the reports'": SEEDS["biglide"].bars}  # [m] bars of the biglide
REPORTS = "The bars are {1} m, the reports' length (the lab's are {0} m).".format(*KNOWN.values())
SECONDS, EVERY = 10.0, 20  # of the lab's own evaluation: of the oscillation [s], and which of its steps are asked
OK = 1e-3  # in SI units: a mean error that it accepts
MISSING = "There is no function of this name."


@dataclass(frozen=True, eq=False)
class Reading:
    """What a file answered when it was taken for a robot of some lengths, or by some convention."""

    exercise: Exercise
    answers: dict[str, tuple[Answers, str]]  # of each function, and why some are missing

    @property
    def right(self) -> float:
        """Which share of the answers is right, function by function; zeros, which skeletons give too, do not count."""
        asked = self.exercise.questions
        found = (best_reading(asked[name], answers)[0] for name, (answers, _) in self.answers.items())
        return sum(float(one.right[np.nan_to_num(one.expected).any(axis=(1, 2))].mean()) for one in found)


@lru_cache(maxsize=16)
def exercises(robot: str, seed: int) -> tuple[Exercise, ...]:
    """What is asked of a robot, by each of its conventions; the lab's two, the documents' others, or any robot."""
    if robot == "biglide":
        return exercise(LAB[robot], seed), exercise(SEEDS[robot], seed, REPORTS)
    if robot in LAB:
        return (exercise(LAB[robot], seed),)
    made = {"triplate": triplate, "furuta": furuta}.get(robot)
    return made(seed) if made else (any_robot(load(robot), seed),)


def grade_models(
    files: Files,
    name: str,
    robot: str | None = None,
    *,
    limits: Limits | None = None,
    seed: int = 0,
    rules: Rules = STRICT,
) -> FileGrade:
    """Grade the model file `name` among `files`, each (where it is, its name in the working copy)."""
    robots = (robot,) if robot else tuple(LAB)
    wanted = tuple(dict.fromkeys(f for one in robots for f in exercises(one, seed)[0].questions))
    respondent = Respondent(files, name, limits or Limits(), wanted)
    try:
        with respondent:
            best = max(_readings(respondent, robots, seed), key=lambda reading: reading.right)
            grade = grade_reading(name, best, respondent.functions, rules)
            if grade.robot in LAB:
                grade = _with_constants(respondent, grade, best, seed, rules)
                grade = replace(grade, lab=evaluated(respondent, LAB[grade.robot].but(**grade.parameters)))
    except NotLoaded as failed:
        none = tuple(FunctionGrade(function, "stopped", 0.0) for function in wanted)
        grade = FileGrade(name, robot or "", 0.0, none, str(failed))
    return replace(grade, protections=respondent.protections, output=respondent.output, tried=respondent.tried)


def _readings(respondent: Respondent, robots: Sequence[str], seed: int) -> Iterator[Reading]:
    """What a file may be an answer to, until one of them is all right."""
    for asked in (one for robot in robots for one in exercises(robot, seed)):
        reading = ask_all(respondent, asked)
        yield reading
        if reading.right == len(reading.answers) > 0:
            return


def ask_all(respondent: Respondent, asked: Exercise) -> Reading:
    """The answers of every function there is."""
    answers = {}
    for question in (q for name, q in asked.questions.items() if name in respondent.functions):
        try:
            replies, stopped = respondent.ask(question.name, question.inputs)
        except NotLoaded as failed:  # it could be imported before, and has spoilt its copy since
            replies, stopped = [], str(failed)
        answers[question.name] = read(question, replies), stopped
    return Reading(asked, answers)


def grade_reading(name: str, reading: Reading, functions: Sequence[str], rules: Rules) -> FileGrade:
    """Score and diagnosis of every function; each counts by its weight."""
    asked = reading.exercise
    grades = [
        grade_function(asked, question, *reading.answers[function], rules)
        if function in functions
        else FunctionGrade(function, "missing", 0.0, 0, len(question.inputs), says=(MISSING,))
        for function, question in asked.questions.items()
    ]
    wrong = [grade.name for grade in grades if grade.verdict == "wrong"]
    grades = [_followed(reading, grade, wrong) if grade.name in wrong else grade for grade in grades]
    notes, constants = (asked.note,) if asked.note else (), dict(asked.constants)
    return FileGrade(name, asked.robot, rules.score(grades), tuple(grades), notes=notes, parameters=constants)


def _followed(reading: Reading, grade: FunctionGrade, wrong: Sequence[str]) -> FunctionGrade:
    """The same, told as a consequence where the right formula gives its numbers with another function's wrong ones."""
    asked, right, question = reading.exercise, reading.exercise.formulas, reading.exercise.questions[grade.name]
    used = right.uses(grade.name)[1:] if grade.name in right.functions else []
    for cause in (asked.questions[name] for name in wrong if name in used):
        values, n = reading.answers[cause.name][0].values, len(cause.arguments)
        if not np.array_equal(cause.inputs, question.inputs[:, :n]):
            continue
        for sign in (1.0, -1.0):  # of J_q, by convention
            whole = values[..., : values.shape[1]], sign * values[..., values.shape[1] :]
            answer = whole if cause.shape is not None else tuple(values[:, 0].T)
            given = {**asked.constants, cause.name: lambda *_, answer=answer: answer}
            made = right.answers(grade.name, question.inputs, given)
            if made is not None and compare(question, reading.answers[grade.name][0], made[:, None]).right.all():
                says = f"Follows from `{cause.name}`: the right formula gives these numbers with what that one gives."
                return replace(grade, mistakes=(f"follows from {cause.name}",), says=(says,))
    return grade


def _with_constants(respondent: Respondent, grade: FileGrade, reading: Reading, seed: int, rules: Rules) -> FileGrade:
    """The same graded with the lengths and masses that its own answers show, where that makes more functions right."""
    for function in FOUND_IN:
        k = LAB[grade.robot].but(**reading.exercise.constants)
        wrong = [f.name for f in grade.functions if f.verdict in ("wrong", "close")]
        if function not in wrong:
            continue
        fitted = fit(k, reading.exercise.questions[function], reading.answers[function][0])
        if not fitted or not (told(k, fitted) or _other_digits(k, fitted)):
            continue
        try:
            other = ask_all(respondent, exercise(fitted, seed))
        except (ClosedChainError, ValueError):  # no robot that can be assembled
            continue
        graded = grade_reading(grade.file, other, respondent.functions, rules)
        before, after = ({f.name for f in one.functions if f.verdict == "right"} for one in (grade, graded))
        gained = [name for name in wrong if name in after]
        if len(gained) - len(before - after) < (1 if function == "dynamic_model" else ALIKE):
            continue
        if note := _other_digits(k, fitted):
            grade = replace(graded, notes=(note,))
        else:
            said = f"It uses {', '.join(told(LAB[k.robot], fitted))}; with that {', '.join(gained)} "
            said += f"{'is' if len(gained) == 1 else 'are'} right. This costs as much as one function, once."
            score = max(0.0, graded.score - 100 / len(graded.functions))
            grade = replace(graded, score=score, notes=(*grade.constants, said), constants=(said,))
        reading = other
    return grade


def _other_digits(k: Constants, fitted: Constants) -> str:
    """A note where nothing but the digits of a length in use differ."""
    same = abs(fitted.bars - k.bars) <= WRITTEN * k.bars
    if k.robot != "biglide" or same or told(k.but(l=fitted.bars), fitted):
        return ""
    for whose, length in KNOWN.items():
        if abs(fitted.bars - length) <= ROUNDED * length:
            return f"The bars are {fitted.bars:.10g} m, {whose} {length} m with other digits; graded with that length."
    return ""


@lru_cache(maxsize=8)
def along(k: Constants) -> dict[str, Doubles]:
    """Everything about the robot while it oscillates, by the lab's names: what the lab's own evaluation looks at."""
    robot = Robot(k.model())
    robot.start_oscillate()
    while robot.get_time() < SECONDS:
        robot.continue_oscillations()
    run, rows = robot.run, slice(EVERY, None, EVERY)
    q, mode = run.q[rows], -np.ones(len(run.q[rows]))
    passive = formulas(k.robot).answers("dgm_passive", np.column_stack([q, mode]), k.named)
    assert passive is not None
    q_ddot = np.gradient(run.q_dot, run.interval, axis=0)[rows]
    values = named_values(k.model(), q, run.x[rows], passive, run.q_dot[rows], q_ddot)
    return values | dict.fromkeys(("assembly_mode", "gamma1", "gamma2"), mode)


def evaluated(respondent: Respondent, k: Constants) -> str:
    """How many of the lab's twenty quantities are OK."""
    values, asked, good = along(k), exercise(k, 0), 0
    there = {n: replace(q, inputs=np.stack([values[a] for a in q.arguments], -1)) for n, q in asked.questions.items()}
    for name, (answers, _) in ask_all(respondent, replace(asked, questions=there)).answers.items():
        got = answers.values[:, 0]
        if name == "dynamic_model":
            M, q_ddot = got[:, :4].reshape(-1, 2, 2), np.stack([values["q11DD"], values["q21DD"]], -1)
            efforts = (M @ q_ddot[..., None])[..., 0] + got[:, 4:]
            off = efforts - np.stack([values["tau1"], values["tau2"]], -1)
        else:
            off = there[name].apart(got, np.stack([values[o] for o in there[name].outputs], -1))
        good += int((np.abs(off).mean(axis=0) < OK).sum())
    return f"{good} of {2 * len(FUNCTIONS)}"
