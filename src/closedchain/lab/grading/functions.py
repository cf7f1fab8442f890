"""The grade of one function."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.answers import Answers
from closedchain.lab.grading.comparing import Comparison, compare
from closedchain.lab.grading.constants import ROUNDED_INERTIA, Constants
from closedchain.lab.grading.departure import describe
from closedchain.lab.grading.diagnosis import clamped, diagnose, speechless
from closedchain.lab.grading.results import Failure, FunctionGrade
from closedchain.lab.grading.rules import Rules
from closedchain.lab.grading.signatures import SIGNATURES, Signature
from closedchain.lab.grading.states import FLIPS, Cases, cases

STRICT = Rules()
SILENT = "A pose out of reach gets an answer all the same; raise an error there, or return what is not a number."
CLOSE = 2e-3  # of a quantity's size: nearly right
UNREACHABLE = 0.1  # of a function's score: what it does out of reach
WORDS = {(-1, -1): "both gammas count the other way", (1, -1): "gamma2 counts the other way"}
WORDS |= {(-1, 1): "gamma1 counts the other way"}


def grade_function(
    k: Constants, name: str, answers: Answers, seed: int, stopped: str = "", rules: Rules = STRICT
) -> FunctionGrade:
    """Score and diagnosis of one function's answers; `stopped` says why some are missing."""
    signature = SIGNATURES[name]
    found, notes = best_reading(k, signature, answers, seed, rules)
    answers = found.answers
    score = _score(found)
    counted = FunctionGrade(
        name, "right", score, int(found.right.sum()), len(found.right), found.largest, notes=notes,
        failure=first_failure(signature, found),
    )  # fmt: skip
    if stopped:
        where = f"Stopped at call {sum(p != 'not answered' for p in answers.problems) + 1} of {len(answers.problems)}"
        return replace(counted, verdict="stopped", says=(f"{where}: {stopped}.",))
    if found.right.all():
        return counted
    if _unwritten(answers):
        return replace(counted, verdict="not written", score=0.0, says=("Not written yet.",))
    mistakes, says = explain(k, signature, found)
    if not mistakes and found.digits is not None and found.digits <= CLOSE and not found.silent.any():
        said = (
            f"Right to {found.digits:.0e} of a quantity's size, not to {found.tolerance:.0e}: as by finite differences."
        )
        return replace(counted, verdict="close", says=(said,))
    return replace(counted, verdict="wrong", mistakes=mistakes, says=says)


def best_reading(
    k: Constants, signature: Signature, answers: Answers, seed: int, rules: Rules = STRICT
) -> tuple[Comparison, tuple[str, ...]]:
    """The comparison under the convention that fits best, and a note where it is not the lab's own."""
    asked, answers = rules.counted(cases(k, seed)[signature.name], answers)
    readings: list[tuple[Doubles, str]] = [(asked.expected, "")]
    if signature.name == "igm":
        readings = [(e, WORDS.get(flip, "")) for flip, e in zip(FLIPS, asked.flipped, strict=True)]
    if signature.name == "dynamic_model" and k.turns:
        handout = cases(replace(k, drive=ROUNDED_INERTIA), seed)[signature.name]
        rounded = rules.counted(handout, _none(handout))[0].expected
        readings.append((rounded, "ZZ1R and ZZ2R are the handout's rounded 0.002 kg m²; the model file has 0.002025"))
    tried = [
        (compare(k.robot, signature, asked, answers, expected, rules.tolerance), note) for expected, note in readings
    ]
    found, note = max(tried, key=lambda one: int(one[0].right.sum()))  # the first of equals
    if note and signature.name == "igm":
        note = (
            f"{note} than in this grader's q = y + gamma √(…)" if not k.turns else f"{note}: +1 turns the arm clockwise"
        )
        note = note if found.right[asked.reachable].all() else ""
    return found, (note,) if note else ()


def _none(asked: Cases) -> Answers:
    return Answers(np.full_like(asked.expected, np.nan), ("",) * len(asked.inputs))


def explain(k: Constants, signature: Signature, found: Comparison) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the changes that fit, and sentences: theirs, or where the answers depart from the right ones."""
    names: list[str] = []
    says: list[str] = []
    if found.wrong.any():
        told = diagnose(k, signature, found)
        for mutant, outputs in told.found:
            names.append(mutant.name)
            says.append(mutant.says if len(told.found) == 1 and told.whole else f"{', '.join(outputs)}: {mutant.says}")
        if not told.whole:
            lost = None if found.answers.finite[found.cases.reachable].any() else speechless(k, signature, found)
            says += [*_lost(found), *([f"This would do it: {lost.name}."] if lost else []), *describe(signature, found)]
            says = says or ["No single change of the right formula gives these numbers."]
    if found.silent.any():
        more = clamped(k, signature, found)
        names += [more.name] if more else []
        says += [more.says if more else SILENT]
    return tuple(dict.fromkeys(names)), tuple(says)


def _lost(found: Comparison) -> list[str]:
    """What happens where there should be numbers, the most frequent first."""
    rows = np.flatnonzero(found.wrong & ~found.answers.finite)
    counts = Counter(found.answers.problems[row] for row in rows)
    total = int(found.cases.reachable.sum())
    return [f"At {n} of {total} reachable states it {words}." for words, n in counts.most_common(2)]


def first_failure(signature: Signature, found: Comparison) -> Failure | None:
    """The simplest wrong row: reachable ones before the others, small numbers before large ones."""
    rows = np.flatnonzero(found.wrong) if found.wrong.any() else np.flatnonzero(found.silent)
    if not len(rows):
        return None
    row = int(min(rows, key=lambda r: float(np.abs(found.cases.inputs[r]).sum())))

    def named(names: tuple[str, ...], values: Doubles) -> dict[str, float]:
        return dict(zip(names, (float(v) for v in values), strict=True))

    there = bool(found.cases.reachable[row])
    return Failure(
        named(signature.arguments, found.cases.inputs[row]),
        named(signature.outputs, found.expected[row]) if there else None,
        named(signature.outputs, found.answers.values[row]) if found.answers.finite[row] else None,
        found.answers.problems[row],
    )


def _score(found: Comparison) -> float:
    """The share of right answers; what a function does out of reach counts UNREACHABLE."""
    reachable = found.cases.reachable
    inside = float(found.right[reachable].mean())
    if reachable.all():
        return inside
    return (1 - UNREACHABLE) * inside + UNREACHABLE * float(found.right[~reachable].mean())


def _unwritten(answers: Answers) -> bool:
    """A skeleton's zeros, nothing at all, or an error that says so."""
    asked = [p for p in answers.problems if p.startswith("raised NotImplementedError")]
    if len(asked) == len(answers.problems):
        return True
    nothing = all(
        p.startswith(("returned NoneType", "returned one number; M", "returned 2 values (a list, one number)"))
        for p in answers.problems
    )
    return nothing or bool(answers.finite.all() and not answers.values.any())
