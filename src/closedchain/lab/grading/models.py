"""The grade of a model file: which robot, which lengths, then function by function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from closedchain.errors import ClosedChainError
from closedchain.lab.grading.answers import Answers, read
from closedchain.lab.grading.asking import NotLoaded, Respondent, responding
from closedchain.lab.grading.constants import LAB, SEEDS, Constants
from closedchain.lab.grading.fitting import FOUND_IN, fit, told
from closedchain.lab.grading.functions import STRICT, best_reading, grade_function
from closedchain.lab.grading.oscillation import evaluated
from closedchain.lab.grading.results import FileGrade, FunctionGrade
from closedchain.lab.grading.rules import Rules
from closedchain.lab.grading.signatures import SIGNATURES
from closedchain.lab.grading.states import cases
from closedchain.lab.sandbox.limits import Limits

WRITTEN = 1e-9  # of a length: closer is the same number
ROUNDED = 2e-3  # of a length: closer is the same length with fewer digits
MEANT = 0.1  # of a length: closer is meant to be that length, and is wrong
ALIKE = 2  # functions that a wrong length spoils at least; in one alone it is a wrong formula
MISSING = "There is no function of this name."


@dataclass(frozen=True, eq=False)
class Reading:
    """What a file answered when it was taken for a robot with certain lengths."""

    k: Constants
    note: str
    answers: dict[str, tuple[Answers, str]]  # of each function, and why some are missing

    def right(self, seed: int) -> float:
        """Which share of the answers is right, function by function."""
        found = (best_reading(self.k, SIGNATURES[name], a, seed)[0] for name, (a, _) in self.answers.items())
        return sum(float(comparison.right[comparison.cases.reachable].mean()) for comparison in found)


def grade_models(
    files: Sequence[tuple[Path | bytes, str]],
    name: str,
    robot: str | None = None,
    *,
    limits: Limits | None = None,
    seed: int = 0,
    rules: Rules = STRICT,
) -> FileGrade:
    """Grade the model file `name` among `files`, each (where it is, its name in the working copy)."""
    robots = (robot,) if robot else tuple(LAB)
    try:
        with responding(files, name, limits or Limits()) as respondent:
            readings = [ask_all(respondent, k, note, seed) for one in robots for k, note in _readings(respondent, one)]
            best = readings[0] if len(readings) == 1 else max(readings, key=lambda r: r.right(seed))
            grade = grade_reading(name, best, respondent.functions, seed, rules)
            grade = _with_its_constants(respondent, grade, best, seed, rules)
            grade = replace(grade, lab=evaluated(respondent, LAB[grade.robot].with_named(grade.parameters)))
    except NotLoaded as failed:
        none = tuple(FunctionGrade(function, "stopped", 0.0) for function in SIGNATURES)
        why = failed.why[0].upper() + failed.why[1:] + "."
        return FileGrade(name, robot or "", 0.0, none, why, protections=failed.protections, output=failed.output)
    return replace(grade, protections=respondent.protections, output=respondent.output)


def ask_all(respondent: Respondent, k: Constants, note: str, seed: int) -> Reading:
    """The answers of every function there is."""
    found = {}
    for function, asked in cases(k, seed).items():
        if function in respondent.functions:
            try:
                replies, stopped = respondent.ask(function, asked.inputs)
            except NotLoaded as failed:  # it could be imported before, and has spoilt its copy since
                replies, stopped = [], failed.why
            found[function] = (read(SIGNATURES[function], replies, len(asked.inputs)), stopped)
    return Reading(k, note, found)


def grade_reading(name: str, reading: Reading, functions: Sequence[str], seed: int, rules: Rules) -> FileGrade:
    """Score and diagnosis of every function; each counts by its weight."""
    grades, k = [], reading.k
    for function, asked in cases(k, seed).items():
        if function not in functions:
            grades.append(FunctionGrade(function, "missing", 0.0, 0, len(asked.inputs), says=(MISSING,)))
        else:
            answers, stopped = reading.answers[function]
            grades.append(grade_function(k, function, answers, seed, stopped, rules))
    whole = sum(rules.weight(g.name) for g in grades)
    score = 100 * sum(rules.weight(g.name) * g.score for g in grades) / whole
    notes = (reading.note,) if reading.note else ()
    return FileGrade(name, k.robot, score, tuple(grades), notes=notes, parameters=k.named)


def _with_its_constants(
    respondent: Respondent, grade: FileGrade, reading: Reading, seed: int, rules: Rules
) -> FileGrade:
    """The same graded with the lengths and masses that its own answers show, where that makes more functions right."""
    right, asked = reading.k, cases(reading.k, seed)
    for function in FOUND_IN:
        wrong = [f.name for f in grade.functions if f.verdict in ("wrong", "close")]
        fitted = (
            fit(right, function, asked[function].inputs, reading.answers[function][0]) if function in wrong else None
        )
        words = told(right, fitted) if fitted else ()
        if not fitted or not words:
            continue
        try:
            other = ask_all(respondent, fitted, "", seed)
        except (ClosedChainError, ValueError):  # no robot that can be assembled
            continue
        graded = grade_reading(grade.file, other, respondent.functions, seed, rules)
        gained = [f.name for f in graded.functions if f.verdict == "right" and f.name in wrong]
        lost = sum(f.verdict == "right" for f in grade.functions) + len(gained)
        lost -= sum(f.verdict == "right" for f in graded.functions)
        if len(gained) - lost >= (1 if function == "dynamic_model" else ALIKE):
            said = f"It uses {', '.join(told(LAB[right.robot], fitted))}; with that {', '.join(gained)} "
            said += f"{'is' if len(gained) == 1 else 'are'} right. This costs as much as one function, once."
            score = max(0.0, graded.score - 100 / len(graded.functions))
            grade = replace(graded, score=score, notes=(*grade.constants, said), constants=(said,))
            reading, right, asked = other, fitted, cases(fitted, seed)
    return grade


# Lengths -----------------------------------------------------------------------------------------


def _readings(respondent: Respondent, robot: str) -> list[tuple[Constants, str]]:
    """The lab's numbers; for the biglide those that the file itself shows, or both that are in use."""
    if robot != "biglide":
        return [(LAB[robot], "")]
    known = {"the lab's": LAB["biglide"], "the reports'": SEEDS["biglide"]}
    measured, found = _measured(respondent), {}
    for l in measured:
        for whose, k in known.items():
            if abs(l - k.l) <= ROUNDED * k.l:
                found[whose] = (k if abs(l - k.l) <= WRITTEN * k.l else replace(k, l=l), _words(l, whose, k))
                break
    if found:
        return list(found.values())
    if not measured:
        return [(k, _words(k.l, whose, k)) for whose, k in known.items()]
    close = {whose: k for whose, k in known.items() if abs(measured[0] - k.l) <= MEANT * k.l}
    strange = f"dgm or igm shows bars of {measured[0]:.6g} m, which is neither length in use; graded with"
    return [(k, f"{strange} {k.l:.7g} m, {whose}.") for whose, k in (close or known).items()]


def _words(l: float, whose: str, k: Constants) -> str:
    if abs(l - k.l) > WRITTEN * k.l:
        return f"The bars are {l:.10g} m, {whose} {k.l:.7g} m with other digits; graded with that length."
    return (
        ""
        if whose == "the lab's"
        else f"The bars are {k.l:.7g} m, {whose} length (the lab's are {LAB['biglide'].l:.7g} m)."
    )


def _measured(respondent: Respondent) -> list[float]:
    """The bars' length as dgm and igm show it with level feet: l² = y² + (d/2)²."""
    half = LAB["biglide"].d / 2
    lengths: list[float] = []
    for function, rows in (("dgm", [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]), ("igm", [[0.0, 0.0, 1.0, 1.0]])):
        if function in respondent.functions:
            try:
                replies, _ = respondent.ask(function, np.array(rows))
            except NotLoaded:
                return lengths
            answers = read(SIGNATURES[function], replies, len(rows))
            heights = answers.values[answers.finite][:, 1]
            lengths += [math.hypot(float(y), half) for y in heights if y]
    return lengths
