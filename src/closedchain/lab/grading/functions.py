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
from closedchain.lab.grading.diagnosis import Mistakes, diagnose, diagnose_silence, speechless
from closedchain.lab.grading.mistake import sentence
from closedchain.lab.grading.results import Failure, FunctionGrade
from closedchain.lab.grading.signatures import SIGNATURES, Signature
from closedchain.lab.grading.states import FLIPS, cases

SILENT = "A pose out of reach gets an answer all the same; raise an error there, or return what is not a number."
UNREACHABLE = 0.1  # of a function's score: what it does out of reach
WORDS = {(-1, -1): "both gammas count the other way", (1, -1): "gamma2 counts the other way"}
WORDS |= {(-1, 1): "gamma1 counts the other way"}


def grade_function(k: Constants, name: str, answers: Answers, seed: int, stopped: str = "") -> FunctionGrade:
    """Score and diagnosis of one function's answers; `stopped` says why some are missing."""
    signature = SIGNATURES[name]
    found, notes = best_reading(k, signature, answers, seed)
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
    return replace(counted, verdict="wrong", mistakes=mistakes, says=says)


def best_reading(k: Constants, signature: Signature, answers: Answers, seed: int) -> tuple[Comparison, tuple[str, ...]]:
    """The comparison under the convention that fits best, and a note where it is not the lab's own."""
    asked = cases(k, seed)[signature.name]
    readings: list[tuple[Doubles, str]] = [(asked.expected, "")]
    if signature.name == "igm":
        readings = [(e, WORDS.get(flip, "")) for flip, e in zip(FLIPS, asked.flipped, strict=True)]
    if signature.name == "dynamic_model" and k.turns:
        rounded = cases(replace(k, drive=ROUNDED_INERTIA), seed)[signature.name].expected
        readings.append((rounded, "ZZ1R and ZZ2R are the handout's rounded 0.002 kg m²; the model file has 0.002025"))
    tried = [(compare(k.robot, signature, asked, answers, expected), note) for expected, note in readings]
    found, note = max(tried, key=lambda one: int(one[0].right.sum()))  # the first of equals
    if note and signature.name == "igm":
        note = (
            f"{note} than in this grader's q = y + gamma √(…)" if not k.turns else f"{note}: +1 turns the arm clockwise"
        )
        note = note if found.right[asked.reachable].all() else ""
    return found, (note,) if note else ()


def explain(k: Constants, signature: Signature, found: Comparison) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of known mistakes that fit, and sentences: theirs, or where the answers depart from the right ones."""
    known: Mistakes = ()
    says: list[str] = []
    if found.wrong.any():
        some = bool(found.answers.finite[found.cases.reachable].any())
        fitting = diagnose(k, signature, found) if some else None
        known = fitting or ()
        if fitting is None:
            guesses = () if some else speechless(k, signature, found)
            says = [*_lost(found), *(f"This would do it: {sentence(m)}" for m in guesses), *describe(signature, found)]
            says = says or ["No known mistake gives these numbers."]
    if found.silent.any():
        more = diagnose_silence(k, signature, found, known)
        known += more or ()
        says += [SILENT] if more is None else []
    return tuple(m.name for m in known), (*(sentence(m) for m in known), *says)


def _lost(found: Comparison) -> list[str]:
    """What happens where there should be numbers, the most frequent first."""
    rows = np.flatnonzero(found.wrong & ~found.answers.finite)
    counts = Counter(found.answers.problems[row] for row in rows)
    total = int(found.cases.reachable.sum())
    return [f"At {n} of {total} reachable states it {words}." for words, n in counts.most_common(2)]


def first_failure(signature: Signature, found: Comparison) -> Failure | None:
    """The first wrong row: reachable ones before the others."""
    rows = [*np.flatnonzero(found.wrong), *np.flatnonzero(found.silent)]
    if not rows:
        return None
    row = int(rows[0])

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
