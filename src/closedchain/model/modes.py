"""Working modes by name: a sign for each leg that has a choice, "+" where none has."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from closedchain.arrays import Doubles
from closedchain.errors import BadInput
from closedchain.model.configurations import branching
from closedchain.model.model import Model
from closedchain.model.solutions import Signs, mode_name, plain_mode


def working_signs(model: Model) -> Signs:
    """Every working mode as a row of signs, (2^n, legs with a choice), "++" first."""
    n = int(np.count_nonzero(model.leg_signs))
    return np.array(list(itertools.product((1, -1), repeat=n)), dtype=np.int8).reshape(2**n, n)


def working_names(model: Model) -> tuple[str, ...]:
    """Every working mode by its name, in the same order."""
    return tuple(mode_name(row) for row in working_signs(model))


def output_names(model: Model) -> tuple[str, ...]:
    """Every working mode of the output's own coordinates: a sign for each block with a choice; legs' where x is all."""
    if model.has_legs and model.outputs == model.nx:
        return working_names(model)
    return tuple(mode_name(row) for row in itertools.product((1, -1), repeat=len(branching(model))))


def named_modes(model: Model, working: Iterable[str], every: Sequence[str] | None = None) -> tuple[str, ...]:
    """The modes asked for, each once; refuses a name that there is not."""
    every = working_names(model) if every is None else every
    named = tuple(dict.fromkeys(plain_mode(mode) for mode in working))
    unknown = [mode for mode in named if mode not in every]
    if unknown or not named:
        shown = f"no working mode {unknown[0]!r:.30}" if unknown else "no working mode was named"
        raise BadInput(f"{model.name}: {shown}; there {'is only' if len(every) == 1 else 'are'} {', '.join(every)}")
    return named


def leg_signs(model: Model, working: str) -> Doubles:
    """σ of each leg of a named working mode, +1 for a leg without a choice; (legs,)."""
    (name,) = named_modes(model, (working,))
    chosen = model.leg_signs != 0
    sigma = np.ones(len(model.legs))
    sigma[chosen] = working_signs(model)[working_names(model).index(name)]
    return sigma
