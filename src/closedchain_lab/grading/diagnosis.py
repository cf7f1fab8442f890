"""Which one change of the right formulas answers exactly like the submission, for all wrong outputs or each alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles
from closedchain_lab.grading.answers import Comparison
from closedchain_lab.grading.mutation import Mutant
from closedchain_lab.grading.question import BY_LEGS, Exercise, Flags, Question, Variant, counted

Rows = Flags | NDArray[np.intp] | slice
CLOSURES = "closures"
SIGNS = (1.0, -1.0)  # of a root
GLIMPSE, FEW = 3, 5  # states at which every change is looked at; answers that say nothing
SAME, SAME_NEAR = 1e-9, 1e-6  # how well a changed formula fits; roots lose digits close to the border
NEARLY = 2  # how much less likely a rival may be
LOST = 0.02  # of the answers may be missing where the change gives one
SHAKEN, LOOSE = 1e-3, 1e-2  # of a quantity's size: a closure that is not so much open there holds nothing together


@dataclass(frozen=True)
class Diagnosis:
    """Changes that fit, each with the outputs that it explains; `whole` where no wrong output is left."""

    found: tuple[tuple[Mutant, tuple[str, ...]], ...] = ()
    whole: bool = False
    only: bool = False  # in these outputs, though others have the same line
    rival: Mutant | None = None  # of another kind, that gives the same numbers


def diagnose(exercise: Exercise, found: Comparison) -> Diagnosis:
    """One change for all outputs that are wrong; else one for each of them that has one."""
    question = found.question
    if counted(found.answers.values)[question.reachable].sum() < FEW:
        return Diagnosis()
    if question.formula == CLOSURES:
        have, want = (counted(one) for one in (found.answers.values, found.expected))
        whole = question.name == "inverse" and bool((have == want)[have > 0].all())  # no branch is forgotten
        ways = (name for name in BY_LEGS if whole and name in exercise.formulas.functions)
        by_legs = (diagnose(exercise, replace(found, question=question.by_legs[name])) for name in ways)
        return next((one for one in by_legs if one.whole), None) or _by_closures(exercise, found)
    bad = found.bad[question.reachable].any(axis=0) | (not question.single)
    fixed = np.nanmax(found.answers.values, axis=(0, 1)) == np.nanmin(found.answers.values, axis=(0, 1))  # no formula
    names, right = np.array(question.outputs), replace(found, answers=replace(found.answers, values=found.expected))
    alone: dict[str, Mutant] = {}
    told: list[Mutant] = []
    shared: list[Mutant] = []  # these would spoil other outputs, too
    for mutant, predicted in _likely(exercise, found, bad & ~fixed):
        fits = _fits(found, predicted)
        strict = bool((fits | _fits(right, predicted)).all())
        if fits[bad].all() and not fixed[bad].any():
            (told if strict else shared).append(mutant)
        for name in names[fits & bad & ~fixed & strict]:
            alone.setdefault(str(name), mutant)
    if told or shared:
        return _told(question, told or shared, tuple(names[bad]), only=not told)
    explained = tuple((m, tuple(n for n in alone if alone[n] is m)) for m in dict.fromkeys(alone.values()))
    return Diagnosis(explained, bool(alone) and set(alone) == set(names[bad]))


def _told(question: Question, fitting: Sequence[Mutant], outputs: tuple[str, ...], only: bool = False) -> Diagnosis:
    """The simplest change, and as its rival one about as simple: of another kind, or of another argument."""
    first, (many, kind) = fitting[0], fitting[0].kind
    near = (m for m in fitting if m.kind[0] == many and m.before != first.before and m.far <= first.far + NEARLY)
    rivals = (m for m in near if m.kind[1] != kind or {first.before, m.before} <= {*question.arguments})
    return Diagnosis(((first, outputs),), True, only, next(rivals, None))


def _likely(exercise: Exercise, found: Comparison, bad: Flags) -> Iterator[tuple[Mutant, Doubles]]:
    """What those changes give that meet a wrong output at a few states, where most changes fail."""
    question = found.question
    given = found.answers.values[question.reachable][:GLIMPSE]
    for mutant, variant, glimpse in _glimpsed(exercise, question):
        off = np.abs(question.matched(given, glimpse)) > SAME_NEAR * (np.abs(glimpse) + question.scale)
        if (~off.any(axis=(0, 1)) & bad).any():
            made = _predicted(exercise, question, mutant, variant)
            if made is not None:
                yield mutant, made


@lru_cache(maxsize=32)
def _glimpsed(exercise: Exercise, question: Question) -> list[tuple[Mutant, Variant, Doubles]]:
    """What every change gives at a few states: the same for all groups."""
    return list(predictions(exercise, question, np.flatnonzero(question.reachable)[:GLIMPSE]))


def predictions(exercise: Exercise, question: Question, rows: Rows) -> Iterator[tuple[Mutant, Variant, Doubles]]:
    """What every change gives for these rows, under every convention that a group may have, (n, s, outputs)."""
    right = exercise.formulas
    name = question.formula or question.name
    if name not in right.functions or not _agrees(exercise, question):
        return
    for mutant in right.mutants(name, tuple(exercise.constants)):
        for variant in question.variants:
            made = _predicted(exercise, question, mutant, variant, rows)
            if made is not None and made.shape[-1] == len(question.outputs):
                yield mutant, variant, made


def _predicted(
    exercise: Exercise, question: Question, mutant: Mutant | None, variant: Variant, rows: Rows = slice(None)
) -> Doubles | None:
    (factors, others), inputs = variant, question.inputs[rows]
    asked = inputs * factors if factors else inputs
    formula, constants = question.formula or question.name, {**exercise.constants, **others}
    signs = SIGNS if question.each else (0.0,)
    found = [exercise.formulas.answers(formula, asked, constants | {"sign": sign}, mutant) for sign in signs]
    made = [one for one in found if one is not None and len(one)]
    if len(made) < len(found):
        return None
    with np.errstate(all="ignore"):
        return question.shape(made[0]) if question.shape is not None else np.stack(made, axis=1)


def _agrees(exercise: Exercise, question: Question) -> bool:
    """Whether the formula gives what is right, as it does not where a robot has forces that it does not know."""
    shaped = _predicted(exercise, question, None, question.variants[0])
    if shaped is None:
        return False
    off, size = np.abs(question.matched(question.expected, shaped)), np.abs(shaped) + question.scale
    return bool((off <= SAME_NEAR * size)[question.reachable].all())


def _fits(found: Comparison, predicted: Doubles) -> Flags:
    """Which outputs are predicted on every reachable row."""
    rows, question = found.question.reachable, found.question
    values, predicted = found.answers.values[rows], predicted[rows]
    got, there = (np.isfinite(one).all(axis=-1).any(axis=-1) for one in (values, predicted))
    both = got & there
    if counted(values[both]).sum() < FEW or both.sum() < 2 or (got != there).mean() > LOST:
        return np.zeros(len(question.outputs), dtype=bool)
    limit = np.where(question.close[rows], SAME_NEAR, SAME)[:, None, None] * (np.abs(predicted) + found.question.scale)
    return np.asarray((np.abs(question.matched(values[both], predicted[both])) <= limit[both]).all(axis=(0, 1)))


def _by_closures(exercise: Exercise, found: Comparison) -> Diagnosis:
    """A closure of the loops that is changed so that every solution which was given closes it."""
    question, right = found.question, exercise.formulas
    row, place = np.nonzero(np.isfinite(found.answers.values).all(axis=-1))
    columns = [(*question.arguments, *question.outputs).index(name) for name in right.arguments(CLOSURES)]
    given = np.concatenate([question.inputs[row], found.answers.values[row, place]], axis=-1)[:, columns]
    shaken = given * (1 + SHAKEN * np.random.default_rng(0).normal(size=given.shape))

    def opened(z: Doubles, mutant: Mutant | None = None) -> Doubles:
        made = right.answers(CLOSURES, z, exercise.constants, mutant)
        return made if made is not None else np.full((len(z), 1), np.nan)

    by = opened(given)
    size = np.median(np.abs(opened(shaken) - by), axis=0) / SHAKEN  # of the terms of a closure
    bad, told = (np.abs(by) > SAME_NEAR * size).any(axis=0), []
    for mutant in right.mutants(CLOSURES, tuple(exercise.constants)) if bad.any() else ():
        closed = (np.abs(opened(given, mutant)) <= np.where(bad, SAME, SAME_NEAR) * size).all()
        if closed and (np.median(np.abs(opened(shaken, mutant)), axis=0) > LOOSE * SHAKEN * size)[bad].all():
            told.append(mutant)
    return _told(question, told, question.outputs) if told else Diagnosis()


def clamped(exercise: Exercise, found: Comparison) -> Mutant | None:
    """A root that is taken of zero where it has none, where poses out of reach are answered like that."""
    rows = found.silent
    for mutant, _, predicted in predictions(exercise, found.question, rows):
        if mutant.after.startswith("clamped("):
            off = np.abs(found.question.apart(found.answers.values[rows], predicted))
            if np.isfinite(off).all() and (off <= SAME * (1.0 + np.abs(predicted))).all():
                return mutant
    return None
