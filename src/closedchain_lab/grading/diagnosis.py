"""Which one change of the right formulas answers exactly like the submission, for all wrong outputs or each alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain_lab.grading.answers import Comparison
from closedchain_lab.grading.mutation import Mutant
from closedchain_lab.grading.question import Exercise, Flags, Question

CLOSURES = "closures"
SAME, SAME_NEAR = 1e-9, 1e-6  # how well a changed formula fits; roots lose digits close to the border
DOMAIN = ("raised ValueError: math domain error", "returned nan", "raised ValueError: expected a nonnegative")
FEW = 5  # answers that say nothing
LOST = 0.02  # of the answers may be missing where the change gives one
SHAKEN = 1e-3  # of a quantity's size: a closure that is not open there holds nothing together


@dataclass(frozen=True)
class Diagnosis:
    """Changes that fit, each with the outputs that it explains; `whole` where no wrong output is left."""

    found: tuple[tuple[Mutant, tuple[str, ...]], ...] = ()
    whole: bool = False


def diagnose(exercise: Exercise, found: Comparison) -> Diagnosis:
    """One change for all outputs that are wrong; else one for each of them that has one."""
    question = found.question
    if (found.question.reachable & found.answers.finite).sum() < FEW:
        return Diagnosis()
    if question.formula == CLOSURES:
        return _by_closures(exercise, found)
    bad = found.bad[question.reachable].any(axis=0) | (not question.single)
    fixed = np.nanmax(found.answers.values, axis=(0, 1)) == np.nanmin(found.answers.values, axis=(0, 1))  # no formula
    names = np.array(question.outputs)
    alone: dict[str, Mutant] = {}
    for mutant, predicted in predictions(exercise, question):
        fits = _fits(found, predicted) & bad & ~fixed
        if fits.any() and (fits == bad).all():
            return Diagnosis(((mutant, tuple(names[bad])),), True)
        for name in names[fits]:
            alone.setdefault(str(name), mutant)
    grouped: dict[int, tuple[Mutant, tuple[str, ...]]] = {}
    for name, mutant in alone.items():
        grouped[id(mutant)] = (mutant, (*grouped.get(id(mutant), (mutant, ()))[1], name))
    return Diagnosis(tuple(grouped.values()), bool(alone) and set(alone) == set(names[bad]))


def predictions(
    exercise: Exercise, question: Question, rows: Flags | slice = slice(None)
) -> Iterator[tuple[Mutant, Doubles]]:
    """What every change gives for these rows, under every convention that a group may have, (n, s, outputs)."""
    right, inputs = exercise.formulas, question.inputs[rows]
    if question.name not in right.functions:
        return
    for mutant in right.mutants(question.name, tuple(exercise.constants)):
        for factors, others in question.variants:
            asked = inputs * factors if factors else inputs
            made = right.answers(question.name, asked, {**exercise.constants, **others}, mutant)
            if made is None:
                continue
            shaped = question.shape(made) if question.shape is not None else made[:, None]
            if shaped is not None and shaped.shape[-1] == len(question.outputs):
                yield mutant, shaped


def _fits(found: Comparison, predicted: Doubles) -> Flags:
    """Which outputs are predicted on every reachable row."""
    rows, question = found.question.reachable, found.question
    values, predicted = found.answers.values[rows], predicted[rows]
    got, there = (np.isfinite(one).all(axis=-1).any(axis=-1) for one in (values, predicted))
    both = got & there
    if both.sum() < FEW or (got != there).mean() > LOST:
        return np.zeros(len(question.outputs), dtype=bool)
    limit = np.where(question.close[rows], SAME_NEAR, SAME)[:, None, None] * (np.abs(predicted) + found.question.scale)
    fits: Flags = np.ones(len(question.outputs), dtype=bool)
    for some in (np.flatnonzero(both)[:2], both):  # most changes fail at once
        off = np.abs(question.matched(values[some], predicted[some]))
        fits = np.asarray((off <= limit[some]).all(axis=(0, 1)))
        if not fits.any():
            break
    return fits


def _by_closures(exercise: Exercise, found: Comparison) -> Diagnosis:
    """A closure of the loops that is changed so that every solution which was given closes it."""
    question, right = found.question, exercise.formulas
    row, place = np.nonzero(np.isfinite(found.answers.values).all(axis=-1))
    given = np.concatenate([question.inputs[row], found.answers.values[row, place]], axis=-1)
    rng = np.random.default_rng(0)
    shaken = given * (1 + SHAKEN * rng.normal(size=given.shape))
    named = {name: given[:, i] for i, name in enumerate((*question.arguments, *question.outputs))}
    order = [list(named).index(argument) for argument in right.arguments(CLOSURES)]
    open_by = right.answers(CLOSURES, given[:, order], exercise.constants)
    usual = right.answers(CLOSURES, shaken[:, order], exercise.constants)
    assert open_by is not None
    assert usual is not None
    size = np.median(np.abs(usual - open_by), axis=0) / SHAKEN  # of the terms of a closure
    bad = (np.abs(open_by) > 1e-6 * size).any(axis=0)
    if not bad.any():
        return Diagnosis()
    for mutant in right.mutants(CLOSURES, tuple(exercise.constants)):
        made = right.answers(CLOSURES, given[:, order], exercise.constants, mutant)
        if made is None or made.shape != open_by.shape or not np.isfinite(made).all():
            continue
        if (np.abs(made[:, bad]) <= 1e-9 * size[bad]).all():
            loose = right.answers(CLOSURES, shaken[:, order], exercise.constants, mutant)
            if loose is not None and (np.median(np.abs(loose[:, bad]), axis=0) > 1e-2 * SHAKEN * size[bad]).all():
                return Diagnosis(((mutant, question.outputs),), True)
    return Diagnosis()


def speechless(exercise: Exercise, found: Comparison) -> Mutant | None:
    """A change under which no pose at all can be reached, where the submission answers none."""
    if not all(p.startswith(DOMAIN) for p in found.answers.problems):
        return None
    for mutant, made in predictions(exercise, found.question, found.question.reachable):
        strange = any(word in mutant.after for word in ("inverse", "0.0", "arc"))  # no number for other reasons
        if not np.isfinite(made).all(axis=-1).any() and not strange:
            return mutant
    return None


def clamped(exercise: Exercise, found: Comparison) -> Mutant | None:
    """A root that is taken of zero where it has none, where poses out of reach are answered like that."""
    rows = found.silent
    for mutant, predicted in predictions(exercise, found.question, rows):
        if mutant.after.startswith("clamped("):
            off = np.abs(found.question.apart(found.answers.values[rows], predicted))
            if np.isfinite(off).all() and (off <= SAME * (1.0 + np.abs(predicted))).all():
                return mutant
    return None
