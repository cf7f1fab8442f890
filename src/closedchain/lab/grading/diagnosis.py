"""Which known mistake answers exactly like the submission: one by one, then two at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.lab.grading import (
    mistakes_dynamic,
    mistakes_general,
    mistakes_geometric,
    mistakes_jacobian,
    mistakes_modes,
    mistakes_velocity,
)
from closedchain.lab.grading.comparing import SAME, Comparison, difference, same
from closedchain.lab.grading.constants import ROUNDED_INERTIA, Constants
from closedchain.lab.grading.mistake import Mistake
from closedchain.lab.grading.mistakes_general import Altered
from closedchain.lab.grading.signatures import Signature
from closedchain.lab.grading.states import FLIPS

KNOWN: tuple[type[Mistake], ...] = (  # in the order in which they are likely
    *mistakes_modes.MISTAKES,
    *mistakes_geometric.MISTAKES,
    *mistakes_jacobian.MISTAKES,
    *mistakes_velocity.MISTAKES,
    *mistakes_dynamic.MISTAKES,
    *mistakes_general.MISTAKES,
)


DOMAIN = ("raised ValueError: math domain error", "returned nan", "raised ValueError: expected a nonnegative")
Mistakes = tuple[type[Mistake], ...]


def diagnose(k: Constants, signature: Signature, found: Comparison) -> Mistakes | None:
    """The known mistakes that answer like the submission on every reachable row."""
    for mistakes in attempts(k, signature):
        if any(same(k.robot, signature, found, p) for p in predictions(mistakes, k, signature, found.cases.inputs)):
            return mistakes
    return None


def attempts(k: Constants, signature: Signature) -> Iterator[Mistakes]:
    """Every mistake this function can have, then every two of them."""
    yield from (single := _singles(k, signature))
    for (first,), (second,) in combinations(single, 2):
        if not (issubclass(first, Altered) and issubclass(second, Altered)):
            yield first, second


def _singles(k: Constants, signature: Signature) -> list[tuple[type[Mistake]]]:
    return [(m,) for m in KNOWN if signature.name in m.functions and k.robot in m.robots]


def predictions(
    mistakes: Sequence[type[Mistake]], k: Constants, signature: Signature, inputs: Doubles
) -> Iterator[Doubles]:
    """The answers that mistakes give; several where a group may have had another convention."""
    if signature.name == "igm":
        for flip in FLIPS:
            yield predict(mistakes, k, signature, inputs * (1.0, 1.0, *flip))
        return
    yield predict(mistakes, k, signature, inputs)
    if signature.name == "dynamic_model" and k.turns:
        yield predict(mistakes, replace(k, drive=ROUNDED_INERTIA), signature, inputs)


def predict(mistakes: Sequence[type[Mistake]], k: Constants, signature: Signature, inputs: Doubles) -> Doubles:
    """The answers of formulas that have all of these mistakes, (n, outputs)."""
    formulas = _combined(tuple(mistakes))(k)
    given = dict(zip(signature.arguments, inputs.T, strict=True))
    with np.errstate(all="ignore"):
        if isinstance(formulas, Altered):
            answer: Doubles = getattr(formulas, signature.name)(*formulas.before(given).values())
            return formulas.after(answer, signature)
        return getattr(formulas, signature.name)(*given.values())


@lru_cache(maxsize=4096)
def _combined(mistakes: tuple[type[Mistake], ...]) -> type[Mistake]:
    """A class that inherits every mistake."""
    ordered = sorted(set(mistakes), key=lambda m: -len(m.__mro__))
    return type("Combined", tuple(ordered), {}) if ordered else Mistake


def speechless(k: Constants, signature: Signature, found: Comparison) -> Mistakes:
    """Known mistakes under which no pose at all can be reached, where the submission answers none."""
    domain = [p for p in found.answers.problems if p.startswith(DOMAIN)]
    if len(domain) < len(found.answers.problems):
        return ()
    inputs = found.cases.inputs[found.cases.reachable]
    attempted = ((m, predictions((m,), k, signature, inputs)) for (m,) in _singles(k, signature))
    return tuple(m for m, made in attempted if not any(np.isfinite(one).all(axis=1).any() for one in made))


def diagnose_silence(k: Constants, signature: Signature, found: Comparison, known: Mistakes) -> Mistakes | None:
    """What more is wrong where poses out of reach are answered: nothing, a clamped root, or what is unknown (None)."""
    rows = found.silent
    for more in ((), *((mistake,) for mistake in mistakes_modes.SILENT)):
        for predicted in predictions((*known, *more), k, signature, found.cases.inputs[rows]):
            off = difference(k.robot, signature, found.answers.values[rows], predicted)
            if np.isfinite(off).all() and (np.abs(off) <= SAME * (1.0 + np.abs(predicted))).all():
                return more
    return None
