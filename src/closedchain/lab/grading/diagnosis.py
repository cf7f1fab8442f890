"""Which one change of the right formulas answers exactly like the submission, for all wrong outputs or each alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading.comparing import SAME, SAME_NEAR, Comparison, difference
from closedchain.lab.grading.constants import ROUNDED_INERTIA, Constants
from closedchain.lab.grading.mutation import Mutant, formulas
from closedchain.lab.grading.signatures import Signature
from closedchain.lab.grading.states import FLIPS
from closedchain.model.solutions import Flags

DOMAIN = ("raised ValueError: math domain error", "returned nan", "raised ValueError: expected a nonnegative")
FEW = 5  # answers that say nothing
LOST = 0.02  # of the answers may be missing where the change gives one


@dataclass(frozen=True)
class Diagnosis:
    """Changes that fit, each with the outputs that it explains; `whole` where no wrong output is left."""

    found: tuple[tuple[Mutant, tuple[str, ...]], ...] = ()
    whole: bool = False


def diagnose(k: Constants, signature: Signature, found: Comparison) -> Diagnosis:
    """One change for all outputs that are wrong; else one for each of them that has one."""
    rows = found.cases.reachable & found.answers.finite
    if rows.sum() < FEW:
        return Diagnosis()
    bad = found.bad[rows].any(axis=0)
    names = np.array(signature.outputs)
    alone: dict[str, Mutant] = {}
    for mutant, predicted in _predictions(k, signature, found.cases.inputs):
        fits = _fits(k, signature, found, predicted) & bad
        if fits.any() and (fits == bad).all():
            return Diagnosis(((mutant, tuple(names[bad])),), True)
        for name in names[fits]:
            alone.setdefault(str(name), mutant)
    grouped: dict[int, tuple[Mutant, tuple[str, ...]]] = {}
    for name, mutant in alone.items():
        grouped[id(mutant)] = (mutant, (*grouped.get(id(mutant), (mutant, ()))[1], name))
    return Diagnosis(tuple(grouped.values()), set(alone) == set(names[bad]))


def _predictions(k: Constants, signature: Signature, inputs: Doubles) -> Iterator[tuple[Mutant, Doubles]]:
    """What every change gives, under every convention that a group may have."""
    right = formulas(k.robot)
    for mutant in right.mutants(signature.name, tuple(k.named)):
        for asked, constants in _conventions(k, signature, inputs):
            made = right.answers(signature.name, asked, constants, mutant)
            if made is not None and made.shape == (len(inputs), len(signature.outputs)):
                yield mutant, made


def _conventions(k: Constants, signature: Signature, inputs: Doubles) -> Iterator[tuple[Doubles, Mapping[str, float]]]:
    if signature.name == "igm":
        yield from ((inputs * (1.0, 1.0, *flip), k.named) for flip in FLIPS)
        return
    yield inputs, k.named
    if signature.name == "dynamic_model" and k.turns:
        yield inputs, k.named | dict.fromkeys(("ZZ1R", "ZZ2R"), ROUNDED_INERTIA)


def _fits(k: Constants, signature: Signature, found: Comparison, predicted: Doubles) -> Flags:
    """Which outputs are predicted on every reachable row."""
    rows = found.cases.reachable
    values, predicted = found.answers.values[rows], predicted[rows]
    got, there = np.isfinite(values).all(axis=1), np.isfinite(predicted).all(axis=1)
    both = got & there
    if both.sum() < FEW or (got != there).mean() > LOST:
        return np.zeros(values.shape[1], dtype=bool)
    off = np.abs(difference(k.robot, signature, values[both], predicted[both]))
    limit = np.where(found.cases.near[rows][both], SAME_NEAR, SAME)[:, None] * (np.abs(values[both]) + found.scale)
    return np.asarray((off <= limit).all(axis=0))


def speechless(k: Constants, signature: Signature, found: Comparison) -> Mutant | None:
    """A change under which no pose at all can be reached, where the submission answers none."""
    if not all(p.startswith(DOMAIN) for p in found.answers.problems):
        return None
    inputs = found.cases.inputs[found.cases.reachable]
    for mutant, made in _predictions(k, signature, inputs):
        if not np.isfinite(made).all(axis=1).any() and _plain(mutant):
            return mutant
    return None


def _plain(mutant: Mutant) -> bool:
    """A change of lengths: others give no number for other reasons."""
    return not any(word in mutant.after for word in ("inverse", "0.0", "arc"))


def clamped(k: Constants, signature: Signature, found: Comparison) -> Mutant | None:
    """A root that is taken of zero where it has none, where poses out of reach are answered like that."""
    rows = found.silent
    for mutant, predicted in _predictions(k, signature, found.cases.inputs[rows]):
        if mutant.after.startswith("clamped("):
            off = np.abs(difference(k.robot, signature, found.answers.values[rows], predicted))
            if np.isfinite(off).all() and (off <= SAME * (1.0 + np.abs(predicted))).all():
                return mutant
    return None
