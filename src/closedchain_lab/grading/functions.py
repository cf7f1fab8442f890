"""The grade of one function; where no change of the right formula explains its answers, how they depart."""

from collections import Counter
from dataclasses import replace

import numpy as np

from closedchain.arrays import Doubles
from closedchain_lab.grading.answers import NOT_ANSWERED, UNWRITTEN, Answers, Comparison, compare
from closedchain_lab.grading.diagnosis import clamped, diagnose
from closedchain_lab.grading.question import Exercise, Question
from closedchain_lab.grading.results import Failure, FunctionGrade
from closedchain_lab.grading.task import Rules

STRICT = Rules()
SILENT = "A pose out of reach gets an answer all the same; raise an error there, or return what is not a number."
CLOSE = 2e-3  # of a quantity's size: nearly right
FIRST = ("dkm", "ikm", "dkm_passive", "velocities")
CONSTANT = 1e-6  # how constant a ratio is that is reported as one
UNREACHABLE = 0.1  # of a function's score: what it does out of reach


def grade_function(
    exercise: Exercise, question: Question, answers: Answers, stopped: str = "", rules: Rules = STRICT
) -> FunctionGrade:
    """Score and diagnosis of one function's answers; `stopped` says why some are missing."""
    found, notes = best_reading(question, answers, rules)
    problems = found.answers.problems
    counted = FunctionGrade(
        question.name, "right", _score(found), int(found.right.sum()), len(found.right), found.largest, notes=notes,
        failure=first_failure(found),
    )  # fmt: skip
    if stopped:
        where = f"Stopped at call {sum(p != NOT_ANSWERED for p in problems) + 1} of {len(problems)}"
        return replace(counted, verdict="stopped", says=(f"{where}: {stopped}.",))
    if found.right.all():
        return counted
    zeros = found.answers.finite.all() and not np.nan_to_num(found.answers.values).any()
    if zeros or all(p.startswith(UNWRITTEN) for p in problems):
        return replace(counted, verdict="not written", score=0.0, says=("Not written yet.",))
    mistakes, says = explain(exercise, found)
    if not mistakes and found.digits is not None and found.digits <= CLOSE and not found.silent.any():
        said = f"Right to {found.digits:.0e} of a quantity's size, not to {found.tolerance:.0e}"
        return replace(counted, verdict="close", says=(f"{said}: as by finite differences.",))
    return replace(counted, verdict="wrong", mistakes=mistakes, says=says)


def best_reading(question: Question, answers: Answers, rules: Rules = STRICT) -> tuple[Comparison, tuple[str, ...]]:
    """The comparison under the convention that fits best, and a note where it is not the lab's own."""
    question, answers = rules.counted(question, answers)
    readings = [("", question.expected), *question.readings]
    tried = [(compare(question, answers, expected, rules.tolerance), note) for note, expected in readings]
    found, note = max(tried, key=lambda one: int(one[0].right.sum()))  # the first of equals
    return found, (note,) if note and found.right[question.reachable].all() else ()


def explain(exercise: Exercise, found: Comparison) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the changes that fit, and sentences: theirs, or where the answers depart from the right ones."""
    names: list[str] = []
    says: list[str] = []
    if found.wrong.any():
        told = diagnose(exercise, found)
        for mutant, outputs in told.found:
            names.append(mutant.name)
            alone = len(told.found) == 1 and told.whole and not told.only
            says.append(mutant.says if alone else f"{', '.join(outputs)}: {mutant.says}")
        if told.rival:
            names[0] += f" or {told.rival.name}"
            says.append(f"The answers cannot tell it from the same formula {told.rival.change}.")
        if not told.whole:
            says += [*_lost(found), *describe(found)]
            says = says or ["No single change of the right formula gives these numbers."]
    if found.silent.any():
        more = clamped(exercise, found)
        names += [more.name] if more else []
        says += [more.says if more else SILENT]
    return tuple(dict.fromkeys(names)), tuple(says)


def _lost(found: Comparison) -> list[str]:
    """What happens where there should be numbers, the most frequent first."""
    rows = np.flatnonzero(found.wrong & ~found.answers.finite)
    counts = Counter(words for row in rows if (words := found.answers.problems[row]))
    total = int(found.question.reachable.sum())
    return [f"At {n} of {total} reachable states it {words}." for words, n in counts.most_common(2)]


def first_failure(found: Comparison) -> Failure | None:
    """The simplest wrong row: reachable ones before others, angles without a turn more, small numbers before large."""
    rows, question = np.flatnonzero(found.wrong if found.wrong.any() else found.silent), found.question
    if not len(rows):
        return None
    size = np.abs(question.inputs)
    row = int(min(rows, key=lambda r: (bool(size[r].max() > np.pi), float(size[r].sum()))))
    given = dict(zip(question.arguments, question.inputs[row].tolist(), strict=True))
    right, got = (_named(question.outputs, one[row]) for one in (found.expected, found.answers.values))
    return Failure(given, right, got, found.answers.problems[row])


def _named(names: tuple[str, ...], rows: Doubles) -> dict[str, float] | None:
    """Numbers by name, those of several solutions numbered; None where there are none."""
    rows = rows[np.isfinite(rows).all(axis=-1)]
    marks = [""] if len(rows) == 1 else [f" ({i})" for i in range(1, len(rows) + 1)]
    named = ((n + m, float(v)) for m, row in zip(marks, rows, strict=True) for n, v in zip(names, row, strict=True))
    return dict(named) or None


def _score(found: Comparison) -> float:
    """The share of right answers; what a function does out of reach counts UNREACHABLE."""
    reachable = found.question.reachable
    if reachable.all() or not found.question.single:
        return float(found.right.mean())
    inside = float(found.right[reachable].mean())
    return (1 - UNREACHABLE) * inside + UNREACHABLE * float(found.right[~reachable].mean())


def describe(found: Comparison) -> tuple[str, ...]:
    """What can be said of the wrong answers: solutions, outputs, modes, a ratio, whether when moving."""
    if not (found.question.reachable & found.answers.finite).any():
        return ()
    if found.expected.shape[1] > 1:
        return tuple(filter(None, (_counts(found), _modes(found))))
    return tuple(filter(None, (_outputs(found), _modes(found), _ratio(found), _rest(found))))


def _counts(found: Comparison) -> str:
    """Solutions that are missing or too many."""
    have, want = (np.isfinite(one).all(axis=-1).sum(axis=-1) for one in (found.answers.values, found.expected))
    there = np.array([not problem for problem in found.answers.problems])
    fewer, more, n = int((there & (have < want)).sum()), int((have > want).sum()), len(want)
    said = [f"At {fewer} of {n} states solutions are missing."] if fewer else []
    return " ".join([*said, *([f"At {more} of {n} states there are too many."] if more else [])])


def _outputs(found: Comparison) -> str:
    outputs, bad = found.question.outputs, found.bad[found.question.reachable].any(axis=0)
    names = [name for name, wrong in zip(outputs, np.atleast_1d(bad), strict=True) if wrong]
    if not names or len(names) == len(outputs):
        return ""
    good = [name for name in outputs if name not in names]
    wrong, right = (f"{_list(some)} {'is' if len(some) == 1 else 'are'}" for some in (names, good))
    return f"{wrong} wrong; {right} right everywhere."


def _modes(found: Comparison) -> str:
    """Assembly or working modes in which everything is right: whichever parts right from wrong more sharply."""
    words = {0.0: ""}  # by the share of wrong answers in the modes that are not all right
    for which, what in ((1, "with (gamma1, gamma2) ="), (0, "in assembly mode")):
        by: dict[str, list[bool]] = {}
        for mode, right, reachable in zip(found.question.modes, found.right, found.question.reachable, strict=False):
            if reachable:
                by.setdefault(mode[which], []).append(bool(right))
        good = sorted(mode for mode, flags in by.items() if all(flags))
        bad = {mode: flags for mode, flags in by.items() if mode not in good}
        if good and bad:
            share = 1.0 - float(np.mean([right for flags in bad.values() for right in flags]))
            words[share] = f"Right {what} {_list(good)}, wrong {what.split()[0]} {_list(sorted(bad))}."
    return words[max(words)]


def _ratio(found: Comparison) -> str:
    """Outputs that are a constant times what they should be, or more by a constant."""
    rows = found.question.reachable & found.answers.finite & ~found.question.close
    words = []
    for i, name in enumerate(found.question.outputs):
        got, right, off = (one[rows, 0, i] for one in (found.answers.values, found.expected, found.errors))
        sure = np.abs(right) > 1e-3 * found.question.scale[i]
        if sure.sum() < 5 or np.abs(off).max() <= found.tolerance * found.question.scale[i]:
            continue
        ratio = got[sure] / right[sure]
        if np.ptp(got) == 0.0:
            words.append(f"{name} is always {got[0]:.6g}, whatever is asked.")
        elif np.ptp(ratio) <= CONSTANT * abs(ratio.mean()):
            words.append(f"{name} is always {ratio.mean():.6g} times what it should be.")
        elif np.ptp(off) <= CONSTANT * found.question.scale[i]:
            words.append(f"{name} is always {off.mean():+.6g} off.")
    return " ".join(words)


def _rest(found: Comparison) -> str:
    """Whether standing still is right: then it is the velocity terms."""
    question = found.question
    speeds = [i for i, name in enumerate(question.arguments) if name.endswith("D") and not name.endswith("DD")]
    if len(speeds) < 2 or question.name in FIRST:  # at rest those are zero, right or wrong
        return ""
    still = (question.inputs[:, speeds] == 0.0).all(axis=1)
    if still.any() and found.right[still].all() and not found.right[~still].any():
        return "Right when nothing moves and wrong otherwise: look at the terms with velocities."
    return ""


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
